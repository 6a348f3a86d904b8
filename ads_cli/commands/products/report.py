"""--report: a page about a run, written however the run ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ...console.invocation import Invocation
from ...console.output_file import checked_path, page_at_end, write_page
from ...errors import ReportedError, UsageError
from ...masking import mask_address
from ..uploads.options import PageOptions
from .run_result import Action, RunResult

if TYPE_CHECKING:
    from ...feeds.source import Feed
    from ...products.sync.differences import Differences
    from ...report import ReportPage
    from ...uploads.push import PushResult, Summary
    from ...validation.validator import Validator

AnyReport = TypeVar("AnyReport", bound="RunReport")


class ReportOptions(PageOptions, frozen=True):
    """Where a page about the run of a feed or a list is written."""

    @contextmanager
    def written(self, call: Invocation, files: list[str], *, force: bool) -> "Iterator[RunReport]":
        """Write the page when the command has ended, also by an error."""
        with self.begun(RunReport, call, files, force=force) as report:
            yield report

    @contextmanager
    def begun(
        self, kind: "type[AnyReport]", call: Invocation, files: list[str], *, force: bool
    ) -> "Iterator[AnyReport]":
        """Write a page of some kind when the command has ended, also by an error."""
        path = checked_path(self.report, force=force) if self.report else None
        report = kind(call, path, force, RunResult(", ".join(map(mask_address, files))))

        def write(error: ReportedError | None) -> None:
            report.run.error = error
            report.write()

        with page_at_end(call, write):
            yield report


@dataclass
class RunReport:
    """What a command tells about its run; nothing is gathered where no page is asked for."""

    call: Invocation
    path: Path | None
    force: bool
    run: RunResult

    def watch(self, validator: "Validator", failed_out: str | None, action: Action) -> None:
        """Gather what the page says of the rows; raise UsageError where it would replace them."""
        if self.path is None:
            return
        from ...products.feed_stats import ProductFacts

        self.check_path(validator.rows.source, failed_out)
        self.run.validator, self.run.action = validator, action
        validator.gather(ProductFacts)

    def check_path(self, source: "Feed", failed_out: str | None) -> None:
        """Raise UsageError where the page would replace what is read, or the rejected rows."""
        path, self.path = self.path, None
        if path and source.is_same_file(str(path)):
            raise UsageError(f"--report: {path} is the input file", hint="choose another name")
        if path and failed_out and path.resolve() == Path(failed_out).resolve():
            raise UsageError(f"--report: {path} is the file of --failed-out", hint="choose another name")
        self.path = path

    def take_differences(self, differences: "Differences") -> None:
        """Receive what differs between the feed and its catalog."""
        if self.path:
            from .feed_page import part_of

            self.run.differences = part_of(differences)

    def take_push(self, summary: "Summary", result: "PushResult | None") -> None:
        """Receive what a push came to; nothing was sent where there is no result."""
        self.run.summary, self.run.result = summary, result

    def write(self) -> None:
        """Write the page, if one is asked for."""
        if self.path is None:
            return
        write_page(self.call, self.path, self.page(), force=self.force)

    def page(self) -> "ReportPage":
        """Return the page about the run."""
        from .page import page_of

        return page_of(self.run, self.call.settings)
