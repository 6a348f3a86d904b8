"""--report: the page about a run with a feed, and what a command gathers for it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from ...console.invocation import Invocation
from ...console.output_file import RunReport, failure_details, time_made
from ...errors import ContentError, Interrupted, ReportedError
from ...masking import mask_address
from ...output.text import counted

if TYPE_CHECKING:
    from ...products.feed_stats import ProductStats
    from ...products.sync.differences import Differences
    from ...report import Level, ReportPage, Section, Tally
    from ...runs.push import PushResult, Summary
    from ...validation.report import ValidationReport
    from ...validation.validator import Validator
    from .feed_page import DifferencesPart

Action = Literal["check", "diff", "push", "sync"]
LEVELS: "dict[str, Level]" = {"created": "good", "updated": "good", "failed": "error", "deleted": "warning"}


class FeedReport(RunReport):
    """The result of a run with a feed of products, as far as it has come."""

    summary: "Summary | None" = None  # of a push
    result: "PushResult | None" = None  # of a push that has sent something
    validator: "Validator | None" = None  # of the rows of the feed
    action: Action = "check"
    differences: "DifferencesPart | None" = None

    def __init__(self, call: Invocation, name: str | None, files: list[str], *, force: bool) -> None:
        super().__init__(call, name, force=force)
        self.files = ", ".join(map(mask_address, files))  # as they were typed

    def take_push(self, summary: "Summary", result: "PushResult | None") -> None:
        """Receive the result of a push; None where nothing was sent."""
        self.summary, self.result = summary, result

    def watch(self, validator: "Validator", action: Action) -> None:
        """Gather what the page says of the rows; raise UsageError where it would replace them."""
        if self.path is None:
            return
        from ...products.feed_stats import ProductStats

        self.check_differs([validator.rows.source])
        self.validator, self.action = validator, action
        validator.gather(ProductStats)

    def take_differences(self, differences: "Differences") -> None:
        """Receive what differs between the feed and its catalog."""
        if self.path:
            from .feed_page import part_of

            self.differences = part_of(differences)

    def page(self) -> "ReportPage":
        """Return the page about the run."""
        from ...products.feed_stats import ProductStats
        from ...report import ReportPage

        validator = self.validator
        stats = validator.stats if validator else None
        if not isinstance(stats, ProductStats):  # the feed was not read to its end
            stats = None
        report = validator.report if validator and stats else None
        headline, in_headline = self._headline(report)
        return ReportPage(
            title=validator.rows.source.label if validator else self.files,
            level=self._level(report),
            headline=headline,
            details=list(failure_details(self.error, in_headline=in_headline)),
            facts=[
                time_made(),
                *([("Job", self.summary.job)] if self.summary and self.summary.job else []),
                *([("Profile", self.call.settings.profile)] if self.summary else []),
            ],
            tallies=[
                *tallies(report, self.summary),
                *(self.differences.tallies if self.differences and not self.summary else ()),
            ],
            sections=list(self._sections(report, stats)),
        )

    def _headline(self, report: "ValidationReport | None") -> tuple[str, bool]:
        """Say what happened, and whether that tells the error too."""
        if report is None:
            return "The feed was not read to its end", False
        if self.summary:
            in_headline = self.summary.due == self.summary.acknowledged
            return sent(self.summary, self.error, dry_run=self.result is None), in_headline
        if self.differences and (self.action == "diff" or self.error is None):
            return self.differences.headline, self.error is None
        if self.action == "check":
            return checked(report), True
        verb = "compared" if self.action == "diff" else "sent"
        if report.invalid and isinstance(self.error, ContentError):
            return f"Nothing was {verb}: {mistakes(report)}", True
        return f"Nothing was {verb}", False

    def _level(self, report: "ValidationReport | None") -> "Level":
        """Tell how well it went."""
        if self.error or report is None or report.invalid:
            return "error"
        differs = self.action == "diff" and self.differences and self.differences.sections
        return "warning" if report.warned or differs else "good"

    def _sections(
        self, report: "ValidationReport | None", stats: "ProductStats | None"
    ) -> "Iterator[Section]":
        """Yield what there is to tell."""
        from ...report import Section
        from .feed_page import rejected, sections

        if self.validator is None:
            return
        rows = self.validator.rows
        if self.result and (self.result.rejected_rows or self.result.not_deleted):
            yield Section("Rejected by the service", list(rejected(rows, self.result)))
        if self.differences:
            yield from self.differences.sections
        if report and stats:
            yield from sections(rows, report, stats)


def checked(report: "ValidationReport") -> str:
    """Say what a check found."""
    if report.invalid:
        return f"{mistakes(report)}; {report.valid:,} can be sent"
    if not report.valid:
        return "There is no product in this feed"
    products = "The only product" if report.valid == 1 else f"All {report.valid:,} products"
    warned = f"; {report.warned:,} with warnings" if report.warned else ""
    return f"{products} can be sent{warned}"


def sent(summary: "Summary", error: ReportedError | None, *, dry_run: bool) -> str:
    """Describe the result of a push."""
    from ...runs.job import FAILED

    due, failed, invalid = summary.due, summary.counts.get(FAILED, 0), summary.report.invalid
    if dry_run:
        return f"A dry run: {counted(due, 'product')} would be sent, and nothing was"
    if unsent := due - summary.acknowledged:
        how = "interrupted" if isinstance(error, Interrupted) else "stopped"
        return f"The push was {how}: {unsent:,} of {counted(due, 'product')} not sent"
    if not due:
        what = "the catalog has these products as they are" if summary.report.valid else "no product is valid"
        parts = [f"Nothing to send: {what}"]
    elif failed:
        parts = [
            f"{due - failed:,} of {counted(due, 'product')} accepted",
            f"{failed:,} rejected by the service",
        ]
    else:
        verb = "synced" if "deleted" in summary.counts else "sent"
        statuses = [f"{count:,} {status}" for status, count in summary.counts.items() if count]
        parts = [f"{counted(due, 'product')} {verb}: {', '.join(statuses)}"]
    if invalid:
        parts.append(f"{counted(invalid, 'row')} with mistakes left out")
    return "; ".join(parts)


def tallies(report: "ValidationReport | None", summary: "Summary | None") -> "Sequence[Tally]":
    """Return the counts of a run."""
    from ...report import Tally

    tallies: list[Tally] = []
    if report:
        tallies = [
            Tally("rows read", report.rows),
            *([Tally("left out", report.left_out)] if report.left_out else []),
            Tally("valid", report.valid, "good" if report.valid else "neutral"),
            Tally("with errors", report.invalid, "error" if report.invalid else "neutral"),
            *([Tally("with warnings", report.warned, "warning")] if report.warned else []),
            *(Tally(f"fixed: {name}", fixed.rows) for name, fixed in report.fixed.items()),
        ]
    if summary:
        counts = {**summary.extra, **summary.counts, "not sent": summary.due - summary.acknowledged}
        tallies += [
            Tally(name.replace("_", " "), count, LEVELS.get(name, "neutral") if count else "neutral")
            for name, count in counts.items()
            if count or name in summary.counts
        ]
    return tallies


def mistakes(report: "ValidationReport") -> str:
    """Say how many rows have mistakes."""
    have = "has" if report.invalid == 1 else "have"
    return f"{report.invalid:,} of {counted(report.rows, 'row')} {have} mistakes"
