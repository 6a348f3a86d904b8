"""Rows of statistics as a table for people: what tells rows apart, their numbers, and then the rest."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..api.metrics import metrics_of
from ..statistics.question import Question
from ..statistics.rows import CURRENCY, TIMES, Asked, Table

LEADING = ("billed_charge_local", "impressions", "clicks")
DAY, HOUR, MIDNIGHT = len("2026-03-01"), len("2026-03-01T08:00"), "T00:00"


def columns_for_people(asked: Asked, table: Table, by: Sequence[str], *, totals: bool) -> tuple[str, ...]:
    """Return the columns in the order of what a reader wants most: those that do not fit are left out."""
    has_names = any(one.name for one in asked.described.values())
    segment = ["segment"] if asked.question.segmentation else []
    first = [
        *(["entity"] if totals else []),
        *(by or ("name" if has_names else "entity_id", "start", *segment)),
    ]
    keys = [name for name in (*first, CURRENCY) if name in table.keys]
    rest = ("entity_id", "campaign", "end", "placement", *table.keys)
    leading = LEADING if _has_whole_groups(asked.question) else ()
    metrics = sorted(table.metrics, key=lambda name: leading.index(name) if name in leading else len(leading))
    return tuple(dict.fromkeys((*keys, *metrics, *rest)))


def _has_whole_groups(question: Question) -> bool:
    """Tell whether metrics were named by their groups, whose order is no wish of the reader's."""
    whole = [metric for group in question.groups for metric in metrics_of(question.entity, group)]
    return {*question.metrics} == {*whole}


def with_short_times(record: Mapping[str, Any], granularity: str) -> dict[str, Any]:
    """Return a row with a day as 2026-03-01 and an hour as 2026-03-01 08:00."""
    return {**record, **{name: _short(record[name], granularity) for name in TIMES if record.get(name)}}


def _short(time: str, granularity: str) -> str:
    is_day = granularity != "HOUR" and time[DAY:HOUR] == MIDNIGHT
    return time[:DAY] if is_day else time[:HOUR].replace("T", " ")
