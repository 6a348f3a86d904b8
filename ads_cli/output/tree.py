"""Draw a tree on a terminal."""

from collections.abc import Sequence
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
    parts = ((branch.before, ""), (branch.title, "bold"), *((detail, "") for detail in branch.details))
    for text, style in parts:
        if text:
            line.append("  " if line else "").append(safe(text), style)
    return line
