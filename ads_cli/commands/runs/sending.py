"""The way of a command that sends what a file says: read, judge, ask, settle, send, show.

A command calls the steps one after the other, and does what is special to it in between:

    sending = Sending(call, plan, options)
    sending.read()
    if not sending.approve():
        sending.show_dry_run()

Return:
    with sending.begun() as journal:
        result = sending.send(journal)
        sending.end(result)
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime

from ...api.parts import path_of
from ...console.invocation import Invocation
from ...console.progress import progress
from ...errors import IncompleteError, UsageError
from ...output.text import Lines, counted, listed, singular
from ...runs.job import Acknowledgement, Job, JobKey
from ...runs.jobs import resumable_jobs
from ...runs.journal import Journal
from ...runs.plan import Plan, this_second
from ...runs.push import Push, PushResult, Summary
from ...runs.rejected_rows import check_failed_out
from ...runs.sends import read_sends
from ...stored_times import is_believable
from ...validation.report import ValidationReport
from .journal import file_of, open_journal
from .options import PushOptions, SendOptions
from .reports import (
    PushMessages,
    error_lines,
    how_to_correct,
    how_to_resume,
    show_summary,
)
from .validation import require_valid, say_estimate, write_invalid_rows

MAX_FINDINGS_IN_QUIET = 3
INVALID_HINT = "nothing was sent; correct the file"
# A sync of the rejected rows alone would take every other one for gone.
CORRECT_AND_SYNC = "correct these rows in the file that was read, and sync that again"


@dataclass
class Sending:
    """One run of a command that sends what a file says."""

    call: Invocation
    plan: Plan
    options: SendOptions
    activity: str = "Pushing"
    is_one_change: bool = True  # in the log of changes; else each request is one
    started: float = field(default_factory=time.monotonic)
    journal: Journal | None = None  # of the run, once it has begun

    def __post_init__(self) -> None:
        of_push = self.options if isinstance(self.options, PushOptions) else None
        self.skip_invalid = bool(of_push and of_push.skip_invalid)
        self._named_job = of_push.job if of_push else None

    def read(
        self,
        select: Callable[[], None] = lambda: None,
        *,
        hint: str = "",
        skips: Callable[[ValidationReport], bool] = lambda report: False,
    ) -> ValidationReport:
        """Validate the file; raise ContentError where rows are invalid, unless they are skipped.

        `select` finds out what is due, once the file is valid; of a file that is read again, again.
        `hint` says what else may be done about invalid rows, and `skips` may skip them unasked.
        """
        path_of(self.plan.upload.request)  # an invalid id is reported before the file is read
        check_failed_out(self.options.failed_out_file, self.plan.file.rows)
        self.call.concurrency = self.options.concurrency
        _ = self.call.client  # wrong options are reported before anything is done
        # What has expired since the job that is resumed began is still valid for it.
        earlier = self._resumable_job()
        if earlier and is_believable(started := datetime.fromisoformat(earlier.started)):
            self.plan.started = started
        self._validate(select, hint, skips)
        if earlier and earlier.key != self.key:
            self.plan.started = this_second()
            if self.plan.depends_on_time:
                self._validate(select, hint, skips)
        return self.plan.file.report

    def _validate(
        self, select: Callable[[], None], hint: str, skips: Callable[[ValidationReport], bool]
    ) -> None:
        hints = [INVALID_HINT]
        if isinstance(self.options, PushOptions):
            hints = [f"{INVALID_HINT}, or send the valid rows with --skip-invalid"]
        require_valid(
            self.call,
            self.plan.file,
            skip_invalid=self.skip_invalid,
            skips=skips,
            failed_out=self.options.failed_out_file,
            hint="; ".join(filter(None, (*hints, hint))),
        )
        select()

    @property
    def key(self) -> JobKey:
        """Return what identifies the job."""
        return self.plan.key(self.call.service, skip_invalid=self.skip_invalid)

    @property
    def is_resumed(self) -> bool:
        """Whether an unfinished run is to be resumed."""
        return self.options.resume or bool(self._named_job)

    def _resumable_job(self) -> Job | None:
        if not self.is_resumed:
            return None
        target, file = self.plan.target(self.call.service), file_of(self.plan)
        jobs = resumable_jobs(self.call.settings.state_dir, target)
        return max(jobs, key=lambda job: job.file == file, default=None)

    def approve(self, confirm: Callable[[], None] | None = None, seen: Iterable[object] = ()) -> bool:
        """Let the guard judge the run, and ask. Tell whether it is to be sent, and not only shown.

        `seen` is what was compared to find out what is due, for the plan of an assistant.
        """
        self.call.writes.approve_push(self.plan, seen)
        return self.confirmed(confirm or self.confirm)

    def confirmed(self, confirm: Callable[[], None]) -> bool:
        """Ask, unless it is a dry run. Tell whether the run is to be sent."""
        is_dry = self.call.dry_run
        if not is_dry or self.call.is_plan:
            confirm()
        if is_dry and self.plan.file.report.invalid:
            write_invalid_rows(self.options.failed_out_file, self.plan.file, self.plan.file.report)
        return not is_dry

    def confirm(self) -> None:
        """Ask before the first request, where the endpoint says so."""
        request = self.plan.upload.request
        if request.endpoint.confirm_prompt:
            from ...console.spending import confirm_requests

            what = counted(self.plan.due, singular(self.plan.noun), self.plan.noun)
            confirm_requests(self.call, [request], what)

    def show_dry_run(self, changed: Callable[[], int | None] = lambda: None) -> None:
        """Say what would be sent, and how long that takes; `changed` is that of `say_estimate`."""
        request, rows, requests = self.plan.upload.request, self.plan.due, self.plan.batch_count
        prepared = self.call.client.prepare(request)
        where = f", {prepared.method} {prepared.url}" if requests else ""
        words = f"would send {counted(rows, 'row')} in {counted(requests, 'request')}"
        self.call.messages.say(f"dry run: {words}{where}")
        say_estimate(self.call, request.endpoint, rows, requests, changed)
        self._show_unsent(self.summary())

    @contextmanager
    def begun(self) -> Iterator[Journal]:
        """Begin the job, or resume one; find out what earlier runs of it have sent."""
        resume, job_id = self.options.resume, self._named_job
        self.journal = open_journal(self.call, self.plan, self.key, resume=resume, job_id=job_id)
        with closing(self.journal) as journal:
            self.plan.settle(journal)
            yield journal

    def send(self, journal: Journal) -> PushResult:
        """Send what is not acknowledged, with progress; return the result, whatever stopped it."""
        call, plan, options = self.call, self.plan, self.options
        if plan.memory:
            plan.memory.begin(journal)
        activity = f"{self.activity} {plan.noun}"
        with progress(call.messages, activity, plan.due, self._seconds_left) as on_progress:
            call.client.rate_limiter.on_wait = on_progress.on_wait
            observer = PushMessages(call.messages, on_progress)
            push = Push(
                call.client,
                plan,
                journal,
                observer,
                options.concurrency,
                options.max_errors,
                options.failed_out_file,
            )
            with call.writes.push(plan, journal.job.job) if self.is_one_change else nullcontext() as change:
                result = push.run()
                if change:
                    change.counts = dict(journal.totals)
                    change.outcome = result.error.code if result.error else "ok"
        observer.close()
        if result.warning:
            call.messages.warn(result.warning)
        result.error = result.error or self._stopped_early(result)
        result.summary = self.summary(journal.job.job, journal.acknowledged.values(), journal.totals)
        return result

    def end(
        self,
        result: PushResult,
        *,
        show: Callable[[Summary], None] | None = None,
        shortfall: str = "",
        correction: str = "",
        rejected_hint: str = "",
    ) -> None:
        """Show the result, and end the job; raise the error of the run, unless it is a full success.

        `show` prints the result in another way. `shortfall` says what the target does not keep as it has
        acknowledged it, `correction` what to do with rejected rows where their file cannot be pushed, and
        `rejected_hint` what may be wrong with them.
        """
        call, report, summary, error = self.call, self.plan.file.report, result.summary, result.error
        assert self.journal
        self._note(result)
        unshown: OSError | None = None
        try:
            (show or self.show_summary)(summary)
            call.printer.stream.flush()
        except UsageError:  # a query or a column that the summary lacks
            if not error:
                raise
        except OSError as problem:  # of standard output; an error of the run counts more
            unshown = problem
        # A run that is killed before its result is shown shows it when it is resumed.
        if result.is_complete and not unshown:
            self.journal.finish()
        call.client.trace.log("stopped" if error else "ended", summary=summary.as_dict())
        if error:
            error.hint = how_to_resume(error, call.command_line)
        elif summary.rejections:
            hint = rejected_hint
            if result.rejections.invalid or report.invalid:  # rows, and not only deletions
                source = self.plan.file.rows.source
                hint = how_to_correct(self.options.failed_out_file, correction, source, hint)
            error = IncompleteError(summary.rejections, hint=hint)
        if shortfall:
            error = error or IncompleteError(shortfall)
            error.message = error.message if error.message == shortfall else Lines([shortfall, error.message])
        if error:
            error.message = Lines([*self._reasons(result), error.message])
            raise error
        if unshown:
            raise unshown

    def show_summary(self, summary: Summary) -> None:
        """Print a summary."""
        show_summary(self.call.printer, summary, self.plan.file.rows.source.label)

    def _show_unsent(self, summary: Summary) -> None:
        """Print the summary of a run that sends nothing."""
        result = PushResult()
        result.summary = summary
        self._note(result)
        self.show_summary(summary)

    def _note(self, result: PushResult) -> None:
        """Note a result, for --on-failure and for a program that called the command."""
        self.call.parsed.result = result
        self.call.note_summary(result.summary.as_dict())

    def show_ended(self, ended: Job) -> None:
        """Show the result of a job that has ended, and send nothing; raise its error."""
        acks = read_sends(self.call.settings.state_dir, ended.job).acknowledged.values()
        self.call.messages.say(f"job {ended.job} has sent everything; nothing is sent again")
        summary = self.summary(ended.job, acks)
        self._show_unsent(summary)
        if summary.rejections:
            raise IncompleteError(summary.rejections, hint=f"adsctl jobs show {ended.job}")

    def _seconds_left(self, rows: int, delay: float) -> float:
        """Return the seconds that the limits of the service cost for further rows."""
        rate = self.plan.upload.request.endpoint.rates[self.call.settings.service]
        requests = -(-rows * self.plan.batch_count // max(self.plan.due, 1))
        return rate.seconds_left(requests, delay) if rate else delay

    def _stopped_early(self, result: PushResult) -> IncompleteError | None:
        if not result.unsent:
            return None
        return IncompleteError(
            f"stopped early, {counted(result.unsent, 'row')} not sent: {counted(result.rejected, 'row')} "
            f"rejected in this run, and --max-errors is {self.options.max_errors}"
        )

    def _reasons(self, result: PushResult) -> list[str]:
        """Say why rows were rejected, or not sent where no warning was shown."""
        rows, quiet, noun = self.plan.file.rows, self.call.messages.quiet, self.plan.noun
        invalid = error_lines(rows, self.plan.file.report)[:MAX_FINDINGS_IN_QUIET] if quiet else []
        not_deleted = [
            f"{counted(len(ids), singular(noun), noun)} not deleted: {reason}: {listed(ids)}"
            for reason, ids in result.not_deleted.items()
        ]
        return [*invalid, *error_lines(rows, result.rejections), *not_deleted]

    def summary(
        self,
        job: str | None = None,
        acknowledged: Iterable[Acknowledgement] = (),  # by earlier runs
        totals: Mapping[str, int] | None = None,  # rows by status, those of earlier runs included
    ) -> Summary:
        """Return what became of the rows; of a dry run, what would be sent."""
        client = self.call.client
        earlier: Counter[str] = Counter()
        for ack in acknowledged:
            earlier.update(ack.counts)
        counts = earlier if totals is None else totals
        return Summary(
            job=job,
            report=self.plan.file.report,
            batches=self.plan.batch_count,
            due=self.plan.due,
            counts={status: counts.get(status, 0) for status in self.plan.upload.statuses},
            requests=client.requests,
            retries=client.retries,
            seconds=round(time.monotonic() - self.started, 3),
            extra=self.plan.totals(),
            earlier=earlier.total(),
        )
