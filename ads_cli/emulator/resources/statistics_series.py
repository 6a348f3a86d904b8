"""The numbers of an entity in a period, added up from those of its line items."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ...api.metrics import CONVERSION_GROUPS, CONVERSION_NUMBERS, metrics_of
from ..core.errors import not_found
from ..storage.store import Record, Store
from .activity import ALWAYS, NEVER, Activity, Interval
from .statistics_numbers import Counts, LineItemNumbers, hours, last_hour_of_budget

# The entities that a line item has, among which its numbers are divided, and how they are stored.
MEMBERS = {
    "PROMOTED_POST": "promoted_post",
    "PROMOTED_ACCOUNT": "promoted_account",
    "MEDIA_CREATIVE": "media_creative",
}
OWNERS = {"CAMPAIGN": "campaign_id", "FUNDING_INSTRUMENT": "funding_instrument_id"}
KINDS = {
    **MEMBERS,
    "CAMPAIGN": "campaign",
    "FUNDING_INSTRUMENT": "funding_instrument",
    "LINE_ITEM": "line_item",
}
PERIODS = {"HOUR": timedelta(hours=1), "DAY": timedelta(days=1)}


class Segment(NamedTuple):
    """A part of the people who saw ads."""

    name: str
    value: str
    share: float


class Source(NamedTuple):
    """A line item, when it was active, and which of its members is asked for: all without one."""

    numbers: LineItemNumbers
    active: list[Interval]
    member: str = ""
    members: Sequence[tuple[str, list[Interval]]] = ()

    def at(self, hour: datetime, now: datetime) -> Counts:
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
        self.midnight = timezone(offset or timedelta())
        self._store = store
        self._activity = Activity(store, account["id"])
        self._funding = {one["id"]: one for one in self._all("funding_instrument")}
        self._campaigns = {one["id"]: one for one in self._all("campaign")}
        self._line_items = {one["id"]: one for one in self._all("line_item")}
        self._sources = {
            id: Source(
                LineItemNumbers.of(one, self._campaign_of(one), self._older_than(one)),
                self._active_times(one),
            )
            for id, one in self._line_items.items()
        }

    def _all(self, kind: str) -> list[Record]:
        return self._store.find_all_ever(kind, self.account["id"])

    def _campaign_of(self, line_item: Record) -> Record:
        return self._campaigns[line_item["campaign_id"]]

    def _older_than(self, line_item: Record) -> int:
        """Count the line items of the same campaign that were created before."""
        of_campaign = line_item["campaign_id"]
        siblings = [id for id, one in self._line_items.items() if one["campaign_id"] == of_campaign]
        return siblings.index(line_item["id"])

    def _active_times(self, line_item: Record) -> list[Interval]:
        campaign = self._campaign_of(line_item)
        funding = self._funding[campaign["funding_instrument_id"]]
        times = [Interval(ALWAYS, NEVER)]
        for entity, record in (
            ("FUNDING_INSTRUMENT", funding),
            ("CAMPAIGN", campaign),
            ("LINE_ITEM", line_item),
        ):
            times = self._activity.of(entity, record, times)
        if spent := last_hour_of_budget(line_item, campaign):
            times = [time._replace(end=min(time.end, spent)) for time in times]
        return [time for time in times if not time.is_empty]

    def sources(self, entity: str, id: str) -> list[Source]:
        """Return the line items that an entity's numbers come from; raise ApiError (404) if there is none."""
        if entity == "ACCOUNT" and id == self.account["id"]:
            return [*self._sources.values()]
        record = None
        if kind := KINDS.get(entity):
            record = self._store.find(kind, id, owner=self.account["id"], with_deleted=True)
        if record is None:
            raise not_found(kind or entity.lower(), id)
        if entity == "LINE_ITEM":
            return [self._sources[id]]
        if entity in MEMBERS:
            return [self._member(entity, record)]
        return [self._sources[line_item] for line_item in self._line_items_of(entity, id)]

    def _line_items_of(self, entity: str, id: str) -> Iterator[str]:
        for line_item in self._line_items.values():
            owner = line_item if entity == "CAMPAIGN" else self._campaign_of(line_item)
            if owner.get(OWNERS[entity]) == id:
                yield line_item["id"]

    def _member(self, entity: str, record: Record) -> Source:
        line_item = record["line_item_id"]
        siblings = [one for one in self._all(MEMBERS[entity]) if one["line_item_id"] == line_item]
        members = [(one["id"], self._activity.of(entity, one)) for one in siblings]
        return self._sources[line_item]._replace(member=record["id"], members=members)

    def ids(self, entity: str) -> list[str]:
        """Return the ids of all entities of a kind."""
        return [record["id"] for record in self._all(KINDS[entity])]

    def active_times(self, entity: str, id: str, period: Interval) -> list[Interval]:
        """Return when the line items of an entity were active within a period."""
        times = [time.within(period) for source in self.sources(entity, id) for time in source.active]
        return [time for time in times if not time.is_empty]


def series(
    sources: Iterable[Source],
    period: Interval,
    granularity: str,
    now: datetime,
    segments: Sequence[Segment] = (),
) -> list[list[Counts]]:
    """Return what was counted: for each segment, or once for all, a Counts for each part of the period."""
    step = PERIODS.get(granularity, period.end - period.start)
    parts = []
    sources, start = list(sources), period.start
    while start < period.end:
        parts.append(_total(sources, start, min(start + step, period.end), now, segments))
        start += step
    return [list(column) for column in zip(*parts, strict=True)]


def _total(
    sources: list[Source], start: datetime, end: datetime, now: datetime, segments: Sequence[Segment]
) -> list[Counts]:
    """Add up the hours of one part of a period, by segment."""
    totals: list[Counts] = [{} for _ in segments or ("all",)]
    for hour in hours(start.astimezone(UTC), min(end, now).astimezone(UTC)):
        for source in sources:
            for total, counts in zip(totals, _divided(source.at(hour, now), segments), strict=True):
                for name, number in counts.items():
                    total[name] = total.get(name, 0) + number
    return totals


def _divided(counts: Counts, segments: Sequence[Segment]) -> Iterator[Counts]:
    """Divide what was counted among segments, of which no number is lost."""
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
    found: dict[str, Any] = {}
    for group in groups:
        for name in metrics_of(entity, group):
            if group in CONVERSION_GROUPS:
                found[name] = {number: _numbers(f"{name}.{number}", parts) for number in CONVERSION_NUMBERS}
                if not any(found[name].values()):
                    found[name] = None
            else:
                found[name] = _numbers(name, parts)
    return found


def _numbers(name: str, parts: Sequence[Counts]) -> list[int] | None:
    numbers = [counts.get(name, 0) for counts in parts]
    return numbers if any(numbers) else None


def _has(times: Iterable[Interval], hour: datetime) -> bool:
    return any(time.start <= hour < time.end for time in times)
