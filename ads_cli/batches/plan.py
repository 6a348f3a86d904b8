"""The plan of a file of records: validated whole, then cut into batches."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .. import __version__
from ..api.batches import batch_request, encode_operation, operation
from ..api.endpoint import Request
from ..api.names import Names
from ..errors import ContentError, NotConfirmedError
from ..feeds.rows import Rows
from ..uploads.batch import Batch, Batches
from ..uploads.job_key import JobKey, JobOptions, Place
from ..uploads.pending import OnAcknowledged, pending_batches
from ..uploads.plan import this_second
from ..validation.report import ValidationReport
from ..validation.result import CheckedRow
from .records import RecordReader
from .upload import BatchUpload, Operations, Uncertain, how_to_decide, lines_of

if TYPE_CHECKING:
    from ..uploads.journal import Journal

ACTIONS = {"POST": "create", "PUT": "update", "DELETE": "delete"}


class BatchPlan:
    """Send the records of a file, as many in a request as the service takes."""

    depends_on_time = False
    read_in = None

    def __init__(
        self, rows: Rows, reader: RecordReader, account: str, names: Names, uncertain: Uncertain | None
    ) -> None:
        endpoint = reader.kind.endpoint
        assert endpoint.batch
        self.rows = rows
        self.reader = reader
        self.batch = endpoint.batch
        self.noun = endpoint.batch.noun
        self.started = this_second()
        self.report = ValidationReport()
        request = batch_request(reader.kind)(account_id=account)
        self.upload = BatchUpload(request, ACTIONS[endpoint.method], self.noun, uncertain)
        self._account, self._names = account, names
        self._checked: list[CheckedRow] = []

    @property
    def requests(self) -> list[Request]:
        """Return the requests of the valid records."""
        return [row.item for row in self._checked if isinstance(row.item, Request)]

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        report = self.report = ValidationReport()
        self._checked = []
        for row in self.rows:
            checked = self.reader.read(row)
            self._checked.append(checked)
            report.rows += 1
            if checked.problems:
                report.add(row, checked.problems)
            on_progress(report.rows)
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no record in it")
        report.warnings = [*self.rows.notes]
        if unsent := self.reader.unsent:
            report.warnings.append(f"not sent, since they cannot be set: {', '.join(sorted(unsent))}")
        return report

    @property
    def due(self) -> int:
        """Count the records to be sent."""
        return self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return -(-self.due // self.batch.size)

    def batches(self) -> Batches:
        """Cut the valid records into batches."""
        valid = [row for row in self._checked if isinstance(row.item, Request)]
        size = self.batch.size
        for number, begin in enumerate(range(0, len(valid), size)):
            rows = valid[begin : begin + size]
            requests = [row.item for row in rows if isinstance(row.item, Request)]
            bodies = [encode_operation(operation(request, self._names)) for request in requests]
            own_id = self.reader.kind.endpoint.id_field
            ids = [str(getattr(request, own_id)) for request in requests] if own_id else []
            places = [(row.row.record, row.row.line) for row in rows]
            yield Batch(number, Operations(bodies, ids), places)

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Return the batches that are not acknowledged, as the only phase."""
        return [pending_batches(self.batches(), self.upload, journal, on_acknowledged)]

    def sample_batches(self) -> Iterable[Batch]:
        """Return all batches."""
        return self.batches()

    def max_pending(self, threads: int) -> int:
        """Allow one batch in flight and one waiting for each thread."""
        return 2 * threads

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Yield each record with its problems."""
        return iter(self._checked)

    def place(self, service: str) -> Place:
        """Return the place that is changed: nothing else than the same file changes what is sent of it."""
        return Place(service, f"{self.noun} of {self.rows.source.digest}", self._account)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        source = self.rows.source
        options = JobOptions(
            skip_invalid=skip_invalid,
            format=source.format.name,
            encoding=source.encoding,
            mapping={},
            upload={
                "version": __version__,  # another one may cut other batches, and create records again
                **{name: str(value) for name, value in sorted(self.reader.options.items())},
            },
        )
        return JobKey(self.place(service), self.upload.action, source.digest, options)

    def begin(self, journal: "Journal") -> None:
        """Raise NotConfirmedError where records may have been created, and it is not said what to do."""
        if not self.upload.creates or self.upload.uncertain:
            return
        for batch in self.batches():
            if batch.number in journal.attempts and batch.number not in journal.acknowledged:
                count = len(batch.items)
                raise NotConfirmedError(
                    f"{self.rows.source.label}: {lines_of(batch)}: {count:,} {self.noun} may have been"
                    " created by an earlier run, whose answer was lost",
                    hint=f"look whether they exist; {how_to_decide(count)}",
                )

    def finish(self, journal: "Journal") -> str:
        """Do nothing: nothing is remembered beside the journal."""
        return ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Return no further counts."""
        return {}
