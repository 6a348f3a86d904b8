"""The statistics of an account, as rows of its reports."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from functools import cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from ..api.names import Names, to_neutral
from ..statistics.answers import QueryResult, answers, request_count, series_in
from ..statistics.entities import EntityLookup
from ..statistics.periods import DAY, Calendar, Period
from ..statistics.query import StatsQuery, amount_column
from ..statistics.rows import amounts
from .contract import COUNTED, GROUPS, METRIC, METRICS_OF_REPORTS, PLACEMENTS
from .days import Due, StoredDays, day_of, due_days, windows
from .destination import Row, Scope, Value
from .records import Records
from .tables import SYNCED, Column, Table

if TYPE_CHECKING:
    from ..client.client import Client

Answers = Iterable[list[QueryResult]]


class Jobs(NamedTuple):
    """The jobs of a query: what waits for them and downloads their results, and what returns these.

    A query that was answered at once has none to wait for.
    """

    wait: Callable[[], None]
    answers: Callable[[], Answers]


Exported = Callable[[StatsQuery], AbstractContextManager[Jobs]]
BY_JOBS_ONLY = ("MEDIA_CREATIVE",)
EVERYWHERE = PLACEMENTS[0]


class Activity:
    """Which line items of an account have changed in a period. Each period is asked for once."""

    def __init__(self, client: "Client", account: str) -> None:
        lookup = EntityLookup(client, account)
        self._records = cache(lambda period: [*lookup.active("LINE_ITEM", period)])

    def line_items(self, period: Period) -> dict[str, set[str]]:
        """Return their ids by placement."""
        ids: dict[str, set[str]] = {}
        for record in self._records(period):
            for placement in to_neutral({"placements": record.get("placements")})["placements"] or PLACEMENTS:
                ids.setdefault(placement, set()).add(str(record.get("entity_id")))
        return ids

    def began(self, period: Period) -> datetime | None:
        """Return since when numbers are others by what has changed in a period."""
        times = (record.get("activity_start_time") for record in self._records(period))
        return min((datetime.fromisoformat(time) for time in times if time), default=None)


class AccountSource(NamedTuple):
    """What statistics of one account are read with."""

    client: "Client"
    account: str
    calendar: Calendar
    names: Names
    exported: Exported  # begins jobs, whose results stay until the context ends
    records: Records
    activity: Activity
    max_requests: int  # of a query that is answered at once: larger ones are jobs, which can be resumed


class Asked(NamedTuple):
    """A query that was answered, for some days of a report."""

    due: Due
    query: StatsQuery
    jobs: Jobs


class ReportNumbers:
    """What is due of one report, and its rows once that was asked for."""

    def __init__(self, source: AccountSource, table: Table, due: Sequence[Due]) -> None:
        self.table, self.due = table, due
        self.counts = Counter[datetime]()  # rows by day, once they are read
        self.doubts = set[str]()  # what of the numbers is hard to believe
        self._source = source
        self._asked = list[Asked]()

    @property
    def scope(self) -> Scope:
        """The days whose rows are replaced."""
        return Scope(self._source.account, sorted({date for due in self.due for date in due.replaced}))

    def periods(self, due: Due) -> Iterator[tuple[datetime, Period]]:
        """Yield the days that are asked for together, with their times."""
        steps = [due.period] if due.is_one_day else due.period.steps("DAY")
        return ((day_of(self._source.calendar, step.start), step) for step in steps)

    def ask(self, until_written: ExitStack) -> None:
        """Ask for all that is due, or begin jobs. Their results are kept until the stack is closed."""
        for due in self.due:
            periods = windows(self._source.calendar, due.period)
            for query in chain.from_iterable(self._queries(due, period) for period in periods):
                jobs = self._begin(query, until_written, is_long=len(periods) > 1)
                self._asked.append(Asked(due, query, jobs))

    def _queries(self, due: Due, period: Period) -> Iterator[StatsQuery]:
        """Yield a query for each placement."""
        granularity = "HOUR" if due.is_one_day else "DAY"
        for placement, ids in self._active(period).items():
            about = (self.table.entity, tuple(sorted(ids)), period, granularity)
            yield StatsQuery(*about, GROUPS, METRICS_OF_REPORTS, placement)

    def wait(self) -> None:
        """Wait for the jobs."""
        for asked in self._asked:
            asked.jobs.wait()

    def _begin(self, query: StatsQuery, until_written: ExitStack, *, is_long: bool) -> Jobs:
        source = self._source
        by_jobs = is_long or query.entity in BY_JOBS_ONLY
        if by_jobs or request_count(query) > source.max_requests:
            return until_written.enter_context(source.exported(query))
        answered = [*answers(source.client, source.account, query, lambda count: None)]
        return Jobs(lambda: None, lambda: answered)

    def _active(self, period: Period) -> dict[str, set[str]]:
        """Return the ids of the entities whose line items were active in a period, by placement."""
        active = self._source.activity.line_items(period)
        if self.table.entity in BY_JOBS_ONLY:  # what is booked for a day has none of them
            active = {EVERYWHERE: {id for ids in active.values() for id in ids}}
        entities = {placement: self._of_line_items(ids) for placement, ids in active.items()}
        return {placement: ids for placement, ids in entities.items() if ids}

    def _of_line_items(self, line_items: set[str]) -> set[str]:
        """Return the ids of the entities that some line items have, or are in."""
        entity, entities = self.table.entity, self._source.records.entities
        if entity == "LINE_ITEM":
            return line_items
        if entity == "CAMPAIGN":
            known = entities("LINE_ITEM")
            return {*filter(None, (known[id].campaign_id for id in line_items if id in known))}
        own = entities(entity)
        ids = {id for id, about in own.items() if about.line_item_id in line_items}
        if entity == "PROMOTED_POST":  # the numbers of a post count in each of its promotions
            posts = {own[id].tweet_id for id in ids}
            ids |= {id for id, about in own.items() if about.tweet_id in posts}
        return ids

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all answers; raise UnavailableError for numbers that cannot be."""
        source = self._source
        entities = source.records.entities(self.table.entity)
        for due, query, jobs in self._asked:
            dates = [date for date, _ in self.periods(due._replace(period=query.period))]
            placement = source.names.to_wire({"placement": query.placement})["placement"]
            shared = {"account_id": source.account, "placement": placement, SYNCED: source.records.written}
            for answer in chain.from_iterable(jobs.answers()):
                window = answer.part.window
                first = (window.start - query.period.start) // DAY
                own_dates = dates if due.is_one_day else dates[first : first + window.count("DAY")]
                for series in series_in(query, answer):
                    self.doubts |= series.doubts
                    self.counts.update(own_dates)
                    about = entities.get(series.id)
                    currency = about.currency if about else None
                    own = shared | {self.table.key[1]: series.id, "currency": currency}
                    numbers = {name: _whole(values) for name, values in series.columns.items()}
                    if due.is_one_day:
                        numbers = {name: [sum(values)] for name, values in numbers.items()}
                    known = {"date": own_dates} | {name: repeat(value) for name, value in own.items()}
                    zeros = [0] * len(own_dates)
                    columns = (
                        known.get(column.name) or _metric(column, numbers, zeros, currency)
                        for column in self.table.columns
                    )
                    yield from zip(*columns, strict=False)


