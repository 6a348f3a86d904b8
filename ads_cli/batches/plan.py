"""The plan of a file of records: validated whole, then cut into batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import __version__
from ..errors import ContentError
from ..feeds.rows import Row, Rows
from ..uploads.batch import Batch, Batches
from ..uploads.job_key import JobKey, JobOptions, Place
from ..uploads.pending import OnAcknowledged, pending_batches
from ..uploads.plan import this_second
from ..validation.report import ValidationReport
from ..validation.result import CheckedRow
from .once import Once, named_file, require_alone
from .resumed import RestOfRun, rest_of
from .runs import content_of
from .upload import BatchUpload, Items

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
        self._valid: list[CheckedRow] = []
        self._contents: list[str] = []
        self.resumes: JobKey | None = None  # the key of an unfinished run, maybe of the file as it was before
        self._rest: RestOfRun | None = None  # of such a run

    @property
    def items(self) -> list[Any]:
        """Return the items of the valid records."""
        return [checked.item for checked in self._valid]

    @property
    def contents(self) -> list[str]:
        """Return digests by which valid records are known; none where they may be sent again."""
        if self.upload.creates and not self._contents:
            self._contents = [content_of(self._reader.encode(item)) for item in self.items]
        return self._contents

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        report = self.report = ValidationReport()
        self._checked, self._contents = [], []
        for row in self.rows:
            checked = self._reader.read(row)
            self._checked.append(checked)
            report.rows += 1
            if checked.problems:
                report.add(row, checked.problems)
            on_progress(report.rows)
        self._valid = [checked for checked in self._checked if checked.item is not None]
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no record in it")
        report.notes, report.warnings = [*self.rows.notes, *self._reader.notes], [*self.rows.warnings]
        return report

    @property
    def due(self) -> int:
        """Count the records to be sent, and those that earlier runs have sent."""
        return self._rest.due if self._rest else self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return -(-self.due // self._size)

    def batches(self) -> Batches:
        """Cut the valid records into batches."""
        return self._cut(range(len(self._valid)))

    def _cut(self, indexes: Sequence[int], first: int = 0) -> Batches:
        """Cut valid records into batches, which are numbered from the first on."""
        for number, begin in enumerate(range(0, len(indexes), self._size), first):
            yield self._batch(number, indexes[begin : begin + self._size])

    def _batch(self, number: int, indexes: Sequence[int]) -> Batch:
        records, contents = [self._valid[index] for index in indexes], self.contents
        bodies = [self._reader.encode(checked.item) for checked in records]
        if contents:
            ids = [contents[index] for index in indexes]
        else:
            ids = [id for checked in records if (id := self._reader.id_of(checked.item))]
        return Batch(number, Items(bodies, ids), [*map(self._place_of, indexes)])

    def _place_of(self, index: int) -> tuple[int, int]:
        """Return the number and the line of a valid record."""
        row = self._valid[index].row
        return row.record, row.line

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Return the batches that are not acknowledged, as the only phase."""
        if not self._rest:
            return [pending_batches(self.batches(), self.upload, journal, on_acknowledged)]
        for number, indexes, ack in self._rest.acknowledged():
            on_acknowledged(self._batch(number, indexes), ack)
        return [self._cut(self._rest.pending, self._rest.next_batch)]

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
        if self.resumes:
            return self.resumes
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
        """Find out what the run has created; refuse to create it again, unless it is said what to do."""
        if self.upload.creates:
            label = self.rows.source.label
            self._rest = rest_of(journal, label, self.upload, self.contents, self._place_of)
            if not journal.resumed:
                require_alone(journal, self.once(journal.job.key, journal.job.folder))

    def once(self, key: JobKey, folder: str) -> Once:
        """Return what is created once, by a command in a folder."""
        return Once(key, named_file(self.rows.source.location), folder, self.contents)

    def finish(self, journal: "Journal") -> str:
        """Do nothing: nothing is remembered beside the journal."""
        return ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Return no further counts."""
        return {}
