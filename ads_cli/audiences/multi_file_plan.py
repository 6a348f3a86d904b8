"""The plan of several lists: each is read, validated and sent as a whole before the next is opened."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ..feeds.locations import FileLocation, Location
from ..feeds.reader import Peeked
from ..feeds.several import SeveralNames
from ..feeds.source import BLOCK_BYTES, Feed, ReadOptions
from ..uploads.job_file import Acknowledgement, SentPart
from ..uploads.journal import Journal
from ..uploads.plan import OnAcknowledged, pending_batches
from ..uploads.upload import FAILED, Batch, Batches
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from .consent import CellAnswers
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


class Position(NamedTuple):
    """How many files, rows and batches of a job come before a list, or up to its end."""

    files: int = 0  # of those that exist
    rows: int = 0
    batches: int = 0


class NumberedList(NamedTuple):
    """A list that was read, or sent by an earlier run; its numbers continue those of the list before."""

    file: ListFile | None  # None: it does not exist any more
    label: str
    begin: Position
    end: Position
    several_per_line: bool = False  # rows
    is_unchanged: bool = True  # since it was sent
    may_have_rejections: bool = True


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
    """Numbers the rows and batches of several lists as if they were one, and names the rows."""

    def __init__(self, feed: Feed, lists: Sequence[ListFile]) -> None:
        super().__init__(feed)
        self.columns = tuple(dict.fromkeys(name for each in lists for name in each.peeked.columns))
        self.numbered: list[NumberedList] = []

    def forget(self) -> None:
        """Begin with the first list again."""
        self._ends.clear()
        self.numbered.clear()

    @property
    def end(self) -> Position:
        """Return where the next list begins."""
        return self.numbered[-1].end if self.numbered else Position()

    def add(
        self,
        file: ListFile | None,
        label: str,
        rows: int,
        batches: int,
        *,
        several_per_line: bool = False,
        is_unchanged: bool = True,
        may_have_rejections: bool = True,
    ) -> None:
        """Number the rows and batches of the next list."""
        begin = self.end
        end = Position(begin.files + (file is not None), begin.rows + rows, begin.batches + batches)
        known = (several_per_line, is_unchanged, may_have_rejections)
        self.numbered.append(NumberedList(file, label, begin, end, *known))
        self._ends.append(end.rows)

    def _place_in(self, file: int, line: int, record: int) -> str:
        numbered = self.numbered[min(file, len(self.numbered) - 1)]
        return f"{numbered.label}:{line}" + (f", record {record}" if numbered.several_per_line else "")


class MultiFileAudiencePlan(ListPlan):
    """Send the people of several lists as one job.

    `open_list` opens one of them. A push reads a list when its turn comes; where `reads_all`, validating
    reads every list, as a check and a dry run do. `on_validated` is called with each list before it is
    sent, and raises where it `refuses_invalid` rows; those on this machine are checked before the first
    request. What was read or sent so far is in `rows.numbered`.
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
        self._notes: dict[str, None] = {}
        self._warnings: dict[str, None] = {}

    def validate(
        self,
        on_progress: Callable[[int], None] = lambda rows: None,
        comparison: "ListComparison | None" = None,
    ) -> ValidationReport:
        """Validate every list, and add their rows to a comparison; or say how their columns are read."""
        self._decide_conditions()
        self._report = self._settings.new_report()
        self.rows.forget()
        for file in self._lists if self._reads_all else ():
            self._validate_next(file, on_progress, comparison).close()
        columns = self.rows.columns
        shared = {*columns}.intersection(*(each.peeked.columns for each in self._lists))
        of_some = {*columns} - shared
        self._settings.describe(self.report, columns, [*self._notes], [*self._warnings], of_some)
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
        before = self.rows.end.rows
        try:
            plan.validate(lambda rows: on_progress(before + rows), comparison, records_before=before)
        except BaseException:
            plan.close()
            raise
        several_per_line = plan.rows.several_per_line
        self.rows.add(file, file.label, plan.report.rows, plan.batch_count, several_per_line=several_per_line)
        self.report.merge_list(plan.report, before)
        self._notes |= dict.fromkeys(f"{file.label}: {note}" for note in plan.rows.notes)
        self._warnings |= dict.fromkeys(f"{file.label}: {warning}" for warning in plan.warnings)
        return plan

    def _open(self, file: ListFile) -> AudiencePlan:
        plan = self._open_list(file)
        plan.started = self.started
        return plan

    @property
    def position(self) -> str:
        """Say which list is sent."""
        return f", file {self.rows.end.files:,} of {self.parts:,}"

    @property
    def batch_count(self) -> int:
        """Count the requests of the lists so far."""
        return self.rows.end.batches

    @property
    def due(self) -> int:
        """Count the people of the lists that were read, and one for each list that was not."""
        return self.report.valid + (0 if self._reads_all else self.parts - self.rows.end.files)

    def phases(self, journal: Journal, on_acknowledged: OnAcknowledged) -> Iterator[Batches]:
        """Yield the requests of one list after the other, but for lists that are acknowledged as a whole."""
        self._count_sent(journal, on_acknowledged)
        sent = {each.part for each in journal.sent_parts}
        due = [file for file in self._lists if file.origin not in sent]
        for file in due:
            if file.is_local:
                self._check(file)
        for file in due:
            plan = self._validate_next(file)
            try:
                self._on_validated(plan)
                begin, end = self.rows.numbered[-1].begin, self.rows.end
                batches = _numbered_after(plan.batches(), begin)
                numbers = range(begin.batches, end.batches)
                yield pending_batches(batches, self.upload, journal, on_acknowledged, numbers)
                self._note_sent(journal, file, plan)
            finally:
                plan.close()
        journal.discard(self._of_later_batches(journal))

    def _of_later_batches(self, journal: Journal) -> list[Acknowledgement]:
        """Return what earlier runs have acknowledged of batches after those of this list."""
        return [ack for number, ack in journal.acknowledged.items() if number >= self.batch_count]

    def _check(self, file: ListFile) -> None:
        """Validate a list that is sent later; where invalid rows are refused, `on_validated` raises."""
        plan = self._open(file)
        try:
            plan.validate()
        finally:
            plan.close()
        if plan.report.invalid and self._refuses_invalid:
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
            self.rows.add(
                file,
                file.label if file else sent.part,
                sent.rows,
                sent.batches,
                is_unchanged=is_same,
                may_have_rejections=bool(sent.invalid or sent.failed),
            )
            self.report.rows += sent.rows
            self.report.left_out += sent.left_out
            self.report.invalid += sent.invalid
            if self.report.partial is not None:
                self.report.partial += sent.partial
            for number in range(sent.first_batch, sent.first_batch + sent.batches) if sent.failed else ():
                if number in journal.acknowledged:
                    on_acknowledged(Batch(number, []), journal.acknowledged[number])
        if changed:
            self._on_changed(changed)

    def _note_sent(self, journal: Journal, file: ListFile, plan: AudiencePlan) -> None:
        """Note, on disk before this returns, that every batch of a list is acknowledged."""
        before = sum(sent.failed for sent in journal.sent_parts)
        later = sum(ack.counts.get(FAILED, 0) for ack in self._of_later_batches(journal))
        failed = journal.totals[FAILED] - before - later
        numbered, report = self.rows.numbered[-1], plan.report
        sent = SentPart(
            part=file.origin,
            version=file.peeked.version,
            digest=self._settings.sealed(plan.rows.source.digest),
            first_batch=numbered.begin.batches,
            rows_before=numbered.begin.rows,
            rows=report.rows,
            left_out=report.left_out,
            invalid=report.invalid,
            partial=report.partial or 0,
            batches=plan.batch_count,
            failed=failed,
        )
        journal.append(sent)
        journal.flush()
        journal.sent_parts.append(sent)
        may_have_rejections = bool(failed or report.invalid)
        self.rows.numbered[-1] = numbered._replace(may_have_rejections=may_have_rejections)

    def batches(self) -> Batches:
        """Read every list that was validated again and pack its valid rows into requests."""
        batches = 0
        for numbered in self.rows.numbered:
            assert numbered.file
            plan = self._open(numbered.file)
            try:
                for batch in _numbered_after(plan.batches(), numbered.begin._replace(batches=batches)):
                    yield batch
                    batches = batch.number + 1  # the count of the validation may be an estimate
            finally:
                plan.close()

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the lists again that may have rejected rows, and yield each row with its problems."""
        for numbered in self.rows.numbered:
            if not (numbered.file and numbered.is_unchanged and numbered.may_have_rejections):
                continue
            plan = self._open(numbered.file)
            try:
                for checked in plan.checked_rows():
                    checked.row.record += numbered.begin.rows
                    yield checked
            finally:
                plan.close()

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the lists and the users to be sent."""
        return {"parts": self.parts, "users": report.valid}


def _numbered_after(batches: Batches, before: Position) -> Batches:
    """Number batches, and the records of their rows, after those `before` them."""
    for batch in batches:
        items = [operations.with_records_after(before.rows) for operations in batch.items]
        yield Batch(before.batches + batch.number, items)
