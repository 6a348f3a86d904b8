"""The lines of the API as records: the command that sends each, and the option of each parameter."""

from collections.abc import Iterator
from typing import Any

from ..api.endpoint import MODULES, Request, requests_of
from ..api.fields import Field, fields_of
from ..api.names import Names
from .tree import Command, describe_commands

ENDPOINT_COLUMNS = ("command", "method", "path", "base", "params_in", "argument", "options")


def endpoint_records(root: Any, names: Names) -> Iterator[dict[str, Any]]:
    """Yield a record for each line of the API, with the names that a service uses on the wire."""
    commands = {command.key: command for command in describe_commands(root)}
    for module in MODULES:
        for request in requests_of(module):
            yield _record(request, commands[request.endpoint.command], names)


def _record(request: type[Request], command: Command, names: Names) -> dict[str, Any]:
    endpoint = request.endpoint
    arguments = {name for argument in command.arguments for name in argument.names}
    options = {name for option in command.options for name in option.names}
    by_argument = [field for field in fields_of(request) if field.argument in arguments]
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
