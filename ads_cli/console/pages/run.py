"""The page about a run: of a check or a push, ended well or by an error."""

from collections.abc import Iterator
from datetime import datetime

from ... import __version__
from ...config.settings import Settings
from ...errors import ContentError
from ...products.facts import ProductFacts
from ...report.page import Page, Section
from ...validation.report import ValidationReport
from ..run import Run
from . import feed, outcome


def page_of(run: Run, settings: Settings) -> Page:
    """Return the page about a run."""
    validator = run.validator
    facts = validator.facts if validator else None
    if not isinstance(facts, ProductFacts):  # the feed was not read to its end
        facts = None
    report = validator.report if validator and facts else None
    headline, is_told = _headline(run, report)
    return Page(
        title=validator.rows.source.label if validator else run.files,
        level=outcome.level(report, run.error, differs=_differs(run)),
        headline=headline,
        details=list(outcome.error_details(run.error, is_told=is_told)),
        facts=[
            ("Made", f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %Z}"),
            *([("Job", run.summary.job)] if run.summary and run.summary.job else []),
            *([("Profile", settings.profile)] if run.summary else []),
            ("By", f"adsctl {__version__}"),
        ],
        tallies=[
            *outcome.tallies(report, run.summary),
            *(run.differences.tallies if run.differences and not run.summary else ()),
        ],
        sections=list(_sections(run, report, facts)),
    )


def _headline(run: Run, report: ValidationReport | None) -> tuple[str, bool]:
    """Say what happened, and whether that tells the error too."""
    if report is None:
        return "The feed was not read to its end", False
    if run.summary:
        is_told = run.summary.due == run.summary.acknowledged
        return outcome.sent(run.summary, run.error, dry_run=run.result is None), is_told
    if run.differences and (run.action == "diff" or run.error is None):
        return run.differences.headline, run.error is None
    if run.action == "check":
        return outcome.checked(report), True
    done = "compared" if run.action == "diff" else "sent"
    if report.invalid and isinstance(run.error, ContentError):
        return f"Nothing was {done}: {outcome.mistakes(report)}", True
    return f"Nothing was {done}", False


def _differs(run: Run) -> bool:
    return run.action == "diff" and run.differences is not None and bool(run.differences.sections)


def _sections(run: Run, report: ValidationReport | None, facts: ProductFacts | None) -> Iterator[Section]:
    """Yield what there is to tell."""
    if run.validator is None:
        return
    rows = run.validator.rows
    if run.result and (run.result.rejected_rows or run.result.not_deleted):
        yield Section("Rejected by the service", list(feed.rejected(rows, run.result)))
    if run.differences:
        yield from run.differences.sections
    if report and facts:
        yield from feed.sections(rows, report, facts)
