"""Push a product feed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...console.invocation import Invocation
from ...console.parameters import flag
from ...console.shown import shows
from ...errors import UsageError
from ...output.text import counted
from ..runs.feed_size import FeedSizeCheck, MinRows
from ..runs.options import Files, PageOptions, PushOptions, Strict, with_options
from ..runs.shown import SUMMARY
from .feed_checks import (
    VERIFY_HINT,
    UnchangedFeed,
    columns_of,
    warn_lost_columns,
    warn_scheduled_feeds,
)
from .options import ProductFeedOptions
from .page import FeedReport

if TYPE_CHECKING:
    from ...feeds.rows import Rows
    from ...products.listing import ListingComparison
    from ...products.plans import ProductPlan
    from ...products.selection import ChangedRows
    from ...products.sync_state import SyncState

Changed = Annotated[bool, flag("Send only rows that differ from what the service last acknowledged")]
Verify = Annotated[
    bool, flag("With --changed: list the catalog first, and send what is missing or different there too")
]
UNCONFIRMED = (
    "this machine has started since the last push, or is another one: the state folder may be that of a "
    "restored disk, so the catalog is listed and compared"
)
STRICT_HINT = "without --strict, warnings are no errors"


@shows(SUMMARY)
@with_options(feed=ProductFeedOptions, options=PushOptions, page=PageOptions)
def push(
    ctx: typer.Context,
    files: Files,
    feed: ProductFeedOptions,
    options: PushOptions,
    page: PageOptions,
    changed: Changed = False,
    verify: Verify = False,
    strict: Strict = False,
    min_rows: MinRows = None,
) -> None:
    """Create and update products from a file.

    The whole file is validated before the first request. Acknowledgements are stored on disk, so that
    --resume can continue after any kind of stop.

    With --changed, rows that equal what the service last acknowledged are not sent. What it acknowledged is
    stored for each catalog in the state folder. Where that is lost, a push of every row starts it again.
    Changes that others made to the catalog are found by --verify, which lists the catalog and compares.
    Variants that a listing hides cannot be compared. A feed at an https address is not even downloaded where
    its server says that it is unchanged since a push that succeeded.

    After a restart of the machine, the state folder may be that of a restored disk.
    Then the catalog is listed and compared as well.

    A feed that has lost more than 30 % of the rows of its last push is reported. --min-rows refuses it.

    For example: adsctl products push feed.csv --failed-out rejected.csv
    """
    from ...feeds.locations import UnchangedError
    from ..runs.sending import Sending

    if verify and not changed:
        raise UsageError("--verify needs --changed", hint="without it every row is sent anyway")
    call = Invocation.of(ctx)
    size_check = FeedSizeCheck(call, min_rows)
    if changed:
        call.catalog = call.find_catalog()  # in a dry run too, since what has changed depends on it
    pushed = None
    if changed and not (verify or options.resume or options.job or call.dry_run or page.report):
        pushed = _pushed_feeds(call, files, feed, strict=strict, skip_invalid=options.skip_invalid)
    with FeedReport(call, page.report, files, force=options.force).written() as run:
        try:
            rows = feed.open_all(call, files)
        except UnchangedError as unchanged:
            assert pushed  # only then it is asked for
            warn_scheduled_feeds(call, VERIFY_HINT)
            pushed.report_unchanged(unchanged)
            return
        plan, selection = _push_plan(call, rows, only_changed=changed, strict=strict)
        run.watch(plan.file, "push")
        if changed:
            warn_scheduled_feeds(call, "" if verify else VERIFY_HINT)

        def select() -> None:
            size_check.check(plan)
            warn_lost_columns(call, size_check, plan, rows, keeps_fields=call.settings.service == "x")
            if changed and selection:
                _report_skipped(call, plan, selection, verify=verify)

        sending = Sending(call, plan, options)
        sending.read(select, hint=STRICT_HINT if strict else "")
        if not sending.approve():
            with_changed = selection if not changed else None
            run.take_push(sending.summary(), None)
            sending.show_dry_run(lambda: count_changed(call, with_changed) if with_changed else None)
            return
        with sending.begun() as journal:
            result = sending.send(journal)
            if result.is_complete:
                size_check.store(plan, columns_of(rows))
            run.take_push(result.summary, result)
            sending.end(result)
    if pushed:
        pushed.store_version(sending)


def _pushed_feeds(
    call: Invocation, files: list[str], feed: ProductFeedOptions, *, strict: bool, skip_invalid: bool
) -> UnchangedFeed | None:
    """Let the server of the only feed, if it is remote, say that it is unchanged since the last push."""
    from ...feeds.locations import is_remote

    if len(files) > 1 or not is_remote(files[0]):
        return None
    unchanged = UnchangedFeed(call, feed, strict=strict, skip_invalid=skip_invalid)
    call.known_version = unchanged.feeds.version
    return unchanged


def _push_plan(
    call: Invocation, rows: "Rows", *, only_changed: bool, strict: bool
) -> "tuple[ProductPlan, ChangedRows | None]":
    """Plan a push of all rows, or of those that have changed."""
    from ...products.plans import push_plan
    from ...products.selection import ChangedRows, read_index

    sync_state, selection = sync_state_of(call), None
    if only_changed:
        selection = ChangedRows(*read_index(sync_state, call.messages.say))
    elif sync_state.exists():
        selection = ChangedRows()  # all rows are sent, and the sync state stays true
    return push_plan(rows, call.catalog, sync_state, selection, strict=strict), selection


def count_changed(call: Invocation, rows: "ChangedRows") -> int:
    """Count the rows that --changed would send."""
    from ...products.selection import read_index

    return rows.count_missing(read_index(sync_state_of(call))[0])


def _report_skipped(call: Invocation, plan: "ProductPlan", selection: "ChangedRows", *, verify: bool) -> None:
    """Say how many rows are not sent; compare them with the catalog first, where that is due."""
    from ...products.listing import describe

    is_unconfirmed = selection.expected_epoch is not None and not sync_state_of(call).is_confirmed
    if is_unconfirmed:
        call.messages.say(UNCONFIRMED)
    if verify or is_unconfirmed:
        comparison = _compare(call)
        selection.compare_with(comparison, trusts_index=not is_unconfirmed)
        plan.file.select_again()
        call.messages.say(describe(comparison.counts))
    if selection.skipped:
        skipped = counted(selection.skipped, "row")
        call.messages.say(f"{skipped} not sent, as the service last acknowledged them")


def _compare(call: Invocation) -> "ListingComparison":
    from ...console.progress import progress
    from ...products.listing import ListingComparison, list_products

    with progress(call.messages, "Listing the catalog", None) as on_progress:

        def listing() -> Iterator[dict[str, Any]]:
            for number, product in enumerate(list_products(call.client, call.catalog), 1):
                yield product
                on_progress(number)

        return ListingComparison(listing())


def sync_state_of(call: Invocation) -> "SyncState":
    """Return what is remembered of the catalog."""
    from ...products.sync_state import SyncState

    return SyncState(call.settings.state_dir, call.service, call.catalog)
