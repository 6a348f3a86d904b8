"""What a page says of the differences between a feed and a catalog."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from ...output.text import counted
from ...products.noted_rows import MAX_ROWS, address, excerpts, shortened
from ...products.sync.change import Action, Change
from ...products.sync.differences import Differences
from ...report.page import Badge, Cell, Column, Edit, Level, Link, Section, Table, Tally, web_address
from ..run import DifferencesPart
from .feed import PICTURE, picture

MAX_FIELDS = 10  # of a product
OF_A_WHOLE_PRODUCT = ("price", "sale_price", "availability", "brand")  # the other fields are too many
LEVELS: dict[Action, Level] = {
    "create": "good",
    "update": "warning",
    "delete": "error",
}  # in the order of headlines


def part_of(differences: Differences) -> DifferencesPart:
    """Return what a page says of differences."""
    counts = differences.counts
    writes, deletions = counts["create"] + counts["update"], counts["delete"]
    tables = [
        *([_table("Products to create or update", differences.writes(), writes)] if writes else []),
        *([_table("Products to delete", differences.deletions(), deletions)] if deletions else []),
    ]
    sections = [Section("Differences", tables)] if tables else []
    return DifferencesPart(_headline(differences), _tallies(differences), sections)


def _headline(differences: Differences) -> str:
    """Say what differs."""
    counts, total = differences.counts, differences.counts.total()
    if not total:
        return "The catalog is what the feed says"
    parts = [f"{counts[action]:,} to {action}" for action in LEVELS if counts[action]]
    return f"{counted(total, 'product')} {'differs' if total == 1 else 'differ'}: {', '.join(parts)}"


def _tallies(differences: Differences) -> list[Tally]:
    """Return the counts of a comparison."""
    counts = differences.counts
    found = [Tally(f"to {action}", counts[action], LEVELS[action]) for action in LEVELS if counts[action]]
    others = {"unseen": differences.unseen, "not kept": differences.not_kept}
    return [
        *found,
        Tally("the same", differences.unchanged),
        *(Tally(name, count) for name, count in others.items() if count),
    ]


def _table(title: str, changes: Iterator[Change], total: int) -> Table:
    columns = [PICTURE, *map(Column, ("Action", "Id", "Title", "What differs"))]
    rows = [_row(change) for change in islice(changes, MAX_ROWS)]
    return Table(title, columns, rows, "product", total, "products diff prints all of them.")


def _row(change: Change) -> list[Cell]:
    values = _values(change)
    fields = change.fields
    if change.action != "update":
        fields = {name: fields[name] for name in OF_A_WHOLE_PRODUCT if name in fields}
    edits = [Edit(name, *excerpts(each.old, each.new)) for name, each in islice(fields.items(), MAX_FIELDS)]
    more = [f"and {len(fields) - MAX_FIELDS:,} more"] if len(fields) > MAX_FIELDS else []
    return [
        picture(address(values.get("image_link"))),
        Badge(change.action, LEVELS[change.action]),
        Link(shortened(change.id), web_address(values.get("link"))),
        shortened(values.get("title")),
        (*edits, *more),
    ]


def _values(change: Change) -> dict[str, Any]:
    """Return what is known of a product: as it will be, or as it was where it is deleted."""
    values = {name: each.old if each.new is None else each.new for name, each in change.fields.items()}
    return values | (msgspec.json.decode(change.body) if change.body else {})
