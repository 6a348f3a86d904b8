"""What a line item counts in an hour, generated from its budget and objective.

Requested again, the numbers of an hour are the same, except that they settle as those of the service do.
Counts grow for a day, and the estimate of a charge falls for three.
"""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from ...api.line_items import APP_OBJECTIVES
from ...api.metrics import BILLED_CHARGE, CONVERSION_NUMBERS
from ..storage import Record

HOUR = timedelta(hours=1)
COUNTED_AFTER, CHARGED_AFTER = timedelta(hours=24), timedelta(hours=72)
COUNTED_AT_FIRST = 0.8  # part of what happened that is counted at once
ESTIMATE = 0.04  # part of a charge that an estimate adds at first
DEFAULT_DAILY_BUDGET = 40_000_000  # micro-units, of a line item whose campaign has none
DEFAULT_FLIGHT_DAYS = 365  # of a line item with a total budget and without an end
MOST_OF_BUDGET = 0.95
# The share of each hour of a day, in UTC; they add up to 1.
_HOURS = (2, 1, 1, 1, 1, 2, 3, 4, 5, 5, 5, 5, 6, 6, 5, 5, 6, 6, 7, 7, 6, 5, 4, 2)
HOURS = tuple(share / sum(_HOURS) for share in _HOURS)
WEEKDAYS = (0.9, 0.88, 0.9, 0.92, 0.96, 1.0, 0.98)  # from Monday on
# Of a thousand impressions: how many lead to each. Random numbers are drawn in this order, so a new rate
# moves every later number, also those that README.md shows.
RATES = {
    "likes": 9.0,
    "reposts": 2.0,
    "replies": 1.2,
    "follows": 0.6,
    "clicks": 12.0,
    "card_engagements": 4.0,
    "carousel_swipes": 0.8,
    "qualified_impressions": 640.0,
}
VIDEO_RATES = (  # each a part of the one before; the first of impressions
    ("video_content_starts", 0.55),
    ("video_total_views", 0.7),
    ("video_views_25", 0.8),
    ("video_3s100pct_views", 0.95),
    ("video_views_50", 0.8),
    ("video_6s_views", 0.95),
    ("video_views_75", 0.8),
    ("video_15s_views", 0.95),
    ("video_views_100", 0.85),
)
VIDEO_OBJECTIVES = ("VIDEO_VIEWS", "PREROLL_VIEWS")
# By objective: conversions of a thousand clicks.
WEB_RATES = {"site_visits": 300.0, "content_views": 180.0, "add_to_carts": 40.0, "purchases": 14.0}
APP_RATES = {"installs": 250.0, "logins": 60.0, "key_page_views": 120.0, "purchases": 6.0}
LIFETIME_RATES = {"purchases": 9.0, "sign_ups": 30.0}
MICROS_PER_ORDER = 42_000_000
CACHED_HOURS = 8192  # of line items; each takes 2 KB

Counts = dict[str, int]  # by metric; a number of a conversion is `metric.number`


class LineItemNumbers(NamedTuple):
    """What the numbers of a line item are generated from."""

    id: str
    objective: str
    daily_budget: int  # micro-units, as is the cost
    cost_of_thousand: int  # impressions
    popularity: float

    @classmethod
    def of(cls, line_item: Record, campaign: Record, earlier: int) -> "LineItemNumbers":
        """Take a line item, and how many of the campaign are older: each leaves half of its budget."""
        id = line_item["id"]
        budget = _daily_budget(line_item, campaign, 2 ** (earlier + 1))
        cost = 2_500_000 + int(6_000_000 * _unit(id, "price"))
        return cls(id, line_item["objective"], budget, cost, 0.6 + 0.9 * _unit(id, "popularity"))

    def at(self, hour: datetime, now: datetime) -> Mapping[str, int]:
        """Return what is counted of an hour in UTC at a time."""
        if hour + HOUR > now:
            return {}
        final = _final(self, hour)
        age = now - hour
        if age >= CHARGED_AFTER:
            return final
        counted = _grown(age / COUNTED_AFTER, COUNTED_AT_FIRST)
        charged = 1 + ESTIMATE * max(0.0, 1 - age / CHARGED_AFTER)
        return {
            name: int(number * (charged if name == BILLED_CHARGE else counted))
            for name, number in final.items()
        }


