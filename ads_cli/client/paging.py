"""Follow the pages of a list: the one place that decides where a list ends."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ..errors import UnavailableError
from .response import Response

MAX_PAGES_WITHOUT_NEW = 10_000  # in succession

_records_of = msgspec.json.Decoder(list[msgspec.Raw]).decode


def follow(fetch: Callable[[str | None], Response]) -> Iterator[Response]:
    """Fetch a page and those after it; raise UnavailableError for a list that would not end.

    A cursor repeats, or none of many pages in succession has a new record.
    """
    cursor: str | None = None
    cursors: set[str] = set()
    seen: set[int] = set()
    without_new = 0
    while True:
        response = fetch(cursor)
        yield response
        cursor = response.next_cursor
        if cursor is None:
            return
        if cursor in cursors:
            raise UnavailableError(f"the service repeats the cursor {cursor!r}; the list would not end")
        cursors.add(cursor)
        found = set(map(hash, _ends(response.data)))
        without_new = 0 if found - seen else without_new + 1
        seen |= found
        if without_new == MAX_PAGES_WITHOUT_NEW:
            raise UnavailableError(
                f"the last {without_new:,} pages have no new record, and each names another cursor; "
                "the list would not end"
            )


def _ends(data: Any) -> list[bytes]:
    """Return the first and the last record of a page as JSON: a million records must not be remembered."""
    if isinstance(data, msgspec.Raw):
        try:
            records = _records_of(data)
        except msgspec.DecodeError:  # one object in place of a list
            return [bytes(data)]
        return [bytes(record) for record in (*records[:1], *records[-1:])]
    if not isinstance(data, list):
        return [] if data is None else [msgspec.json.encode(data)]
    return [msgspec.json.encode(record) for record in (*data[:1], *data[-1:])]
