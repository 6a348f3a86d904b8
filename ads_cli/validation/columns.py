"""The columns of a file: required ones, and those that nobody knows."""

from collections.abc import Collection

from ..errors import ContentError
from ..feeds.rows import Rows, map_hint
from ..output.text import counted, listed
from ..suggestions import closest

FIRST_COLUMNS = 5  # unknown columns that a warning names
MAX_COMPARED = 200  # unknown columns that may be misspelled; comparing takes longer than reading them


def require_columns(rows: Rows, required: Collection[str], known: Collection[str]) -> None:
    """Raise ContentError where a table lacks a required column."""
    if not rows.has_header:
        return
    missing = [name for name in required if name not in rows.fields]
    if missing:
        unknown = [name for name in rows.columns if name not in known][:MAX_COMPARED]
        hints = (meant for name in missing if (meant := map_hint(name, unknown)))
        raise ContentError(
            f"{rows.source.label}: no column {', '.join(map(repr, missing))}",
            hint="; ".join(hints) or f"the file's columns are: {listed(rows.columns)}",
        )


def unknown_columns(rows: Rows, known: Collection[str]) -> list[str]:
    """Return a warning about columns that are not sent; those with a suggestion come first."""
    described: list[str] = []
    for column, name in zip(rows.columns, rows.fields, strict=True):
        if name not in known:
            is_compared = len(described) < MAX_COMPARED
            meant = closest(name.removeprefix("g:"), known) if is_compared else None
            described.append(f"{column!r} (did you mean {meant!r}?)" if meant else repr(column))
    if not described:
        return []
    first = sorted(described, key=lambda text: not text.endswith("?)"))[:FIRST_COLUMNS]
    more = f", and {len(described) - len(first)} more" if len(described) > len(first) else ""
    verb = "is" if len(described) == 1 else "are"
    return [f"{counted(len(described), 'column')} {verb} not known and not sent: {', '.join(first)}{more}"]
