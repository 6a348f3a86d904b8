"""The activity stream: opened again as the service advises, until there is a reason to end."""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import httpx

from ..api.events import ListenToEvents
from ..client.api_errors import error_of, errors_of, is_problem, slug_of
from ..client.client import Client
from ..client.response import not_understood, read_response
from ..client.transport import EmulatorTransport, http_request
from ..errors import AdsctlError, RateLimitedError, RefusedError, UnavailableError
from ..http.connections import through_proxy, tls_context
from ..http.network import StreamTransport
from ..http.response_body import is_certificate_error, network_error, read_body
from ..http.retry import requested_delay
from .backoff import Backoff, Failure
from .event import MAX_EVENT_BYTES, Event, read_event
from .forwarding import pause
from .lines import LineCutter, StalledLineError, TooLongLine

# The service sends an empty line at least every 20 seconds; one may be late.
SILENCE_SECONDS = 25.0
MAX_BACKFILL_MINUTES = 5
# Why the service ends a stream, where it would end again.
FINAL_DISCONNECTS = ("ForceDisconnect", "InvalidRules", "ClientApplicationStateDegraded")
FINAL_ISSUES = ("RuleConfigurationIssue", "RulesInvalidIssue")
CLOSED_HINT = "adsctl events connections list --status all shows which connections were closed, and why"
NO_BACKFILL = "the service repeats no events for this app; those of a gap are missing"


