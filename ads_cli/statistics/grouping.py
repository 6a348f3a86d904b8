"""Rows added up: by some of their columns, or all to one total; amounts of one currency only."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ..errors import UsageError
from ..suggestions import suggestion
from .rows import CURRENCY, SEGMENT_KEYS, Row, Table

TOTAL = "TOTAL"  # what the entity of the last row is called


def parse_group_by(text: str | None) -> tuple[str, ...]:
    """Return the columns to group by; raise UsageError."""
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    for name in names:
        if name not in SEGMENT_KEYS:
            raise UsageError(
                f"--group-by: {name!r} is not a column to group by{suggestion(name, SEGMENT_KEYS)}",
                hint=f"columns: {', '.join(SEGMENT_KEYS)}",
            )
    return tuple(name for name in SEGMENT_KEYS if name in names)


def grouped(table: Table, by: Collection[str]) -> Table:
    """Return one row for each combination of values, in the order in which they first occur.

    A table that has currencies is grouped by them too.
    """
    return table._replace(rows=_sums(table, {*by, CURRENCY}))


def _sums(table: Table, by: Collection[str]) -> Iterator[Row]:
    kept, sums = [name in by for name in table.keys], dict[Row, list[Any]]()
    for row in table.rows:
        key = tuple(value if is_kept else None for value, is_kept in zip(row, kept, strict=False))
        _add(sums.setdefault(key, [None] * len(table.metrics)), row[len(kept) :])
    for key, numbers in sums.items():
        yield *key, *numbers


def with_totals(table: Table) -> Table:
    """Return the rows, and then the total of each currency."""
    return table._replace(rows=_then_totals(table))


def _then_totals(table: Table) -> Iterator[Row]:
    width, currencies = len(table.keys), CURRENCY in table.keys
    totals = dict[Any, list[Any]]()
    for row in table.rows:
        currency = row[width - 1] if currencies else None
        _add(totals.setdefault(currency, [None] * len(table.metrics)), row[width:])
        yield row
    for currency, numbers in (totals or {None: [None] * len(table.metrics)}).items():
        yield TOTAL, *[None] * (width - 2), currency, *numbers


def _add(sums: list[Any], numbers: Sequence[Any]) -> None:
    """Add numbers to sums; what is empty in both stays so."""
    for position, number in enumerate(numbers):
        if number is not None:
            known = sums[position]
            sums[position] = number if known is None else known + number
