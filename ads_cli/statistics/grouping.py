"""Rows added up: by some of their columns, or all to one total."""

from collections.abc import Iterable, Iterator, Sequence

from ..errors import UsageError
from ..suggestions import suggestion
from .rows import BASE, Row, add_to

TOTAL = "TOTAL"  # what the entity of the last row is called


def parse_group_by(text: str | None) -> tuple[str, ...]:
    """Return the columns to group by; raise UsageError."""
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    for name in names:
        if name not in BASE:
            raise UsageError(
                f"--group-by: {name!r} is not a column to group by{suggestion(name, BASE)}",
                hint=f"columns: {', '.join(BASE)}",
            )
    return tuple(name for name in BASE if name in names)


def grouped(rows: Iterable[Row], by: Sequence[str]) -> Iterator[Row]:
    """Yield one row for each combination of values, in the order in which they first occur."""
    totals: dict[tuple[object, ...], Row] = {}
    for row in rows:
        key = tuple(row[name] for name in by)
        total = totals.setdefault(key, {name: row[name] if name in by else None for name in row})
        add_to(total, {name: value for name, value in row.items() if name not in BASE})
    yield from totals.values()


def with_total(rows: Iterable[Row], columns: Iterable[str]) -> Iterator[Row]:
    """Yield the rows, and then the total of these columns of metrics."""
    total: Row = {**dict.fromkeys((*BASE, *columns)), "entity": TOTAL}
    for row in rows:
        add_to(total, {name: value for name, value in row.items() if name not in BASE})
        yield row
    yield total
