"""Register handlers for declared requests, within the rate limits that the service states."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from ...api.endpoint import Endpoint, Request
from ...api.names import SERVICES, Names
from ...api.problems import InvalidError, Problem
from ...api.rates import TOTAL_COUNTS, Rate
from ...api.records import with_removed, without_removed
from ...api.validation import convert
from ..storage import Store
from .faults import PARTIAL
from .request import IncomingRequest, echoed_params, read_params, record_fields_only, value_or_default
from .responses import ApiError, Headers, HttpResponse, Result, in_words_of
from .signatures import Authenticator

BEARER_TOKEN_REQUESTS = 10
BEARER_TOKEN_SECONDS = 60


class FixedWindow:
    """Limit the requests of each holder in fixed windows; a window starts with its first request."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._windows: dict[str, tuple[float, int]] = {}  # by holder: end (Unix seconds), requests so far
        self._lock = threading.Lock()

    def consume(self, holder: str, prefix: str = "x-rate-limit") -> Headers:
        """Count one request: return its rate-limit headers, or raise ApiError (429)."""
        now = time.time()
        with self._lock:
            end, used = self._windows.get(holder, (0.0, 0))
            if end <= now:
                end, used = now + self._seconds, 0
            count = min(used + 1, self._limit)
            self._windows[holder] = end, count
        headers = (
            (f"{prefix}-limit", str(self._limit)),
            (f"{prefix}-remaining", str(self._limit - count)),
            (f"{prefix}-reset", str(math.ceil(end))),
        )
        if used >= self._limit:
            wait = str(max(1, math.ceil(end - now)))
            message = f"the limit of {self._limit} requests is reached; retry in {wait} seconds"
            raise ApiError(429, "TOO_MANY_REQUESTS", message, headers=(*headers, ("Retry-After", wait)))
        return headers


class RateLimits:
    """All rate limits of one emulator instance: those that the service states."""

    def __init__(self, service: str = "generic") -> None:
        self._service = service
        self._windows: dict[str, FixedWindow] = {}  # by the name of the rate
        self.bearer_tokens = FixedWindow(BEARER_TOKEN_REQUESTS, BEARER_TOKEN_SECONDS)

    def consume(self, endpoint: Endpoint, user: str, account: str) -> Headers:
        """Count a request to an endpoint: return its rate-limit headers, or raise ApiError (429)."""
        rate = endpoint.rates[self._service]
        if rate is None:
            return ()
        if rate.per == "token" or not account:
            return self._window(rate).consume(user)
        # The service sends these with reads only.
        prefix = "x-rate-limit" if endpoint.mutates else "x-account-rate-limit"
        return self._window(rate).consume(account, prefix)

    def consume_total_count(self, user: str) -> Headers:
        """Count a request for a total count."""
        return self._window(TOTAL_COUNTS).consume(user)

    def _window(self, rate: Rate) -> FixedWindow:
        return self._windows.setdefault(rate.name, FixedWindow(rate.requests, rate.seconds))


R = TypeVar("R", bound=Request)
UNKNOWN_PARAMETERS = "X-Emulator-Unknown-Parameters"
MAX_LISTED_CHARACTERS = 2000  # of a header


@dataclass
class RequestContext:
    """What a handler has access to besides the declared request."""

    store: Store
    authenticator: Authenticator
    rate_limits: RateLimits
    incoming: IncomingRequest
    path_params: dict[str, str]
    service: str = "generic"  # that the emulator speaks
    is_strict: bool = True  # whether unknown parameters are refused
    user: str = ""  # who signed the request; "" until a raw handler authenticates it
    fault: str = ""  # on demand, to be carried out by the handler
    echoed: dict[str, Any] = field(default_factory=dict)  # parameters that the envelope repeats
    rate_headers: Headers = ()  # of the response
    unknown: list[str] = field(default_factory=list)  # parameters that are left out

    def consume_rate(self, endpoint: Endpoint) -> None:
        """Count the request against the limit of its endpoint; raise ApiError (429) beyond it."""
        self.rate_headers = self.rate_limits.consume(endpoint, self.user, self.account)

    @property
    def headers(self) -> Headers:
        """The headers of the response: its rate limit, and what of the request was left out."""
        if not self.unknown:
            return self.rate_headers
        listed = ", ".join(quote(name, safe="[].=") for name in dict.fromkeys(self.unknown))
        return (*self.rate_headers, (UNKNOWN_PARAMETERS, listed[:MAX_LISTED_CHARACTERS]))

    @property
    def partial(self) -> bool:
        """Whether some items of a batch are to be rejected."""
        return self.fault == PARTIAL

    @property
    def account(self) -> str:
        """The account in the path; "" where none is."""
        return self.path_params.get("account_id", "")

    @property
    def names(self) -> Names:
        """The names of the service on the wire."""
        return SERVICES[self.service]


