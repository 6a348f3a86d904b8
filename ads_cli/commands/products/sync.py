"""Make a catalog equal to a product feed, show what differs, or change only what a feed has of products."""

from typing import Annotated

import typer

from ...console.invocation import Invocation
from ...console.parameters import flag
from ...console.shown import shows
from ...errors import DIFFERENCES_FOUND, IncompleteError, UsageError
from ...numbers import DeletionLimit
from ...output.text import Lines
from ..runs.feed_size import FeedSizeCheck, MinRows
from ..runs.options import File, Files, PageOptions, PushOptions, RejectedOptions, Strict, with_options
from ..runs.shown import DIFFERENCES, SUMMARY
from . import STRICT_HINT
from .feed_checks import catalog_target, columns_of, warn_lost_columns, warn_scheduled_feeds
from .options import ComparedFeedOptions, SyncOptions, UpdatingFeedOptions
from .page import FeedReport


@shows(DIFFERENCES)
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
    from ...products.normal_form import PRODUCT_SCHEMA
    from ...runs.rejected_rows import check_failed_out
    from ...validation.validator import Validator
    from ..runs.validation import require_valid, write_invalid_rows
    from .comparison import comparing_with_catalog, describe_counts, find_differences, show_differences

    call = Invocation.of(ctx, mutates=False)
    options = feed.compare_options(remembers=False)
    with FeedReport(call, page.report, files, force=rejected.force).written() as run:
        validator = Validator(feed.open_all(call, files), PRODUCT_SCHEMA, strict=strict)
        run.watch(validator, "diff")
        check_failed_out(rejected.failed_out_file, validator.rows)
        warn_scheduled_feeds(call)
        hint = "nothing was compared; correct the file, or compare the valid rows with --skip-invalid"
        with comparing_with_catalog(call, options) as comparison:
            comparison.watch(validator)
            report = require_valid(
                call,
                validator,
                skip_invalid=skip_invalid,
                failed_out=rejected.failed_out_file,
                hint="; ".join(filter(None, (hint, STRICT_HINT * strict))),
                skipped="not compared",
            )
            differences = find_differences(call, comparison, validator)
            run.take_differences(differences)
            show_differences(call.printer, differences)
            call.messages.say(describe_counts(differences))
        write_invalid_rows(rejected.failed_out_file, validator, report)
        if report.invalid:
            reasons = [f"{report.summary} and not compared", differences.shortfall]
            raise IncompleteError(Lines(filter(None, reasons)))
        if differences.shortfall:
            raise IncompleteError(differences.shortfall)
        if differences.counts.total():
            raise typer.Exit(DIFFERENCES_FOUND)


@shows(SUMMARY, DIFFERENCES)
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
    from ...products.sync.plan import sync_plan
    from ..runs.journal import current_epoch
    from ..runs.sending import CORRECT_AND_SYNC, Sending
    from .comparison import (
        SyncRun,
        comparing_with_catalog,
        find_differences,
        resumable_writes,
        warn_not_deleted,
    )

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
            plan = sync_plan(comparison, rows, expected_epoch, strict=strict)
            report.watch(plan.file, "sync")
            run = SyncRun(call, plan, comparison, max_delete, resumable)

            def compare() -> None:
                size_check.check(plan)
                warn_lost_columns(call, size_check, plan, rows, keeps_fields=True)
                report.take_differences(find_differences(call, comparison, plan.file))

            sending = Sending(call, plan, options, "Syncing")
            sending.read(compare, hint=STRICT_HINT * strict)
            if not sending.approve(run.confirm, (change.as_record for change in plan.differences)):
                run.show_dry_run(options.sample)
                return
            with sending.begun() as journal:
                result = sending.send(journal)
                if result.is_complete:
                    size_check.store(plan, columns_of(rows))
                    why = "the service acknowledged rows with their keys"
                    warn_not_deleted(call, plan.spared, why)
                report.take_push(result.summary, result)
                shortfall = run.shortfall(is_complete=result.is_complete)
                sending.end(result, shortfall=shortfall, correction=CORRECT_AND_SYNC)


@shows(SUMMARY, DIFFERENCES)
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
    from ...console.progress import progress
    from ...products.normal_form import PRODUCT_SCHEMA
    from ...products.sync.comparison import CompareOptions
    from ...products.sync.plan import UPDATE, sync_plan
    from ..runs.journal import current_epoch
    from ..runs.sending import Sending
    from .comparison import (
        comparing_with_catalog,
        completion_of,
        lacks_only_products,
        list_products_of,
        require_ids,
        show_dry_run,
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
        plan = sync_plan(comparison, rows, expected_epoch, strict=strict, schema=schema, operation=UPDATE)

        def compare() -> None:
            with progress(call.messages, "Comparing", plan.file.report.rows) as on_progress:
                comparison.compare(plan.file, on_progress)

        sending = Sending(call, plan, options, "Updating")
        sending.read(compare, hint=STRICT_HINT * strict, skips=lacks_only_products)
        if not sending.approve():
            show_dry_run(call, plan.differences, plan.differences, may_prune=False)
            return
        with sending.begun() as journal:
            sending.end(sending.send(journal))
