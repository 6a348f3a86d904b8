"""CSV and TSV: a header, then a record in each line; and files with one value in each line."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError
from ...output.text import counted, listed
from ..row import Row
from ..rows import MAX_LINE_BYTES, Block, TableRows, TextRows, UnreadableBlockError

if TYPE_CHECKING:
    from ..source import Source

DELIMITERS = ",;\t|"
MAX_HEADER_CHARACTERS = 1024 * 1024
MAX_HEADER_LINE = 10_000  # blank lines and comments may precede the header
MAX_TITLES = 20  # lines without a known column that may precede it, too
BLOCK_BYTES = 256 * 1024
MAX_OPEN_BYTES = 4 * 1024 * 1024  # a block that ends inside a quoted cell is extended up to this size


class _Line(NamedTuple):
    """A line above the rows, and those in which a quoted cell of it continues."""

    text: str
    first: int
    last: int


class CsvRows(TextRows, TableRows):
    """Rows below a header. The delimiter is detected: the one that yields the most known columns."""

    usual_delimiter = ","
    _row_line = 0  # first line of the row that is being parsed
    _below_header = b""  # what was read to find the header

    def _read(self) -> Iterator[Row]:
        is_empty = True
        blocks = self.blocks(BLOCK_BYTES)
        for block in blocks:
            try:
                for row in self._parse_block(block):
                    is_empty = False
                    yield row
            except UnreadableBlockError:
                for row in self._parse_by_line(block, blocks):
                    is_empty = False
                    yield row
        if is_empty:
            raise self.error(self._line, "no row below the header")

    def blocks(self, size: int) -> Iterator[Block]:
        """Read the header, then cut the rows at line ends where no cell continues."""
        stream = self.source.stream()
        header = self._read_header(self._lines(stream))
        self.cell_fields = tuple(self._fields_of(header))
        line, rest = self._line + 1, self._below_header
        while chunk := stream.read(size):
            data = rest + chunk
            end = data.rfind(b"\n") + 1
            # After an even number of quotes no cell continues in the next line. The limits keep a stray
            # quote, or a line without an end, from collecting the whole file.
            open_limit = MAX_OPEN_BYTES if data.count(b'"', 0, end) % 2 else 0
            if len(data) < (open_limit if end else MAX_LINE_BYTES):
                rest = data
                continue
            end = end or len(data)
            yield Block(line, data[:end])
            line, rest = line + data.count(b"\n", 0, end), data[end:]
        if rest:
            yield Block(line, rest)

    def _parse_block(self, block: Block) -> Iterator[Row]:
        """Parse the rows of a block; raise UnreadableBlockError if that fails."""
        self._row_line = block.line
        try:
            yield from self._parse(_split_lines(block.data), block.line)
        except (ValueError, csv.Error) as error:
            raise UnreadableBlockError from error

    def _parse(self, lines: Iterable[str], first_line: int) -> Iterator[Row]:
        """Parse lines; the first is line `first_line` of the file."""
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        fields = self.cell_fields
        width, reads_all_cells = len(fields), "" not in fields
        for cells in reader:
            line, self._row_line = self._row_line, first_line + reader.line_num
            if not cells:
                continue  # a blank line
            values = {f: c for f, c in zip(fields, cells) if c.strip()}  # noqa: B905 - strict= is slower
            if not reads_all_cells:
                values.pop("", None)
            if not values:
                continue  # only delimiters and blanks
            wrong = len(cells) != width
            yield Row(line, values, f"has {len(cells)} cells, and the header has {width}" if wrong else "")

    def _parse_by_line(self, block: Block, others: Iterable[Block]) -> Iterator[Row]:
        """Continue at the row that could not be parsed, through the rest of its block and all others."""
        lines = (line for each in chain([block], others) for line in BytesIO(each.data))
        remaining = islice(lines, self._row_line - block.line, None)
        self._line = self._row_line - 1
        try:
            yield from self._parse(map(self._decode, remaining), self._row_line)
        except csv.Error as error:
            raise self.error(self._row_line, _explain(error)) from None

    def _read_header(self, lines: Iterator[str]) -> list[str]:
        """Return the cells of the first line below blank ones, comments and titles; detect the delimiter."""
        self.notes = list(self.source.notes)
        header, titles = self._find_header(lines)
        line = header.text
        self.delimiter = self._detect_delimiter(line)
        if titles:
            self.notes.append(f"{counted(titles, 'row')} skipped before the header")
        if self.delimiter != self.usual_delimiter and len(_split_cells(line, self.delimiter)) > 1:
            self.notes.append(f"the delimiter is {self.delimiter!r}")
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=self.delimiter, strict=True))]
        except csv.Error as error:
            raise self.error(header.first, _explain(error)) from None

    def _find_header(self, lines: Iterator[str]) -> tuple["_Line", int]:
        """Return the header, and the number of titles above it; what is read further is `_below_header`."""
        found, comment_lines = list[_Line](), 0  # what may be the header, and blank lines after the first
        for line in lines:
            first = self._line
            if first > MAX_HEADER_LINE and not found:
                message = f"no header in the first {MAX_HEADER_LINE:,} lines"
                raise self.error(first, message, hint="remove the blank lines and comments before it")
            is_blank = not line.strip(" \t\r\n,;")
            if is_blank and not found:
                continue
            line += "".join(_continuation(line, lines))
            is_known = bool(self._count_known(line, self._detect_delimiter(line)))
            if not found and line.lstrip(' "').startswith("#") and not is_known:
                comment_lines += self._line - first + 1
                continue
            found.append(_Line(line, first, self._line))
            # The columns of people are free: the line below a title may be a person.
            if (len(found) == 1 and (is_known or self.sensitive)) or len(found) > MAX_TITLES:
                break
        if not found:
            raise self.error(max(self._line, 1), "the file has no header")
        if comment_lines:
            self.notes.append(f"{counted(comment_lines, 'comment line')} skipped before the header")
        at = _first_of_table([each.text for each in found]) if len(found) > 1 else 0
        self._line = found[at].last
        self._below_header = "".join(each.text for each in found[at + 1 :]).encode()
        return found[at], sum(1 for each in found[:at] if each.text.strip(" \t\r\n,;"))

    def _detect_delimiter(self, line: str) -> str:
        """Choose the delimiter with the most known columns, then the one with the most columns."""

        def score(delimiter: str) -> tuple[int, int, bool]:
            columns = len(_split_cells(line, delimiter))
            return self._count_known(line, delimiter), columns, delimiter == self.usual_delimiter

        return max(DELIMITERS, key=score)

    def _count_known(self, line: str, delimiter: str) -> int:
        names = (cell.strip() for cell in _split_cells(line, delimiter))
        return sum(name in self.known or name in self.rename for name in names)

    def _fields_of(self, header: list[str]) -> list[str]:
        """Return the field of each cell, "" for a cell that is ignored; set the columns."""
        header = self.distinct_names(header, self._line)
        self.columns = tuple(name for name in header if name not in self.ignored and name)
        for name in self.rename:
            if name not in self.columns:
                raise UsageError(
                    f"--map: {self.source.label} has no column {name!r}",
                    hint=f"columns: {listed(self.columns)}",
                )
        first: dict[str, str] = {}
        for column, name in zip(self.columns, self.fields, strict=True):
            if (other := first.setdefault(name, column)) != column:
                message = f"the columns {other!r} and {column!r} are both read as {name!r}"
                raise self.error(self._line, message, hint="remove one, or --map it to another field")
        return ["" if name in self.ignored else self.rename.get(name, name) for name in header]


class TsvRows(CsvRows):
    """CSV whose usual delimiter is the tab."""

    usual_delimiter = "\t"


def is_value_list(source: "Source", columns: Iterable[str]) -> bool:
    """Tell whether a file has a value in each line, rather than a header with one of `columns`."""
    first = source.stream().readline(MAX_LINE_BYTES).decode("utf-8", "replace")
    header = first.strip(' \t\r\n"').casefold().replace(" ", "_")
    return not any(delimiter in first for delimiter in DELIMITERS) and header not in map(
        str.casefold, columns
    )


def _continuation(line: str, lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines in which a quoted cell of `line` continues: after an odd number of quotes."""
    is_open, size = line.count('"') % 2, len(line)
    while is_open and size < MAX_HEADER_CHARACTERS and (more := next(lines, "")):
        yield more
        is_open, size = (is_open + more.count('"')) % 2, size + len(more)


