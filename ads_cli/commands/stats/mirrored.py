"""Statistics of an account in a mirror, in place of those of the service: nothing is asked for."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import msgspec

from ...api.metrics import METRICS
from ...api.names import X
from ...console.invocation import Invocation
from ...console.mirror_address import opened_mirror
from ...errors import NotFoundError, UsageError
from ...mirror.contract import ACCOUNTS, REPORTS
from ...mirror.days import StoredDay, any_time, day_of, stored_days
from ...mirror.destination import Days, Destination
from ...mirror.further import DAYS, STATE, AccountState, account_states, tables
from ...mirror.records import TABLES_OF_ENTITIES
from ...mirror.tables import Table
from ...output.text import first_of
from ...parallel import batched
from ...spelling import as_stored, comma_list
from ...statistics.analysis import PREVIOUS, compared, earlier_period
from ...statistics.answers import QueryResult
from ...statistics.chart_data import ChartData
from ...statistics.entities import EntityLookup, info_of
from ...statistics.periods import DAY, Calendar, Period, utc_now
from ...statistics.query import QueryPart, StatsQuery
from ...statistics.rows import EntityInfo, ResultContext, Row, StatsTable
from .options import StatisticsOptions
from .page import StatsReport

IDS_AT_ONCE, MOST_NAMED = 20, 5
ASK = "without --from, the service is asked"
# The tables that say what an entity is, by the kind of entity.
RECORDS = {**TABLES_OF_ENTITIES, "FUNDING_INSTRUMENT": "funding_instrument_history"}
BY_ENTITY = {report.entity: report for report in REPORTS}


class MirroredAccount(EntityLookup):
    """An account in a mirror: its days, its entities and their numbers."""

    def __init__(self, destination: Destination, state: AccountState) -> None:
        self.account, self.zone = state.account_id, str(state.timezone)
        self.calendar = Calendar(self.zone, utc_now())
        self.destination, self._state = destination, state
        self._stored = stored_days(destination.select(DAYS, self.account))
        self._listed: dict[tuple[str, str], EntityInfo] = {}

    @property
    def tables(self) -> set[str]:
        """The tables that were ever mirrored of it: others may have rows of other accounts alone."""
        return {*self._state.table_names}

    @property
    def name(self) -> str:
        """The name of the account."""
        return str(self.records(ACCOUNTS).get(self.account, {}).get("name") or "")

    def ids_of(self, entity: str, typed: str) -> tuple[str, ...]:
        """Return the ids that ids or names mean; raise NotFoundError or UsageError."""
        there = dict(self._list(entity))
        ids = list[str]()
        for text in comma_list(typed):
            found = [text] if text in there else [id for id, info in there.items() if info.name == text]
            if not found:
                raise NotFoundError(f"{self.destination.name} has no {entity.lower()} {text!r}", hint=ASK)
            if len(found) > 1:
                raise UsageError(
                    f"--ids: {text!r} is the name of {first_of(found, MOST_NAMED)}", hint="give one id"
                )
            ids += found
        return tuple(ids)

    def active_ids(self, entity: str, period: Period) -> Iterator[str]:
        """Yield the ids of the entities that have numbers in a period, sorted, as rows have no order."""
        return iter(sorted({id for id, _, _ in self.rows(entity, period, ())}))

    @property
    def days(self) -> Period:
        """The days that have numbers, the first to the last."""
        since, until = self._state.since, self._state.until
        zone, today = self.calendar.midnight, self.calendar.today
        if not since or not until:
            return Period(today, today)
        return Period(since.replace(tzinfo=zone), until.replace(tzinfo=zone))

    @property
    def words(self) -> str:
        """Say when the mirror was written, and which days it has."""
        first, end = self.days
        numbers = f"numbers of {first:%Y-%m-%d} to {end - DAY:%Y-%m-%d}" if end > first else "no numbers"
        return f"{self.destination.name}: as of {self._state.finished_at:%Y-%m-%dT%H:%M:%SZ}, {numbers}"

    def missing(self, query: StatsQuery) -> list[datetime]:
        """Return the days of a query that the report of its entities does not have."""
        there = self._days_of(query.entity)
        dates = map(self._day, (step.start for step in query.period.steps("DAY")))
        return [date for date in dates if date not in there or not any_time(there[date].period)]

    def asked_at(self, entity: str, period: Period) -> datetime | None:
        """Return when the last of the numbers of a period were asked for."""
        there = self._days_of(entity)
        dates = map(self._day, (step.start for step in period.steps("DAY")))
        return max((there[date].asked_at for date in dates if date in there), default=None)

    def _days_of(self, entity: str) -> Mapping[datetime, StoredDay]:
        """Return the days that the report of a kind of entity has."""
        report = BY_ENTITY.get(entity)
        return self._stored.get(report.name, {}) if report else {}

    def missing_days(self, query: StatsQuery, before: StatsQuery | None) -> str:
        """Say which days of a period, and of the one to compare it with, the mirror does not have."""
        periods = filter(None, (query, before))
        dates = sorted({f"{date:%Y-%m-%d}" for period in periods for date in self.missing(period)})
        if not dates:
            return ""
        words = f"{self.destination.name} has no numbers of {self.account} for {first_of(dates, MOST_NAMED)}"
        return f"{words}; nothing is compared" if before else words

    def context(self, call: Invocation, query: StatsQuery) -> ResultContext:
        """Return what the rows of a query say beside the numbers."""
        described, names = self.describe(query.entity, query.ids), call.settings.names
        return ResultContext(query, described, self.calendar, names, self.account, set(), set())

    def answers(self, query: StatsQuery, *, blank: bool = False) -> Iterator[Sequence[QueryResult]]:
        """Yield the answers of every few entities; raise UsageError for what a mirror does not have.

        Blank ones have no numbers: sums of fewer days than those beside them would look like a change.
        """
        period, of_day = query.period, query.granularity == "DAY"
        if query.granularity == "HOUR" or (period.end - period.start) % DAY:
            raise UsageError("--from: a mirror has whole days only", hint=ASK)
        days = [self._day(step.start) for step in period.steps("DAY")]
        numbers: dict[str, dict[datetime, Sequence[int]]] = {}
        rows = () if blank else self.rows(query.entity, period, query.metrics)
        for id, day, (placement, *values) in rows:
            if X.to_neutral({"placement": placement})["placement"] == query.placement:
                numbers.setdefault(id, {})[day] = values
        for few in map(tuple, batched(query.ids, IDS_AT_ONCE)):
            data = list[dict[str, Any]]()
            for id in few:
                own = numbers.get(id, {})
                listed = [own.get(day) for day in days] if of_day else [_sums(own.values())]
                metrics = {
                    name: [values and values[place] for values in listed]
                    for place, name in enumerate(query.metrics)
                }
                data.append({"id": id, "id_data": [{"segment": None, "metrics": metrics}]})
            yield [QueryResult(QueryPart(few, period, query.groups), data)]

    def _day(self, time: datetime) -> datetime:
        return day_of(self.calendar, time)

    def rows(
        self, entity: str, period: Period, metrics: Sequence[str]
    ) -> Iterator[tuple[str, datetime, Sequence[Any]]]:
        """Yield id and day of the rows of a report, with their placement and some numbers."""
        report = BY_ENTITY.get(entity)
        if report is None:
            known = ", ".join(BY_ENTITY)
            raise UsageError(f"--entity: a mirror has no statistics of {entity}", hint=f"it has {known}")
        named = {X.name(metric): metric for metric in metrics}
        if lacking := [metric for name, metric in named.items() if name not in report.names]:
            what = f"--metrics: a mirror does not have {first_of(lacking, MOST_NAMED)}"
            raise UsageError(what, hint=f"it has {', '.join(sorted(_groups(report)))}; {ASK}")
        id_column = report.key[1]
        columns = {column.name: column for column in report.columns}
        wanted = (id_column, "date", "placement", *named)
        part = msgspec.structs.replace(report, columns=tuple(columns[name] for name in wanted))
        days = Days(self._day(period.start), self._day(period.end))
        for id, day, *values in self.destination.select(part, self.account, days):
            yield str(id), cast(datetime, day), values

    def _list(self, entity: str, ids: list[str] | None = None) -> Iterator[tuple[str, EntityInfo]]:
        """Yield what the mirror has of the entities of a kind, or of some of them."""
        if not (table := tables().get(RECORDS[entity])):
            return
        for id, record in self.records(table).items():
            if ids is None or id in ids:
                yield id, info_of(entity, record)

    def records(self, table: Table) -> dict[str, dict[str, Any]]:
        """Return the current versions of the records of a table, by id, with neutral names."""
        owner = self.account
        rows = (dict(zip(table.names, row, strict=True)) for row in self.destination.select(table, owner))
        # By id too: a database returns rows in any order.
        ordered = sorted(rows, key=lambda record: (record.get("updated_at") or datetime.min, record["id"]))
        return {str(record["id"]): X.to_neutral(record) for record in ordered}


def mirrored_accounts(destination: Destination) -> list[MirroredAccount]:
    """Return the accounts in a mirror that have days; raise NotFoundError where there are none."""
    states = [state for state in account_states(destination.select(STATE)) if state.timezone]
    if not states:
        raise NotFoundError(f"{destination.name} has no accounts", hint=MIRROR)
    return [MirroredAccount(destination, state) for state in sorted(states)]


MIRROR = "'adsctl mirror run' writes accounts there, 'adsctl mirror status' shows them"


def the_account(call: Invocation, destination: Destination) -> MirroredAccount:
    """Return the account that is set, or the only one in a mirror; raise UsageError."""
    accounts, named = mirrored_accounts(destination), call.settings.get("account")
    if named:
        accounts = [account for account in accounts if account.account == named] or [
            account for account in accounts if as_stored(account.name) == as_stored(named)
        ]
        if not accounts:
            raise NotFoundError(f"{destination.name} does not have the account {named}", hint=MIRROR)
    if len(accounts) > 1:
        ids = first_of([account.account for account in accounts], MOST_NAMED)
        raise UsageError(f"{destination.name} has several accounts: {ids}", hint="choose one by --account")
    return accounts[0]


def fill_page(call: Invocation, page: StatsReport, options: StatisticsOptions, address: str) -> None:
    """Gather the rows of all accounts in a mirror, and those of the period before."""
    contexts = list[tuple[ResultContext, MirroredAccount, StatsQuery]]()
    names, missing = dict[str, str](), list[str]()
    with opened_mirror(call, address) as destination:
        chosen = [the_account(call, destination)] if call.flags.get("account") else None
        for account in chosen or mirrored_accounts(destination):
            names[account.account] = account.name
            query = options.query(account, account.calendar, _before)
            missing.append(account.missing_days(query, _before(query)))
            contexts.append((account.context(call, query), account, _before(query)))
        tables, blank = list[StatsTable](), any(missing)
        for context, account, before in contexts:
            earlier = (context._replace(query=before), account.answers(before, blank=blank))
            tables.append(compared(context, account.answers(context.query), *earlier))
        first, _, before = contexts[0]
        currencies = {currency for context, _, _ in contexts for currency in context.currencies}
        gathered = ChartData([*map(first.names.name, first.query.columns)], currencies)
        start = tables[0].keys.index("start")
        posts = {post for table in tables for post in table.repeated_posts}
        rows = (_local(row, start) for table in tables for row in table.rows)
        deque(gathered.watch(tables[0]._replace(rows=rows, repeated_posts=posts)).rows, 0)
    ids = tuple(id for context, _, _ in contexts for id in context.query.ids)
    page.query = msgspec.structs.replace(first.query, ids=ids)
    page.rows, page.accounts, page.account_names = gathered, [*names], names
    page.note = ". ".join(filter(None, missing))
    if page.note:
        call.messages.warn(page.note)
    if not blank:
        page.set_earlier(first.query.period, before.period)


def _before(query: StatsQuery) -> StatsQuery:
    return msgspec.structs.replace(query, period=earlier_period(query, PREVIOUS))


def _local(row: Row, start: int) -> Row:
    """Return a row whose time has no offset: days of accounts in several zones are set beside each other."""
    return *row[:start], row[start][: len("2026-03-01T00:00:00")], *row[start + 1 :]


def _sums(days: Iterable[Sequence[int]]) -> list[int] | None:
    sums = [sum(numbers) for numbers in zip(*days, strict=True)]
    return sums or None


def _groups(report: Table) -> set[str]:
    return {group for group, metrics in METRICS.items() if X.name(metrics[0]) in report.names}
