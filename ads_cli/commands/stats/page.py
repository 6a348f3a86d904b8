"""The page about statistics: what was asked, what it comes to, and who has what part of it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from ... import __version__
from ...errors import ReportedError
from ...report import Bar, Cell, Chart, Column, Figure, ReportPage, ReportTable, Section, Tally
from ...statistics.chart_data import ChartData, ChartSeries
from ...statistics.query import StatsQuery, is_money
from ..products.page import error_details

MOST_BARS = 10  # of entities; the others are added up
MOST_TIMES = 31
LEADING = {"billed_charge_local": "spend", "impressions": "impressions", "clicks": "clicks"}
NOUNS = {"DAY": "day", "HOUR": "hour"}


def page_of(question: StatsQuery, gathered: ChartData, account: str) -> ReportPage:
    """Return the page about the rows of a question."""
    counted = gathered.counted_columns
    leading = [name for name in LEADING if name in counted] or counted[:3]
    return ReportPage(
        title=f"Statistics of account {account}",
        level="neutral",
        headline=question.text,
        details=[] if leading else ["Nothing was spent or counted in this time."],
        facts=_facts(question),
        tallies=[_tally(name, part.total()) for name in leading for part in gathered.comparable(name)],
        sections=[*_sections(question, gathered, leading)],
    )


def page_of_error(error: ReportedError, question: StatsQuery | None) -> ReportPage:
    """Return the page about a question without an answer; part of the numbers would pass for all."""
    return ReportPage(
        title=question.text if question else "Statistics",
        level="error",
        headline="The statistics could not be read",
        details=[*error_details(error, is_told=False)],
        facts=_facts(question),
        tallies=[],
        sections=[],
    )


def _facts(question: StatsQuery | None) -> list[tuple[str, str]]:
    asked = [("Entity", question.entity), ("Placement", question.placement)] if question else []
    return [
        *asked,
        *([("Segments", question.segmentation)] if question and question.segmentation else []),
        ("Made", f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %Z}"),
        ("By", f"adsctl {__version__}"),
    ]


def _tally(column: str, total: ChartSeries) -> Tally:
    return Tally(LEADING.get(column, column), float(total.totals[column]), text=total.text(column))


def _sections(question: StatsQuery, gathered: ChartData, leading: Sequence[str]) -> Iterator[Section]:
    drawn = [(name, part) for name in leading for part in gathered.comparable(name)]
    if drawn and len(gathered.times) > 1:
        noun = NOUNS.get(question.granularity, "time")
        yield Section("Over time", [_over_time(name, part, noun) for name, part in drawn])
    if drawn:
        yield Section("Who has what part", [_parts(name, part) for name, part in drawn])
    yield Section("All rows", [_table(gathered, leading)])


def _over_time(column: str, gathered: ChartData, noun: str) -> Chart:
    """Draw a bar for each time, or for as many neighbours together as there is room for."""
    total = gathered.total()
    numbers = total.series(column, len(gathered.times))
    step = -(-len(numbers) // MOST_TIMES)
    bars = []
    for start in range(0, len(numbers), step):
        value = sum(number or 0 for number in numbers[start : start + step])
        bars.append(_bar(_moment(gathered.times[start], noun), value, total, column))
    note = f"Each bar is {step} {noun}s from its beginning on." if step > 1 else ""
    return Chart(f"{_title(column, total)} by {noun}", bars, float(total.totals[column]), note)


def _moment(start: str, noun: str) -> str:
    return start[:10] if noun == "day" else start[:16].replace("T", " ")


def _parts(column: str, gathered: ChartData) -> Chart:
    lines, total = gathered.largest(column, MOST_BARS), gathered.total()
    bars = [_bar(line.label, float(line.totals.get(column) or 0), line, column) for line in lines]
    return Chart(_title(column, total), bars, float(total.totals[column]))


def _title(column: str, total: ChartSeries) -> str:
    return f"{column} ({total.currency})" if is_money(column) and total.currency else column


def _bar(label: str, value: float, line: ChartSeries, column: str) -> Bar:
    number = int(value) if value.is_integer() else value
    return Bar(label, max(value, 0), line.shown(column, number))


def _table(gathered: ChartData, first: Sequence[str]) -> ReportTable:
    """Return a row for each entity, with its totals; campaigns where they differ from names."""
    lines = gathered.lines
    names = ["Name", "Id", *(["Campaign"] if any(line.campaign for line in lines) else [])]
    numbers = list(dict.fromkeys([*first, *gathered.counted_columns]))
    columns = [*map(Column, names), *(Column(name, "number") for name in numbers)]
    rows: list[list[Cell]] = []
    for line in lines:
        texts = (line.label, line.id, line.campaign)[: len(names)]
        rows.append([*texts, *(_cell(line, name) for name in numbers)])
    return ReportTable("Totals", columns, rows, "row")


def _cell(line: ChartSeries, column: str) -> Cell:
    total = line.totals.get(column)
    return "" if total is None else Figure(float(total), line.text(column))
