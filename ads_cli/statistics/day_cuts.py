"""The days of a table while clocks are changed: none overlaps another, and no hour is between two.

The days of a question begin by the offset of today, and those that an earlier run stored by that of its own
day. Where these differ, the stored day beside the asked ones is cut by them, or an hour is between them: it
is asked again, as the 23 or 25 hours from where it began to where they begin.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from .grouping import grouped
from .periods import DAY, Period
from .question import Question
from .rows import TIMES, Row, Table

SHORT = DAY / 2  # what is shorter becomes a part of the day beside it
NEAR = 3 * DAY  # how far from the days that are asked for others may have to be asked again


def questions_again(question: Question, stored: Mapping[str, Sequence[Period]]) -> list[Question]:
    """Return the questions about days that a question cuts, given the stored days of each entity near it.

    They are asked by the hour, which may begin and end at any.
    """
    ids: dict[Period, list[str]] = {}
    for id, days in stored.items():
        for period in periods_again(question.period, days):
            ids.setdefault(period, []).append(id)
    return [
        msgspec.structs.replace(question, period=period, ids=tuple(own), granularity="HOUR")
        for period, own in ids.items()
    ]


def periods_again(asked: Period, stored: Sequence[Period]) -> list[Period]:
    """Return the periods just before and after the asked days that are to be asked again.

    The stored days are in their order.
    """
    before = [(day.end, day.start) for day in reversed(stored) if day.start < asked.start]
    after = [(day.start, day.end) for day in stored if day.end > asked.end]
    start, end = _far_end(asked.start, before), _far_end(asked.end, after)
    return [
        *([Period(start, asked.start)] if start else []),
        *([Period(asked.end, end)] if end else []),
    ]


def _far_end(edge: datetime, days: Sequence[tuple[datetime, datetime]]) -> datetime | None:
    """Return the other end of what is to be asked again on one side of the asked days, if anything.

    `days` are those of that side, the nearest first, each with its near end and its far end.
    """
    if not days:
        return None
    near, far = days[0]
    is_cut = min(near, far) < edge < max(near, far)
    gap = abs(edge - near)
    if not is_cut:
        if not gap or gap >= DAY:
            return None
        return far if gap < SHORT else near
    if abs(edge - far) < SHORT and len(days) > 1 and days[1][0] == far:
        return days[1][1]
    return far


def as_one_day(table: Table, period: Period) -> Table:
    """Return rows of hours as those of a period, which the rows of an entity are added up to."""
    summed = grouped(table, [key for key in table.keys if key not in TIMES])
    start, end = (table.keys.index(name) for name in TIMES)

    def timed() -> Iterator[Row]:
        for row in summed.rows:
            values = [*row]
            values[start], values[end] = (time.isoformat() for time in period)
            yield tuple(values)

    return summed._replace(rows=timed())