Handler = Callable[[RequestContext, R], Result | HttpResponse]
RawHandler = Callable[[RequestContext], HttpResponse]


class RegisteredHandler(NamedTuple):
    """A handler, and the request type it expects."""

    function: Callable[[RequestContext, Any], Result | HttpResponse]
    request_type: type[Request] | None  # None: a raw handler, which authenticates and parses by itself
    extra_lines: tuple[str, ...] = ()  # further method and path pairs, such as POST /oauth/authorize


_registry: dict[type[Request], RegisteredHandler] = {}


def handler(
    declared: type[Request], *, parse_as: type[R] | None = None
) -> Callable[[Handler[R]], Handler[R]]:
    """Register a function for a declared request, which it receives authenticated and validated.

    With `parse_as`, the request is validated as that type instead, for handlers that validate the items
    of a batch one by one.
    """

    def register(function: Handler[R]) -> Handler[R]:
        _registry[declared] = RegisteredHandler(function, parse_as or declared)
        return function

    return register


def raw_handler(declared: type[Request], *extra_lines: str) -> Callable[[RawHandler], RawHandler]:
    """Register a function for a request that it authenticates and parses by itself.

    `extra_lines` are further lines that it handles, such as `POST /oauth/authorize`.
    """

    def register(function: RawHandler) -> RawHandler:
        _registry[declared] = RegisteredHandler(lambda context, _: function(context), None, extra_lines)
        return function

    return register


def registered(declared: type[Request]) -> RegisteredHandler | None:
    """Return the handler of a declared request, or None."""
    return _registry.get(declared)


# Codes of problems, by the beginning of their messages.
CODES = {
    "is required": "MISSING_PARAMETER",
    "cannot be used with": "EXCLUSIVE_PARAMETERS",
    "": "INVALID_PARAMETER",
}
T = TypeVar("T")


def read_request(context: RequestContext, endpoint: Endpoint, request_type: type[Request]) -> Request:
    """Read and validate the parameters, and apply the rate limit of total counts; raise InvalidError."""
    request = tolerantly(context, lambda unknown: _read(context, endpoint, request_type, unknown))
    context.echoed = echoed_params(request, endpoint)
    if value_or_default(request, "with_total_count"):
        context.rate_headers = context.rate_limits.consume_total_count(context.user)
    return request


def tolerantly(context: RequestContext, read: Callable[[list[str] | None], T]) -> T:
    """Read what is valid, or unless the emulator is strict, what is without its unknown parameters.

    `read` is given a list for their names where they are to be left out, and else None.
    """
    try:
        return read(None)
    except InvalidError:
        if context.is_strict:
            raise
        return read(context.unknown)


def _read(
    context: RequestContext, endpoint: Endpoint, request_type: type[Request], unknown: list[str] | None
) -> Request:
    is_x = context.service == "x"
    params = read_params(
        context.incoming,
        endpoint,
        request_type,
        context.path_params,
        context.names,
        takes_form=is_x,
        # The SDK of service x sends loaded records back.
        ignored=record_fields_only(endpoint, request_type) if is_x else (),
        unknown=unknown,
    )
    removed: list[str] = []
    if is_x:
        params, removed = without_removed(request_type, params)
    request = convert(request_type, params, strict=endpoint.params_in == "json")
    return with_removed(request, removed)


def error_of(problem: Problem, names: Names) -> dict[str, Any]:
    """Format a problem as an error of the advertising API."""
    code = next(code for beginning, code in CODES.items() if problem.message.startswith(beginning))
    return in_words_of(names, {"code": code, "message": str(problem), "parameter": problem.path})
