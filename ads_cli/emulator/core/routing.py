"""Route requests to handlers by the declared endpoints."""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from ...api.batches import batch_request
from ...api.endpoint import Endpoint, Request, requests_for
from ...api.names import SERVICES
from .batch import BatchHandler
from .handlers import RegisteredHandler, registered
from .request import IncomingRequest
from .responses import ApiError, RecordNotFoundError

# By service: older versions whose paths are answered as those of a later one. The public SDK of service x
# sends version 11, whose end its reference does not state.
LATER_VERSIONS = {"generic": {}, "x": {"11": "12"}}


class Route(NamedTuple):
    """One declared endpoint, with its path split into segments."""

    endpoint: Endpoint
    segments: tuple[str, ...]
    handler: RegisteredHandler | None

    def match(self, segments: list[str]) -> dict[str, str] | None:
        """Match the same number of segments: return the path parameters, or None."""
        params = {}
        for expected, segment in zip(self.segments, segments, strict=True):
            if expected.startswith("{"):
                params[expected[1:-1]] = segment
            elif expected != segment:
                return None
        return params


class Match(NamedTuple):
    """The route of a request."""

    endpoint: Endpoint
    handler: RegisteredHandler
    path_params: dict[str, str]


class Router:
    """Find the endpoint and handler of a request."""

    def __init__(
        self,
        service: str = "generic",
        handler_of: Callable[[type[Request]], RegisteredHandler | None] = registered,
    ) -> None:
        self._names = SERVICES[service]
        self._later_versions: dict[str, str] = LATER_VERSIONS[service]
        self._routes: dict[int, list[Route]] = {}  # by number of segments
        self._batches: dict[str, BatchHandler] = {}  # by path
        for request in requests_for(service):
            handler = handler_of(request)
            if not request.endpoint.is_batch:
                self._add(request.endpoint, handler)
            for line in handler.extra_lines if handler else ():
                method, path = line.split()
                self._add(msgspec.structs.replace(request.endpoint, method=method, path=path), handler)
            if handler and request.endpoint.batch:
                self._add_batch(request, request.endpoint.batch.path, handler)
        for routes in self._routes.values():  # literals before placeholders: /cards/poll is not a card id
            routes.sort(key=lambda route: [segment.startswith("{") for segment in route.segments])

    def _add_batch(self, request: type[Request], path: str, handler: RegisteredHandler) -> None:
        """Accept a request as an operation of its batch line."""
        if path not in self._batches:
            declared = request if request.endpoint.is_batch else batch_request(request)
            endpoint = msgspec.structs.replace(declared.endpoint, batch=request.endpoint.batch)
            self._batches[path] = BatchHandler(endpoint)
            self._add(endpoint, RegisteredHandler(self._batches[path], None))
        self._batches[path].add(request, handler)

    def _add(self, endpoint: Endpoint, handler: RegisteredHandler | None) -> None:
        segments = tuple(map(self._names.segment, endpoint.path.split("/")))
        self._routes.setdefault(len(segments), []).append(Route(endpoint, segments, handler))

    def __iter__(self) -> Iterator[Route]:
        return (route for routes in self._routes.values() for route in routes)

    def find(self, incoming: IncomingRequest) -> Match:
        """Return the route of a request; raise ApiError (404, 405 or 501) if there is none."""
        segments = [_decode_segment(segment) for segment in incoming.path.split("/")]
        match = self._match(incoming, segments)
        if match is None and len(segments) > 1 and (later := self._later_versions.get(segments[1])):
            match = self._match(incoming, ["", later, *segments[2:]])
        if match is None:
            raise RecordNotFoundError("route", f"the path {incoming.path} does not exist")
        return match

    def _match(self, incoming: IncomingRequest, segments: list[str]) -> Match | None:
        """Return the route of a path, or None; raise ApiError (405 or 501) for what it has no handler for."""
        allowed = set()
        for route in self._routes.get(len(segments), ()):
            path_params = route.match(segments)
            if path_params is None:
                continue
            if route.endpoint.method != incoming.method:
                allowed.add(route.endpoint.method)
            elif route.handler is None:
                line = f"{route.endpoint.method} {route.endpoint.path}"
                raise ApiError(501, "NOT_IMPLEMENTED", f"the emulator does not implement {line} yet")
            else:
                return Match(route.endpoint, route.handler, path_params)
        if allowed:
            allow = ", ".join(sorted(allowed))
            message = f"{incoming.path} does not support {incoming.method}, only {allow}"
            raise ApiError(405, "METHOD_NOT_ALLOWED", message, headers=(("Allow", allow),))
        return None


def _decode_segment(segment: str) -> str:
    """Percent-decode one segment of a path."""
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        raise ApiError(400, "BAD_REQUEST", "the path is not UTF-8") from None
