"""CSV and TSV: a header, then a record in each line. Also files with one value in each line."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any, BinaryIO

from ...errors import UsageError
from ...output.text import counted, listed
from ..header import Header, plain_name, width_problem
from ..row import Row
from ..rows import MAX_LINE_BYTES, REPORT_COLUMNS, Block, TableRows, TextRows, UnreadableBlockError
from . import DELIMITERS, php_message
from .csv_header import BLANKS, HeaderLines, HeaderRow, read_cells

if TYPE_CHECKING:
    from ..source import Source

MAX_HEADER_LINE = 10_000  # blank lines and comments may precede the header
BLOCK_BYTES = 256 * 1024
MAX_OPEN_BYTES = 4 * 1024 * 1024  # a block that may end inside a quoted cell is extended up to this size
OTHER_HEADER = "a header that differs from the first one; make each table a file of its own"


class CsvRows(TextRows, TableRows):
    """Rows below a header. The delimiter is detected: the one that yields the most known columns.

    The rows are cut into blocks at line ends, and a cell may continue in the next line. So a block is parsed
    strictly. One that begins at a row, and is parsed without an error, ends at a row too, as an open quote is
    an error. From the first row that cannot be parsed on, the rest of the file is read line by line.
    """

    usual_delimiter = ","
    _needed_cells = 0  # of a row; one with fewer is a broken line
    _usual_width: int | None = 0  # of a row; None where columns share a field, and no row is usual

    def _read(self) -> Iterator[Row]:
        stream = self.source.stream()
        begun = self._read_header(stream)
        self.if_empty = begun.line - 1, "no row below the header"
        blocks = _cut(stream, begun, BLOCK_BYTES)
        for block in blocks:
            try:
                yield from self._parse_block(block)
            except UnreadableBlockError as error:
                yield from self._parse_by_line(error.line, block, blocks)
        self.warnings += self.skipped

    def blocks(self, size: int) -> Iterator[Block]:
        """Read the header; return the rows, cut where probably no cell continues."""
        stream = self.source.stream()
        return _cut(stream, self._read_header(stream), size)

    def _parse_block(self, block: Block) -> Iterator[Row]:
        try:
            lines = _split_lines(block.data)
        except ValueError as error:
            raise UnreadableBlockError(block.line, str(error)) from error
        return self._parse(lines, block.line)

    def _parse(self, lines: Iterable[str], first_line: int) -> Iterator[Row]:
        """Parse lines, of which the first is a line of the file; raise UnreadableBlockError."""
        reader = read_cells(lines, self.delimiter)
        fields, width, first_cells = self.cell_fields, self._usual_width, self.header.first_cells
        reads_all_cells = "" not in fields
        next_line = first_line
        try:
            for cells in reader:
                line, next_line = next_line, first_line + reader.line_num
                if not cells:
                    continue  # a blank line
                if len(cells) != width or cells[0] in first_cells:
                    if row := self._unusual_row(line, cells):
                        yield row
                    continue
                values = {f: c for f, c in zip(fields, cells) if c.strip()}  # noqa: B905 - strict= is slower
                if not reads_all_cells:
                    values.pop("", None)
                if not values:
                    continue  # only delimiters and blanks
                yield Row(line, values)
        except UnreadableBlockError:
            raise
        except (ValueError, csv.Error) as error:
            raise UnreadableBlockError(next_line, str(error)) from error

    def _unusual_row(self, line: int, cells: list[str]) -> Row | None:
        """Read a row that has other cells than most. None if it repeats the header, or has no value."""
        if cells[0] in self.header.first_cells:
            if self.header.is_repeated_by(cells):
                self.repeated_headers.append(line)
                return None
            if self.header.is_another(cells):
                raise UnreadableBlockError(line, OTHER_HEADER)
        values, problem = dict[str, Any](), width_problem(cells, len(self.cell_fields), self._needed_cells)
        for field, column, cell in zip(self.cell_fields, self._cell_columns, cells, strict=False):
            if field and cell.strip():
                problem = self.add_value(values, field, cell, column) or problem
        if problem and (words := php_message(self.delimiter.join(cells))[0]):
            problem = f"is a message of PHP: {words}"
        return Row(line, values, problem) if values else None

    def _parse_by_line(self, line: int, block: Block, others: Iterable[Block]) -> Iterator[Row]:
        """Parse a block from a line on, and all others. Raise ContentError if that fails."""
        lines = (raw for part in chain([block], others) for raw in BytesIO(part.data))
        remaining = islice(lines, line - block.line, None)
        try:
            yield from self._parse(map(self._decode, count(line), remaining), line)
        except UnreadableBlockError as error:
            raise self.error(error.line, _explain(error.reason)) from None

    def _read_header(self, stream: BinaryIO) -> Block:
        """Find the header. Set the columns, the delimiter and the notes. Return what was read below it."""
        self.notes, self.warnings, self.repeated_headers = list(self.source.notes), [], []
        head = HeaderLines(self._lines(stream), self._count_known, self.usual_delimiter)
        row, titles = self._find_header(head)
        if titles:
            self.notes.append(f"{counted(titles, 'row')} skipped before the header")
        if row.delimiter != self.usual_delimiter and len(row.cells) > 1:
            self.notes.append(f"the delimiter is {row.delimiter!r}")
        if row.error:
            raise self.error(row.line, _explain(row.error))
        self.delimiter = row.delimiter
        self.header = Header(row.cells, self.known)
        self._set_fields([*map(plain_name, row.cells)])
        return Block(row.end, head.text_below(row).encode())

    def _find_header(self, head: HeaderLines) -> tuple[HeaderRow, int]:
        """Return the header, and how many titles are above it."""
        first = self._skip_comments(head)
        if first is None:
            raise self.error(max(head.line - 1, 1), "the file has no header")
        # The columns of people are free: the line below a title may be a person.
        if first.matches or self.sensitive:
            return first, 0
        # Values may be equal to names: below a title, what is known does not show the header.
        tables = filter(None, map(head.find_table, DELIMITERS))
        largest = max(tables, key=lambda table: table.size, default=None)
        return (largest.header, largest.titles) if largest and largest.titles else (first, 0)

    def _skip_comments(self, head: HeaderLines) -> HeaderRow | None:
        """Skip blank lines and comments; return the row that follows."""
        comment_lines = 0
        while (row := self._first_filled(head)) and not row.matches and row.text.lstrip(' "').startswith("#"):
            comment_lines += row.line_count
            head.skip(row.line_count)
        if comment_lines:
            self.notes.append(f"{counted(comment_lines, 'comment line')} skipped before the header")
        return row

    def _first_filled(self, head: HeaderLines) -> HeaderRow | None:
        """Skip blank lines, which no delimiter reads as a row; return the row that follows."""
        while (line := head.first_line()) is not None:
            if head.line > MAX_HEADER_LINE:
                message = f"no header in the first {MAX_HEADER_LINE:,} lines"
                raise self.error(head.line, message, hint="remove the blank lines and comments before it")
            if line.strip(BLANKS):
                return head.first_row()
            head.skip(1)
        return None

    def _count_known(self, cells: Iterable[str]) -> int:
        names = map(plain_name, cells)
        return sum(name in self.known or name in self.rename for name in names)

    def _set_fields(self, header: list[str]) -> None:
        """Set the columns, and the field of each cell."""
        names = self.distinct_names(header)
        self.may_nest = {*REPORT_COLUMNS} <= {*names}
        self.columns = tuple(name for name in names if name not in self.ignored and name)
        for name in self.rename:
            if name not in self.columns:
                raise UsageError(
                    f"--map: {self.source.label} has no column {name!r}",
                    hint=f"columns: {listed(self.columns)}",
                )
        fields = tuple("" if name in self.ignored else self.field_of(name) for name in names)
        self.cell_fields, self._cell_columns = fields, names
        used = [*filter(None, fields)]
        self._usual_width = len(fields) if len({*used}) == len(used) else None
        # A person is known by one value; a line of a feed with one cell of several is a part of a row.
        least = 0 if self.sensitive else min(2, self.header.width)
        last = max((1 + fields.index(field) for field in {*self.required}.intersection(fields)), default=0)
        self._needed_cells = max(least, last)


class TsvRows(CsvRows):
    """CSV whose usual delimiter is the tab."""

    usual_delimiter = "\t"


def _cut(stream: BinaryIO, begun: Block, size: int) -> Iterator[Block]:
    """Cut what follows the beginning of a block at line ends, into blocks of about so many bytes.

    After an even number of quotes no cell continues in the next line, unless one of them is no more than a
    sign (5" x). The limits keep such a quote, or a line without an end, from collecting the whole file.
    """
    line, rest = begun
    while chunk := stream.read(size):
        data = rest + chunk
        end = data.rfind(b"\n") + 1
        open_limit = MAX_OPEN_BYTES if data.count(b'"', 0, end) % 2 else 0
        if len(data) < (open_limit if end else MAX_LINE_BYTES):
            rest = data
            continue
        end = end or len(data)
        yield Block(line, data[:end])
        line, rest = line + data.count(b"\n", 0, end), data[end:]
    if rest:
        yield Block(line, rest)


def _split_lines(data: bytes) -> Iterable[str]:
    """Decode a block into lines; raise ValueError if one of them needs an error that names its line."""
    if len(data) >= MAX_LINE_BYTES or b"\0" in data:
        raise ValueError
    if len(data) > 2 * BLOCK_BYTES:  # probably a stray quote, after which few of the lines are read
        return (line.decode() for line in BytesIO(data))
    lines = data.decode().split("\n")
    if not lines[-1]:
        lines.pop()
    # The parser needs no line ends, but for those inside of quotes.
    return [f"{line}\n" for line in lines] if b'"' in data else lines


def _explain(reason: str) -> str:
    """Say in other words why the csv module cannot read a row, of lines that end with LF or CRLF."""
    if "field larger" in reason or "unexpected end" in reason:
        return (
            "a quote in this row is never closed, "
            f"or a cell is longer than {csv.field_size_limit():,} characters"
        )
    if reason == OTHER_HEADER:
        return reason
    if "new-line character" in reason:
        return "a line ends with CR alone; save the file with LF or CRLF"
    return f"not CSV: {reason}; double a quote inside a quoted cell"


def is_value_list(source: "Source", columns: Iterable[str]) -> bool:
    """Tell whether a file has a value in each line, rather than a header with one of `columns`."""
    first = source.stream().readline(MAX_LINE_BYTES).decode("utf-8", "replace")
    header = first.strip(' \t\r\n"').casefold().replace(" ", "_")
    return not any(delimiter in first for delimiter in DELIMITERS) and header not in map(
        str.casefold, columns
    )


class LineRows(TextRows):
    """A value in each line, of the only known field; a line with the field's name is a header."""

    def _read(self) -> Iterator[Row]:
        (name,) = self.known
        self.columns = (name,)
        self.if_empty = 1, "the file contains no values"
        for line, text in enumerate(self._lines(self.source.stream()), 1):
            if (value := text.strip()) and value != name:
                yield Row(line, {name: value})


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