def _first_of_table(lines: Sequence[str]) -> int:
    """Return the first line of a table: a title above it has one cell, or less than half of a row's."""
    found = 1, 0, 0  # lines with the same number of cells, that number, the first line with about as many
    for delimiter in DELIMITERS:
        cells = [_split_cells(line, delimiter) for line in lines]
        for width, number in Counter(len(each) for each in cells if len(each) > 1).most_common(1):
            filled = [sum(map(bool, map(str.strip, each))) for each in cells]
            first = next((at for at, count in enumerate(filled) if count > 1 and 2 * count >= width), 0)
            found = max(found, (number, width, first))
    return found[2]


def _split_lines(data: bytes) -> Iterable[str]:
    """Decode a block into lines; raise ValueError if one of them needs an error that names its line."""
    if len(data) >= MAX_LINE_BYTES or b"\0" in data:
        raise ValueError
    if len(data) > 2 * BLOCK_BYTES:  # probably a stray quote, after which few of the lines are read
        return (line.decode() for line in BytesIO(data))
    lines = data.decode().split("\n")
    if not lines[-1]:
        lines.pop()
    return [f"{line}\n" for line in lines] if b'"' in data else lines


def _split_cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.rstrip("\r\n").split(delimiter)


def _explain(error: csv.Error) -> str:
    reason = str(error)
    if "field larger" in reason or "unexpected end" in reason:
        return (
            "a quote in this row is never closed, "
            f"or a cell is longer than {csv.field_size_limit():,} characters"
        )
    if "new-line character" in reason:
        return "a line ends with CR alone; save the file with LF or CRLF"
    return f"not CSV: {reason}; double a quote inside a quoted cell"


class LineRows(TextRows):
    """A value in each line, of the only known field; a line with the field's name is a header."""

    def _read(self) -> Iterator[Row]:
        (name,) = self.known
        self.columns = (name,)
        is_empty = True
        for line in self._lines(self.source.stream()):
            if (value := line.strip()) and value != name:
                is_empty = False
                yield Row(self._line, {name: value})
        if is_empty:
            raise self.error(1, "the file contains no values")


class ArgumentRows(LineRows):
    """Values from the command line, each of which names itself in messages."""

    def _read(self) -> Iterator[Row]:
        self._values: dict[int, str] = {}
        for row in super()._read():
            (self._values[row.line],) = row.values.values()
            yield row

    def place(self, line: int, record: int) -> str:
        """Return the value."""
        return repr(self._values[line])

    def places(self, lines: Sequence[int], records: Sequence[int]) -> str:
        """List the values."""
        return ", ".join(self.place(line, line) for line in lines)
