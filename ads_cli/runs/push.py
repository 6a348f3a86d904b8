"""The push: every batch is sent, acknowledged, and on disk before it is counted."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol, Required, TypedDict

from ..api.problems import Problem
from ..client.client import Client
from ..errors import AdsctlError, Interrupted
from ..feeds.row import Row
from ..output.text import counted
from ..parallel.ordered_map import WorkerThreads
from ..validation.report import ValidationReport
from .job import FAILED, Acknowledgement
from .journal import Journal
from .plan import Plan
from .rejected_rows import FailedOut, RejectRow, write_rejected_rows
from .upload import Batch, Batches

MAX_REASONS = 10  # different reasons of the service that are kept
MAX_REJECTED_ROWS = 1000  # that are kept with their values


class PushObserver(Protocol):
    """Receives what happens while a push runs."""

    def on_progress(self, rows: int) -> None:
        """Receive the number of rows acknowledged so far."""

    def on_rejection(self, place: str, reason: str) -> None:
        """Receive the place (file and line) of a row that the service rejected."""

    def on_warning(self, place: str, warning: str) -> None:
        """Receive a warning of the service about a row."""


class SummaryRecord(TypedDict, total=False):
    """What became of a run, as programs read it; each kind of upload has counts of its own."""

    job: Required[str | None]
    rows: Required[int]
    left_out: int
    valid: Required[int]
    invalid: Required[int]
    warned: int
    partial: int
    fixed: dict[str, int]  # rows by fix
    batches: Required[int]
    users: int
    skipped: int
    same: int
    differing: int
    missing: int
    only_in_catalog: int
    hidden: int
    unseen: int
    not_kept: int
    created: int
    updated: int
    unchanged: int
    deleted: int
    accepted: int
    sent: int
    uncertain: int
    failed: Required[int]
    requests: int
    retries: int
    seconds: float


@dataclass
class PushResult:
    """The result of a run."""

    error: AdsctlError | Interrupted | None = None  # stopped the run early
    rejected: int = 0  # rows that the service rejected in this run
    unsent: int = 0  # rows that are due and not acknowledged
    is_complete: bool = False  # nothing is left to do: the journal is finished once the result is shown
    warning: str = ""
    not_deleted: dict[str, list[str]] = field(default_factory=dict)  # names of what was kept, by reason
    # Rows that the service rejected, earlier runs of the job included, by reason.
    rejections: ValidationReport = field(default_factory=lambda: ValidationReport(max_findings=MAX_REASONS))
    rejected_rows: list[tuple[Row, str]] = field(default_factory=list)  # the first of them, with the reasons
    summary: "Summary" = field(init=False)  # once it is known


@dataclass
class Push:
    """One run of one job; `run` may be called once."""

    client: Client
    plan: Plan
    journal: Journal
    observer: PushObserver
    concurrency: int = 8
    max_errors: int | None = None  # rejected rows after which no further batch is sent
    failed_out: FailedOut | None = None  # file of the rejected rows
    result: PushResult = field(default_factory=PushResult)
    _rejections: dict[int, str] = field(default_factory=dict)  # reason by record number
    _without_line: set[int] = field(default_factory=set)  # those of them whose lines are not known

    def run(self) -> PushResult:
        """Send every due batch that is not acknowledged; return what stopped it instead of raising."""
        result = self.result
        try:
            with write_rejected_rows(self.failed_out, self.plan.file.rows) as reject:
                result.error = self._send_all()
                self._look_up_rejected_rows(reject)
            if not (result.error or result.unsent):
                # Only now: until here, rejected rows may still have to be written by a resumed run.
                memory = self.plan.memory
                result.warning = memory.finish(self.journal) if memory else ""
                result.is_complete = True
        except AdsctlError as error:  # of the file of rejected rows, or at the end
            result.error = result.error or error
        return result

    def _send_all(self) -> AdsctlError | Interrupted | None:
        try:
            self.client.open()
            with closing(WorkerThreads(self.concurrency)) as threads:
                for batches in self.plan.phases(self.journal, self._report):
                    self._send_batches(batches, threads)
                    if self._has_too_many_errors:
                        break
            self.result.unsent = self.plan.due - self.journal.totals.total()
        except (AdsctlError, Interrupted) as error:
            self.client.rate_limiter.stop()
            self.journal.close()  # no row is counted from here on, so that the summary is true
            return error
        return None

    def _send_batches(self, pending: Batches, threads: WorkerThreads) -> None:
        """Send batches until too many rows are rejected."""
        waiting = self.plan.max_waiting
        max_pending = self.concurrency + (self.concurrency if waiting is None else waiting)
        for batch, ack in threads.map_ordered(self._send_batch, pending, max_pending):
            self.journal.keep_up()
            self._report(batch, ack)
            self.observer.on_progress(self.journal.totals.total())
            self.result.rejected += len(ack.failed) + len(ack.not_deleted)
            if self._has_too_many_errors:
                pending.close()  # no further batch is started; those in flight end and count
        self.journal.flush()
        self.observer.on_progress(self.journal.totals.total())

    def _send_batch(self, batch: Batch) -> tuple[Batch, Acknowledgement]:
        """Send a batch and journal its acknowledgement; runs in several threads."""
        upload = batch.upload or self.plan.upload
        ack = upload.send(self.client, batch, self.journal)
        ack.digest = upload.digest(batch)
        self.journal.append(ack)
        return batch, ack

    @property
    def _has_too_many_errors(self) -> bool:
        return self.max_errors is not None and self.result.rejected >= self.max_errors

    def _report(self, batch: Batch, ack: Acknowledgement) -> None:
        """Tell the observer about single rows, where their lines are known already."""
        for name, reason in ack.not_deleted:
            self.result.not_deleted.setdefault(reason, []).append(name)
            self.observer.on_rejection(name, reason)
        if not (ack.failed or ack.warned):
            return
        self._rejections |= ack.failed
        lines = dict(batch.places)
        for record, reason in ack.failed:
            if record not in lines:
                self._without_line.add(record)
                continue
            values = batch.values(record) if self._keeps_rejected_rows else {}
            row = Row(lines[record], values, record=record)
            self._add_rejection(row, reason)
            self.observer.on_rejection(self._place(row), reason)
        for record, warning in ack.warned if lines else ():
            self.observer.on_warning(self._place(Row(lines[record], {}, record=record)), warning)

    def _place(self, row: Row) -> str:
        return self.plan.file.rows.place(row.line, row.record)

    @property
    def _keeps_rejected_rows(self) -> bool:
        return len(self.result.rejected_rows) < MAX_REJECTED_ROWS

    def _add_rejection(self, row: Row, reason: str) -> None:
        if self._keeps_rejected_rows:
            self.result.rejected_rows.append((row, reason))
        self.result.rejections.add(row, [Problem("", f"rejected: {reason}")])

    def _look_up_rejected_rows(self, reject: RejectRow) -> None:
        """Read the file again, to write rejected rows, or to find the lines of their reasons."""
        file = self.plan.file
        if not (self._without_line or (self.failed_out and (self._rejections or file.report.invalid))):
            return
        for checked in file.checked_rows():
            if errors := checked.errors:
                reject(checked.row, errors)
            elif reason := self._rejections.get(checked.row.record):
                reject(checked.row, reason)
                if checked.row.record in self._without_line:
                    self._add_rejection(checked.row, reason)


@dataclass(frozen=True)
class Summary:
    """What became of the rows of one job, in this run and earlier ones."""

    job: str | None
    report: ValidationReport
    batches: int
    due: int  # rows to be sent
    counts: Mapping[str, int]  # acknowledged rows by status, FAILED among them
    requests: int
    retries: int
    seconds: float
    extra: Mapping[str, int]  # counts of this kind of upload, such as `skipped` or `users`
    earlier: int  # rows that earlier runs of the job acknowledged

    def as_dict(self) -> dict[str, Any]:  # a SummaryRecord
        """Return what programs read."""
        return {
            "job": self.job,
            **self.report.counts,
            "batches": self.batches,
            **self.extra,
            **self.counts,
            "requests": self.requests,
            "retries": self.retries,
            "seconds": self.seconds,
        }

    @property
    def acknowledged(self) -> int:
        """Count the rows that the service answered."""
        return sum(self.counts.values())

    @property
    def rejections(self) -> str:
        """Say how many rows were rejected or left out; empty where none was."""
        failed, invalid = self.counts[FAILED], self.report.invalid
        parts = [f"{counted(failed, 'row')} rejected by the service"] if failed else []
        parts += [f"{counted(invalid, 'invalid row')} not sent"] if invalid else []
        return " and ".join(parts)
