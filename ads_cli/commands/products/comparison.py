"""The differences between a feed and a catalog: as a diff for people, as records for programs."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from ...api.products import ListProducts
from ...console.invocation import Invocation
from ...console.progress import progress
from ...output.printer import Printer
from ...output.text import cell, counted, duration, first_of, safe
from ...products.sync.comparison import CatalogComparison, CompareOptions, comparing
from ...products.sync.differences import NAMED_IDS, Differences, FieldChange, ProductChange
from ...validation.validator import Validator
from ..uploads.reports import HIDDEN_ROWS
from . import sync_state_of

DIFF_COLUMNS = ("action", "id", "product_key", "fields")
CHANGED = "changed"  # names of the fields; by --columns only, since scripts rely on the default ones
MARKS = {"create": "+", "update": "~", "delete": "-"}
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
        shown = [safe(change.id), *(_shown(each.new or each.old) for each in values if each)]
        line = self._cut(f"{MARKS[change.action]} {'  '.join(shown)}")
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
    """Start to list the catalog, which goes on while the feed is validated."""
    if call.settings.is_local:
        call.emulator.prepared()  # by one thread
    with comparing(call.client, call.catalog, sync_state_of(call), options) as comparison:
        yield comparison


def find_differences(call: Invocation, comparison: CatalogComparison, validator: Validator) -> Differences:
    """Compare a validated feed with its catalog, and say what cannot be compared."""
    with progress(call.messages, "Listing the catalog", None) as on_progress:
        comparison.wait(on_progress)
    with progress(call.messages, "Comparing", validator.report.rows) as on_progress:
        comparison.compare(validator, on_progress)
    groups = comparison.groups()
    _say_estimate(call, len(groups))
    with progress(call.messages, "Listing groups of variants", len(groups), noun="group") as on_progress:
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
