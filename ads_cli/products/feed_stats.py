"""Statistics of a product feed: rows by value, and the first rows with a mistake or a change."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct, field

from ..api.problems import Problem
from ..api.validation import errors_in
from ..feeds.row import AppliedFix, Row
from ..feeds.rows import FIRST_LINES

MAX_ROWS = 1000  # with an error, a warning or a change each
MAX_KINDS = 1000  # of mistakes, of which the first rows are kept even beyond MAX_ROWS
MAX_CHARACTERS = 200  # of a value
MAX_ADDRESS = 2000  # characters of an address; a longer one is left out
MAX_PROBLEMS = 10  # of a row
CONTEXT = 30  # characters before the first that was changed


class SampleRow(Struct):
    """What a reader recognizes a product by, and what is said of it."""

    line: int
    record: int
    id: str
    title: str = ""
    link: str = ""
    image: str = ""
    problems: list[Problem] = []
    more_problems: int = 0
    changes: list[AppliedFix] = []

    @classmethod
    def of(cls, row: Row, record: int, problems: Iterable[Problem] = ()) -> "SampleRow":
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
                AppliedFix(change.fix, change.field, *excerpts(change.before, change.after))
                for change in islice(row.changes, MAX_PROBLEMS)
            ],
        )


class FirstRows(Struct):
    """The first rows, and the first of each kind."""

    rows: list[SampleRow] = []
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

    def add(self, later: "FirstRows", records: int) -> None:
        """Add rows that come later in the file, after `records` others."""
        for row in later.rows:
            if self.wants(
                [problem.kind for problem in row.problems] or [change.fix for change in row.changes]
            ):
                row.record += records
                self.rows.append(row)
        self.total += later.total - len(later.rows)


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


MAX_NAMES = 5000  # that are counted one by one
MAX_NAME = 100  # characters
CATEGORY_LEVELS = 2
PRICE = re.compile(r"([0-9]{1,15}(?:\.[0-9]+)?) ([A-Z]{3})")
PRICE_STEPS = [step * 10**power for power in range(8) for step in (1, 2, 5)]
NONE = ""  # the name of what is missing


class Counts(Struct):
    """Rows by a value; flat in memory however many values there are."""

    by_name: dict[str, int] = {}
    others: int = 0  # rows with further values

    def count(self, name: str, rows: int = 1) -> None:
        """Count rows with a value."""
        if name in self.by_name:
            self.by_name[name] += rows
        elif len(self.by_name) < MAX_NAMES:
            self.by_name[name] = rows
        else:
            self.others += rows

    def add(self, later: "Counts") -> None:
        """Add other counts."""
        for name, rows in later.by_name.items():
            self.count(name, rows)
        self.others += later.others

    def most(self, number: int) -> Iterator[tuple[str, int]]:
        """Yield the names with the most rows."""
        yield from sorted(self.by_name.items(), key=lambda item: (-item[1], item[0]))[:number]


class ProductStats(Struct):
    """Statistics of a run of rows; those that conversion leaves out are not counted."""

    rows: int = 0
    availabilities: Counts = field(default_factory=Counts)
    brands: Counts = field(default_factory=Counts)
    categories: Counts = field(default_factory=Counts)
    prices: dict[str, Counts] = {}  # by currency: rows by the number of the step below; see `price_range`
    unpriced: int = 0  # rows whose price cannot be read
    with_errors: FirstRows = field(default_factory=FirstRows)
    with_warnings: FirstRows = field(default_factory=FirstRows)  # and no error
    with_changes: FirstRows = field(default_factory=FirstRows)

    def note(self, row: Row, problems: list[Problem], record: int) -> None:
        """Note a row; `record` is its number in the run."""
        if not row.left_out:
            self._count(row.values)
        self.note_problems(row, problems, record)
        if row.changes and self.with_changes.wants({change.fix for change in row.changes}):
            self.with_changes.rows.append(SampleRow.of(row, record))

    def note_problems(self, row: Row, problems: list[Problem], record: int) -> None:
        """Note further problems of a row."""
        if problems:
            first = self.with_errors if errors_in(problems) else self.with_warnings
            if first.wants(problem.kind for problem in problems):
                first.rows.append(SampleRow.of(row, record, problems))

    def _count(self, values: dict[str, Any]) -> None:
        self.rows += 1
        self.availabilities.count(_name(values.get("availability")))
        self.brands.count(_name(values.get("brand")))
        levels = _name(values.get("product_type") or values.get("store_product_category")).split(">")
        self.categories.count(" > ".join(map(str.strip, levels[:CATEGORY_LEVELS])))
        price = values.get("price")
        match = PRICE.fullmatch(price) if isinstance(price, str) else None
        if match:
            counts = self.prices.get(match[2]) or self.prices.setdefault(match[2], Counts())
            counts.count(str(bisect_right(PRICE_STEPS, float(match[1]))))
        else:
            self.unpriced += 1

    def add(self, later: "ProductStats", records: int) -> None:
        """Add the statistics of the run of rows that follows; `records` precede it in the file."""
        self.rows += later.rows
        self.unpriced += later.unpriced
        for currency, counts in later.prices.items():
            self.prices.setdefault(currency, Counts()).add(counts)
        self.availabilities.add(later.availabilities)
        self.brands.add(later.brands)
        self.categories.add(later.categories)
        self.with_errors.add(later.with_errors, records)
        self.with_warnings.add(later.with_warnings, records)
        self.with_changes.add(later.with_changes, records)

    @property
    def samples(self) -> dict[int, SampleRow]:
        """The sample rows, by the number of the record."""
        kinds = (self.with_changes, self.with_warnings, self.with_errors)
        return {row.record: row for first in kinds for row in first.rows}


def price_range(step: int) -> str:
    """Name the prices between two steps."""
    if step == 0:
        return f"under {PRICE_STEPS[0]:,}"
    if step == len(PRICE_STEPS):
        return f"{PRICE_STEPS[-1]:,} and more"
    return f"{PRICE_STEPS[step - 1]:,} to {PRICE_STEPS[step]:,}"


def _name(value: Any) -> str:
    return NONE if value is None else str(value)[:MAX_NAME].strip()
