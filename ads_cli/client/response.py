"""A response of the service, read from its bytes, and the pages of a list."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ..api.names import to_neutral, with_neutral_keys
from ..errors import UnavailableError
from ..http.response_body import (
    Parse,
    RepeatedKeyError,
    parse_json,
)
from ..output.text import shortened


def not_understood(what: str) -> UnavailableError:
    """Return the error for a response that means neither success nor refusal."""
    return UnavailableError(f"the response of the service is not understood: {shortened(what)}")


class Response(msgspec.Struct, frozen=True):
    """Status, headers (lower-case names) and JSON body."""

    status: int
    headers: dict[str, str]
    body: Any
    may_be_repeated: bool = False  # the service may have applied an earlier attempt too

    @property
    def data(self) -> Any:
        """`data` of the envelope as the service sent it, or the whole body if there is none."""
        return self.body["data"] if isinstance(self.body, dict) and "data" in self.body else self.body

    @property
    def neutral_data(self) -> Any:
        """`data` by the neutral names of its fields, for code that reads them."""
        return to_neutral(self.data)

    @property
    def records(self) -> list[dict[str, Any]]:
        """`data` as records by the neutral names of fields; raise UnavailableError if it is not a list."""
        records = self.data
        if isinstance(self.body, dict) and records and records is self.body.get("data"):
            records = [records] if isinstance(records, dict) else records  # one object in place of a list
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise UnavailableError("the response has no list of records", http_status=self.status)
        return [*map(with_neutral_keys, records)]

    @property
    def next_cursor(self) -> str | None:
        """The cursor of the next page, or None. Raise UnavailableError if it is not text."""
        body = self.body if isinstance(self.body, dict) else {}
        meta = body.get("meta")  # of the platform
        cursor = body.get("next_cursor") or (meta.get("next_token") if isinstance(meta, dict) else None)
        if cursor and not isinstance(cursor, str):
            raise UnavailableError("next_cursor of the response is not text", http_status=self.status)
        return cursor or None


def read_response(
    status: int, headers: dict[str, str], content: bytes, parse: Parse = parse_json
) -> Response:
    """Parse a response. Raise the error that it means, or UnavailableError if it cannot be read.

    `parse` reads the body of a success.
    """
    is_success = 200 <= status < 300
    if not is_success:
        parse = parse_json
    repeated = ""
    try:
        body, is_json = parse(content), True
    except RepeatedKeyError as error:
        body, is_json, repeated = None, False, f"; {error}"
    except (ValueError, RecursionError):
        body, is_json = None, status == 204 and not content
    if not is_success:
        from .api_errors import error_of

        raise error_of(status, body, unreadable="" if is_json else _excerpt(headers, content) + repeated)
    if repeated:
        raise UnavailableError(f"the response (status {status}) cannot be read{repeated}", http_status=status)
    if not is_json:
        raise UnavailableError(
            f"the response (status {status}) is not JSON: {_excerpt(headers, content)}", http_status=status
        )
    if isinstance(body, dict) and body.get("errors"):
        from .api_errors import error_of, is_partial

        if not is_partial(body):
            raise error_of(status, body)
    return Response(status, headers, body)


def _excerpt(headers: dict[str, str], content: bytes) -> str:
    """Describe unexpected content in part of a line."""
    if not content:
        return "an empty body"
    content_type = headers.get("content-type", "no content type")
    start = " ".join(content[:120].decode("utf-8", "replace").split())
    return f"{len(content):,} bytes of {content_type}, beginning {start!r}"


# In succession. A filter that is applied after paging leaves few pages empty: a page has up to 1,000 records.
MAX_PAGES_WITHOUT_NEW = 20


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
        hashes = set(map(hash, _ends(response.data)))
        without_new = 0 if hashes - seen else without_new + 1
        seen |= hashes
        if without_new == MAX_PAGES_WITHOUT_NEW:
            raise UnavailableError(
                f"the last {without_new:,} pages have no new record, and each names another cursor; "
                "the list would not end"
            )


def _ends(data: Any) -> list[str]:
    """Return the first and the last record of a page as JSON: a million records must not be remembered."""
    if not isinstance(data, list):
        return [] if data is None else [json.dumps(data)]  # which escapes what no encoding has
    return [json.dumps(record) for record in (*data[:1], *data[-1:])]
