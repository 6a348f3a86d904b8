"""The plan of a file of records: validated whole, then cut into batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .. import __version__
from ..errors import ContentError, NotConfirmedError, StateError
from ..feeds.rows import Row, Rows
from ..uploads.batch import Batch, Batches
from ..uploads.job_key import JobKey, JobOptions, Place
from ..uploads.pending import OnAcknowledged, pending_batches
from ..uploads.plan import this_second
from ..validation.report import ValidationReport
from ..validation.result import CheckedRow
from .upload import BatchUpload, Items, how_to_decide, lines_of

if TYPE_CHECKING:
    from ..uploads.journal import Journal


class Reader(Protocol):
    """Reads records, and encodes what they become."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options that decide what is sent."""

    @property
    def notes(self) -> list[str]:
        """Return remarks about the records that were read."""

    def read(self, row: Row) -> CheckedRow:
        """Return the item of a record, and everything that is wrong with it."""

    def encode(self, item: Any) -> bytes:
        """Return an item as JSON, by the names on the wire."""

    def id_of(self, item: Any) -> str:
        """Return the id of the record that an item changes; nothing where it creates one."""


class BatchPlan:
    """Send the records of a file, `size` in a request; they are kept in memory."""

    depends_on_time = False
    parts = 0

    def __init__(self, rows: Rows, reader: Reader, upload: BatchUpload, size: int, target: str) -> None:
        self.rows = rows
        self.upload = upload
        self.noun = upload.noun
        self.started = this_second()
        self.read_in: str | None = None  # the generation of the place in which nothing was unfinished
        self.report = ValidationReport()
        self._reader, self._size = reader, size
        self._target = target  # id of what the records are in
        self._checked: list[CheckedRow] = []

    @property
    def items(self) -> list[Any]:
        """Return the items of the valid records."""
        return [checked.item for checked in self._checked if checked.item is not None]

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        report = self.report = ValidationReport()
        self._checked = []
        for row in self.rows:
            checked = self._reader.read(row)
            self._checked.append(checked)
            report.rows += 1
            if checked.problems:
                report.add(row, checked.problems)
            on_progress(report.rows)
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no record in it")
        report.notes, report.warnings = [*self.rows.notes, *self._reader.notes], [*self.rows.warnings]
        return report

    @property
    def due(self) -> int:
        """Count the records to be sent."""
        return self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return -(-self.due // self._size)

    def batches(self) -> Batches:
        """Cut the valid records into batches."""
        valid = [checked for checked in self._checked if checked.item is not None]
        for number, begin in enumerate(range(0, len(valid), self._size)):
            part = valid[begin : begin + self._size]
            bodies = [self._reader.encode(checked.item) for checked in part]
            ids = [self._reader.id_of(checked.item) for checked in part]
            places = [(checked.row.record, checked.row.line) for checked in part]
            yield Batch(number, Items(bodies, [id for id in ids if id]), places)

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Return the batches that are not acknowledged, as the only phase."""
        return [pending_batches(self.batches(), self.upload, journal, on_acknowledged)]

    def sample_batches(self) -> Iterable[Batch]:
        """Return all batches."""
        return self.batches()

    def max_pending(self, threads: int) -> int:
        """Allow one batch for each thread: none follows one that has failed."""
        return threads

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Yield each record with its problems."""
        return iter(self._checked)

    def place(self, service: str) -> Place:
        """Return the place that is changed: nothing else than the same file changes what is sent of it."""
        return Place(service, f"{self.noun} of {self.rows.source.digest}", self._target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        source, conversion = self.rows.source, self.rows.conversion
        upload: dict[str, str | int | bool | None] = {}
        upload |= {name: str(value) for name, value in sorted(self._reader.options.items())}
        upload["version"] = __version__  # another one may cut other batches, and create records again
        options = JobOptions(
            skip_invalid=skip_invalid,
            format=source.format.name,
            encoding=source.encoding,
            mapping=dict(self.rows.rename),
            conversion=conversion.digest if conversion else "",
            reading=source.options.of_content,
            upload=upload,
        )
        return JobKey(self.place(service), self.upload.action, source.digest, options)

    def begin(self, journal: "Journal") -> None:
        """Refuse to create again what an earlier run created, or may have, unless it is said what to do."""
        if not self.upload.creates:
            return
        lost = []
        for batch in self.batches():
            ack = journal.acknowledged.get(batch.number)
            if ack and ack.digest != self.upload.digest(batch):
                raise StateError(
                    f"{self.rows.source.label}: {lines_of(batch)}: an earlier run has sent other {self.noun}",
                    hint=f"resume it as it was begun: {journal.job.resume}",
                )
            if batch.number in journal.attempts and not ack:
                lost.append(batch)
        if lost and not self.upload.uncertain:
            count = sum(len(batch.items) for batch in lost)
            raise NotConfirmedError(
                f"{self.rows.source.label}: {', '.join(map(lines_of, lost))}: {count:,} {self.noun} may have "
                f"been {self.upload.done} by an earlier run, whose answer was lost",
                hint=f"look whether they exist; {how_to_decide(count)}",
            )

    def finish(self, journal: "Journal") -> str:
        """Do nothing: nothing is remembered beside the journal."""
        return ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Return no further counts."""
        return {}
