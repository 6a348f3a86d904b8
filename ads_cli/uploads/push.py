"""The pipeline: a file is checked whole, then sent batch by batch, and nothing of it is lost."""

import threading
import time
from dataclasses import dataclass, field
from functools import partial

from ..api.parts import path_of
from ..api.validation import Problem
from ..console.invocation import Invocation
from ..errors import AdsctlError, IncompleteError, Interrupted, UsageError
from ..feeds.rows import Row, Rows
from ..output.text import counted
from ..validation.ordered_map import map_ordered
from ..validation.report import ValidationReport
from ..validation.validator import Validator
from .jobs import Job
from .journal import Journal
from .report import Refuse, Tick, check_failed_out_path, failed_out, problem_lines, progress, sound
from .summary import Summary, correction, resume_command, way_on
from .upload import Acknowledgement, Batch, Batches, Upload

MOST_WARNINGS = 5  # of the service, that are told one by one
MOST_REASONS = 10  # of the service for refusing rows, that are told
IN_SHORT = 3  # mistakes that are told even of a file whose check was to be quiet


@dataclass(frozen=True)
class Options:
    """How a push goes about it."""

    concurrency: int = 8
    skip_invalid: bool = False
    failed_out: str | None = None
    max_errors: int | None = None
    resume: bool = False
    job: str | None = None


