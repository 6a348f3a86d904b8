"""The first rows with a mistake or a change, as many as a reader looks at."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from msgspec import Struct

from ..api.problems import Problem
from ..feeds.rows import FIRST_LINES, Change, Row

MAX_ROWS = 1000  # with an error, a warning or a change each
MAX_KINDS = 1000  # of mistakes, of which the first rows are noted even beyond MAX_ROWS
MAX_CHARACTERS = 200  # of a value
MAX_ADDRESS = 2000  # characters of an address; a longer one is left out
MAX_PROBLEMS = 10  # of a row
CONTEXT = 30  # characters before the first that was changed


class NotedRow(Struct):
    """What a reader recognizes a product by, and what is said of it."""

    line: int
    record: int
    id: str
    title: str = ""
    link: str = ""
    image: str = ""
    problems: list[Problem] = []
    more_problems: int = 0
    changes: list[Change] = []

    @classmethod
    def of(cls, row: Row, record: int, problems: Iterable[Problem] = ()) -> "NotedRow":
        """Note a row; `record` is its number."""
        values, problems = row.values, list(problems)
        return cls(
            row.line,
            record,
            shortened(values.get("id")),
            shortened(values.get("title")),
            address(values.get("link")),
            address(values.get("image_link")),
            problems[:MAX_PROBLEMS],
            len(problems[MAX_PROBLEMS:]),
            [
                Change(change.fix, change.field, *excerpts(change.before, change.after))
                for change in islice(row.changes, MAX_PROBLEMS)
            ],
        )


class FirstRows(Struct):
    """The first rows, and the first of each kind."""

    rows: list[NotedRow] = []
    total: int = 0
    seen: dict[Any, int] = {}  # rows of each kind, counted up to FIRST_LINES

    def wants(self, kinds: Iterable[Any]) -> bool:
        """Count a row of some kinds; tell whether it is one of the first."""
        self.total += 1
        is_first = len(self.rows) < MAX_ROWS
        for kind in kinds:
            count = self.seen.get(kind, 0 if len(self.seen) < MAX_KINDS else FIRST_LINES)
            if count < FIRST_LINES:
                self.seen[kind] = count + 1
                is_first = True
        return is_first

    def add(self, later: "FirstRows") -> None:
        """Add rows that come later in the file."""
        for row in later.rows:
            if self.wants([problem.kind for problem in row.problems] or [each.fix for each in row.changes]):
                self.rows.append(row)
        self.total += later.total - len(later.rows)

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede these in the file."""
        for row in self.rows:
            row.record += offset


def shortened(value: Any) -> str:
    """Return a value as a short text."""
    text = "" if value is None else str(value)
    return f"{text[:MAX_CHARACTERS]}…" if len(text) > MAX_CHARACTERS else text


def address(value: Any) -> str:
    """Return an address; nothing for what is too long to be one."""
    return value if isinstance(value, str) and len(value) <= MAX_ADDRESS else ""


def excerpts(before: Any, after: Any) -> tuple[str | None, str | None]:
    """Return two values, shortened to where they differ; None stays what it is."""
    start = 0
    if isinstance(before, str) and isinstance(after, str) and max(len(before), len(after)) > MAX_CHARACTERS:
        same = (number for number, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
        start = max(0, next(same, min(len(before), len(after))) - CONTEXT)
    first, second = (
        None if value is None else shortened(f"…{str(value)[start:]}" if start else value)
        for value in (before, after)
    )
    return first, second
