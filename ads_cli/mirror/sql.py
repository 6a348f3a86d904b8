"""The statements that SQLite, DuckDB and PostgreSQL have in common; `place` is how one marks a value."""

from collections.abc import Collection, Iterable

from .destination import Days, Value
from .tables import SYNCED, Table


def listed(names: Iterable[str]) -> str:
    """Quote names, and join them."""
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


def selection(
    table: Table, there: Collection[str], owner: str | None, days: Days | None, place: str = "?"
) -> tuple[str, list[Value]]:
    """Return the query of the rows of an owner or of days, and its values; a column that lacks is null."""
    columns = ", ".join(listed([name]) if name in there else "NULL" for name in table.names)
    conditions = dict[str, Value]()
    if owner is not None:
        conditions[f'"{table.owner}" = {place}'] = owner
    if days is not None:
        conditions |= {f'"date" >= {place}': days.first, f'"date" < {place}': days.end}
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f'SELECT {columns} FROM "{table.name}"{where}', [*conditions.values()]


def day_counting(table: Table, place: str = "?") -> str:
    """Return the query that counts the rows of an owner by day."""
    return f'SELECT "date", count(*) FROM "{table.name}" WHERE "{table.owner}" = {place} GROUP BY 1'


def marking(table: Table, place: str = "?") -> str:
    """Return the statement that marks as deleted what was last written before a moment, of an owner."""
    condition = f'"{table.owner}" = {place} AND "{SYNCED}" < {place} AND "deleted" IS NOT TRUE'
    return f'UPDATE "{table.name}" SET "deleted" = TRUE WHERE {condition}'


def replacing(table: Table, stage: str) -> tuple[str, str]:
    """Return the statements that put the rows of a staging table in place of those of their keys."""
    columns = listed(table.names)
    same = " AND ".join(f'old."{key}" = new."{key}"' for key in table.key)
    deleting = f'DELETE FROM "{table.name}" AS old USING {stage} AS new WHERE {same}'
    return deleting, f'INSERT INTO "{table.name}" ({columns}) SELECT {columns} FROM {stage}'
