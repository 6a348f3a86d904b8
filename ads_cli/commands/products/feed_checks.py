"""What the pushes of product feeds do beside what all pushes do."""

from typing import TYPE_CHECKING, Annotated

import msgspec

from ...console.invocation import Invocation
from ...console.parameters import option
from ...errors import AdsctlError, NotConfirmedError
from ...masking import mask_address
from ...numbers import parse_share
from ...output.text import counted
from ..uploads.hooks import PushHooks

if TYPE_CHECKING:
    from ...feeds.rows import RowNames
    from ...products.pushed_feeds import FeedSizes
    from ...uploads.job_file import UploadTarget
    from ...uploads.push import PushResult, Summary
    from ...validation.report import ValidationReport
    from .page import FeedReport


class FeedHooks(PushHooks, kw_only=True):
    """Steps of pushing whole feeds: they should not shrink, and a page may tell of the run."""

    size_check: "FeedSizeCheck"
    page: "FeedReport"

    def validated(self) -> None:
        """Compare the rows with those of the last push."""
        self.size_check.check(self.plan.rows, self.plan.report)

    def ended(self, summary: "Summary", result: "PushResult | None") -> None:
        """Remember the rows of a feed that was sent whole, and fill the page."""
        if result and result.is_complete:
            self.size_check.store(self.plan.rows, self.plan.report)
        self.page.take_push(summary, result)


MAX_LOSS = 0.3  # of the rows of the last push, without a warning

MinRows = Annotated[
    str | None,
    option("N|P%", "Send nothing where the feed has fewer rows, or less of those of its last push"),
]


class FeedSizeCheck:
    """Compares the rows of a feed with a minimum, and with those of its last push to the same catalog.

    `place` is that of a list of people.
    """

    def __init__(self, call: Invocation, min_rows: str | None, place: "UploadTarget | None" = None) -> None:
        self._call, self._place = call, place
        self._min_rows = min_rows
        self._least = None if min_rows is None else parse_share(min_rows, "--min-rows")

    def check(self, rows: "RowNames", report: "ValidationReport") -> None:
        """Raise NotConfirmedError below the minimum; warn where many rows are lost, with --quiet too."""
        label, size, before = rows.source.label, _size(report), self._sizes.find(rows.source.origin)
        of_last = f" of the {before:,} of its last push" if before else ""
        least = self._least
        if least and (before or not least.is_percentage) and size < least.of(before or 0):
            share = f", {100 * size // before} %{of_last}" if before and least.is_percentage else ""
            raise NotConfirmedError(
                f"{label} has {counted(size, 'row')}{share}, and --min-rows is {self._min_rows}",
                hint="nothing was sent; to push it all the same, leave out --min-rows, or lower it",
            )
        if before and size < before * (1 - MAX_LOSS):
            fewer = f"{100 * (before - size) // before} % fewer than the {before:,} of its last push"
            self._call.messages.warn(f"{label}: {counted(size, 'row')}, {fewer}")

    def store(self, rows: "RowNames", report: "ValidationReport") -> None:
        """Remember the rows of a feed that was pushed."""
        self._sizes.store(rows.source.origin, _size(report))

    @property
    def _sizes(self) -> "FeedSizes":
        from ...products.pushed_feeds import FeedSizes

        return FeedSizes(self._call.settings.state_dir, self._place or catalog_place(self._call))


def catalog_place(call: Invocation) -> "UploadTarget":
    """Return the place that the products of the catalog are."""
    from ...products.sync_state import KIND
    from ...uploads.job_file import UploadTarget

    return UploadTarget(call.service, KIND, call.catalog)


def _size(report: "ValidationReport") -> int:
    """Count the rows of a feed; those that conversion leaves out are not in it."""
    return report.rows - report.left_out


VERIFY_HINT = "; --verify compares with the catalog"


def warn_scheduled_feeds(call: Invocation, hint: str = "") -> None:
    """Name the feeds that the service imports into the catalog; a failure to list them is none of a push."""
    from ...api.catalog import ListScheduledFeeds

    if call.settings.service != "x":
        return
    client = call.client
    try:
        prepared = client.prepare(ListScheduledFeeds(product_catalog_id=call.catalog))
        feeds = client.exchange(msgspec.structs.replace(prepared, max_attempts=1)).records
    except AdsctlError:
        return
    if feeds:
        named = ", ".join(mask_address(str(feed.get("feed_url"))) for feed in feeds)
        call.messages.note(
            "the service itself imports feeds into this catalog, and what they change is not known here: "
            f"{named}{hint}; 'adsctl catalog feeds list' shows them"
        )
