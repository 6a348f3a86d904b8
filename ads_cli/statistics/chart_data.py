"""The numbers of rows for pictures: a line for each entity, with its totals and its numbers over time."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import isnan, nan
from operator import attrgetter
from typing import Any

from ..api.amounts import decimals_of
from .query import AMOUNT, is_money
from .rows import BEFORE, CURRENCY, POST, SEGMENT_VALUE, TIMES, TOTAL, Row, StatsTable

NAMES = ("name", "entity_id", "campaign", "placement", "entity")  # what a line is called, by the first it has

Number = int | float | Decimal


class ChartSeries:
    """The numbers of an entity, or of what else rows are grouped by; 8 bytes for each time and column."""

    def __init__(
        self, label: str, id: str = "", campaign: str = "", currency: str = "", segment: str = ""
    ) -> None:
        self.label, self.id, self.campaign, self.currency = label, id, campaign, currency
        self.segment = segment  # its value; its name is in the label
        self.account, self.campaign_id = "", ""
        self.repeated = ""  # a post whose numbers other lines have too
        self.totals: dict[str, Any] = {}  # sums; the numbers of a column are all of one type
        self._series: dict[str, array[float]] = {}

    def add(self, column: str, time: int, value: Number | None) -> None:
        """Add a number of a column, of the time at a position."""
        if value is None:
            return
        total = self.totals.get(column)
        self.totals[column] = value if total is None else total + value
        self._add_at(column, time, float(value))

    def join(self, other: "ChartSeries", columns: Iterable[str]) -> None:
        """Add the numbers of another line."""
        for column in columns:
            if (total := other.totals.get(column)) is not None:
                self.totals[column] = self.totals.get(column, 0) + total
            for time, value in enumerate(other._series.get(column, ())):
                if not isnan(value):
                    self._add_at(column, time, value)

    def _add_at(self, column: str, time: int, value: float) -> None:
        series = self._series.setdefault(column, array("d"))
        series.extend([nan] * (time + 1 - len(series)))
        series[time] = value if isnan(series[time]) else series[time] + value

    def series(self, column: str, times: int) -> list[float | None]:
        """Return the numbers of a column over time, None where there is none."""
        numbers = [None if isnan(value) else value for value in self._series.get(column, ())]
        return [*numbers, *[None] * (times - len(numbers))]

    def text(self, column: str) -> str:
        """Write the total of a column for people: 1,234, or 1,234.50 EUR."""
        total = self.totals.get(column)
        return "" if total is None else self.shown(column, total)

    def shown(self, column: str, total: Number) -> str:
        """Write a number of a column for people."""
        if column.endswith(AMOUNT):
            return f"{total:,.{decimals_of(self.currency)}f} {self.currency}".rstrip()
        return f"{total:,}" if isinstance(total, int) else f"{total:,.2f}"


class ChartData:
    """Gathers rows as they pass by, whose amounts are in these currencies."""

    def __init__(self, columns: Sequence[str], currencies: Collection[str | None]) -> None:
        self.columns = columns
        self._currencies = currencies  # none where there are no amounts
        self._times: dict[str | None, int] = {}
        self._lines: dict[Row, ChartSeries] = {}

    def watch(self, table: StatsTable) -> StatsTable:
        """Return the rows as they are; their numbers are noted as they are read."""
        return table._replace(rows=self._noted(table))

    def _noted(self, table: StatsTable) -> Iterator[Row]:
        width, start = len(table.keys), table.keys.index("start")
        others = [position for position, name in enumerate(table.keys) if name not in TIMES]
        for row in table.rows:
            yield row
            if row[0] == TOTAL:  # a row of --totals
                continue
            key = tuple(row[position] for position in others)
            line = self._lines.get(key)
            if line is None:
                keys = dict(zip(table.keys, row, strict=False))
                line = self._lines[key] = self._line_of(keys)
                line.account, line.campaign_id = keys["account"] or "", keys["campaign_id"] or ""
                line.repeated = keys[POST] if keys[POST] in table.repeated_posts else ""
            time = self._times.setdefault(row[start], len(self._times))
            for column, value in zip(table.metrics, row[width:], strict=True):
                line.add(column, time, value)

    def _line_of(self, keys: Mapping[str, Any]) -> ChartSeries:
        currency = keys[CURRENCY] if self._currencies else None
        name = next((str(keys[field]) for field in NAMES if keys[field]), "")
        label = ", ".join(filter(None, (name, keys["segment"]))) or "all"
        if label == "all" and len(self._currencies) > 1:
            label = currency or label
        campaign = str(keys["campaign"] or "")
        segment = keys.get(SEGMENT_VALUE) or ""
        return ChartSeries(
            label, keys["entity_id"] or "", "" if campaign == name else campaign, currency or "", segment
        )

    @property
    def times(self) -> list[str]:
        """The beginnings of the times; one, which may be empty, where there is but a total."""
        return [time or "" for time in self._times]

    @property
    def lines(self) -> list[ChartSeries]:
        """The lines in the order of the rows; where two are called the same, with their ids or segments."""
        lines = [*self._lines.values()]
        for mark in (attrgetter("id"), attrgetter("segment")):
            same = defaultdict[str, list[ChartSeries]](list)
            for line in lines:
                same[line.label].append(line)
            for label, called in same.items():
                if len({*map(mark, called)}) > 1:
                    for line in called:
                        line.label = f"{label} ({mark(line)})" if mark(line) not in ("", label) else label
        return lines

    @property
    def lines_with_numbers(self) -> list[ChartSeries]:
        """The lines that have a number other than zero."""
        return [line for line in self.lines if any(line.totals.values())]

    @property
    def counted_columns(self) -> list[str]:
        """The columns with numbers other than zero, in their order."""
        return [name for name in self.columns if any(line.totals.get(name) for line in self._lines.values())]

    def by_currency(self) -> "list[ChartData]":
        """Return the lines of each currency by themselves."""
        currencies = dict.fromkeys(line.currency for line in self._lines.values())
        return [self._of(currency) for currency in currencies] if len(currencies) > 1 else [self]

    def comparable(self, column: str) -> "list[ChartData]":
        """Return the lines whose numbers of a column can be compared and added up: amounts by currency."""
        parts = self.by_currency() if is_money(column) else [self]
        return [part for part in parts if column in part.counted_columns]

    def _of(self, currency: str) -> "ChartData":
        part = ChartData(self.columns, [currency])
        part._times = self._times
        part._lines = {key: line for key, line in self._lines.items() if line.currency == currency}
        return part

    def by_account(self) -> list[ChartSeries]:
        """Add up the lines of each account and currency."""
        accounts = dict[tuple[str, str], list[ChartSeries]]()
        for line in self._lines.values():
            accounts.setdefault((line.account, line.currency), []).append(line)
        return [self._sum(account, lines) for (account, _), lines in accounts.items()]

    def by_campaign(self) -> list[ChartSeries]:
        """Add up the lines of each campaign and currency; none where a line lies in no campaign."""
        campaigns = dict[tuple[str, str], list[ChartSeries]]()
        for line in self.lines:
            campaigns.setdefault((line.campaign_id, line.currency), []).append(line)
        if any(not id for id, _ in campaigns):
            return []
        return [self._sum(lines[0].campaign or lines[0].label, lines) for lines in campaigns.values()]

    def total(self) -> ChartSeries:
        """Add all lines up; amounts of several currencies have no sum."""
        return self._sum(TOTAL.capitalize(), [*self._lines.values()])

    def totals(self) -> list[ChartSeries]:
        """Add the lines up; those of each currency where they have amounts of several."""
        parts = self.by_currency() if any(map(is_money, self.columns)) else [self]
        lines = [part.total() for part in parts]
        if len(lines) > 1:
            for line in lines:
                line.label = f"{line.label} {line.currency}".rstrip()
        return lines

    def largest(self, column: str, count: int) -> list[ChartSeries]:
        """Return the lines with the largest totals of a column, and the sums of the others as last ones."""
        lines = sorted(
            self.lines_with_numbers, key=lambda line: float(line.totals.get(column) or 0), reverse=True
        )
        if len(lines) <= count + 1:
            return lines
        others = dict[str, list[ChartSeries]]()
        for line in lines[count:]:
            others.setdefault(line.currency, []).append(line)
        named = (currency if len(others) > 1 else "" for currency in others)
        sums = (
            self._sum(f"{len(rest):,} others {currency}".rstrip(), rest)
            for currency, rest in zip(named, others.values(), strict=True)
        )
        return [*lines[:count], *sums]

    def _sum(self, label: str, lines: Sequence[ChartSeries]) -> ChartSeries:
        currencies = {line.currency for line in lines}
        several = len(currencies) > 1
        total = ChartSeries(label, currency="" if several else next(iter(currencies), ""))
        known = dict.fromkeys(name for line in lines for name in line.totals)
        columns = [name for name in known if not (several and is_money(name.removesuffix(BEFORE)))]
        seen = list[tuple[str, str, dict[str, Any]]]()
        for line in lines:
            same = (line.repeated, line.segment, line.totals)
            if not (line.repeated and same in seen):
                total.join(line, columns)
            seen += [same] if line.repeated else []
        return total
