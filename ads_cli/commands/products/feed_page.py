"""What a page says of a validated feed: its mistakes, what was fixed, and what its products are."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from ...api.problems import Problem
from ...feeds.rows import FIRST_LINES, Rows
from ...output.text import counted, listed
from ...products.feed_stats import (
    MAX_ROWS,
    NONE,
    PRICE_STEPS,
    Counts,
    ProductStats,
    SampleRow,
    address,
    excerpts,
    price_range,
    shortened,
)
from ...products.sync.differences import Action, Differences, ProductChange
from ...report import (
    Badge,
    Bar,
    Cell,
    Chart,
    Column,
    Edit,
    Level,
    Link,
    Part,
    Picture,
    ReportTable,
    Section,
    Tally,
    Texts,
    web_address,
)
from ...runs.push import PushResult
from ...validation import Finding
from ...validation.report import ValidationReport

MAX_BARS = 12
MAX_CURRENCIES = 3
IN_FAILED_OUT = "--failed-out writes all rows with errors to a file."
PICTURE = Column("Picture", "picture")


def sections(rows: Rows, report: ValidationReport, stats: ProductStats) -> Iterator[Section]:
    """Yield the sections about a feed."""
    if report.findings:
        yield Section(
            "What is wrong",
            [
                _findings("Kinds of mistakes", rows, report, stats.samples),
                _rows_with_problems(rows, report, stats),
            ],
        )
    if report.fixed:
        yield Section("What was fixed", [_fixed(rows, stats)])
    if remarks := [*report.warnings, *report.notes]:
        yield Section("Remarks about the file", [Texts(remarks)])
    if charts := list(_charts(stats)):
        yield Section("What is in the feed", charts)


def where(rows: Rows, line: int, record: int) -> str:
    """Name a row: by its line, and of several files by its file too."""
    return rows.place(line, record) if rows.name_place else rows.position(line, record)


def named(row: SampleRow) -> Link:
    """Return the id of a product, which leads to its page in the shop."""
    return Link(row.id or "(no id)", web_address(row.link))


def picture(address: str) -> Cell:
    """Return the thumbnail of a product, if it has one."""
    public = web_address(address)
    return Picture(public) if public else ""


def rejected(rows: Rows, result: PushResult) -> Iterator[Part]:
    """Yield what the service rejected: rows, and deletions."""
    first = [SampleRow.of(row, row.record, [Problem("", reason)]) for row, reason in result.rejected_rows]
    if first:
        yield _findings("Reasons", rows, result.rejections, {row.record: row for row in first})
        cells = [[*_product(rows, row), *(problem.message for problem in row.problems)] for row in first]
        columns = [*_PRODUCT, Column("Reason")]
        yield ReportTable(
            "Rejected products", columns, cells, "product", result.rejections.invalid, IN_FAILED_OUT
        )
    if result.not_deleted:
        reasons: list[list[Cell]] = [
            [reason, len(names), listed(names)] for reason, names in result.not_deleted.items()
        ]
        columns = [Column("Reason"), Column("Products", "number"), Column("Names")]
        yield ReportTable("Products that were not deleted", columns, reasons, "reason")


def _findings(title: str, rows: Rows, report: ValidationReport, samples: dict[int, SampleRow]) -> ReportTable:
    """Return a table of findings, each with the first rows that have it."""
    names = ("Kind", "Field", "What is wrong")
    columns = [PICTURE, *map(Column, names), Column("Rows", "number")]
    columns += map(Column, ("Lines", "Examples", "Fix it with"))
    kinds = {id(finding): kind for kind, finding in report.groups.items()}
    by_kind: dict[Any, list[SampleRow]] = {}
    for row in samples.values():
        for kind in {problem.kind for problem in row.problems}:
            by_kind.setdefault(kind, []).append(row)
    cells = []
    for finding in report.findings:
        others = by_kind.get(kinds.get(id(finding)), [])
        cells.append(_finding(rows, finding, samples, others))
    return ReportTable(title, columns, cells, "kind", len(cells) + report.omitted).without_empty_columns()


def _finding(
    rows: Rows, finding: Finding, samples: dict[int, SampleRow], others: Sequence[SampleRow]
) -> list[Cell]:
    """Return the cells of a finding. `others` are further rows with it, where the first have one id."""
    first = [samples[record] for record in finding.records if record in samples]
    different: dict[str | int, SampleRow] = {}
    for row in (*first, *others):
        different.setdefault(row.id or row.line, row)
    examples = [*islice(different.values(), FIRST_LINES)]
    lines = [where(rows, *place) for place in zip(finding.lines, finding.records, strict=True)]
    return [
        picture(next((row.image for row in examples if row.image), "")),
        _badge(finding.severity),
        finding.field,
        visible(finding.problem),
        finding.rows,
        ", ".join(lines) + (", …" if lines and finding.more_rows else ""),
        tuple(map(named, examples)),
        _option_for(rows, finding),
    ]


NAMED = "keep|currency|base-url|map|default|set|split|from|encoding"
OPTION = re.compile(rf"--(?:{NAMED})\b(?: (?!or\b|and\b)[^\s;,()]+)?")


def _option_for(rows: Rows, finding: Finding) -> str:
    """Return the options that mend what was found: a fix, what its kind of feed lacks, or what it names."""
    if finding.fix:
        return f"--fix {finding.fix}"
    hint = rows.hints.get(finding.field, "") if finding.severity == "error" else ""
    if not hint and finding.problem.startswith("is required") and finding.field != "id":  # which differs
        return f"--default {finding.field}={'{title}' if finding.field == 'description' else '…'}"
    return " or ".join(dict.fromkeys(OPTION.findall(hint) or OPTION.findall(finding.problem)))


MARKS = {"\t": "⇥", "\n": "↵", "\r": "␍", "\xa0": "⍽", "\u202f": "⍽", "\u3000": "⍽"}
UNSEEN = re.compile(r"^ +| +$|(?<= ) +| (?= )|[\t\n\r\xa0\u202f\u3000]")


def visible(text: str) -> str:
    """Mark white space that a page would not show: at both ends, several blanks, and other characters."""
    return UNSEEN.sub(lambda match: MARKS.get(match[0]) or "·" * len(match[0]), text)


def _badge(severity: str) -> Badge:
    return Badge(severity, "error" if severity == "error" else "warning")


def _rows_with_problems(rows: Rows, report: ValidationReport, stats: ProductStats) -> ReportTable:
    cells: list[list[Cell]] = []
    for severity, first in (("error", stats.with_errors), ("warning", stats.with_warnings)):
        for row in first.rows:
            problems = [str(problem) for problem in row.problems if problem.path not in report.missing]
            more = [f"and {row.more_problems:,} more"] if row.more_problems else []
            if problems:
                cells.append([*_product(rows, row), _badge(severity), (*problems, *more)])
    columns = [*_PRODUCT, Column("Kind"), Column("What is wrong")]
    total = stats.with_errors.total + stats.with_warnings.total if cells else 0
    table = ReportTable("Products with mistakes", columns, cells, "product", total, IN_FAILED_OUT)
    return table.without_empty_columns()


def _fixed(rows: Rows, stats: ProductStats) -> ReportTable:
    cells = [
        [
            *_product(rows, row),
            tuple(
                Edit(
                    f"{change.field} ({change.fix})",
                    change.before and visible(change.before),
                    change.after and visible(change.after),
                )
                for change in row.changes
            ),
        ]
        for row in stats.with_changes.rows
    ]
    columns = [*_PRODUCT, Column("What was changed")]
    table = ReportTable("Products that were fixed", columns, cells, "product", stats.with_changes.total)
    return table.without_empty_columns()


_PRODUCT = (PICTURE, Column("Line"), Column("Id"), Column("Title"))


def _product(rows: Rows, row: SampleRow) -> list[Cell]:
    return [picture(row.image), where(rows, row.line, row.record), named(row), row.title]


def _charts(stats: ProductStats) -> Iterator[Chart]:
    names = {"Availability": stats.availabilities, "Categories": stats.categories, "Brands": stats.brands}
    for title, counts in names.items():
        if counts.by_name.keys() - {NONE}:
            yield Chart(title, _bars(counts, stats.rows), stats.rows)
    by_rows = sorted(stats.prices.items(), key=lambda item: -sum(item[1].by_name.values()))
    for currency, counts in by_rows[:MAX_CURRENCIES]:
        note = f"Without a price that can be read: {stats.unpriced:,}." if stats.unpriced else ""
        yield Chart(f"Prices in {currency}", _price_bars(counts), stats.rows, note)


def _bars(counts: Counts, whole: int) -> list[Bar]:
    bars = [Bar(name or "(none)", rows) for name, rows in counts.most(MAX_BARS)]
    others = whole - sum(bar.value for bar in bars)
    return [*bars, Bar("others", others)] if others else bars


def _price_bars(counts: Counts) -> list[Bar]:
    by_step = {int(name): rows for name, rows in counts.by_name.items()}
    steps = range(min(by_step), min(max(by_step), len(PRICE_STEPS)) + 1)
    return [Bar(price_range(step), by_step.get(step, 0)) for step in steps]


MAX_FIELDS = 10  # of a product
OF_A_WHOLE_PRODUCT = ("price", "sale_price", "availability", "brand")  # the other fields are too many
LEVELS: dict[Action, Level] = {
    "create": "good",
    "update": "warning",
    "delete": "error",
}  # in the order of headlines


class DifferencesPart(NamedTuple):
    """What a page says of differences, which themselves last no longer than their comparison."""

    headline: str
    tallies: list[Tally]
    sections: list[Section]


def part_of(differences: Differences) -> DifferencesPart:
    """Return what a page says of differences."""
    writes, deletions = differences.count
    tables = [
        _table(title, differences.read(deletions=are_deletions), count)
        for title, are_deletions, count in (
            ("Products to create or update", False, writes),
            ("Products to delete", True, deletions),
        )
        if count
    ]
    sections = [Section("Differences", tables)] if tables else []
    return DifferencesPart(_headline(differences), _tallies(differences), sections)


def _headline(differences: Differences) -> str:
    counts, total = differences.counts, differences.counts.total()
    if not total:
        return "The catalog is what the feed says"
    parts = [f"{counts[action]:,} to {action}" for action in LEVELS if counts[action]]
    return f"{counted(total, 'product')} {'differs' if total == 1 else 'differ'}: {', '.join(parts)}"


def _tallies(differences: Differences) -> list[Tally]:
    counts = differences.counts
    tallies = [Tally(f"to {action}", counts[action], LEVELS[action]) for action in LEVELS if counts[action]]
    others = {"hidden variants": differences.unseen, "reverted by the service": differences.not_kept}
    return [
        *tallies,
        Tally("the same", differences.unchanged),
        *(Tally(name, count) for name, count in others.items() if count),
    ]


def _table(title: str, changes: Iterator[ProductChange], total: int) -> ReportTable:
    columns = [PICTURE, *map(Column, ("Action", "Id", "Title", "What differs"))]
    rows = [_row(change) for change in islice(changes, MAX_ROWS)]
    return ReportTable(title, columns, rows, "product", total, "products diff prints all of them.")


def _row(change: ProductChange) -> list[Cell]:
    values = _values(change)
    fields = change.fields
    if change.action != "update":
        fields = {name: fields[name] for name in OF_A_WHOLE_PRODUCT if name in fields}
    edits = [Edit(name, *excerpts(edit.old, edit.new)) for name, edit in islice(fields.items(), MAX_FIELDS)]
    more = [f"and {len(fields) - MAX_FIELDS:,} more"] if len(fields) > MAX_FIELDS else []
    return [
        picture(address(values.get("image_link"))),
        Badge(change.action, LEVELS[change.action]),
        Link(shortened(change.id), web_address(values.get("link"))),
        shortened(values.get("title")),
        (*edits, *more),
    ]


def _values(change: ProductChange) -> dict[str, Any]:
    """Return what is known of a product: as it will be, or as it was where it is deleted."""
    values = {name: edit.old if edit.new is None else edit.new for name, edit in change.fields.items()}
    return values | (msgspec.json.decode(change.body) if change.body else {})
