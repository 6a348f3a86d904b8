"""What the validation of rows takes and gives: schemas, findings, results, and what is kept of rows."""

import dataclasses
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol
from weakref import finalize

import msgspec

from ..api.fields import fields_of
from ..api.problems import Problem, ProblemKind, Severity
from ..api.validation import errors_in
from ..feeds.row import Row
from ..feeds.rows import FIRST_LINES, Rows


class FeedStats(Protocol):
    """Statistics of a run of rows; picklable, since worker processes gather them too."""

    def note(self, row: Row, problems: list[Problem], record: int) -> None:
        """Note a validated row; `record` is its number in the run."""

    def add(self, later: Any, records: int) -> None:
        """Add the statistics of the run of rows that follows; `records` precede it in the file."""


MAX_EXAMPLES = 3
SEARCHED_ROWS = 1000  # of a fix, for changes that differ
MAX_CHARACTERS = 80  # of a value in an example


class ExampleChange(msgspec.Struct):
    """A change of one row."""

    line: int
    record: int
    field: str
    before: Any
    after: Any


class Fixed(msgspec.Struct):
    """The rows that a fix changed."""

    rows: int = 0
    examples: list[ExampleChange] = []


FixedRows = dict[str, Fixed]  # by the name of the fix


def count_changes(fixed: FixedRows, row: Row, record: int) -> None:
    """Count the changes of a row; `record` is its number."""
    for name in dict.fromkeys(change.fix for change in row.changes):
        changes = fixed.setdefault(name, Fixed())
        changes.rows += 1
        if len(changes.examples) < MAX_EXAMPLES and changes.rows <= SEARCHED_ROWS:
            change = next(change for change in row.changes if change.fix == name)
            before, after = _shortened(change.before), _shortened(change.after)
            _add_example(changes, ExampleChange(row.line, record, change.field, before, after))


def add_changes(fixed: FixedRows, later: FixedRows, records: int) -> None:
    """Add the counts of later rows, which follow `records` others."""
    for name, other in later.items():
        total = fixed.setdefault(name, Fixed())
        total.rows += other.rows
        for example in other.examples:
            example.record += records
            _add_example(total, example)


def _add_example(fixed: Fixed, example: ExampleChange) -> None:
    """Add a change that is unlike the others, as long as there are few."""
    shown = [(other.field, other.before, other.after) for other in fixed.examples]
    if len(shown) < MAX_EXAMPLES and (example.field, example.before, example.after) not in shown:
        fixed.examples.append(example)


def _shortened(value: Any) -> Any:
    return f"{value[:MAX_CHARACTERS]}…" if isinstance(value, str) and len(value) > MAX_CHARACTERS else value


class RowPosition(NamedTuple):
    """Where a row is, and a digest of what it says."""

    line: int
    record: int
    content: bytes = b""


MAX_FINDINGS = 1000


@dataclass
class Finding:
    """One kind of mistake, with the first rows that have it."""

    field: str
    problem: str
    severity: Severity = "error"
    fix: str = ""  # the name of the fix for it, as in `--fix`
    rule: str = ""  # its name, if it has one
    rows: int = 0
    lines: list[int] = dataclasses.field(default_factory=list)
    records: list[int] = dataclasses.field(default_factory=list)

    @property
    def more_rows(self) -> int:
        """Count the rows that are not listed."""
        return self.rows - len(self.lines)


