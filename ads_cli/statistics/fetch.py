"""Statistics at once: some entities and days a request, several requests at a time."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..api.statistics import MAX_PERIOD, GetStatistics
from ..api.time import HourOrDay
from ..errors import UnavailableError
from ..parallel.ordered_map import map_ordered
from .periods import Period
from .query import QueryPart, StatsQuery, parts
from .rows import QueryResult

if TYPE_CHECKING:
    from ..client.client import Client

PARTS_AHEAD = 2  # for each thread, requested and not yet read


def request_count(question: StatsQuery) -> int:
    """Count the requests of a question."""
    return sum(map(len, parts(question, MAX_PERIOD)))


def answers(
    client: "Client", account: str, question: StatsQuery, on_progress: Callable[[int], None]
) -> Iterator[list[QueryResult]]:
    """Yield the answers of every few entities; raise UnavailableError where one cannot be read."""

    def ask(task: tuple[int, QueryPart]) -> tuple[int, QueryResult]:
        number, part = task
        response = client.call(GetStatistics(**values_of(account, question, part)))
        return number, QueryResult(part, records_in(response.data))

    tasks = ((number, part) for number, few in enumerate(parts(question, MAX_PERIOD)) for part in few)
    found = map_ordered(ask, tasks, client.concurrency, PARTS_AHEAD * client.concurrency)
    requests = 0
    for _, group in groupby(found, key=lambda numbered: numbered[0]):
        few = [answer for _, answer in group]
        requests += len(few)
        on_progress(requests)
        yield few


def values_of(account: str, question: StatsQuery, part: QueryPart) -> dict[str, Any]:
    """Return the parameters of a part that a request at once and a job have in common."""
    return {
        "account_id": account,
        "entity": question.entity,
        "entity_ids": [*part.ids],
        **times_of(part.window),
        "granularity": question.granularity,
        "metric_groups": [*part.groups],
        "placement": question.placement,
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
