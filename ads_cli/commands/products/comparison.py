"""What diff, sync and update do once their files are open: compare with the catalog, show, ask, send."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import NamedTuple

import msgspec

from ...api.products import DeleteProducts, ListProducts
from ...console.invocation import Invocation
from ...console.progress import progress
from ...console.spending import confirm_requests
from ...feeds.rows import Rows
from ...numbers import DeletionLimit, Deletions
from ...output.diff_view import DiffView, shown_value
from ...output.printer import Printer
from ...output.text import Lines, cell, counted, duration, first_of, safe
from ...products.sync.comparison import CatalogComparison, CompareOptions, comparing, fields_of_feed
from ...products.sync.differences import NAMED_IDS, Differences, ProductChange
from ...products.sync.plan import SyncPlan
from ...products.sync.row_comparison import NOT_IN_CATALOG, Completion
from ...runs.jobs import count_writes, last_write
from ...runs.journal import changed_meanwhile
from ...runs.lost import LISTED_AFTER_SECONDS
from ...validation.report import ValidationReport, missing_columns
from ...validation.validator import Validator
from ..runs.reports import HIDDEN_ROWS
from . import sync_state_of
from .feed_checks import NAMED_PRODUCTS, catalog_target, listed_products

DIFF_COLUMNS = ("action", "id", "product_key", "fields")
CHANGED = "changed"  # names of the fields; by --columns only, since scripts rely on the default ones
SHOWN_FIELDS = ("title", "price", "availability")  # of a product that is created or deleted


def show_differences(printer: Printer, differences: Iterable[ProductChange]) -> None:
    """Print every difference, one after the other."""
    records = (change.as_record for change in differences)
    if printer.query:
        printer.show(list(records), DIFF_COLUMNS, "id")
    elif printer.is_for_people:
        view = DiffView.on(printer.stream, color=printer.color)
        for change in differences:
            printer.stream.writelines(f"{line}\n" for line in _lines(view, change))
    else:
        if printer.has_columns:
            shown = ({**record, CHANGED: ", ".join(record["fields"])} for record in records)
        else:
            shown = ({**record} for record in records)
        printer.show_records(shown, DIFF_COLUMNS, "id", (CHANGED,))
    printer.stream.flush()  # what follows on stderr comes after it


def _lines(view: DiffView, change: ProductChange) -> Iterator[str]:
    """Show a product, and below it each field that changes."""
    values = (change.fields.get(name) for name in SHOWN_FIELDS if change.action != "update")
    shown = [safe(change.id), *(shown_value(value.new or value.old) for value in values if value)]
    yield view.record(change.action, "  ".join(shown))
    if change.action == "update":
        for name, field in change.fields.items():
            yield from view.field(name, field.old, field.new)


def describe_counts(differences: Differences, *, may_prune: bool = True) -> str:
    """Say how many products differ, how many do not, and how many --prune would delete."""
    counts = differences.counts
    parts = [f"{counts[action]:,} to {action}" for action in ("create", "update", "delete")]
    parts.append(f"{differences.unchanged:,} unchanged")
    if may_prune and differences.unnamed:
        parts.append(f"{differences.unnamed:,} not in the feed, which --prune deletes")
    if differences.unseen:
        parts.append(f"{differences.unseen:,} hidden ({HIDDEN_ROWS})")
    if differences.not_kept:
        parts.append(f"{differences.not_kept:,} reverted by the service")
    return ", ".join(parts)


def comparing_with_catalog(
    call: Invocation, options: CompareOptions
) -> AbstractContextManager[CatalogComparison]:
    """Return the context of what lists the catalog and compares it with a feed."""
    age = call.client.clock.time() - last_write(call.settings.state_dir, catalog_target(call))
    # A time of the future, by a clock that was wrong, is not believed.
    options = msgspec.structs.replace(options, may_lag=abs(age) < LISTED_AFTER_SECONDS)
    return comparing(call.client, call.catalog, sync_state_of(call), options)


def find_differences(call: Invocation, comparison: CatalogComparison, validator: Validator) -> Differences:
    """Compare a validated feed with its catalog, and say what cannot be compared."""
    with progress(call.messages, "Listing the catalog", None) as on_progress:
        comparison.list_catalog(on_progress)
    with progress(call.messages, "Comparing", validator.report.rows) as on_progress:
        comparison.compare(validator, on_progress)
    groups = comparison.groups()
    _say_estimate(call, len(groups))
    with progress(call.messages, "Listing groups of variants", len(groups), noun="groups") as on_progress:
        comparison.list_groups(groups, on_progress)
        comparison.list_left(groups, on_progress)
    comparison.decide()
    why = "rows have the ids in another form, or the keys"
    warn_not_deleted(call, comparison.differences.spared, why)
    return comparison.differences


def warn_not_deleted(call: Invocation, ids: Sequence[str], why: str) -> None:
    """Name products that --prune spares."""
    if ids:
        products, named = counted(len(ids), "product"), first_of(ids, NAMED_IDS, repr)
        call.messages.warn(f"{products} not deleted, as {why}: {named}")


def _say_estimate(call: Invocation, requests: int) -> None:
    """Say how long the groups take at the limits of the service, if one window does not hold them."""
    rate = ListProducts.endpoint.rates[call.settings.service]
    if rate and (seconds := rate.seconds_for(requests)):
        call.messages.say(
            f"listing {counted(requests, 'group')} of variants: "
            f"about {duration(seconds)} at this service's limits"
        )


def show_dry_run(
    call: Invocation, differences: Differences, shown: Iterable[ProductChange], *, may_prune: bool = True
) -> None:
    """Print differences that a run would send, or the first of them, and say how many there are."""
    show_differences(call.printer, shown)
    call.messages.say(f"dry run: {describe_counts(differences, may_prune=may_prune)}")
    if shortfall := differences.shortfall:
        call.messages.warn(shortfall)


def resumable_writes(call: Invocation) -> int:
    """Count what the jobs that change the catalog have written, which is more where they were resumed.

    They are resumed in the write epoch that they began, which does not tell.
    """
    return 0 if call.dry_run else count_writes(call.settings.state_dir, catalog_target(call))


class SyncRun(NamedTuple):
    """What a sync says and asks about deletions."""

    call: Invocation
    plan: SyncPlan
    comparison: CatalogComparison
    max_delete: DeletionLimit
    resumable_writes: int  # before the catalog was listed

    def show_dry_run(self, sample: int | None) -> None:
        """Print the differences, or the first of them."""
        differences = self.plan.differences
        show_dry_run(self.call, differences, islice(differences, sample))
        if excess := self._deletions.excess:
            self.call.messages.warn(excess)

    def confirm(self) -> None:
        """Ask before products are deleted. Raise if they are too many, or the catalog has changed."""
        if deletions := self.plan.differences.counts["delete"]:
            self._confirm_deletions(deletions)
        if resumable_writes(self.call) != self.resumable_writes:  # another job has changed the catalog since
            raise changed_meanwhile(catalog_target(self.call), self.plan.file.rows.source.label)

    def shortfall(self, *, is_complete: bool) -> str:
        """Say in what the catalog is not equal to the feed, though everything was sent."""
        reasons = [self.plan.differences.shortfall]
        if is_complete and (late := self.comparison.count_shown_late()):
            verb = "is" if late == 1 else "are"
            reasons.append(
                f"{counted(late, 'product')} {verb} listed now that a deleted variant had hidden, "
                "and not in the feed; run it again to delete more"
            )
        if pending := self.plan.not_listed_yet:
            self.call.messages.note(
                f"{counted(pending, 'product')} not listed yet as this job has sent them: a listing may "
                f"lag for {LISTED_AFTER_SECONDS:.0f} s; the next sync compares them again"
            )
        if changed := self.plan.changed_since:
            products = counted(changed, "product")
            reasons.append(f"{products} changed since this job had sent it; the next sync sends it once more")
        return Lines(filter(None, reasons))

    def _confirm_deletions(self, deletions: int) -> None:
        """Limit and ask. Of a catalog that may be somebody else's too, name the products in any case."""
        named = self._named_deletions(deletions)
        if not self.plan.differences.is_remembered:
            why = "no sync of this catalog from this machine is known, so that others may fill it too"
            self.call.messages.warn(f"{why}; --prune deletes {named}")
            named = ""
        self._deletions.require_few("nothing was sent; 'products diff --prune' shows what would be deleted")
        request = DeleteProducts(product_catalog_id=self.call.catalog, product_keys=[])
        confirm_requests(self.call, [request], counted(deletions, "product"), records=named)

    @property
    def _deletions(self) -> Deletions:
        count, listed = self.plan.differences.counts["delete"], self.plan.differences.listed
        sentence = f"{count:,} of {counted(listed, 'product')} are not in the feed"
        return Deletions(count, listed, sentence, self.max_delete)

    def _named_deletions(self, deletions: int) -> str:
        first = islice(self.plan.differences.read(deletions=True), NAMED_PRODUCTS)
        titles = {
            change.id: cell(title.old) if (title := change.fields.get("title")) else "" for change in first
        }
        return listed_products(titles, deletions)


def lacks_only_products(report: ValidationReport) -> bool:
    """Tell whether rows are invalid only since the catalog does not have their products."""
    missing = (finding.rows for finding in report.findings if finding.rule == NOT_IN_CATALOG)
    return sum(missing) == report.invalid


def require_ids(rows: Rows) -> None:
    """Raise ContentError where a table has no column of ids, before the catalog is listed."""
    next(iter(rows), None)  # the columns of a table are known from the first row on
    missing_columns(rows, ("id",), rows.known)


def list_products_of(call: Invocation, comparison: CatalogComparison, rows: Rows) -> None:
    """List the products of some rows, hidden variants too."""
    with progress(call.messages, "Listing the catalog", None) as on_progress:
        comparison.list_catalog(on_progress)
    ids = (str(row.values["id"]) for row in rows if "id" in row.values and not row.left_out)
    with progress(call.messages, "Listing groups of variants", None) as on_progress:
        comparison.list_variants(ids, on_progress)


def completion_of(comparison: CatalogComparison, rows: Rows) -> Completion:
    """Return the transform of rows that also completes each by its listed product."""
    emptied = fields_of_feed(rows) if rows.has_header else frozenset[str]()
    return Completion(rows.transform, comparison.products.path, emptied)
