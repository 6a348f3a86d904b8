"""Change some fields of products, between two pushes of a whole feed."""

from typing import TYPE_CHECKING

import typer

from ...console.invocation import Invocation
from ..uploads.hooks import PushHooks
from ..uploads.options import File, PushOptions, Strict, with_options
from .options import ProductFeedOptions

if TYPE_CHECKING:
    from ...feeds.rows import Rows
    from ...products.sync.comparison import CatalogComparison
    from ...products.sync.plan import SyncPlan
    from ...uploads.push import Summary
    from ...validation.report import ValidationReport


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
    from ...products.sync.plan import UPDATE, sync_plan
    from ..uploads.journal import current_epoch
    from ..uploads.push import PushCommand
    from . import STRICT_HINT, sync_state_of
    from .comparison import catalog_place, comparing_with_catalog

    call = Invocation.of(ctx)
    call.concurrency = options.concurrency
    call.catalog = call.find_catalog()
    schema = PRODUCT_SCHEMA._replace(required=("id",))
    rows = feed.open(call, file, schema)
    _require_ids(rows)
    expected_epoch = "" if call.dry_run else current_epoch(call, catalog_place(call))
    with comparing_with_catalog(call, CompareOptions(verify=True)) as comparison:
        _complete(call, comparison, rows)
        plan = sync_plan(
            rows,
            call.catalog,
            sync_state_of(call),
            comparison.differences,
            prune=False,
            strict=strict,
            expected_epoch=expected_epoch,
            schema=schema,
            operation=UPDATE,
        )
        comparison.watch(plan.validator)
        hint = STRICT_HINT * strict
        steps = _UpdateHooks(
            call=call, plan=plan, activity="Updating", invalid_hint=hint, comparison=comparison
        )
        PushCommand(steps, options).run()


class _UpdateHooks(PushHooks, kw_only=True):
    """Steps of an update."""

    plan: "SyncPlan"
    comparison: "CatalogComparison"

    def skips(self, report: "ValidationReport") -> bool:
        """Tell whether rows are invalid only since the catalog does not have their products."""
        from ...products.sync.listed_products import NOT_IN_CATALOG

        missing = (each.rows for each in report.findings if NOT_IN_CATALOG in each.problem)
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
    from ...validation.columns import missing_columns

    next(iter(rows), None)  # the columns of a table are known from the first row on
    missing_columns(rows, ("id",), rows.known)


def _complete(call: Invocation, comparison: "CatalogComparison", rows: "Rows") -> None:
    """List the catalog, and let each row be completed by its product."""
    from ...console.progress import progress
    from ...feeds.transforms import RowTransform
    from ...products.sync.comparison import fields_of_feed
    from ...products.sync.listed_products import Completion

    with progress(call.messages, "Listing the catalog", None) as on_progress:
        comparison.wait(on_progress)
    ids = (str(row.values["id"]) for row in rows if "id" in row.values and not row.left_out)
    with progress(call.messages, "Listing groups of variants", None) as on_progress:
        comparison.list_variants(ids, on_progress)
    emptied = fields_of_feed(rows) if rows.has_header else frozenset[str]()
    assert rows.conversion is None or isinstance(rows.conversion, RowTransform)  # as options give it
    rows.conversion = Completion(rows.conversion, comparison.listing, emptied)
