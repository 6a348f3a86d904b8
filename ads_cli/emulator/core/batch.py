"""Batches: operations that are applied all together or not at all."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ...api.batches import operation_of
from ...api.endpoint import Endpoint, Request
from ...api.fields import enum_fields
from ...api.problems import InvalidError, Problem
from ...api.validation import convert
from .handlers import RegisteredHandler, RequestContext, error_of, tolerantly
from .request import read_names, record_fields_only, split_texts, without_unknown
from .responses import ApiError, HttpResponse, Result
from .shapes import in_shape_of_x

SDK_MARK = "to_delete"  # what the public SDK marks records with, and sends along
Errors = list[dict[str, Any]]


class BatchOperation(NamedTuple):
    """What an operation_type of a batch does."""

    request_type: type[Request]
    handler: RegisteredHandler


class _RefusedError(Exception):
    """Rolls every operation back; `errors` are those of each."""

    def __init__(self, errors: list[Errors]) -> None:
        super().__init__()
        self.errors = errors


class BatchHandler:
    """Handles the requests of one batch line; each operation is carried out as its own request would be."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.operations: dict[str, BatchOperation] = {}

    def add(self, request_type: type[Request], handler: RegisteredHandler) -> None:
        """Accept a kind of operation."""
        parsed_as = handler.request_type or request_type
        self.operations[operation_of(request_type)] = BatchOperation(parsed_as, handler)

    def __call__(self, context: RequestContext, request: None) -> HttpResponse:
        """Apply the operations, or none of them."""
        context.user = context.authenticator.authenticate_user(context.incoming, writes=True).user
        context.consume_rate(self.endpoint)
        items = self._items(context)
        try:
            with context.store.transaction():
                records = self._apply(context, items)
        except _RefusedError as refused:
            body = {"errors": [], "operation_errors": refused.errors, "request": items}
            return HttpResponse(msgspec.json.encode(body, enc_hook=str), 400)
        return HttpResponse(msgspec.json.encode({"request": items, "data": records}, enc_hook=str))

    def _items(self, context: RequestContext) -> list[Any]:
        """Read the list of operations; raise ApiError where it is not a list, or is too long."""
        try:
            items = msgspec.json.decode(context.incoming.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ApiError(400, "BAD_REQUEST", f"the body is not JSON: {error}") from None
        if not isinstance(items, list) or not items:
            raise ApiError(400, "BAD_REQUEST", "the body is not a list of operations")
        assert self.endpoint.batch
        if len(items) > (most := self.endpoint.batch.size):
            message = f"a batch has at most {most} operations, not {len(items)}"
            raise ApiError(400, "INVALID_PARAMETER", message)
        return items

    def _apply(self, context: RequestContext, items: list[Any]) -> list[Any]:
        """Apply operations in their order; raise _RefusedError where one or more are refused."""
        records, errors = [], []
        for item in items:
            found: Errors = []
            try:
                records.append(self._apply_one(context, item))
            except InvalidError as error:
                found = [error_of(problem, context.names) for problem in error.problems]
            except ApiError as error:
                found = error.errors_in(context.names)
            errors.append(found)
        if any(errors):
            raise _RefusedError(errors)
        return records

    def _apply_one(self, context: RequestContext, item: Any) -> Any:
        if not isinstance(item, Mapping) or not isinstance(item.get("params"), dict):
            raise InvalidError([Problem("params", "must be an object")])
        operation = self.operations.get(str(item.get("operation_type")))
        if operation is None:
            one_of = ", ".join(self.operations)
            raise InvalidError([Problem("operation_type", f"must be one of {one_of}")])
        request = read_operation(context, operation.request_type, item["params"])
        result = operation.handler.function(context, request)
        assert isinstance(result, Result)
        if context.service == "x":
            result = in_shape_of_x(result, operation.request_type.endpoint.command, "")
        return context.names.to_wire(result.data, result.enums)


def read_operation(context: RequestContext, request_type: type[Request], params: dict[str, Any]) -> Request:
    """Validate the parameters of an operation; numbers and booleans may be texts, and lists too."""
    return tolerantly(context, lambda unknown: _read_operation(context, request_type, params, unknown))


def _read_operation(
    context: RequestContext, request_type: type[Request], params: Mapping[str, Any], unknown: list[str] | None
) -> Request:
    if context.service == "x":
        record_fields = record_fields_only(request_type.endpoint, request_type)
        left_out = {*map(context.names.name, record_fields), SDK_MARK}
        params = {name: value for name, value in params.items() if name not in left_out}
    values: Mapping[str, Any] = split_texts(request_type, params, context.names)
    if unknown is not None:
        values = without_unknown(request_type, values, context.names, unknown, "params.")
    values = read_names(values, context.names, enum_fields(request_type))
    return convert(request_type, {**values, **context.path_params})
