"""call() and pages(): sign, send, retry, pace, unwrap. Nothing here knows of products."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.endpoint import Base, Request
from ..api.names import GENERIC, Names
from ..api.parts import request_parts
from ..api.rates import Rate
from ..errors import AccessError, AdsctlError, NotFoundError, RateLimitedError, UnavailableError
from .clock import CLOCK, Clock
from .credentials import Credentials
from .prepared_request import PreparedRequest, build_request
from .rate_headers import asked_delay, clock_hint
from .rate_limiter import Permit, RateLimiter, backoff
from .response import BAD_TIME, Response, read
from .response_body import content_of, is_untrusted, trouble
from .shared_window import SharedWindow
from .trace import Trace

if TYPE_CHECKING:
    import ssl

    import httpx

    from .transport import Connections, WsgiApp

RETRIED = (423, 429, 500, 502, 503, 504)
LEAST_TIMEOUT = 1.0  # seconds that a try gets, however little of --max-wait is left


@dataclass
class Client:
    """Speaks to the service: signed, with retries, at the pace the service states. Safe in many threads."""

    address: Callable[[Base], str]
    credentials: Callable[[], Credentials]
    app: "WsgiApp | None" = None
    timeout: float = 30.0
    max_attempts: int = 6
    max_wait: float = 900.0
    concurrency: int = 8  # requests at once, at most
    trace: Trace = field(default_factory=Trace)
    on_retry: Callable[[str], None] = lambda message: None
    on_wait: Callable[[str], None] = lambda message: None  # called before a long wait
    sign_in_hint: str = ""
    window: Callable[[Rate], SharedWindow] | None = None  # shared with other processes
    names: Names = GENERIC
    clock: Clock = CLOCK
    requests: int = 0
    retries: int = 0
    has_mutated: bool = False  # a request other than GET succeeded
    _counting: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def rate_limiter(self) -> RateLimiter:
        """Keep the time of all threads."""
        return RateLimiter(self.max_wait, self.on_wait, self.window, self.concurrency, self.clock)

    def call(self, request: Request, *, auth: "httpx.Auth | None" = None, form: bool = False) -> Response:
        """Send a declared request; give its answer or raise what the answer means.

        `auth` stands in for the user's signature; `form` says that the answer is key=value pairs.
        """
        return self.exchange(self.prepare(request), auth=auth, form=form)

    def pages(self, request: Request) -> Iterator[Response]:
        """Follow the cursor of a list."""
        # The count excludes a cursor, so only the first page asks for it.
        counted = {"with_total_count": None} if hasattr(request, "with_total_count") else {}

        def ask(cursor: str | None) -> Response:
            changed = {"cursor": cursor, **counted} if cursor else {}
            return self.call(msgspec.structs.replace(request, **changed))

        return self.follow(ask)

    def follow(self, ask: Callable[[str | None], Response]) -> Iterator[Response]:
        """Ask for a page and those after it; raise UnavailableError where they go round in circles."""
        cursor: str | None = None
        seen: set[str] = set()
        while True:
            answer = ask(cursor)
            yield answer
            cursor = answer.next_cursor
            if cursor is None:
                return
            if cursor in seen:
                raise UnavailableError(f"the service repeats the cursor {cursor!r}; the list would never end")
            seen.add(cursor)

    def prepare(self, request: Request, pieces: Sequence[bytes | memoryview] = ()) -> PreparedRequest:
        """Place the fields of a request in its address and body; a ready body comes in `pieces`."""
        parts = request_parts(request, self.names)
        return build_request(request.endpoint, parts, self.address(request.endpoint.base), pieces)

    def exchange(
        self, prepared: PreparedRequest, *, auth: "httpx.Auth | None" = None, form: bool = False
    ) -> Response:
        """Send until there is an answer, within --max-attempts and --max-wait."""
        failures = 0
        lost = False  # whether an earlier try may have been applied
        progress = self.rate_limiter.successes
        while True:
            with self.rate_limiter.turn(prepared.route, prepared.rate) as turn:
                try:
                    answer = self._once(prepared, failures + 1, auth or self._auth, form, turn)
                except AdsctlError as error:
                    self.rate_limiter.settled()
                    if isinstance(error, NotFoundError) and lost and prepared.method == "DELETE":
                        return _deleted_before(prepared, failures + 1)
                    raise
                except _Failed as failed:
                    # While others get through, being asked to slow down is no failure of this request.
                    if not (failed.limited and self.rate_limiter.successes > progress):
                        failures += 1
                    progress = self.rate_limiter.successes
                    lost = lost or not (failed.limited or failed.refused)
                    delay = self._next_try(prepared, failed, failures)
                else:
                    self.rate_limiter.succeeded()
                    self.has_mutated = self.has_mutated or prepared.method != "GET"
                    return answer
            self.rate_limiter.wait(delay)

    def _next_try(self, prepared: PreparedRequest, failed: "_Failed", failures: int) -> float:
        """Give the seconds before the next try, or raise where there is none."""
        error = failed.error
        may = prepared.retry or failed.limited or failed.refused
        if not may:
            if prepared.method != "GET":
                error.hint = "the request may have been applied all the same: look before you send it again"
            raise error
        asked = asked_delay(failed.headers, self.clock.time())
        delay = backoff(max(failures - 1, 0)) if asked is None else asked
        if failures >= self.max_attempts:
            raise error
        if not self.rate_limiter.may_wait(delay):
            error.message += "; " + self.rate_limiter.too_long(asked)
            raise error
        if failed.limited:
            self.rate_limiter.hold(prepared.route, delay)
        with self._counting:
            self.retries += 1
        self.on_retry(f"{error.message}; trying again in {delay:.1f} s")
        self.trace.log("retry", url=prepared.url, reason=error.message, delay=round(delay, 3))
        return delay

    def _once(
        self, prepared: PreparedRequest, attempt: int, auth: "httpx.Auth", form: bool, turn: Permit
    ) -> Response:
        """Send once; raise _Failed for what may be tried again."""
        import httpx

        from .transport import request_of

        with self._counting:
            self.requests += 1
        timeout = min(self.timeout, max(self.rate_limiter.patience(), LEAST_TIMEOUT))
        started = time.monotonic()
        request = request_of(prepared, timeout)
        self.trace.request(
            prepared.method, prepared.url, request.headers, _shown(prepared, prepared.body, prepared.size)
        )
        request = next(auth.auth_flow(request))
        try:
            with closing(self._connections.to(request.url).handle_request(request)) as response:
                content = content_of(response, started + max(timeout, self.max_wait))
        except (httpx.TransportError, httpx.DecodingError) as error:
            refused = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
            told = trouble(error, prepared.url)
            if is_untrusted(error):  # which no second try would change
                raise told from None
            raise _Failed(told, {}, refused=refused) from error
        answered = {name.lower(): value for name, value in response.headers.items()}
        turn.answered(response.status_code, answered)
        seconds = time.monotonic() - started
        self.trace.response(
            prepared.method,
            prepared.url,
            response.status_code,
            answered,
            _shown(prepared, content, len(content)),
            seconds,
        )
        try:
            return read(response.status_code, answered, content, attempt, self.names, form=form)
        except AdsctlError as error:
            error.message = self.trace.mask(error.message)  # the service may have quoted what it was sent
            limited = isinstance(error, RateLimitedError)
            unreadable = isinstance(error, UnavailableError) and response.is_success
            untimely = isinstance(error, AccessError) and error.api_code == BAD_TIME
            if untimely:
                error.hint = clock_hint(answered)
            if limited or unreadable or untimely or response.status_code in RETRIED:
                raise _Failed(error, answered, limited=limited, refused=untimely) from None
            if isinstance(error, AccessError):
                error.hint = error.hint or self.sign_in_hint
            raise

    @staticmethod
    def load() -> None:
        """Import what sends, which takes its time."""
        import httpcore  # noqa: F401 - httpx imports it when it first connects

        from . import signing as sign  # noqa: F401

    def open(self) -> None:
        """Make ready what all threads share, and find out what is wrong with it, before the first request."""
        _ = self.rate_limiter, self._connections, self._auth

    @cached_property
    def _connections(self) -> "Connections":
        from .transport import Connections

        return Connections(self.app, self._tls)

    @cached_property
    def _tls(self) -> "ssl.SSLContext":
        from .transport import tls_context

        return tls_context(any(self._is_https(base) for base in ("ads", "platform", "sandbox")))

    def _is_https(self, base: Any) -> bool:
        try:
            return self.address(base).startswith("https:")
        except AdsctlError:
            return False

    @cached_property
    def _auth(self) -> "httpx.Auth":
        from .signing import as_user

        credentials = self.credentials()
        self.trace.add_secrets(*credentials)
        return as_user(credentials)


class _Failed(Exception):
    """A try that may be followed by another: not refused for what it asks, only for when or by accident."""

    def __init__(
        self, error: AdsctlError, headers: dict[str, str], *, limited: bool = False, refused: bool = False
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.headers = headers
        self.limited = limited  # asked to slow down: nothing was applied
        self.refused = refused  # no connection, or a clock that jumped: nothing was applied


def _shown(prepared: PreparedRequest, content: bytes, size: int) -> bytes:
    """Give what a trace may show of a body."""
    return b"(%d bytes that nobody reads)" % size if prepared.sensitive and size else content


def _deleted_before(prepared: PreparedRequest, attempts: int) -> Response:
    """Answer for a DELETE that an earlier try had applied, though its answer was lost."""
    name = prepared.url.partition("?")[0].rsplit("/", 1)[-1]
    return Response(404, {}, {"data": {"id": name, "deleted": True}}, attempts)
