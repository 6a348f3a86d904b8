"""--report of `accounts check`: the findings of an account, worst first."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...console.output_file import RunReport, failure_details, time_made
from ...output.text import safe_lines
from ...report import Badge, Cell, Column, Level, ReportPage, ReportTable, Section, Tally

if TYPE_CHECKING:
    from . import Checked

LEVELS: dict[str, Level] = {"error": "error", "warning": "warning", "note": "neutral", "unknown": "neutral"}


class CheckReport(RunReport):
    """The findings, as far as the run has come."""

    checked: "Checked | None" = None

    def page(self) -> ReportPage:
        """Return the page; whoever named the records cannot write markup."""
        from . import summary

        checked, error = self.checked, self.error
        headline, *details = safe_lines(error.message).split("\n") if error else ["nothing was checked"]
        if checked and not error:
            headline = summary(checked)
        counts = Counter(one.rule.severity.value for one in checked.findings) if checked else Counter[str]()
        worst: Level = next((LEVELS[name] for name in LEVELS if counts[name]), "good")
        name = str(checked.account.get("name") or "") if checked else ""
        return ReportPage(
            title=name or self.call.account,
            level="error" if error else worst,
            headline=headline,
            details=[*details, *failure_details(error, in_headline=True)],
            facts=[
                ("Profile", self.call.settings.profile or ""),
                ("Account", f"{name} ({self.call.account})" if name else self.call.account),
                time_made(),
            ],
            tallies=[Tally(severity, count, LEVELS[severity]) for severity, count in counts.items()],
            sections=[*_sections(checked)] if checked else [],
        )


def _sections(checked: "Checked") -> Iterator[Section]:
    """Yield what was found, and what could not be looked at."""
    columns = [*map(Column, ("", "Rule", "Record", "What", "What to do"))]
    found: list[list[Cell]] = [
        [
            Badge(rule.severity.value, LEVELS[rule.severity.value]),
            rule.code,
            f"{outcome.kind} {outcome.name}",
            outcome.message,
            rule.advice,
        ]
        for rule, outcome in checked.findings
    ]
    if found:
        yield Section("Findings", [ReportTable("Worst first", columns, found, "finding")])
    unknown: list[list[Cell]] = [
        [rule.code, f"{outcome.kind} {outcome.name}", outcome.message] for rule, outcome in checked.unknown
    ]
    if unknown:
        heads = [*map(Column, ("Rule", "Record", "Why"))]
        yield Section("Not known", [ReportTable("What could not be looked at", heads, unknown, "record")])
