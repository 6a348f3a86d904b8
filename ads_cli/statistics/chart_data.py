"""The numbers of rows for pictures: a line for each entity, with its totals and its numbers over time."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import isnan, nan
from operator import attrgetter
from typing import Any

from ..api.metrics import BEFORE, TOTAL
from ..output.figures import amount_text, fixed
from .derived import DERIVED, as_text, is_amount, is_ratio
from .query import SALE_AMOUNT
from .rows import CURRENCY, POST, SEGMENT_VALUE, TIMES, Row, StatsTable, earlier_name

NAMES = ("name", "entity_id", "campaign", "placement", "entity")  # what a line is called, by the first it has

Number = int | float | Decimal


@dataclass(eq=False)
class ChartSeries:
    """The numbers of an entity, or of what else rows are grouped by: 8 bytes for each time and column.

    All amounts are in units of the currency.
    """

    label: str  # the name with that of the segment, and what tells the line from another one
    name: str = ""
    id: str = ""
    account: str = ""
    campaign_id: str = ""
    campaign_name: str = ""
    currency: str = ""
    segment: str = ""  # its value; its name is in the label
    repeated: str = ""  # a post whose numbers other lines have too
    # Sums over time by column, those of an earlier period too; of a ratio, right where there is one time. The
    # numbers of a column are all of one type.
    totals: dict[str, Any] = field(default_factory=dict)
    _series: dict[str, "array[float]"] = field(default_factory=dict)

    @property
    def campaign(self) -> str:
        """The name of the campaign, where that is not the line's own."""
        return "" if self.campaign_name == self.name else self.campaign_name

    def add(self, column: str, time: int, value: Number | None) -> None:
        """Add a number of a column, of the time at a position."""
        if value is not None:
            self.totals[column] = self.totals.get(column, 0) + value
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
        if column in DERIVED:
            return as_text(column, total, self.currency)
        if is_amount(column):
            return amount_text(total, self.currency)
        return f"{total:,}" if isinstance(total, int) else fixed(total, 2)


