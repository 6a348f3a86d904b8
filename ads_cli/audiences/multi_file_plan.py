"""The plan of several lists: each is read, validated and sent as a whole before the next is opened."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from ..feeds.locations import FileLocation, Location
from ..feeds.reader import Peeked
from ..feeds.several import SeveralNames
from ..feeds.source import BLOCK_BYTES, Feed, ReadOptions
from ..output.records import csv_rows
from ..uploads.job_file import Acknowledgement, SentPart
from ..uploads.journal import Journal
from ..uploads.plan import OnAcknowledged, pending_batches
from ..uploads.upload import FAILED, Batch, Batches
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from .consent import CellAnswers
from .operations import PARAMS_FIELDS, body_pieces
from .plan import AudiencePlan, ListPlan, ListSettings

if TYPE_CHECKING:
    from .comparison import ListComparison


class ListFile(Location):
    """One of several lists: where it is, and what is known of it before it is read."""

    def __init__(self, file: str, location: Location, peeked: Peeked) -> None:
        super().__init__(location.label, file_name=location.file_name, identity=location.identity)
        self.file = file  # as an argument names it
        self.peeked = peeked
        self._location = location

    def open(self) -> BinaryIO:
        """Open it again."""
        return self._location.open()

    @property
    def is_local(self) -> bool:
        """Tell whether it is on this machine, where reading it once more costs little."""
        return isinstance(self._location, FileLocation)

    @property
    def origin(self) -> str:
        """Identify it from run to run."""
        return self._location.origin

    def is_same_file(self, path: str) -> bool:
        """Tell whether `path` is this file."""
        return self._location.is_same_file(path)

    def is_unchanged(self, version: str, digest: str, sealed: Callable[[str], str]) -> bool:
        """Tell whether it had this version, or has this digest, plain or sealed, for which it is read."""
        if version and self.peeked.version == version:
            return True
        own = self._digest()
        return digest in (own, sealed(own))

    def _digest(self) -> str:
        found = sha256()
        with self.open() as stream:
            while block := stream.read(BLOCK_BYTES):
                found.update(block)
        return found.hexdigest()


class NumberedList(NamedTuple):
    """A list whose rows and batches have their numbers among those of all lists."""

    file: ListFile | None  # None: it does not exist any more, or has other content
    rows_before: int
    may_have_rejections: bool


class ListsFeed(Feed):
    """Several lists, named as they were by files and patterns, and identified by these; none is open."""

    def __init__(
        self, named: Sequence[Location], lists: Sequence[ListFile], encoding: str, options: ReadOptions
    ) -> None:
        formats = dict.fromkeys(each.peeked.format for each in lists)
        super().__init__(named, ",".join(formats), encoding, options, size=0)
        self.digest = sha256(self.origin.encode(errors="surrogateescape")).hexdigest()
        self._lists = lists

    def is_same_file(self, path: str) -> bool:
        """Tell whether `path` is one of the files that are read."""
        return any(each.is_same_file(path) for each in self._lists)


class ListNames(SeveralNames):
    """Names the rows of several lists, which are numbered as if they were one."""

    def __init__(self, feed: Feed, lists: Sequence[ListFile]) -> None:
        super().__init__(feed)
        self.columns = tuple(dict.fromkeys(name for each in lists for name in each.peeked.columns))
        self._names: list[tuple[str, bool]] = []  # the label of each list, and whether rows share a line
        self.forget()

    def forget(self) -> None:
        """Number the rows from the first list again."""
        self.total = 0
        self._ends.clear()
        self._names.clear()

    def add(self, label: str, rows: int, *, several_per_line: bool = False) -> None:
        """Number the rows of the next list."""
        self.total += rows
        self._ends.append(self.total)
        self._names.append((label, several_per_line))

    def _place_in(self, file: int, line: int, record: int) -> str:
        label, several_per_line = self._names[min(file, len(self._names) - 1)]
        return f"{label}:{line}" + (f", record {record}" if several_per_line else "")


class MultiFileAudiencePlan(ListPlan):
    """Send the people of several lists as one job.

    `open_list` opens one of them. A push reads a list when its turn comes; where `reads_all`, validating
    reads every list, as a check and a dry run do. `on_validated` is called with each list before it is
    sent, and may raise; where it `refuses_invalid` rows, those on this machine are checked before the
    first request.
    """

    rows: ListNames

    def __init__(
        self,
        lists: Sequence[ListFile],
        rows: ListNames,
        settings: ListSettings,
        open_list: Callable[[ListFile], AudiencePlan],
        *,
        reads_all: bool,
        refuses_invalid: bool = False,
        on_validated: Callable[[AudiencePlan], None] = lambda plan: None,
        on_changed: Callable[[list[str]], None] = lambda names: None,
    ) -> None:
        super().__init__(rows, settings)
        self.parts = len(lists)
        self._lists, self._open_list = lists, open_list
        self._refuses_invalid = refuses_invalid
        self._reads_all, self._on_validated, self._on_changed = reads_all, on_validated, on_changed
        self._numbered: list[NumberedList] = []
        self._unread = len(lists)
        self._notes: dict[str, None] = {}

    def validate(
        self,
        on_progress: Callable[[int], None] = lambda rows: None,
        comparison: "ListComparison | None" = None,
    ) -> ValidationReport:
        """Validate every list, and add their rows to a comparison; or say how their columns are read."""
        self._decide_conditions()
        self._report, self._batch_count, self._unread = self._settings.new_report(), 0, len(self._lists)
        self._numbered.clear()
        self.rows.forget()
        for file in self._lists if self._reads_all else ():
            self._validate_next(file, on_progress, comparison).close()
        self._settings.describe(self.report, self.rows.columns, [*self._notes])
        return self.report

    def add_answers(self, found: dict[str, CellAnswers]) -> None:
        """Read what the columns of every list say that conditions ask for yes or no."""
        for each in self._lists:
            plan = self._open(each)
            try:
                plan.add_answers(found)
            finally:
                plan.close()

    def _validate_next(
        self,
        file: ListFile,
        on_progress: Callable[[int], None] = lambda rows: None,
        comparison: "ListComparison | None" = None,
    ) -> AudiencePlan:
        """Open and validate a list; number its rows and batches after those of the lists before."""
        plan = self._open(file)
        before = self.report.rows
        try:
            plan.validate(lambda rows: on_progress(before + rows), comparison, records_before=before)
        except BaseException:
            plan.close()
            raise
        self.rows.add(file.label, plan.report.rows, several_per_line=plan.rows.several_per_line)
        self.report.merge_list(plan.report, before)
        self._notes |= dict.fromkeys(f"{file.label}: {note}" for note in plan.rows.notes)
        self._numbered.append(NumberedList(file, before, may_have_rejections=True))
        self._unread -= 1
        self._batch_count += plan.batch_count
        return plan

    def _open(self, file: ListFile) -> AudiencePlan:
        plan = self._open_list(file)
        plan.started = self.started
        return plan

    @property
    def position(self) -> str:
        """Say which list is sent."""
        return f", file {self.parts - self._unread:,} of {self.parts:,}"

    @property
    def due(self) -> int:
        """Count the people of the lists that were read, and one for each list that was not."""
        return self.report.valid + (0 if self._reads_all else self._unread)

    def phases(self, journal: Journal, on_acknowledged: OnAcknowledged) -> Iterator[Batches]:
        """Yield the requests of one list after the other, but for lists that are acknowledged as a whole."""
        self._count_sent(journal, on_acknowledged)
        sent = {each.part for each in journal.sent_parts}
        due = [file for file in self._lists if file.origin not in sent]
        for file in due if self._refuses_invalid else ():
            if file.is_local:
                self._check(file)
        for file in due:
            first, before = self.batch_count, self.report.rows
            plan = self._validate_next(file)
            try:
                self._on_validated(plan)
                batches = _numbered_after(plan.batches(), first, before)
                numbers = range(first, self.batch_count)
                yield pending_batches(batches, self.upload, journal, on_acknowledged, numbers)
                self._note_sent(journal, file, plan)
            finally:
                plan.close()
        journal.discard(self._of_later_batches(journal))

    def _of_later_batches(self, journal: Journal) -> list[Acknowledgement]:
        """Return what earlier runs have acknowledged of batches after those of this list."""
        return [ack for number, ack in journal.acknowledged.items() if number >= self.batch_count]

    def _check(self, file: ListFile) -> None:
        """Validate a list that is sent later; raise what `on_validated` raises where rows are invalid."""
        plan = self._open(file)
        try:
            plan.validate()
        finally:
            plan.close()
        if plan.report.invalid:
            plan = self._validate_next(file)  # so that its rows are named, and written to --failed-out
            try:
                self._on_validated(plan)
            finally:
                plan.close()

    def _count_sent(self, journal: Journal, on_acknowledged: OnAcknowledged) -> None:
        """Count the lists that earlier runs have sent, and tell which of them have changed since."""
        by_origin = {file.origin: file for file in self._lists}
        changed: list[str] = []
        for sent in journal.sent_parts:
            file = by_origin.get(sent.part)
            is_same = file is not None and file.is_unchanged(sent.version, sent.digest, self._settings.sealed)
            if file and not is_same:
                changed.append(file.label)
            has_rejections = bool(sent.invalid or sent.failed)
            self._numbered.append(NumberedList(file if is_same else None, self.report.rows, has_rejections))
            for number in range(self.batch_count, self.batch_count + sent.batches if sent.failed else 0):
                if number in journal.acknowledged:
                    on_acknowledged(Batch(number, []), journal.acknowledged[number])
            self._add_counts(sent, file.label if file else sent.part)
            self._unread -= file is not None
        if changed:
            self._on_changed(changed)

    def _add_counts(self, sent: SentPart, label: str) -> None:
        """Number the rows and batches of a list that an earlier run has sent."""
        self.rows.add(label, sent.rows)
        self.report.rows += sent.rows
        self.report.left_out += sent.left_out
        self.report.invalid += sent.invalid
        self._batch_count += sent.batches

    def _note_sent(self, journal: Journal, file: ListFile, plan: AudiencePlan) -> None:
        """Note, on disk before this returns, that every batch of a list is acknowledged."""
        before = sum(sent.failed for sent in journal.sent_parts)
        later = sum(ack.counts.get(FAILED, 0) for ack in self._of_later_batches(journal))
        failed = journal.totals[FAILED] - before - later
        report = plan.report
        sent = SentPart(
            part=file.origin,
            version=file.peeked.version,
            digest=self._settings.sealed(plan.rows.source.digest),
            first_batch=self.batch_count - plan.batch_count,
            rows_before=self.report.rows - report.rows,
            rows=report.rows,
            left_out=report.left_out,
            invalid=report.invalid,
            batches=plan.batch_count,
            failed=failed,
        )
        journal.append(sent)
        journal.flush()
        journal.sent_parts.append(sent)
        may_have_rejections = bool(failed or report.invalid)
        self._numbered[-1] = self._numbered[-1]._replace(may_have_rejections=may_have_rejections)

    def batches(self) -> Batches:
        """Read every list that was validated again and pack its valid rows into requests."""
        number = 0
        for numbered in self._numbered:
            assert numbered.file
            plan = self._open(numbered.file)
            try:
                for batch in _numbered_after(plan.batches(), number, numbered.rows_before):
                    yield batch
                    number = batch.number + 1
            finally:
                plan.close()

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the lists again that may have rejected rows, and yield each row with its problems."""
        for numbered in self._numbered:
            if numbered.file is None or not numbered.may_have_rejections:
                continue
            plan = self._open(numbered.file)
            try:
                for checked in plan.checked_rows():
                    checked.row.record += numbered.rows_before
                    yield checked
            finally:
                plan.close()

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the lists and the users to be sent."""
        return {"parts": self.parts, "users": report.valid}


def _numbered_after(batches: Batches, first: int, records: int) -> Batches:
    """Number batches from `first` on, and their rows as those that follow `records` others."""
    for batch in batches:
        items = [operations.with_records_after(records) for operations in batch.items]
        yield Batch(first + batch.number, items)


def write_hashed(plan: ListPlan, stream: IO[str]) -> None:
    """Write the users of a validated list; several values of a cell are joined by semicolons."""
    columns = [*plan.report.identifiers]
    params_columns = PARAMS_FIELDS if plan.has_params_columns else ()
    write = csv_rows(stream, ",")
    write([*columns, *params_columns])
    for batch in plan.batches():
        for operation in msgspec.json.decode(b"".join(body_pieces(batch.items))):
            values = {PARAMS_FIELDS[0]: operation[PARAMS_FIELDS[0]], **operation["params"]}
            params = [values.get(name, "") for name in params_columns]
            for user in values["users"]:
                write([*(";".join(user.get(name, ())) for name in columns), *params])
