"""--report: the page about a plan of campaigns, and its result."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from ...campaigns.kinds import CAMPAIGN
from ...console.account_zone import account_with_zone, account_zone
from ...console.invocation import Invocation
from ...console.output_file import RunReport, failure_details, time_made
from ...console.parameters import option
from ...errors import AdsctlError
from ...output.text import safe_lines
from ...report import Badge, Cell, Column, Edit, Level, ReportPage, ReportTable, Section, Tally, Texts

if TYPE_CHECKING:
    from ...campaigns.apply import Applied
    from ...campaigns.model import Stored
    from ...campaigns.plan import CampaignPlan
    from ...campaigns.plan_tree import PlanNode, Titles

Report = Annotated[str | None, option("FILE.html", "Write a page about this run, for a browser")]
SEPARATOR = " › "  # between a record and what lies in it
LEVELS: dict[str, Level] = {"create": "good", "update": "warning", "delete": "error"}


class CampaignReport(RunReport):
    """The result of a run with a file of campaigns, as far as it has come."""

    plan: "CampaignPlan | None" = None
    result: "Applied | None" = None

    def page(self) -> ReportPage:
        """Return the page; whoever named the campaigns cannot write markup."""
        plan, result, error, settings = self.plan, self.result, self.error, self.call.settings
        account = account_title(self.call) if plan else ""
        sections = []
        if result and result.failed:
            lines = [f"{path}: {reason}" for path, reason in result.failed]
            sections.append(Section("Refused by the service", [Texts(lines)]))
        if plan:
            from .plan_view import money_lines

            sections.append(Section("Money", [Texts(money_lines(self.call, plan))]))
            sections += _sections(self.call, plan, result)
        counts = {action: plan.count(action) for action in LEVELS} if plan else {}
        applied_counts = result.counts if result else {}
        applied = ", ".join(f"{count:,} {what}" for what, count in applied_counts.items() if count)
        ended = applied or (plan.words if plan else "nothing was compared")
        headline, *details = safe_lines(error.message).split("\n") if error else [ended]
        return ReportPage(
            title="standard input" if self.subject == "-" else self.subject,
            level="error" if error else "good",
            headline=headline,
            details=[
                *([f"Account {account}"] if account else []),
                *details,
                *failure_details(error, in_headline=True),
            ],
            facts=[
                ("Profile", settings.profile or ""),
                ("Account", account or settings.get("account") or ""),
                time_made(account_zone(self.call).info if plan else None),
            ],
            tallies=[
                *(Tally(f"to {action}", count, LEVELS[action]) for action, count in counts.items() if count),
                *(Tally(what, count, "good") for what, count in applied_counts.items() if count),
            ],
            sections=sections,
        )


def account_title(call: Invocation) -> str:
    """Return the name of the account with its id; the id alone where the name cannot be read."""
    with suppress(AdsctlError):
        if name := account_with_zone(call).get("name"):
            return f"{name} ({call.account})"
    return call.account


def _sections(call: Invocation, plan: "CampaignPlan", result: "Applied | None") -> Iterator[Section]:
    """Yield what changes, a row for each record, and the records that stay."""
    from ...campaigns.plan_tree import plan_tree
    from .plan_view import titles_of

    titles = titles_of(call, plan, result.ids if result else None)
    columns = [*map(Column, ("Action", "Campaign", "Record", "What changes"))]
    if rows := [row for top in plan_tree(plan) for row in _rows(top, titles, ())]:
        yield Section(
            "Changes", [ReportTable("By campaign", columns, rows, "change").without_empty_columns()]
        )
    if plan.staying:
        text = "In the account and not in the file: they stay, and --prune deletes them"
        yield Section(
            "What stays", [Texts([text, *(SEPARATOR.join(_path(stored, titles)) for stored in plan.staying)])]
        )


def _path(stored: "Stored", titles: "Titles") -> list[str]:
    """Name a record after those that it lies in."""
    return [*(_path(stored.parent, titles) if stored.parent else ()), titles.of(stored)]


def _rows(node: "PlanNode", titles: "Titles", above: tuple[str, ...]) -> Iterator[list[Cell]]:
    """Yield a row for a record that changes, and one for each below it."""
    record, path = node.record, (*above, titles.of(node.record))
    edits = [
        Edit(key, *(text and f"{text} {currency}".rstrip() for text in (before, after)))
        for key, before, after, currency in titles.edits(node)
    ]
    if node.replaced:
        path = (*above, titles.criterion(record))
        edits = [Edit("", titles.target(node.replaced), titles.target(record))]
    if node.action:
        badge = Badge("replace" if node.replaced else node.action, LEVELS[node.action])
        campaign = path[0].removeprefix(f"{CAMPAIGN.noun} ")
        yield [badge, campaign, SEPARATOR.join(path[1:]), tuple(edits)]
    for inner in node.below:
        yield from _rows(inner, titles, path)
