"""What fixes changed in the rows of a file: counts by fix, with the first changes."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ..feeds.rows import Change, Row

MAX_EXAMPLES = 3
MAX_CHARACTERS = 80  # of a value in an example


class Example(msgspec.Struct):
    """A change of one row."""

    line: int
    record: int
    field: str
    before: Any
    after: Any


class Fixed(msgspec.Struct):
    """The rows that a fix changed."""

    rows: int = 0
    examples: list[Example] = []

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede the run in the file."""
        for example in self.examples:
            example.record += offset


FixedRows = dict[str, Fixed]  # by the name of the fix


def note(fixed: FixedRows, row: Row, record: int) -> None:
    """Count the changes of a row; `record` is its number."""
    for name in dict.fromkeys(change.fix for change in row.changes):
        found = fixed.setdefault(name, Fixed())
        found.rows += 1
        if len(found.examples) < MAX_EXAMPLES:
            change = next(change for change in row.changes if change.fix == name)
            found.examples.append(_example(row.line, record, change))


def add(fixed: FixedRows, more: Mapping[str, Fixed]) -> None:
    """Add the counts of later rows."""
    for name, other in more.items():
        found = fixed.setdefault(name, Fixed())
        found.rows += other.rows
        found.examples = (found.examples + other.examples)[:MAX_EXAMPLES]


def _example(line: int, record: int, change: Change) -> Example:
    return Example(line, record, change.field, _shortened(change.before), _shortened(change.after))


def _shortened(value: Any) -> Any:
    return f"{value[:MAX_CHARACTERS]}…" if isinstance(value, str) and len(value) > MAX_CHARACTERS else value
