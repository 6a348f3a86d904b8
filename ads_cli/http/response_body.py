"""Read the body of a response within limits; describe network errors."""

import json
from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from ..errors import UnavailableError
from ..output.text import is_deeper, shortened

if TYPE_CHECKING:
    import httpx

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_ERROR_BODY_BYTES = 1024 * 1024
MAX_DEPTH = 50  # of nested lists and objects; recursive code that shows them fails at some hundreds
ENCODING = "gzip"  # the only one requested


class RepeatedKeyError(ValueError):
    """An object has a key twice, so that what it says depends on the reader."""

    def __init__(self, name: str) -> None:
        super().__init__(f"it has the key {shortened(name)!r} twice in one object")


def read_body(response: "httpx.Response") -> bytes:
    """Read and decompress the body; of an error response, the first MAX_ERROR_BODY_BYTES."""
    encoding = response.headers.get("content-encoding", ENCODING)
    if encoding.strip().lower() not in (ENCODING, "identity"):
        # Nested encodings expand a few bytes to gigabytes before their size can be checked.
        raise UnavailableError(
            f"the response has the encoding {encoding[:60]!r}, which was not requested",
            http_status=response.status_code,
        )
    max_bytes = MAX_BODY_BYTES if response.is_success else MAX_ERROR_BODY_BYTES
    chunks, size = [], 0
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        size += len(chunk)
        if size > max_bytes:
            if response.is_success:
                raise UnavailableError(
                    f"the response is larger than {max_bytes:,} bytes", http_status=response.status_code
                )
            break
    return b"".join(chunks)[:max_bytes]


Parse = Callable[[bytes], Any]  # reads a body; raises ValueError or RecursionError


def parse_form(content: bytes) -> dict[str, str]:
    """Parse key=value pairs, as in the first and last step of a sign-in."""
    return dict(parse_qsl(content.decode("utf-8", "replace")))


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refuse_constant(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys differ; raise RepeatedKeyError."""
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedKeyError(next(name for name in record if names.count(name) > 1))
    return record


_parse_text = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite
).decode


def parse_json(content: bytes) -> Any:
    """Parse JSON of any encoding, without NaN and Infinity. Raise ValueError or RecursionError.

    Two kinds of JSON are refused. What is nested deeper than anything that the service sends could not be
    shown. Of an object that has a key twice, parsers differ on which value counts.

    Half of a surrogate pair is in a text that was cut inside an emoji. It can be written nowhere, and becomes
    U+FFFD.
    """
    text = content.decode(json.detect_encoding(content), "surrogatepass")
    value = _parse_text(text)
    if text.count("{") + text.count("[") > MAX_DEPTH and is_deeper(value, MAX_DEPTH):
        raise ValueError(f"nested deeper than {MAX_DEPTH}")
    if "\\ud" in text or "\\uD" in text:
        text = json.dumps(value, ensure_ascii=False)
    if not _is_encodable(text):
        value = _parse_text(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return value


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def network_error(error: Exception, url: str) -> UnavailableError:
    """Describe a network error."""
    import httpx

    from .connections import client_proxy

    host = httpx.URL(url).netloc.decode()
    if isinstance(error, httpx.TimeoutException):
        return UnavailableError(f"{host} did not respond in time", hint="--timeout sets the limit")
    if is_certificate_error(error):
        return UnavailableError(
            f"{host} has no valid certificate: {error}",
            hint="to trust a certificate authority of your own, set SSL_CERT_FILE",
        )
    reason = str(error) or type(error).__name__
    if proxy := client_proxy(httpx.URL(url)):
        return UnavailableError(
            f"{host} cannot be reached through the proxy {httpx.URL(proxy).netloc.decode()}, or the "
            f"connection was closed: {reason}",
            hint="HTTPS_PROXY or ALL_PROXY names the proxy; NO_PROXY names hosts that are reached without it",
        )
    return UnavailableError(f"{host} cannot be reached, or closed the connection: {reason}")


def is_certificate_error(error: Exception) -> bool:
    """Whether the certificate of the other side is not trusted."""
    return "CERTIFICATE_VERIFY_FAILED" in str(error)
