"""Answers of the service: statistics asked for at once, and the series of any answer.

A query is cut into parts: some entities, a window of its period, groups of metrics. The answer to a part
has a series for each of its entities and their segments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.metrics import METRICS
from ..api.names import neutral_name
from ..api.statistics import MAX_PERIOD, GetStatistics
from ..api.time import HourOrDay
from ..errors import UnavailableError
from ..parallel.ordered_map import map_ordered
from .periods import Period
from .query import QueryPart, StatsQuery, columns_of, is_money, parts

if TYPE_CHECKING:
    from ..client.client import Client

PARTS_AHEAD = 2  # for each thread, requested and not yet read
NUMBERS = {int, float, NoneType}  # the types that a number of a series may have
MAX_NUMBER = 10**18  # a million million of a currency in micro-units
MAX_COUNT = 10**12  # more than all people see in a quarter
JUMP_FACTOR, MIN_OTHERS = 1000, 3  # a number that is so many times all of so many others together
Columns = dict[str, list[Any]]  # the numbers of a series, by column


class QueryResult(NamedTuple):
    """What the service answers to one part of a query."""

    part: QueryPart
    data: list[dict[str, Any]]


class Series(NamedTuple):
    """The numbers of one entity and one segment in an answer, and what numbers no column has."""

    id: str
    segment: str | None  # the value of a part of the people; None: all of them
    segment_name: str | None
    columns: Columns
    unmapped_metrics: set[str]
    doubts: set[str]  # what of the numbers is hard to believe


def request_count(query: StatsQuery) -> int:
    """Count the requests of a query."""
    return sum(map(len, parts(query, MAX_PERIOD)))


def answers(
    client: "Client", account: str, query: StatsQuery, on_progress: Callable[[int], None]
) -> Iterator[list[QueryResult]]:
    """Yield the answers of every few entities; raise UnavailableError where one cannot be read."""

    def ask(task: tuple[int, QueryPart]) -> tuple[int, QueryResult]:
        number, part = task
        response = client.call(GetStatistics(**values_of(account, query, part)))
        return number, QueryResult(part, records_in(response.data))

    tasks = ((number, part) for number, few in enumerate(parts(query, MAX_PERIOD)) for part in few)
    answers = map_ordered(ask, tasks, client.concurrency, PARTS_AHEAD * client.concurrency)
    requests = 0
    for _, group in groupby(answers, key=lambda numbered: numbered[0]):
        few = [answer for _, answer in group]
        requests += len(few)
        on_progress(requests)
        yield few


def values_of(account: str, query: StatsQuery, part: QueryPart) -> dict[str, Any]:
    """Return the parameters of a part that a request at once and a job have in common."""
    return {
        "account_id": account,
        "entity": query.entity,
        "entity_ids": [*part.ids],
        **times_of(part.window),
        "granularity": query.granularity,
        "metric_groups": [*part.groups],
        "placement": query.placement,
    }


def times_of(period: Period) -> dict[str, HourOrDay]:
    """Return the beginning and the end of a period as requests have them."""
    times = {"start_time": period.start, "end_time": period.end}
    return {name: HourOrDay.parse(time.isoformat()) for name, time in times.items()}


def records_in(data: Any) -> list[dict[str, Any]]:
    """Return statistics as a list of records; raise UnavailableError if they are not."""
    if not isinstance(data, list) or not all(isinstance(record, dict) for record in data):
        raise UnavailableError("the answer has no list of statistics")
    return data


def series_in(query: StatsQuery, answer: QueryResult) -> Iterator[Series]:
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
        for series in id_data:
            metrics = series.get("metrics") if isinstance(series, dict) else None
            if not isinstance(metrics, dict):
                raise UnavailableError(f"the statistics of {id} have no metrics")
            segment, name = _segment(id, series.get("segment"))
            if segment in values:
                what = f"of the segment {segment}" if segment else "without a segment"
                raise UnavailableError(f"the answer has the statistics of {id} {what} twice")
            values.add(segment)
            if segment and not query.segmentation:
                raise UnavailableError(f"the statistics of {id} have segments that were not asked for")
            yield Series(id, segment, name, *_columns(query, answer.part, metrics))
        if None in values and len(values) > 1:
            raise UnavailableError(f"the answer has all people of {id} beside their segments")
    if missing := [id for id in answer.part.ids if id not in seen]:
        raise UnavailableError(f"the answer has no statistics of {missing[0]}")


def _segment(id: str, segment: Any) -> tuple[str | None, str | None]:
    """Return the value of a segment, which identifies it, and its name. Each stands for a missing other."""
    if segment is None:
        return None, None
    fields = ("segment_value", "segment_name")
    value, name = (segment.get(field) for field in fields) if isinstance(segment, dict) else (None, None)
    key = value if value not in (None, "") else name
    if isinstance(key, bool) or not isinstance(key, str | int) or key == "":
        raise UnavailableError(f"the statistics of {id} have a segment without a value")
    return str(key), str(name or key)


def _columns(
    query: StatsQuery, part: QueryPart, metrics: Mapping[str, Any]
) -> tuple[Columns, set[str], set[str]]:
    """Return the numbers of the metrics that a part asks for, names of those without a column, and doubts.

    Raises UnavailableError if they are not numbers, or not those of its times.
    """
    neutral = {neutral_name(name): numbers for name, numbers in metrics.items()}
    if len(neutral) < len(metrics):
        raise UnavailableError("the answer has a metric by two of its names")
    collected, unmapped_metrics, length = Columns(), set[str](), part.window.count(query.granularity)
    for metric in query.metrics:
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
                collected[column] = _checked(column, own, length)
            else:
                unmapped_metrics.add(column)
    doubts = {f"{column} {doubt}" for column, own in collected.items() for doubt in _doubts(own)}
    return collected, unmapped_metrics, doubts


def _checked(column: str, numbers: Any, length: int) -> list[Any]:
    """Return the numbers of a metric. Raise UnavailableError if they are not valid, or not as many."""
    if not isinstance(numbers, list) or len(numbers) != length:
        raise UnavailableError(f"{column} has not the {length} numbers of its period")
    types = {*map(type, numbers)}
    if types == {int} and min(numbers) >= 0 and max(numbers) < MAX_COUNT:
        return numbers  # as nearly always
    if wrong := types - NUMBERS:
        raise UnavailableError(f"{column} has {wrong.pop().__name__} in place of a number")
    # A comparison with NaN is false.
    if not all(number is None or -MAX_NUMBER < number < MAX_NUMBER for number in numbers):
        raise UnavailableError(f"{column} has a number that is too large, or is not a number")
    counts = () if is_money(column) else (number for number in numbers if number is not None)
    if wrong_count := next((number for number in counts if not _is_count(number)), None):
        raise UnavailableError(f"{column} has {wrong_count} in place of a count")
    return numbers


def _is_count(number: int | float | Decimal) -> bool:
    return 0 <= number < MAX_COUNT and number == int(number)


def _doubts(numbers: Sequence[int | float | None]) -> Iterator[str]:
    """Say what of the numbers of a series is hard to believe, though it may be."""
    nonzero = sorted(number for number in numbers if number)
    if not nonzero:
        return
    if nonzero[0] < 0:
        yield "is negative"
    if any(number != int(number) for number in nonzero):
        yield "has parts of a micro-unit"
    if len(nonzero) > MIN_OTHERS and nonzero[-1] > JUMP_FACTOR * sum(map(abs, nonzero[:-1])):
        yield f"has a number that is more than {JUMP_FACTOR:,} times all others of its series"
