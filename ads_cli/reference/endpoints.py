"""The lines of the API as records: the command that sends each, and the option of each parameter."""

from collections.abc import Iterator
from typing import Any

from ..api.batches import batch_request
from ..api.endpoint import Request, requests_for
from ..api.fields import Field, fields_of
from ..api.names import SERVICES, Names
from .tree import Command, describe_commands

ENDPOINT_COLUMNS = ("command", "method", "path", "base", "params_in", "argument", "options")


def endpoint_records(root: Any, service: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each line that a service has, with its names on the wire."""
    commands = {command.key: command for command in describe_commands(root)}
    for request in requests_for(service):
        command, names = commands[request.endpoint.command], SERVICES[service]
        yield _record(request, command, names)
        if request.endpoint.batch and not request.endpoint.is_batch:
            yield _record(batch_request(request), command, names)


def _record(request: type[Request], command: Command, names: Names) -> dict[str, Any]:
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
    return {
        "command": endpoint.command,
        "method": endpoint.method,
        "path": names.path(endpoint.path),
        "base": endpoint.base,
        "params_in": endpoint.params_in,
        "argument": names.name(by_argument[0].name) if by_argument else None,
        "options": {names.name(field.name): _option(field, options) for field in others},
    }


def _option(field: Field, options: set[str]) -> str | None:
    """Return the option of a field; None if the command fills it in by itself, as it does a token."""
    return field.option if field.option in options else None