class ChartData:
    """Gathers rows as they pass by, whose amounts are in these currencies.

    Times are in the order of the rows, after those that are given.
    """

    def __init__(
        self, columns: Sequence[str], currencies: Collection[str | None], times: Iterable[str] = ()
    ) -> None:
        self.columns = columns
        self._currencies = currencies  # none where there are no amounts
        self._times: dict[str | None, int] = {time: at for at, time in enumerate(times)}
        self._lines: dict[Row, ChartSeries] = {}

    def watch(self, table: StatsTable) -> StatsTable:
        """Return the rows as they are; their numbers are noted as they are read."""
        return table._replace(rows=self._note_rows(table))

    def _note_rows(self, table: StatsTable) -> Iterator[Row]:
        width, start = len(table.keys), table.keys.index("start")
        others = [position for position, name in enumerate(table.keys) if name not in TIMES]
        for row in table.rows:
            if row[0] != TOTAL:  # a row of --totals repeats the others
                key = tuple(row[position] for position in others)
                line = self._lines.get(key)
                if line is None:
                    keys = dict(zip(table.keys, row, strict=False))
                    line = self._lines[key] = self._line_of(keys, table.repeated_posts)
                time = self._times.setdefault(row[start], len(self._times))
                for column, value in zip(table.metrics, row[width:], strict=True):
                    line.add(column, time, _in_units(column, value))
            yield row

    def _line_of(self, keys: Mapping[str, Any], repeated_posts: Collection[str]) -> ChartSeries:
        currency = keys[CURRENCY] if self._currencies else None
        name = next((str(keys[key]) for key in NAMES if keys[key]), "")
        label = ", ".join(filter(None, (name, keys["segment"]))) or "all"
        if label == "all" and len(self._currencies) > 1:
            label = currency or label
        return ChartSeries(
            label,
            name,
            id=keys["entity_id"] or "",
            account=keys["account"] or "",
            campaign_id=keys["campaign_id"] or "",
            campaign_name=str(keys["campaign"] or ""),
            currency=currency or "",
            segment=keys.get(SEGMENT_VALUE) or "",
            repeated=keys[POST] if keys[POST] in repeated_posts else "",
        )

    @property
    def times(self) -> list[str]:
        """The beginnings of the times. A total has a single one, which may be empty."""
        return [time or "" for time in self._times]

    @property
    def lines(self) -> list[ChartSeries]:
        """The lines in the order of the rows; where two are called the same, with what differs."""
        return with_distinct_labels([*self._lines.values()])

    @property
    def lines_with_numbers(self) -> list[ChartSeries]:
        """The lines that have a number other than zero in a column that is drawn."""
        return [line for line in self.lines if self.draws(line)]

    def draws(self, line: ChartSeries) -> bool:
        """Whether a line has a number other than zero in a column that is drawn."""
        return any(map(line.totals.get, self.columns))

    @property
    def counted_columns(self) -> list[str]:
        """The columns with numbers other than zero, in their order."""
        return [column for column in self.columns if self._has_number(column)]

    @property
    def compared_columns(self) -> list[str]:
        """The columns with numbers other than zero now or in the earlier period, in their order."""
        return [
            column
            for column in self.columns
            if self._has_number(column) or self._has_number(earlier_name(column))
        ]

    def _has_number(self, column: str) -> bool:
        return any(line.totals.get(column) for line in self._lines.values())

    def by_currency(self) -> "list[ChartData]":
        """Return the lines of each currency by themselves."""
        currencies = dict.fromkeys(line.currency for line in self._lines.values())
        return [self._of(currency) for currency in currencies] if len(currencies) > 1 else [self]

    def comparable(self, column: str) -> "list[ChartData]":
        """Return the lines whose numbers of a column can be compared and added up: amounts by currency.

        Each part has a number other than zero, now or in the earlier period.
        """
        parts = self.by_currency() if is_amount(column) else [self]
        return [part for part in parts if column in part.compared_columns]

    def _of(self, currency: str) -> "ChartData":
        part = ChartData(self.columns, [currency])
        part._times = self._times
        lines = zip(self._lines, self.lines, strict=True)  # called as they are among all
        part._lines = {key: line for key, line in lines if line.currency == currency}
        return part

    def by_account(self, names: Mapping[str, str]) -> list[ChartSeries]:
        """Add up the lines of each account and currency. `names` are those of accounts, by their ids."""
        accounts = _grouped(self._lines.values(), attrgetter("account", "currency"))
        sums = [
            replace(self._sum(names.get(account) or account, lines), id=account)
            for (account, _), lines in accounts.items()
        ]
        return with_distinct_labels(sums)

    def by_campaign(self) -> list[ChartSeries]:
        """Add up the lines of each campaign and currency; none where a line lies in no campaign."""
        campaigns = _grouped(self._lines.values(), attrgetter("campaign_id", "currency"))
        if any(not id for id, _ in campaigns):
            return []
        return with_distinct_labels(
            [
                replace(self._sum(lines[0].campaign_name or id, lines), id=id, account=lines[0].account)
                for (id, _), lines in campaigns.items()
            ]
        )

    def total(self) -> ChartSeries:
        """Add all lines up; amounts of several currencies have no sum."""
        return self._sum(TOTAL.capitalize(), [*self._lines.values()])

    def totals(self) -> list[ChartSeries]:
        """Add the lines up; those of each currency where they have amounts of several."""
        parts = self.by_currency() if any(map(is_amount, self.columns)) else [self]
        lines = [part.total() for part in parts]
        if len(lines) == 1:
            return lines
        return [replace(line, label=f"{line.label} {line.currency}".rstrip()) for line in lines]

    def largest(self, column: str, count: int) -> list[ChartSeries]:
        """Return the lines with the largest totals of a column, and the sums of the others as last ones."""
        lines = sorted(
            self.lines_with_numbers, key=lambda line: float(line.totals.get(column) or 0), reverse=True
        )
        if len(lines) <= count + 1:
            return lines
        others = _grouped(lines[count:], attrgetter("currency"))
        sums = (
            self._sum(f"{len(rest):,} others {currency if len(others) > 1 else ''}".rstrip(), rest)
            for currency, rest in others.items()
        )
        return [*lines[:count], *sums]

    def _sum(self, label: str, lines: Sequence[ChartSeries]) -> ChartSeries:
        currencies = {line.currency for line in lines}
        several = len(currencies) > 1
        total = ChartSeries(label, currency="" if several else next(iter(currencies), ""))
        names = dict.fromkeys(name for line in lines for name in line.totals)
        columns = [
            name
            for name in names
            if not is_ratio(name) and not (several and is_amount(name.removesuffix(BEFORE)))
        ]
        seen = list[tuple[str, str, dict[str, Any]]]()
        for line in lines:
            # The service has the numbers of a post again in each campaign that promotes it: they count once.
            if line.repeated:
                same = (line.repeated, line.segment, line.totals)
                if same in seen:
                    continue
                seen.append(same)
            total.join(line, columns)
        return total


def _in_units(column: str, value: Number | None) -> Number | None:
    """Return a number of a row with amounts in units of the currency."""
    is_micro = column.removesuffix(BEFORE).endswith(SALE_AMOUNT)
    return value if value is None or not is_micro else Decimal(value).scaleb(-6)


def _grouped(lines: Iterable[ChartSeries], key: Callable[[ChartSeries], Any]) -> dict[Any, list[ChartSeries]]:
    groups = dict[Any, list[ChartSeries]]()
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return groups


def with_distinct_labels(lines: Sequence[ChartSeries]) -> list[ChartSeries]:
    """Add to the label of each line, where others have the same, its id, then segment, then currency."""
    for mark in map(attrgetter, ("id", "segment", "currency")):
        marks = {label: {*map(mark, same)} for label, same in _grouped(lines, attrgetter("label")).items()}
        lines = [
            replace(line, label=f"{line.label} ({mark(line)})")
            if len(marks[line.label]) > 1 and mark(line) not in ("", line.label)
            else line
            for line in lines
        ]
    return [*lines]
