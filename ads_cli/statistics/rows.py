"""Tidy rows: one for each entity, time, and segment, with a column for each metric.

The rows of a few entities are made once all parts of the query about them are answered. Each part has the
numbers of some metrics in some window of the period.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, repeat
from typing import Any, NamedTuple, TypedDict

from ..api.amounts import decimals_of
from ..api.metrics import BEFORE
from ..api.names import Names
from .answers import Columns, QueryResult, Series, series_in
from .periods import Calendar, Period
from .query import AMOUNT, StatsQuery, is_money

BASE = ("entity", "entity_id", "name", "campaign", "start", "end", "placement", "segment")
TIMES = ("start", "end")
SEGMENT_VALUE = "segment_value"  # what tells segments apart, which may share a name
POST = "post_id"
OWNERS = ("account", "campaign_id", "line_item_id", POST)  # what an entity lies in, or is
CURRENCY = "currency"  # the last key
KEYS = (*BASE, *OWNERS, CURRENCY)
SEGMENT_KEYS = (*BASE, SEGMENT_VALUE, *OWNERS, CURRENCY)
# What a row is of; its numbers have the names of the metrics.
StatisticsRow = TypedDict("StatisticsRow", dict.fromkeys(SEGMENT_KEYS, str | None), total=False)  # type: ignore[misc]
Row = tuple[Any, ...]


def earlier_name(column: str) -> str:
    """Name the column of what another one was in the period that is compared with."""
    return f"{column}{BEFORE}"


class StatsTable(NamedTuple):
    """Rows, and the names of their columns: what they are of, then their numbers.

    The numbers of the period that is compared with, if any, follow all others, in columns that end in BEFORE.
    """

    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: Iterable[Row]
    repeated_posts: Collection[str] = ()  # posts whose numbers the service has in several campaigns

    @property
    def columns(self) -> tuple[str, ...]:
        """Name all columns."""
        return *self.keys, *self.metrics

    @property
    def is_compared(self) -> bool:
        """Tell whether there are numbers of an earlier period."""
        return any(name.endswith(BEFORE) for name in self.metrics)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows by the names of their columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


class EntityInfo(NamedTuple):
    """What listings say of an entity; the ids that a campaign or a line item lies in include its own."""

    name: str | None = None
    campaign: str | None = None  # its name, or its id where it has none
    currency: str | None = None
    campaign_id: str | None = None
    line_item_id: str | None = None
    post_id: str | None = None


class ResultContext(NamedTuple):
    """A query, and what its rows say beside the numbers."""

    query: StatsQuery
    described: Mapping[str, EntityInfo]
    calendar: Calendar
    names: Names
    account: str
    unmapped_metrics: set[str]  # numbers of conversions that no column has: all once the rows are read
    doubts: set[str]  # what of the numbers is hard to believe, likewise

    @property
    def currencies(self) -> set[str | None]:
        """The currencies of the queried amounts."""
        if not any(map(is_money, self.query.columns)):
            return set()
        return {self.described.get(id, EntityInfo()).currency for id in self.query.ids}

    @property
    def keys(self) -> tuple[str, ...]:
        """Name the columns that say what a row is of; the value of its segment is one where it has any."""
        return SEGMENT_KEYS if self.query.segmentation else KEYS

    @property
    def repeated_posts(self) -> set[str]:
        """The posts that are promoted in several campaigns: the service has their numbers in each of them."""
        if self.query.entity != "PROMOTED_POST":
            return set()
        campaigns = dict[str, set[str | None]]()
        for info in (self.described.get(id, EntityInfo()) for id in self.query.ids):
            if info.post_id:
                campaigns.setdefault(info.post_id, set()).add(info.campaign_id)
        return {post for post, ids in campaigns.items() if len(ids) > 1}

    @property
    def times(self) -> "Times":
        """The times that the numbers of a series are of."""
        granularity = self.query.granularity
        steps = self.query.period.steps(granularity)
        shown = ([self.calendar.shown(time, granularity) for time in step] for step in steps)
        return Times(*map(list, zip(*shown, strict=True)))


class Times(NamedTuple):
    """The beginnings and the ends of times, as the columns of these names show them."""

    start: list[str]
    end: list[str]


def table_of(context: ResultContext, answers: Iterable[Sequence[QueryResult]]) -> StatsTable:
    """Return the rows of the answers about every few entities."""
    columns, times = tuple(map(context.names.name, context.query.columns)), context.times
    rows = (rows_of(context, few, times) for few in answers)
    return StatsTable(context.keys, columns, chain.from_iterable(rows), context.repeated_posts)


def rows_of(context: ResultContext, answers: Sequence[QueryResult], times: Times) -> Iterator[Row]:
    """Yield the rows of some entities from the answers to all their parts; raise UnavailableError."""
    query = context.query
    rows: dict[str, dict[str | None, _Numbers]] = {id: {} for answer in answers for id in answer.part.ids}
    windows = sorted({answer.part.window for answer in answers})
    for answer in answers:
        for series in series_in(query, answer):
            own = rows[series.id].setdefault(series.segment, _Numbers(query, windows))
            own.add(answer.part.window, series)
            context.unmapped_metrics.update(series.unmapped_metrics)
            context.doubts.update(series.doubts)
    shared = context.names.to_wire({"entity": query.entity, "placement": query.placement})
    shared["account"] = context.account
    for id, segments in rows.items():
        info = context.described.get(id, EntityInfo())
        for segment, numbers in segments.items():
            own_keys = {"entity_id": id, "segment": numbers.segment_name, SEGMENT_VALUE: segment}
            same = {name: repeat(value) for name, value in (shared | info._asdict() | own_keys).items()}
            keys = same | times._asdict()
            columns = numbers.columns(info.currency)
            assert {*map(len, columns)} <= {len(times.start)}  # the windows make up the period
            yield from zip(*(keys[name] for name in context.keys), *columns, strict=False)


class _Numbers:
    """The numbers of one entity and one segment, as their windows are answered. Some windows may lack it."""

    def __init__(self, query: StatsQuery, windows: Iterable[Period]) -> None:
        self._query = query
        self._windows: dict[Period, Columns] = {window: {} for window in windows}
        self.segment_name: str | None = None

    def add(self, window: Period, series: Series) -> None:
        """Add the numbers of a window."""
        self._windows[window] |= series.columns
        self.segment_name = series.segment_name or self.segment_name

    def columns(self, currency: str | None) -> list[list[Any]]:
        """Return the values of each column over the times; those of a total are added up over the windows."""
        return [self._values(column, currency) for column in self._query.columns]

    def _values(self, column: str, currency: str | None) -> list[Any]:
        values: list[Any] = []
        for window, columns in self._windows.items():
            values += columns.get(column) or [None] * window.count(self._query.granularity)
        if self._query.granularity == "TOTAL":
            counted = [value for value in values if value is not None]
            values = [sum(counted) if counted else None]
        return amounts(values, currency) if column.endswith(AMOUNT) else values


def amounts(series: Iterable[Any], currency: str | None) -> list[Decimal | None]:
    """Return micro-units in units of a currency, with its decimals, as 1.50, or more if needed."""
    digits = decimals_of(currency or "")
    smallest, amounts = 10 ** (6 - digits), list[Decimal | None]()
    for micros in series:
        if micros is None:
            amounts.append(None)
        elif micros % smallest:
            amounts.append(Decimal(micros).scaleb(-6).normalize())
        else:
            amounts.append(Decimal(int(micros // smallest)).scaleb(-digits))
    return amounts
