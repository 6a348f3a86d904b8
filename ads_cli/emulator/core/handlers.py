"""Register handlers for declared requests."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from ...api.endpoint import Endpoint, Request
from ...api.names import SERVICES, Names
from ..storage.store import Store
from .faults import PARTIAL
from .incoming_request import IncomingRequest
from .rate_limits import RateLimits
from .responses import Headers, HttpResponse, Result
from .signatures import Authenticator

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
        account = self.path_params.get("account_id", "")
        self.rate_headers = self.rate_limits.consume(endpoint, self.user, account)

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
