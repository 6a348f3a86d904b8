"""Which handler answers which request, by the declared endpoints."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ...api.endpoint import MODULES, Endpoint, Request, requests_of
from .incoming import Incoming, decoded
from .limits import Limits
from .responses import ApiError, HttpResponse, Result
from .signatures import Authenticator
from .store import Store

R = TypeVar("R", bound=Request)
Handler = Callable[["Call", Any], Result | HttpResponse]


@dataclass
class Call:
    """What a handler may use beside the request itself."""

    store: Store
    gate: Authenticator
    limits: Limits
    incoming: Incoming
    ids: dict[str, str]  # the fields that stand in the path
    user: str = ""  # whose token signed the request; "" where an endpoint takes no token
    partial: bool = False  # a fault on demand: refuse some items of a batch
    params: dict[str, Any] = field(default_factory=dict)  # told back in the envelope


class Bound(NamedTuple):
    """A handler, and what has to be done before it is called."""

    handler: Handler
    reads: type[Request] | None  # None where the handler looks at the request, and who asks, by itself
    also: tuple[str, ...] = ()  # further lines that come to the handler


_handlers: dict[type[Request], Bound] = {}


def handles(
    request: type[Request], *, reads: type[R] | None = None
) -> Callable[[Callable[[Call, R], Result | HttpResponse]], Callable[[Call, R], Result | HttpResponse]]:
    """Bind a function to a declared request, which comes to it decoded and checked.

    `reads` is checked in its place where a batch's items are to be looked at one by one.
    """

    def bind(
        handler: Callable[[Call, R], Result | HttpResponse],
    ) -> Callable[[Call, R], Result | HttpResponse]:
        _handlers[request] = Bound(handler, reads or request)
        return handler

    return bind


def answers(
    request: type[Request], *also: str
) -> Callable[[Callable[[Call], HttpResponse]], Callable[[Call], HttpResponse]]:
    """Bind a function to a request that comes to it as it was sent, with nobody's signature checked.

    The steps and pages of signing in want it so. `also` names further lines, as `POST /oauth/authorize`.
    """

    def bind(handler: Callable[[Call], HttpResponse]) -> Callable[[Call], HttpResponse]:
        _handlers[request] = Bound(lambda call, _: handler(call), None, also)
        return handler

    return bind


class Route(NamedTuple):
    """One declared endpoint, ready to be compared with a path."""

    endpoint: Endpoint
    parts: tuple[str, ...]
    bound: Bound | None

    def ids_in(self, segments: list[str]) -> dict[str, str] | None:
        """Give the fields that stand in a path of as many segments, or None where it is another path."""
        ids = {}
        for part, segment in zip(self.parts, segments, strict=True):
            if part.startswith("{"):
                ids[part[1:-1]] = segment
            elif part != segment:
                return None
        return ids


class Router:
    """Find the endpoint of a method and a path."""

    def __init__(self) -> None:
        self._routes: dict[int, list[Route]] = {}
        for request in (request for module in MODULES for request in requests_of(module)):
            bound = _handlers.get(request)
            self._add(request.endpoint, bound)
            for line in bound.also if bound else ():
                method, path = line.split()
                self._add(request.endpoint._replace(method=method, path=path), bound)
        for routes in self._routes.values():  # words before placeholders: /cards/poll is no card's id
            routes.sort(key=lambda route: [part.startswith("{") for part in route.parts])

    def _add(self, endpoint: Endpoint, bound: Bound | None) -> None:
        parts = tuple(endpoint.path.split("/"))
        self._routes.setdefault(len(parts), []).append(Route(endpoint, parts, bound))

    def find(self, incoming: Incoming) -> tuple[Endpoint, Bound, dict[str, str]]:
        """Name the endpoint that a request is for, its handler, and the ids in its path."""
        segments = [decoded(segment) for segment in incoming.path.split("/")]
        others = []
        for route in self._routes.get(len(segments), ()):
            ids = route.ids_in(segments)
            if ids is None:
                continue
            if route.endpoint.method != incoming.method:
                others.append(route.endpoint.method)
            elif route.bound is None:
                line = f"{route.endpoint.method} {route.endpoint.path}"
                raise ApiError(501, "NOT_IMPLEMENTED", f"the emulator does not answer {line} yet")
            else:
                return route.endpoint, route.bound, ids
        if others:
            allow = ", ".join(sorted(set(others)))
            message = f"{incoming.method} is not for {incoming.path}; it takes {allow}"
            raise ApiError(405, "METHOD_NOT_ALLOWED", message, headers=(("Allow", allow),))
        raise ApiError(404, "NOT_FOUND", f"{incoming.path} is not a path of this service")
