"""Register handlers for declared requests, within the rate limits that the service states."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from ...api.endpoint import Endpoint, Request
from ...api.names import SERVICES, Names
from ...api.problems import Problem
from ...api.rates import TOTAL_COUNTS, Rate
from ...api.records import with_removed, without_removed
from ..storage import Record, Store
from .faults import PARTIAL
from .request import IncomingRequest, converted, echoed_params, read_params, value_or_default
from .responses import ApiError, Headers, HttpResponse, Result, SignInError, not_found, with_names_of
from .signatures import Authenticator

BEARER_TOKEN_REQUESTS = 10
BEARER_TOKEN_SECONDS = 60
PLATFORM_LIMIT = 88  # the code of an error


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

    def __init__(self, service: str) -> None:
        self._service = service
        self._windows: dict[str, FixedWindow] = {}  # by the name of the rate
        self.bearer_tokens = FixedWindow(BEARER_TOKEN_REQUESTS, BEARER_TOKEN_SECONDS)

    def consume(self, endpoint: Endpoint, user: str, account: str) -> Headers:
        """Count a request to an endpoint: return its rate-limit headers, or raise ApiError (429)."""
        rate = endpoint.rates[self._service]
        if rate is None:
            return ()
        if rate.per == "token" or not account:
            try:
                return self._window(rate).consume(user)
            except ApiError as error:
                if endpoint.base != "platform":
                    raise
                raise SignInError(429, PLATFORM_LIMIT, str(error), headers=error.headers) from None
        # The service sends these with reads only.
        prefix = "x-rate-limit" if endpoint.mutates else "x-account-rate-limit"
        return self._window(rate).consume(account, prefix)

    def consume_total_count(self, user: str) -> Headers:
        """Count a request for a total count."""
        return self._window(TOTAL_COUNTS).consume(user)

    def _window(self, rate: Rate) -> FixedWindow:
        return self._windows.setdefault(rate.name, FixedWindow(rate.requests, rate.seconds))


R = TypeVar("R", bound=Request)
ACCOUNT = "account"  # the kind of its record
IN_ACCOUNT = "{account_id}/"  # in the paths of what belongs to an account
UNKNOWN_PARAMETERS = "X-Emulator-Unknown-Parameters"
MAX_LISTED_CHARACTERS = 2000  # of a header


@dataclass
class AccountContext:
    """An account, the user who works in it, and what is stored."""

    store: Store
    account: str  # the one in the path of a request; "" where none is
    user: str  # who signed the request; "" until a raw handler authenticates it, and of an app's token

    def find(self, kind: str, id: str, *, with_deleted: bool = False) -> Record | None:
        """Return a record of the account; None if there is none."""
        return self.store.find(kind, id, owner=self.account, with_deleted=with_deleted)

    def find_all(self, kind: str, **fields: str) -> list[Record]:
        """Return the records of the account with some values, oldest first."""
        return self.store.find_all(kind, self.account, with_deleted=False, **fields)

    def require(self, kind: str, id: str, *, owner: str | None = None, with_deleted: bool = False) -> Record:
        """Return a record of an owner, the account by default; raise ApiError (404)."""
        owner = self.account if owner is None else owner
        record = self.store.find(kind, id, owner=owner, with_deleted=with_deleted)
        if record is None:
            raise not_found(kind, id)
        return record

    def require_account(self) -> Record:
        """Return the account; raise ApiError (404) for one of another user."""
        return self.require(ACCOUNT, self.account, owner=self.user)


@dataclass
class RequestContext(AccountContext):
    """What a handler has access to besides the declared request."""

    _: KW_ONLY
    authenticator: Authenticator
    rate_limits: RateLimits
    incoming: IncomingRequest
    path_params: dict[str, str]
    service: str  # that the emulator speaks
    unknown: list[str] | None  # parameters that were left out; None where they are refused
    app: str = ""  # whose token the request has
    scopes: frozenset[str] | None = None  # of that token; None if no scope limits it
    fault: str = ""  # on demand, to be carried out by the handler
    echoed: dict[str, Any] = field(default_factory=dict)  # parameters that the envelope repeats
    rate_headers: Headers = ()  # of the response

    def consume_rate(self, endpoint: Endpoint) -> None:
        """Count the request against the limit of its endpoint; raise ApiError (429) beyond it."""
        holder = self.app if "bearer" in endpoint.tokens else self.user
        self.rate_headers = self.rate_limits.consume(endpoint, holder, self.account)

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
    def names(self) -> Names:
        """The names of the service on the wire."""
        return SERVICES[self.service]


Handler = Callable[[RequestContext, R], Result | HttpResponse]
RawHandler = Callable[[RequestContext], HttpResponse]


class RegisteredHandler(NamedTuple):
    """A handler, and the request type it expects."""

    function: Callable[[RequestContext, Any], Result | HttpResponse]
    request_type: type[Request] | None  # None: a raw handler, which authenticates and parses by itself
    extra_routes: tuple[str, ...] = ()  # methods with their paths, such as POST /oauth/authorize
    item_type: type[msgspec.Struct] | None = None  # of each item that it converts by itself

    def __call__(
        self, context: RequestContext, endpoint: Endpoint, request: Request | None
    ) -> Result | HttpResponse:
        """Handle a request; raise ApiError (404) if it is for what is in an account of another user."""
        if self.request_type and IN_ACCOUNT in endpoint.path:
            context.require_account()
        return self.function(context, request)


_registry: dict[type[Request], RegisteredHandler] = {}


def handler(
    declared: type[Request],
    *,
    parse_as: type[R] | None = None,
    item_type: type[msgspec.Struct] | None = None,
) -> Callable[[Handler[R]], Handler[R]]:
    """Register a function for a declared request, which it receives authenticated and validated.

    With `parse_as`, the request is validated as that type instead, for handlers that validate the items
    of a batch one by one, each as `item_type`.
    """

    def register(function: Handler[R]) -> Handler[R]:
        _registry[declared] = RegisteredHandler(function, parse_as or declared, item_type=item_type)
        return function

    return register


def raw_handler(
    declared: type[Request], *extra_routes: str, item_type: type[msgspec.Struct] | None = None
) -> Callable[[RawHandler], RawHandler]:
    """Register a function for a request that it authenticates and parses by itself.

    `extra_routes` are others that it handles, such as `POST /oauth/authorize`.
    """

    def register(function: RawHandler) -> RawHandler:
        _registry[declared] = RegisteredHandler(
            lambda context, _: function(context), None, extra_routes, item_type
        )
        return function

    return register


def registered(declared: type[Request]) -> RegisteredHandler | None:
    """Return the handler of a declared request, or None."""
    return _registry.get(declared)


# Codes of problems, by the beginning of their messages, which api/validation and api/conditions write.
CODES = {
    "is required": "MISSING_PARAMETER",
    "cannot be used with": "EXCLUSIVE_PARAMETERS",
    "": "INVALID_PARAMETER",  # of any other; the first that fits is taken
}


def read_request(context: RequestContext, endpoint: Endpoint, request_type: type[Request]) -> Request:
    """Read and validate the parameters. Apply the rate limit of total counts. Raise InvalidError."""
    params = read_params(
        context.incoming, endpoint, request_type, context.path_params, context.names, unknown=context.unknown
    )
    removed: list[str] = []
    if context.service == "x":
        params, removed = without_removed(request_type, params)
    request = with_removed(converted(request_type, params, strict=endpoint.params_in == "json"), removed)
    context.echoed = echoed_params(request, endpoint)
    if value_or_default(request, "with_total_count"):
        context.rate_headers = context.rate_limits.consume_total_count(context.user)
    return request


def error_of(problem: Problem, names: Names) -> dict[str, Any]:
    """Format a problem as an error of the advertising API."""
    code = next(code for beginning, code in CODES.items() if problem.message.startswith(beginning))
    return with_names_of(names, {"code": code, "message": str(problem), "parameter": problem.path})