@dataclass
class GroupedProblems:
    """What is wrong with some rows, by the kind of mistake."""

    invalid: int = 0  # rows with an error
    warned: int = 0  # rows with a warning, invalid ones among them
    # Required fields that the file has no column for, with what to do: reported once, and not for each row.
    missing: Mapping[str, str] = dataclasses.field(default_factory=dict)
    groups: dict[ProblemKind, Finding] = dataclasses.field(default_factory=dict)
    max_findings: int = MAX_FINDINGS
    omitted: int = 0  # mistakes of further kinds

    def add(self, row: "Row | RowPosition", problems: list[Problem], earlier: Iterable[Problem] = ()) -> None:
        """Add the problems of one row; `earlier` are those of it that were added before."""
        severities = {problem.severity for problem in problems}
        severities.difference_update(problem.severity for problem in earlier)
        self.invalid += "error" in severities
        self.warned += "warning" in severities
        for problem in problems:
            if finding := self._finding(problem.kind, problem):
                finding.rows += 1
                if len(finding.lines) < FIRST_LINES:
                    finding.lines.append(row.line)
                    finding.records.append(row.record)

    def add_later(self, other: "GroupedProblems", records: int) -> None:
        """Add the problems of later rows, which follow `records` others."""
        self.invalid += other.invalid
        self.warned += other.warned
        self.omitted += other.omitted
        for kind, group in other.groups.items():
            problem = Problem(group.field, group.problem, group.severity, group.rule, group.fix)
            if finding := self._finding(kind, problem, group.rows):
                free = FIRST_LINES - len(finding.lines)
                finding.rows += group.rows
                finding.lines += group.lines[:free]
                finding.records += [record + records for record in group.records[:free]]

    def report_missing(self, missing: Mapping[str, str]) -> None:
        """Report fields that no row has once, in place of the problems of each row."""
        self.missing = missing
        self.groups = {kind: group for kind, group in self.groups.items() if group.field not in missing}

    def _finding(self, kind: ProblemKind, problem: Problem, rows: int = 1) -> Finding | None:
        """Return the finding of a problem, or None if there are too many, or its column is missing."""
        if problem.path in self.missing:
            return None
        if (finding := self.groups.get(kind)) is None:
            if len(self.groups) == self.max_findings:
                self.omitted += rows
                return None
            path, message, severity, rule, fix = problem
            finding = self.groups[kind] = Finding(path, message, severity, fix, rule)
        return finding


class CheckedRow(msgspec.Struct, gc=False):
    """A row, the item it was converted to, and its problems.

    The item is None where one of them is an error, or the row is left out.
    """

    row: Row
    item: msgspec.Struct | None
    problems: list[Problem]

    @property
    def errors(self) -> str:
        """Join the errors to one line; empty where the row is valid."""
        return "; ".join(map(str, errors_in(self.problems)))


class ValidationResult(msgspec.Struct):
    """The result of validating a run of rows; records are numbered within the run."""

    rows: int = 0
    left_out: int = 0  # of them, by a step or for another row
    problems: GroupedProblems = msgspec.field(
        default_factory=lambda: GroupedProblems(max_findings=sys.maxsize)
    )
    id_forms: list[str | None] = []  # of the field that is unique within a file, see `RowSchema.id_form`
    with_values: dict[str, Any] = {}  # those of the columns that are not sent, with a value of each
    fixed: FixedRows = {}  # what fixes changed
    selection: Any = None  # what a RowSelector noted
    kept: bytes = b""  # of the rows, where anything is
    stats: FeedStats | None = None  # where they are gathered


MAX_BYTES_IN_MEMORY = 16 * 1024 * 1024  # more are in an unnamed temporary file


class RowKeeper(Protocol):
    """Collects what is kept of a run of rows."""

    def add(self, checked: CheckedRow, number: int) -> None:
        """Take a row, and its number within the run."""

    def packed(self) -> bytes:
        """Return what was collected."""


class KeptRun(NamedTuple):
    """What a RowKeeper collected of a run of rows."""

    packed: bytes
    records_before: int  # in the file


class RowSpool:
    """Runs of rows, each packed into bytes by the process that validated it."""

    def __init__(self) -> None:
        from tempfile import SpooledTemporaryFile

        self.are_complete = True  # until there is no space for one
        self._file = SpooledTemporaryFile(MAX_BYTES_IN_MEMORY)  # noqa: SIM115 - open until it is forgotten
        finalize(self, self._file.close)
        self._runs: list[tuple[int, int]] = []  # size in bytes, and the records that precede it

    def add(self, run: KeptRun) -> None:
        """Keep a run; where there is no space for it, all are dropped."""
        if not self.are_complete:
            return
        try:
            self._file.write(run.packed)
            self._file.flush()
        except OSError:
            self.are_complete = False
            self._file.close()
        else:
            self._runs.append((len(run.packed), run.records_before))

    def __iter__(self) -> Iterator[KeptRun]:
        """Yield the runs in their order."""
        begin = 0
        for size, records_before in self._runs:
            self._file.seek(begin)
            yield KeptRun(self._file.read(size), records_before)
            begin += size


