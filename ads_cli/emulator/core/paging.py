"""Lists of records, one page at a time."""

import base64
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta

from ...api.endpoint import Request
from ...api.fields import marked_fields
from ...api.records import ADDED
from ..storage import RECORD_COLUMNS, Store, record_from_row
from .request import value_or_default
from .responses import ApiError, Result, invalid_parameter

UNPAGED = 1_000_000  # records of a list that has no pages
Seq = Annotated[int, Meta(ge=0, le=2**63 - 1)]  # an SQLite integer
# sort_by, its value in the last record of the page, and the sequence number of that record.
Position = tuple[str, str | int | float | None, Seq]
FIRST = -(2**63) + 1  # sorts before every other number, and before every text


def encode_cursor(list_name: str, position: Any) -> str:
    """Encode the position where a page of a list ended."""
    return base64.urlsafe_b64encode(msgspec.json.encode((list_name, position))).decode().rstrip("=")


def decode_cursor(text: str, list_name: str, position_type: Any) -> Any:
    """Return the position of a cursor; raise ApiError if it is not one of the list."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        sorting, position = msgspec.json.decode(raw, type=tuple[str, position_type])
    except (ValueError, msgspec.DecodeError):
        raise invalid_cursor() from None
    if sorting != list_name:
        raise invalid_cursor()
    return position


def page_of(items: list[Any], list_name: str, cursor: str | None, count: int) -> Result:
    """Return one page of items that are all at hand; its cursor is where the next one begins."""
    start = decode_cursor(cursor, list_name, Seq) if cursor else 0
    end = start + count
    next_cursor = encode_cursor(list_name, end) if end < len(items) else None
    return Result(items[start:end], next_cursor=next_cursor)


def invalid_cursor() -> ApiError:
    """Return the error for a cursor of another list, or of none."""
    return invalid_parameter("cursor", "is not a cursor of this list")


def list_page(
    store: Store,
    request: Request,
    kind: str,
    *,
    owner: str | None,
    ids: list[str] | None = None,
    sortable: tuple[str, ...] = ("name",),
    search_fields: tuple[str, ...] = (),
    where: Mapping[str, Any] | None = None,
) -> Result:
    """Return one page of records, by the parameters that all lists share.

    These are count, cursor, sort_by, with_deleted, with_total_count and q. `sortable` names the fields
    that sort_by accepts besides ADDED and those of the declaration. `q` searches the words of
    `search_fields`, or without those the beginning of the name. `where` maps further SQL conditions, of
    one placeholder each, to its value. Without an `owner` the records of all of them are listed.
    """
    matching = {"kind = ?": kind} | ({} if owner is None else {"owner = ?": owner}) | dict(where or {})
    conditions, values = [*matching], [*matching.values()]
    if not value_or_default(request, "with_deleted"):
        conditions.append("NOT deleted")
    if ids is not None:
        conditions.append("id IN (SELECT value FROM json_each(?))")
        values.append(msgspec.json.encode(ids).decode())
    if query := value_or_default(request, "q"):
        if search_fields:
            conditions.append(f"contains_words(?, {', '.join(map(json_field, search_fields))})")
            values.append(query)
        else:
            conditions.append(f"substr(casefold({json_field('name')}), 1, length(?)) = ?")
            values += [query.casefold()] * 2
    condition = " AND ".join(conditions)
    total = UNSET
    if value_or_default(request, "with_total_count"):
        total = store.value(f"SELECT count(*) FROM records WHERE {condition}", *values)
    rows, next_cursor = _select_page(store, request, f"{kind} {owner}", condition, values, sortable)
    return Result([record_from_row(row) for row in rows], next_cursor, total)


def field_in(field: str, values: Collection[str] | None) -> dict[str, str]:
    """Return the condition that a field has one of some values; None allows any value."""
    if values is None:
        return {}
    return {f"{json_field(field)} IN (SELECT value FROM json_each(?))": msgspec.json.encode(values).decode()}


def field_is(field: str, value: str | None) -> dict[str, str]:
    """Return the condition that a field has a value; None allows any value."""
    return {} if value is None else {f"{json_field(field)} = ?": value}


def of_live(kind: str, account: str) -> dict[str, str]:
    """Return the condition that the record of another kind which a field names is not deleted."""
    deleted = f"SELECT id FROM records WHERE kind = '{kind}' AND owner = ? AND deleted"
    return {f"{json_field(f'{kind}_id')} NOT IN ({deleted})": account}


def json_field(name: str) -> str:
    """Return a field of a record as an expression of SQL; a dot leads to a field inside."""
    return f"json_extract(data, '$.{name}')"


def _select_page(
    store: Store,
    request: Request,
    list_name: str,
    condition: str,
    values: list[str],
    sortable: tuple[str, ...],
) -> tuple[list[Any], str | None]:
    """Return the rows of a page, and the cursor of the next one."""
    sort_by = value_or_default(request, "sort_by") or ""
    attributes = marked_fields(type(request), "sortable").get("sort_by", ())
    key, direction = _parse_sort_by(sort_by, tuple(dict.fromkeys((*attributes, *sortable))))
    after: list[Any] = []
    if cursor := value_or_default(request, "cursor"):
        cursor_sort_by, value, seq = decode_cursor(cursor, list_name, Position)
        if cursor_sort_by != sort_by:
            raise invalid_cursor()
        condition += f" AND ({key}, seq) {'<' if direction == 'DESC' else '>'} (?, ?)"
        after = [value, seq]
    count: int = value_or_default(request, "count") or UNPAGED
    rows = store.connection.execute(
        f"SELECT {RECORD_COLUMNS}, {key}, seq FROM records WHERE {condition} "
        f"ORDER BY {key} {direction}, seq {direction} LIMIT ?",
        (*values, *after, count + 1),
    ).fetchall()
    next_cursor = encode_cursor(list_name, (sort_by, *rows[count - 1][-2:])) if len(rows) > count else None
    return [row[:-2] for row in rows[:count]], next_cursor


def _parse_sort_by(sort_by: str, sortable: tuple[str, ...]) -> tuple[str, str]:
    """Parse `created_at-desc` into an SQL expression and a direction; null sorts first."""
    if not sort_by:
        return "seq", "ASC"
    name, _, direction = sort_by.partition("-")
    if name not in (*ADDED, *sortable) or not re.fullmatch("(asc|desc)?", direction):
        attributes = ", ".join((*ADDED, *sortable))
        reason = f"{sort_by!r} is not ATTRIBUTE-asc or ATTRIBUTE-desc; the attributes are {attributes}"
        raise invalid_parameter("sort_by", reason)
    expression = name if name in ADDED else f"coalesce({json_field(name)}, {FIRST})"
    return expression, (direction or "asc").upper()
