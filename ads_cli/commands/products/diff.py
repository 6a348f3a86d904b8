"""Show what differs between a product feed and its catalog."""

from typing import Annotated

import typer

from ...console.invocation import Invocation
from ..uploads.options import Files, PageOptions, RejectedOptions, Strict, with_options
from .options import ComparedFeedOptions
from .page import FeedReport


@with_options(feed=ComparedFeedOptions, rejected=RejectedOptions, page=PageOptions)
def diff(
    ctx: typer.Context,
    files: Files,
    feed: ComparedFeedOptions,
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Compare the valid rows, and end with 9")
    ] = False,
    strict: Strict = False,
    *,
    rejected: RejectedOptions,
    page: PageOptions,
) -> None:
    """Show what differs between a product feed and its catalog.

    The catalog is listed and compared with the feed, in the fields that the feed has: products to create,
    products to update with the old and the new values, and with --prune products to delete. Nothing is
    changed. Ends with 10 if anything differs, and with 9 if the service reverts what it acknowledged.

    Of a group of variants the service lists only the first one submitted. The others are listed by their
    group if it has a row that was not acknowledged as it is, or with --prune a product that leaves; else
    they are hidden, and taken as last acknowledged. A product whose id is in the feed is never deleted, in an
    invalid row too.

    For example: adsctl products diff feed.csv --prune
    """
    from ...errors import DIFFERENCES_FOUND, IncompleteError
    from ...products.normal_form import PRODUCT_SCHEMA
    from ...products.plans import check_plan
    from ...uploads.rejected_rows import check_failed_out
    from ..uploads.validation import require_valid, write_invalid_rows
    from . import STRICT_HINT
    from .comparison import comparing_with_catalog, describe_counts, find_differences, show_differences
    from .feed_checks import warn_scheduled_feeds

    call = Invocation.of(ctx, mutates=False)
    options = feed.compare_options(remembers=False)
    with FeedReport(call, page.report, files, force=rejected.force).written() as run:
        plan = check_plan(feed.open_all(call, files, PRODUCT_SCHEMA), strict=strict)
        run.watch(plan.validator, rejected.failed_out, "diff")
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
            )
            differences = find_differences(call, comparison, plan.validator)
            run.take_differences(differences)
            show_differences(call.printer, differences)
            call.messages.say(describe_counts(differences))
        write_invalid_rows(rejected.failed_out_file, plan, report)
        if report.invalid:
            told = [f"{report.summary} and not compared", differences.shortfall]
            raise IncompleteError("\n".join(filter(None, told)))
        if differences.shortfall:
            raise IncompleteError(differences.shortfall)
        if differences.counts.total():
            raise typer.Exit(DIFFERENCES_FOUND)
