"""The numbers of an entity in a period, added up from those of its line items.

`AccountNumbers` finds the line items of an entity, or its part of one (`SeriesSource`). `series` adds up
their hours, which `LineItemNumbers` generates.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ...api.metrics import metrics_of, numbers_of
from ..core.responses import not_found
from ..storage import Record, Store
from .history import ActiveTimes, Interval
from .line_item_numbers import HOUR, Counts, LineItemNumbers, budget_spent_at


def hours(start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield the hours in UTC that begin in a period: each in one of two periods that meet within it."""
    hour = start.replace(minute=0, second=0, microsecond=0)
    hour += HOUR if hour < start else timedelta()
    while hour < end:
        yield hour
        hour += HOUR


# The entities that a line item has, among which its numbers are divided.
MEMBERS = ("PROMOTED_POST", "PROMOTED_ACCOUNT", "MEDIA_CREATIVE")
PERIODS = {"HOUR": HOUR, "DAY": timedelta(days=1)}


class PeopleSegment(NamedTuple):
    """A part of the people who saw ads."""

    name: str
    value: str
    share: float


class SeriesSource(NamedTuple):
    """A line item, when it was active, and which of its members is asked for: all without one."""

    numbers: LineItemNumbers
    active: list[Interval]
    member: str = ""
    members: Sequence[tuple[str, list[Interval]]] = ()

    def at(self, hour: datetime, now: datetime) -> Mapping[str, int]:
        """Return what is counted of an hour."""
        if not _has(self.active, hour):
            return {}
        counts = self.numbers.at(hour, now)
        if not self.member:
            return counts
        present = [id for id, active in self.members if _has(active, hour)]
        if self.member not in present:
            return {}
        index, count = present.index(self.member), len(present)
        return {name: value // count + (index < value % count) for name, value in counts.items()}


class AccountNumbers:
    """The line items of an account, with their campaigns and members."""

    def __init__(self, store: Store, account: Record) -> None:
        self.account = account
        # Days begin at midnight by the offset of today, whatever it was on the day.
        offset = datetime.now(ZoneInfo(account["timezone"])).utcoffset()
        self.zone = timezone(offset or timedelta())
        self._store = store
        self._activity = ActiveTimes(store, account["id"])
        self._funding = {
            funding_instrument["id"]: funding_instrument
            for funding_instrument in self._all("FUNDING_INSTRUMENT")
        }
        self._campaigns = {campaign["id"]: campaign for campaign in self._all("CAMPAIGN")}
        self._line_items = {line_item["id"]: line_item for line_item in self._all("LINE_ITEM")}
        self._sources: dict[str, SeriesSource] = {}
        older: Counter[str] = Counter()  # line items by campaign
        for id, line_item in self._line_items.items():
            campaign = self._campaign_of(line_item)
            numbers = LineItemNumbers.of(line_item, campaign, older[campaign["id"]])
            self._sources[id] = SeriesSource(numbers, self._active_times(line_item, campaign))
            older[campaign["id"]] += 1

    def _all(self, entity: str) -> list[Record]:
        return self._store.find_all(entity.lower(), self.account["id"], with_deleted=True)

    def _campaign_of(self, line_item: Record) -> Record:
        return self._campaigns[line_item["campaign_id"]]

    def _active_times(self, line_item: Record, campaign: Record) -> list[Interval]:
        """Return when a line item, its campaign and what pays for it were all active."""
        funding = self._funding[campaign["funding_instrument_id"]]
        times = self._activity.of("FUNDING_INSTRUMENT", funding)
        times = self._activity.of("CAMPAIGN", campaign, times)
        times = self._activity.of("LINE_ITEM", line_item, times)
        if spent := budget_spent_at(line_item, campaign):
            times = [time._replace(end=min(time.end, spent)) for time in times]
        return [time for time in times if not time.is_empty]

    def sources(self, entity: str, id: str) -> list[SeriesSource]:
        """Return the line items that an entity's numbers come from; raise ApiError (404) if there is none."""
        if entity == "ACCOUNT" and id == self.account["id"]:
            return [*self._sources.values()]
        record = self._store.find(entity.lower(), id, owner=self.account["id"], with_deleted=True)
        if record is None:
            raise not_found(entity.lower(), id)
        if entity == "LINE_ITEM":
            return [self._sources[id]]
        if entity in MEMBERS:
            return [self._member(entity, record)]
        own = self._line_items.values()
        if entity == "CAMPAIGN":
            return [self._sources[record["id"]] for record in own if record["campaign_id"] == id]
        assert entity == "FUNDING_INSTRUMENT"
        paid = [record for record in own if self._campaign_of(record)["funding_instrument_id"] == id]
        return [self._sources[campaign["id"]] for campaign in paid]

    def counted(self, entity: str, id: str) -> list[SeriesSource]:
        """Return what the numbers of an entity count.

        Those of a post in several campaigns are the same in each of them: all that the post brought.
        """
        sources = self.sources(entity, id)
        if entity != "PROMOTED_POST":
            return sources
        promoted = self._all(entity)
        post = next(promotion["post_id"] for promotion in promoted if promotion["id"] == id)
        same = [promotion for promotion in promoted if promotion["post_id"] == post]
        campaigns = {self._line_items[record["line_item_id"]]["campaign_id"] for record in same}
        return [self._member(entity, record) for record in same] if len(campaigns) > 1 else sources

    def _member(self, entity: str, record: Record) -> SeriesSource:
        line_item = record["line_item_id"]
        siblings = [record for record in self._all(entity) if record["line_item_id"] == line_item]
        members = [(record["id"], self._activity.of(entity, record)) for record in siblings]
        return self._sources[line_item]._replace(member=record["id"], members=members)

    def ids(self, entity: str) -> list[str]:
        """Return the ids of all entities of a kind."""
        return [record["id"] for record in self._all(entity)]

    def active_times(self, entity: str, id: str, period: Interval) -> list[Interval]:
        """Return when the line items of an entity were active within a period."""
        times = [time.within(period) for source in self.sources(entity, id) for time in source.active]
        return [time for time in times if not time.is_empty]


def series(
    sources: Iterable[SeriesSource],
    period: Interval,
    granularity: str,
    now: datetime,
    segments: Sequence[PeopleSegment] = (),
) -> list[list[Counts]]:
    """Return what was counted: for each segment, or once for all, a Counts for each part of the period.

    The period must not be empty.
    """
    step = PERIODS.get(granularity, period.end - period.start)
    parts = []
    sources, start = list(sources), period.start
    while start < period.end:
        parts.append(_total(sources, start, min(start + step, period.end), now, segments))
        start += step
    return [list(column) for column in zip(*parts, strict=True)]


def _total(
    sources: list[SeriesSource],
    start: datetime,
    end: datetime,
    now: datetime,
    segments: Sequence[PeopleSegment],
) -> list[Counts]:
    """Add up the hours of one part of a period, by segment."""
    totals: list[Counts] = [{} for _ in segments or ("all",)]
    for hour in hours(start.astimezone(UTC), min(end, now).astimezone(UTC)):
        for source in sources:
            for total, counts in zip(totals, _divided(source.at(hour, now), segments), strict=True):
                for name, number in counts.items():
                    total[name] = total.get(name, 0) + number
    return totals


def _divided(counts: Mapping[str, int], segments: Sequence[PeopleSegment]) -> Iterator[Mapping[str, int]]:
    """Divide what was counted among segments, or yield it whole.

    A segment has the difference of two running totals, so that all parts together are the whole.
    """
    if not segments:
        yield counts
        return
    whole, share = sum(segment.share for segment in segments), 0.0
    before = dict.fromkeys(counts, 0)
    for segment in segments:
        share += segment.share
        until = {name: int(value * share / whole + 1e-9) for name, value in counts.items()}
        yield {name: until[name] - before[name] for name in counts}
        before = until


def metrics(entity: str, groups: Iterable[str], parts: Sequence[Counts]) -> dict[str, Any]:
    """Return the metrics of groups: a list of numbers, or null where nothing was counted."""
    metrics: dict[str, Any] = {}
    for group in groups:
        for name in metrics_of(entity, group):
            if names := numbers_of(name):
                numbers = {number: _numbers(f"{name}.{number}", parts) for number in names}
                metrics[name] = numbers if any(numbers.values()) else None
            else:
                metrics[name] = _numbers(name, parts)
    return metrics


def _numbers(name: str, parts: Sequence[Counts]) -> list[int] | None:
    numbers = [counts.get(name, 0) for counts in parts]
    return numbers if any(numbers) else None


def _has(times: Iterable[Interval], hour: datetime) -> bool:
    return any(time.start <= hour < time.end for time in times)
