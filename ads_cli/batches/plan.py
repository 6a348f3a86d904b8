"""The plan of a file of records: validated whole, then cut into batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from msgspec.structs import replace

from .. import __version__
from ..api.endpoint import Request
from ..api.parts import batch_request
from ..api.validation import broken_rules, errors_in
from ..errors import ContentError, NotConfirmedError, StateError
from ..feeds.row import Row
from ..feeds.rows import Rows
from ..output.text import listed
from ..store.epochs import UploadTarget
from ..uploads.job import Acknowledgement, JobKey, options_of_rows
from ..uploads.plan import OnAcknowledged, Plan, this_second
from ..uploads.upload import FAILED, Batch, Batches
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from . import Uncertain
from .creation_runs import (
    LOST,
    Creation,
    CreationRun,
    SentRecord,
    content_of,
    named_file,
    read_run,
    require_no_other_run,
)
from .records import RecordReader
from .upload import (
    OPERATIONS,
    SINGLE,
    UNCERTAIN,
    BatchUpload,
    Items,
    SingleUpload,
    how_to_decide,
    ids_of,
    lines_between,
)

if TYPE_CHECKING:
    from ..uploads.journal import Journal


class Reader(Protocol):
    """Reads records, and encodes what they become."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options that decide what is sent."""

    def read(self, row: Row) -> CheckedRow:
        """Return the item of a record, and everything that is wrong with it."""

    def encode(self, item: Any) -> bytes:
        """Return an item as JSON, by the names on the wire."""

    def id_of(self, item: Any) -> str:
        """Return the id of the record that an item changes; nothing where it creates one."""


