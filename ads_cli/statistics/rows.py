"""Tidy rows: one for each entity, time, and segment, with a column for each metric."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, repeat
from types import NoneType
from typing import Any, NamedTuple

from ..api.amounts import decimals_of
from ..api.metrics import METRICS
from ..api.names import Names, neutral_name
from ..errors import UnavailableError
from .periods import Calendar, Period
from .query import AMOUNT, QueryPart, StatsQuery, columns_of, is_money

BASE = ("entity", "entity_id", "name", "campaign", "start", "end", "placement", "segment")
TIMES = ("start", "end")
SEGMENT_VALUE = "segment_value"  # what tells segments apart, which may share a name
POST = "post_id"
OWNERS = ("account", "campaign_id", "line_item_id", POST)  # what an entity lies in, or is
CURRENCY = "currency"  # the last key
TOTAL = "TOTAL"  # what the entity of the row of a total is called
BEFORE = "_before"  # the end of the name of a column of the period that is compared with
KEYS = (*BASE, *OWNERS, CURRENCY)
SEGMENT_KEYS = (*BASE, SEGMENT_VALUE, *OWNERS, CURRENCY)
NUMBERS = {int, float, NoneType}  # the types that a number of a series may have
MAX_NUMBER = 10**18  # a million million of a currency in micro-units
Row = tuple[Any, ...]
Columns = dict[str, list[Any]]  # the numbers of a series, by column


class StatsTable(NamedTuple):
    """Rows, and the names of their columns: what they are of, then their numbers."""

    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: Iterable[Row]
    repeated_posts: Collection[str] = ()  # posts whose numbers the service has in several campaigns

    @property
    def columns(self) -> tuple[str, ...]:
        """Name all columns."""
        return *self.keys, *self.metrics

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows by the names of their columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


class EntityInfo(NamedTuple):
    """What a listing says of an entity."""

    name: str | None = None
    campaign: str | None = None  # its name, or its id where it has none
    currency: str | None = None
    campaign_id: str | None = None
    line_item_id: str | None = None
    post_id: str | None = None


class QueryResult(NamedTuple):
    """What the service answers to one part of a question."""

    part: QueryPart
    data: list[dict[str, Any]]


class SegmentValue(NamedTuple):
    """A part of the people, or all of them where there is no value."""

    value: str | None
    name: str | None


class Series(NamedTuple):
    """The numbers of one entity and one segment in an answer, and what numbers no column has."""

    id: str
    segment: SegmentValue
    columns: Columns
    unmapped_metrics: set[str]


class ResultContext(NamedTuple):
    """What was asked, and what rows say of it beside the numbers."""

    question: StatsQuery
    described: Mapping[str, EntityInfo]
    calendar: Calendar
    names: Names
    account: str
    unmapped_metrics: set[str]  # numbers of conversions that no column has, as they are found

    @property
    def currencies(self) -> set[str | None]:
        """The currencies of the amounts that were asked for."""
        if not any(map(is_money, self.question.columns)):
            return set()
        return {self.described.get(id, EntityInfo()).currency for id in self.question.ids}

    @property
    def keys(self) -> tuple[str, ...]:
        """Name the columns that say what a row is of; the value of its segment is one where it has any."""
        return SEGMENT_KEYS if self.question.segmentation else KEYS

    @property
    def repeated_posts(self) -> set[str]:
        """The posts that are promoted in several campaigns: the service has their numbers in each of them."""
        if self.question.entity != "PROMOTED_POST":
            return set()
        known = (self.described.get(id, EntityInfo()) for id in self.question.ids)
        return in_several_campaigns((each.post_id, each.campaign_id) for each in known)

    @property
    def times(self) -> tuple[list[str], list[str]]:
        """The beginnings and the ends of the times that the numbers of a series are of."""
        granularity = self.question.granularity
        steps = self.question.period.steps(granularity)
        starts = [self.calendar.shown(step.start, granularity) for step in steps]
        return starts, [self.calendar.shown(step.end, granularity) for step in steps]


def in_several_campaigns(posts: Iterable[tuple[str | None, str | None]]) -> set[str]:
    """Return the posts that occur with several campaigns."""
    campaigns = dict[str, set[str | None]]()
    for post, campaign in posts:
        if post:
            campaigns.setdefault(post, set()).add(campaign)
    return {post for post, found in campaigns.items() if len(found) > 1}


def table_of(asked: ResultContext, answers: Iterable[Sequence[QueryResult]]) -> StatsTable:
    """Return the rows of the answers about every few entities."""
    columns, times = tuple(map(asked.names.name, asked.question.columns)), asked.times
    rows = (rows_of(asked, few, times) for few in answers)
    return StatsTable(asked.keys, columns, chain.from_iterable(rows), asked.repeated_posts)


def rows_of(
    asked: ResultContext, answers: Sequence[QueryResult], times: tuple[list[str], list[str]]
) -> Iterator[Row]:
    """Yield the rows of some entities from the answers to all their parts; raise UnavailableError."""
    question = asked.question
    found: dict[str, dict[str | None, _Windows]] = {id: {} for answer in answers for id in answer.part.ids}
    windows = sorted({answer.part.window for answer in answers})
    for answer in answers:
        for series in series_in(question, answer):
            own = found[series.id].setdefault(series.segment.value, _Windows(question, windows))
            own.add(answer.part.window, series)
            asked.unmapped_metrics.update(series.unmapped_metrics)
    named = asked.names.to_wire({"entity": question.entity, "placement": question.placement})
    for id, segments in found.items():
        known = asked.described.get(id, EntityInfo())
        before = [*map(repeat, (named["entity"], id, known.name, known.campaign))]
        for segment, numbers in segments.items():
            value = [segment] if question.segmentation else []
            owners = (asked.account, known.campaign_id, known.line_item_id, known.post_id, known.currency)
            after = map(repeat, (named["placement"], numbers.segment_name, *value, *owners))
            yield from zip(*before, *times, *after, *numbers.columns(known.currency), strict=False)


class _Windows:
    """The numbers of one entity and one segment, as their windows are answered; it may be in some only."""

    def __init__(self, question: StatsQuery, windows: Iterable[Period]) -> None:
        self._question = question
        self._windows: dict[Period, Columns] = {window: {} for window in windows}
        self.segment_name: str | None = None

    def add(self, window: Period, series: Series) -> None:
        """Add the numbers of a window."""
        self._windows[window] |= series.columns
        self.segment_name = series.segment.name or self.segment_name

    def columns(self, currency: str | None) -> list[list[Any]]:
        """Return the values of each column over the times; those of a total are added up over the windows."""
        return [self._values(column, currency) for column in self._question.columns]

    def _values(self, column: str, currency: str | None) -> list[Any]:
        values: list[Any] = []
        for window, columns in self._windows.items():
            values += columns.get(column) or [None] * window.count(self._question.granularity)
        if self._question.granularity == "TOTAL":
            counted = [value for value in values if value is not None]
            values = [sum(counted) if counted else None]
        if column.endswith(AMOUNT):
            values = amounts(values, currency)
        return values


def series_in(question: StatsQuery, answer: QueryResult) -> Iterator[Series]:
    """Yield what an answer has of each entity and segment; raise UnavailableError for what it cannot mean.

    Each entity that was asked for is in it once, and each segment of it once.
    """
    seen = set()
    for record in answer.data:
        id, id_data = record.get("id"), record.get("id_data")
        if not isinstance(id, str) or id not in answer.part.ids or not isinstance(id_data, list):
            raise UnavailableError("the answer has statistics of an entity that was not asked for")
        if id in seen:
            raise UnavailableError(f"the answer has the statistics of {id} twice")
        seen.add(id)
        values = set()
        for one in id_data:
            metrics = one.get("metrics") if isinstance(one, dict) else None
            if not isinstance(metrics, dict):
                raise UnavailableError(f"the statistics of {id} have no metrics")
            segment = _segment(id, one.get("segment"))
            if segment.value in values:
                what = f"of the segment {segment.value}" if segment.value else "without a segment"
                raise UnavailableError(f"the answer has the statistics of {id} {what} twice")
            values.add(segment.value)
            if segment.value and not question.segmentation:
                raise UnavailableError(f"the statistics of {id} have segments that were not asked for")
            yield Series(id, segment, *_columns(question, answer.part, metrics))
    if missing := [id for id in answer.part.ids if id not in seen]:
        raise UnavailableError(f"the answer has no statistics of {missing[0]}")


def _segment(id: str, segment: Any) -> SegmentValue:
    """Return a segment, which its value tells from others; where it has none, its name does."""
    if segment is None:
        return SegmentValue(None, None)
    fields = ("segment_value", "segment_name")
    value, name = (segment.get(field) for field in fields) if isinstance(segment, dict) else (None, None)
    known = value if value not in (None, "") else name
    if isinstance(known, bool) or not isinstance(known, str | int) or known == "":
        raise UnavailableError(f"the statistics of {id} have a segment without a value")
    return SegmentValue(str(known), str(name or known))


def _columns(question: StatsQuery, part: QueryPart, metrics: Mapping[str, Any]) -> tuple[Columns, set[str]]:
    """Return the numbers of the metrics that a part asks for, and the names of those without a column.

    Raises UnavailableError if they are not numbers, or not those of its times.
    """
    neutral = {neutral_name(name): numbers for name, numbers in metrics.items()}
    if len(neutral) < len(metrics):
        raise UnavailableError("the answer has a metric by two of its names")
    found, unmapped_metrics, length = Columns(), set[str](), part.window.count(question.granularity)
    for metric in question.metrics:
        if not any(metric in METRICS[group] for group in part.groups):
            continue
        numbers, columns = neutral.get(metric), columns_of(metric)
        if isinstance(numbers, dict):
            named = {f"{metric}_{name}": own for name, own in numbers.items()}
        else:
            named = {columns[0] if len(columns) == 1 else metric: numbers}
        for column, own in named.items():
            if own is None:
                continue
            if column in columns:
                found[column] = _checked(column, own, length)
            else:
                unmapped_metrics.add(column)
    return found, unmapped_metrics


def _checked(column: str, numbers: Any, length: int) -> list[Any]:
    """Return the numbers of a metric; raise UnavailableError if they are not numbers, or not as many."""
    if not isinstance(numbers, list) or len(numbers) != length:
        raise UnavailableError(f"{column} has not the {length} numbers of its period")
    if wrong := {*map(type, numbers)} - NUMBERS:
        raise UnavailableError(f"{column} has {wrong.pop().__name__} in place of a number")
    # A comparison with NaN is false.
    if not all(number is None or -MAX_NUMBER < number < MAX_NUMBER for number in numbers):
        raise UnavailableError(f"{column} has a number that is too large, or is not a number")
    return numbers


def amounts(series: Iterable[Any], currency: str | None) -> list[Decimal | None]:
    """Return micro-units in units of a currency, with its decimals, or more where they need more."""
    digits = decimals_of(currency or "")
    smallest, found = 10 ** (6 - digits), list[Decimal | None]()
    for micros in series:
        if micros is None:
            found.append(None)
        elif micros % smallest:
            found.append(Decimal(micros).scaleb(-6).normalize())
        else:
            found.append(Decimal(int(micros // smallest)).scaleb(-digits))
    return found
