"""The page about statistics: what was asked, what it comes to, how it has changed, and who has what part."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ...api.amounts import decimals_of
from ...api.names import neutral_name
from ...console.output_file import RunReport, failure_details, made
from ...errors import ReportedError, UsageError
from ...report import (
    Bar,
    Cell,
    Chart,
    Column,
    Figure,
    Logo,
    ReportPage,
    ReportTable,
    Section,
    Tally,
    TimeChart,
    TimeLine,
    logo_of,
)
from ...statistics.chart_data import ChartData, ChartSeries
from ...statistics.derived import DERIVED, SPEND, as_text, derived_of
from ...statistics.query import StatsQuery, is_money
from ...statistics.rows import BEFORE
from .view import DAY, HOUR, LEADING

MAX_LOGO_BYTES = 1_000_000
MOST_BARS = 10  # of entities; the others are added up
TALLIED_RATIOS = ("ctr", "cpc")
RATIOS = tuple(name for name, derived in DERIVED.items() if derived.divisor)


def read_logo(name: str) -> Logo:
    """Return a picture for a page; raise UsageError where it is none."""
    try:
        with Path(name).open("rb") as file:
            content = file.read(MAX_LOGO_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--logo: {name}: {(error.strerror or str(error)).lower()}") from None
    if len(content) > MAX_LOGO_BYTES:
        raise UsageError(f"--logo: {name} is larger than {MAX_LOGO_BYTES:,} bytes", hint="make it smaller")
    logo = logo_of(content)
    if logo is None:
        raise UsageError(f"--logo: {name} is not a picture", hint="name a file in png, jpeg or svg")
    return logo


class StatsReport(RunReport):
    """The page about the rows of a question, or the error that it ended with."""

    question: StatsQuery | None = None  # once it is known
    rows: ChartData | None = None
    accounts: Sequence[str] = ()
    earlier = ""  # the period that the rows are compared with
    title = ""
    logo: Logo | None = None

    def set_heading(self, title: str | None, logo: str | None) -> None:
        """Take a title, and the picture in a file; raise UsageError where it is none."""
        self.title = title or ""
        self.logo = read_logo(logo) if logo else None

    def page(self) -> ReportPage:
        """Return the page about the rows, or the error that they ended with."""
        if self.error or self.question is None or self.rows is None:
            return page_of_error(self.error, self.question)
        return StatsPage(self, self.question, self.rows).made()


class StatsPage(NamedTuple):
    """The parts of the page about rows."""

    report: StatsReport
    question: StatsQuery
    gathered: ChartData

    def made(self) -> ReportPage:
        """Return the page."""
        counted = self.gathered.counted_columns
        leading = [name for name in LEADING if name in counted] or counted[:3]
        return ReportPage(
            title=self.question.text if self.report.title else _subject(self.report.accounts),
            level="neutral",
            headline=self.report.title or self.question.text,
            details=[] if leading else ["Nothing was spent or counted in this time."],
            facts=_facts(self.question, self.report.earlier),
            tallies=[*self._tallies(leading)],
            sections=[*self._sections(leading)],
            logo=self.report.logo,
        )

    def _tallies(self, leading: Sequence[str]) -> Iterator[Tally]:
        for name in (*leading, *TALLIED_RATIOS):
            for part in self._comparable(name):
                total = self._with_ratios(part.total())
                number = total.totals.get(name)
                if number is not None:
                    text, change = _text(total, name), self._change(total, name)
                    yield Tally(title_of(name), float(number), text=text, change=change)

    def _comparable(self, name: str) -> list[ChartData]:
        """Return the rows by what has a sum of this number or ratio: amounts have one in a currency only."""
        if name not in DERIVED:
            return self.gathered.comparable(name)
        return self.gathered.by_currency() if DERIVED[name].has_amounts else [self.gathered]

    def _with_ratios(self, line: ChartSeries) -> ChartSeries:
        """Add the ratios of its sums to a line, and those of the earlier period."""
        totals = dict(line.totals)
        for suffix in ("", BEFORE):
            sums = {neutral_name(name): line.totals.get(name + suffix) for name in self.gathered.columns}
            derived = derived_of(self.question, sums)
            totals |= {name + suffix: derived[name] for name in RATIOS if derived.get(name) is not None}
        return replace(line, totals=totals)

    def _change(self, line: ChartSeries, name: str) -> str:
        """Say how a number has changed; nothing where the page compares nothing."""
        earlier = line.totals.get(name + BEFORE)
        if not self.report.earlier or earlier is None:
            return ""
        was, growth = f"was {_text(line, name, BEFORE)}", _growth(line, name)
        return f"{growth.text} ({was})" if growth else was

    def _sections(self, leading: Sequence[str]) -> Iterator[Section]:
        drawn = [(name, part) for name in leading for part in self.gathered.comparable(name)]
        if drawn and len(self.gathered.times) > 1:
            yield Section("Over time", [self._over_time(name, part) for name, part in drawn])
        if drawn and len(self.report.accounts) > 1:
            yield Section("Accounts", [self._compared("account", self.gathered.by_account(), leading)])
        if campaigns := self.gathered.by_campaign() if drawn else []:
            yield Section("Campaigns", [self._compared("campaign", campaigns, leading)])
        if drawn:
            yield Section("Who has what part", [_parts(name, part) for name, part in drawn])
        yield Section("All rows", [_table(self.gathered, leading)])

    def _over_time(self, column: str, gathered: ChartData) -> TimeChart:
        """Draw the sum of all, and what it was."""
        total, times = gathered.total(), gathered.times
        lines = [TimeLine(self.question.days, total.series(column, len(times)))]
        if self.report.earlier:
            before = total.series(f"{column}{BEFORE}", len(times))
            lines.append(TimeLine(self.report.earlier, before, is_earlier=True))
        length = HOUR if self.question.granularity == "HOUR" else DAY
        decimals = decimals_of(total.currency) if is_money(column) else 0
        return TimeChart(title_of(column, total.currency), [time[:length] for time in times], lines, decimals)

    def _compared(self, noun: str, lines: Sequence[ChartSeries], leading: Sequence[str]) -> ReportTable:
        """Return a row for each campaign or account, with derived metrics and the change of what leads.

        The largest is first, of amounts the largest of each currency.
        """
        first = leading[0]
        lines = sorted(
            map(self._with_ratios, lines),
            key=lambda line: (line.currency if is_money(first) else "", -(line.totals.get(first) or 0)),
        )
        ratios = [name for name in RATIOS if any(name in line.totals for line in lines)]
        changed = [first] if self.report.earlier else []
        columns = [
            Column(noun.capitalize()),
            *(Column(title_of(name), "number") for name in leading),
            *(Column(f"Change of {title_of(name).lower()}", "number") for name in changed),
            *(Column(title_of(name), "number") for name in ratios),
        ]
        rows: list[list[Cell]] = [
            [
                line.label,
                *(_cell(line, name) for name in leading),
                *(_growth(line, name) or "" for name in changed),
                *(_cell(line, name) for name in ratios),
            ]
            for line in lines
        ]
        return ReportTable(f"By {noun}", columns, rows, noun)


def page_of_error(error: ReportedError | None, question: StatsQuery | None) -> ReportPage:
    """Return the page about a question without an answer; part of the numbers would pass for all."""
    return ReportPage(
        title=question.text if question else "Statistics",
        level="error",
        headline="The statistics could not be read",
        details=[*failure_details(error, in_headline=False)],
        facts=_facts(question),
    )


def _subject(accounts: Sequence[str]) -> str:
    return (
        f"Statistics of {f'account {accounts[0]}' if len(accounts) == 1 else f'{len(accounts):,} accounts'}"
    )


def title_of(column: str, currency: str = "") -> str:
    """Name a column for people, with the currency of amounts: Spend, EUR."""
    metric = DERIVED.get("spend" if column == SPEND else column)
    title = metric.title if metric else column.removesuffix("_local").replace("_", " ").capitalize()
    return f"{title}, {currency}" if currency and is_money(column) else title


def _growth(line: ChartSeries, name: str) -> Figure | None:
    """Return how much more or less a number is than it was: +12.5 %; nothing where it was nothing."""
    number, earlier = line.totals.get(name) or 0, line.totals.get(name + BEFORE)
    if not earlier:
        return None
    growth = float(number) / float(earlier) - 1
    return Figure(growth, f"{100 * growth:+,.1f} %".replace("-", "−"))


def _facts(question: StatsQuery | None, earlier: str = "") -> list[tuple[str, str]]:
    asked = [("Entity", question.entity), ("Placement", question.placement)] if question else []
    return [
        *([("Compared with", earlier)] if earlier else []),
        *asked,
        *([("Segments", question.segmentation)] if question and question.segmentation else []),
        made(),
    ]


def _parts(column: str, gathered: ChartData) -> Chart:
    lines, total = gathered.largest(column, MOST_BARS), gathered.total()
    bars = []
    for line in lines:
        number = line.totals.get(column) or 0
        bars.append(Bar(line.label, max(float(number), 0), line.shown(column, number)))
    return Chart(title_of(column, total.currency), bars, float(total.totals[column]))


def _table(gathered: ChartData, first: Sequence[str]) -> ReportTable:
    """Return a row for each entity, with its totals; campaigns where they differ from names."""
    lines = gathered.lines
    has_campaigns = any(line.campaign for line in lines)
    names = ["Name", "Id", *(["Campaign"] if has_campaigns else [])]
    numbers = list(dict.fromkeys([*first, *gathered.counted_columns]))
    columns = [*map(Column, names), *(Column(title_of(name), "number") for name in numbers)]
    rows: list[list[Cell]] = []
    for line in lines:
        texts = [line.label, line.id, *([line.campaign] if has_campaigns else [])]
        rows.append([*texts, *(_cell(line, name) for name in numbers)])
    return ReportTable("Totals", columns, rows, "row")


def _cell(line: ChartSeries, name: str) -> Cell:
    number = line.totals.get(name)
    return "" if number is None else Figure(float(number), _text(line, name))


def _text(line: ChartSeries, name: str, suffix: str = "") -> str:
    """Write a number or a ratio that a line has for people, or with the suffix BEFORE what it was."""
    number = line.totals[name + suffix]
    return as_text(name, number, line.currency) if name in DERIVED else line.shown(name, number)
