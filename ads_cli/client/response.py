"""An answer of the service, read and unwrapped; and what its error shapes mean."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from ..api.names import GENERIC, Names
from ..errors import (
    AccessError,
    AdsctlError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    UnavailableError,
)
from .api_errors import Said, said

TOO_FREQUENT = 99  # with status 403: bearer tokens were asked for too often
BAD_TIME = 135  # with status 401: the timestamp is too far from the service's clock


@dataclass(frozen=True)
class Response:
    """A whole answer: status, headers (lower-case names), the JSON body, and how many tries it took."""

    status: int
    headers: dict[str, str]
    body: Any
    attempts: int = 1
    names: Names = GENERIC

    @property
    def neutral_data(self) -> Any:
        """`data` by the neutral names of its fields, for code that reads them."""
        return self.names.from_wire(self.data)

    @property
    def data(self) -> Any:
        """Give `data` of the envelope; the whole body where there is none."""
        return self.body["data"] if isinstance(self.body, dict) and "data" in self.body else self.body

    @property
    def next_cursor(self) -> str | None:
        """Give where the next page begins, or None; raise UnavailableError where it is no text."""
        cursor = self.body.get("next_cursor") if isinstance(self.body, dict) else None
        if cursor and not isinstance(cursor, str):
            raise UnavailableError("the answer's next_cursor is not a text", http_status=self.status)
        return cursor or None


def read(
    status: int,
    headers: dict[str, str],
    content: bytes,
    attempts: int,
    names: Names = GENERIC,
    *,
    form: bool = False,
) -> Response:
    """Read an answer; raise what it means where it is an error or cannot be read.

    The first and the last step of a sign-in answer a `form` of key=value pairs; its errors are JSON.
    """
    if form and 200 <= status < 300:
        return Response(status, headers, dict(parse_qsl(content.decode("utf-8", "replace"))), attempts)
    try:
        body, readable = json.loads(content) if content or status != 204 else None, True
    except (ValueError, RecursionError):
        body, readable = None, False
    if not 200 <= status < 300:
        error = failure(status, said(body) if readable else Said(_seen(headers, content)))
        error.body = body
        raise error
    if not readable:
        raise UnavailableError(
            f"the answer (status {status}) is not JSON: {_seen(headers, content)}", http_status=status
        )
    answer = Response(status, headers, body, attempts, names)
    if isinstance(body, dict) and body.get("errors"):
        words = said(body)
        refused = RefusedError(words.message, http_status=status, api_code=words.code)
        refused.body = body
        raise refused
    return answer


def failure(status: int, words: Said) -> AdsctlError:
    """Make the error that a status and the service's own words add up to."""
    kind: type[AdsctlError] = RefusedError
    if status in (401, 403):
        kind = RateLimitedError if words.code == TOO_FREQUENT else AccessError
    elif status == 404:
        kind = NotFoundError
    elif status == 429:
        kind = RateLimitedError
    elif status >= 500 or status < 400:
        kind = UnavailableError
    message, hint = words.message, words.hint
    if 300 <= status < 400:
        message = "the service sends us to another address, and credentials are never sent after it"
        hint = "set the final address in the profile or the environment"
    return kind(f"{message} (status {status})", hint=hint, http_status=status, api_code=words.code)


def _seen(headers: dict[str, str], content: bytes) -> str:
    """Describe content that is not what it should be, in part of a line."""
    if not content:
        return "an empty answer"
    kind = headers.get("content-type", "no content type")
    start = " ".join(content[:120].decode("utf-8", "replace").split())
    return f"{len(content):,} bytes of {kind} that begin with {start!r}"
