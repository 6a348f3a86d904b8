"""The facts of an account in a mirror: what rules look at, without a request to the service."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from operator import add
from typing import Any

from ...api.metrics import numbers_of
from ...api.names import X
from ...checks.outcome import CannotLook, NotAvailable, Record
from ...checks.source import Rows
from ...errors import NotFoundError, UsageError
from ...mirror.contract import ACCOUNTS, METRIC
from ...mirror.days import day_of
from ...mirror.destination import Value
from ...mirror.further import tables
from ...mirror.tables import Table
from ...statistics.derived import SPEND_COLUMN
from ...statistics.numbers import derived_numbers, query_of
from ...statistics.periods import DAY, Period
from ...statistics.query import SALE_AMOUNT, StatsQuery, amount_column, is_money
from ...statistics.rows import amounts
from ..stats.mirrored import MirroredAccount

# The tables by the command that lists their records.
TABLES = {table.source.partition(" --")[0]: table for table in reversed([*tables().values()])}
SPEND = "spend"  # what is derived of SPEND_COLUMN
WORDS = ("name", "description", "full_text")  # what people write, which may look like JSON
PLACEMENT = {"placement": "ALL_ON_PLATFORM"}
EVERYWHERE = (*PLACEMENT.values(), *X.to_wire(PLACEMENT).values())  # by the names of either service


class MirrorSource:
    """Reads from a mirror. What it does not have cannot be looked at."""

    def __init__(self, account: MirroredAccount, ask_page: Callable[[str], int | None] | None) -> None:
        self._account, self._ask_page = account, ask_page
        self._name = account.destination.name
        self.days = account.days

    def account(self) -> dict[str, Any]:
        """Return the record of the account; raise NotFoundError."""
        id = self._account.account
        if not (own := self._records(ACCOUNTS).get(id)):
            raise NotFoundError(
                f"{self._name} does not have the record of {id}", hint=f"mirror {ACCOUNTS.name} too"
            )
        return {**own, "timezone": self._account.zone}

    def records(self, command: str) -> list[Record]:
        """Return what the table of a list has, as the list would show it."""
        table = TABLES.get(command)
        if not table or table.owner != "account_id" or table.name not in self._account.tables:
            raise CannotLook(f"{self._name} does not have '{command}'")
        return [*self._records(table).values()]

    def _records(self, table: Table) -> dict[str, Record]:
        columns = [*X.to_neutral({column.name: column.type for column in table.columns}).items()]
        return {
            id: {name: _as_listed(name, type, record[name]) for name, type in columns}
            for id, record in self._account.records(table).items()
        }

    def criteria(self, line_items: Sequence[str]) -> list[Record]:
        """Return the targeting criteria of line items."""
        wanted = {*line_items}
        return [own for own in self.records("targeting list") if own["line_item_id"] in wanted]

    def numbers(
        self,
        entity: str,
        period: Period,
        granularity: str,
        metrics: Sequence[str],
        currencies: Mapping[str, Any],
    ) -> Rows:
        """Add up the days of a period, all of which must be there."""
        query = query_of(entity, (), metrics, period, granularity)
        self._require_days(query)
        names = [column for metric in query.metrics for column in _columns(metric)]
        starts = {
            day_of(self._account.calendar, day.start): step.start.isoformat()
            for step in period.steps(granularity)
            for day in step.steps("DAY")
        }
        nothing = [0] * len(names)
        sums: dict[str, dict[str, list[int]]] = defaultdict(dict)
        try:
            for id, day, (placement, *values) in self._account.rows(entity, period, names):
                if placement in EVERYWHERE and id in currencies and (start := starts.get(day)):
                    sums[id][start] = [*map(add, sums[id].get(start, nothing), values)]
        except UsageError as error:
            raise CannotLook(error.message) from None
        return {
            id: [
                {"start": start} | _numbers(query, names, own.get(start, nothing), currencies[id])
                for start in dict.fromkeys(starts.values())
            ]
            for id, own in sums.items()
        }

    def _require_days(self, query: StatsQuery) -> None:
        """Raise CannotLook unless the mirror has each day of a query."""
        period = query.period
        if query.granularity == "HOUR" or (period.end - period.start) % DAY:
            raise CannotLook("a mirror has numbers of whole days only")
        if missing := self._account.missing(query):
            words = f"{self._name} has no numbers of {missing[0]:%Y-%m-%d}"
            days = (self._account.calendar.today - period.start) // DAY
            raise CannotLook(f"{words}; 'adsctl mirror run --since {days}d' into it adds them")

    def asked_at(self, entity: str, period: Period) -> datetime | None:
        """Return when the last of the numbers of a period were asked for."""
        return self._account.asked_at(entity, period)

    def reach(self, campaigns: Sequence[str], period: Period) -> Mapping[str, Record]:
        """Raise CannotLook."""
        raise CannotLook("a mirror does not have the reach")

    def estimate(self, line_item: str, criteria: list[dict[str, Any]]) -> int | None:
        """Raise CannotLook."""
        raise NotAvailable("a mirror does not have estimates")

    def page_status(self, address: str) -> int | None:
        """Ask for a page, which is not the service's, where that is wanted."""
        return self._ask_page(address) if self._ask_page else None


def _as_listed(name: str, type: str, value: Value) -> Any:
    """Return the value of a cell as a list would show it."""
    if isinstance(value, datetime):
        return f"{value.replace(tzinfo=UTC):%Y-%m-%dT%H:%M:%SZ}"
    if type == "boolean":
        return None if value is None else bool(value)
    if isinstance(value, str) and value.startswith(("[", "{")) and name not in WORDS:
        try:
            return X.to_neutral({name: json.loads(value)})[name]
        except ValueError:
            return value
    return value


def _columns(metric: str) -> list[str]:
    """Name the columns of a report that a metric is in."""
    return [f"{metric}_{METRIC}", f"{metric}{SALE_AMOUNT}"] if numbers_of(metric) else [metric]


def _numbers(query: StatsQuery, names: Sequence[str], sums: Sequence[int], currency: str) -> dict[str, Any]:
    """Return sums by columns; amounts are in units of the currency."""
    columns = map(amount_column, names)
    numbers = {
        name: amounts([value], currency)[0] if is_money(name) else value
        for name, value in zip(columns, sums, strict=True)
    }
    if query.granularity == "DAY":  # days are added up, which ratios cannot be
        return numbers | ({SPEND: numbers[SPEND_COLUMN]} if SPEND_COLUMN in numbers else {})
    return numbers | derived_numbers(query, numbers)
