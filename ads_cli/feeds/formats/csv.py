"""CSV, TSV and their like: a header, then a record for each line."""

import csv
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ...errors import UsageError
from ...output.text import counted
from ..rows import OWN_COLUMNS, Row, Rows, decoding_error

if TYPE_CHECKING:
    from ..source import Source

DELIMITERS = ",;\t|"
EXPECTED = {"csv": ",", "tsv": "\t"}
LONGEST_LINE = 16 * 1024 * 1024
LONGEST_HEADER = 1024 * 1024
BLOCK = 256 * 1024  # bytes that are taken apart at once


class Block(NamedTuple):
    """Whole rows as bytes, and the line on which the first begins."""

    line: int
    data: bytes


class LineRows(Rows):
    """A value for each line, of the only field there is."""

    _line = 0  # that was read last

    def _read(self) -> Iterator[Row]:
        (name,) = self.known
        self.columns = (name,)
        found = False
        for line in self._lines():
            if (value := line.strip()) and value != name:
                found = True
                yield Row(self._line, {name: value})
        if not found:
            raise self.at(1, "nothing in the file")

    def _lines(self, stream: BinaryIO | None = None) -> Iterator[str]:
        """Decode line by line, so that what is wrong can be named by its line."""
        self._line = 0
        readline = (stream or self.source.stream()).readline
        while raw := readline(LONGEST_LINE):
            yield self._decoded(raw)

    def _decoded(self, raw: bytes) -> str:
        self._line += 1
        if b"\0" in raw:
            raise self.at(self._line, "a NUL byte; this is no text file, or a damaged one")
        if len(raw) >= LONGEST_LINE:
            raise self.at(self._line, f"a line of more than {LONGEST_LINE:,} bytes")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise decoding_error(self, self._line, raw) from None


