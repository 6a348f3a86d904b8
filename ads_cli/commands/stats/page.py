"""The page about statistics: the query, its totals, how they have changed, and the share of each entity."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...api.amounts import decimals_of
from ...api.names import neutral_name
from ...console.output_file import RunReport, failure_details, time_made
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
from ...statistics.derived import DERIVED, as_text, derived_of
from ...statistics.query import AMOUNT, StatsQuery, is_money
from ...statistics.rows import earlier_name
from .view import DAY, HOUR, LEADING

MAX_LOGO_BYTES = 1_000_000
MOST_BARS = 10  # of entities; the others are added up
TALLIED_RATIOS = ("ctr", "cpc")
RATIOS = tuple(name for name, derived in DERIVED.items() if derived.divisor)
TITLES = {name if derived.divisor else derived.dividend: derived.title for name, derived in DERIVED.items()}
MORE_THAN_WHOLE = "A post in several campaigns is a part of each, and counts once in the whole."


def read_logo(name: str) -> Logo:
    """Return a picture for a page; raise UsageError if it is not one."""
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
    """The page about the rows of a query, or the error that it ended with."""

    query: StatsQuery | None = None  # once it is known
    rows: ChartData | None = None
    accounts: Sequence[str] = ()
    earlier = ""  # the period that the rows are compared with
    note = ""  # on the rows, for the reader of the page
    title = ""
    logo: Logo | None = None

    def set_heading(self, title: str | None, logo: str | None) -> None:
        """Take a title, and the picture in a file. Raise UsageError if it is not a picture."""
        self.title = title or ""
        self.logo = read_logo(logo) if logo else None

    def page(self) -> ReportPage:
        """Return the page about the rows, or the error that they ended with."""
        if self.error or self.query is None or self.rows is None:
            return page_of_error(self.error, self.query)
        return StatsPage(self, self.query, self.rows).render()


class Sums(NamedTuple):
    """The sums of some rows and the ratios of these, now and in the earlier period.

    A column is named as in the rows, a ratio as in RATIOS; a metric is either.
    """

    line: ChartSeries
    now: dict[str, Any]
    earlier: dict[str, Any]

    def text(self, metric: str) -> str:
        """Write a metric for people."""
        return self._text(metric, self.now[metric])

    def _text(self, metric: str, number: Any) -> str:
        if metric in RATIOS:
            return as_text(metric, number, self.line.currency)
        return self.line.shown(metric, number)

    def cell(self, metric: str) -> Cell:
        """Return a metric as a cell that sorts by number."""
        return Figure(float(self.now[metric]), self.text(metric)) if metric in self.now else ""

    def growth(self, metric: str) -> Figure | None:
        """Return how much a metric has grown or shrunk, as +12.5 %, or None if it was nothing."""
        if not self.earlier.get(metric):
            return None
        growth = float(self.now.get(metric, 0)) / float(self.earlier[metric]) - 1
        return Figure(growth, f"{100 * growth:+,.1f} %".replace("-", "−"))

    def change(self, metric: str) -> str:
        """Say how a metric has changed; nothing where nothing is known of what it was."""
        if metric not in self.earlier:
            return ""
        was, growth = f"was {self._text(metric, self.earlier[metric])}", self.growth(metric)
        return f"{growth.text} ({was})" if growth else was


class StatsPage(NamedTuple):
    """The parts of the page about rows."""

    report: StatsReport
    query: StatsQuery
    gathered: ChartData

    def render(self) -> ReportPage:
        """Return the page."""
        columns = self.gathered.compared_columns
        leading = [column for column in LEADING if column in columns] or columns[:3]
        nothing = "" if leading else "Nothing was spent or counted in this time."
        return ReportPage(
            title=self.query.text if self.report.title else _subject(self.report.accounts),
            level="neutral",
            headline=self.report.title or self.query.text,
            details=[*filter(None, (nothing, self.report.note))],
            facts=_facts(self.query, self.report.earlier),
            tallies=[*self._tallies(leading)],
            sections=[*self._sections(leading)],
            logo=self.report.logo,
        )

    def _tallies(self, leading: Sequence[str]) -> Iterator[Tally]:
        for metric in (*leading, *TALLIED_RATIOS):
            for part in self._comparable(metric):
                sums = self._sums(part.total())
                if (number := sums.now.get(metric)) is not None:
                    text, change = sums.text(metric), sums.change(metric)
                    yield Tally(title_of(metric), float(number), text=text, change=change)

    def _comparable(self, metric: str) -> list[ChartData]:
        """Return the rows by what has a sum of a metric: amounts have one in a currency only."""
        if metric not in RATIOS:
            return self.gathered.comparable(metric)
        return self.gathered.by_currency() if DERIVED[metric].has_amounts else [self.gathered]

    def _sums(self, line: ChartSeries) -> Sums:
        """Return the sums of a line; what was counted in the earlier period only is 0 now."""
        columns, totals = self.gathered.columns, line.totals
        earlier = {column: totals[name] for column in columns if (name := earlier_name(column)) in totals}
        now = {column: totals.get(column, 0) for column in columns if column in totals or column in earlier}
        return Sums(line, now | self._ratios(now), earlier | self._ratios(earlier))

    def _ratios(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        derived = derived_of(
            self.query, {neutral_name(column): sums.get(column) for column in self.gathered.columns}
        )
        return {ratio: derived[ratio] for ratio in RATIOS if derived.get(ratio) is not None}

    def _sections(self, leading: Sequence[str]) -> Iterator[Section]:
        drawn = [(column, part) for column in leading for part in self.gathered.comparable(column)]
        if drawn and len(self.gathered.times) > 1:
            yield Section("Over time", [self._over_time(column, part) for column, part in drawn])
        if drawn and len(self.report.accounts) > 1:
            yield Section("Accounts", [self._compared("account", self.gathered.by_account(), leading)])
        if campaigns := self.gathered.by_campaign() if drawn else []:
            yield Section("Campaigns", [self._compared("campaign", campaigns, leading)])
        if wholes := [(column, part) for column, part in drawn if column in part.counted_columns]:
            yield Section("Who has what part", [_parts(column, part) for column, part in wholes])
        yield Section("All rows", [self._table(leading)])

    def _over_time(self, column: str, gathered: ChartData) -> TimeChart:
        """Draw the sum of all, and what it was."""
        total, times = gathered.total(), gathered.times
        lines = [TimeLine(self.query.days, total.series(column, len(times)))]
        if self.report.earlier:
            earlier = total.series(earlier_name(column), len(times))
            lines.append(TimeLine(self.report.earlier, earlier, is_earlier=True))
        length = HOUR if self.query.granularity == "HOUR" else DAY
        decimals = decimals_of(total.currency) if is_money(column) else 0
        return TimeChart(title_of(column, total.currency), [time[:length] for time in times], lines, decimals)

    def _compared(self, noun: str, lines: Sequence[ChartSeries], leading: Sequence[str]) -> ReportTable:
        """Return a row for each campaign or account, with ratios and the change of what leads.

        The largest is first, of amounts the largest of each currency.
        """
        first = leading[0]
        all_sums = sorted(
            map(self._sums, lines),
            key=lambda sums: (sums.line.currency if is_money(first) else "", -sums.now.get(first, 0)),
        )
        ratios = [ratio for ratio in RATIOS if any(ratio in sums.now for sums in all_sums)]
        changed = [first] if self.report.earlier else []
        columns = [
            Column(noun.capitalize()),
            *(Column(title_of(column), "number") for column in leading),
            *(Column(f"Change of {title_of(column).lower()}", "number") for column in changed),
            *(Column(title_of(ratio), "number") for ratio in ratios),
        ]
        rows: list[list[Cell]] = [
            [
                sums.line.label,
                *map(sums.cell, leading),
                *(sums.growth(column) or "" for column in changed),
                *map(sums.cell, ratios),
            ]
            for sums in all_sums
        ]
        return ReportTable(f"By {noun}", columns, rows, noun)

    def _table(self, leading: Sequence[str]) -> ReportTable:
        """Return a row for each entity, with its sums; campaigns where they differ from names."""
        lines = self.gathered.lines
        has_campaigns = any(line.campaign for line in lines)
        names = ["Name", "Id", *(["Campaign"] if has_campaigns else [])]
        numbers = list(dict.fromkeys([*leading, *self.gathered.compared_columns]))
        columns = [*map(Column, names), *(Column(title_of(column), "number") for column in numbers)]
        rows: list[list[Cell]] = []
        for line in lines:
            texts = [line.label, line.id, *([line.campaign] if has_campaigns else [])]
            rows.append([*texts, *map(self._sums(line).cell, numbers)])
        return ReportTable("Totals", columns, rows, "row")


def page_of_error(error: ReportedError | None, query: StatsQuery | None) -> ReportPage:
    """Return the page about a query without an answer; part of the numbers would pass for all."""
    return ReportPage(
        title=query.text if query else "Statistics",
        level="error",
        headline="The statistics could not be read",
        details=[*failure_details(error, in_headline=False)],
        facts=_facts(query),
    )


def _subject(accounts: Sequence[str]) -> str:
    return (
        f"Statistics of {f'account {accounts[0]}' if len(accounts) == 1 else f'{len(accounts):,} accounts'}"
    )


def title_of(metric: str, currency: str = "") -> str:
    """Name a metric for people, with the currency of amounts: Spend, EUR."""
    title = TITLES.get(metric) or metric.removesuffix(AMOUNT).replace("_", " ").capitalize()
    return f"{title}, {currency}" if currency and is_money(metric) else title


def _facts(query: StatsQuery | None, earlier: str = "") -> list[tuple[str, str]]:
    facts = [("Entity", query.entity), ("Placement", query.placement)] if query else []
    return [
        *([("Compared with", earlier)] if earlier else []),
        *facts,
        *([("Segments", query.segmentation)] if query and query.segmentation else []),
        time_made(),
    ]


def _parts(column: str, gathered: ChartData) -> Chart:
    total = gathered.total()
    whole, bars, shown = total.totals[column], [], 0
    for line in gathered.largest(column, MOST_BARS):
        number = line.totals.get(column) or 0
        shown += number
        bars.append(Bar(line.label, max(float(number), 0), line.shown(column, number)))
    return Chart(
        title_of(column, total.currency), bars, float(whole), MORE_THAN_WHOLE if shown > whole else ""
    )
