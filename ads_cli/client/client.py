"""The client of the service: call(), pages() and exchange()."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import msgspec

from ..api.endpoint import OF_APP_ALONE, OF_USERS, Base, Identity, Request, Token
from ..api.names import GENERIC, Names
from ..api.parts import request_parts
from ..api.rates import TOTAL_COUNTS, Rate
from ..errors import AccessError, AdsctlError, Interrupted, NotFoundError, ReportedError, UnavailableError
from ..http.response_body import Parse, parse_json
from ..http.retry import CLOCK, Clock, FailedAttempt, backoff, requested_delay
from ..http.trace import Trace
from .prepared_request import Credentials, PreparedRequest, UserKeys, build_request, is_write
from .rate_limiter import Permit, RateLimiter, StoppedError, Wait
from .response import Response, follow

if TYPE_CHECKING:
    import httpx

    from .shared_window import SharedWindow
    from .transport import Sender, WsgiApp


class ExchangeOptions(TypedDict, total=False):
    """What a caller may add to the sending of a request."""

    auth: "httpx.Auth | None"  # in place of the user's signature
    parse: Parse  # reads the body of a success
    on_send: Callable[[], None]  # called before the first attempt
    check: Callable[[Response], None]  # raises UnavailableError for a response to be retried


def _unwatched(prepared: PreparedRequest) -> AbstractContextManager[Callable[[Response], None]]:
    return nullcontext(lambda response: None)


OF_APP = "app"  # whose limit it is
BEARER_HINT = "adsctl auth bearer issue gets one with the key and the secret of the app"
MIN_TIMEOUT_SECONDS = 1.0  # of an attempt, however little of --max-wait is left
BASES: tuple[Base, ...] = ("ads", "platform", "sandbox")


class Client(msgspec.Struct, dict=True, eq=False):  # a dict for its cached properties
    """Sends signed requests with retries, within rate limits. Thread-safe."""

    address: Callable[[Base], str]
    credentials: Callable[[], Credentials]
    app_token: Callable[[], str | None] = lambda: None  # the bearer token of the app, if there is one
    identity: Identity | None = None  # whose token is used where an endpoint takes both kinds
    app: "WsgiApp | None" = None  # the emulator in this process
    timeout: float = 30.0
    max_attempts: int = 6
    max_wait: float = 900.0
    concurrency: int = 8  # maximum number of requests in flight per route
    trace: Trace = msgspec.field(default_factory=Trace)
    on_retry: Callable[[str], None] = lambda message: None
    on_wait: Callable[[Wait], None] = lambda wait: None  # called before a long wait
    on_warning: Callable[[str], None] = lambda message: None  # called once, with a warning of the service
    keep: Callable[[str, Callable[[], Any]], Any] = lambda name, make: make()  # what clients share, by name
    write_guard: Callable[[PreparedRequest], AbstractContextManager[None]] = lambda prepared: nullcontext()
    on_write: "Callable[[PreparedRequest], AbstractContextManager[Callable[[Response], None]]]" = _unwatched
    check_answer: Callable[[PreparedRequest, Response], None] = lambda prepared, response: None  # as `check`
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

    def call(self, request: Request, **options: Unpack[ExchangeOptions]) -> Response:
        """Send a declared request; return the response or raise the error that it means."""
        return self.exchange(self.prepare(request), **options)

    def pages(
        self, request: Request, limit: int | None = None, *, max_attempts: int | None = None
    ) -> Iterator[Response]:
        """Yield the pages of a list; with `limit`, the record that it allows last is the last of its page."""
        # The service does not accept a cursor and a count together: only the first page asks for the count.
        without_count = {"with_total_count": None} if hasattr(request, "with_total_count") else {}
        size, remaining = _page_size(request) if limit else None, limit

        def fetch(cursor: str | None) -> Response:
            nonlocal remaining
            changes: dict[str, Any] = {"cursor": cursor, **without_count} if cursor else {}
            if size and remaining:
                changes["count"] = min(size, remaining)
            prepared = self.prepare(msgspec.structs.replace(request, **changes))
            response = self.exchange(msgspec.structs.replace(prepared, max_attempts=max_attempts))
            if remaining and isinstance(response.data, list):
                remaining = max(remaining - len(response.data), 0)
            return response

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
        if rate and "bearer" in request.endpoint.tokens:  # of the app, whoever uses it
            return msgspec.structs.replace(rate, account=OF_APP)
        if rate is None or rate.per == "token":
            return rate
        return msgspec.structs.replace(rate, account=getattr(request, "account_id", ""))

    def exchange(self, prepared: PreparedRequest, **options: Unpack[ExchangeOptions]) -> Response:
        """Send a request until there is a response, within --max-attempts and --max-wait.

        A request other than GET is sent inside the context `write_guard`, which may raise instead.
        """
        with nullcontext() if prepared.method == "GET" else self.write_guard(prepared):
            return self.send_untracked(prepared, **options)

    def send_untracked(self, prepared: PreparedRequest, **options: Unpack[ExchangeOptions]) -> Response:
        """Send a request as `exchange` does, for a caller that keeps track itself of what it changes.

        Every write passes the context `on_write`, which may raise instead.
        """
        attempts = _Attempts(self, prepared, **options)
        if not is_write(prepared):
            return attempts.send()
        with self.on_write(prepared) as on_response:
            response = attempts.send()
            on_response(response)
            return response

    def send_once(
        self, prepared: PreparedRequest, auth: "httpx.Auth | None", permit: Permit, parse: Parse
    ) -> Response:
        """Send a request once, and again if the service rejects a token that can be renewed."""
        auth = auth or self.app_auth(prepared)
        if auth or isinstance(credentials := self._credentials, UserKeys):
            return self._send_signed(prepared, auth or self._auth, permit, parse)
        from .signing import BearerAuth

        token = credentials.access_token
        try:
            return self._send_signed(prepared, BearerAuth(token), permit, parse)
        except AccessError as error:
            if error.http_status != 401:
                raise
        return self._send_signed(prepared, BearerAuth(credentials.renew(token)), permit, parse)

    def _send_signed(
        self, prepared: PreparedRequest, auth: "httpx.Auth", permit: Permit, parse: Parse
    ) -> Response:
        """Send a request once, within what is left of --max-wait."""
        with self._count_lock:
            self.requests += 1
        seconds = max(self.rate_limiter.remaining_wait(), MIN_TIMEOUT_SECONDS)
        timeout = min(self.timeout, seconds)
        return self._sender.send(prepared, auth, permit, timeout=timeout, max_seconds=seconds, parse=parse)

    def app_auth(self, prepared: PreparedRequest) -> "httpx.Auth | None":
        """Return what authenticates a request as the app, and None where the user does."""
        from .signing import BearerAuth

        token = self._app_token_for(prepared)
        return BearerAuth(token) if token else None

    def _app_token_for(self, prepared: PreparedRequest) -> str | None:
        """Return the token of the app where it authenticates a request, and None where the user does.

        An endpoint that takes both is used as the user, unless nobody is signed in.
        """
        tokens = prepared.declared.endpoint.tokens if prepared.declared else OF_USERS
        is_asked_for = self.identity == "bearer" and (prepared.declared is None or "bearer" in tokens)
        if not is_asked_for and ("bearer" not in tokens or self.identity == "user"):
            return None
        if not is_asked_for and tokens != OF_APP_ALONE and self._user_token in tokens:
            return None
        if self._app_token is None:
            or_user = "" if is_asked_for or tokens == OF_APP_ALONE else "; or sign in: adsctl auth login"
            raise AccessError("no bearer token of the app is stored", hint=BEARER_HINT + or_user)
        return self._app_token

    @cached_property
    def _user_token(self) -> Token | None:
        """The kind of token that the user is signed in with; None if nobody is."""
        try:
            return "user1" if isinstance(self._credentials, UserKeys) else "user2"
        except AccessError:
            return None

    @cached_property
    def _app_token(self) -> str | None:
        if token := self.app_token():
            self.trace.add_secrets(token)
        return token

    def note_retry(self, prepared: PreparedRequest, reason: str, delay: float) -> None:
        """Count a further attempt, and tell of it."""
        with self._count_lock:
            self.retries += 1
        self.on_retry(f"{reason}; retrying in {delay:.1f} s")
        self.trace.log("retry", url=prepared.logged_url, reason=reason, delay=round(delay, 3))

    def open(self) -> None:
        """Create what the threads share; raise AdsctlError if proxy, certificates or credentials are bad."""
        _ = self.rate_limiter, self._sender, self._credentials

    def stop(self) -> None:
        """Send no further request; each thread ends once it has the response that it waits for."""
        if "rate_limiter" in self.__dict__:
            self.rate_limiter.stop()

    @cached_property
    def _sender(self) -> "Sender":
        from ..http.connections import tls_context
        from .transport import Sender, ThreadConnections

        is_secure = any(map(self._is_https, BASES))
        connections = self.keep(
            f"connections {is_secure} {bool(self.app)}",
            lambda: ThreadConnections(self.app, tls_context(is_secure)),
        )
        return Sender(connections, self.trace, self.sign_in_hint, self.on_warning)

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


class _Attempts:
    """The attempts to send one request, until there is a response or the error of the last attempt.

    Each attempt holds a permit of the rate limiter until the delay of the next one is known. A route that the
    service limits is then paused before another of its requests is sent.
    """

    def __init__(
        self,
        client: Client,
        prepared: PreparedRequest,
        *,
        auth: "httpx.Auth | None" = None,
        parse: Parse = parse_json,
        on_send: Callable[[], None] = lambda: None,
        check: Callable[[Response], None] = lambda response: None,
    ) -> None:
        self._client, self._prepared, self._limiter = client, prepared, client.rate_limiter
        self._auth, self._parse, self._on_send, self._check = auth, parse, on_send, check
        self._failures = 0
        self._may_be_applied = False  # by an attempt that failed
        self._successes = client.rate_limiter.successes  # of all requests, when the last attempt failed

    def send(self) -> Response:
        """Return the response, or raise an error that says whether the request may have been applied."""
        try:
            while True:
                with self._limiter.acquire(self._prepared.route, self._prepared.rate) as permit:
                    try:
                        return self._attempt(permit)
                    except FailedAttempt as failed:
                        delay, is_stated = self._delay_after(failed)
                self._limiter.wait(delay)
                if is_stated:
                    self._limiter.record_progress()  # the service was not silent
        except (AdsctlError, StoppedError, Interrupted) as error:
            error.may_be_applied = error.may_be_applied or self._may_be_applied
            is_once = not self._prepared.retry and self._prepared.method != "GET"
            if error.may_be_applied and is_once and isinstance(error, ReportedError):
                error.hint = "the request may have been applied: check before you send it again"
            raise

    def _attempt(self, permit: Permit) -> Response:
        if not self._failures:
            self._on_send()
        try:
            response = self._client.send_once(self._prepared, self._auth, permit, self._parse)
            self._check_response(response)
        except Interrupted as signalled:  # while it was sent, or its response awaited
            signalled.may_be_applied = self._prepared.method != "GET"
            raise
        except AdsctlError as error:
            self._limiter.record_progress()
            if (
                isinstance(error, NotFoundError)
                and self._may_be_applied
                and self._prepared.method == "DELETE"
            ):
                return _already_deleted(self._prepared)
            raise
        self._limiter.record_success()
        self._client.has_mutated = self._client.has_mutated or self._prepared.method != "GET"
        return msgspec.structs.replace(response, may_be_repeated=self._may_be_applied)

    def _check_response(self, response: Response) -> None:
        try:
            self._check(response)
            if is_write(self._prepared):
                self._client.check_answer(self._prepared, response)
        except UnavailableError as error:
            error.http_status = response.status
            raise FailedAttempt(error, response.headers) from None

    def _delay_after(self, failed: FailedAttempt) -> tuple[float, bool]:
        """Return the seconds before the next attempt, and whether the service states them.

        Raise the error if there is no further attempt.
        """
        client, prepared, limiter, error = self._client, self._prepared, self._limiter, failed.error
        # A rate limit is not a failure of this request while others succeed.
        if not (failed.rate_limited and limiter.successes > self._successes):
            self._failures += 1
        self._successes = limiter.successes
        self._may_be_applied = self._may_be_applied or failed.may_be_applied
        is_last = self._failures >= (prepared.max_attempts or client.max_attempts)
        if is_last or (failed.may_be_applied and not prepared.retry):
            raise error
        requested = requested_delay(failed.headers, client.clock.time())
        is_stated = requested is not None
        delay = backoff(max(self._failures - 1, 0)) if requested is None else requested
        if not limiter.allows_wait(delay, is_stated=is_stated):
            error.message += "; " + limiter.wait_exceeded(requested)
            raise error
        if failed.rate_limited:
            limiter.pause(prepared.route, delay, is_stated=is_stated)
        client.note_retry(prepared, error.message, delay)
        return delay, is_stated


def _already_deleted(prepared: PreparedRequest) -> Response:
    """Return the response to a DELETE that an earlier attempt applied, though its response was lost."""
    id = prepared.url.partition("?")[0].rsplit("/", 1)[-1]
    return Response(404, {}, {"data": {"id": id, "deleted": True}})


def _page_size(request: Request) -> int | None:
    """Return the most records of a page that a request can ask for; None where it cannot ask."""
    from ..api.fields import fields_of

    largest = next(
        (field.type.limit("le") for field in fields_of(type(request)) if field.name == "count"), None
    )
    return largest and (getattr(request, "count", None) or largest)
