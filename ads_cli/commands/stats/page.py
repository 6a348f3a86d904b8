"""The page about statistics: what was asked, what it comes to, how it has changed, and who has what part."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...api.amounts import decimals_of
from ...api.names import neutral_name
from ...console.output_file import failure_details, made
from ...errors import ReportedError, UsageError
from ...report import (
    Bar,
    Cell,
    Chart,
    Column,
    Figure,
    Logo,
    MediaType,
    ReportPage,
    ReportTable,
    Section,
    Tally,
    TimeChart,
    TimeLine,
)
from ...statistics.chart_data import ChartData, ChartSeries
from ...statistics.derived import DERIVED, SPEND, as_text, derived_of
from ...statistics.query import StatsQuery, is_money
from ...statistics.rows import BEFORE

MOST_BARS = 10  # of entities; the others are added up
LEADING = (SPEND, "impressions", "clicks")
TALLIED_RATIOS = ("ctr", "cpc")
RATIOS = tuple(name for name, derived in DERIVED.items() if derived.divisor)
DAY, HOUR = len("2026-03-01"), len("2026-03-01T08:00")


class StatsPage(NamedTuple):
    """What the page about rows is of."""

    question: StatsQuery
    gathered: ChartData
    accounts: Sequence[str]
    earlier: str  # the period that it is compared with
    title: str
    logo: Logo | None

    def made(self) -> ReportPage:
        """Return the page."""
        counted = self.gathered.counted_columns
        leading = [name for name in LEADING if name in counted] or counted[:3]
        return ReportPage(
            title=self.question.text if self.title else _subject(self.accounts),
            level="neutral",
            headline=self.title or self.question.text,
            details=[] if leading else ["Nothing was spent or counted in this time."],
            facts=_facts(self.question, self.earlier),
            tallies=[*self._tallies(leading)],
            sections=[*self._sections(leading)],
            logo=self.logo,
        )

    def _tallies(self, leading: Sequence[str]) -> Iterator[Tally]:
        for name in leading:
            for part in self.gathered.comparable(name):
                total = part.total()
                now, before = total.totals[name], total.totals.get(f"{name}{BEFORE}")
                was = "" if before is None else total.shown(name, before)
                change = self._change(now, before, was)
                yield Tally(title_of(name, ""), float(now), text=total.text(name), change=change)
        for name in TALLIED_RATIOS:
            for part in self.gathered.by_currency() if DERIVED[name].has_amounts else [self.gathered]:
                total = part.total()
                now, before = (self._ratios(total, suffix).get(name) for suffix in ("", BEFORE))
                if now is not None:
                    was = "" if before is None else as_text(name, before, total.currency)
                    text = as_text(name, now, total.currency)
                    change = self._change(now, before, was)
                    yield Tally(title_of(name, ""), float(now), text=text, change=change)

    def _change(self, now: Any, before: Any, was: str) -> str:
        """Say how a number has changed; nothing where the page compares nothing."""
        if not self.earlier or before is None:
            return ""
        return f"{percent(now, before)} (was {was})" if before else f"was {was}"

    def _ratios(self, line: ChartSeries, suffix: str = "") -> dict[str, Any]:
        """Return the ratios of the sums of a line, or with the suffix BEFORE of those that it had."""
        sums = {neutral_name(name): line.totals.get(name + suffix) for name in self.gathered.columns}
        found = derived_of(self.question, sums)
        return {name: found[name] for name in RATIOS if name in found}

    def _sections(self, leading: Sequence[str]) -> Iterator[Section]:
        drawn = [(name, part) for name in leading for part in self.gathered.comparable(name)]
        if drawn and len(self.gathered.times) > 1:
            yield Section("Over time", [self._over_time(name, part) for name, part in drawn])
        if drawn and len(self.accounts) > 1:
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
        if self.earlier:
            before = total.series(f"{column}{BEFORE}", len(times))
            lines.append(TimeLine(self.earlier, before, is_earlier=True))
        length = HOUR if self.question.granularity == "HOUR" else DAY
        decimals = decimals_of(total.currency) if is_money(column) else 0
        return TimeChart(title_of(column, total.currency), [time[:length] for time in times], lines, decimals)

    def _compared(self, noun: str, lines: Sequence[ChartSeries], leading: Sequence[str]) -> ReportTable:
        """Return a row for each campaign or account, with derived metrics and the change of what leads."""
        ratios = [self._ratios(line) for line in lines]
        named = [name for name in RATIOS if any(each.get(name) is not None for each in ratios)]
        changed = leading[:1] if self.earlier else []
        columns = [
            Column(noun.capitalize()),
            *(Column(title_of(name, ""), "number") for name in leading),
            *(Column(f"Change of {title_of(name, '').lower()}", "number") for name in changed),
            *(Column(title_of(name, ""), "number") for name in named),
        ]
        rows: list[list[Cell]] = []
        for line, ratio in zip(lines, ratios, strict=True):
            cells: list[Cell] = [line.label, *(_cell(line, name) for name in leading)]
            for name in changed:
                now, before = line.totals.get(name) or 0, line.totals.get(f"{name}{BEFORE}")
                cells.append(Figure(float(now / before - 1), percent(now, before)) if before else "")
            for name in named:
                value = ratio.get(name)
                cells.append(
                    "" if value is None else Figure(float(value), as_text(name, value, line.currency))
                )
            rows.append(cells)
        first = leading[0]
        order = sorted(range(len(rows)), key=lambda at: -float(lines[at].totals.get(first) or 0))
        return ReportTable(f"By {noun}", columns, [rows[at] for at in order], noun)


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


def title_of(column: str, currency: str) -> str:
    """Name a column for people, with the currency of amounts: Spend, EUR."""
    metric = DERIVED.get("spend" if column == SPEND else column)
    title = metric.title if metric else column.removesuffix("_local").replace("_", " ").capitalize()
    return f"{title}, {currency}" if currency and is_money(column) else title


def percent(now: Any, before: Any) -> str:
    """Write how much more or less a number is than it was: +12.5 %."""
    return f"{100 * (float(now) / float(before) - 1):+,.1f} %".replace("-", "−")


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
    columns = [*map(Column, names), *(Column(title_of(name, ""), "number") for name in numbers)]
    rows: list[list[Cell]] = []
    for line in lines:
        texts = [line.label, line.id, *([line.campaign] if has_campaigns else [])]
        rows.append([*texts, *(_cell(line, name) for name in numbers)])
    return ReportTable("Totals", columns, rows, "row")


def _cell(line: ChartSeries, column: str) -> Cell:
    total = line.totals.get(column)
    return "" if total is None else Figure(float(total), line.text(column))


MAX_LOGO_BYTES = 1_000_000
LOGOS: dict[bytes, MediaType] = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def read_logo(name: str) -> Logo:
    """Return a picture for a page; raise UsageError where it is none."""
    try:
        with Path(name).open("rb") as file:
            content = file.read(MAX_LOGO_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--logo: {name}: {(error.strerror or str(error)).lower()}") from None
    if len(content) > MAX_LOGO_BYTES:
        raise UsageError(f"--logo: {name} is larger than {MAX_LOGO_BYTES:,} bytes", hint="make it smaller")
    for start, media_type in LOGOS.items():
        if content.startswith(start):
            return Logo(media_type, content)
    if is_svg(content):
        return Logo("image/svg+xml", content)
    raise UsageError(f"--logo: {name} is not a picture", hint="name a file in png, jpeg or svg")


SVG = "{http://www.w3.org/2000/svg}svg"


def is_svg(content: bytes) -> bool:
    """Tell whether a document is an SVG, without entities; inside a page it runs and loads nothing.

    It must be UTF-8: in another encoding, an entity would not be seen.
    """
    from xml.etree import ElementTree

    try:
        text = content.decode("utf-8-sig")
        declares_entity = "<!ENTITY" in text
        return not declares_entity and ElementTree.fromstring(content).tag == SVG
    except (ElementTree.ParseError, LookupError, ValueError):  # an encoding that is declared may be none
        return False
