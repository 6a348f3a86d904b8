"""What the pushes of product feeds do beside what all pushes do."""

import time
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from ... import __version__
from ...console.invocation import Invocation
from ...errors import AdsctlError
from ...masking import mask_address
from ...output.text import first_of
from ..runs.feed_size import FeedSizeCheck
from .options import ProductFeedOptions

if TYPE_CHECKING:
    from ...feeds.locations import UnchangedError
    from ...feeds.rows import Rows
    from ...runs.plan import Plan
    from ...store.epochs import UploadTarget
    from ..runs.sending import Sending


NAMED_COLUMNS = 10  # that a feed has lost
KEYS = ("product_key", "item_group_key")  # columns that the service generates


NAMED_PRODUCTS = 5  # the most of those that are deleted that a message names


def listed_products(titles: Mapping[str, str], count: int) -> str:
    """Name the first of `count` products by their ids and titles."""
    named = [f"{id!r} ({title})" if title else repr(id) for id, title in titles.items()][:NAMED_PRODUCTS]
    others = count - len(named)
    return ", ".join(named) + (f" and {others:,} more" if others > 0 and named else "")


def catalog_target(call: Invocation) -> "UploadTarget":
    """Return the catalog as what an upload changes."""
    from ...products.sync_state import KIND
    from ...store.epochs import UploadTarget

    return UploadTarget(call.service, KIND, call.catalog)


def columns_of(rows: "Rows") -> list[str]:
    """Name the columns of a feed as their fields. Of records take only known fields: others may vary."""
    unsent = {*KEYS, *rows.ignored}
    names = [name for name in dict.fromkeys(rows.fields) if name not in unsent]
    return [name for name in names if rows.has_header or name in rows.known]


def warn_lost_columns(
    call: Invocation, size_check: FeedSizeCheck, plan: "Plan", rows: "Rows", *, keeps_fields: bool
) -> None:
    """Name the columns that the last push had, with --quiet too, and what becomes of their fields."""
    last, _ = size_check.last_push(plan)
    filled = {*columns_of(rows), *rows.composed, *rows.transform.fields}
    lost = [name for name in (last.columns if last else ()) if name not in filled]
    if not lost:
        return
    fields = first_of([name for name in lost if name in rows.known], NAMED_COLUMNS, repr)
    kept = f": products keep what they have of {fields}; a sync with --set FIELD= empties a field"
    emptied = f": products lose their {fields}"
    consequence = (kept if keeps_fields else emptied) if fields else ""
    named = first_of(lost, NAMED_COLUMNS, repr)
    call.messages.warn(f"{rows.source.label}: no column {named}, which its last push had{consequence}")


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
        from ...products.uploads import PushUpload
        from ...runs.push import PushResult, Summary
        from ...validation.report import ValidationReport
        from ..runs.reports import show_summary

        call, feed = self._call, self.feeds.find(unchanged.address)
        call.messages.say(f"{unchanged.label} is unchanged since a push that succeeded: nothing to send")
        rows, left_out, warned = (feed.rows, feed.left_out, feed.warned) if feed else (0, 0, 0)
        summary = Summary(
            job=None,
            report=ValidationReport(rows=rows, left_out=left_out, warned=warned, can_warn=True),
            batches=0,
            due=0,
            counts=dict.fromkeys(PushUpload.statuses, 0),
            requests=call.client.requests,
            retries=call.client.retries,
            seconds=round(time.monotonic() - self._started, 3),
            extra={"skipped": rows - left_out},
            earlier=0,
        )
        call.parsed.result = result = PushResult()
        result.summary = summary
        show_summary(call.printer, summary, unchanged.label)

    def store_version(self, sending: "Sending") -> None:
        """Store the version of the feed that a successful push has read."""
        from ...feeds.locations.remote import RemoteLocation

        (location,) = sending.plan.file.rows.source.locations
        if isinstance(location, RemoteLocation) and sending.journal:
            self.feeds.store(location.address, location.version, sending.plan.file.report, sending.journal)
