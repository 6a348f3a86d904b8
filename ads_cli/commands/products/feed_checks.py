"""What the pushes of product feeds do beside what all pushes do."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from ... import __version__
from ...console.invocation import Invocation
from ...console.parameters import option
from ...errors import AdsctlError, NotConfirmedError
from ...masking import mask_address
from ...numbers import parse_share
from ...output.text import counted, first_of
from ..uploads.hooks import PushHooks
from .options import ProductFeedOptions
from .page import FeedReport

if TYPE_CHECKING:
    from ...feeds.locations import UnchangedError
    from ...feeds.rows import RowNames, Rows
    from ...products.plans import ProductPlan
    from ...products.pushed_feeds import FeedSizes, LastPush
    from ...store.epochs import UploadTarget
    from ...uploads.push import PushResult, Summary
    from ...validation.report import ValidationReport
    from ..uploads.push import PushCommand


class FeedHooks(PushHooks, kw_only=True):
    """The hooks of pushing whole feeds: they should not shrink, and a page may tell of the run."""

    plan: "ProductPlan"
    size_check: "FeedSizeCheck"
    page: FeedReport
    keeps_fields: bool  # of products, that the feed has no column for

    def validated(self) -> None:
        """Compare the rows and columns with those of the last push."""
        self.size_check.check(self.plan.rows, self.plan.report)
        self.size_check.warn_lost_columns(self.plan.rows, keeps_fields=self.keeps_fields)

    def ended(self, summary: "Summary", result: "PushResult | None") -> None:
        """Remember the rows of a feed that was sent whole, and fill the page."""
        if result and result.is_complete:
            self.size_check.store(self.plan.rows, self.plan.report, _columns(self.plan.rows))
        self.page.take_push(summary, result)


MAX_LOSS = 0.3  # of the rows of the last push, without a warning
WHOLE = ""  # in place of where a feed is
NAMED_COLUMNS = 10  # that a feed has lost
KEYS = ("product_key", "item_group_key")  # columns that the service generates

MinRows = Annotated[
    str | None,
    option("N|P%", "Send nothing where the feed has fewer rows, or less of those of its last push"),
]


class FeedSizeCheck:
    """Compares the rows of a feed with a minimum, and with those of its last push to the same catalog.

    The target is a list of people where it is named. Each scope of a feed has a last push of its own. What
    takes all others away is `whole`: it is compared with the last such push, whatever its files were called
    and however many they were.
    """

    def __init__(
        self,
        call: Invocation,
        min_rows: str | None,
        target: "UploadTarget | None" = None,
        *,
        scope: str | None = None,
        whole: bool = False,
    ) -> None:
        self._call, self._target, self._scope, self._whole = call, target, scope, whole
        self._min_rows = min_rows
        self._least = None if min_rows is None else parse_share(min_rows, "--min-rows")

    def check(self, rows: "RowNames", report: "ValidationReport") -> None:
        """Raise NotConfirmedError below the minimum; warn where many rows are lost, with --quiet too."""
        label, size, (last, called) = rows.source.label, _size(report), self._last_push(rows)
        before = last.rows if last else 0
        of_last = f" of the {before:,} of {called}" if before else ""
        least = self._least
        if least and (before or not least.is_percentage) and size < least.of(before):
            share = f", {100 * size // before} %{of_last}" if before and least.is_percentage else ""
            raise NotConfirmedError(
                f"{label} has {counted(size, 'row')}{share}, and --min-rows is {self._min_rows}",
                hint="nothing was sent; to push it all the same, leave out --min-rows, or lower it",
            )
        if least and least.is_percentage and not last:
            self._call.messages.note(
                f"--min-rows {self._min_rows} has nothing to compare with: "
                f"no last push of {label} is known here"
            )
        if before and size < before * (1 - MAX_LOSS):
            fewer = f"{100 * (before - size) // before} % fewer than the {before:,} of {called}"
            self._call.messages.warn(f"{label}: {counted(size, 'row')}, {fewer}")

    def warn_lost_columns(self, rows: "Rows", *, keeps_fields: bool) -> None:
        """Name the columns that the last push had, with --quiet too, and what becomes of their fields."""
        last, _ = self._last_push(rows)
        filled = {*_columns(rows), *rows.composed, *rows.transform.fields}
        lost = [name for name in (last.columns if last else ()) if name not in filled]
        if not lost:
            return
        fields = first_of([name for name in lost if name in rows.known], NAMED_COLUMNS, repr)
        kept = f": products keep what they have of {fields}; a sync with --set FIELD= empties a field"
        emptied = f": products lose their {fields}"
        consequence = (kept if keeps_fields else emptied) if fields else ""
        named = first_of(lost, NAMED_COLUMNS, repr)
        self._call.messages.warn(
            f"{rows.source.label}: no column {named}, which its last push had{consequence}"
        )

    def store(self, rows: "RowNames", report: "ValidationReport", columns: Sequence[str] = ()) -> None:
        """Remember the rows and columns of a feed that was pushed."""
        for origin in (rows.source.origin, WHOLE) if self._whole else (rows.source.origin,):
            self._sizes.store(self._scoped(origin), _size(report), [*columns])

    def _last_push(self, rows: "RowNames") -> "tuple[LastPush | None, str]":
        """Return the push that rows are compared with, and what it is called."""
        if self._whole and (last := self._sizes.find(self._scoped(WHOLE))):
            return last, "the last sync with --prune"
        return self._sizes.find(self._scoped(rows.source.origin)), "its last push"

    def _scoped(self, origin: str) -> str:
        """Identify a feed, or the part of it that a scope takes."""
        return f"{origin}\n--scope {self._scope}" if self._scope else origin

    @property
    def _sizes(self) -> "FeedSizes":
        from ...products.pushed_feeds import FeedSizes

        return FeedSizes(self._call.settings.state_dir, self._target or catalog_target(self._call))


def catalog_target(call: Invocation) -> "UploadTarget":
    """Return the catalog as what an upload changes."""
    from ...products.sync_state import KIND
    from ...store.epochs import UploadTarget

    return UploadTarget(call.service, KIND, call.catalog)


def _columns(rows: "Rows") -> list[str]:
    """Name the columns of a feed as their fields. Of records take only known fields: others may vary."""
    unsent = {*KEYS, *rows.ignored}
    names = [name for name in dict.fromkeys(rows.fields) if name not in unsent]
    return [name for name in names if rows.has_header or name in rows.known]


def _size(report: "ValidationReport") -> int:
    """Count the rows of a feed; those that conversion leaves out are not in it."""
    return report.rows - report.left_out


VERIFY_HINT = "; --verify compares with the catalog"


def warn_scheduled_feeds(call: Invocation, hint: str = "") -> None:
    """Name the feeds that the service imports into the catalog; a failed listing does not fail a push."""
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

        from ...products.feeds.kinds import kind_of_recipe
        from ...products.normal_form import PRODUCT_SCHEMA
        from ...products.pushed_feeds import PushedFeeds

        own = kind_of_recipe(feed.recipe, PRODUCT_SCHEMA.known) if feed.recipe else None
        feed = msgspec.structs.replace(feed, recipe=None)  # its options are those of the feed by now
        options = feed, strict, skip_invalid, call.settings.service, __version__, own
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
