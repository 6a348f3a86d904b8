"""What a mirror says of itself."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from .days import any_time, stored_days
from .destination import Destination, Value
from .further import DAYS, STATE, tables


def read_status(destination: Destination) -> list[dict[str, Any]]:
    """Return a record for each account and catalog in a destination."""
    states = (dict(zip(STATE.names, row, strict=True)) for row in destination.select(STATE))
    return [
        {
            "account": state["account_id"],
            **{name: state[name] for name in ("service", "timezone", "contract")},
            **{name: _text(state[name], "%Y-%m-%d") for name in ("since", "until")},
            "finished_at": _text(state["finished_at"], "%Y-%m-%dT%H:%M:%SZ"),
            "rows": state["row_count"],
            "gaps": _gaps(destination, state),
        }
        for state in sorted(states, key=lambda state: str(state["account_id"]))
    ]


def _gaps(destination: Destination, state: Mapping[str, Value]) -> int:
    """Count the days of an account that some report lacks, or has other rows of than were written."""
    since, until, owner = state["since"], state["until"], str(state["account_id"])
    if not isinstance(since, datetime) or not isinstance(until, datetime):
        return 0
    count = 0
    dates = {since + timedelta(days=number) for number in range((until - since).days)}
    for report, days in stored_days(destination.select(DAYS, owner)).items():
        counts = destination.day_counts(tables()[report], owner)
        there = {date for date, day in days.items() if day.row_count == counts.get(date, 0)}
        empty = {date for date, day in days.items() if not any_time(day.period)}
        count += len(dates - there - empty)
    return count


def _text(value: Value, format: str) -> str | None:
    return value.strftime(format) if isinstance(value, datetime) else None
