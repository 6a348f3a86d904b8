"""The columns of a file: required ones, and those that nobody knows."""

from collections.abc import Collection

from ..errors import ContentError
from ..feeds.rows import Rows
from ..output.text import counted, listed
from ..suggestions import closest

FIRST_COLUMNS = 5  # unknown columns that a warning names
MAX_COMPARED = 200  # unknown columns that may be misspelled; comparing takes longer than reading them
COLUMN_SIMILARITY = 0.6  # of a column that is suggested for a missing field
FILL_HINT = "name it with --map COLUMN={0}, or fill the field with --set {0}=…"


def missing_columns(rows: Rows, required: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Return the required fields that a table has no column for, each with what to do.

    Raises ContentError where it has a column for none of them: then it is not such a feed.
    """
    if not rows.has_header:
        return {}
    present = {*rows.fields, *rows.composed}
    filled = present.union(rows.conversion.fields if rows.conversion else ())
    missing = [name for name in required if name not in filled]
    unknown = [name for name in rows.columns if name not in known][:MAX_COMPARED]
    if missing and present.isdisjoint(required):
        hints = (meant for name in missing if (meant := _map_hint(name, unknown)))
        raise ContentError(
            f"{rows.source.label}: no column {', '.join(map(repr, missing))}",
            hint="; ".join(hints) or f"the file's columns are: {listed(rows.columns)}",
        )
    return {
        name: f"the file has no such column; {_map_hint(name, unknown) or FILL_HINT.format(name)}"
        for name in missing
    }


def unknown_columns(rows: Rows, known: Collection[str]) -> list[str]:
    """Return a warning about columns that are not sent; those with a suggestion come first."""
    described: list[str] = []
    used = rows.conversion.columns if rows.conversion else ()
    for column, name in zip(rows.columns, rows.fields, strict=True):
        if name not in known and column not in used:
            is_compared = len(described) < MAX_COMPARED
            meant = closest(name.removeprefix("g:"), known) if is_compared else None
            described.append(f"{column!r} (did you mean {meant!r}?)" if meant else repr(column))
    if not described:
        return []
    first = sorted(described, key=lambda text: not text.endswith("?)"))[:FIRST_COLUMNS]
    more = f", and {len(described) - len(first)} more" if len(described) > len(first) else ""
    verb = "is" if len(described) == 1 else "are"
    return [f"{counted(len(described), 'column')} {verb} not known and not sent: {', '.join(first)}{more}"]


def _map_hint(name: str, unknown: list[str]) -> str:
    """Suggest the column that may be meant, and the option that maps it."""
    meant = closest(name, unknown, COLUMN_SIMILARITY)
    return f"is {meant!r} meant? --map '{meant}={name}'" if meant else ""
