"""What happened, in one line, with the counts."""

from collections.abc import Iterator, Sequence

from ... import __version__
from ...config.settings import Settings
from ...console.output_file import failure_details, made
from ...errors import ContentError, Interrupted, ReportedError
from ...output.text import counted
from ...products.feed_stats import ProductFacts
from ...report import Level, ReportPage, Section, Tally
from ...uploads.push import Summary
from ...uploads.upload import FAILED
from ...validation.report import ValidationReport
from .feed_page import rejected, sections
from .run_result import RunResult

LEVELS: dict[str, Level] = {"created": "good", "updated": "good", FAILED: "error", "deleted": "warning"}


def level(report: ValidationReport | None, error: ReportedError | None, *, differs: bool) -> Level:
    """Tell how well it went."""
    if error or report is None or report.invalid:
        return "error"
    return "warning" if report.warned or differs else "good"


def checked(report: ValidationReport) -> str:
    """Say what a check found."""
    if report.invalid:
        return f"{mistakes(report)}; {report.valid:,} can be sent"
    if not report.valid:
        return "There is no product in this feed"
    products = "The only product" if report.valid == 1 else f"All {report.valid:,} products"
    warned = f"; {report.warned:,} with warnings" if report.warned else ""
    return f"{products} can be sent{warned}"


def sent(summary: Summary, error: ReportedError | None, *, dry_run: bool) -> str:
    """Say what a push came to."""
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


def tallies(report: ValidationReport | None, summary: Summary | None) -> Sequence[Tally]:
    """Return the counts of a run."""
    found: list[Tally] = []
    if report:
        found = [
            Tally("rows read", report.rows),
            *([Tally("left out", report.left_out)] if report.left_out else []),
            Tally("valid", report.valid, "good" if report.valid else "neutral"),
            Tally("with errors", report.invalid, "error" if report.invalid else "neutral"),
            *([Tally("with warnings", report.warned, "warning")] if report.warned else []),
            *(Tally(f"fixed: {name}", fixed.rows) for name, fixed in report.fixed.items()),
        ]
    if summary:
        counts = {**summary.extra, **summary.counts, "not sent": summary.due - summary.acknowledged}
        found += [
            Tally(name.replace("_", " "), count, LEVELS.get(name, "neutral") if count else "neutral")
            for name, count in counts.items()
            if count or name in summary.counts
        ]
    return found


def mistakes(report: ValidationReport) -> str:
    """Say how many rows have mistakes."""
    have = "has" if report.invalid == 1 else "have"
    return f"{report.invalid:,} of {counted(report.rows, 'row')} {have} mistakes"


def page_of(run: RunResult, settings: Settings) -> ReportPage:
    """Return the page about a run."""
    validator = run.validator
    facts = validator.facts if validator else None
    if not isinstance(facts, ProductFacts):  # the feed was not read to its end
        facts = None
    report = validator.report if validator and facts else None
    headline, is_told = _headline(run, report)
    return ReportPage(
        title=validator.rows.source.label if validator else run.files,
        level=level(report, run.error, differs=_differs(run)),
        headline=headline,
        details=list(failure_details(run.error, is_told=is_told)),
        facts=[
            made(),
            *([("Job", run.summary.job)] if run.summary and run.summary.job else []),
            *([("Profile", settings.profile)] if run.summary else []),
            ("By", f"adsctl {__version__}"),
        ],
        tallies=[
            *tallies(report, run.summary),
            *(run.differences.tallies if run.differences and not run.summary else ()),
        ],
        sections=list(_sections(run, report, facts)),
    )


def _headline(run: RunResult, report: ValidationReport | None) -> tuple[str, bool]:
    """Say what happened, and whether that tells the error too."""
    if report is None:
        return "The feed was not read to its end", False
    if run.summary:
        is_told = run.summary.due == run.summary.acknowledged
        return sent(run.summary, run.error, dry_run=run.result is None), is_told
    if run.differences and (run.action == "diff" or run.error is None):
        return run.differences.headline, run.error is None
    if run.action == "check":
        return checked(report), True
    done = "compared" if run.action == "diff" else "sent"
    if report.invalid and isinstance(run.error, ContentError):
        return f"Nothing was {done}: {mistakes(report)}", True
    return f"Nothing was {done}", False


def _differs(run: RunResult) -> bool:
    return run.action == "diff" and run.differences is not None and bool(run.differences.sections)


def _sections(
    run: RunResult, report: ValidationReport | None, facts: ProductFacts | None
) -> Iterator[Section]:
    """Yield what there is to tell."""
    if run.validator is None:
        return
    rows = run.validator.rows
    if run.result and (run.result.rejected_rows or run.result.not_deleted):
        yield Section("Rejected by the service", list(rejected(rows, run.result)))
    if run.differences:
        yield from run.differences.sections
    if report and facts:
        yield from sections(rows, report, facts)
