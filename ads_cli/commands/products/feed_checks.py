"""What the pushes of product feeds do beside what all pushes do."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from ... import __version__
from ...console.invocation import Invocation
from ...console.parameters import option
from ...errors import AdsctlError, NotConfirmedError, UsageError
from ...masking import mask_address
from ...numbers import parse_share
from ...output.text import counted
from ..uploads.hooks import PushHooks
from .options import ProductFeedOptions
from .page import FeedReport

if TYPE_CHECKING:
    from ...feeds.locations import UnchangedError
    from ...feeds.rows import RowNames
    from ...products.pushed_feeds import FeedSizes
    from ...uploads.job_file import UploadTarget
    from ...uploads.push import PushResult, Summary
    from ...validation.report import ValidationReport
    from ..uploads.push import PushCommand


class FeedHooks(PushHooks, kw_only=True):
    """The hooks of pushing whole feeds: they should not shrink, and a page may tell of the run."""

    size_check: "FeedSizeCheck"
    page: FeedReport

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


WHOLE_LIST = ""  # in place of where a feed is


class FeedSizeCheck:
    """Compares the rows of a feed with a minimum, and with those of its last push to the same catalog.

    A feed of patterns is known by these, however many of its files there are. The target is a list of people
    where it is named. Files that are `whole` have everybody who stays on it:
    they are compared with those of the last such sync, whatever these were called and however many they were.
    """

    def __init__(
        self,
        call: Invocation,
        min_rows: str | None,
        files: Sequence[str],
        target: "UploadTarget | None" = None,
        *,
        whole: bool = False,
    ) -> None:
        self._files = files
        self._call, self._target, self._whole = call, target, whole
        self._min_rows = min_rows
        self._least = None if min_rows is None else parse_share(min_rows, "--min-rows")

    def check(self, rows: "RowNames", report: "ValidationReport") -> None:
        """Raise NotConfirmedError below the minimum; warn where many rows are lost, with --quiet too."""
        label, size, before = rows.source.label, _size(report), self._sizes.find(self._origin(rows))
        last = "its last push"
        if self._whole and (of_list := self._sizes.find(WHOLE_LIST)) is not None:
            before, last = of_list, "the last sync with --prune"
        of_last = f" of the {before:,} of {last}" if before else ""
        least = self._least
        if least and (before or not least.is_percentage) and size < least.of(before or 0):
            share = f", {100 * size // before} %{of_last}" if before and least.is_percentage else ""
            raise NotConfirmedError(
                f"{label} has {counted(size, 'row')}{share}, and --min-rows is {self._min_rows}",
                hint="nothing was sent; to push it all the same, leave out --min-rows, or lower it",
            )
        if before and size < before * (1 - MAX_LOSS):
            fewer = f"{100 * (before - size) // before} % fewer than the {before:,} of {last}"
            self._call.messages.warn(f"{label}: {counted(size, 'row')}, {fewer}")

    def store(self, rows: "RowNames", report: "ValidationReport") -> None:
        """Remember the rows of a feed that was pushed."""
        origin = self._origin(rows)
        for each in (origin, WHOLE_LIST) if self._whole else (origin,):
            self._sizes.store(each, _size(report))

    def _origin(self, rows: "RowNames") -> str:
        from ...feeds.locations import is_remote, may_be_pattern

        if not any(map(may_be_pattern, self._files)):
            return rows.source.origin
        return "\n".join(file if is_remote(file) else os.path.realpath(file) for file in self._files)

    @property
    def _sizes(self) -> "FeedSizes":
        from ...products.pushed_feeds import FeedSizes

        return FeedSizes(self._call.settings.state_dir, self._target or catalog_target(self._call))


def catalog_target(call: Invocation) -> "UploadTarget":
    """Return the catalog as what an upload changes."""
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


class UnchangedFeed:
    """A remote feed that `products push --changed` need not download again."""

    def __init__(
        self, call: Invocation, feed: ProductFeedOptions, *, strict: bool, skip_invalid: bool
    ) -> None:
        from hashlib import sha256

        from ...products.pushed_feeds import PushedFeeds

        mapping = feed.mapping_of(call)
        feed = msgspec.structs.replace(feed, recipe=None)  # its options are those of the feed by now
        options = feed, strict, skip_invalid, call.settings.service, __version__, _content(mapping)
        conditions = sha256(msgspec.json.encode(options, order="deterministic")).hexdigest()
        self.feeds = PushedFeeds(call.settings.state_dir, call.service, call.catalog, conditions)
        self._call = call
        self._started = time.monotonic()

    def report_unchanged(self, unchanged: "UnchangedError") -> None:
        """Say that nothing is sent, and print the summary of such a push."""
        from ...products.plans import push_upload
        from ...uploads.push import Summary
        from ...validation.report import ValidationReport
        from ..uploads.reports import show_summary

        call, feed = self._call, self.feeds.find(unchanged.address)
        call.messages.say(f"{unchanged.label} is unchanged since a push that succeeded: nothing to send")
        rows, left_out, warned = (feed.rows, feed.left_out, feed.warned) if feed else (0, 0, 0)
        summary = Summary(
            job=None,
            report=ValidationReport(rows=rows, left_out=left_out, warned=warned, can_warn=True),
            batches=0,
            due=0,
            counts=dict.fromkeys(push_upload(call.catalog, note_keys=True).statuses, 0),
            requests=call.client.requests,
            retries=call.client.retries,
            seconds=round(time.monotonic() - self._started, 3),
            extra={"skipped": rows - left_out},
            earlier=0,
        )
        show_summary(call.printer, summary, unchanged.label)

    def store_version(self, command: "PushCommand") -> None:
        """Store the version of the feed that a successful push has read."""
        from ...feeds.locations.remote import RemoteLocation

        (location,) = command.plan.rows.source.locations
        if isinstance(location, RemoteLocation) and command.journal:
            self.feeds.store(location.address, location.version, command.plan.report, command.journal)


def _content(path: str | None) -> bytes:
    if path is None:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be opened: {error.strerror}") from None
