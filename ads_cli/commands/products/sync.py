"""Make a catalog equal to a product feed, show what differs, or change only what a feed has of products."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...errors import NotConfirmedError, UsageError
from ...numbers import CountOrShare, parse_share
from ...output.text import counted
from ..uploads.hooks import CORRECT_AND_SYNC, PushHooks
from ..uploads.options import File, Files, PageOptions, PushOptions, RejectedOptions, Strict, with_options
from .feed_checks import FeedHooks, FeedSizeCheck, MinRows, catalog_target, warn_scheduled_feeds
from .options import ComparedFeedOptions, ProductFeedOptions
from .page import FeedReport

if TYPE_CHECKING:
    from ...feeds.rows import Rows
    from ...products.sync.comparison import CatalogComparison
    from ...products.sync.plan import SyncPlan
    from ...products.sync.row_comparison import Completion
    from ...uploads.push import PushResult, Summary
    from ...validation.report import ValidationReport


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

    call = Invocation.of(ctx, mutates=False)
    options = feed.compare_options(remembers=False)
    with FeedReport(call, page.report, files, force=rejected.force).written() as run:
        plan = check_plan(feed.open_all(call, files, PRODUCT_SCHEMA), strict=strict)
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
            )
            differences = find_differences(call, comparison, plan.validator)
            run.take_differences(differences)
            show_differences(call.printer, differences)
            call.messages.say(describe_counts(differences))
        write_invalid_rows(rejected.failed_out_file, plan, report)
        if report.invalid:
            reasons = [f"{report.summary} and not compared", differences.shortfall]
            raise IncompleteError("\n".join(filter(None, reasons)))
        if differences.shortfall:
            raise IncompleteError(differences.shortfall)
        if differences.counts.total():
            raise typer.Exit(DIFFERENCES_FOUND)


NAMED_DELETIONS = 5  # of a catalog of which nothing is remembered


class SyncOptions(PushOptions, frozen=True):
    """How differences are sent."""

    max_delete: Annotated[str, option("N|P%", "With --prune: delete nothing where more would be deleted")] = (
        "10%"
    )
    sample: Annotated[int | None, option("N", "With --dry-run: show N differences only", min=1)] = None


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

    The catalog is listed and compared with the feed, as `products diff` does. Products that are new or
    differ are sent, and then, with --prune, those whose ids are not in the feed are deleted; it asks first.
    If more than --max-delete would be deleted, 10 % of the listed products unless it says otherwise, nothing
    is sent.

    With --resume the catalog is listed again, and what was acknowledged is not sent again.

    For example: adsctl products sync feed.csv --prune --dry-run
    """
    from ...products.normal_form import PRODUCT_SCHEMA
    from ..uploads.journal import current_epoch
    from ..uploads.push import PushCommand
    from . import STRICT_HINT
    from .comparison import comparing_with_catalog

    call = Invocation.of(ctx)
    if options.sample and not call.dry_run:
        raise UsageError("--sample needs --dry-run", hint="without it every difference is sent")
    max_delete, size_check = parse_share(options.max_delete, "--max-delete"), FeedSizeCheck(call, min_rows)
    call.concurrency = options.concurrency
    call.catalog = call.find_catalog()
    with FeedReport(call, page.report, files, force=options.force).written() as report:
        rows = feed.open_all(call, files, PRODUCT_SCHEMA)
        warn_scheduled_feeds(call)
        compared = feed.compare_options(remembers=not call.dry_run)
        # Both come before the listing: what changes the catalog from then on must be noticed.
        expected_epoch = "" if call.dry_run else current_epoch(call, catalog_target(call))
        resumable = _resumable_bytes(call)
        with comparing_with_catalog(call, compared) as comparison:
            plan = _plan_to_compare(
                call,
                comparison,
                rows,
                prune=feed.prune,
                verify=feed.verify,
                strict=strict,
                expected_epoch=expected_epoch,
            )
            report.watch(plan.validator, "sync")
            hooks = _SyncHooks(
                call=call,
                plan=plan,
                activity="Syncing",
                invalid_hint=STRICT_HINT * strict,
                size_check=size_check,
                page=report,
                comparison=comparison,
                options=options,
                max_delete=max_delete,
                resumable_bytes=resumable,
            )
            PushCommand(hooks, options).run()


