"""Send a prepared request once."""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from ..errors import AccessError, AdsctlError, RateLimitedError, UnavailableError
from ..http.response_body import Parse, is_certificate_error, network_error, read_body
from ..http.retry import LONG_LIMITS, RETRIED_STATUSES, FailedAttempt, clock_hint
from ..http.trace import Trace
from ..output.text import shortened
from .prepared_request import PreparedRequest
from .rate_limiter import Permit
from .response import BAD_TIMESTAMP, Response, read_response

if TYPE_CHECKING:
    import httpx

    from .transport import ThreadConnections

WARNING_HEADER = "x-api-warn"  # sent with responses of what will be switched off


class Sender:
    """Signs and sends a request over a connection of the calling thread, and reads the response."""

    def __init__(
        self,
        connections: "ThreadConnections",
        trace: Trace,
        sign_in_hint: str,
        on_warning: Callable[[str], None],
    ) -> None:
        self.connections = connections
        self.trace = trace
        self.sign_in_hint = sign_in_hint
        self.on_warning = on_warning
        self._warnings = threading.Semaphore()  # one is shown, however many responses have it

    def send(
        self,
        prepared: PreparedRequest,
        auth: "httpx.Auth",
        permit: Permit,
        *,
        timeout: float,
        max_seconds: float,
        parse: Parse,
    ) -> Response:
        """Return the response, or raise the error that it means; FailedAttempt for what may be retried.

        `timeout` limits each network operation and the head of the response, `max_seconds` the attempt.
        """
        import httpx

        from .transport import http_request

        started = time.monotonic()
        request = http_request(prepared, timeout, started + max_seconds)
        shown = _traced(prepared, prepared.body, prepared.size)
        self.trace.request(prepared.method, prepared.url, request.headers, shown)
        request = next(auth.auth_flow(request))
        try:
            transport = self.connections.to(request.url, is_stranger=prepared.to_stranger)
            with closing(transport.handle_request(request)) as http_response:
                content = read_body(http_response)
        except (httpx.TransportError, httpx.DecodingError) as error:
            not_connected = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
            described = network_error(error, prepared.url)
            if is_certificate_error(error):  # another attempt would not change that
                raise described from None
            raise FailedAttempt(described, {}, may_be_applied=not not_connected) from error
        except UnavailableError as error:  # of a body that is not read, and would be the same the next time
            error.may_be_applied = True
            raise
        status = http_response.status_code
        headers = {name.lower(): value for name, value in http_response.headers.items()}
        permit.record(status, headers)
        seconds = time.monotonic() - started
        shown = _traced(prepared, content, len(content))
        self.trace.response(prepared.method, prepared.url, status, headers, shown, seconds)
        if (warning := headers.get(WARNING_HEADER)) and self._warnings.acquire(blocking=False):
            self.on_warning(f"the service warns: {shortened(self.trace.mask(warning))}")
        try:
            return read_response(status, headers, content, parse)
        except AdsctlError as error:
            error.message = self.trace.mask(error.message)  # the service may quote what it was sent
            self._raise_if_retried(error, status, headers)
            error.may_be_applied = _has_data(error.body, status)
            if isinstance(error, AccessError):
                error.hint = error.hint or self.sign_in_hint
            raise

    def _raise_if_retried(self, error: AdsctlError, status: int, headers: dict[str, str]) -> None:
        """Raise FailedAttempt if another attempt may succeed."""
        is_rate_limited = isinstance(error, RateLimitedError)
        if error.api_code in LONG_LIMITS:
            return
        is_unreadable = isinstance(error, UnavailableError) and 200 <= status < 300
        has_bad_timestamp = isinstance(error, AccessError) and error.api_code == BAD_TIMESTAMP
        if has_bad_timestamp:
            error.hint = clock_hint(headers)
        if is_rate_limited or is_unreadable or has_bad_timestamp or status in RETRIED_STATUSES:
            may_be_applied = not (is_rate_limited or has_bad_timestamp)
            raise FailedAttempt(
                error, headers, rate_limited=is_rate_limited, may_be_applied=may_be_applied
            ) from None


def _has_data(body: object, status: int) -> bool:
    """Tell whether a response means success, beside an error that it has."""
    return 200 <= status < 300 and isinstance(body, dict) and bool(body.get("data"))


def _traced(prepared: PreparedRequest, content: bytes, size: int) -> bytes:
    """Return what a trace may show of a body."""
    return b"(%d bytes, not shown)" % size if prepared.sensitive and size else content
