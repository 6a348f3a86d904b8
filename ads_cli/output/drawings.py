"""Draw a tree on a terminal."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import IO, TYPE_CHECKING, NamedTuple

from .text import safe

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree


class Branch(NamedTuple):
    """A line of a tree, with the lines below it."""

    title: str  # emphasized
    details: Sequence[str] = ()
    below: Sequence["Branch"] = ()
    before: str = ""  # ahead of the title, as an id
    styles: Sequence[str] = ()  # of the details, in their order


def draw_tree(stream: IO[str], branches: Sequence[Branch], *, color: bool) -> None:
    """Draw each branch; lines are wrapped at the width of a terminal, and nowhere else."""
    from rich.console import Console

    width = None if stream.isatty() else 10_000
    console = Console(file=stream, width=width, force_terminal=color, no_color=not color, highlight=False)
    for branch in branches:
        console.print(_drawn(branch))


def _drawn(branch: Branch) -> "Tree":
    from rich.tree import Tree

    tree = Tree(_line(branch), guide_style="dim")
    for inner in branch.below:
        tree.children.append(_drawn(inner))
    return tree


def _line(branch: Branch) -> "Text":
    from rich.text import Text

    line = Text()
    details = zip_longest(branch.details, branch.styles, fillvalue="")
    parts = ((branch.before, ""), (branch.title, "bold"), *details)
    for text, style in parts:
        if text:
            line.append("  " if line else "").append(safe(text), style)
    return line


BLOCKS, ASCII_BLOCKS = " ▁▂▃▄▅▆▇█", " .:-=+*#@"  # from lowest to highest
MIN_SPLIT_WIDTH = 80  # narrower terminals list the words below the numbers
COLUMN_GAP = 2


class ChartRow(NamedTuple):
    """A line of the chart: one number is drawn as a bar, several as a block each; None is a blank."""

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
    drawn = Text("\n".join(lines(rows, width, blocks)) or "no numbers", no_wrap=True, overflow="crop")
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
    """Format rows as text: label, bar or blocks, total."""
    if not rows:
        return []
    labels, totals = [safe(row.label) for row in rows], [f"{row.total:,}" for row in rows]
    label_width, total_width = max(map(len, labels)), max(map(len, totals))
    bar_width = max(width - label_width - total_width - 2 * COLUMN_GAP, 1)
    highest = max((number or 0 for row in rows for number in row.numbers), default=0) or 1
    bars = [bar(row.numbers, highest, bar_width, blocks) for row in rows]
    widest = max(map(len, bars))
    return [
        f"{label:<{label_width}}  {drawn:<{widest}}  {total:>{total_width}}"
        for label, drawn, total in zip(labels, bars, totals, strict=True)
    ]


def bar(numbers: Sequence[float | None], highest: float, width: int, blocks: str = BLOCKS) -> str:
    """Draw one number as a bar, several as a block each; `highest` is as long or as high as there is."""
    if len(numbers) == 1:
        return blocks[-1] * round((numbers[0] or 0) / highest * width)
    steps = len(blocks) - 1
    heights = (-int(-max(number or 0, 0) * steps // highest) for number in numbers)
    return "".join(blocks[height] for height in heights)[:width]
