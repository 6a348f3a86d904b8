"""The page about statistics: what was asked, what it comes to, and who has what part of it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from ... import __version__
from ...report.page import Amount, Bar, Cell, Chart, Column, Page, Section, Table, Tally
from ...statistics.gathered import Gathered, Line
from ...statistics.question import Question

MOST_BARS = 10  # of entities; the others are added up
MOST_TIMES = 31
LEADING = {"billed_charge_local": "spend", "impressions": "impressions", "clicks": "clicks"}
NOUNS = {"DAY": "day", "HOUR": "hour"}


def page_of(question: Question, gathered: Gathered, account: str) -> Page:
    """Return the page about the rows of a question."""
    total = gathered.total()
    leading = [name for name in LEADING if total.totals.get(name)]
    leading = leading or [name for name in gathered.counted_columns if name in total.totals][:3]
    return Page(
        title=f"Statistics of account {account}",
        level="neutral",
        headline=question.text,
        details=[] if leading else ["Nothing was spent or counted in this time."],
        facts=[
            ("Entity", question.entity),
            ("Placement", question.placement),
            *([("Segments", question.segmentation)] if question.segmentation else []),
            ("Made", f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %Z}"),
            ("By", f"adsctl {__version__}"),
        ],
        tallies=[
            Tally(LEADING.get(name, name), float(total.totals[name]), text=total.text(name))
            for name in leading
        ],
        sections=[*_sections(question, gathered, total, leading)],
    )


def _sections(
    question: Question, gathered: Gathered, total: Line, leading: Sequence[str]
) -> Iterator[Section]:
    if leading and len(gathered.times) > 1:
        noun = NOUNS.get(question.granularity, "time")
        yield Section("Over time", [_over_time(name, gathered, total, noun) for name in leading])
    if leading:
        yield Section("Who has what part", [_parts(name, gathered, total) for name in leading])
    yield Section("All rows", [_table(gathered, leading)])


def _over_time(column: str, gathered: Gathered, total: Line, noun: str) -> Chart:
    """Draw a bar for each time, or for as many neighbours together as there is room for."""
    numbers = total.series(column, len(gathered.times))
    step = -(-len(numbers) // MOST_TIMES)
    bars = []
    for start in range(0, len(numbers), step):
        value = sum(number or 0 for number in numbers[start : start + step])
        bars.append(_bar(_moment(gathered.times[start], noun), value, total, column))
    note = f"Each bar is {step} {noun}s from its beginning on." if step > 1 else ""
    return Chart(f"{column} by {noun}", bars, float(total.totals[column]), note)


def _moment(start: str, noun: str) -> str:
    return start[:10] if noun == "day" else start[:16].replace("T", " ")


def _parts(column: str, gathered: Gathered, total: Line) -> Chart:
    lines = gathered.largest(column, MOST_BARS)
    bars = [_bar(line.label, float(line.totals.get(column) or 0), line, column) for line in lines]
    return Chart(column, bars, float(total.totals[column]))


def _bar(label: str, value: float, line: Line, column: str) -> Bar:
    number = int(value) if value.is_integer() else value
    return Bar(label, max(value, 0), line.shown(column, number))


def _table(gathered: Gathered, first: Sequence[str]) -> Table:
    """Return a row for each entity, with its totals; campaigns where they differ from names."""
    lines = gathered.lines
    names = ["Name", "Id", *(["Campaign"] if any(line.campaign for line in lines) else [])]
    numbers = list(dict.fromkeys([*first, *gathered.counted_columns]))
    columns = [*map(Column, names), *(Column(name, "number") for name in numbers)]
    rows: list[list[Cell]] = []
    for line in lines:
        texts = (line.label, line.id, line.campaign)[: len(names)]
        rows.append([*texts, *(_cell(line, name) for name in numbers)])
    return Table("Totals", columns, rows, "row")


def _cell(line: Line, column: str) -> Cell:
    total = line.totals.get(column)
    return "" if total is None else Amount(float(total), line.text(column))
