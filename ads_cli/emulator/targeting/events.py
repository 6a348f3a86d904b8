"""Events that recur every year, in this year and the next."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from ...api.time import Time
from ..storage.store import Record

YEARS = 2


def events(yearly: Mapping[str, Sequence[str]]) -> Iterator[Record]:
    """Yield the events of this year and the next, by their beginnings.

    `yearly` has by name the type of an event, the country (empty: everywhere), month and day, and the days
    that it lasts.
    """
    this_year = datetime.now(UTC).year
    for year in range(this_year, this_year + YEARS):
        for name, (event_type, country, first_day, days) in yearly.items():
            start = datetime.fromisoformat(f"{year}-{first_day}T00:00:00+00:00")
            yield _event(f"{name} {year}", event_type, country, start, start + timedelta(days=int(days)))


def _event(name: str, event_type: str, country: str, start: datetime, end: datetime) -> Record:
    return {
        "name": name,
        "targeting_value": hashlib.blake2b(name.encode(), digest_size=8).hexdigest(),
        "event_type": event_type,
        "start_time": Time.of(start),
        "end_time": Time.of(end),
        "is_global": not country,
        "country_code": country or None,
        "reach": {"total_reach": None},
        "top_users": [],
        "top_posts": [],
        "top_hashtags": [],
        "gender_breakdown_percentage": {},
        "device_breakdown_percentage": {},
        "country_breakdown_percentage": {},
    }
