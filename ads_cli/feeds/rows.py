"""The rows of a feed in any format, read one at a time."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, Protocol

import msgspec

from ..errors import ContentError
from .decoding import decoding_error

if TYPE_CHECKING:
    from .source import Feed, Source


FIRST_LINES = 5  # the most that a message lists
REPORT_COLUMNS = ("_line", "_error")  # that --failed-out adds; ignored when its file is read

DuplicatePolicy = Literal[
    "first", "last", "identical"
]  # which rows with the same id; "identical": one of equal ones


class AppliedFix(NamedTuple):
    """What a fix changed in a row."""

    fix: str  # its name
    field: str
    before: Any
    after: Any


class Row(msgspec.Struct, gc=False):
    """A record: its first line, its values by field, and why it could not be read, if so.

    Empty, blank and null values are left out. A column that is not a field keeps its name.
    """

    line: int
    values: dict[str, Any]
    problem: str = ""
    record: int = 0  # number in the file, from 1
    left_out: bool = False  # counted, neither validated nor sent
    changes: tuple[AppliedFix, ...] = ()
    # The values as read, by column, where they were converted: a dict for each row of an assembled product.
    raw: tuple[dict[str, Any], ...] = ()
    problem_rule: str = ""  # of `problem`, where it has a name

    @property
    def unchanged(self) -> dict[str, Any]:
        """The values before they were changed, as far as changes were noted."""
        values = dict(self.values)
        for change in reversed(self.changes):
            values[change.field] = change.before
        return {field: value for field, value in values.items() if value is not None}


class RowConversion(Protocol):
    """Converts each row after it is read; picklable, since worker processes convert rows too."""

    @property
    def digest(self) -> str:
        """Return what identifies the conversion."""

    @property
    def fields(self) -> Collection[str]:
        """Name the fields that it fills."""

    @property
    def columns(self) -> Collection[str]:
        """Name the columns that it reads."""

    @property
    def leaves_out(self) -> bool:
        """Tell whether it may leave rows out."""

    @property
    def keep(self) -> DuplicatePolicy | None:
        """Return which of several rows with the same id is kept; None for all of them."""

    def bind(self, rows: "Rows") -> None:
        """Find the columns that it names; raise UsageError for one that a table does not have."""

    def require_columns(self, rows: "Rows") -> None:
        """Raise UsageError for a column that no record had; called after the last one."""

    @property
    def has_steps(self) -> bool:
        """Tell whether rows are converted before they are validated."""

    @property
    def has_fixes(self) -> bool:
        """Tell whether there are fixes."""

    def apply(self, row: Row) -> None:
        """Convert a row in place."""

    def with_fixed_texts(self, rows: Iterable[Row]) -> Iterable[Row]:
        """Yield rows, with their texts fixed, which may break no rule."""

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row in place, which may break no rule."""

    def fix_rules(self, row: Row) -> bool:
        """Fix a row that breaks a rule, in place; tell whether anything was changed."""


