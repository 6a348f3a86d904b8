"""What a mirror says of itself."""

from datetime import datetime, timedelta
from typing import Any

from .days import any_time, stored_days
from .destination import Destination
from .further import DAYS, STATE, AccountState, account_states, tables


def read_status(destination: Destination) -> list[dict[str, Any]]:
    """Return a record for each account and catalog in a destination."""
    return [
        {
            "account": state.account_id,
            "service": state.service,
            "timezone": state.timezone,
            "contract": state.contract,
            "since": _text(state.since, "%Y-%m-%d"),
            "until": _text(state.until, "%Y-%m-%d"),
            "finished_at": _text(state.finished_at, "%Y-%m-%dT%H:%M:%SZ"),
            "rows": state.row_count,
            "gaps": _gaps(destination, state),
        }
        for state in sorted(account_states(destination.select(STATE)))
    ]


def _gaps(destination: Destination, state: AccountState) -> int:
    """Count the days of an account that some report lacks, or has other rows of than were written."""
    since, until, owner = state.since, state.until, state.account_id
    if not since or not until:
        return 0
    count = 0
    dates = {since + timedelta(days=number) for number in range((until - since).days)}
    for report, days in stored_days(destination.select(DAYS, owner)).items():
        counts = destination.day_counts(tables()[report], owner)
        there = {date for date, day in days.items() if day.row_count == counts.get(date, 0)}
        empty = {date for date, day in days.items() if not any_time(day.period)}
        count += len(dates - there - empty)
    return count


def _text(time: datetime | None, format: str) -> str | None:
    return time.strftime(format) if time else None
