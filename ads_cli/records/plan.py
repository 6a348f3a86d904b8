"""The plan of a file of records: validated whole, then cut into batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from .. import __version__
from ..api.endpoint import Request
from ..api.parts import batch_request
from ..api.validation import broken_rules, errors_in
from ..feeds.rows import Rows
from ..feeds.source import Feed
from ..runs import Uncertain
from ..runs.batch_upload import OPERATIONS, BatchUpload, Items, SingleCodec
from ..runs.creations import Creation, RestOfRun, named_file
from ..runs.job import Job, JobKey, UploadOptions, options_of_rows
from ..runs.look_up import Look, LookUp, LostRequest, values_of
from ..runs.plan import OnAcknowledged, Plan, this_second
from ..runs.upload import Batch, Batches
from ..store.epochs import UploadTarget
from ..validation.report import ValidationReport
from .file import RecordFile
from .reader import RecordReader

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..runs.journal import Journal


class BatchPlan(Plan):
    """Send the records of a file, `size` in a request."""

    file: RecordFile
    upload: BatchUpload
    max_waiting = 0  # no batch follows one that has failed

    def __init__(self, file: RecordFile, upload: BatchUpload, size: int, target: str) -> None:
        self.file, self.upload, self.noun = file, upload, upload.noun
        self.started = this_second()
        self._size = size
        self._target = target  # id of what the records are in
        self.resumes: JobKey | None = None  # the key of an unfinished run, maybe of the file as it was before
        self._rest: RestOfRun | None = None  # of such a run
        self.ended: Job | None = None  # that has sent everything, and is only shown
        self.look_up: LookUp | None = None  # finds what a lost answer has created, where a list tells

    @property
    def pending_items(self) -> list[Any]:
        """Return the items that no run has sent."""
        items = self.file.items
        return [items[index] for index in self._rest.pending] if self._rest else items

    @property
    def overdue(self) -> ValidationReport:
        """Report what the records that no run has sent break by now."""
        report = ValidationReport()
        items = self.file.items
        for index in self._rest.pending if self._rest else ():
            report.rows += 1
            if problems := errors_in(broken_rules(items[index])):
                report.add(self.file.valid[index].row, problems)
        return report

    @property
    def contents(self) -> list[str]:
        """Return digests by which valid records are known; none where they may be sent again."""
        return self.file.contents if self.upload.creates else []

    @property
    def due(self) -> int:
        """Count the records to be sent, and those that earlier runs have sent."""
        return self._rest.due if self._rest else len(self.file.valid)

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return -(-self.due // self._size)

    def batches(self) -> Batches:
        """Cut the valid records into batches."""
        return self._cut(range(len(self.file.valid)))

    def requests(self, client: "Client") -> "Iterator[PreparedRequest]":
        """Build the requests of the valid records."""
        return (self.upload.prepare(client, batch) for batch in self.batches())

    def _cut(self, indexes: Sequence[int], first: int = 0) -> Batches:
        """Cut valid records into batches, which are numbered from the first on."""
        for number, begin in enumerate(range(0, len(indexes), self._size), first):
            yield self._batch(number, indexes[begin : begin + self._size])

    def _batch(self, number: int, indexes: Sequence[int]) -> Batch:
        records, contents = [self.file.valid[index] for index in indexes], self.contents
        bodies = [self.file.reader.encode(checked.item) for checked in records]
        sent = [checked.item for checked in records]
        keys = [contents[index] for index in indexes] if contents else [*map(self.file.reader.id_of, sent)]
        return Batch(number, Items(bodies, keys, sent), [*map(self.file.place_of, indexes)])

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Return the batches that are not acknowledged, as the only phase."""
        if not self._rest:
            return super().phases(journal, on_acknowledged)
        for number, indexes, ack in self._rest.acknowledged():
            on_acknowledged(self._batch(number, indexes), ack)
        return [self._cut(self._rest.pending, self._rest.next_batch)]

    def target(self, service: str) -> UploadTarget:
        """Return the place that is changed: nothing else than the same file changes what is sent of it."""
        return place_of_records(service, self.noun, self.file.rows.source, self._target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        if self.resumes:
            return self.resumes
        upload: UploadOptions = {}
        upload |= {name: str(value) for name, value in sorted(self.file.reader.options.items())}
        upload["version"] = __version__  # another one may cut other batches, and create records again
        options = replace(options_of_rows(self.file.rows, skip_invalid=skip_invalid), upload=upload)
        return JobKey(self.target(service), self.upload.action, self.file.rows.source.digest, options)

    def settle(self, journal: "Journal") -> None:
        """Find out what the run has created; refuse to create it again, unless it is said what to do."""
        if self.upload.creates:
            creation = self.creation(journal.job.key, journal.job.folder)
            look_up = self._look_up_indexes if self.look_up else None
            label = self.file.rows.source.label
            self._rest = RestOfRun(journal, label, self.upload, creation, self.file.place_of, look_up)
            self._rest.begin()

    def _look_up_indexes(self, requests: Sequence[tuple[float, list[int]]]) -> Sequence[Look]:
        """Look for what requests have created: when each was sent, and the indexes of its records."""
        assert self.look_up
        items = self.file.items
        return self.look_up(
            [
                LostRequest(
                    sent_at,
                    [values_of(items[index]) for index in indexes],
                    [f"line {self.file.place_of(index)[1]}" for index in indexes],
                )
                for sent_at, indexes in requests
            ]
        )

    def creation(self, key: JobKey, folder: str) -> Creation:
        """Return what is created once, by a command in a folder."""
        file, is_listed = named_file(self.file.rows.source.locations[0]), self.upload.is_listed
        return Creation(key, file, folder, self.contents, is_listed)


def place_of_records(service: str, noun: str, source: Feed, place: str) -> UploadTarget:
    """Return the upload target of records of a file that lie in an account, a catalog or a pixel."""
    return UploadTarget(service, f"{noun} of {source.digest}", place)


def record_plan(
    rows: Rows,
    reader: RecordReader,
    uncertain: Uncertain | None,
    complete: Callable[[Request], Request],
    *,
    look_up: LookUp | None = None,
    is_only: bool = False,
) -> BatchPlan:
    """Plan to send the records of a file to an account or a catalog.

    `complete` is for those that are sent one by one. The only record of a file is a plain request, where
    the service has one.
    """
    endpoint, many = reader.kind.endpoint, batch_request(reader.kind)
    place = {name: reader.options[name] for name in many.endpoint.path_fields}
    batch = None if endpoint.batch and is_only and endpoint.batch.path != endpoint.path else endpoint.batch
    upload = BatchUpload(
        many(**place),
        endpoint.action,
        endpoint.noun,
        OPERATIONS if batch else SingleCodec(complete),
        uncertain,
        is_only=is_only,
        is_listed=look_up is not None,
    )
    plan = BatchPlan(RecordFile(rows, reader), upload, batch.size if batch else 1, *place.values())
    plan.look_up = look_up
    return plan
