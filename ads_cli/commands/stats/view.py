"""Statistics as pictures on a terminal."""

from collections.abc import Iterator, Sequence
from typing import IO

from ...output.charts import ASCII_BLOCKS, BLOCKS, COLUMN_GAP, bar, sparkline
from ...output.table_view import header as heading
from ...output.text import cut_to_width, first_of, safe
from ...statistics.chart_data import ChartData, ChartSeries
from ...statistics.query import is_money

MIN_LABEL_WIDTH, MIN_PICTURE_WIDTH = 12, 4
LABEL_PART = 3  # a third of the width is for names
PICTURE_PART = 4  # and at most a quarter for each picture
MOST_NAMED = 20  # of what has no numbers
Cells = list[str]


def draw_statistics(stream: IO[str], data: ChartData, title: str, *, with_total: bool, color: bool) -> None:
    """Draw statistics as wide as the terminal; metrics that do not fit beside each other follow below."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=color, no_color=not color, highlight=False)
    is_ascii = console.options.ascii_only
    view = _View(data, console.width, ASCII_BLOCKS if is_ascii else BLOCKS, with_total=with_total)

    def show(text: str, style: str = "") -> None:
        for start in _folded(text, console.width):
            console.print(Text(start, style), no_wrap=True, overflow="crop")

    show(safe(title), "bold")
    for lines in view.blocks():
        console.print()
        header, *rest = lines
        show(header, "bold")
        for line in rest:
            show(line)
    if notes := view.notes():
        console.print()
        for note in notes:
            show(note)


class _View:
    """Lays statistics out as lines of text."""

    def __init__(self, data: ChartData, width: int, blocks: str, *, with_total: bool) -> None:
        self._data, self._width, self._blocks = data, width, blocks
        self._more = "..." if blocks is ASCII_BLOCKS else "…"
        self._times = len(data.times)
        self._parts = data.lines_with_numbers
        self._columns = data.counted_columns
        self._lines = [*self._parts, *data.totals()] if with_total and self._parts else self._parts

    def blocks(self) -> Iterator[list[str]]:
        """Yield the lines of each block: a header, then an entity each."""
        from rich.cells import cell_len

        names = self._names()
        used = sum(map(_width_of, names)) + COLUMN_GAP * len(names)
        room = self._width - used
        columns = [
            [cut_to_width(cell, room, self._more) for cell in self._column(name)] for name in self._columns
        ]
        while columns:
            group = [columns.pop(0)]
            left = room - _width_of(group[0])
            while columns and (left := left - COLUMN_GAP - _width_of(columns[0])) >= 0:
                group.append(columns.pop(0))
            padded = []
            for cells in (*names, *group):
                width = _width_of(cells)
                padded.append([cell + " " * (width - cell_len(cell)) for cell in cells])
            yield [(" " * COLUMN_GAP).join(cells).rstrip() for cells in zip(*padded, strict=True)]

    def _names(self) -> list[Cells]:
        """Return the column of the names, and that of campaigns where they differ and fit."""
        room = max(self._width // LABEL_PART, MIN_LABEL_WIDTH)
        labels = ["", *(safe(line.label) for line in self._lines)]
        campaigns = ["", *(safe(line.campaign) for line in self._lines)]
        campaign_width = _width_of(campaigns)
        if campaign_width and _width_of(labels) + COLUMN_GAP + campaign_width <= room:
            return [labels, campaigns]
        return [[cut_to_width(label, room, self._more) for label in labels]]

    def _column(self, column: str) -> Cells:
        """Return the header and the cells of a metric: its total, and a picture."""
        texts = [line.text(column) for line in self._lines]
        width = max(map(len, texts))
        pictures = [self._picture(line, column) for line in self._lines]
        header = f"{safe(heading(column)):>{width}}"
        return [
            header,
            *(f"{text:>{width}}  {picture}" for text, picture in zip(texts, pictures, strict=True)),
        ]

    def _picture(self, line: ChartSeries, column: str) -> str:
        room = max(self._width // PICTURE_PART, MIN_PICTURE_WIDTH)
        if self._times > 1:
            numbers = _merged(line.series(column, self._times), room)
            highest = max(number or 0 for number in numbers)
            return sparkline(numbers, highest, self._blocks) if highest > 0 else ""
        if line not in self._parts:  # a total
            return ""
        total = max(float(line.totals.get(column) or 0), 0.0)
        return bar(total, self._highest(line, column), room // 2, self._blocks)

    def _highest(self, line: ChartSeries, column: str) -> float:
        """Return the highest total that the one of a line can be compared to."""
        others = (other for other in self._parts if other.currency == line.currency or not is_money(column))
        return max(float(other.totals.get(column) or 0) for other in others) or 1

    def notes(self) -> list[str]:
        """Say what the pictures mean, and which metrics are left out."""
        notes = []
        if self._columns and self._times > 1:
            notes.append("Blocks run from the first time to the last, each line scaled to its highest.")
        without = [line.label for line in self._data.lines if not self._data.draws(line)]
        without += [name for name in self._data.columns if name not in self._columns]
        if without:
            notes.append(f"No numbers: {first_of(without, MOST_NAMED, safe)}")
        return notes


def _merged(numbers: Sequence[float | None], most: int) -> list[float | None]:
    """Return the means of neighbours, as many in each, so that there are no more numbers than that."""
    step = -(-len(numbers) // most)
    groups = (numbers[start : start + step] for start in range(0, len(numbers), step))
    numbers_of_groups = ([number for number in group if number is not None] for group in groups)
    return [sum(group) / len(group) if group else None for group in numbers_of_groups]


def _width_of(cells: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, cells))


def _folded(text: str, width: int) -> list[str]:
    """Fold a text between its words; a line that fits stays as it is."""
    from rich.cells import cell_len

    lines, rest = [], text.split(" ")
    if cell_len(text) <= width:
        return [text]
    while rest:
        line = rest.pop(0)
        while rest and cell_len(f"{line} {rest[0]}") <= width:
            line += f" {rest.pop(0)}"
        lines.append(line)
    return lines