def _plan_to_compare(
    call: Invocation, comparison: "CatalogComparison", rows: "Rows", **options: Any
) -> "SyncPlan":
    """Return the plan of a sync, whose rows are kept for the comparison while they are validated."""
    from ...products.sync.plan import sync_plan
    from . import sync_state_of

    plan = sync_plan(rows, call.catalog, sync_state_of(call), comparison.differences, **options)
    comparison.watch(plan.validator)
    return plan


def _resumable_bytes(call: Invocation) -> int:
    """Return the size of the journals of jobs that change the catalog, where they are resumed.

    They do so in the write epoch that they began: only their journals show it, which grow.
    """
    from ...uploads.jobs import resumable_bytes

    return 0 if call.dry_run else resumable_bytes(call.settings.state_dir / "jobs", catalog_target(call))


class _SyncHooks(FeedHooks, kw_only=True):
    """Steps of a sync."""

    plan: "SyncPlan"
    comparison: "CatalogComparison"
    options: SyncOptions
    max_delete: CountOrShare
    resumable_bytes: int  # before the catalog was listed
    correction: str = CORRECT_AND_SYNC
    shown_late: str = ""  # says that the deletions have shown further products without a row

    def validated(self) -> None:
        """Compare the feed with the catalog."""
        from .comparison import find_differences

        super().validated()
        self.page.take_differences(find_differences(self.call, self.comparison, self.plan.validator))

    def show_dry_run(self, summary: "Summary") -> None:
        """Print the differences."""
        from .comparison import show_dry_run

        differences = self.plan.differences
        show_dry_run(self.call, differences, islice(differences, self.options.sample))
        if excess := self._excess():
            self.call.messages.warn(excess)

    def confirm(self) -> None:
        """Ask before products are deleted; raise where they are too many, or the catalog has changed."""
        deletions = self.plan.differences.counts["delete"]
        if deletions:
            self._confirm_deletions(deletions)
        if self._is_another_job_resumed():
            from ...uploads.journal import changed_meanwhile

            raise changed_meanwhile(catalog_target(self.call), self.plan.rows.source.label)

    def _is_another_job_resumed(self) -> bool:
        """Tell whether a job has changed the catalog since before it was listed."""
        return _resumable_bytes(self.call) != self.resumable_bytes

    def ended(self, summary: "Summary", result: "PushResult | None") -> None:
        """Look for products that are listed only since others were deleted."""
        super().ended(summary, result)
        if not (result and result.is_complete and (late := self.comparison.count_shown_late())):
            return
        verb = "is" if late == 1 else "are"
        self.shown_late = (
            f"{counted(late, 'product')} {verb} listed now that a deleted variant had hidden, "
            "and not in the feed; run it again to delete more"
        )

    def shortfall(self) -> str:
        """Say in what the catalog is not equal to the feed, though everything was sent."""
        reasons = [self.plan.differences.shortfall, self.shown_late]
        if changed := self.plan.changed_since:
            products = counted(changed, "product")
            reasons.append(f"{products} changed since this job had sent it; the next sync sends it once more")
        return "\n".join(filter(None, reasons))

    def _confirm_deletions(self, deletions: int) -> None:
        """Name, limit and ask."""
        from ...api.products import DeleteProducts
        from ..uploads.hooks import confirm_request

        if not self.plan.differences.is_remembered:
            self._name_deletions()
        if excess := self._excess():
            raise NotConfirmedError(
                excess,
                hint="nothing was sent; 'products diff --prune' shows what would be deleted; "
                f"if that is right, add --max-delete {deletions}",
            )
        request = DeleteProducts(product_catalog_id=self.call.catalog, product_keys=[])
        confirm_request(self.call, request, counted(deletions, "product"))

    def _excess(self) -> str:
        """Say that more products would be deleted than may be; empty where they are not."""
        differences = self.plan.differences
        deletions = differences.counts["delete"]
        if deletions <= self.max_delete.of(differences.listed):
            return ""
        return (
            f"{deletions:,} of {counted(differences.listed, 'product')} are not in the feed, "
            f"and --max-delete is {self.options.max_delete}"
        )

    def _name_deletions(self) -> None:
        """Name products that are deleted from a catalog that may be somebody else's too."""
        from ...output.text import cell

        differences = self.plan.differences
        named = [
            f"{change.id!r} ({cell(title.old)})" if (title := change.fields.get("title")) else repr(change.id)
            for change in islice(differences.deletions(), NAMED_DELETIONS)
        ]
        others = differences.counts["delete"] - len(named)
        self.call.messages.warn(
            "no push --changed and no sync of this catalog is recorded on this machine; --prune deletes "
            f"{', '.join(named)}" + (f" and {others:,} more" if others else "")
        )


