"""The endpoints of the API as records: the command that sends each, and the option of each parameter."""

from collections.abc import Iterator
from inspect import getdoc
from typing import Any, TypedDict

import msgspec

from ..api.amounts import amount_names
from ..api.endpoint import Request
from ..api.fields import Field, FieldType, fields_of
from ..api.names import SERVICES, Names
from ..api.parts import batch_request
from ..api.products import Product
from ..api.registry import requests_for
from ..api.time import Time
from ..api.users import AudienceParams, DoNotReachParams, DoNotReachUser, User
from ..api.validation import rules_of
from ..audiences.identifiers import FORMATS
from ..audiences.operations import OPERATION_TYPES
from ..spelling import as_option
from . import CommandDoc, describe_commands


class EndpointRecord(TypedDict):
    """An endpoint, and the command that sends it."""

    command: str
    method: str
    path: str
    base: str
    params_in: str
    argument: str | None  # what an argument sets
    options: dict[str, str | None]  # by parameter; None stands for what the command fills in by itself


class FieldRecord(TypedDict):
    """A field of a feed."""

    feed: str
    field: str
    required: bool
    limits: str | None  # in words
    values: list[str] | None
    type: str
    min_length: int | None
    max_length: int | None
    minimum: float | None
    maximum: float | None
    rules: list[str] | None


ENDPOINT_COLUMNS = tuple(EndpointRecord.__annotations__)


def endpoint_records(root: Any, service: str) -> Iterator[EndpointRecord]:
    """Yield a record for each endpoint that a service has, with its names on the wire."""
    commands = {command.key: command for command in describe_commands(root)}
    for request in requests_for(service):
        command, names = commands[request.endpoint.command], SERVICES[service]
        yield _record(request, command, names)
        if request.endpoint.batch and not request.endpoint.is_batch:
            yield _record(batch_request(request), command, names)


def _record(request: type[Request], command: CommandDoc, names: Names) -> EndpointRecord:
    endpoint = request.endpoint
    arguments = {name.strip("[]") for argument in command.arguments for name in argument.names}
    options = {name for option in command.options for name in option.names}
    own_id = endpoint.id_field if command.arguments else None
    by_argument = [
        field
        for field in fields_of(request)
        if field.argument in arguments or (field.name == own_id and field.option not in options)
    ]
    others = [field for field in fields_of(request) if field not in by_argument]

    def on_the_wire(field: Field) -> str:
        name = names.name(field.name)
        return endpoint.wire_names.get(name, name)

    return {
        "command": endpoint.command,
        "method": endpoint.method,
        "path": names.path(endpoint.path),
        "base": endpoint.base,
        "params_in": endpoint.params_in,
        "argument": names.name(by_argument[0].name) if by_argument else None,
        "options": {  # None stands for what the command fills in by itself, as it does a token
            on_the_wire(field): field.option if field.option in options else None for field in others
        },
    }


FIELD_COLUMNS = tuple(FieldRecord.__annotations__)[:5]  # the others are details
FIELD_DETAILS = tuple(FieldRecord.__annotations__)[5:]
TYPE_NAMES = {int: "integer", bool: "boolean", Time: "time"}  # all others are text
# The kinds of feeds, by the Structs whose fields their columns are.
FEEDS: dict[str, tuple[type[msgspec.Struct], ...]] = {
    "products": (Product,),
    "users": (User, AudienceParams),
    "do-not-reach": (DoNotReachUser, DoNotReachParams),
}
AMOUNTS = "amounts"  # of campaigns, line items and funding instruments, in millionths
FIELD_TOPICS = (*FEEDS, AMOUNTS)
OPERATION_TYPE = {
    "field": "operation_type",
    "required": False,
    "limits": "whether the person is added or removed",
    "values": list(OPERATION_TYPES.values()),
}


def field_records(feed: str, names: Names) -> Iterator[dict[str, Any]]:
    """Yield a record for each field of a feed, under the names that a service uses on the wire."""
    for struct in FEEDS.get(feed, ()):
        yield from (
            _complete(feed, record | {"field": names.name(record["field"])}) for record in _records(struct)
        )
    if feed == AMOUNTS:
        yield from (_complete(feed, record) for record in _amount_records(names))
    elif feed != "products":
        yield _complete(feed, OPERATION_TYPE)


def _amount_records(names: Names) -> Iterator[dict[str, Any]]:
    """Yield the fields of amounts in millionths, whose options no help repeats beside those in units."""
    requests = (request for service in SERVICES for request in requests_for(service))
    fields = {field.name: field for request in requests for field in fields_of(request)}
    for name in sorted(name for name, field in fields.items() if field.type.extra("money")):
        in_units = as_option(amount_names(name)[0])
        yield {
            "field": names.name(name),
            "required": False,
            **_limits(name, fields[name].type),
            "limits": f"{fields[name].help}: {as_option(name)} N, as 1500000 for {in_units} 1.50",
        }


def _complete(feed: str, record: dict[str, Any]) -> dict[str, Any]:
    return dict.fromkeys((*FIELD_COLUMNS, *FIELD_DETAILS)) | {"feed": feed, "type": "text"} | record


def _records(struct: type[msgspec.Struct]) -> Iterator[dict[str, Any]]:
    """Yield what a Struct declares of each field; lists of people are rows of their own."""
    rules = [(rule.rule_field, getdoc(rule)) for rule in rules_of(struct)]
    for field in fields_of(struct):
        if field.name == "users":
            continue
        own = [text for name, text in rules if name == field.name]
        yield {
            "field": field.name,
            "required": field.required,
            "rules": own,
            **_limits(field.name, field.type),
        }


def _limits(name: str, field_type: FieldType) -> dict[str, Any]:
    if name in FORMATS:  # is hashed on this machine, so the declared limits are those of the hash
        return {"limits": FORMATS[name]}
    return {
        "type": TYPE_NAMES.get(field_type.base, "text"),
        "limits": field_type.description or None,
        "values": list(field_type.choices) or None,
        "min_length": field_type.limit("min_length"),
        "max_length": field_type.limit("max_length"),
        "minimum": field_type.limit("ge"),
        "maximum": field_type.limit("le"),
    }