def _metric(
    column: Column, numbers: Mapping[str, list[int]], zeros: list[int], currency: str | None
) -> Iterable[Value]:
    """Return the values of a column of numbers over the days of an entity."""
    if column.type == "numeric":
        return amounts(numbers.get(amount_column(column.source), zeros), currency)
    parts = [numbers[name] for name in _stats_columns(column) if name in numbers] or [zeros]
    return parts[0] if len(parts) == 1 else map(sum, zip(*parts, strict=True))


def _whole(numbers: Iterable[int | float | None]) -> list[int]:
    """Return numbers as integers, and 0 where nothing was counted."""
    return [number if type(number) is int else round(number or 0) for number in numbers]


@cache
def _stats_columns(column: Column) -> tuple[str, ...]:
    """Name the columns of statistics that a column is the sum of."""
    if column.name.endswith(f"_{METRIC}"):
        return tuple(f"{column.name.removesuffix(METRIC)}{name}" for name in COUNTED)
    return (amount_column(column.source.replace(".", "_")),)


def plan_report(
    source: AccountSource,
    since: Period,
    table: Table,
    stored: StoredDays,
    counts: Mapping[datetime, int],
) -> ReportNumbers:
    """Return what is due of a report: also what has changed since it was asked for, however old it is."""
    due = due_days(source.calendar, since, stored, counts, None)
    latest = next((part.period for part in due if part.period.end == since.end), None)
    if stored and latest:  # else nothing was asked for before
        changed_from = source.activity.began(latest)
        if changed_from and changed_from < latest.start:
            due = due_days(source.calendar, since, stored, counts, changed_from)
    return ReportNumbers(source, table, due)
