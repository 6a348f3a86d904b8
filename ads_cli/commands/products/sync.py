"""Make a catalog equal to a product feed, show what differs, or change only what a feed has of products."""

from typing import Annotated

import typer

from ...console.invocation import Invocation
from ...console.parameters import flag
from ...errors import DIFFERENCES_FOUND, IncompleteError, UsageError
from ...numbers import DeletionLimit
from ...output.text import Lines
from ..uploads.options import File, Files, PageOptions, PushOptions, RejectedOptions, Strict, with_options
from . import STRICT_HINT
from .feed_checks import FeedSizeCheck, MinRows, catalog_target, warn_scheduled_feeds
from .options import ComparedFeedOptions, SyncOptions, UpdatingFeedOptions
from .page import FeedReport


@with_options(feed=ComparedFeedOptions, rejected=RejectedOptions, page=PageOptions)
def diff(
    ctx: typer.Context,
    files: Files,
    feed: ComparedFeedOptions,
    skip_invalid: Annotated[bool, flag("Compare the valid rows, and end with 9")] = False,
    strict: Strict = False,
    *,
    rejected: RejectedOptions,
    page: PageOptions,
) -> None:
    """Show what differs between a product feed and its catalog.

    The catalog is listed and compared with the feed, in the fields that the feed has. The result is the
    products to create, the products to update with the old and the new values, and with --prune the products
    to delete. Nothing is changed. Ends with 10 if anything differs, and with 9 if the service reverts what it
    acknowledged.

    Of a group of variants the service lists only the first one submitted. The others are listed by their
    group if it has a row that was not acknowledged as it is, or with --prune a product that leaves. Otherwise
    they are hidden, and taken as last acknowledged. A product whose id is in the feed is never deleted, even
    if its row is invalid.

    For example: adsctl products diff feed.csv --prune
    """
    from ...products.plans import check_plan
    from ...uploads.rejected_rows import check_failed_out
    from ..uploads.validation import require_valid, write_invalid_rows
    from .comparison import comparing_with_catalog, describe_counts, find_differences, show_differences

    call = Invocation.of(ctx, mutates=False)
    options = feed.compare_options(remembers=False)
    with FeedReport(call, page.report, files, force=rejected.force).written() as run:
        plan = check_plan(feed.open_all(call, files), strict=strict)
        run.watch(plan.validator, "diff")
        check_failed_out(rejected.failed_out_file, plan.rows)
        warn_scheduled_feeds(call)
        hint = "nothing was compared; correct the file, or compare the valid rows with --skip-invalid"
        with comparing_with_catalog(call, options) as comparison:
            comparison.watch(plan.validator)
            report = require_valid(
                call,
                plan,
                skip_invalid=skip_invalid,
                failed_out=rejected.failed_out_file,
                hint="; ".join(filter(None, (hint, STRICT_HINT * strict))),
                skipped="not compared",
            )
            differences = find_differences(call, comparison, plan.validator)
            run.take_differences(differences)
            show_differences(call.printer, differences)
            call.messages.say(describe_counts(differences))
        write_invalid_rows(rejected.failed_out_file, plan, report)
        if report.invalid:
            reasons = [f"{report.summary} and not compared", differences.shortfall]
            raise IncompleteError(Lines(filter(None, reasons)))
        if differences.shortfall:
            raise IncompleteError(differences.shortfall)
        if differences.counts.total():
            raise typer.Exit(DIFFERENCES_FOUND)


