"""Users of custom audiences and do-not-reach lists. A request is applied whole or not at all."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ...api import audiences, users
from ...api.endpoint import Request
from ...api.names import Names
from ...api.problems import InvalidError, Problem
from ...api.time import decode_custom
from ...api.validation import broken_rules, convert
from ..core.handlers import RequestContext, raw_handler
from ..core.request import read_names, without_unknown
from ..core.responses import ApiError, HttpResponse, OperationsError
from ..storage import Record, audience_user_table
from ..storage.audience_user_table import identifier_hash
from .audiences import AUDIENCE, targetability
from .collection import Collection

DO_NOT_REACH = "do_not_reach_list"
NAME = "Do Not Reach List"  # the service names it


def _only_one(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError where the account has a list."""
    for other in context.find_all(DO_NOT_REACH):
        message = f"the account has a do-not-reach list, {other['id']}, and can have one only"
        raise ApiError(400, "INVALID_PARAMETER", message)
    return after


def _shown(context: RequestContext, record: Record) -> Record:
    """Add what follows from the people on the list."""
    size = audience_user_table.count(context.store, record["id"]) or None
    return record | {"list_size": size, **targetability(size)}


DO_NOT_REACH_LISTS = Collection(
    audiences.DO_NOT_REACH_LISTS,
    defaults={"name": NAME, "description": None},
    prepare=_only_one,
    shown=_shown,
)


JSON = "application/json"


@raw_handler(users.UpdateAudienceUsers, item_type=users.AudienceOperation)
def _update_audience_users(context: RequestContext) -> HttpResponse:
    operations = _carry_out(context, users.UpdateAudienceUsers, AUDIENCE, users.AudienceOperation)
    total = sum(len(operation.params.users) for operation in operations)
    return _response(context, _counts(context, total))


@raw_handler(users.UpdateDoNotReachUsers, item_type=users.DoNotReachOperation)
def _update_do_not_reach_users(context: RequestContext) -> HttpResponse:
    """Add users to a do-not-reach list, or remove them. The response has counts per operation."""
    operations = _carry_out(context, users.UpdateDoNotReachUsers, DO_NOT_REACH, users.DoNotReachOperation)
    counts = [_counts(context, len(operation.params.users)) for operation in operations]
    return _response(context, counts, operation_type=operations[0].operation_type)


def _carry_out(
    context: RequestContext, request: type[Request], kind: str, operation_type: type[Any]
) -> list[Any]:
    """Carry out all operations of a request, or none of them; return them."""
    _, audience = context.path_params.values()
    context.user = context.authenticator.authenticate_user(context.incoming, writes=True).user
    context.require_account()
    context.require(kind, audience)
    context.consume_rate(request.endpoint)
    operations = _read_operations(context, operation_type)
    with context.store.transaction():
        for operation in operations:
            users = [_identifiers(audience, user) for user in operation.params.users]
            if operation.operation_type == "Delete":
                every = [identifier for user in users for identifier in user]
                audience_user_table.remove_users(context.store, audience, every)
            else:
                audience_user_table.add_users(context.store, audience, users)
    return operations


def _read_operations(context: RequestContext, operation_type: type[Any]) -> list[Any]:
    """Decode and validate the operations; raise OperationsError if one of them is invalid."""
    if context.incoming.content_type != JSON:
        raise ApiError(400, "INVALID_PARAMETER", f"the body of this endpoint has the content type {JSON}")
    body = context.incoming.body
    if len(body) > users.MAX_BODY_BYTES:
        raise ApiError(413, "PAYLOAD_TOO_LARGE", f"a body has at most {users.MAX_BODY_BYTES:,} bytes")
    operations = _decode_compact(body, list[operation_type], context.names)  # type: ignore[valid-type]
    if operations is None or any(map(broken_rules, operations)):
        return _convert_operations(context, operation_type, _decode(body, Any))
    _check_operation_count(operations)
    return operations


def _decode_compact(body: bytes, value_type: Any, names: Names) -> list[Any] | None:
    """Decode operations at once. Return None if they are invalid, or not written as compact JSON."""
    for field in users.User.__struct_fields__:
        if (wire := names.name(field)) != field:
            if b'"%s"' % field.encode() in body:
                return None
            body = body.replace(b'"%s":' % wire.encode(), b'"%s":' % field.encode())
    try:
        operations: list[Any] = _decode(body, value_type)
        return operations
    except msgspec.ValidationError:
        return None


def _decode(body: bytes, value_type: Any) -> Any:
    """Decode JSON; raise msgspec.ValidationError if it has another type."""
    try:
        return msgspec.json.decode(body, type=value_type, dec_hook=decode_custom)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "INVALID_PARAMETER", f"the body is not JSON: {error}") from None


def _convert_operations(context: RequestContext, operation_type: type[Any], values: Any) -> list[Any]:
    """Convert operations one by one; raise OperationsError with the problems of each."""
    if not isinstance(values, list):
        raise ApiError(400, "INVALID_PARAMETER", "the body is not a list of operations")
    _check_operation_count(values)
    operations: list[Any] = []
    errors: list[list[dict[str, Any]]] = [[] for _ in values]
    for index, value in enumerate(values):
        try:
            if isinstance(value, dict):
                value = without_unknown(operation_type, value, context.names, context.unknown)
            operations.append(convert(operation_type, read_names(value, context.names), strict=True))
        except InvalidError as error:
            errors[index] = [_error_of(problem, index, context.names) for problem in error.problems]
    if any(errors):
        raise OperationsError(errors, {"params": context.path_params})
    return operations


def _error_of(problem: Problem, index: int, names: Names) -> dict[str, Any]:
    message = names.text(str(problem._replace(path=names.dotted(problem.path))))
    return {"code": "INVALID_PARAMETER", "index": index, "message": message}


def _check_operation_count(operations: Sequence[Any]) -> None:
    if not 1 <= len(operations) <= users.MAX_OPERATIONS:
        message = f"{len(operations):,} operations; a request takes 1 to {users.MAX_OPERATIONS:,}"
        raise ApiError(400, "TOO_MANY_OPERATIONS" if operations else "MISSING_PARAMETER", message)


def _identifiers(audience: str, user: Any) -> list[bytes]:
    fields = ((name, getattr(user, name)) for name in user.__struct_fields__)
    return [identifier_hash(audience, name, value) for name, values in fields if values for value in values]


def _counts(context: RequestContext, total: int) -> dict[str, int]:
    """Count users; the fault `partial` counts one success less."""
    return {"success_count": total - context.partial, "total_count": total}


def _response(context: RequestContext, data: Any, **beside: str) -> HttpResponse:
    return HttpResponse.json({"request": {"params": context.path_params} | beside, "data": data})
