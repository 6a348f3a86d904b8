"""What diff, sync and update do once their files are open: compare with the catalog, show, ask, send."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, takewhile
from typing import Any

from ...api.products import DeleteProducts, ListProducts
from ...console.invocation import Invocation
from ...console.progress import progress
from ...errors import NotConfirmedError
from ...feeds.rows import Rows
from ...numbers import DeletionLimit
from ...output.printer import Printer
from ...output.text import Lines, cell, counted, duration, first_of, safe
from ...products.sync.comparison import CatalogComparison, CompareOptions, comparing, fields_of_feed
from ...products.sync.differences import NAMED_IDS, Differences, FieldChange, ProductChange
from ...products.sync.plan import SyncPlan, sync_plan
from ...products.sync.row_comparison import NOT_IN_CATALOG, Completion
from ...uploads.jobs import count_writes
from ...uploads.journal import changed_meanwhile
from ...uploads.push import PushResult, Summary
from ...validation.report import ValidationReport, missing_columns
from ...validation.validator import Validator
from ..spending import SIGNS
from ..uploads.hooks import CORRECT_AND_SYNC, PushHooks, confirm_request
from ..uploads.reports import HIDDEN_ROWS
from . import sync_state_of
from .feed_checks import FeedHooks, catalog_target
from .options import SyncOptions

DIFF_COLUMNS = ("action", "id", "product_key", "fields")
CHANGED = "changed"  # names of the fields; by --columns only, since scripts rely on the default ones
COLORS = {"create": "32", "update": "33", "delete": "31"}  # SGR parameters
OLD, NEW = "31", "32"
SHOWN_FIELDS = ("title", "price", "availability")  # of a product that is created or deleted
CONTEXT = 20  # characters before the first difference of long texts


def show_differences(printer: Printer, differences: Iterable[ProductChange]) -> None:
    """Print every difference, one after the other."""
    records = (change.as_record for change in differences)
    if printer.query:
        printer.show(list(records), DIFF_COLUMNS, "id")
    elif printer.is_for_people:
        is_terminal = printer.stream.isatty()
        view = _DiffView(shutil.get_terminal_size().columns if is_terminal else 0, color=printer.color)
        for change in differences:
            printer.stream.writelines(f"{line}\n" for line in view.lines(change))
    else:
        if printer.has_columns:
            records = (record | {CHANGED: ", ".join(record["fields"])} for record in records)
        printer.show_records(records, DIFF_COLUMNS, "id", (CHANGED,))
    printer.stream.flush()  # what follows on stderr comes after it


def describe_counts(differences: Differences) -> str:
    """Say how many products differ, and how many do not."""
    counts = differences.counts
    parts = [f"{counts[action]:,} to {action}" for action in ("create", "update", "delete")]
    parts.append(f"{differences.unchanged:,} unchanged")
    if differences.unseen:
        parts.append(f"{differences.unseen:,} hidden ({HIDDEN_ROWS})")
    if differences.not_kept:
        parts.append(f"{differences.not_kept:,} reverted by the service")
    return ", ".join(parts)


class _DiffView:
    """Shows changes in lines of a width; 0 is without a limit."""

    def __init__(self, width: int, *, color: bool) -> None:
        self._width, self._color = width, color

    def lines(self, change: ProductChange) -> Iterator[str]:
        """Show a product, and below it each field that changes."""
        values = (change.fields.get(name) for name in SHOWN_FIELDS if change.action != "update")
        shown = [safe(change.id), *(_shown(value.new or value.old) for value in values if value)]
        line = self._cut(f"{SIGNS[change.action]} {'  '.join(shown)}")
        yield self._painted(line, COLORS[change.action])
        if change.action == "update":
            for name, field in change.fields.items():
                yield from self._field(name, field)

    def _field(self, name: str, field: FieldChange) -> Iterator[str]:
        """Show a field in one line where it fits, else its values one below the other."""
        old, new = _shown(field.old), _shown(field.new)
        line = f"    {name}: {old} → {new}"
        if not self._width or self._cells(line) <= self._width:
            yield f"    {name}: {self._painted(old, OLD)} → {self._painted(new, NEW)}"
            return
        yield f"    {name}:"
        same = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
        begin = max(0, sum(1 for _ in same) - CONTEXT)
        for mark, value, text, color in (("-", field.old, old, OLD), ("+", field.new, new, NEW)):
            if value is not None:
                part = f"…{text[begin:]}" if begin else text
                yield self._painted(self._cut(f"      {mark} {part}"), color)

    def _cut(self, line: str) -> str:
        if not self._width or self._cells(line) <= self._width:
            return line
        from rich.cells import set_cell_size

        return f"{set_cell_size(line, self._width - 1).rstrip()}…"

    @staticmethod
    def _cells(line: str) -> int:
        from rich.cells import cell_len

        return cell_len(line)

    def _painted(self, text: str, color: str) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if self._color else text


def _shown(value: Any) -> str:
    return "nothing" if value is None else safe(cell(value))


@contextmanager
def comparing_with_catalog(call: Invocation, options: CompareOptions) -> Iterator[CatalogComparison]:
    """Yield what lists the catalog and compares it with a feed."""
    with comparing(call.client, call.catalog, sync_state_of(call), options) as comparison:
        yield comparison


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
    differences = comparison.differences
    if spared := differences.spared:
        call.messages.warn(
            f"{counted(len(spared), 'product')} not deleted, as rows have the ids in another form, "
            f"or the keys: {first_of(spared, NAMED_IDS, repr)}"
        )
    return differences


def _say_estimate(call: Invocation, requests: int) -> None:
    """Say how long the groups take at the limits of the service, if one window does not hold them."""
    rate = ListProducts.endpoint.rates[call.settings.service]
    if rate and (seconds := rate.seconds_for(requests)):
        call.messages.say(
            f"listing {counted(requests, 'group')} of variants: "
            f"about {duration(seconds)} at this service's limits"
        )


def show_dry_run(call: Invocation, differences: Differences, shown: Iterable[ProductChange]) -> None:
    """Print differences that a run would send, or the first of them, and say how many there are."""
    show_differences(call.printer, shown)
    call.messages.say(f"dry run: {describe_counts(differences)}")
    if shortfall := differences.shortfall:
        call.messages.warn(shortfall)


def plan_to_compare(call: Invocation, comparison: CatalogComparison, rows: Rows, **options: Any) -> SyncPlan:
    """Return the plan of a sync, whose rows are kept for the comparison while they are validated."""
    plan = sync_plan(rows, call.catalog, sync_state_of(call), comparison.differences, **options)
    comparison.watch(plan.validator)
    return plan


def resumable_writes(call: Invocation) -> int:
    """Count what the jobs that change the catalog have written, which is more where they were resumed.

    They are resumed in the write epoch that they began, which does not tell.
    """
    return 0 if call.dry_run else count_writes(call.settings.state_dir, catalog_target(call))


NAMED_DELETIONS = 5  # of a catalog of which nothing is remembered


class SyncHooks(FeedHooks, kw_only=True):
    """The hooks of a sync."""

    plan: SyncPlan
    comparison: CatalogComparison
    options: SyncOptions
    max_delete: DeletionLimit
    resumable_writes: int  # before the catalog was listed
    correction: str = CORRECT_AND_SYNC
    shown_late: str = ""  # says that the deletions have shown further products without a row

    def validated(self) -> None:
        """Compare the feed with the catalog."""
        super().validated()
        self.page.take_differences(find_differences(self.call, self.comparison, self.plan.validator))

    def compared(self) -> Iterable[object]:
        """Yield the differences."""
        return (change.as_record for change in self.plan.differences)

    def show_dry_run(self, summary: Summary) -> None:
        """Print the differences."""
        differences = self.plan.differences
        show_dry_run(self.call, differences, islice(differences, self.options.sample))
        if excess := self._excess():
            self.call.messages.warn(excess)

    def confirm(self) -> None:
        """Ask before products are deleted. Raise if they are too many, or the catalog has changed."""
        if deletions := self.plan.differences.counts["delete"]:
            self._confirm_deletions(deletions)
        if resumable_writes(self.call) != self.resumable_writes:  # another job has changed the catalog since
            raise changed_meanwhile(catalog_target(self.call), self.plan.rows.source.label)

    def ended(self, summary: Summary, result: PushResult | None) -> None:
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
        return Lines(filter(None, reasons))

    def _confirm_deletions(self, deletions: int) -> None:
        """Name, limit and ask."""
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
        sentence = f"{deletions:,} of {counted(differences.listed, 'product')} are not in the feed"
        return self.max_delete.excess(deletions, differences.listed, sentence)

    def _name_deletions(self) -> None:
        """Name products that are deleted from a catalog that may be somebody else's too."""
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


class UpdateHooks(PushHooks, kw_only=True):
    """The hooks of an update."""

    plan: SyncPlan
    comparison: CatalogComparison

    def skips(self, report: ValidationReport) -> bool:
        """Tell whether rows are invalid only since the catalog does not have their products."""
        missing = (finding.rows for finding in report.findings if finding.rule == NOT_IN_CATALOG)
        return sum(missing) == report.invalid

    def validated(self) -> None:
        """Compare the completed rows with the catalog."""
        with progress(self.call.messages, "Comparing", self.plan.report.rows) as on_progress:
            self.comparison.compare(self.plan.validator, on_progress)

    def show_dry_run(self, summary: Summary) -> None:
        """Print the differences."""
        show_dry_run(self.call, self.plan.differences, self.plan.differences)


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
    return Completion(rows.transform, comparison.listing, emptied)
