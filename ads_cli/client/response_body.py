"""The bytes of an answer, never more than are bearable; and what goes wrong on their way, in words."""

import time
from typing import TYPE_CHECKING

from ..errors import UnavailableError

if TYPE_CHECKING:
    import httpx

LARGEST_ANSWER = 64 * 1024 * 1024
LARGEST_ERROR = 1024 * 1024
CODING = "gzip"  # the only one that is asked for


def content_of(response: "httpx.Response", until: float) -> bytes:
    """Read the body, decompressed, up to what an answer may be; of an error, only the beginning counts.

    `until` is when even an answer that drips in has to be there.
    """
    import httpx

    coding = response.headers.get("content-encoding", CODING)
    if coding.strip().lower() not in (CODING, "identity"):
        # Codings upon codings would make gigabytes of a few bytes before anybody could count them.
        raise UnavailableError(
            f"the answer is encoded as {coding[:60]!r}, which nobody asked for",
            http_status=response.status_code,
        )
    largest = LARGEST_ANSWER if response.is_success else LARGEST_ERROR
    chunks, size = [], 0
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        size += len(chunk)
        if size > largest:
            if response.is_success:
                raise UnavailableError(
                    f"the answer is larger than {largest:,} bytes", http_status=response.status_code
                )
            break
        if time.monotonic() > until:
            raise httpx.ReadTimeout("the answer drips in without an end")
    return b"".join(chunks)[:largest]


def trouble(error: Exception, url: str) -> UnavailableError:
    """Put an error of the network into words."""
    import httpx

    host = httpx.URL(url).netloc.decode()
    if isinstance(error, httpx.TimeoutException):
        return UnavailableError(f"{host} did not answer in time", hint="--timeout sets the longest wait")
    if is_untrusted(error):
        return UnavailableError(
            f"{host} cannot prove that it is {host}: {error}",
            hint="the certificate of an authority of your own is named by SSL_CERT_FILE",
        )
    reason = str(error) or type(error).__name__
    return UnavailableError(f"{host} could not be reached, or broke off: {reason}")


def is_untrusted(error: Exception) -> bool:
    """Tell whether the other side showed a certificate that nobody known to us has signed."""
    return "CERTIFICATE_VERIFY_FAILED" in str(error)
