"""Follow the pages of a list."""

from collections.abc import Callable, Iterator

from ..errors import UnavailableError
from .response import Response


def follow(fetch: Callable[[str | None], Response]) -> Iterator[Response]:
    """Fetch a page and those after it; raise UnavailableError if a cursor repeats."""
    cursor: str | None = None
    seen: set[str] = set()
    while True:
        response = fetch(cursor)
        yield response
        cursor = response.next_cursor
        if cursor is None:
            return
        if cursor in seen:
            raise UnavailableError(f"the service repeats the cursor {cursor!r}; the list would not end")
        seen.add(cursor)