@dataclass
class Push:
    """One run of one upload."""

    call: Invocation
    upload: Upload
    check: Validator
    options: Options
    started: float = field(default_factory=time.monotonic)
    warnings: int = 0  # of the service, about single rows
    late: dict[int, str] = field(default_factory=dict)  # why records were refused, to be looked up at the end
    refused: ValidationReport = field(
        default_factory=lambda: ValidationReport(most=MOST_REASONS)
    )  # by the service

    @property
    def rows(self) -> Rows:
        """Give the rows of the file."""
        return self.check.rows

    def run(self) -> None:
        """Check, send and report; raise what the run comes to where it is not a full success."""
        path_of(self.upload.place())  # an invalid id is reported before the file is read
        check_failed_out_path(self.options.failed_out, self.rows)
        self.call.concurrency = self.options.concurrency
        client = self.call.client  # options that make none are told before anything is done
        if not self.call.dry_run:
            threading.Thread(target=client.load).start()  # while the file is checked
        findings = self._check()
        if self.call.dry_run:
            self._rehearse(findings)
            return
        if self.upload.consequence:
            rows = counted(findings.valid, self.upload.noun.removesuffix("s"))
            self.call.confirm(self.upload.consequence.format(rows=rows, target=self.upload.target))
        journal = self._open_journal(findings)
        try:
            self._send(findings, journal)
        finally:
            journal.close()

    def _check(self) -> ValidationReport:
        """Read the whole file; raise ContentError where rows are invalid, unless they are to be skipped."""
        return sound(
            self.check,
            self.call.messages,
            skip_invalid=self.options.skip_invalid,
            failed_out=self.options.failed_out,
            hint="nothing was sent; correct the file, or send the others with --skip-invalid",
        )

    def _open_journal(self, findings: ValidationReport) -> Journal:
        """Begin a job, or go on with an earlier one; say which."""
        call, upload = self.call, self.upload
        packing = f"{self.options.skip_invalid} {self.rows.read_options} {upload}{self.check.packing}"
        target = f"{call.service} {upload.target} {packing}"
        job = Job(
            job=call.client.trace.run_id,
            noun=upload.noun,
            file=self.rows.source.location.identity,
            digest=self.rows.source.digest,
            target=target,
            rows=findings.rows,
            batches=self.check.batch_count,
            started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            resume=resume_command(),
        )
        folder = call.settings.state_dir / "jobs"
        journal = Journal(folder, job, resume=self.options.resume, name=self.options.job)
        trace = call.client.trace
        trace.bind(job=journal.job.job)
        trace.log(
            "resumed" if journal.resumed else "begun", file=job.file, rows=job.rows, batches=job.batches
        )
        if journal.resumed:
            done, batches = len(journal.acked), journal.job.batches
            call.messages.say(
                f"going on with job {journal.job.job}: {done:,} of {batches:,} batches were acknowledged"
            )
        elif journal.afresh:
            call.messages.say(f"nothing to resume, starting afresh: {journal.afresh}")
        elif journal.left_behind:
            call.messages.say(f"an earlier push of this file did not end; {resume_command()} goes on with it")
        return journal

    def _send(self, findings: ValidationReport, journal: Journal) -> None:
        """Send what is not acknowledged yet; report whatever the end is."""
        stopped: AdsctlError | Interrupted | None = None
        try:
            with failed_out(self.options.failed_out, self.rows) as refuse:
                stopped = self._send_all(journal)
                self._tell_late(findings, refuse)
            if not stopped:
                self._finish(journal)  # only now: until here, the refused rows may still have to be written
        except AdsctlError as error:  # while refused rows were looked up or written, or at the end
            stopped = stopped or error
        if self.warnings > MOST_WARNINGS and not self.call.messages.is_verbose:
            more = counted(self.warnings - MOST_WARNINGS, "more warning")
            self.call.messages.warn(f"{more} of the service; --verbose tells all")
        summary = self._summary(findings, journal)
        try:
            summary.show(self.call.printer, self.rows.source.label)
        except UsageError:  # a query or a column that does not suit the summary
            if not stopped:
                raise
        self.call.client.trace.log("stopped" if stopped else "ended", summary=summary.as_dict())
        if stopped:
            stopped.hint = way_on(stopped)
        elif parts := summary.verdict:
            stopped = IncompleteError(parts, hint=correction(self.options.failed_out))
        if stopped:
            stopped.message = "\n".join([*self._reasons(findings), stopped.message])
            raise stopped

    def _finish(self, journal: Journal) -> None:
        """Note that everything was sent."""
        journal.finish()

    def _reasons(self, findings: ValidationReport) -> list[str]:
        """Tell why rows were refused, or left out where nobody was warned of it."""
        untold = problem_lines(self.rows, findings)[:IN_SHORT] if self.call.messages.quiet else []
        return [*untold, *problem_lines(self.rows, self.refused)]

    def _send_all(self, journal: Journal) -> AdsctlError | Interrupted | None:
        """Send everything; give what stopped it, since the refused rows are still to be written."""
        try:
            self.call.client.open()
            with progress(self.call.messages, f"Pushing {self.upload.noun}", self.check.due) as tick:
                refused = self._send_pending(self._pending(journal), journal, tick)
            if left := self.check.due - journal.totals.total():
                raise IncompleteError(
                    f"stopped early, {counted(left, 'row')} not sent: {counted(refused, 'row')} refused "
                    f"in this run, and --max-errors is {self.options.max_errors}"
                )
        except (AdsctlError, Interrupted) as error:
            self.call.client.rate_limiter.stop()
            journal.close()  # from here on the count stands still, and the summary tells the truth
            return error
        return None

    def _send_pending(self, pending: Batches, journal: Journal, tick: Tick) -> int:
        """Send batch after batch, until too many rows are refused; count those."""
        send, threads = partial(self._send_batch, journal), self.options.concurrency
        refused, most = 0, self.check.begun(threads)
        for batch, ack in map_ordered(send, pending, threads, most):
            if journal.behind > most:
                journal.settle()
            self._tell(batch, ack)
            tick(journal.totals.total())
            refused += len(ack.failed)
            if self.options.max_errors and refused >= self.options.max_errors:
                pending.close()  # nothing new is begun; what is under way still ends, and counts
        journal.settle()
        return refused

    def _send_batch(self, journal: Journal, batch: Batch) -> tuple[Batch, Acknowledgement]:
        """Send one batch, and have what the service says of it put on disk; runs in a thread of its own."""
        ack = self.upload.send(self.call.client, batch, again=journal.resumed)
        journal.append(ack)
        return batch, ack

    def _pending(self, journal: Journal) -> Batches:
        """Cut the file into batches, and pass over those that are acknowledged."""
        for batch in self.check.batches():
            if ack := journal.acked.get(batch.number):
                self._tell(batch, ack)
            else:
                yield batch

    def _tell(self, batch: Batch, ack: Acknowledgement) -> None:
        """Tell what the service said of single rows, where their lines are known by now."""
        if not (ack.failed or ack.warned):
            return
        self.late |= ack.failed
        lines, messages = dict(batch.places), self.call.messages
        for record, reason in ack.failed if lines else ():
            row = Row(lines[record], {}, record=record)
            self._refused(row, reason)
            messages.detail(f"{self._place(row)}: refused: {reason}")
        for record, warning in ack.warned:
            self.warnings += 1
            if self.warnings <= MOST_WARNINGS or messages.is_verbose:
                messages.warn(f"{self._place(Row(lines[record], {}, record=record))}: {warning}")

    def _place(self, row: Row) -> str:
        return f"{self.rows.source.label}:{self.rows.position(row.line, row.record)}"

    def _refused(self, row: Row, reason: str) -> None:
        self.refused.add(row, [Problem("", f"refused: {reason}")])

    def _tell_late(self, findings: ValidationReport, refuse: Refuse) -> None:
        """Look up the rows that were refused or left out, where they are wanted or were not told of."""
        told = self.refused.invalid == len(self.late)
        if told and not (self.options.failed_out and (self.late or findings.invalid)):
            return
        for checked in self.check.again():
            if checked.problems:
                refuse(checked.row, checked.reasons)
            elif reason := self.late.get(checked.row.record):
                refuse(checked.row, reason)
                if not told:
                    self._refused(checked.row, reason)

    def _rehearse(self, findings: ValidationReport) -> None:
        """Do everything but send."""
        where = ""
        for batch in self.check.rehearsal():
            prepared = self.upload.prepare(self.call.client, batch)
            where = f", {prepared.method} {prepared.url}"
        self.call.messages.say(f"nothing is sent: {counted(self.check.batch_count, 'request')}{where}")
        self._summary(findings, None).show(self.call.printer, self.rows.source.label)

    def _summary(self, findings: ValidationReport, journal: Journal | None) -> Summary:
        client = self.call.client
        totals = journal.totals if journal else {}
        acked = journal.acked.values() if journal else ()
        return Summary(
            job=journal.job.job if journal else None,
            findings=findings,
            batches=self.check.batch_count,
            counts={status: totals.get(status, 0) for status in self.upload.statuses},
            requests=client.requests,
            retries=client.retries,
            seconds=round(time.monotonic() - self.started, 3),
            extra=self.upload.extra(findings.valid),
            earlier=sum(sum(ack.counts.values()) for ack in acked),
        )