@with_options(feed=ComparedFeedOptions, options=SyncOptions, page=PageOptions)
def sync(
    ctx: typer.Context,
    files: Files,
    feed: ComparedFeedOptions,
    options: SyncOptions,
    page: PageOptions,
    strict: Strict = False,
    min_rows: MinRows = None,
) -> None:
    """Make a catalog equal to a product feed.

    The catalog is listed and compared with the feed, as `products diff` does. Products that are new or differ
    are sent. Then, with --prune, those whose ids are not in the feed are deleted; it asks first. If more than
    --max-delete would be deleted, nothing is sent. The default is 10 % of the listed products.

    With --resume the catalog is listed again, and what was acknowledged is not sent again.

    For example: adsctl products sync feed.csv --prune --dry-run
    """
    from ..uploads.journal import current_epoch
    from ..uploads.push import PushCommand
    from .comparison import SyncHooks, comparing_with_catalog, plan_to_compare, resumable_writes

    call = Invocation.of(ctx)
    if options.sample and not call.dry_run:
        raise UsageError("--sample needs --dry-run", hint="without it every difference is sent")
    max_delete = DeletionLimit.parse(options.max_delete)
    size_check = FeedSizeCheck(call, min_rows, scope=feed.scope, whole=feed.prune)
    call.concurrency = options.concurrency
    call.catalog = call.find_catalog()
    with FeedReport(call, page.report, files, force=options.force).written() as report:
        rows = feed.open_all(call, files)
        warn_scheduled_feeds(call)
        compared = feed.compare_options(remembers=not call.dry_run)
        # Both come before the listing: what changes the catalog from then on must be noticed.
        expected_epoch = "" if call.dry_run else current_epoch(call, catalog_target(call))
        resumable = resumable_writes(call)
        with comparing_with_catalog(call, compared) as comparison:
            plan = plan_to_compare(
                call,
                comparison,
                rows,
                prune=feed.prune,
                verify=feed.verify,
                strict=strict,
                expected_epoch=expected_epoch,
            )
            report.watch(plan.validator, "sync")
            hooks = SyncHooks(
                call=call,
                plan=plan,
                activity="Syncing",
                invalid_hint=STRICT_HINT * strict,
                size_check=size_check,
                keeps_fields=True,
                page=report,
                comparison=comparison,
                options=options,
                max_delete=max_delete,
                resumable_writes=resumable,
            )
            PushCommand(hooks, options).run()


@with_options(feed=UpdatingFeedOptions, options=PushOptions)
def update(
    ctx: typer.Context,
    file: File,
    feed: UpdatingFeedOptions,
    options: PushOptions,
    strict: Strict = False,
) -> None:
    """Change some fields of products, such as prices or stock between two pushes.

    The file has an id and some columns. The catalog is listed, each product that the file names is completed
    by what the catalog has of it and validated, and what differs is sent. An empty cell of a table empties
    its field; a field that a record of another format does not have stays as it is. No product is created: a
    row whose id is not in the catalog is rejected, and the others are sent.

    For example: adsctl products update prices.csv
    """
    from ...products.normal_form import PRODUCT_SCHEMA
    from ...products.sync.comparison import CompareOptions
    from ...products.sync.plan import UPDATE
    from ..uploads.journal import current_epoch
    from ..uploads.push import PushCommand
    from .comparison import (
        UpdateHooks,
        comparing_with_catalog,
        completion_of,
        list_products_of,
        plan_to_compare,
        require_ids,
    )

    call = Invocation.of(ctx)
    call.concurrency = options.concurrency
    call.catalog = call.find_catalog()
    schema = PRODUCT_SCHEMA._replace(required=("id",))
    rows = feed.open(call, file)
    require_ids(rows)
    # Before the listing: what changes the catalog from then on must be noticed.
    expected_epoch = "" if call.dry_run else current_epoch(call, catalog_target(call))
    with comparing_with_catalog(call, CompareOptions(verify=True)) as comparison:
        list_products_of(call, comparison, rows)
        rows.transform = completion_of(comparison, rows)  # whoever reads the rows from now on has them whole
        plan = plan_to_compare(
            call,
            comparison,
            rows,
            prune=False,
            strict=strict,
            expected_epoch=expected_epoch,
            schema=schema,
            operation=UPDATE,
        )
        hint = STRICT_HINT * strict
        hooks = UpdateHooks(
            call=call, plan=plan, activity="Updating", invalid_hint=hint, comparison=comparison
        )
        PushCommand(hooks, options).run()
