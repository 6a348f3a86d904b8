"""The page about statistics: the query, its totals, how they have changed, and the share of each entity."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ...api.amounts import decimals_of
from ...api.metrics import LEADING
from ...api.names import neutral_name
from ...console.output_file import RunReport, failure_details, time_made
from ...errors import ReportedError, UsageError
from ...output.figures import change_text
from ...report import (
    Badge,
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
from ...statistics.periods import Period
from ...statistics.query import AMOUNT, StatsQuery, is_money
from ...statistics.rows import earlier_name

DAY, HOUR = len("2026-03-01"), len("2026-03-01T08:00")
MAX_LOGO_BYTES = 1_000_000
MOST_IN_TITLE = 3  # the name of the only account, and the query
MOST_BARS = 10  # of entities; the others are added up
TALLIED_RATIOS = ("ctr", "cpc")
RATIOS = tuple(name for name, derived in DERIVED.items() if derived.divisor)
TITLES = {name if derived.divisor else derived.dividend: derived.title for name, derived in DERIVED.items()}
EVERYWHERE = ("", "ALL_ON_PLATFORM", "ALL_ON_TWITTER")  # the placements that need no word
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
    account_names: Mapping[str, str] = MappingProxyType({})  # by their ids, where they are known
    zone: tzinfo | None = None  # of the account, where it is known
    earlier = ""  # the period that the rows are compared with: `the week before`
    earlier_days = ""  # its days, where the name does not say them
    note = ""  # on the rows, for the reader of the page
    title = ""
    logo: Logo | None = None

    def set_heading(self, title: str | None, logo: str | None) -> None:
        """Take a title, and the picture in a file. Raise UsageError if it is not a picture."""
        self.title = title or ""
        self.logo = read_logo(logo) if logo else None

    def set_earlier(self, period: Period, earlier: Period) -> None:
        """Name the period that the rows are compared with."""
        self.earlier = period.before(earlier)
        self.earlier_days = "" if self.earlier == earlier.text else earlier.text

    @property
    def compared_with(self) -> str:
        """The name of the earlier period, with its days."""
        return ", ".join(filter(None, (self.earlier, self.earlier_days)))

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
        now, earlier = self.now.get(metric, 0), self.earlier[metric]
        growth = float(now) / float(earlier) - 1
        return Figure(growth, change_text(now, earlier).replace("-", "−"))

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
        about = (*self.report.account_names.values(), self.query.text)
        about = about if len(about) < MOST_IN_TITLE else (self.query.text,)
        return ReportPage(
            title=_subject(self.report) if not self.report.title else ", ".join(filter(None, about)),
            level="neutral",
            headline=self.report.title or self.query.text,
            details=[*filter(None, (nothing, self.report.note))],
            facts=_facts(
                self.query,
                ", ".join(filter(None, (self.report.earlier, self.report.earlier_days))),
                self.report.zone,
            ),
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
        if len(self.report.accounts) > 1:
            yield Section("Accounts", [self._table("account", self._accounts(), leading)])
        lines, noun = self.gathered.lines, self.query.noun
        campaigns = self.gathered.by_campaign() if drawn else []
        if campaigns and len(campaigns) < len(lines):
            yield Section("Campaigns", [self._table("campaign", campaigns, leading)])
        elif campaigns:
            lines, noun = campaigns, "campaign"
        if wholes := [(column, part) for column, part in drawn if column in part.counted_columns]:
            yield Section(f"Share by {noun}", [_parts(column, part) for column, part in wholes])
        others = [name for name in self.gathered.compared_columns if name not in leading]
        table = self._table(noun, lines, leading, others)
        yield Section(f"{noun.capitalize()}s", [table])

    def _accounts(self) -> list[ChartSeries]:
        """Return the sums of each account, and accounts that have no rows."""
        names, known = self.report.account_names, {line.account for line in self.gathered.lines}
        others = [id for id in self.report.accounts if id not in known]
        return [*self.gathered.by_account(names), *(ChartSeries(names.get(id) or id, id=id) for id in others)]

    def _over_time(self, column: str, gathered: ChartData) -> TimeChart:
        """Draw the sum of all, and what it was."""
        total, times = gathered.total(), gathered.times
        lines = [TimeLine(self.query.period.text, total.series(column, len(times)))]
        if self.report.earlier:
            earlier = total.series(earlier_name(column), len(times))
            lines.append(TimeLine(self.report.earlier, earlier, is_earlier=True))
        length = HOUR if self.query.granularity == "HOUR" else DAY
        decimals = decimals_of(total.currency) if is_money(column) else 0
        return TimeChart(title_of(column, total.currency), [time[:length] for time in times], lines, decimals)

    def _table(
        self, noun: str, lines: Sequence[ChartSeries], leading: Sequence[str], others: Sequence[str] = ()
    ) -> ReportTable:
        """Return a row for each line: what leads and how it has changed, ratios, other numbers, and its id.

        The largest is first, of amounts the largest of each currency; what has no numbers is last.
        """
        first = leading[0] if leading else ""
        all_sums = sorted(
            map(self._sums, lines),
            key=lambda sums: (
                not sums.now,
                sums.line.currency if is_money(first) else "",
                -sums.now.get(first, 0),
            ),
        )
        ratios = [ratio for ratio in RATIOS if any(ratio in sums.now for sums in all_sums)]
        changed = [first] if self.report.earlier and leading else []
        columns = [
            Column(noun.capitalize()),
            Column("Campaign"),
            *(Column(title_of(column), "number") for column in leading[:1]),
            *(Column(f"Change of {title_of(column).lower()}", "number") for column in changed),
            *(Column(title_of(column), "number") for column in (*leading[1:], *ratios, *others)),
            Column("Id"),
        ]
        rows: list[list[Cell]] = [
            [
                sums.line.label if sums.now else (sums.line.label, Badge("no numbers", "neutral")),
                sums.line.campaign,
                *map(sums.cell, leading[:1]),
                *(sums.growth(column) or "" for column in changed),
                *map(sums.cell, (*leading[1:], *ratios, *others)),
                "" if sums.line.id == sums.line.label else sums.line.id,
            ]
            for sums in all_sums
        ]
        return ReportTable(f"By {noun}", columns, rows, noun).without_empty_columns()


def page_of_error(error: ReportedError | None, query: StatsQuery | None) -> ReportPage:
    """Return the page about a query without an answer; part of the numbers would pass for all."""
    return ReportPage(
        title=query.text if query else "Statistics",
        level="error",
        headline="The statistics could not be read",
        details=[*failure_details(error, in_headline=False)],
        facts=_facts(query),
    )


def _subject(report: StatsReport) -> str:
    if len(report.accounts) != 1:
        return f"Statistics of {len(report.accounts):,} accounts"
    (id,) = report.accounts
    name = f"{known} ({id})" if (known := report.account_names.get(id)) else f"account {id}"
    return f"Statistics of {name}"


def title_of(metric: str, currency: str = "") -> str:
    """Name a metric for people, with the currency of amounts: Spend, EUR."""
    title = TITLES.get(metric) or metric.removesuffix(AMOUNT).replace("_", " ").capitalize()
    return f"{title}, {currency}" if currency and is_money(metric) else title


def _facts(query: StatsQuery | None, earlier: str = "", zone: tzinfo | None = None) -> list[tuple[str, str]]:
    placement = query.placement if query and query.placement not in EVERYWHERE else ""
    segmentation = (query and query.segmentation) or ""
    return [
        *([("Compared with", earlier)] if earlier else []),
        *([("Shown in", _words(placement))] if placement else []),
        *([("Segments", f"by {_words(segmentation)}")] if segmentation else []),
        time_made(zone),
    ]


def _words(value: str) -> str:
    """Write a value of the interface in words."""
    return value.replace("_", " ").lower()


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
