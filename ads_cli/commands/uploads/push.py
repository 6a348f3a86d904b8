"""What every push command does around the push: validate, confirm, show progress, report."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime

from ...api.parts import path_of
from ...console.progress import progress
from ...errors import IncompleteError, UsageError
from ...output.text import Lines, counted, listed
from ...stored_times import is_believable
from ...uploads.job import Acknowledgement, Job, JobKey
from ...uploads.jobs import resumable_jobs
from ...uploads.journal import Journal
from ...uploads.plan import this_second
from ...uploads.push import Push, PushResult, Summary
from ...uploads.rejected_rows import check_failed_out
from ...uploads.sends import read_sends
from ...validation.report import ValidationReport
from .hooks import PushHooks
from .journal import file_of, open_journal
from .options import PushOptions, SendOptions
from .reports import (
    PushMessages,
    error_lines,
    how_to_correct,
    how_to_resume,
    resume_command,
)
from .validation import require_valid, stated_rate, write_invalid_rows

MAX_FINDINGS_IN_QUIET = 3
INVALID_HINT = "nothing was sent; correct the file"


@dataclass
class PushCommand:
    """Runs one plan, with the hooks of its command."""

    hooks: PushHooks
    options: SendOptions
    started: float = field(default_factory=time.monotonic)
    journal: Journal | None = None  # of the run, once there is one

    def __post_init__(self) -> None:
        self.call, self.plan = self.hooks.call, self.hooks.plan
        of_push = self.options if isinstance(self.options, PushOptions) else None
        self._skip_invalid = bool(of_push and of_push.skip_invalid)
        self._named_job = of_push.job if of_push else None

    def run(self) -> None:
        """Validate, push and report; raise the error of the run, unless it is a full success."""
        path_of(self.plan.upload.request)  # an invalid id is reported before the file is read
        check_failed_out(self.options.failed_out_file, self.plan.rows)
        self.call.concurrency = self.options.concurrency
        _ = self.call.client  # wrong options are reported before anything is done
        earlier = self._resumable_job()
        if earlier and is_believable(started := datetime.fromisoformat(earlier.started)):
            self.plan.started = started
        report = self.validate()
        if earlier and earlier.key != self._key:
            self.plan.started = this_second()
            report = self.validate() if self.plan.depends_on_time else report
        self.hooks.approve()
        if self.call.dry_run:
            if self.call.is_plan:
                self.hooks.confirm()
            if report.invalid:
                write_invalid_rows(self.options.failed_out_file, self.plan, report)
            self.hooks.show_dry_run(self._summary(report))
            return
        self.hooks.confirm()
        if self.hooks.ended_job:
            self._show_ended(self.hooks.ended_job, report)
            return
        resume, job_id = self.options.resume, self._named_job
        self.journal = open_journal(self.call, self.plan, self._key, resume=resume, job_id=job_id)
        with closing(self.journal) as journal:
            self.plan.begin(journal)
            self.hooks.begin(journal)
            self._push(report, journal)

    def _show_ended(self, ended: Job, report: ValidationReport) -> None:
        """Show the result of a job that has ended, and send nothing; raise its error."""
        acks = read_sends(self.call.settings.state_dir, ended.job).acknowledged.values()
        self.call.messages.say(f"job {ended.job} has sent everything; nothing is sent again")
        summary = self._summary(report, ended.job, acks)
        self.call.note_summary(summary.as_dict())
        self.hooks.show_summary(summary)
        if summary.rejections:
            raise IncompleteError(summary.rejections, hint=f"adsctl jobs show {ended.job}")

    def validate(self) -> ValidationReport:
        """Validate the file; raise ContentError where rows are invalid, unless they are skipped."""
        hint = INVALID_HINT
        if isinstance(self.options, PushOptions):
            hint += ", or send the valid rows with --skip-invalid"
        if self.hooks.invalid_hint:
            hint += f"; {self.hooks.invalid_hint}"
        require_valid(
            self.call,
            self.plan,
            skip_invalid=self._skip_invalid,
            skips=self.hooks.skips,
            failed_out=self.options.failed_out_file,
            hint=hint,
        )
        self.hooks.validated()
        return self.plan.report

    @property
    def _key(self) -> JobKey:
        return self.plan.key(self.call.service, skip_invalid=self._skip_invalid)

    def _resumable_job(self) -> Job | None:
        """Return the job that may be resumed: what has expired since its start is still valid for it."""
        if not (self.options.resume or self._named_job):
            return None
        target, file = self.plan.target(self.call.service), file_of(self.plan)
        jobs = resumable_jobs(self.call.settings.state_dir, target)
        return max(jobs, key=lambda job: job.file == file, default=None)

    def _send(self, report: ValidationReport, journal: Journal) -> PushResult:
        """Send what is not acknowledged, with progress."""
        call = self.call
        activity = f"{self.hooks.activity} {self.plan.noun}"
        with progress(call.messages, activity, self.plan.due, self._seconds_left) as on_progress:
            call.client.rate_limiter.on_wait = on_progress.on_wait
            observer = PushMessages(call.messages, on_progress)
            push = Push(
                call.client,
                self.plan,
                journal,
                observer,
                self.options.concurrency,
                self.options.max_errors,
                self.options.failed_out_file,
            )
            if self.hooks.is_one_change:
                with call.writes.push(self.plan, journal.job.job) as change:
                    result = push.run(report)
                    change.counts = dict(journal.totals)
                    change.outcome = result.error.code if result.error else "ok"
            else:
                result = push.run(report)
        observer.close()
        return result

    def _push(self, report: ValidationReport, journal: Journal) -> None:
        """Send what is not acknowledged, and report however it ends."""
        call, result = self.call, self._send(report, journal)
        if result.warning:
            call.messages.warn(result.warning)
        error = result.error or self._stopped_early(result)
        summary = self._summary(report, journal.job.job, journal.acknowledged.values(), journal.totals)
        call.note_summary(summary.as_dict())
        self.hooks.ended(summary, result)
        unshown: OSError | None = None
        try:
            self.hooks.show_result(summary, journal)
            call.printer.stream.flush()
        except UsageError:  # a query or a column that the summary lacks
            if not error:
                raise
        except OSError as problem:  # of standard output; an error of the run counts more
            unshown = problem
        # A run that is killed before its result is shown shows it when it is resumed.
        if result.is_complete and not unshown:
            journal.finish()
        call.client.trace.log("stopped" if error else "ended", summary=summary.as_dict())
        if error:
            error.hint = how_to_resume(error, resume_command(call.command_line))
        elif summary.rejections:
            hint = self.hooks.rejected_hint
            if result.rejections.invalid or report.invalid:  # rows, and not only deletions
                source = self.plan.rows.source
                hint = how_to_correct(self.options.failed_out_file, self.hooks.correction, source, hint)
            error = IncompleteError(summary.rejections, hint=hint)
        if shortfall := self.hooks.shortfall():
            error = error or IncompleteError(shortfall)
            error.message = error.message if error.message == shortfall else Lines([shortfall, error.message])
        if error:
            error.message = Lines([*self._reasons(report, result), error.message])
            raise error
        if unshown:
            raise unshown

    def _seconds_left(self, rows: int, delay: float) -> float:
        """Return the seconds that the limits of the service cost for further rows."""
        rate = stated_rate(self.call, self.plan)
        requests = -(-rows * self.plan.batch_count // max(self.plan.due, 1))
        return rate.seconds_left(requests, delay) if rate else delay

    def _stopped_early(self, result: PushResult) -> IncompleteError | None:
        if not result.unsent:
            return None
        return IncompleteError(
            f"stopped early, {counted(result.unsent, 'row')} not sent: {counted(result.rejected, 'row')} "
            f"rejected in this run, and --max-errors is {self.options.max_errors}"
        )

    def _reasons(self, report: ValidationReport, result: PushResult) -> list[str]:
        """Say why rows were rejected, or not sent where no warning was shown."""
        rows, quiet = self.plan.rows, self.call.messages.quiet
        invalid = error_lines(rows, report)[:MAX_FINDINGS_IN_QUIET] if quiet else []
        not_deleted = [
            f"{counted(len(ids), 'product')} not deleted: {reason}: {listed(ids)}"
            for reason, ids in result.not_deleted.items()
        ]
        return [*invalid, *error_lines(rows, result.rejections), *not_deleted]

    def _summary(
        self,
        report: ValidationReport,
        job: str | None = None,
        acknowledged: Iterable[Acknowledgement] = (),  # by earlier runs
        totals: Mapping[str, int] | None = None,  # rows by status, those of earlier runs included
    ) -> Summary:
        client = self.call.client
        earlier: Counter[str] = Counter()
        for ack in acknowledged:
            earlier.update(ack.counts)
        counts = earlier if totals is None else totals
        return Summary(
            job=job,
            report=report,
            batches=self.plan.batch_count,
            due=self.plan.due,
            counts={status: counts.get(status, 0) for status in self.plan.upload.statuses},
            requests=client.requests,
            retries=client.retries,
            seconds=round(time.monotonic() - self.started, 3),
            extra=self.plan.totals(report),
            earlier=earlier.total(),
        )