class BatchPlan(Plan):
    """Send the records of a file, `size` in a request; they are kept in memory."""

    rows: Rows
    upload: BatchUpload

    def __init__(self, rows: Rows, reader: Reader, upload: BatchUpload, size: int, target: str) -> None:
        self.rows = rows
        self.upload = upload
        self.noun = upload.noun
        self.started = this_second()
        self._report = ValidationReport()
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

    def replace_items(self, items: Iterable[Any]) -> None:
        """Send other items in place of the valid ones: None for each that is not sent at all."""
        changed = zip(self._valid, items, strict=True)
        self._valid = [replace(checked, item=item) for checked, item in changed if item is not None]

    @property
    def pending_items(self) -> list[Any]:
        """Return the items that no run has sent."""
        items = self.items
        return [items[index] for index in self._rest.pending] if self._rest else items

    @property
    def overdue(self) -> ValidationReport:
        """Report what the records that no run has sent break by now."""
        report = ValidationReport()
        items = self.items
        for index in self._rest.pending if self._rest else ():
            report.rows += 1
            if problems := errors_in(broken_rules(items[index])):
                report.add(self._valid[index].row, problems)
        return report

    @property
    def contents(self) -> list[str]:
        """Return digests by which valid records are known; none where they may be sent again."""
        if self.upload.creates and not self._contents:
            self._contents = [content_of(self._reader.encode(item)) for item in self.items]
        return self._contents

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        report = self._report = ValidationReport()
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
        report.notes, report.warnings = [*self.rows.notes], [*self.rows.warnings]
        return report

    @property
    def due(self) -> int:
        """Count the records to be sent, and those that earlier runs have sent."""
        return self._rest.due if self._rest else len(self._valid)

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
        sent = [checked.item for checked in records]
        keys = [contents[index] for index in indexes] if contents else [*map(self._reader.id_of, sent)]
        return Batch(number, Items(bodies, keys, sent), [*map(self._place_of, indexes)])

    def _place_of(self, index: int) -> tuple[int, int]:
        """Return the number and the line of a valid record."""
        row = self._valid[index].row
        return row.record, row.line

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Return the batches that are not acknowledged, as the only phase."""
        if not self._rest:
            return super().phases(journal, on_acknowledged)
        for number, indexes, ack in self._rest.acknowledged():
            on_acknowledged(self._batch(number, indexes), ack)
        return [self._cut(self._rest.pending, self._rest.next_batch)]

    def max_pending(self, threads: int) -> int:
        """Allow one batch for each thread: none follows one that has failed."""
        return threads

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Yield each record with its problems."""
        return iter(self._checked)

    def target(self, service: str) -> UploadTarget:
        """Return the place that is changed: nothing else than the same file changes what is sent of it."""
        return UploadTarget(service, f"{self.noun} of {self.rows.source.digest}", self._target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        if self.resumes:
            return self.resumes
        upload: dict[str, str | int | bool | None] = {}
        upload |= {name: str(value) for name, value in sorted(self._reader.options.items())}
        upload["version"] = __version__  # another one may cut other batches, and create records again
        options = replace(options_of_rows(self.rows, skip_invalid=skip_invalid), upload=upload)
        return JobKey(self.target(service), self.upload.action, self.rows.source.digest, options)

    def begin(self, journal: "Journal") -> None:
        """Find out what the run has created; refuse to create it again, unless it is said what to do."""
        if self.upload.creates:
            creation = self.creation(journal.job.key, journal.job.folder)
            self._rest = RestOfRun(journal, self.rows.source.label, self.upload, creation, self._place_of)
            self._rest.begin()

    def creation(self, key: JobKey, folder: str) -> Creation:
        """Return what is created once, by a command in a folder."""
        return Creation(key, named_file(self.rows.source.locations[0]), folder, self.contents)


PlaceOf = Callable[[int], tuple[int, int]]  # returns record number and line, by the index of the record


class _Match(NamedTuple):
    """A record that a run has sent, and its index in the file; None where it is no longer in it."""

    sent: SentRecord
    at: int | None

    @property
    def is_lost(self) -> bool:
        """Whether its answer was lost."""
        return self.sent.status == LOST

    @property
    def is_rejected(self) -> bool:
        """Whether the service has rejected it."""
        return self.sent.status == FAILED


class RestOfRun:
    """Compares the records of a file with those that its run has sent, each as often as it stands there.

    Every record of the file is either matched or pending: one whose match is removed is pending again.
    """

    def __init__(
        self, journal: "Journal", label: str, upload: BatchUpload, creation: Creation, place_of: PlaceOf
    ) -> None:
        self._journal, self._label, self._upload, self._place_of = journal, label, upload, place_of
        self._creation, self._contents = creation, creation.contents
        job, contents = journal.job, creation.contents
        self._run = run = read_run(journal.state_dir, job) if journal.resumed else CreationRun(job, set(), [])
        at: dict[str, list[int]] = {record.content: [] for record in run.sent}
        for index in reversed(range(len(contents))):
            if contents[index] in at:
                at[contents[index]].append(index)
        self._matches: list[_Match] = []  # in the order of their batches
        for record in run.sent:
            indexes = at[record.content]
            self._matches.append(_Match(record, indexes.pop() if indexes else None))
        self.next_batch = max((record.batch + 1 for record in run.sent), default=0)

    @property
    def pending(self) -> list[int]:
        """Return the indexes of the records to be sent."""
        matched = {match.at for match in self._matches}
        return [index for index in range(len(self._contents)) if index not in matched]

    @property
    def due(self) -> int:
        """Count what is to be sent, and what the run has sent already."""
        return len(self._matches) + len(self.pending)

    def begin(self) -> None:
        """Note what is to be sent; raise where it is not clear what the run has sent.

        Raise StateError where another run has begun with the same records: step 3 of `creation_runs`.
        """
        journal = self._journal
        self._require_unchanged()
        self._decide()
        kept = [match for match in self._matches if match.at is not None or not match.is_rejected]
        journal.uncount({FAILED: len(self._matches) - len(kept)})  # those that were corrected
        self._matches = kept
        self._upload.used_ids.add(self._run.answers)
        if news := [key for key in dict.fromkeys(self._contents) if key not in self._run.planned]:
            journal.plan(news)
        journal.flush()
        if not journal.resumed:
            require_no_other_run(journal, self._creation)

    def acknowledged(self) -> Iterator[tuple[int, list[int], Acknowledgement]]:
        """Yield each batch that was answered: its number, indexes of its records, and what became of them."""
        answered = (match for match in self._matches if match.at is not None and not match.is_lost)
        for batch, matches in groupby(answered, lambda match: match.sent.batch):
            sent_matches = [(match, match.at) for match in matches if match.at is not None]
            failed = [
                (self._place_of(at)[0], sent_match.sent.reason)
                for sent_match, at in sent_matches
                if sent_match.is_rejected
            ]
            yield batch, [at for _, at in sent_matches], Acknowledgement(batch, {}, failed)

    def _require_unchanged(self) -> None:
        """Raise StateError where a record may be one that was created, and was changed since."""
        created = [match.sent for match in self._matches if match.at is None and not match.is_rejected]
        news = [index for index in self.pending if self._contents[index] not in self._run.planned]
        if not (created and news):
            return
        noun, job = self._upload.noun, self._run.job
        ids = ids_of(record.answer for record in created)
        named = f" ({listed(ids, 5)})" if ids else ""
        raise StateError(
            f"{self._label}: {self._lines(news)}: an earlier run has sent other {noun}: {len(created):,} "
            f"that it has {self._upload.done}, or may have, are no longer in the file{named}",
            hint="put them back as they were: they are not sent again; what is new goes into another file"
            f"; resume it as it was begun: {job.resume}",
        )

    def _decide(self) -> None:
        """Skip what may have been created, or send it again, as is said; raise where it is not."""
        lost = [match for match in self._matches if match.is_lost]
        if lost and not self._upload.uncertain:
            raise self._not_decided([match.at for match in lost])
        for batch, records in groupby((match.sent for match in lost), lambda record: record.batch):
            if self._upload.uncertain == "skip":
                numbers = [0 for _ in records]
                self._journal.append(Acknowledgement(batch, {UNCERTAIN: len(numbers)}, records=numbers))
            else:
                self._journal.attempts.pop(batch, None)
                self._journal.withdraw_attempt(batch)
        if self._upload.uncertain == "resend":
            self._matches = [match for match in self._matches if not match.is_lost]

    def _not_decided(self, indexes: Sequence[int | None]) -> NotConfirmedError:
        """Return the error about records whose answers were lost, None for each that is not in the file."""
        present = [index for index in indexes if index is not None]
        where = f"{self._lines(present)}: " if present else ""
        gone = len(indexes) - len(present)
        besides = f", of which {gone:,} are no longer in the file" if gone else ""
        return NotConfirmedError(
            f"{self._label}: {where}{self._upload.counted(len(indexes))} may have been {self._upload.done} "
            f"by an earlier run, whose answer was lost{besides}",
            hint=f"look whether they exist; {how_to_decide(len(indexes))}",
        )

    def _lines(self, indexes: Sequence[int]) -> str:
        """Name the lines of records, in their order, those of neighbours together."""
        runs: list[list[int]] = []
        for index in sorted(indexes):
            if runs and index == runs[-1][-1] + 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        return listed([lines_between(self._place_of(run[0]), self._place_of(run[-1])) for run in runs], 5)


def record_plan(
    rows: Rows, reader: RecordReader, uncertain: Uncertain | None, complete: Callable[[Request], Request]
) -> BatchPlan:
    """Plan to send the records of a file to an account or a catalog.

    `complete` is for those that are sent one by one.
    """
    endpoint, many = reader.kind.endpoint, batch_request(reader.kind)
    place = {name: reader.options[name] for name in many.endpoint.path_fields}
    request = many(**place)
    if endpoint.batch:
        upload = BatchUpload(request, endpoint.action, endpoint.noun, OPERATIONS, uncertain)
        return BatchPlan(rows, reader, upload, endpoint.batch.size, *place.values())
    single = SingleUpload(request, endpoint.action, endpoint.noun, SINGLE, uncertain, complete=complete)
    return BatchPlan(rows, reader, single, 1, *place.values())
