"""Many requests for records of a kind, sent as the operations of one."""

from functools import cache
from typing import Any

import msgspec

from .endpoint import Request, endpoint
from .fields import enum_fields, fields_of
from .names import Names
from .parts import as_text, params_of
from .types import InAccount

OPERATIONS = {"POST": "Create", "PUT": "Update", "DELETE": "Delete"}  # by the method of a single request


def operation_of(declared: type[Request]) -> str:
    """Return the operation_type of a request in a batch."""
    return OPERATIONS[declared.endpoint.method]


@cache
def batch_request(declared: type[Request]) -> type[Request]:
    """Return the request that carries many of a declared one.

    Creating twice makes two records, so that only the other operations may be repeated.
    """
    one = declared.endpoint
    assert one.batch
    bind = endpoint(
        f"POST {one.batch.path}",
        one.command,
        columns=" ".join(one.columns),
        extra_fields=one.extra_fields,
        record_id=one.record_id,
        params_in="json",
        retry=one.method != "POST",
        service=one.service,
    )

    class Many(InAccount):
        pass

    return bind(Many)


def operation(request: Request, names: Names) -> dict[str, Any]:
    """Return a request as an operation of a batch; its lists are texts, as in a query."""
    kind = type(request)
    params = {name: value for name, value in _params(request).items() if name != "account_id"}
    return {
        "operation_type": operation_of(kind),
        "params": names.to_wire(params, enum_fields(kind)),
    }


def _params(request: Request) -> dict[str, Any]:
    """List the fields of a request, those of its path among them."""
    path = {name: getattr(request, name) for name in request.endpoint.path_fields}
    lists = {field.name for field in fields_of(type(request)) if field.type.is_comma_list}
    params = path | params_of(request)
    return {name: as_text(value) if name in lists else value for name, value in params.items()}


encode_operation = msgspec.json.Encoder().encode
