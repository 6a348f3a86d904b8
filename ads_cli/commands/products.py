"""Product feeds: push and check."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.bulk_options import (
    Files,
    PushOptions,
    RejectedOptions,
    Strict,
    with_options,
)
from ..console.feed_options import ProductFeedOptions
from ..console.image_options import ImageOptions
from ..console.invocation import Invocation
from ..console.run_report import ReportOptions
from ..errors import ContentError, UsageError
from .scheduled_feeds import VERIFY_HINT, warn_scheduled_feeds
from .shrunken_feed import FeedSizeCheck, MinRows

if TYPE_CHECKING:
    from ..feeds.rows import Rows
    from ..products.comparison import Comparison
    from ..products.selection import ChangedRows
    from ..products.sync_state import SyncState
    from ..uploads.row_plan import RowPlan
    from .unchanged_feed import UnchangedFeed

Changed = Annotated[
    bool,
    typer.Option("--changed", help="Send only rows that differ from what the service last acknowledged"),
]
Verify = Annotated[
    bool,
    typer.Option(
        "--verify",
        help="With --changed: list the catalog first, and send what is missing or different there too",
    ),
]
STRICT_HINT = "without --strict, warnings are no errors"


@with_options(feed=ProductFeedOptions, options=PushOptions, page=ReportOptions)
def push(
    ctx: typer.Context,
    files: Files,
    feed: ProductFeedOptions,
    options: PushOptions,
    page: ReportOptions,
    changed: Changed = False,
    verify: Verify = False,
    strict: Strict = False,
    min_rows: MinRows = None,
) -> None:
    """Create and update products from a file.

    The whole file is validated before the first request. Acknowledgements are stored on disk, so that
    --resume can continue after any kind of stop.

    With --changed, rows that equal what the service last acknowledged are not sent. What it acknowledged
    is stored for each catalog in the state folder; where that is lost, a push of every row starts it
    again. Changes that others made to the catalog are found by --verify: it lists the catalog and
    compares. Variants that a listing hides cannot be compared. A feed at an https address is not even
    downloaded where its server says that it is unchanged since a push that succeeded.

    Where the feed has lost more than 30 % of the rows of its last push, that is said; --min-rows refuses it.

    For example: adsctl products push feed.csv --failed-out rejected.csv
    """
    from ..feeds.locations.location import UnchangedError
    from ..products.schema import PRODUCT_SCHEMA
    from .push import PushCommand

    if verify and not changed:
        raise UsageError("--verify needs --changed", hint="without it every row is sent anyway")
    call = Invocation.of(ctx)
    size_check = FeedSizeCheck(call, min_rows)
    if changed:
        call.catalog = call.find_catalog()  # in a dry run too, since what has changed depends on it
    pushed = None
    if changed and not (verify or options.resume or options.job or call.dry_run or page.report):
        pushed = _pushed_feeds(call, files, feed, strict=strict, skip_invalid=options.skip_invalid)
    with page.written(call, files, force=options.force) as run:
        try:
            rows = feed.open_all(call, files, PRODUCT_SCHEMA)
        except UnchangedError as unchanged:
            assert pushed  # only then it is asked for
            warn_scheduled_feeds(call, VERIFY_HINT)
            pushed.report_unchanged(unchanged)
            return
        plan, selection = _push_plan(call, rows, only_changed=changed, strict=strict)
        run.watch(plan.validator, options.failed_out, sends=True)
        command = PushCommand(call, plan, options, invalid_hint=STRICT_HINT * strict, size_check=size_check)
        command.on_end = run.take_push
        if changed:
            warn_scheduled_feeds(call, VERIFY_HINT * (not verify))
        if changed and selection:
            command.on_validated = partial(_report_skipped, call, plan, selection, verify=verify)
        elif selection:
            command.count_changed = partial(_count_changed, call, selection)
        command.run()
    if pushed:
        pushed.store_version(command)


@with_options(feed=ProductFeedOptions, rejected=RejectedOptions, images=ImageOptions, page=ReportOptions)
def check(
    ctx: typer.Context,
    files: Files,
    feed: ProductFeedOptions,
    rejected: RejectedOptions,
    images: ImageOptions,
    page: ReportOptions,
    strict: Strict = False,
    mapping_draft: Annotated[
        str | None,
        typer.Option("--write-mapping", metavar="FILE", help="Write a first mapping of this feed here"),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="With --fix: show each changed field before and after")
    ] = False,
) -> None:
    """Check a product feed, offline, and send nothing.

    Every rule is checked that needs neither the catalog nor the images themselves. What the service refuses
    is an error. What its rules ask for, but it accepts, such as the check digit of a GTIN, is a warning.

    With --images, the beginning of each image is fetched from its host, each address once, and its format,
    pixels and bytes are checked. One that cannot be fetched is a warning. One that is unchanged since an
    earlier check, as its server says, is not fetched again.

    For example: adsctl products check feed.csv
    """
    from ..console.reports import hint_of_kind, show_report
    from ..products.plans import check_plan
    from ..products.schema import PRODUCT_SCHEMA
    from ..uploads.rejected_rows import check_failed_out
    from .image_check import checked_images
    from .mapping_draft import write_mapping
    from .validate import say_estimate, validate_with_progress, write_invalid_rows

    if diff and not feed.fix:
        raise UsageError("--diff needs --fix", hint="it shows what fixes change, as in --fix all --diff")
    images.require_images()
    call = Invocation.of(ctx)
    selection, count_changed = _compared_with_acknowledged(call)
    if mapping_draft and len(files) > 1:
        raise UsageError("--write-mapping takes one file", hint="write it for one of them")
    with page.written(call, files, force=rejected.force) as run:
        if mapping_draft:
            opened = feed.open_feed(call, files[0], PRODUCT_SCHEMA)
            write_mapping(call, mapping_draft, opened, PRODUCT_SCHEMA, force=rejected.force)
            rows = opened.rows
        else:
            rows = feed.open_all(call, files, PRODUCT_SCHEMA)
        plan = check_plan(rows, selection, strict=strict)
        run.watch(plan.validator, rejected.failed_out)
        check_failed_out(rejected.failed_out_file, plan.rows)
        report = validate_with_progress(call, plan)
        with checked_images(call, plan, images, report) as checked_rows:
            say_estimate(call, plan, count_changed)
            show_report(call.printer, plan.rows, report, plan.validator.fixed_rows() if diff else None)
            write_invalid_rows(rejected.failed_out_file, plan, report, checked_rows)
        if report.invalid:
            hints = (hint_of_kind(plan.rows, report), STRICT_HINT * strict)
            raise ContentError(report.summary, hint="; ".join(filter(None, hints)))


def _pushed_feeds(
    call: Invocation, files: list[str], feed: ProductFeedOptions, *, strict: bool, skip_invalid: bool
) -> "UnchangedFeed | None":
    """Let the server of the only feed, if it is remote, say that it is unchanged since the last push."""
    from ..feeds.locations.locate import is_remote

    if len(files) > 1 or not is_remote(files[0]):
        return None
    from .unchanged_feed import UnchangedFeed

    found = UnchangedFeed(call, feed, strict=strict, skip_invalid=skip_invalid)
    call.known_version = found.feeds.version
    return found


def _push_plan(
    call: Invocation, rows: "Rows", *, only_changed: bool, strict: bool
) -> "tuple[RowPlan, ChangedRows | None]":
    """Plan a push of all rows, or of those that have changed."""
    from ..products.plans import push_plan
    from ..products.selection import ChangedRows, read_index

    sync_state, selection = _sync_state(call), None
    if only_changed:
        selection = ChangedRows(sync_state, *read_index(sync_state, call.messages.say))
    elif sync_state.exists():
        selection = ChangedRows()  # all rows are sent, and the sync state stays true
    return push_plan(rows, call.catalog, sync_state, selection, strict=strict), selection


def _compared_with_acknowledged(call: Invocation) -> "tuple[ChangedRows | None, Callable[[], int] | None]":
    """Return what notes the digests of a checked file, and counts those that were never acknowledged.

    Only where the service limits pushes, and something was pushed to the catalog that is set.
    """
    from ..api.products import PutProducts
    from ..products.selection import ChangedRows

    is_limited = PutProducts.endpoint.rates[call.settings.service] is not None
    if not (is_limited and call.settings.get("catalog") and _sync_state(call).exists()):
        return None, None
    selection = ChangedRows()
    return selection, partial(_count_changed, call, selection)


def _count_changed(call: Invocation, rows: "ChangedRows") -> int:
    """Count the rows that --changed would send."""
    from ..products.selection import read_index

    return rows.count_missing(read_index(_sync_state(call))[0])


def _report_skipped(call: Invocation, plan: "RowPlan", rows: "ChangedRows", *, verify: bool) -> None:
    """Say how many rows are not sent; with `verify`, compare them with the catalog first."""
    from ..output.text import counted
    from ..products.comparison import describe

    if verify:
        rows.selector.comparison = comparison = _compare(call)
        plan.validator.select_again()
        call.messages.say(describe(comparison.counts))
    if rows.skipped:
        call.messages.say(f"{counted(rows.skipped, 'row')} not sent, as the service last acknowledged them")


def _compare(call: Invocation) -> "Comparison":
    from ..console.progress import progress
    from ..products.comparison import Comparison
    from ..products.listing import list_products

    with progress(call.messages, "Listing the catalog", None) as on_progress:

        def listing() -> Iterator[dict[str, Any]]:
            for number, product in enumerate(list_products(call.client, call.catalog), 1):
                yield product
                on_progress(number)

        return Comparison(listing())


def _sync_state(call: Invocation) -> "SyncState":
    from ..products.sync_state import SyncState

    return SyncState(call.settings.state_dir, call.service, call.catalog)