class Advisor(Protocol):
    """Says how a problem can be fixed, and what gives a field its values."""

    asking: str  # names the command that asks for columns

    def column_for(self, field: str, columns: Sequence[str], values: Mapping[str, Any]) -> str | None:
        """Return the column that seems to be meant as a field; `values` are those of columns, if known."""

    def fields_of_columns(
        self, columns: Sequence[str], free: Collection[str], values: Mapping[str, Any]
    ) -> dict[str, str]:
        """Return the fields that columns seem to be meant as, of those that no column is read as."""

    def options_for(self, field: str, value: Any) -> list[str] | None:
        """Return the options that make a value of a column valid as a field; None where there are none."""

    def tells_apart(self, column: str) -> bool:
        """Tell whether rows that differ in a column, which is not sent, are no duplicates."""

    def advise(self, problem: Problem, values: dict[str, Any]) -> Problem:
        """Return a problem of a row with the fix for it, or the reason why none does."""


MakeAdvisor = Callable[[], Advisor]  # picklable; called only where something is wrong


class RowSchema(NamedTuple):
    """One kind of feed; picklable, since worker processes validate by it."""

    struct: type[msgspec.Struct]  # what a row is converted to
    id_field: str  # unique within a file
    duplicate_message: str  # why
    required: tuple[str, ...]  # columns that a file must have
    known: tuple[str, ...]  # columns that a file may have; any other causes a warning
    roots: tuple[str, ...]  # what may be the only key of a document
    advisor: MakeAdvisor | None = None
    sends_id_alone: bool = False  # and not the converted row
    id_form: Callable[[str], str] = str  # equal for ids that the service may take for the same
    # Finds further problems of the values of a row that has signs of spreadsheets or of HTML.
    sign_rules: Callable[[Mapping[str, Any]], list[Problem]] | None = None

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """Return the values of the fields that have few."""
        return {field.name: choices for field in fields_of(self.struct) if (choices := field.type.choices)}


class EncodedRows(msgspec.Struct):
    """Valid rows, ready to be sent: their ids, their JSON, and where they are in the file."""

    ids: list[str] = []
    bodies: list[bytes] = []
    places: list[tuple[int, int]] = []  # record number and line
    rows: int = 0  # rows read, those that are not sent included

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, id: str, body: bytes, record: int, line: int) -> None:
        """Append a row."""
        self.ids.append(id)
        self.bodies.append(body)
        self.places.append((record, line))

    def slice(self, begin: int, end: int) -> "EncodedRows":
        """Return the rows from `begin` to `end`."""
        return EncodedRows(self.ids[begin:end], self.bodies[begin:end], self.places[begin:end])

    def extend(self, others: "EncodedRows") -> None:
        """Append other rows."""
        self.ids += others.ids
        self.bodies += others.bodies
        self.places += others.places

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede these in the file."""
        self.places = [(record + offset, line) for record, line in self.places]


class RowEncoder:
    """Keeps the valid rows of a run as they are sent."""

    def __init__(self, schema: RowSchema) -> None:
        self.rows = EncodedRows()
        self._id_field, self._sends_id_alone = schema.id_field, schema.sends_id_alone

    def add(self, checked: CheckedRow, number: int) -> None:
        """Encode a row, if it is valid."""
        if (item := checked.item) is not None:
            id = getattr(item, self._id_field)
            body = _encode(id if self._sends_id_alone else item)
            self.rows.add(id, body, number, checked.row.line)

    def packed(self) -> bytes:
        """Return the rows as `unpack` reads them."""
        return _pack(self.rows)


_encode = msgspec.json.Encoder().encode
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(EncodedRows).decode


def unpack(run: KeptRun) -> EncodedRows:
    """Return the rows that a RowEncoder has kept of a run."""
    rows = _unpack(run.packed)
    rows.renumber(run.records_before)
    return rows


class RowSelector(Protocol):
    """Selects rows while they are validated; picklable, since worker processes have a copy."""

    is_due: bool  # whether the row that was yielded last is to be sent

    def broken_rules(self, item: Any) -> list[Problem]:
        """Return the rules that an item breaks."""

    def select(self, rows: Iterable[CheckedRow], result: ValidationResult) -> Iterator[CheckedRow]:
        """Yield the rows as they are, and note in `result.selection` which of them are to be sent."""


class Selection(Protocol):
    """The rows of a whole file that are to be sent."""

    @property
    def selector(self) -> RowSelector:
        """Return what selects rows while they are validated."""

    @property
    def selects_few(self) -> bool:
        """Tell whether few rows are expected to be sent, so that they are kept whatever the file's size."""

    def clear(self) -> None:
        """Forget everything: the file is validated again."""

    def add(self, notes: Any) -> None:
        """Append what a selector noted of a run of rows."""

    def rows_to_send(self, rows: Rows) -> Iterable[Row]:
        """Return the rows that are to be sent, and those that are invalid."""