class CsvRows(LineRows):
    """Rows under a header; the delimiter is the one that makes the header known."""

    has_header = True
    delimiter = ","
    cell_fields: tuple[str, ...] = ()  # of each cell, "" where it is left out
    _begins = 0  # where the current row begins

    def _read(self) -> Iterator[Row]:
        found = False
        blocks = self.blocks(BLOCK)
        for block in blocks:
            try:
                for row in self.of(block):
                    found = True
                    yield row
            except (ValueError, csv.Error):  # its lines tell where it is wrong, if it is
                for row in self._line_by_line(block, blocks):
                    found = True
                    yield row
        if not found:
            raise self.at(self._line, "a header, and no row under it")

    def __getstate__(self) -> dict[str, Any]:
        """Leave the file behind: a copy in another process takes blocks apart."""
        return {**vars(self), "source": None}

    def of(self, block: Block) -> Iterator[Row]:
        """Take a block apart; raise ValueError or csv.Error where that fails."""
        self._begins = block.line
        yield from self._rows(_lines_of(block.data), block.line)

    def _rows(self, lines: Iterable[str], first: int) -> Iterator[Row]:
        """Take lines apart, of which the first has a number."""
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        fields = self.cell_fields
        width, all_known = len(fields), "" not in fields
        for cells in reader:
            line, self._begins = self._begins, first + reader.line_num
            values = {f: c for f, c in zip(fields, cells) if c.strip()}  # noqa: B905 (takes its time)
            if not all_known:
                values.pop("", None)
            if not values:
                continue  # blank, or nothing but delimiters
            wrong = len(cells) != width
            yield Row(line, values, f"has {len(cells)} cells, and the header has {width}" if wrong else "")

    def _line_by_line(self, block: Block, others: Iterable[Block]) -> Iterator[Row]:
        """Go on from the row that could not be read, through the rest of its block and all others."""
        raws = (raw for each in chain([block], others) for raw in BytesIO(each.data))
        left = islice(raws, self._begins - block.line, None)
        self._line = self._begins - 1
        try:
            yield from self._rows(map(self._decoded, left), self._begins)
        except csv.Error as error:
            raise self.at(self._begins, *_explained(error)) from None

    def blocks(self, size: int) -> Iterator[Block]:
        """Give the rows under the header in blocks, as bytes, for those who take them apart elsewhere."""
        stream = self.source.stream()
        header = self._header(self._lines(stream))
        self.cell_fields = tuple(self._fields(header))
        line, rest = self._line + 1, b""
        while read := stream.read(size):
            data = rest + read
            end = data.rfind(b"\n") + 1
            # Where quotes are even, no cell goes on in the next line; a stray one must not hold up all.
            if len(data) < LONGEST_LINE and (not end or data.count(b'"', 0, end) % 2):
                rest = data
                continue
            end = end or len(data)
            yield Block(line, data[:end])
            line, rest = line + data.count(b"\n", 0, end), data[end:]
        if rest:
            yield Block(line, rest)

    def _header(self, lines: Iterator[str]) -> list[str]:
        """Find the header: the first line that is neither blank nor a comment; sniff its delimiter."""
        self.notes = []
        skipped = 0
        for line in lines:
            begins = self._line
            # Quotes that are not yet even mean that a cell goes on in the next line.
            while line.count('"') % 2 and len(line) < LONGEST_HEADER and (more := next(lines, "")):
                line += more
            self.delimiter = self._sniffed(line)
            if line.lstrip(' "').startswith("#") and not self._known_in(line, self.delimiter):
                skipped += self._line - begins + 1
            elif line.strip(" \t\r\n,;"):
                break
        else:
            raise self.at(max(self._line, 1), "the file has no header")
        if skipped:
            self.notes.append(f"{counted(skipped, 'comment line')} skipped before the header")
        if self.delimiter != self._expected and len(_cells(line, self.delimiter)) > 1:
            self.notes.append(f"cells are separated by {self.delimiter!r}")
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=self.delimiter, strict=True))]
        except csv.Error as error:
            raise self.at(begins, *_explained(error)) from None

    def _sniffed(self, line: str) -> str:
        """Find the delimiter that makes most cells known names, or else most cells."""

        def score(delimiter: str) -> tuple[int, int, bool]:
            return self._known_in(line, delimiter), len(_cells(line, delimiter)), delimiter == self._expected

        return max(DELIMITERS, key=score)

    @property
    def _expected(self) -> str:
        return EXPECTED.get(self.source.format, ",")

    def _known_in(self, line: str, delimiter: str) -> int:
        named = (cell.strip() for cell in _cells(line, delimiter))
        return sum(name in self.known or name in self.rename for name in named)

    def _fields(self, header: list[str]) -> list[str]:
        """Name the field of each cell; "" where the cell is left out."""
        self.columns = tuple(name for name in header if name not in OWN_COLUMNS and name)
        for name in self.rename:
            if name not in self.columns:
                raise UsageError(
                    f"--map: {self.source.name} has no column {name!r}",
                    hint=f"columns: {', '.join(self.columns)}",
                )
        for names, what in ((self.columns, "column"), (self.fields, "field")):
            if twice := sorted({name for name in names if names.count(name) > 1}):
                raise self.at(self._line, f"the {what} {twice[0]!r} stands twice in the header")
        return ["" if name in OWN_COLUMNS else self.rename.get(name, name) for name in header]


def _lines_of(data: bytes) -> list[str]:
    """Cut a block into lines; raise ValueError where something in it is to be told of by its line."""
    if len(data) >= LONGEST_LINE or b"\0" in data:
        raise ValueError
    lines = data.decode().split("\n")
    if not lines[-1]:
        lines.pop()
    return [f"{line}\n" for line in lines] if b'"' in data else lines


def holds_lines(source: "Source", name: str) -> bool:
    """Tell whether a file holds a value on each line rather than a table with a column `name`."""
    first = source.stream().readline(LONGEST_LINE).decode("utf-8", "replace")
    return not any(delimiter in first for delimiter in DELIMITERS) and first.strip() != name


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.rstrip("\r\n").split(delimiter)


def _explained(error: csv.Error) -> tuple[str]:
    words = str(error)
    if "field larger" in words or "unexpected end" in words:
        return (
            "a quote that is opened in this row is never closed, "
            f"or a cell is longer than {csv.field_size_limit():,} characters",
        )
    if "new-line character" in words:
        return ("line ends of an old kind (CR alone); save the file with LF or CRLF",)
    return (f"not CSV: {words}; a quote inside a quoted cell is written twice",)