class RowNames:
    """The columns of some rows, and how messages name their places."""

    source: "Feed"
    columns: tuple[str, ...] = ()  # as named in the file
    hints: Mapping[str, str] = MappingProxyType({})  # field to what gives it, where the feed does not
    several_per_line = False  # a line alone does not identify a record
    name_place: Callable[[Any], str] | None = None  # of a row, where its line does not name the file

    def by_column(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values under the columns that they were read from."""
        return dict(values)

    def position(self, line: int, record: int) -> str:
        """Name a record: its line, and its number if several records share a line."""
        return f"{line}, record {record}" if self.several_per_line else str(line)

    def place(self, line: int, record: int) -> str:
        """Name a record, and the file that it is in."""
        return f"{self.source.label}:{self.position(line, record)}"

    def places(self, lines: Sequence[int], records: Sequence[int]) -> str:
        """List records of the file."""
        where, numbers = ("records", records) if self.several_per_line else ("lines", lines)
        return f"{where} {', '.join(map(str, numbers))}"


class Rows(RowNames, ABC):
    """The rows of a source; each iteration reads it from the beginning."""

    has_header = False  # whether the columns are known before the first row

    def __init__(
        self, source: "Feed", roots: tuple[str, ...], known: Collection[str], rename: Mapping[str, str]
    ) -> None:
        self.source = source
        self.roots = roots  # keys that may hold the list of records in a document that is a mapping
        self.known = known
        self.rename = rename
        self.ignored: tuple[str, ...] = REPORT_COLUMNS
        self.unsent: Container[str] = ()  # columns that are known and not sent
        self.notes: list[str] = []  # how the file was read
        self.warnings: list[str] = []  # what was left out of it
        self.records = 0  # read so far
        self.sensitive = False  # messages must not show values
        self.composed: Collection[str] = ()  # fields that no column has, and rows have
        self.conversion: RowConversion | None = None  # of each row, after it is read
        self._column_by_field: dict[str, str] = {}
        self._columns_named = 0  # of `columns`, in `_column_by_field`
        self.numbers_repeated_columns = False  # a repeated name is followed by a number, and no error

    @property
    def table(self) -> "TableRows | None":
        """These rows as a table that can be cut into blocks; None for other formats."""
        return None

    @property
    def fields(self) -> tuple[str, ...]:
        """The field that each column is read as."""
        return tuple(self.rename.get(column, column) for column in self.columns)

    def is_used(self, column: str) -> bool:
        """Tell whether a column is read as a field, or by a step that converts rows."""
        is_field = column in self.known or self.rename.get(column) is not None
        return is_field or (self.conversion is not None and column in self.conversion.columns)

    def __iter__(self) -> Iterator[Row]:
        """Read the source from the beginning and number its records."""
        previous_line = self.records = 0
        for number, row in enumerate(self._converted(self._read()), 1):
            self.several_per_line = self.several_per_line or row.line == previous_line
            previous_line, self.records = row.line, number
            row.record = number
            yield row

    @abstractmethod
    def _read(self) -> Iterator[Row]:
        """Read the source from the beginning."""

    def _converted(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Convert the rows of a reading, which need not begin at the first."""
        if self.conversion is None or not self.conversion.has_steps:
            return rows
        return self._convert(rows, self.conversion)

    def _convert(self, rows: Iterator[Row], conversion: RowConversion) -> Iterator[Row]:
        for number, row in enumerate(rows):
            if not number:
                conversion.bind(self)  # the columns of a table are known from the first row on
            if not row.left_out:
                row.raw = row.raw or (self.by_column(row.values),)
                conversion.apply(row)
            yield row
        if not self.has_header:
            conversion.require_columns(self)

    def by_column(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values under the columns that they were read from."""
        names = self._column_by_field
        for column in self.columns[self._columns_named :]:
            names.setdefault(self.rename.get(column, column), column)
        self._columns_named = len(self.columns)
        return {names.get(field, field): value for field, value in values.items()}

    def distinct_names(self, header: list[str], line: int) -> list[str]:
        """Return the names of columns; one that is repeated gets a number, or is an error."""
        names, counts = [], Counter[str]()
        for name in header:
            counts[name] += name != "" and name not in self.ignored
            if counts[name] > 1 and not self.numbers_repeated_columns:
                raise self.error(line, f"the column {name!r} is repeated in the header")
            names.append(f"{name} ({counts[name]})" if counts[name] > 1 else name)
        return names

    def error(self, line: int, message: str, *, column: int | None = None, hint: str = "") -> ContentError:
        """Make an error about a line of the source."""
        position = f"{self.source.label}:{line}" + (f":{column}" if column else "")
        return ContentError(f"{position}: {message}", hint=hint)


class Block(NamedTuple):
    """Complete rows as bytes, and the line of the first."""

    line: int
    data: bytes


class UnreadableBlockError(ValueError):
    """A block cannot be parsed; reading row by row names the line, or succeeds."""


class FileRows(Rows):
    """The rows of a format, as a reader finds them in a file."""

    source: "Source"


class TableRows(FileRows):
    """Rows that can be cut into blocks, so that several processes can parse them."""

    has_header = True
    delimiter = ","
    cell_fields: tuple[str, ...] = ()  # the field of each cell; "" if it is ignored

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the source: a copy in another process only parses blocks."""
        return {**vars(self), "source": None}

    @property
    def table(self) -> "TableRows":
        """These rows."""
        return self

    @abstractmethod
    def blocks(self, size: int) -> Iterator[Block]:
        """Read the header, then cut the rows into blocks of about `size` bytes."""

    def parse_block(self, block: Block) -> Iterator[Row]:
        """Parse and convert the rows of a block; raise UnreadableBlockError if that fails."""
        return self._converted(self._parse_block(block))

    @abstractmethod
    def _parse_block(self, block: Block) -> Iterator[Row]:
        """Parse the rows of a block; raise UnreadableBlockError if that fails."""


MAX_LINE_BYTES = 16 * 1024 * 1024


class TextRows(FileRows):
    """Rows of a format that is read line by line."""

    _line = 0  # the last line that was read

    def _lines(self, stream: BinaryIO) -> Iterator[str]:
        """Decode line by line, so that errors name their line."""
        self._line = 0
        while raw := stream.readline(MAX_LINE_BYTES):
            yield self._decode(raw)

    def _decode(self, raw: bytes) -> str:
        """Decode the next line."""
        self._line += 1
        if b"\0" in raw:
            raise self.error(self._line, "a NUL byte; the file is damaged or not a text file")
        if len(raw) >= MAX_LINE_BYTES:
            raise self.error(self._line, f"a line of more than {MAX_LINE_BYTES:,} bytes")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise decoding_error(self, self._line, raw) from None


MAX_KEYS = 10_000  # different keys of all records; they are kept in memory


class RecordRows(FileRows):
    """Rows of a format whose records are mappings, which may each have other keys."""

    def row(self, line: int, record: Any, problem: str = "") -> Row:
        """Make a row of a decoded record."""
        if not isinstance(record, dict):
            actual = "a value" if self.sensitive else _describe(record)
            return Row(line, {}, problem or f"must be an object with fields, not {actual}")
        if not record.keys() <= self._field_by_key.keys():
            self._add_keys(record, line)
        values: dict[str, Any] = {}
        for key, value in record.items():
            if value is None or (isinstance(value, str) and (not value or value.isspace())):
                continue
            name = self._field_by_key[key]
            if name in values:
                other = next(other for other in record if self._field_by_key[other] == name)
                problem = problem or f"the keys {other!r} and {key!r} are both read as {name!r}"
            elif name not in self.ignored:
                values[name] = value
        return Row(line, values, problem)

    def _add_keys(self, record: dict[str, Any], line: int) -> None:
        """Add the new keys of a record to the columns."""
        new = [key for key in record if key not in self._field_by_key]
        for key in new:
            self._field_by_key[key] = self.rename.get(key.strip(), key.strip())
        if len(self._field_by_key) > MAX_KEYS:
            raise self.error(line, f"the records have more than {MAX_KEYS:,} different keys")
        self._columns.update((name, None) for key in new if (name := key.strip()) not in self.ignored)
        self.columns = tuple(self._columns)

    @cached_property
    def _field_by_key(self) -> dict[str, str]:
        return {}

    @cached_property
    def _columns(self) -> dict[str, None]:
        return {}

    @property
    def _root_names(self) -> str:
        return " or ".join(map(repr, self.roots))


def _describe(record: Any) -> str:
    if record is None:
        return "null"
    return "a list" if isinstance(record, list) else f"{str(record)[:40]!r}"