@with_options(feed=ProductFeedOptions, options=PushOptions)
def update(
    ctx: typer.Context,
    file: File,
    feed: ProductFeedOptions,
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
    from . import STRICT_HINT
    from .comparison import comparing_with_catalog

    call = Invocation.of(ctx)
    call.concurrency = options.concurrency
    call.catalog = call.find_catalog()
    schema = PRODUCT_SCHEMA._replace(required=("id",))
    rows = feed.open(call, file, schema)
    _require_ids(rows)
    # Before the listing: what changes the catalog from then on must be noticed.
    expected_epoch = "" if call.dry_run else current_epoch(call, catalog_target(call))
    with comparing_with_catalog(call, CompareOptions(verify=True)) as comparison:
        _list_products_of(call, comparison, rows)
        rows.transform = _completion(comparison, rows)  # whoever reads the rows from now on has them whole
        plan = _plan_to_compare(
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
        hooks = _UpdateHooks(
            call=call, plan=plan, activity="Updating", invalid_hint=hint, comparison=comparison
        )
        PushCommand(hooks, options).run()


class _UpdateHooks(PushHooks, kw_only=True):
    """Steps of an update."""

    plan: "SyncPlan"
    comparison: "CatalogComparison"

    def skips(self, report: "ValidationReport") -> bool:
        """Tell whether rows are invalid only since the catalog does not have their products."""
        from ...products.sync.row_comparison import NOT_IN_CATALOG

        missing = (each.rows for each in report.findings if each.rule == NOT_IN_CATALOG)
        return sum(missing) == report.invalid

    def validated(self) -> None:
        """Compare the completed rows with the catalog."""
        from ...console.progress import progress

        with progress(self.call.messages, "Comparing", self.plan.report.rows) as on_progress:
            self.comparison.compare(self.plan.validator, on_progress)

    def show_dry_run(self, summary: "Summary") -> None:
        """Print the differences."""
        from .comparison import show_dry_run

        show_dry_run(self.call, self.plan.differences, self.plan.differences)


def _require_ids(rows: "Rows") -> None:
    """Raise ContentError where a table has no column of ids, before the catalog is listed."""
    from ...validation.report import missing_columns

    next(iter(rows), None)  # the columns of a table are known from the first row on
    missing_columns(rows, ("id",), rows.known)


def _list_products_of(call: Invocation, comparison: "CatalogComparison", rows: "Rows") -> None:
    """Wait until the products of some rows are listed, hidden variants too."""
    from ...console.progress import progress

    with progress(call.messages, "Listing the catalog", None) as on_progress:
        comparison.wait(on_progress)
    ids = (str(row.values["id"]) for row in rows if "id" in row.values and not row.left_out)
    with progress(call.messages, "Listing groups of variants", None) as on_progress:
        comparison.list_variants(ids, on_progress)


def _completion(comparison: "CatalogComparison", rows: "Rows") -> "Completion":
    """Return the transform of rows that also completes each by its listed product."""
    from ...products.sync.comparison import fields_of_feed
    from ...products.sync.row_comparison import Completion

    emptied = fields_of_feed(rows) if rows.has_header else frozenset[str]()
    return Completion(rows.transform, comparison.listing, emptied)
