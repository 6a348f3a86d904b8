"""Charts of characters, for a terminal."""

from collections.abc import Sequence
from math import ceil
from typing import IO, NamedTuple

from .text import safe

BLOCKS, ASCII_BLOCKS = " ▁▂▃▄▅▆▇█", " .:-=+*#@"  # from lowest to highest
MIN_SPLIT_WIDTH = 80  # narrower terminals list the words below the numbers
COLUMN_GAP = 2


class ChartRow(NamedTuple):
    """A line of the chart. One number is drawn as a bar, several as a block each. None is a blank."""

    label: str
    numbers: Sequence[int | None]

    @property
    def total(self) -> int:
        """The sum of the numbers."""
        return sum(number or 0 for number in self.numbers)


def draw(
    stream: IO[str], title: str, rows: Sequence[ChartRow], heading: str, words: Sequence[str], *, color: bool
) -> None:
    """Draw rows of numbers, with the words beside them if the terminal is wide enough, else below."""
    from rich.columns import Columns
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream, force_terminal=color, no_color=not color, highlight=False)
    is_split = console.width >= MIN_SPLIT_WIDTH and bool(words)
    width = console.width // 2 if is_split else console.width
    blocks = ASCII_BLOCKS if console.options.ascii_only else BLOCKS
    drawn = Text("\n".join(lines(rows, width, blocks)) or "no numbers")
    parts = [Group(Text(safe(title), style="bold"), drawn)]
    if words:
        listed = Columns([Text(safe(word)) for word in words], padding=(0, COLUMN_GAP), column_first=True)
        parts.append(Group(Text(heading, style="bold"), listed))
    grid = Table.grid(padding=(0, COLUMN_GAP, 0, 0))
    if is_split:
        grid.add_column(width=width)
        grid.add_row(*parts)
    else:
        for part in parts:
            grid.add_row(part)
            grid.add_row()
    console.print(grid)


def lines(rows: Sequence[ChartRow], width: int, blocks: str = BLOCKS) -> list[str]:
    """Format rows as text: label, bar or blocks, total. Without room, there are no bars or blocks."""
    from rich.cells import cell_len

    if not rows:
        return []
    labels, totals = [safe(row.label) for row in rows], [f"{row.total:,}" for row in rows]
    label_width, total_width = max(map(cell_len, labels)), max(map(len, totals))
    labels = [label + " " * (label_width - cell_len(label)) for label in labels]
    room = width - label_width - total_width - 2 * COLUMN_GAP
    if room < 1:
        return [f"{label}  {total:>{total_width}}" for label, total in zip(labels, totals, strict=True)]
    highest = max((number or 0 for row in rows for number in row.numbers), default=0) or 1
    pictures = [
        bar(row.numbers[0], highest, room, blocks)
        if len(row.numbers) == 1
        else sparkline(row.numbers, highest, blocks)[:room]
        for row in rows
    ]
    widest = max(map(len, pictures))
    return [
        f"{label}  {picture:<{widest}}  {total:>{total_width}}"
        for label, picture, total in zip(labels, pictures, totals, strict=True)
    ]


def bar(number: float | None, highest: float, width: int, blocks: str = BLOCKS) -> str:
    """Draw a number as a bar. No number exceeds `highest`, which is as wide as there is room."""
    return blocks[-1] * round((number or 0) / highest * width)


def sparkline(numbers: Sequence[float | None], highest: float, blocks: str = BLOCKS) -> str:
    """Draw a block for each number, as high as its part of `highest`, which no number may exceed.

    Every number above zero is seen; None and what is below zero are blanks.
    """
    steps = len(blocks) - 1
    return "".join(blocks[ceil(max(number or 0, 0) * steps / highest)] for number in numbers)
