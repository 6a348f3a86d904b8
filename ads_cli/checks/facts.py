"""What rules look at: the records of an account and their numbers, each read when it is first needed."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeVar, cast

from ..api.metrics import BILLED_CHARGE
from ..api.spending import ACTIVE, END, STATUS, TOTAL_BUDGET
from ..api.time import Time
from ..config.goals import Wanted
from ..statistics.derived import is_ratio
from ..statistics.periods import Calendar, Period
from ..statistics.results import COUNTED, OF_GOALS
from .outcome import CannotLook, Record
from .source import Rows, Source

DAY, WEEK = timedelta(days=1), timedelta(days=7)  # a request for statistics has seven days
AD_LISTS = ("promoted posts list", "promoted accounts list", "promoted media list")
POST_ADS = AD_LISTS[0]
SPENT_DAYS = 35  # of which what was spent is known by day: a month, and four of each weekday
CAMPAIGN, LINE_ITEM = "CAMPAIGN", "LINE_ITEM"  # entities of statistics
# Beyond them a time cannot be written in every zone.
EARLIEST, LATEST = datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC)
SPENDING = ("BILLING",)  # groups of metrics: of single days and hours, and of sums
TOTALS = ("ENGAGEMENT", "BILLING", "VIDEO", "WEB_CONVERSION")
# What rules look at of line items, of which there may be thousands: not conversions, which are many numbers.
ITEM_METRICS = tuple(
    dict.fromkeys(
        (
            "impressions",
            "clicks",
            BILLED_CHARGE,
            *(result.metric for result in OF_GOALS.values() if not result.metric.startswith("mobile_")),
        )
    )
)
CRITERION_FIELDS = ("targeting_type", "targeting_value", "operator_type")
Sums = Mapping[str, Decimal]
T = TypeVar("T")


class Facts:
    """An account as rules see it; deleted records are left out."""

    def __init__(
        self, account: Record, source: Source, calendar: Calendar, period: Period, wanted: Wanted
    ) -> None:
        self.account, self.calendar, self.period, self.wanted = account, calendar, period, wanted
        self.source = source
        self._read: dict[Hashable, Any] = {}  # what was read, or CannotLook
        self._statuses: dict[str, int | None] = {}

    @property
    def now(self) -> datetime:
        """The moment of the check."""
        return self.calendar.now

    def threshold(self, name: str) -> Decimal:
        """Return a threshold of the profile, or its default."""
        return self.wanted.thresholds[name]

    def _once(self, key: Hashable, read: Callable[[], T]) -> T:
        """Read something once, though it cannot be looked at; raise CannotLook."""
        if key not in self._read:
            try:
                self._read[key] = read()
            except CannotLook as why:
                self._read[key] = why
        if isinstance(self._read[key], CannotLook):
            raise self._read[key]
        return cast(T, self._read[key])

    def records(self, command: str, *, deleted: bool = False) -> list[Record]:
        """Return the records of a list, which is read once; raise CannotLook."""
        listed = self._once(command, lambda: self.source.records(command))
        return [record for record in listed if deleted or not record.get("deleted")]

    # Records, and what belongs together.

    @cached_property
    def campaigns(self) -> dict[str, Record]:
        """The campaigns by id."""
        return _by_id(self.records("campaigns list"))

    @cached_property
    def line_items(self) -> list[Record]:
        """All line items."""
        return self.records("line-items list")

    @cached_property
    def funding(self) -> dict[str, Record]:
        """The funding instruments by id, deleted ones too."""
        return _by_id(self.records("funding-instruments list", deleted=True))

    @cached_property
    def audiences(self) -> dict[str, Record]:
        """The audiences by id."""
        return _by_id(self.records("audiences list"))

    @cached_property
    def posts(self) -> dict[str, Record]:
        """The published posts by id."""
        return _by_id(self.records("posts list"))

    @cached_property
    def cards(self) -> dict[str, Record]:
        """The cards by the address that posts name them by."""
        return {str(card.get("card_uri")): card for card in self.records("cards list")}

    @cached_property
    def active_campaigns(self) -> list[Record]:
        """The campaigns that somebody wants to be shown."""
        return [campaign for campaign in self.campaigns.values() if campaign.get(STATUS) == ACTIVE]

    @cached_property
    def items_of(self) -> Mapping[str, list[Record]]:
        """The line items by campaign."""
        return _grouped(self.line_items, "campaign_id")

    @cached_property
    def active_items(self) -> list[Record]:
        """The active line items of active campaigns that have not ended."""
        wanted = {str(campaign["id"]) for campaign in self.active_campaigns}
        return [
            item
            for item in self.line_items
            if item.get(STATUS) == ACTIVE
            and item.get("campaign_id") in wanted
            and not self.has_passed(item, END)
        ]

    @cached_property
    def running_items(self) -> list[Record]:
        """The active line items that have begun."""
        return [item for item in self.active_items if self.has_passed(item, "start_time")]

    @cached_property
    def ads_of(self) -> Mapping[str, list[Record]]:
        """What is promoted, by line item."""
        return _grouped([ad for command in AD_LISTS for ad in self.records(command)], "line_item_id")

    @cached_property
    def criteria_of(self) -> Mapping[str, list[Record]]:
        """The targeting criteria of active line items, by line item."""
        return _grouped(self._criteria(self.active_items), "line_item_id")

    @cached_property
    def other_criteria(self) -> list[Record]:
        """The targeting criteria of all other line items."""
        active = {str(item["id"]) for item in self.active_items}
        return self._criteria([item for item in self.line_items if str(item["id"]) not in active])

    def _criteria(self, items: Sequence[Record]) -> list[Record]:
        ids = tuple(str(item["id"]) for item in items)
        listed = self._once(("targeting list", ids), lambda: self.source.criteria(ids))
        return [criterion for criterion in listed if not criterion.get("deleted")]

    def post_of(self, ad: Record) -> Record | None:
        """Return the post of an ad, where it promotes one that is listed."""
        return self.posts.get(str(ad.get("post_id")))

    def card_of(self, post: Record) -> Record | None:
        """Return the card of a post, where it has one that is listed."""
        return self.cards.get(str(post.get("card_uri")))

    # Times.

    def moment(self, record: Record, field: str) -> datetime | None:
        """Return a time of a record; raise CannotLook where it cannot be read."""
        try:
            moment = Time.parse(str(record[field])).moment if record.get(field) else None
        except ValueError:
            raise CannotLook(f"{field} of {record.get('id')} is no time: {record[field]}") from None
        return moment and min(max(moment, EARLIEST), LATEST)

    def has_passed(self, record: Record, field: str) -> bool:
        """Tell whether a time of a record has come; one that it lacks has not."""
        moment = self.moment(record, field)
        return moment is not None and moment <= self.now

    def age(self, record: Record, *fields: str) -> timedelta | None:
        """Return how long ago the latest of some times was; None where the record has none of them."""
        moments = [moment for field in fields if (moment := self.moment(record, field))]
        return self.now - max(moments) if moments else None

    def words(self, moment: datetime) -> str:
        """Write a time in the zone of the account."""
        return f"{moment.astimezone(self.calendar.zone):%Y-%m-%d %H:%M %Z}"

    # Numbers.

    def last_days(self, days: int) -> Period:
        """Return the last whole days, up to last midnight."""
        return Period(self.calendar.today - days * DAY, self.calendar.today)

    def rows(
        self, entity: str, period: Period, granularity: str, records: Iterable[Record] | None = None
    ) -> Rows:
        """Return the numbers of a period by id, of all records or some; raise CannotLook."""
        if records is None:
            records = self.campaigns.values() if entity == CAMPAIGN else self.line_items
        return self._numbers(
            entity, period, granularity, TOTALS if granularity == "TOTAL" else SPENDING, records
        )

    def _numbers(
        self,
        entity: str,
        period: Period,
        granularity: str,
        metrics: Sequence[str],
        records: Iterable[Record],
    ) -> Rows:
        """Ask for numbers once; raise CannotLook."""

        def ask() -> Rows:
            return self.source.numbers(entity, period, granularity, metrics, _currencies(records))

        return self._once((entity, period, granularity), ask)

    def sums(self, entity: str, period: Period) -> Mapping[str, Sums]:
        """Return the sums of a period by id; a number that is missing is 0.

        They are those of the campaigns and the running line items that rules look at.
        """
        return self._once((entity, period), lambda: self._sums(entity, period))

    def _sums(self, entity: str, period: Period) -> Mapping[str, Sums]:
        today, oldest = self.calendar.today, self.last_days(SPENT_DAYS).start
        # A source that keeps its numbers adds them up while it reads them: it has no requests to be shared.
        if self.source.days or period.start < oldest or period.end > today or (today - period.start) % DAY:
            metrics, records = (
                (TOTALS, self.active_campaigns) if entity == CAMPAIGN else (ITEM_METRICS, self.running_items)
            )
            summed = self.source.numbers(entity, period, "TOTAL", metrics, _currencies(records))
            return {id: added(rows) for id, rows in summed.items()}
        by_id: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for id, _, row in self._days(entity, period):
            by_id[id].append(row)
        return {id: added(rows) for id, rows in by_id.items()}

    def _days(
        self, entity: str, period: Period, only: str = ""
    ) -> Iterator[tuple[str, date, Mapping[str, Any]]]:
        """Yield the numbers of each day of a period, of all records or one, with id and day.

        They are asked for by weeks, counted back from today, which all rules share. Raises CannotLook.
        """
        today, there = self.calendar.today, self.source.days
        if there and period.start < there.start:
            self._numbers(entity, period, "DAY", SPENDING, ())  # raises what says which days are missing
        first, last = period.start.date(), period.end.date()
        for number in range((today - period.end) // WEEK, -((period.start - today) // WEEK)):
            week = self._week(entity, number)
            for id in [only] if only else week:
                for row in week.get(id, ()):
                    day = datetime.fromisoformat(row["start"]).date()
                    if first <= day < last:
                        yield id, day, row

    def _week(self, entity: str, number: int) -> Rows:
        """Ask for the days of a week that ended so many weeks ago."""
        end = self.calendar.today - number * WEEK
        start = max(end - WEEK, self.source.days.start) if self.source.days else end - WEEK
        metrics: tuple[str, ...] = SPENDING if self.source.days else TOTALS  # which sums share
        records = self.records("campaigns list", deleted=True)  # what a deleted one has spent stays spent
        if entity == LINE_ITEM:
            metrics, records = ITEM_METRICS, self.running_items
        elif start < self.last_days(SPENT_DAYS).start:
            metrics = SPENDING
            records = [campaign for campaign in self.active_campaigns if campaign.get(TOTAL_BUDGET)]
        return self._numbers(entity, Period(start, end), "DAY", metrics, records)

    @cached_property
    def spent_by_day(self) -> dict[str, dict[date, Decimal]]:
        """What campaigns spent on each of the last whole days, by id, where they spent at all."""
        period = self.last_days(SPENT_DAYS)
        nothing = {step.start.date(): Decimal(0) for step in period.steps("DAY")}
        spent: dict[str, dict[date, Decimal]] = {}
        for id, day, row in self._days(CAMPAIGN, period):
            spent.setdefault(id, {**nothing})[day] = row["spend"] or Decimal(0)
        return spent

    @cached_property
    def currencies(self) -> list[str]:
        """The currencies of what spends, or has spent lately."""
        return sorted(
            {
                str(campaign.get("currency") or "")
                for campaign in self.records("campaigns list", deleted=True)
                if any(self.spent_by_day.get(str(campaign["id"]), {}).values())
                or str(campaign["id"]) in {str(own["id"]) for own in self.active_campaigns}
            }
        )

    def spent_since(self, campaign: Record, days: int) -> Decimal:
        """Return what an active campaign with a total budget spent on so many last days."""
        own = self._days(CAMPAIGN, self.last_days(days), str(campaign["id"]))
        return sum((row["spend"] or Decimal(0) for _, _, row in own), Decimal(0))

    @cached_property
    def reach(self) -> Mapping[str, Record]:
        """How many people the active campaigns reached in the period, and how often, by id."""
        ids = [str(campaign["id"]) for campaign in self.active_campaigns]
        return self._once("reach", lambda: self.source.reach(ids, self.period))

    def estimate(self, item: Record) -> int | None:
        """Return how many people the criteria of a line item reach; None where none of them names people."""
        criteria = [
            {name: criterion[name] for name in CRITERION_FIELDS if criterion.get(name)}
            for criterion in self.criteria_of.get(str(item["id"]), ())
        ]
        # Line items often differ in their ads alone.
        key = frozenset(tuple(map(str, criterion.values())) for criterion in criteria)
        return self._once(key, lambda: self.source.estimate(str(item["id"]), criteria))

    def page_status(self, address: str) -> int | None:
        """Return the status with which a page answers; None where no page is to be asked for."""
        if address not in self._statuses:
            self._statuses[address] = self.source.page_status(address)
        return self._statuses[address]


def added(rows: Sequence[Mapping[str, Any]]) -> Sums:
    """Add up the numbers of rows; ratios are left out, which have no sum."""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        for name, value in row.items():
            if value and isinstance(value, int | float | Decimal) and not is_ratio(name):
                sums[name] += Decimal(value)
    return sums


def results(sums: Sums, metric: str) -> Decimal:
    """Return how often a conversion followed: after views and after engagements."""
    return sum((sums.get(f"{metric}_{part}", Decimal(0)) for part in COUNTED), Decimal(0))


def _currencies(records: Iterable[Record]) -> dict[str, Any]:
    return {str(record["id"]): record.get("currency") for record in records}


def _by_id(records: Sequence[Record]) -> dict[str, Record]:
    return {str(record.get("id")): record for record in records}


def _grouped(records: Sequence[Record], field: str) -> Mapping[str, list[Record]]:
    groups: Mapping[str, list[Record]] = defaultdict(list)
    for record in records:
        groups[str(record.get(field))].append(record)
    return groups


def active_pairs(facts: Facts) -> Iterator[tuple[Record, Record]]:
    """Yield each active line item with its campaign."""
    return ((item, facts.campaigns[str(item["campaign_id"])]) for item in facts.active_items)
