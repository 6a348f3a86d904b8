"""The page of `--report` about a comparison or a sync of a list; nothing on it tells of a person."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...console.output_file import failure_details, time_made
from ...output.text import counted
from ...report import Column, Level, ReportPage, ReportTable, Section, Tally, Texts
from ..products.page import PushReport, tallies

if TYPE_CHECKING:
    from ...audiences.plan import ListReport
    from ...audiences.sync_plan import ListSyncPlan


class ListRunReport(PushReport):
    """What a command tells about its run with a list."""

    plan: "ListSyncPlan | None" = None
    is_validated: bool = False
    is_compared: bool = False
    shortfall: str = ""  # why people are not deleted who are in no row

    def page(self) -> ReportPage:
        """Return the page about the run."""
        plan, summary = self.plan, self.summary
        report = plan.report if plan and (self.is_validated or plan.report.invalid) else None
        profile = self.call.settings.profile
        target = [(plan.upload.users.kind.replace("_", " "), plan.upload.users.target)] if plan else []
        job = [("Job", summary.job)] if summary and summary.job else []
        return ReportPage(
            title=plan.rows.source.label if plan else self.files,
            level=self._level(report),
            headline=self._headline(report),
            details=list(failure_details(self.error, in_headline=False)),
            facts=[time_made(), *target, *job, ("Profile", profile)],
            tallies=list(self._tallies(report)),
            sections=list(self._sections(report)),
        )

    def _level(self, report: "ListReport | None") -> Level:
        if self.error or report is None or report.invalid:
            return "error"
        differs = self.is_compared and self.plan and self.plan.differences.counts and not self.summary
        return "warning" if report.warned or self.shortfall or differs else "good"

    def _headline(self, report: "ListReport | None") -> str:
        if report is None or self.plan is None:
            return "The list was not read to its end"
        if not self.is_compared:
            return f"Nothing was compared: {counted(report.invalid, 'row')} with mistakes"
        found = self.plan.differences
        if self.result and self.summary:
            sent = [f"{number:,} {status}" for status, number in self.summary.counts.items() if number]
            unsent = self.summary.due - self.summary.acknowledged
            left = [f"{counted(unsent, 'person', 'people')} not sent"] if unsent else []
            return "; ".join([", ".join(sent) or "Nothing to send: the list has these people", *left])
        differing = [f"{number:,} to be {status}" for status, number in found.counts.items()]
        return ", ".join([*differing, f"{found.unchanged:,} unchanged"]) + "; nothing was sent"

    def _tallies(self, report: "ListReport | None") -> Iterator[Tally]:
        yield from tallies(report, self.summary if self.result else None)
        if self.plan and self.is_compared and not self.result:
            found = self.plan.differences
            for status, number in found.counts.items():
                yield Tally(f"to be {status}", number, "warning" if status == "deleted" else "neutral")
            yield Tally("unchanged", found.unchanged)
            yield Tally("missing", found.missing)

    def _sections(self, report: "ListReport | None") -> Iterator[Section]:
        from ..uploads.reports import error_lines, warning_lines

        if report is None or self.plan is None:
            return
        rows, found = self.plan.rows, self.plan.differences if self.is_compared else None
        if found and (kept := list(filter(None, (self.shortfall, found.withheld)))):
            yield Section("Kept on the list", [Texts([f"{found.missing:,} in no row", *kept])])
        if self.result and self.result.rejected:
            number = counted(self.result.rejected, "person", "people")
            yield Section("Rejected by the service", [Texts([f"{number}: --failed-out has their rows"])])
        for title, lines in (
            ("Mistakes", error_lines(rows, report)),
            ("Warnings", [*warning_lines(rows, report), *report.warnings]),
            ("How columns are read", report.notes),
        ):
            if lines:
                yield Section(title, [Texts(lines)])
        if kinds := report.identifiers:
            columns = [Column("identifier"), Column("raw", "number"), Column("hashed", "number")]
            cells = [(name, each["raw"], each["hashed"]) for name, each in kinds.items()]
            yield Section("Identifiers", [ReportTable("Identifiers", columns, cells, "identifier")])
