"""Rows beside those of an earlier period: what the numbers were then."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

import msgspec

from ..errors import UsageError
from ..spelling import suggestion
from .periods import Period
from .query import StatsQuery
from .rows import BEFORE, TIMES, QueryResult, ResultContext, Row, StatsTable, rows_of, table_of

PREVIOUS, YEAR, NONE = "previous", "year", "none"
WORDS = (PREVIOUS, YEAR, NONE)
RANGE = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)")
EXAMPLES = "previous, year, or 2026-02-01..2026-03-01, whose last day is not included"

FIRST_YEAR = 2006

Range = tuple[date, date]


def parse_compare(text: str | None) -> str | Range | None:
    """Return what `--compare` names; raise UsageError."""
    if text is None:
        return None
    word = text.strip().lower()
    if word in WORDS:
        return word
    found = RANGE.fullmatch(word)
    try:
        start, end = map(date.fromisoformat, found.groups() if found else ())
    except ValueError:
        raise UsageError(
            f"--compare: {text!r} is not a period{suggestion(word, WORDS)}", hint=EXAMPLES
        ) from None
    if end <= start or start.year < FIRST_YEAR:
        raise UsageError(f"--compare: {text} is not a period that has statistics", hint=EXAMPLES)
    return start, end


def earlier_period(asked: StatsQuery, compare: str | Range) -> Period:
    """Return the period to compare with; raise UsageError where it has not as many days or hours."""
    start, end = asked.period
    if compare == PREVIOUS:
        return Period(start - (end - start), start)
    if compare == YEAR:
        is_leap_day = (start.month, start.day) == (2, 29)
        earlier = start.replace(year=start.year - 1, day=28 if is_leap_day else start.day)
        return Period(earlier, earlier + (end - start))
    assert not isinstance(compare, str)
    first, last = (datetime.combine(day, time(), start.tzinfo) for day in compare)
    period = Period(first, last)
    if asked.granularity != "TOTAL" and last - first != end - start:
        steps = [f"{each.count(asked.granularity)}" for each in (asked.period, period)]
        raise UsageError(
            f"--compare: {' and '.join(steps)} {asked.granularity.lower()}s cannot be set side by side",
            hint="choose a period of the same length, or --granularity TOTAL",
        )
    return period


def earlier_context(asked: ResultContext, compare: str | Range) -> ResultContext:
    """Return the question about the earlier period."""
    period = earlier_period(asked.question, compare)
    return asked._replace(question=msgspec.structs.replace(asked.question, period=period))


def compared(
    asked: ResultContext,
    answers: Iterable[Sequence[QueryResult]],
    earlier: ResultContext,
    earlier_answers: Iterable[Sequence[QueryResult]],
) -> StatsTable:
    """Return the rows with the numbers of the earlier period after theirs.

    The first day is beside the first, and so on. What was counted in the earlier period only, such as a
    segment, has a row without numbers of now.
    """
    table = table_of(asked, ())

    def joined() -> Iterator[Row]:
        times, earlier_times = asked.times, earlier.times
        for few, earlier_few in zip(answers, earlier_answers, strict=True):
            before = rows_of(earlier, earlier_few, earlier_times)
            yield from _side_by_side(table, times, rows_of(asked, few, times), before, earlier_times)

    metrics = (*table.metrics, *(f"{name}{BEFORE}" for name in table.metrics))
    return table._replace(metrics=metrics, rows=joined())


def without_earlier(table: StatsTable) -> StatsTable:
    """Return the rows without the numbers of the earlier period."""
    half = len(table.metrics) // 2
    rows = (row[: len(row) - half] for row in table.rows)
    return table._replace(metrics=table.metrics[:half], rows=rows)


def _side_by_side(
    table: StatsTable,
    times: tuple[list[str], list[str]],
    rows: Iterable[Row],
    before: Iterable[Row],
    earlier_times: tuple[list[str], list[str]],
) -> Iterator[Row]:
    width, none = len(table.keys), [None] * len(table.metrics)
    start, end = (table.keys.index(name) for name in TIMES)
    own = [position for position in range(width) if position not in (start, end)]
    now_at, then_at = ({each: at for at, each in enumerate(starts)} for starts, _ in (times, earlier_times))

    def key(row: Row, at: dict[str, int]) -> tuple[Any, ...]:
        return at[row[start]], *(row[position] for position in own)

    then = {key(row, then_at): row for row in before}
    for row in rows:
        found = then.pop(key(row, now_at), None)
        yield *row, *(found[width:] if found else none)
    for (at, *_), row in then.items():
        values = [*row[:width], *none, *row[width:]]
        values[start], values[end] = times[0][at], times[1][at]
        yield tuple(values)
