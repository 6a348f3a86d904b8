"""Lists of records, a page at a time."""

import base64
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta

from ...api.endpoint import Request
from .incoming import value_of
from .responses import ApiError, Result
from .store import Store, shown

COLUMNS = ("id", "created_at", "updated_at", "deleted")
Seq = Annotated[int, Meta(ge=0, le=2**63 - 1)]  # what SQLite can count to
# How the list is sorted, the value that the last record has there, and its number.
Position = tuple[str, str | Seq | None, Seq]


def cursor(*position: Any) -> str:
    """Write down where a page ended."""
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def position(text: str, kind: Any) -> Any:
    """Read a cursor; it has to be one of the same list."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(raw, type=kind)
    except (ValueError, msgspec.DecodeError):
        raise bad_cursor() from None


def bad_cursor() -> ApiError:
    """Refuse a cursor that this list never gave out."""
    return ApiError(400, "INVALID_PARAMETER", "cursor: is not one of this list", parameter="cursor")


def listed(
    store: Store,
    request: Request,
    kind: str,
    *,
    owner: str,
    ids: list[str] | None = None,
    sortable: tuple[str, ...] = ("name",),
    searched: tuple[str, ...] = (),
    also: Mapping[str, Any] | None = None,
) -> Result:
    """List records as the common parameters want it: count, cursor, sort_by, with_deleted, q, total count.

    `sortable` names the fields that sort_by takes beside the ones that every record has; `searched` those
    that hold the words of q, where q is not the beginning of the name; `also` holds further conditions in
    SQL, each with its value.
    """
    conditions, values = ["kind = ?", "owner = ?", *(also or {})], [kind, owner, *(also or {}).values()]
    if not value_of(request, "with_deleted"):
        conditions.append("NOT deleted")
    if ids is not None:
        conditions.append("id IN (SELECT value FROM json_each(?))")
        values.append(msgspec.json.encode(ids).decode())
    if query := value_of(request, "q"):
        if searched:
            conditions.append(f"mentions(?, {', '.join(map(_field, searched))})")
            values.append(query)
        else:
            conditions.append(f"substr(folded({_field('name')}), 1, length(?)) = ?")
            values += [query.casefold()] * 2
    where = " AND ".join(conditions)
    total = UNSET
    if value_of(request, "with_total_count"):
        (total,) = store.connection.execute(f"SELECT count(*) FROM records WHERE {where}", values).fetchone()
    rows, following = _page(store, request, where, values, sortable)
    return Result([shown(row) for row in rows], following, total)


def among(field: str, values: Collection[str] | None) -> dict[str, str]:
    """Make the condition that a field has one of some values; None stands for any."""
    if values is None:
        return {}
    return {f"{_field(field)} IN (SELECT value FROM json_each(?))": msgspec.json.encode(values).decode()}


def _field(name: str) -> str:
    return f"json_extract(data, '$.{name}')"


def _page(
    store: Store, request: Request, where: str, values: list[str], sortable: tuple[str, ...]
) -> tuple[list[Any], str | None]:
    sort = value_of(request, "sort_by") or ""
    key, direction = _sorting(sort, sortable)
    bounds: list[Any] = []
    if given := value_of(request, "cursor"):
        sorted_by, value, seq = position(given, Position)
        if sorted_by != sort:
            raise bad_cursor()
        where += f" AND ({key}, seq) {'<' if direction == 'DESC' else '>'} (?, ?)"
        bounds = [value, seq]
    count: int = value_of(request, "count")
    rows = store.connection.execute(
        "SELECT id, owner, deleted, created_at, updated_at, data, "
        f"{key}, seq FROM records WHERE {where} ORDER BY {key} {direction}, seq {direction} LIMIT ?",
        (*values, *bounds, count + 1),
    ).fetchall()
    following = cursor(sort, *rows[count - 1][-2:]) if len(rows) > count else None
    return [row[:-2] for row in rows[:count]], following


def _sorting(sort: str, sortable: tuple[str, ...]) -> tuple[str, str]:
    """Turn `created_at-desc` into a column and a direction; records without the field come first."""
    if not sort:
        return "seq", "ASC"
    name, _, direction = sort.partition("-")
    if name not in (*COLUMNS, *sortable) or not re.fullmatch("(asc|desc)?", direction):
        attributes = ", ".join((*COLUMNS, *sortable))
        message = (
            f"sort_by: {sort!r} is not an attribute, '-' and asc or desc; the attributes are {attributes}"
        )
        raise ApiError(400, "INVALID_PARAMETER", message, parameter="sort_by")
    column = name if name in COLUMNS else f"coalesce({_field(name)}, '')"
    return column, (direction or "asc").upper()
