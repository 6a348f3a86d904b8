"""The rows of a feed in any format, read one at a time."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ..api.problems import quoted
from ..errors import ContentError, UsageError
from ..output.text import counted, listed
from ..spelling import suggestion
from . import SEPARATORS
from .decoding import NOT_TEXT, NotUtf8Error
from .header import Header, plain_name
from .row import Row, RowTransform
from .spreadsheet_cells import may_have_signs, read_rows

if TYPE_CHECKING:
    from .source import Feed, Source


FIRST_LINES = 5  # the most that a message lists
REPORT_COLUMNS = ("_line", "_error")  # that --failed-out adds; ignored when its file is read


class RowNames:
    """The columns of some rows, and how messages name their places."""

    source: "Feed"
    columns: tuple[str, ...] = ()  # as named in the file
    hints: Mapping[str, str] = MappingProxyType({})  # field to what gives it, where the feed does not
    several_per_line = False  # a line alone does not identify a record
    sensitive = False  # the rows are people: messages must not show values
    name_place: Callable[[Any], str] | None = None  # of a row, where its line does not name the file

    def by_column(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values under the columns that they were read from."""
        return dict(values)

    def labeled(self, remark: str) -> str:
        """Name the file of a remark about it."""
        return f"{self.source.label}: {remark}"

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
    may_nest = False  # whether cells of a table have nested values, as in JSON: of rejected rows

    def __init__(
        self, source: "Feed", roots: tuple[str, ...], known: Collection[str], rename: Mapping[str, str]
    ) -> None:
        self.source = source
        self.roots = roots  # keys that may hold the list of records in a document that is a mapping
        self.known = known
        self.rename = rename  # column to field, as the user names them
        self.kind_field: Callable[[str], str | None] = _no_field  # which a kind of feed names for a column
        self.kind_name = "generic"  # of the kind of feed that it is read as
        self.ignored: tuple[str, ...] = REPORT_COLUMNS
        self.unsent: Container[str] = ()  # columns that are known and not sent
        self.parts: Container[str] = ()  # those of them of which the kind of feed makes fields
        self.notes: list[str] = []  # how the file was read
        self.warnings: list[str] = []  # what was left out of it
        self.records = 0  # read so far
        self.if_empty: tuple[int, str] | None = None  # the error of a reading without a record: line, message
        self.composed: Collection[str] = ()  # fields that no column has, and rows have
        self.possible: Collection[str] = ()  # further fields that rows may have
        self.is_partial = False  # the columns that are not there are no fields of its rows
        self.transform = RowTransform()  # of each row, after it is read
        self._column_by_field: dict[str, str] = {}
        self._columns_named = 0  # of `columns`, in `_column_by_field`
        self.numbers_repeated_columns = False  # each of several with a name is a column of its own
        self._repeated_columns: dict[str, str] = {}  # names with numbers, to the names without
        self.repeated_headers: list[int] = []  # lines of the last reading, which are skipped

    @property
    def table(self) -> "TableRows | None":
        """These rows as a table that can be cut into blocks; None for other formats."""
        return None

    @property
    def files(self) -> "Sequence[Rows]":
        """The rows of each file."""
        return [self]

    def file_of(self, record: int) -> int:
        """Return the number of the file that a record is in, once it is read."""
        return 0

    def by_file(self) -> "Iterator[tuple[Rows, int]]":
        """Yield each file, with the number of records before it, for a reader of its own.

        Who does not read the rows one by one sets `records` of the file.
        """
        yield self, 0

    @property
    def fields(self) -> tuple[str, ...]:
        """The field that each column is read as."""
        return tuple(map(self.field_of, self.columns))

    def named_field(self, column: str) -> str | None:
        """Return the field that the user, or else the kind of the feed, names for a column."""
        field = self.rename.get(column) or self.kind_field(column)
        first = None if field else self._repeated_columns.get(column)
        return self.field_of(first) if first and self.is_used(first) else field

    def field_of(self, column: str) -> str:
        """Return the field that a column is read as; its own name, known or not, if no other is named."""
        return self.named_field(column) or column

    def is_field(self, column: str) -> bool:
        """Tell whether a column is read as a field."""
        return column in self.known or self.named_field(column) is not None

    def is_used(self, column: str) -> bool:
        """Tell whether a column is read as a field, or by a step."""
        return self.is_field(column) or column in self.transform.columns

    def __iter__(self) -> Iterator[Row]:
        """Read the source from the beginning and number its records."""
        previous_line = self.records = 0
        self.if_empty = None
        for number, row in enumerate(self._transformed(read_rows(self._read())), 1):
            self.several_per_line = self.several_per_line or row.line == previous_line
            previous_line, self.records = row.line, number
            row.record = number
            yield row
        if self.if_empty and not self.records:
            raise self.error(*self.if_empty)

    @abstractmethod
    def _read(self) -> Iterator[Row]:
        """Read the source from the beginning."""

    def _transformed(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Apply the steps to the rows of a reading, which need not begin at the first."""
        return self._with_steps(rows) if self.transform.has_steps else rows

    def _with_steps(self, rows: Iterator[Row]) -> Iterator[Row]:
        transform = self.transform
        for number, row in enumerate(rows):
            if not number:
                transform.bind(self.field_of)
                if self.has_header:  # the columns of a table are known from the first row on
                    self._require_named_columns()
            if not row.left_out:
                row.raw = row.raw or (self.by_column(row.values),)
                transform.apply(row)
            yield row
        if not self.has_header:
            self._require_named_columns()

    def _require_named_columns(self) -> None:
        """Raise UsageError where a step names what is neither a column, a field of one, nor filled before.

        Records need not have every known field.
        """
        names = {
            *self.columns,
            *self.fields,
            *self.composed,
            *(self.possible if self.has_header else self.known),
        }
        for step in self.transform.steps:
            named = {column: {column, self.field_of(column)} for column in step.columns}
            if not self.has_header or self.may_nest:
                named = {column: keys | {column.partition(".")[0]} for column, keys in named.items()}
            if missing := [column for column, keys in named.items() if names.isdisjoint(keys)]:
                correction = suggestion(missing[0], self.columns) or suggestion(missing[0], names)
                raise UsageError(
                    f"{step.option}: no column {missing[0]!r}{correction}",
                    hint=f"columns: {listed(self.columns)}",
                )
            names.update(step.fields)

    def by_column(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values under the columns that they were read from."""
        names = self._column_by_field
        for column in self.columns[self._columns_named :]:
            names.setdefault(self.field_of(column), column)
        self._columns_named = len(self.columns)
        return {names.get(field, field): value for field, value in values.items()}

    def distinct_names(self, header: list[str]) -> list[str]:
        """Return the names of columns. A repeated one gets a free number, and is read as the first."""
        names, counts, used_names = [], Counter[str](), set(header)
        for name in header:
            counts[name] += name != "" and name not in self.ignored
            while counts[name] > 1 and (numbered := f"{name} ({counts[name]})") in used_names:
                counts[name] += 1  # a column of the file, or one that was numbered, has this name
            names.append(numbered if counts[name] > 1 else name)
            used_names.add(names[-1])
            if counts[name] > 1 and not self.numbers_repeated_columns:
                self._repeated_columns[numbered] = name
        return names

    def add_value(self, values: dict[str, Any], field: str, value: Any, column: str) -> str:
        """Add the value of a column to a row; return the problem where another column gives another value."""
        before = values.setdefault(field, value)
        if before == value:
            return ""
        if (separator := SEPARATORS.get(field)) and isinstance(before, str) and isinstance(value, str):
            values[field] = f"{before}{separator}{value}"
            return ""
        first = next(name for name in self.columns if self.field_of(name) == field)
        which = f"the columns {first!r} and {column!r} are both read as {field!r}"
        return which if self.sensitive else f"{which}, and differ: {quoted(before)} and {quoted(value)}"

    @property
    def skipped(self) -> list[str]:
        """Say which rows were skipped since they repeat the header."""
        if not (lines := self.repeated_headers):
            return []
        number = counted(len(lines), "row repeats the header and is", "rows repeat the header and are")
        where = "line" if len(lines) == 1 else "lines"
        first = [*map(str, lines[:FIRST_LINES]), *["…"] * (len(lines) > FIRST_LINES)]
        return [f"{number} skipped: {where} {', '.join(first)}"]

    def error(self, line: int, message: str, *, column: int | None = None, hint: str = "") -> ContentError:
        """Make an error about a line of the source."""
        position = f"{self.source.label}:{line}" + (f":{column}" if column else "")
        return ContentError(f"{position}: {message}", hint=hint)


def _no_field(column: str) -> None:
    """Return no field: the feed is of no kind."""


class Block(NamedTuple):
    """Complete rows as bytes, and the line of the first."""

    line: int
    data: bytes


class UnreadableBlockError(ValueError):
    """A block cannot be parsed from a line on. Reading row by row names the mistake, or succeeds."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line
        self.reason = reason


class FileRows(Rows):
    """The rows of a format, as a reader finds them in a file."""

    source: "Source"

    def decoding_error(self, line: int, raw: bytes) -> ContentError:
        """Make the error of a line that is not UTF-8, and suggest its encoding."""
        from .detection import detect

        if NOT_TEXT.search(raw):
            hint = "the file is damaged, or --format says which format it has"
            return self.error(line, "neither UTF-8 nor a text in another encoding", hint=hint)
        detection = detect(self.source.raw())
        if detection.is_mixed:
            return self.error(line, "not UTF-8, as other lines are", hint="save the whole file as UTF-8")
        error = NotUtf8Error(
            f"{self.source.label}:{line}: not UTF-8{detection.described(with_excerpts=not self.sensitive)}",
            hint=f"{detection.hint}, or save the file as UTF-8"
            if self.source.may_name_encoding
            else "save the file as UTF-8",
        )
        error.encoding = detection.encoding
        return error

    def decoding_error_in(self, line: int, error: UnicodeDecodeError) -> ContentError:
        """Make the error of a chunk that begins on `line` and is not UTF-8 somewhere."""
        chunk = error.object
        start, end = chunk.rfind(b"\n", 0, error.start) + 1, chunk.find(b"\n", error.start)
        raw = chunk[start : end if end >= 0 else None]
        return self.decoding_error(line + chunk.count(b"\n", 0, error.start), raw)


class TableRows(FileRows):
    """Rows that can be cut into blocks, so that several processes can parse them."""

    has_header = True
    delimiter = ","
    cell_fields: tuple[str, ...] = ()  # the field of each cell; "" if it is ignored
    required: Collection[str] = ()  # fields without which a row that has too few cells is a broken line
    header = Header(())

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the source: a copy in another process only parses blocks."""
        return {**vars(self), "source": None}

    @property
    def table(self) -> "TableRows":
        """These rows."""
        return self

    @abstractmethod
    def blocks(self, size: int) -> Iterator[Block]:
        """Read the header; return the rows, cut into blocks of about `size` bytes."""

    def parse_block(self, block: Block) -> Iterator[Row]:
        """Parse and transform the rows of a block; raise UnreadableBlockError if that fails."""
        rows = self._parse_block(block)
        return self._transformed(read_rows(rows) if may_have_signs(block.data) else rows)

    @abstractmethod
    def _parse_block(self, block: Block) -> Iterator[Row]:
        """Parse the rows of a block; raise UnreadableBlockError if that fails."""


MAX_LINE_BYTES = 16 * 1024 * 1024


class TextRows(FileRows):
    """Rows of a format that is read line by line."""

    def _lines(self, stream: BinaryIO) -> Iterator[str]:
        """Decode line by line, so that errors name their line."""
        for line in count(1):
            if not (raw := stream.readline(MAX_LINE_BYTES)):
                return
            yield self._decode(line, raw)

    def _decode(self, line: int, raw: bytes) -> str:
        if b"\0" in raw:
            raise self.error(line, "a NUL byte; the file is damaged or not a text file")
        if len(raw) >= MAX_LINE_BYTES:
            raise self.error(line, f"a line of more than {MAX_LINE_BYTES:,} bytes")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise self.decoding_error(line, raw) from None


MAX_KEYS = 10_000  # different keys of all records; they are kept in memory


class RecordRows(FileRows):
    """Rows of a format whose records are mappings, which may each have other keys."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._field_by_key: dict[str, str] = {}  # of all records that were read

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
            if name not in self.ignored:
                problem = self.add_value(values, name, value, key) or problem
        return Row(line, values, problem)

    def _add_keys(self, record: dict[str, Any], line: int) -> None:
        new = [key for key in record if key not in self._field_by_key]
        for key in new:
            self._field_by_key[key] = self.field_of(plain_name(key))
        if len(self._field_by_key) > MAX_KEYS:
            raise self.error(line, f"the records have more than {MAX_KEYS:,} different keys")
        names = (name for key in new if (name := plain_name(key)) not in self.ignored)
        self.columns = tuple(dict.fromkeys((*self.columns, *names)))

    @property
    def _root_names(self) -> str:
        return " or ".join(map(repr, self.roots))


def _describe(record: Any) -> str:
    if record is None:
        return "null"
    return "a list" if isinstance(record, list) else f"{str(record)[:40]!r}"
