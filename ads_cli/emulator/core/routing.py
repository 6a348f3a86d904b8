"""Route requests, and the operations of a batch, to handlers by the declared endpoints."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from ...api.endpoint import Endpoint, Request
from ...api.fields import enum_fields
from ...api.names import SERVICES
from ...api.parts import batch_request, operation_of
from ...api.problems import InvalidError, Problem
from ...api.registry import requests_for
from ..storage import without
from .handlers import RegisteredHandler, RequestContext, error_of, registered
from .request import (
    IncomingRequest,
    converted,
    fields_of_record_only,
    json_value,
    read_names,
    split_texts,
    without_unknown,
)
from .responses import ApiError, HttpResponse, OperationsError, RecordNotFoundError, Result
from .shapes_of_x import in_shape_of_x

SDK_MARK = "to_delete"  # what the public SDK marks records with, and sends along


class BatchHandler:
    """Handle the requests of one batch endpoint, each operation as its own request would be."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.operations: dict[str, RegisteredHandler] = {}  # by operation_type

    def __call__(self, context: RequestContext, request: None) -> HttpResponse:
        """Apply the operations, or none of them."""
        context.user = context.authenticator.authenticate_user(context.incoming, writes=True).user
        context.consume_rate(self.endpoint)
        items = self._items(context)
        with context.store.transaction():
            records = self._apply(context, items)
        return HttpResponse.json({"request": items, "data": records})

    def _items(self, context: RequestContext) -> list[Any]:
        """Read the list of operations. Raise ApiError if it is not a list, or is too long."""
        items = json_value(context.incoming)
        if not isinstance(items, list) or not items:
            raise ApiError(400, "BAD_REQUEST", "the body is not a list of operations")
        assert self.endpoint.batch
        if len(items) > (most := self.endpoint.batch.size):
            message = f"a batch has at most {most} operations, not {len(items)}"
            raise ApiError(400, "INVALID_PARAMETER", message)
        return items

    def _apply(self, context: RequestContext, items: list[Any]) -> list[Any]:
        """Apply operations in their order; raise OperationsError where one or more are refused."""
        records: list[Any] = []
        errors: list[list[dict[str, Any]]] = [[] for _ in items]
        for number, item in enumerate(items):
            try:
                records.append(self._apply_one(context, item))
            except InvalidError as error:
                errors[number] = [error_of(problem, context.names) for problem in error.problems]
            except ApiError as error:
                errors[number] = error.errors_in(context.names)
        if any(errors):
            raise OperationsError(errors, items)
        return records

    def _apply_one(self, context: RequestContext, item: Any) -> Any:
        if not isinstance(item, Mapping) or not isinstance(item.get("params"), dict):
            raise InvalidError([Problem("params", "must be an object")])
        handler = self.operations.get(str(item.get("operation_type")))
        if handler is None:
            one_of = ", ".join(self.operations)
            raise InvalidError([Problem("operation_type", f"must be one of {one_of}")])
        assert handler.request_type  # a raw handler takes no operations
        request = read_operation(context, handler.request_type, item["params"])
        result = handler(context, self.endpoint, request)
        assert isinstance(result, Result)
        if context.service == "x":
            result = in_shape_of_x(result, handler.request_type.endpoint.command, "")
        return context.names.to_wire(result.data, result.enums)


def read_operation(context: RequestContext, request_type: type[Request], params: dict[str, Any]) -> Request:
    """Validate the parameters of an operation. Numbers, booleans and lists may be texts."""
    if context.service == "x":
        ignored = fields_of_record_only(request_type.endpoint, request_type, context.names)
        params = without(params, *ignored, SDK_MARK)
    values: Mapping[str, Any] = split_texts(request_type, params, context.names)
    values = without_unknown(request_type, values, context.names, context.unknown, "params.")
    values = read_names(values, context.names, enum_fields(request_type))
    return converted(request_type, {**values, **context.path_params})


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

    def __init__(self, service: str) -> None:
        self._names = SERVICES[service]
        self._later_versions: dict[str, str] = LATER_VERSIONS[service]
        self._routes: dict[int, list[Route]] = {}  # by number of segments
        self._batches: dict[str, BatchHandler] = {}  # by path
        for request in requests_for(service):
            handler = registered(request)
            if not request.endpoint.is_batch:
                self._add(request.endpoint, handler)
            for route in handler.extra_routes if handler else ():
                method, path = route.split()
                self._add(msgspec.structs.replace(request.endpoint, method=method, path=path), handler)
            if handler and request.endpoint.batch:
                self._add_batch(request, request.endpoint.batch.path, handler)
        for routes in self._routes.values():  # literals before placeholders: /cards/poll is not a card id
            routes.sort(key=lambda route: [segment.startswith("{") for segment in route.segments])

    def _add_batch(self, request: type[Request], path: str, handler: RegisteredHandler) -> None:
        """Accept a request as an operation of its batch endpoint."""
        if path not in self._batches:
            declared = request if request.endpoint.is_batch else batch_request(request)
            endpoint = msgspec.structs.replace(declared.endpoint, batch=request.endpoint.batch)
            self._batches[path] = BatchHandler(endpoint)
            self._add(endpoint, RegisteredHandler(self._batches[path], None))
        self._batches[path].operations[operation_of(request)] = handler

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
        """Return the route of a path, or None. Raise ApiError (405 or 501) if it has no handler."""
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
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        raise ApiError(400, "BAD_REQUEST", "the path is not UTF-8") from None
