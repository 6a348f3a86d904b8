"""The numbers of rows for pictures: a line for each entity, with its totals and its numbers over time."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import isnan, nan
from typing import Any

from ..api.money import decimals_of
from .grouping import TOTAL
from .question import AMOUNT
from .rows import BASE, Described, Row

TIMES = ("start", "end")
OTHER_KEYS = tuple(name for name in BASE if name not in TIMES)
NAMES = ("name", "entity_id", "campaign", "placement", "entity")  # what a line is called, by the first it has

Number = int | float | Decimal


class Line:
    """The numbers of an entity, or of what else rows are grouped by; 8 bytes for each time and column."""

    def __init__(self, label: str, id: str = "", campaign: str = "", currency: str = "") -> None:
        self.label, self.id, self.campaign, self.currency = label, id, campaign, currency
        self.totals: dict[str, Number] = {}
        self._series: dict[str, array[float]] = {}

    def add(self, column: str, time: int, value: Number | None) -> None:
        """Add a number of a column, of the time at a position."""
        if value is None:
            return
        total = self.totals.get(column)
        self.totals[column] = value if total is None else total + value  # type: ignore[operator]
        self._add_at(column, time, float(value))

    def join(self, other: "Line", columns: Iterable[str]) -> None:
        """Add the numbers of another line."""
        for column in columns:
            if (total := other.totals.get(column)) is not None:
                self.totals[column] = self.totals.get(column, 0) + total  # type: ignore[operator]
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


class Gathered:
    """Gathers rows as they pass by."""

    def __init__(self, columns: Sequence[str], described: Mapping[str, Described]) -> None:
        self.columns = columns
        self._described = described
        self._currencies = {one.currency for one in described.values() if one.currency}
        self._times: dict[str | None, int] = {}
        self._lines: dict[tuple[Any, ...], Line] = {}

    def watch(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield rows as they are, and note their numbers."""
        for row in rows:
            self._note(row)
            yield row

    def _note(self, row: Row) -> None:
        if row["entity"] == TOTAL:  # the row of --totals
            return
        key = tuple(row[name] for name in OTHER_KEYS)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = self._line_of(row)
        time = self._times.setdefault(row["start"], len(self._times))
        for column in self.columns:
            line.add(column, time, row.get(column))

    def _line_of(self, row: Row) -> Line:
        id = row["entity_id"]
        currency = self._described[id].currency if id in self._described else self._only_currency
        name = next((str(row[field]) for field in NAMES if row[field]), "")
        label = ", ".join(filter(None, (name, row["segment"]))) or "all"
        campaign = str(row["campaign"] or "")
        return Line(label, id or "", "" if campaign == name else campaign, currency or "")

    @property
    def _only_currency(self) -> str | None:
        return next(iter(self._currencies)) if len(self._currencies) == 1 else None

    @property
    def times(self) -> list[str]:
        """The beginnings of the times; one, which may be empty, where there is but a total."""
        return [time or "" for time in self._times]

    @property
    def lines(self) -> list[Line]:
        """The lines in the order of the rows; those that are called the same have their id too."""
        lines = [*self._lines.values()]
        counts = Counter(line.label for line in lines)
        for line in lines:
            if counts[line.label] > 1 and line.id and line.id not in line.label:
                line.label = f"{line.label} ({line.id})"
        return lines

    @property
    def lines_with_numbers(self) -> list[Line]:
        """The lines that have a number other than zero."""
        return [line for line in self.lines if any(line.totals.values())]

    @property
    def counted_columns(self) -> list[str]:
        """The columns with numbers other than zero, in their order."""
        return [name for name in self.columns if any(line.totals.get(name) for line in self._lines.values())]

    def total(self) -> Line:
        """Add all lines up; amounts of several currencies have no sum."""
        return self._sum(TOTAL.capitalize(), self._lines.values())

    def largest(self, column: str, count: int) -> list[Line]:
        """Return the lines with the largest totals of a column, and the sum of the others as a last one."""
        lines = sorted(
            self.lines_with_numbers, key=lambda line: float(line.totals.get(column) or 0), reverse=True
        )
        if len(lines) <= count + 1:
            return lines
        rest = lines[count:]
        return [*lines[:count], self._sum(f"{len(rest):,} others", rest)]

    def _sum(self, label: str, lines: Iterable[Line]) -> Line:
        several = len(self._currencies) > 1
        total = Line(label, currency="" if several else self._only_currency or "")
        columns = [name for name in self.columns if not (several and name.endswith(AMOUNT))]
        for line in lines:
            total.join(line, columns)
        return total
