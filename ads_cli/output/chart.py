"""Numbers over time and the words beside them, as a picture for a terminal."""

from collections.abc import Sequence
from typing import IO, NamedTuple

from .text import safe

BLOCKS, PLAIN = " ▁▂▃▄▅▆▇█", " .:-=+*#@"  # from least to most; the second where the terminal speaks ASCII
BESIDE = 80  # a terminal of this width has room for words beside the numbers
GAP = 2


class Row(NamedTuple):
    """A line of the picture: one number is drawn as a bar, several each as a block; None is a blank."""

    label: str
    numbers: Sequence[int | None]

    @property
    def total(self) -> int:
        """Add the numbers up."""
        return sum(number or 0 for number in self.numbers)


def draw(
    stream: IO[str], title: str, rows: Sequence[Row], heading: str, words: Sequence[str], *, color: bool
) -> None:
    """Draw rows of numbers, and words beside or under them, as the width of the terminal allows."""
    from rich.columns import Columns
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream, force_terminal=color, no_color=not color, highlight=False)
    beside = console.width >= BESIDE and bool(words)
    width = console.width // 2 if beside else console.width
    blocks = PLAIN if console.options.ascii_only else BLOCKS
    drawn = Text("\n".join(lines(rows, width, blocks)) or "no numbers", no_wrap=True, overflow="crop")
    shown = [Group(Text(title, style="bold"), drawn)]
    if words:
        listed = Columns([Text(safe(word)) for word in words], padding=(0, GAP), column_first=True)
        shown.append(Group(Text(heading, style="bold"), listed))
    grid = Table.grid(padding=(0, GAP, 0, 0))
    if beside:
        grid.add_column(width=width)
        grid.add_row(*shown)
    else:
        for part in shown:
            grid.add_row(part)
            grid.add_row()
    console.print(grid)


def lines(rows: Sequence[Row], width: int, blocks: str = BLOCKS) -> list[str]:
    """Write rows as text: label, picture, total."""
    if not rows:
        return []
    labels, totals = [safe(row.label) for row in rows], [f"{row.total:,}" for row in rows]
    left, right = max(map(len, labels)), max(map(len, totals))
    room = max(width - left - right - 2 * GAP, 1)
    most = max((number or 0 for row in rows for number in row.numbers), default=0) or 1
    pictures = [_picture(row.numbers, most, room, blocks) for row in rows]
    wide = max(map(len, pictures))
    return [
        f"{label:<{left}}  {picture:<{wide}}  {total:>{right}}"
        for label, picture, total in zip(labels, pictures, totals, strict=True)
    ]


def _picture(numbers: Sequence[int | None], most: int, room: int, blocks: str) -> str:
    if len(numbers) == 1:
        return blocks[-1] * round((numbers[0] or 0) / most * room)
    steps = len(blocks) - 1
    return "".join(blocks[-(-(number or 0) * steps // most)] for number in numbers)[:room]
