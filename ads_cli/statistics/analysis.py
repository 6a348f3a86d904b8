"""What is computed from rows before they are shown: sums, an earlier period beside them, their order."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from functools import partial
from typing import Any, NamedTuple

import msgspec

from ..api.metrics import BEFORE, TOTAL
from ..api.names import Names
from ..errors import UsageError
from ..spelling import comma_list, suggestion
from .answers import QueryResult
from .derived import with_derived
from .periods import Period
from .query import StatsQuery, is_money
from .rows import (
    CURRENCY,
    OWNERS,
    POST,
    SEGMENT_KEYS,
    SEGMENT_VALUE,
    TIMES,
    ResultContext,
    Row,
    StatsTable,
    Times,
    rows_of,
    table_of,
)

PREVIOUS, YEAR, NONE = "previous", "year", "none"
WORDS = (PREVIOUS, YEAR, NONE)
RANGE = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)")
EXAMPLES = "previous, year, or 2026-02-01..2026-03-01, whose last day is not included"

FIRST_YEAR = 2006

Range = tuple[date, date]
Answers = Iterable[Sequence[QueryResult]]  # of every few entities
Earlier = tuple[ResultContext, Answers]  # the period to compare with


class RowOrder(NamedTuple):
    """Which rows are shown first, and how many."""

    column: str | None = None  # None: the order in which they were answered
    descending: bool = False
    top: int | None = None

    @property
    def is_given(self) -> bool:
        """Tell whether rows are sorted or cut."""
        return self.column is not None or self.top is not None

    @classmethod
    def parse(cls, sort: str | None, top: int | None) -> "RowOrder":
        """Parse `--sort -spend`."""
        if not sort:
            return cls(top=top)
        name = sort.strip()
        return cls(name.removeprefix("-"), name.startswith("-"), top)

    def named(self, names: Names, columns: Sequence[str]) -> "RowOrder":
        """Return the order by a column of the rows, of whichever name; raise UsageError if there is none."""
        if self.column is None:
            return self
        column = self.column if self.column in columns else names.name(self.column)
        if column not in columns:
            require_columns("--sort", [self.column], columns)
        return self._replace(column=column)

    def applied(self, table: StatsTable) -> StatsTable:
        """Sort rows, those without a value last; totals stay at the end, of all rows."""
        if not self.is_given:
            return table
        rows = [*table.rows]
        totals = [row for row in rows if row[0] == TOTAL]
        rows = rows[: len(rows) - len(totals)]
        if self.column is not None:
            at = table.columns.index(self.column)
            with_value = [row for row in rows if row[at] is not None]
            with_value.sort(key=lambda row: row[at], reverse=self.descending)
            rows = with_value + [row for row in rows if row[at] is None]
        return table._replace(rows=[*rows[: self.top], *totals])


class Analysis(msgspec.Struct, frozen=True):
    """What the options `--group-by`, `--totals`, `--sort`, `--top` and `--compare` ask for."""

    group_by: tuple[str, ...] = ()
    has_totals: bool = False
    order: RowOrder = RowOrder()
    compare: str | Range | None = None  # the period to compare with; None where `--compare` is not given

    @property
    def is_compared(self) -> bool:
        """Tell whether the rows show the earlier period."""
        return self.compare not in (None, NONE)

    def earlier(self, query: StatsQuery, *, for_page: bool) -> StatsQuery | None:
        """Return the query about the period to compare with, if there is one; raise UsageError.

        A page is compared with the period before, where `--compare` does not say otherwise.
        """
        compare = self.compare or (PREVIOUS if for_page else NONE)
        if compare == NONE:
            return None
        period = earlier_period(query, compare)
        earlier = msgspec.structs.replace(query, period=period)
        if period.start.year >= FIRST_YEAR:
            return earlier
        if not self.is_compared:
            return None
        raise UsageError(f"--compare: {earlier.period.text} is before there were statistics")

    def sums(self, context: ResultContext, answers: Answers, before: Earlier | None) -> StatsTable:
        """Return the rows of the answers, added up; those of the earlier period are beside them."""
        table = compared(context, answers, *before) if before else table_of(context, answers)
        return with_totals(table, self.group_by) if self.has_totals else grouped(table, self.group_by)

    def shown(self, context: ResultContext, table: StatsTable) -> StatsTable:
        """Return sums with the columns that are shown, derived metrics among them, in their order."""
        metrics, named = context.query.metrics, context.query.shown
        if not self.is_compared:
            table = without_earlier(table)
        table = with_derived(table, metrics, named, context.names)
        return self.order.applied(table)

    def changes_rows(self, query: StatsQuery) -> bool:
        """Tell whether the rows shown are others than sums in the order of the answers."""
        return bool(query.shown) or self.order.is_given or self.is_compared


def parse_compare(text: str | None) -> str | Range | None:
    """Return what `--compare` names; raise UsageError."""
    if text is None:
        return None
    word = text.strip().lower()
    if word in WORDS:
        return word
    match = RANGE.fullmatch(word)
    try:
        start, end = map(date.fromisoformat, match.groups() if match else ())
    except ValueError:
        raise UsageError(
            f"--compare: {text!r} is not a period{suggestion(word, WORDS)}", hint=EXAMPLES
        ) from None
    if end <= start or start.year < FIRST_YEAR:
        raise UsageError(f"--compare: {text} is not a period that has statistics", hint=EXAMPLES)
    return start, end


def earlier_period(query: StatsQuery, compare: str | Range) -> Period:
    """Return the period to compare with; raise UsageError where it has not as many days or hours."""
    start, end = query.period
    if compare == PREVIOUS:
        return Period(start - (end - start), start)
    if compare == YEAR:
        earlier = _a_year_before(start, leap_day=(2, 28))
        if query.granularity == "TOTAL":
            return Period(earlier, _a_year_before(end, leap_day=(3, 1)))
        return Period(earlier, earlier + (end - start))
    assert not isinstance(compare, str)
    first, last = (datetime.combine(day, time(), start.tzinfo) for day in compare)
    period = Period(first, last)
    if query.granularity != "TOTAL" and last - first != end - start:
        steps = [f"{counted.count(query.granularity)}" for counted in (query.period, period)]
        raise UsageError(
            f"--compare: {' and '.join(steps)} {query.granularity.lower()}s cannot be set side by side",
            hint="choose a period of the same length, or --granularity TOTAL",
        )
    return period


def _a_year_before(time: datetime, leap_day: tuple[int, int]) -> datetime:
    """Return the same date a year before; the month and day of `leap_day` stand for 29 February."""
    own = (time.month, time.day)
    month, day = leap_day if own == (2, 29) else own
    return time.replace(year=time.year - 1, month=month, day=day)


def compared(
    context: ResultContext, answers: Answers, earlier: ResultContext, earlier_answers: Answers
) -> StatsTable:
    """Return the rows with the numbers of the earlier period after theirs.

    The first day is beside the first, and so on. What was counted in the earlier period only, such as a
    segment, has a row without numbers of now.
    """
    table = table_of(context, ())

    def joined() -> Iterator[Row]:
        times, earlier_times = context.times, earlier.times
        for few, earlier_few in zip(answers, earlier_answers, strict=True):
            before = rows_of(earlier, earlier_few, earlier_times)
            yield from _side_by_side(table, times, rows_of(context, few, times), before, earlier_times)

    metrics = (*table.metrics, *(f"{name}{BEFORE}" for name in table.metrics))
    return table._replace(metrics=metrics, rows=joined())


def without_earlier(table: StatsTable) -> StatsTable:
    """Return the rows without the numbers of an earlier period, if they have any."""
    if not table.is_compared:
        return table
    half = len(table.metrics) // 2
    rows = (row[: len(row) - half] for row in table.rows)
    return table._replace(metrics=table.metrics[:half], rows=rows)


def _side_by_side(
    table: StatsTable,
    times: Times,
    rows: Iterable[Row],
    before: Iterable[Row],
    earlier_times: Times,
) -> Iterator[Row]:
    width, none = len(table.keys), [None] * len(table.metrics)
    start, end = (table.keys.index(name) for name in TIMES)
    own = [position for position in range(width) if position not in (start, end)]
    now_at, then_at = ({time: at for at, time in enumerate(of.start)} for of in (times, earlier_times))

    def key(row: Row, at: dict[str, int]) -> tuple[Any, ...]:
        return at[row[start]], *(row[position] for position in own)

    then = {key(row, then_at): row for row in before}
    for row in rows:
        earlier = then.pop(key(row, now_at), None)
        yield *row, *(earlier[width:] if earlier else none)
    for (at, *_), row in then.items():
        values = [*row[:width], *none, *row[width:]]
        values[start], values[end] = times.start[at], times.end[at]
        yield tuple(values)


def parse_group_by(text: str | None) -> tuple[str, ...]:
    """Return the columns to group by; raise UsageError."""
    names = comma_list(text or "")
    for name in names:
        if name not in SEGMENT_KEYS:
            raise UsageError(
                f"--group-by: {name!r} is not a column to group by{suggestion(name, SEGMENT_KEYS)}",
                hint=f"columns: {', '.join(SEGMENT_KEYS)}; start is the day, name that of what --entity says",
            )
    return tuple(name for name in SEGMENT_KEYS if name in names)


def grouped(table: StatsTable, by: Collection[str]) -> StatsTable:
    """Return one row for each combination of values, in the order in which they first occur.

    Amounts are grouped by their currency too. Where `by` names no column, the rows stay as they are.
    """
    if not by:
        return table
    kept = {*by, *_currency_of(table)}
    positions = [position for position, name in enumerate(table.keys) if name in kept]

    def sums() -> Iterator[Row]:
        groups = defaultdict[Row, _Group](partial(_Group, table))
        for row in table.rows:
            groups[tuple(row[position] for position in positions)].add(row)
        for key, group in groups.items():
            yield group.row(dict(zip(positions, key, strict=True)))

    return table._replace(rows=sums())


def with_totals(table: StatsTable, by: Collection[str]) -> StatsTable:
    """Return the rows, grouped by columns, and then the total of all, with amounts by currency.

    The total is made of the rows before they are grouped. They still tell whose numbers they are, so that a
    post in several campaigns counts once.
    """
    has_currency = bool(_currency_of(table))
    totals = defaultdict[Any, _Group](partial(_Group, table))

    def added() -> Iterator[Row]:
        for row in table.rows:
            totals[row[len(table.keys) - 1] if has_currency else None].add(row)
            yield row

    def then_totals() -> Iterator[Row]:
        yield from grouped(table._replace(rows=added()), by).rows
        for group in totals.values() if totals else [_Group(table)]:
            yield group.row({0: TOTAL})

    return table._replace(rows=then_totals())


def _currency_of(table: StatsTable) -> tuple[str, ...]:
    """Name the column that tells sums of amounts apart; counts alone have a sum over all currencies."""
    return (CURRENCY,) if any(is_money(name.removesuffix(BEFORE)) for name in table.metrics) else ()


class _Group:
    """The sums of some rows; what is empty in all stays so."""

    def __init__(self, table: StatsTable) -> None:
        self._width, self._repeated_posts = len(table.keys), table.repeated_posts
        self._post = table.keys.index(POST)
        self._owners = [table.keys.index(name) for name in (*OWNERS, CURRENCY)]
        same = (*TIMES, "placement", SEGMENT_VALUE, POST)
        self._same = [position for position, name in enumerate(table.keys) if name in same]
        self._seen = set[Row]()
        self._common = dict[int, Any]()  # at their positions: what all rows lie in, and their currency
        self._numbers: list[Any] = [None] * len(table.metrics)

    def add(self, row: Row) -> None:
        """Add a row. Of a post in several campaigns, which have the same numbers, add only the first."""
        common, numbers = self._common, self._numbers
        for position in self._owners:
            value = row[position]
            if common.setdefault(position, value) != value:
                common[position] = None
        if self._repeated_posts and row[self._post] in self._repeated_posts:
            same = (*(row[position] for position in self._same), *row[self._width :])
            if same in self._seen:
                return
            self._seen.add(same)
        for position, number in enumerate(row[self._width :]):
            if number is not None:
                total = numbers[position]
                numbers[position] = number if total is None else total + number

    def row(self, keys: dict[int, Any]) -> Row:
        """Return the row of the sums, with these keys at their positions."""
        values = self._common | keys
        return *map(values.get, range(self._width)), *self._numbers


def require_columns(option: str, named: Iterable[str], columns: Sequence[str]) -> None:
    """Raise UsageError for a column that rows do not have."""
    for name in named:
        if name not in columns:
            raise UsageError(
                f"{option}: no column {name!r}{suggestion(name, columns)}",
                hint=f"columns: {', '.join(dict.fromkeys(columns))}",
            )