@lru_cache(CACHED_HOURS)
def _final(of: LineItemNumbers, hour: datetime) -> Mapping[str, int]:
    draw = _Draw(f"{of.id} {hour:%Y-%m-%d %H}")
    season = 0.9 + 0.1 * math.sin(2 * math.pi * hour.timetuple().tm_yday / 365.25)
    share = MOST_OF_BUDGET * HOURS[hour.hour] * WEEKDAYS[hour.weekday()] * season
    charge = int(of.daily_budget * share * (0.85 + 0.15 * draw.unit()))
    impressions = charge * 1000 // of.cost_of_thousand
    counts = {BILLED_CHARGE: charge, "impressions": impressions}
    for name, rate in RATES.items():
        popularity = 1.0 if name == "qualified_impressions" else of.popularity
        counts[name] = draw.rounded(impressions * rate * popularity / 1000)
    is_app = of.objective in APP_OBJECTIVES
    counts["app_clicks" if is_app else "url_clicks"] = draw.rounded(counts["clicks"] * 0.7)
    counts["engagements"] = sum(
        counts[name] for name in ("likes", "reposts", "replies", "follows", "clicks", "card_engagements")
    )
    counts["billed_engagements"] = counts["engagements"]
    if of.objective in VIDEO_OBJECTIVES:
        counts |= _video(impressions, draw)
    if of.objective == "WEBSITE_CLICKS":
        counts |= _conversions("conversion", WEB_RATES, counts["clicks"], draw)
    if is_app:
        counts |= _conversions("mobile_conversion", APP_RATES, counts["clicks"], draw)
        counts |= _conversions("mobile_conversion_lifetime_value", LIFETIME_RATES, counts["clicks"], draw)
    return counts


def _video(impressions: int, draw: "_Draw") -> Counts:
    counts, before = Counts(), impressions
    for name, rate in VIDEO_RATES:
        counts[name] = before = draw.rounded(before * rate)
    return counts | {"video_cta_clicks": draw.rounded(before * 0.03)}


def _conversions(prefix: str, rates: Mapping[str, float], clicks: int, draw: "_Draw") -> Counts:
    counts: Counts = {}
    for event, rate in rates.items():
        after_view, after_engagement = (draw.rounded(clicks * rate * part / 1000) for part in (0.4, 0.6))
        orders = after_view + after_engagement if event == "purchases" else 0
        amounts = (after_view, after_engagement, after_view // 3, orders, orders * MICROS_PER_ORDER)
        numbers = zip(CONVERSION_NUMBERS, amounts, strict=True)
        counts |= {f"{prefix}_{event}.{name}": number for name, number in numbers}
    return counts


def _daily_budget(line_item: Record, campaign: Record, part_of_campaign: int) -> int:
    """Return the micro-units of a day, with which no budget is exceeded."""
    names = ("daily_budget_amount_local_micro", "total_budget_amount_local_micro")
    parts = ((line_item, 1), (campaign, part_of_campaign))
    daily, totals = (
        [amount // part for record, part in parts if (amount := record.get(name)) is not None]
        for name in names
    )
    start, end = line_item.get("start_time"), line_item.get("end_time")
    days = DEFAULT_FLIGHT_DAYS
    if start and end:
        flight = datetime.fromisoformat(end) - datetime.fromisoformat(start)
        days = max(1, math.ceil(flight / timedelta(days=1)))
    return min([*daily, *(total // days for total in totals)], default=DEFAULT_DAILY_BUDGET)


def budget_spent_at(line_item: Record, campaign: Record) -> datetime | None:
    """Return the time at which a total budget without an end is spent; None where nothing ends it."""
    has_total = any(record.get("total_budget_amount_local_micro") for record in (line_item, campaign))
    if not has_total or line_item.get("end_time") or not line_item.get("start_time"):
        return None
    return datetime.fromisoformat(line_item["start_time"]) + timedelta(days=DEFAULT_FLIGHT_DAYS)


def _grown(age: float, at_first: float) -> float:
    return 1.0 if age >= 1 else at_first + (1 - at_first) * age


def _unit(*seed: str) -> float:
    """Return a number from 0 to 1 that belongs to a seed."""
    return int.from_bytes(blake2b(" ".join(seed).encode(), digest_size=4).digest()) / 2**32


class _Draw:
    """A sequence of numbers that belongs to a seed."""

    def __init__(self, seed: str) -> None:
        self._bytes = iter(blake2b(seed.encode(), digest_size=64).digest())

    def unit(self) -> float:
        """Return the next number from 0 to 1."""
        return next(self._bytes, 128) / 256

    def rounded(self, value: float) -> int:
        """Round up or down, by the next number."""
        return int(value + self.unit())
