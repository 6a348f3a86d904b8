"""What a tool is: its name, its arguments and their schema."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ...console.option_words import text_of
from ...errors import UsageError
from ..schema.commands import CommandSchema, common_options
from ..schema.types import Definitions
from .reachable import MAX_LENGTH

KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str, int, float, list),
    "integer": (int, str),
    "boolean": (bool,),
    "object": (dict,),
}


class ToolArgument(NamedTuple):
    """An argument of a tool; without `about`, the help of the parameter of its name says what it is."""

    name: str
    kind: str = "string"
    about: str = ""
    required: bool = False


Arguments = Mapping[str, Any]
Result = dict[str, Any]
Run: TypeAlias = Callable[[Any, Arguments], Awaitable[Result]]
CHOICES = ("entity", "segment_by")
TOOLS: "list[Tool]" = []


class Tool(NamedTuple):
    """A tool: its description for an assistant, and the method that runs it."""

    name: str
    about: str
    run: Run
    arguments: tuple[ToolArgument, ...]
    command: str = ""  # whose parameters describe the arguments; the tool is there where the command is
    reaches_out: bool = True  # to the service
    needs_writes: bool = False  # it is there with --allow-writes only
    changes: bool = False  # something at the service

    def schema(self, root: Any, service: str) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        described = common_options()["properties"]
        if self.command:
            command = root
            for word in self.command.split():
                command = command.commands[word]
            schema = CommandSchema(self.command, command, service, Definitions())
            described |= schema.input()["properties"]
        properties = {}
        for argument in self.arguments:
            own = described.get(argument.name, {})
            about = argument.about or own.get("description", "")
            properties[argument.name] = {"type": argument.kind, "description": about}
            if argument.name in CHOICES and (offered := own.get("enum", own.get("examples"))):
                properties[argument.name]["enum"] = offered
        required = [argument.name for argument in self.arguments if argument.required]
        return {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def checked(self, params: Arguments) -> dict[str, Any]:
        """Return the arguments that are given; raise UsageError for what the tool does not take."""
        by_name = {argument.name: argument for argument in self.arguments}
        if unknown := next((name for name in params if name not in by_name), None):
            takes = ", ".join(by_name) or "none"
            raise UsageError(f"{self.name} has no argument {unknown[:100]!r}", hint=f"it takes {takes}")
        arguments = {name: value for name, value in params.items() if value is not None}
        if sum(_size(value) for value in arguments.values()) > MAX_LENGTH:
            raise UsageError(f"the arguments are longer than {MAX_LENGTH:,} characters")
        for name, value in arguments.items():
            kind = by_name[name].kind
            if not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
                raise UsageError(f"{name}: must be {kind}")
            if kind == "string":
                arguments[name] = text_of(name, value)
        for argument in self.arguments:
            if argument.required and not arguments.get(argument.name):
                raise UsageError(f"{argument.name}: is required")
        return arguments


def _size(value: Any) -> int:
    """Return how long a value is, without writing it."""
    size, rest = 0, [value]
    while rest and size <= MAX_LENGTH:
        item = rest.pop()
        if isinstance(item, dict):
            rest += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            rest += item
        size += len(item) if isinstance(item, str) else 1
    return size


def tool(about: str, *arguments: ToolArgument, **facts: Any) -> Callable[[Run], Run]:
    """Declare the tool that a method of the toolbox runs, which has its name. `facts` are other fields.

    Its arguments are checked before (`Toolbox.run`).
    """

    def declare(run: Run) -> Run:
        TOOLS.append(Tool(run.__name__.removeprefix("_"), about, run, arguments, **facts))
        return run

    return declare
