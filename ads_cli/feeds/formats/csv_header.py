"""Find the header of a CSV file: what each delimiter reads of its first lines."""

import _csv
import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from typing import NamedTuple

from . import DELIMITERS

MAX_TITLES = 20  # lines without a known column that may precede the header
MAX_LOOKAHEAD = 4 * 1024 * 1024  # characters in which cells of lines above them are sought
BLANKS = " \t\r\n,;|"  # of which a line without a value consists


def read_cells(lines: Iterable[str], delimiter: str, *, strict: bool = True) -> _csv.Reader:
    """Read rows of cells. A quote quotes a cell where it begins one, and is doubled inside."""
    return csv.reader(lines, delimiter=delimiter, strict=strict)


class HeaderRow(NamedTuple):
    """A row that is the header, or near it, as one delimiter reads it."""

    line: int  # on which it begins
    text: str
    line_count: int  # in which its cells are
    delimiter: str
    cells: list[str]
    matches: int  # of its cells are names of columns
    error: str  # of the csv module, if it is not CSV: its cells are then those of one line, as they seem

    @property
    def end(self) -> int:
        """The line below it."""
        return self.line + self.line_count

    @property
    def is_blank(self) -> bool:
        """Tell whether it has no value."""
        return not self.text.strip(BLANKS)


class Table(NamedTuple):
    """What one delimiter reads as a table."""

    header: HeaderRow
    titles: int  # rows above it
    # The number of lines with the most frequent number of cells, that number of cells, and whether the
    # delimiter is the usual one. The largest is the table: more of the file looks like it.
    size: tuple[int, int, bool]


class HeaderLines:
    """The lines of a table down to its header, and those below that are read to find it."""

    def __init__(
        self, lines: Iterator[str], count_known: Callable[[Iterable[str]], int], usual_delimiter: str
    ) -> None:
        self.line = 1  # of the file, the first of those that are kept
        self._kept: list[str] = []
        self._lines = lines
        self._count_known = count_known
        self._usual_delimiter = usual_delimiter
        self._lookahead = MAX_LOOKAHEAD  # is left; without a limit for all rows, time would be quadratic

    def first_line(self) -> str | None:
        """Read the first line; None at the end of the file."""
        return next(self._from(0), None)

    def first_row(self) -> HeaderRow | None:
        """Read the row at the first line by the delimiter that fits it best; None at the end of the file."""

        def fit(row: HeaderRow) -> tuple[int, int, bool]:
            return row.matches, len(row.cells), row.delimiter == self._usual_delimiter

        rows = (self._row_at(0, delimiter) for delimiter in DELIMITERS)
        return max(filter(None, rows), key=fit, default=None)

    def find_table(self, delimiter: str) -> Table | None:
        """Find a table in the next rows."""
        rows = list(islice(self._rows(delimiter), MAX_TITLES + 1))
        lines = Counter[int]()  # by the number of cells of their rows
        for row in rows:
            lines[len(row.cells)] += row.line_count if len(row.cells) > 1 else 0
        if not lines.total():
            return None
        ((width, number),) = lines.most_common(1)
        filled = [sum(1 for cell in row.cells if cell.strip()) for row in rows]
        # A title above the table has one cell, or less than half of a row's.
        at = next((at for at, cells in enumerate(filled) if cells > 1 and 2 * cells >= width), 0)
        titles = sum(1 for row in rows[:at] if not row.is_blank)
        return Table(rows[at], titles, (number, width, delimiter == self._usual_delimiter))

    def _rows(self, delimiter: str) -> Iterator[HeaderRow]:
        at = 0
        while row := self._row_at(at, delimiter):
            yield row
            at += row.line_count

    def _row_at(self, at: int, delimiter: str) -> HeaderRow | None:
        """Read the row at a line, counted from 0; None at the end of the file."""
        reader, error = read_cells(self._from(at), delimiter), ""
        try:
            if (cells := next(reader, None)) is None:
                return None
            lines = reader.line_num
        except csv.Error as caught:
            cells, lines, error = _split_cells(self._kept[at], delimiter), 1, str(caught)
        text = "".join(self._kept[at : at + lines])
        # A cell that ends with its line is open: another delimiter may read it.
        matches = self._count_known(cell for cell in cells if not (error and cell.endswith("\n")))
        return HeaderRow(self.line + at, text, lines, delimiter, cells, matches, error)

    def _from(self, at: int) -> Iterator[str]:
        """Yield a line, and those in which a cell of it may continue."""
        for number in count(at):
            if number > at and self._lookahead <= 0:
                return
            if number == len(self._kept):
                if (line := next(self._lines, None)) is None:
                    return
                self._kept.append(line)
            yield self._kept[number]
            self._lookahead -= len(self._kept[number]) if number > at else 0

    def skip(self, lines: int) -> None:
        """Forget some lines."""
        del self._kept[:lines]
        self.line += lines

    def text_below(self, row: HeaderRow) -> str:
        """Return what was read below a row."""
        return "".join(self._kept[row.end - self.line :])


def _split_cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line that is not CSV."""
    try:
        return next(read_cells([line], delimiter, strict=False), [])
    except csv.Error:
        return line.rstrip("\r\n").split(delimiter)
