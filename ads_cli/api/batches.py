"""Many requests for records of a kind, sent as the operations of one where it has an endpoint for that."""

from functools import cache
from typing import Any, cast

import msgspec

from .endpoint import Request, endpoint
from .fields import enum_fields, fields_of
from .names import Names
from .parts import as_text, params_of
from .types import InAccount, InCatalog

# Fields that take the media of an ad: of these, files may have several records, which are sent one by one.
MEDIA_OF_ADS = frozenset(("media_keys", "media_key", "components"))


def operation_of(declared: type[Request]) -> str:
    """Return the operation_type of a request in a batch."""
    return declared.endpoint.action.capitalize()


@cache
def has_batch_options(declared: type[Request]) -> bool:
    """Tell whether a file of several records has the options of a batch."""
    endpoint = declared.endpoint
    is_library = endpoint.command.startswith("media ")
    has_media = not MEDIA_OF_ADS.isdisjoint(declared.__struct_fields__) and not is_library
    return endpoint.batch is not None or (endpoint.makes_anew and has_media)


@cache
def batch_request(declared: type[Request]) -> type[Request]:
    """Return the request that carries many of a declared one, or names where they go one by one.

    Creating twice makes two records, so that only the other operations may be repeated.
    """
    one = declared.endpoint
    path = one.batch.path if one.batch else one.path.removesuffix(f"/{{{one.id_field}}}")
    bind = endpoint(
        f"POST {path}",
        one.command,
        columns=" ".join(one.columns),
        extra_fields=" ".join(one.extra_fields),
        record_id=one.record_id,
        params_in="json" if one.batch else one.params_in,
        retry=one.method != "POST",
        service=one.service,
    )

    place = InAccount if "account_id" in one.path_fields else InCatalog
    return bind(cast(type[Request], msgspec.defstruct("Many", [], bases=(place,))))


def operation(request: Request, names: Names) -> dict[str, Any]:
    """Return a request as an operation of a batch; its lists are texts, as in a query."""
    kind = type(request)
    path = {name: getattr(request, name) for name in request.endpoint.path_fields if name != "account_id"}
    params = names.to_wire(path | params_of(request), enum_fields(kind))
    for field in fields_of(kind):
        if field.type.is_comma_list and (name := names.name(field.name)) in params:
            params[name] = as_text(params[name])
    return {"operation_type": operation_of(kind), "params": params}


encode_operation = msgspec.json.Encoder().encode
