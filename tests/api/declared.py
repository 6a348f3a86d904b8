"""Problems of the values of a request, and how it is sent."""

from typing import Any

from ads_cli.api.endpoint import Request
from ads_cli.api.parts import request_parts
from ads_cli.api.problems import InvalidError
from ads_cli.api.validation import convert
from ads_cli.client.prepared_request import build_request


def check(kind: type[Request], **values: Any) -> list[str]:
    """List the problems of values, without suggestions; None leaves a value out."""
    try:
        convert(kind, {name: value for name, value in values.items() if value is not None})
    except InvalidError as error:
        return [str(problem).partition("; did you mean")[0] for problem in error.problems]
    return []


def sent(kind: type[Request], **values: Any) -> str:
    """Return method and URL of a request without a body."""
    request = convert(kind, values)
    prepared = build_request(kind.endpoint, request_parts(request), f"{kind.endpoint.base}:/")
    assert prepared.body == b""
    return f"{prepared.method} {prepared.url}"


ID_WORDS = "is not allowed: an id, without / ? # % and control characters"
BAD_IDS = ("", ".", "..", "a/b", "a?b", "a#b", "a%b", "a\n", "\x7f")
SPECIAL_ID = "ä b&c"
ESCAPED_ID = "%C3%A4%20b%26c"


def ids(count: int) -> list[str]:
    return [str(number) for number in range(count)]
