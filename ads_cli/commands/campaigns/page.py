"""--report: the page about a plan of campaigns, and its result."""

from typing import TYPE_CHECKING, Annotated, Any

from ...console.output_file import RunReport, failure_details, time_made
from ...console.parameters import option
from ...output.text import cell, safe_lines
from ...report import Badge, Cell, Column, Edit, Level, ReportPage, ReportTable, Section, Tally, Texts

if TYPE_CHECKING:
    from ...campaigns.apply import Applied
    from ...campaigns.plan import CampaignPlan, Change

Report = Annotated[str | None, option("FILE.html", "Write a page about this run, for a browser")]
LEVELS: dict[str, Level] = {"create": "good", "update": "warning", "delete": "error"}


class CampaignReport(RunReport):
    """The result of a run with a file of campaigns, as far as it has come."""

    plan: "CampaignPlan | None" = None
    result: "Applied | None" = None

    def page(self) -> ReportPage:
        """Return the page; whoever named the campaigns cannot write markup."""
        plan, result, error, settings = self.plan, self.result, self.error, self.call.settings
        sections = []
        if result and result.failed:
            lines = [f"{path}: {reason}" for path, reason in result.failed]
            sections.append(Section("Refused by the service", [Texts(lines)]))
        if plan and plan.changes:
            columns = [*map(Column, ("Action", "Kind", "Record", "Id", "Path", "What changes"))]
            rows = [_row(change, result) for change in plan.changes]
            sections.append(Section("Changes", [ReportTable("Changes", columns, rows, "change")]))
        if plan:
            from ...campaigns.spending import planned_spending

            spending = planned_spending(plan)
            sections.append(Section("Money", [Texts([spending.budgets, *spending.rises])]))
        counts = {action: plan.count(action) for action in LEVELS} if plan else {}
        applied_counts = result.counts if result else {}
        applied = ", ".join(f"{count:,} {what}" for what, count in applied_counts.items() if count)
        ended = applied or (plan.words if plan else "nothing was compared")
        headline, *details = safe_lines(error.message).split("\n") if error else [ended]
        return ReportPage(
            title="standard input" if self.subject == "-" else self.subject,
            level="error" if error else "good",
            headline=headline,
            details=[*details, *failure_details(error, in_headline=True)],
            facts=[
                ("Profile", settings.profile or ""),
                ("Account", settings.get("account") or ""),
                time_made(),
            ],
            tallies=[
                *(Tally(f"to {action}", count, LEVELS[action]) for action, count in counts.items() if count),
                *(Tally(what, count, "good") for what, count in applied_counts.items() if count),
            ],
            sections=sections,
        )


def _row(change: "Change", result: "Applied | None") -> list[Cell]:
    created_id = (
        result.ids.get(change.entry) if result and change.entry and change.action == "create" else None
    )
    before, after = change.before or {}, change.after or {}

    def text(key: str, value: Any) -> str | None:
        return None if value is None else f"{cell(value)} {change.currency_of(key)}".rstrip()

    edits = tuple(
        Edit(key, text(key, before.get(key)), text(key, after.get(key)))
        for key in dict.fromkeys((*before, *after))
    )
    badge = Badge(change.action, LEVELS[change.action])
    noun = change.kind.noun
    return [badge, noun, change.name or change.key, change.id or created_id or "", change.path, edits]
