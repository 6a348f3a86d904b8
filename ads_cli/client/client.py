"""The client of the service: call(), pages() and exchange()."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from ..api.endpoint import Base, Request
from ..api.names import GENERIC, Names
from ..api.parts import request_parts
from ..api.rates import TOTAL_COUNTS, Rate
from ..errors import AccessError, AdsctlError, NotFoundError, UnavailableError
from ..http.response_body import Parse, parse_json
from ..http.retry import CLOCK, Clock, FailedAttempt, backoff, requested_delay
from ..http.trace import Trace
from .prepared_request import Credentials, PreparedRequest, UserKeys, build_request, is_write
from .rate_limiter import Permit, RateLimiter, StoppedError, Wait
from .response import Response, Sender, follow

if TYPE_CHECKING:
    import httpx

    from .shared_window import SharedWindow
    from .transport import WsgiApp


def _unwatched(prepared: PreparedRequest) -> AbstractContextManager[Callable[[Response], None]]:
    return nullcontext(lambda response: None)


MIN_TIMEOUT_SECONDS = 1.0  # of an attempt, however little of --max-wait is left
BASES: tuple[Base, ...] = ("ads", "platform", "sandbox")


class Client(msgspec.Struct, dict=True, eq=False):  # a dict for its cached properties
    """Sends signed requests with retries, within rate limits. Thread-safe."""

    address: Callable[[Base], str]
    credentials: Callable[[], Credentials]
    app: "WsgiApp | None" = None  # the emulator in this process
    timeout: float = 30.0
    max_attempts: int = 6
    max_wait: float = 900.0
    concurrency: int = 8  # maximum number of requests in flight per route
    trace: Trace = msgspec.field(default_factory=Trace)
    on_retry: Callable[[str], None] = lambda message: None
    on_wait: Callable[[Wait], None] = lambda wait: None  # called before a long wait
    on_warning: Callable[[str], None] = lambda message: None  # called once, with a warning of the service
    write_guard: Callable[[PreparedRequest], AbstractContextManager[None]] = lambda prepared: nullcontext()
    on_write: "Callable[[PreparedRequest], AbstractContextManager[Callable[[Response], None]]]" = _unwatched
    sign_in_hint: str = ""
    shared_window: "Callable[[Rate], SharedWindow] | None" = None
    service: str = "generic"  # whose rates are kept
    names: Names = GENERIC
    clock: Clock = CLOCK
    requests: int = 0
    retries: int = 0
    has_mutated: bool = False  # a request other than GET succeeded
    _count_lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    @cached_property
    def rate_limiter(self) -> RateLimiter:
        """The rate limiter shared by all threads."""
        return RateLimiter(self.max_wait, self.on_wait, self.shared_window, self.concurrency, self.clock)

    def call(
        self, request: Request, *, auth: "httpx.Auth | None" = None, parse: Parse = parse_json
    ) -> Response:
        """Send a declared request; return the response or raise the error that it means.

        `auth` replaces the user's signature; `parse` reads the body of a success.
        """
        return self.exchange(self.prepare(request), auth=auth, parse=parse)

    def pages(self, request: Request, parse: Parse = parse_json) -> Iterator[Response]:
        """Yield the pages of a list."""
        # The service does not accept a cursor and a count together: only the first page asks for the count.
        without_count = {"with_total_count": None} if hasattr(request, "with_total_count") else {}

        def fetch(cursor: str | None) -> Response:
            changes = {"cursor": cursor, **without_count} if cursor else {}
            return self.call(msgspec.structs.replace(request, **changes), parse=parse)

        return follow(fetch)

    def prepare(self, request: Request, pieces: Sequence[bytes | memoryview] = ()) -> PreparedRequest:
        """Build the URL and body of a declared request; `pieces` are a body that is encoded already."""
        parts = request_parts(request, self.names)
        prepared = build_request(request.endpoint, parts, self.address(request.endpoint.base), pieces)
        return msgspec.structs.replace(prepared, rate=self._rate(request), declared=type(request))

    def _rate(self, request: Request) -> Rate | None:
        """Return the rate of a request, for the account that it counts for."""
        if getattr(request, "with_total_count", None):
            return TOTAL_COUNTS
        rate = request.endpoint.rates[self.service]
        if rate is None or rate.per == "token":
            return rate
        return msgspec.structs.replace(rate, account=getattr(request, "account_id", ""))

    def exchange(
        self,
        prepared: PreparedRequest,
        *,
        auth: "httpx.Auth | None" = None,
        parse: Parse = parse_json,
        on_send: Callable[[], None] = lambda: None,
        check: Callable[[Response], None] = lambda response: None,
    ) -> Response:
        """Send a request until there is a response, within --max-attempts and --max-wait.

        A request other than GET is sent inside the context `write_guard`, which may raise instead.
        """
        with nullcontext() if prepared.method == "GET" else self.write_guard(prepared):
            return self.send_untracked(prepared, auth=auth, parse=parse, on_send=on_send, check=check)

    def send_untracked(
        self,
        prepared: PreparedRequest,
        *,
        auth: "httpx.Auth | None" = None,
        parse: Parse = parse_json,
        on_send: Callable[[], None] = lambda: None,
        check: Callable[[Response], None] = lambda response: None,
    ) -> Response:
        """Send a request as `exchange` does, for a caller that keeps track itself of what it changes.

        `on_send` is called before the first attempt. `check` may raise UnavailableError for a response
        that it does not understand, which is then retried. Every write passes the context `on_write`, which
        may raise instead.
        """
        if not is_write(prepared):
            return self._send_until_answered(prepared, auth, parse, on_send, check)
        with self.on_write(prepared) as on_response:
            response = self._send_until_answered(prepared, auth, parse, on_send, check)
            on_response(response)
            return response

    def _send_until_answered(
        self,
        prepared: PreparedRequest,
        auth: "httpx.Auth | None",
        parse: Parse,
        on_send: Callable[[], None],
        check: Callable[[Response], None],
    ) -> Response:
        limiter, failures = self.rate_limiter, 0
        may_be_applied = False  # by an earlier attempt
        successes = limiter.successes
        try:
            while True:
                with limiter.acquire(prepared.route, prepared.rate) as permit:
                    if not failures:
                        on_send()
                    try:
                        response = self._send(prepared, auth, permit, parse)
                        _check(response, check)
                    except NotFoundError:
                        limiter.record_progress()
                        if may_be_applied and prepared.method == "DELETE":
                            return _already_deleted(prepared)
                        raise
                    except AdsctlError:
                        limiter.record_progress()
                        raise
                    except FailedAttempt as failed:
                        # A rate limit is not a failure of this request while others succeed.
                        if not (failed.rate_limited and limiter.successes > successes):
                            failures += 1
                        successes = limiter.successes
                        may_be_applied = may_be_applied or failed.may_be_applied
                        delay, is_stated = self._retry_delay(prepared, failed, failures)
                    else:
                        limiter.record_success()
                        self.has_mutated = self.has_mutated or prepared.method != "GET"
                        return msgspec.structs.replace(response, may_be_repeated=may_be_applied)
                limiter.wait(delay)
                if is_stated:
                    limiter.record_progress()  # the service was not silent
        except (AdsctlError, StoppedError) as error:
            error.may_be_applied = error.may_be_applied or may_be_applied
            is_once = not prepared.retry and prepared.method != "GET"
            if error.may_be_applied and is_once and isinstance(error, AdsctlError):
                error.hint = "the request may have been applied: check before you send it again"
            raise

    def _send(
        self, prepared: PreparedRequest, auth: "httpx.Auth | None", permit: Permit, parse: Parse
    ) -> Response:
        """Send a request; once more where the service rejects a token that can be renewed."""
        if auth or isinstance(credentials := self._credentials, UserKeys):
            return self._send_once(prepared, auth or self._auth, permit, parse)
        from .signing import BearerAuth

        token = credentials.access_token
        try:
            return self._send_once(prepared, BearerAuth(token), permit, parse)
        except AccessError as error:
            if error.http_status != 401:
                raise
        return self._send_once(prepared, BearerAuth(credentials.renew(token)), permit, parse)

    def _send_once(
        self, prepared: PreparedRequest, auth: "httpx.Auth", permit: Permit, parse: Parse
    ) -> Response:
        """Send a request once, within what is left of --max-wait."""
        with self._count_lock:
            self.requests += 1
        left = max(self.rate_limiter.remaining_wait(), MIN_TIMEOUT_SECONDS)
        timeout = min(self.timeout, left)
        return self._sender.send(prepared, auth, permit, timeout=timeout, max_seconds=left, parse=parse)

    def _retry_delay(
        self, prepared: PreparedRequest, failed: FailedAttempt, failures: int
    ) -> tuple[float, bool]:
        """Return the seconds before the next attempt, and whether the service states them.

        Raise the error if there is no further attempt.
        """
        error = failed.error
        is_last = failures >= (prepared.max_attempts or self.max_attempts)
        if is_last or (failed.may_be_applied and not prepared.retry):
            raise error
        requested = requested_delay(failed.headers, self.clock.time())
        is_stated = requested is not None
        delay = backoff(max(failures - 1, 0)) if requested is None else requested
        if not self.rate_limiter.allows_wait(delay, is_stated=is_stated):
            error.message += "; " + self.rate_limiter.wait_exceeded(requested)
            raise error
        if failed.rate_limited:
            self.rate_limiter.pause(prepared.route, delay, is_stated=is_stated)
        with self._count_lock:
            self.retries += 1
        self.on_retry(f"{error.message}; retrying in {delay:.1f} s")
        self.trace.log("retry", url=prepared.url, reason=error.message, delay=round(delay, 3))
        return delay, is_stated

    @staticmethod
    def load() -> None:
        """Import the modules needed to send, which takes 100 ms, while the caller does something else."""
        from ..http import network  # noqa: F401
        from . import signing, transport  # noqa: F401

    def open(self) -> None:
        """Create what the threads share; raise AdsctlError if proxy, certificates or credentials are bad."""
        _ = self.rate_limiter, self._sender, self._credentials

    @cached_property
    def _sender(self) -> Sender:
        from ..http.connections import tls_context
        from .transport import ThreadConnections

        tls = tls_context(any(map(self._is_https, BASES)))
        return Sender(
            ThreadConnections(self.app, tls, _connect_to_stranger),
            self.trace,
            self.sign_in_hint,
            self.on_warning,
        )

    def _is_https(self, base: Base) -> bool:
        try:
            return self.address(base).lower().startswith("https:")
        except AdsctlError:
            return False

    @cached_property
    def _credentials(self) -> Credentials:
        credentials = self.credentials()
        if isinstance(credentials, UserKeys):
            self.trace.add_secrets(*credentials)
        return credentials

    @cached_property
    def _auth(self) -> "httpx.Auth":
        from .signing import as_user

        assert isinstance(self._credentials, UserKeys)
        return as_user(self._credentials)


def _connect_to_stranger(url: "httpx.URL") -> "httpx.BaseTransport":
    from ..http.connections import tls_context
    from ..http.network import connect_to_public

    return connect_to_public(url, tls_context)


def _check(response: Response, check: Callable[[Response], None]) -> None:
    try:
        check(response)
    except UnavailableError as error:
        error.http_status = response.status
        raise FailedAttempt(error, response.headers) from None


def _already_deleted(prepared: PreparedRequest) -> Response:
    """Return the response to a DELETE that an earlier attempt applied, though its response was lost."""
    id = prepared.url.partition("?")[0].rsplit("/", 1)[-1]
    return Response(404, {}, {"data": {"id": id, "deleted": True}})