class StreamFailure(Exception):
    """A failure after which the stream is opened again."""

    def __init__(self, error: AdsctlError, failure: Failure, delay: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.failure = failure
        self.delay = delay  # that the service asks for


class StreamMessages(NamedTuple):
    """What is told while a stream is read."""

    retry: Callable[[str], None]
    warn: Callable[[str], None]  # something is missing


class ActivityStream:
    """Reads events in one thread; another one may stop it."""

    def __init__(self, client: Client, messages: StreamMessages, backfill_minutes: int = 0) -> None:
        self._client, self._messages = client, messages
        self._clock = client.clock
        self._backfill_minutes = backfill_minutes
        self._may_backfill = True
        self._backoff = Backoff(self._clock.monotonic())
        self._heard_at: float | None = None  # when the stream last sent anything
        self._transport = self._connection()
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End the reading, from another thread."""
        self._stopping.set()
        if isinstance(self._transport, StreamTransport):
            self._transport.hang_up()

    def events(self) -> Iterator[Event]:
        """Yield events until the stream is stopped; raise AdsctlError for a reason that stays."""
        while not self._stopping.is_set():
            try:
                yield from self._read()
            except StreamFailure as failed:
                if not self._stopping.is_set():
                    self._wait_after(failed)

    def _wait_after(self, failed: StreamFailure) -> None:
        """Wait before the next attempt; raise the error if --max-wait has passed without the stream."""
        advised = self._backoff.delay(failed.failure)
        delay = advised if failed.delay is None else failed.delay
        down = self._clock.monotonic() - self._backoff.well_at
        if down + delay > self._client.max_wait:
            failed.error.message += f"; the stream was down for {down:.0f} s, and --max-wait is over"
            raise failed.error
        when = f"in {delay:g} s" if delay else "at once"
        self._messages.retry(f"{failed.error.message}; reconnecting {when}")
        pause(self._clock, delay, self._stopping.is_set)

    def _read(self) -> Iterator[Event]:
        """Read one connection to its end, which is a StreamFailure."""
        backfill = self._backfill()
        opened_at = self._clock.monotonic()
        cutter = LineCutter()
        try:
            with closing(self._open(backfill)) as response:
                for line in self._lines(response, cutter):
                    now = self._clock.monotonic()
                    self._backfill_minutes = 0  # asked for once, and answered
                    if (event := self._event(line)) or now - opened_at >= SILENCE_SECONDS:
                        self._backoff.reset(now)
                    if event:
                        yield event
        except StalledLineError:
            raise StreamFailure(
                UnavailableError("the stream stopped in the middle of a line"), "network"
            ) from None
        except httpx.TimeoutException:
            raise self._silence() from None
        except httpx.RemoteProtocolError:
            pass  # it was closed in the middle of a chunk, as a server that is stopped closes it
        except httpx.TransportError as error:
            raise StreamFailure(network_error(error, self._url), "network") from None
        raise StreamFailure(UnavailableError("the service closed the stream without a reason"), "network")

    def _lines(self, response: httpx.Response, cutter: LineCutter) -> Iterator[bytes | TooLongLine]:
        """Yield lines; raise StreamFailure where neither an event nor a heartbeat comes in time."""
        self._heard_at = self._clock.monotonic()
        assert isinstance(response.stream, httpx.SyncByteStream)
        for chunk in response.stream:
            if self._stopping.is_set():
                return
            now = self._clock.monotonic()
            if chunk:
                self._heard_at = now
            elif now - self._heard_at > SILENCE_SECONDS:
                raise self._silence()
            yield from cutter.feed(chunk, now)

    def _silence(self) -> StreamFailure:
        text = f"the stream was silent for {SILENCE_SECONDS:g} s"
        return StreamFailure(UnavailableError(text), "network")

    def _event(self, line: bytes | TooLongLine) -> Event | None:
        """Read a line; None for a heartbeat and for what cannot be read, which is said."""
        if isinstance(line, TooLongLine):
            self._messages.warn(f"an event was dropped: its line has more than {MAX_EVENT_BYTES:,} bytes")
            return None
        if not line.strip():
            return None
        try:
            event = read_event(line)
        except ValueError as error:
            self._messages.warn(f"a line of the stream was dropped: {error}")
            return None
        if event.document.get("errors") and not event.document.get("data"):
            raise disconnection(event.document)
        return event

    def _backfill(self) -> int:
        """Return the minutes whose events the service is asked to repeat."""
        if self._heard_at is None:
            return self._backfill_minutes
        if not self._may_backfill:
            return 0
        minutes = math.ceil((self._clock.monotonic() - self._heard_at) / 60) or 1
        if minutes > MAX_BACKFILL_MINUTES:
            self._messages.warn(f"the stream was down for {minutes} minutes; only the last 5 are repeated")
        return min(minutes, MAX_BACKFILL_MINUTES)

    def _open(self, backfill: int) -> httpx.Response:
        """Open the stream; raise StreamFailure, or AdsctlError where another attempt would be refused too."""
        client = self._client
        prepared = client.prepare(ListenToEvents(backfill_minutes=backfill or None))
        request = http_request(prepared, SILENCE_SECONDS, math.inf)
        request.headers["Accept-Encoding"] = "identity"
        auth = client.app_auth(prepared)
        assert auth
        client.trace.request(prepared.method, prepared.url, request.headers, b"")
        started = self._clock.monotonic()
        try:
            response = self._transport.handle_request(next(auth.auth_flow(request)))
        except httpx.TransportError as error:
            if is_certificate_error(error):
                raise network_error(error, prepared.url) from None
            raise
        status = response.status_code
        headers = {name.lower(): value for name, value in response.headers.items()}
        content = b"" if status == 200 else _whole(response)
        seconds = self._clock.monotonic() - started
        client.trace.response(prepared.method, prepared.logged_url, status, headers, content, seconds)
        if status == 200:
            return response
        refused = _error_of(status, headers, client.trace.mask.values_in(content))
        refused.message = client.trace.mask(refused.message)
        if backfill and status in (400, 403) and self._may_backfill:
            self._may_backfill, self._backfill_minutes = False, 0
            self._messages.warn(NO_BACKFILL)
            return self._open(0)
        raise refusal(refused, requested_delay(headers, self._clock.time()))

    @property
    def _url(self) -> str:
        return self._client.address("platform")

    def _connection(self) -> httpx.BaseTransport:
        if self._client.app:
            return EmulatorTransport(self._client.app)
        url = httpx.URL(self._url)
        return through_proxy(StreamTransport, url, tls_context(url.scheme == "https"))


def _whole(response: httpx.Response) -> bytes:
    with closing(response):
        return read_body(response)


def _error_of(status: int, headers: dict[str, str], content: bytes) -> AdsctlError:
    """Return the error that a response means, which opens no stream."""
    try:
        read_response(status, headers, content)
    except AdsctlError as error:
        return error
    return not_understood(f"status {status}, where a stream was to be opened")


def refusal(error: AdsctlError, delay: float | None = None) -> AdsctlError | StreamFailure:
    """Return what a refused attempt means: the error, or a failure after which to try again."""
    issues = _members(error.body, "connection_issue")
    if "TooManyConnections" in issues or isinstance(error, RateLimitedError):
        return StreamFailure(_as_limit(error), "limit", delay)
    if any(issue in FINAL_ISSUES for issue in issues):
        return error
    is_redirect = error.http_status is not None and 300 <= error.http_status < 400
    if issues or (isinstance(error, UnavailableError) and not is_redirect):
        return StreamFailure(error, "http", delay)
    return error


def disconnection(document: dict[str, Any]) -> AdsctlError | StreamFailure:
    """Return what a line means that the service sends before it ends a stream."""
    error = error_of(200, document)
    if reasons := _members(document, "disconnect_type"):
        ended = f"the service ended the stream: {', '.join(reasons)}"
        if any(reason in FINAL_DISCONNECTS for reason in reasons):
            message = ": ".join((ended, *_members(document, "detail")))
            return RefusedError(message, hint=CLOSED_HINT, api_code=error.api_code)
        return StreamFailure(UnavailableError(ended), "http" if "SlowReader" in reasons else "network")
    if any(slug == "usage-capped" for slug in _slugs(document)):
        return _as_limit(error)
    return refusal(error)


def _as_limit(error: AdsctlError) -> RateLimitedError:
    """Return an error as one of a limit, whatever status it came with."""
    if isinstance(error, RateLimitedError):
        return error
    return RateLimitedError(
        error.message, hint=error.hint, http_status=error.http_status, api_code=error.api_code
    )


def _problems(body: object) -> list[dict[str, Any]]:
    if not isinstance(body, dict):
        return []
    return [body] if is_problem(body) else errors_of(body)


def _members(body: object, name: str) -> list[str]:
    return [value for problem in _problems(body) if isinstance(value := problem.get(name), str)]


def _slugs(body: object) -> list[str]:
    return [slug_of(problem.get("type")) for problem in _problems(body)]
