"""A workbook about the accounts of a mirror: accounts, entities and days, with typed numbers."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import IO, Any

from ...api.names import neutral_name
from ...output.column_types import ColumnType, type_of
from ...output.workbook import FormattedNumber, WorkbookWriter, open_workbook
from ...output.workbook_records import CHANGE_FORMAT, typed
from ...statistics.chart_data import ChartSeries
from ...statistics.query import is_money
from .page import DAY, RATIOS, StatsPage, StatsReport, Sums, title_of

MICRO_DECIMALS = 6  # of amounts, as the service counts them


def write_workbook(stream: IO[bytes], report: StatsReport) -> None:
    """Write a sheet for the accounts, for their entities and for the days, each with bold totals."""
    assert report.query and report.rows is not None
    with open_workbook(stream) as book:
        _Sheets(StatsPage(report, report.query, report.rows), book).write()


class _Sheets:
    """The sheets about the rows of a report."""

    def __init__(self, page: StatsPage, book: WorkbookWriter) -> None:
        self._page, self._book, self._gathered = page, book, page.gathered
        self._leading = page.leading
        totals = [page.sums(total) for total in self._gathered.totals()]
        others = [name for name in self._gathered.compared_columns if name not in self._leading]
        ratios = [ratio for ratio in RATIOS if any(ratio in sums.now for sums in totals)]
        self._metrics, self._totals = [*self._leading, *ratios, *others], totals
        self._changed = self._leading if page.report.earlier else []

    def write(self) -> None:
        """Write all sheets."""
        report, noun = self._page.report, self._page.query.noun
        several = len(report.accounts) > 1
        if several:
            self._add("Accounts", ["Account"], self._page.accounts(), lambda line: [line.label])
        owner = ["Account"] if several else []

        def named(line: ChartSeries) -> list[Any]:
            account = report.account_names.get(line.account) or line.account
            return [*([account] if several else []), line.label]

        self._add(f"{noun.capitalize()}s", [*owner, noun.capitalize()], self._gathered.lines, named)
        if len(self._gathered.times) > 1:
            for part in self._gathered.by_currency():
                self._add_days(part.total())

    def _add(self, name: str, heads: Sequence[str], lines: Sequence[ChartSeries], labels: Any) -> None:
        """Add a sheet with a row for each line, the largest first, and its id last."""
        titles = [*self._titles(), "Id"]
        sheet = self._book.add_sheet(name, [*heads, *titles])
        for sums in self._page.ranked(lines, self._leading):
            sheet.write([*labels(sums.line), *self._numbers(sums), sums.line.id])
        sheet.filter_rows()
        blank = [None] * (len(heads) - 1)
        for sums in self._totals if sheet.count > 1 else ():
            sheet.write([sums.line.label, *blank, *self._numbers(sums)], is_total=True)

    def _titles(self) -> Iterator[str]:
        for metric in self._metrics:
            yield title_of(metric)
            if metric in self._changed:
                yield f"Change of {title_of(metric).lower()}"

    def _numbers(self, sums: Sums) -> Iterator[Any]:
        for metric in self._metrics:
            yield typed(_type(metric), sums.now.get(metric), sums.line.currency)
            if metric in self._changed:
                growth = sums.growth(metric)
                yield growth and FormattedNumber(growth.value, CHANGE_FORMAT)

    def _add_days(self, total: ChartSeries) -> None:
        """Add a sheet with a row for each time, of the amounts in one currency."""
        times, currency = self._gathered.times, total.currency
        columns = [name for name in self._gathered.compared_columns if name in total.totals]
        series = [total.series(column, len(times)) for column in columns]
        several = len(self._totals) > 1
        sheet = self._book.add_sheet(
            f"Days, {currency}" if several else "Days", ["Day", *self._day_titles(columns)]
        )
        for at, time in sorted(enumerate(times), key=lambda item: item[1]):
            now = {column: _rounded(values[at]) for column, values in zip(columns, series, strict=True)}
            sheet.write([_day(time), *self._day(columns, now, currency)])
        sheet.filter_rows()
        sheet.write(["Total", *self._day(columns, total.totals, currency)], is_total=True)

    def _day_titles(self, columns: Sequence[str]) -> list[str]:
        return [title_of(metric) for metric in self._metrics if metric in (*columns, *RATIOS)]

    def _day(self, columns: Sequence[str], now: Any, currency: str) -> Iterator[Any]:
        counted = {column: number for column in columns if (number := now.get(column)) is not None}
        numbers = counted | self._page.ratios(counted)
        for metric in self._metrics:
            if metric in (*columns, *RATIOS):
                yield typed(_type(metric), numbers.get(metric), currency)


def _rounded(number: float | None) -> float | None:
    return number if number is None else round(number, MICRO_DECIMALS)


def _type(metric: str) -> ColumnType:
    return "amount" if is_money(metric) else type_of(neutral_name(metric))


def _day(time: str) -> Any:
    """Return the day of a time without an offset; the text where the rows are of hours or weeks."""
    try:
        return date.fromisoformat(time[:DAY]) if time[DAY:] in ("", "T00:00:00") else time
    except ValueError:
        return time
