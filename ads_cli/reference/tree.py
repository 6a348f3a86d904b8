"""The command tree as plain facts."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..cli.request_commands import NESTED
from ..cli.tree import PROGRAM, root
from ..console.help_texts import line_of
from ..console.options import remember

FILE, JSON_FILE, TEXT = "@file", "@json", "@text"
IDS = "@ids:"  # and the group that lists them
# What completes by ids that are known from earlier, beside the ids of declared requests.
LISTED = {
    "--profile": "profiles",
    "--account": "accounts",
    "--catalog": "catalog",
    "--job": "jobs",
    "jobs show JOB": "jobs",
    "profile use NAME": "profiles",
    "profile set NAME": "profiles",
    "profile remove NAME": "profiles",
}


class Parameter(NamedTuple):
    """An option or an argument."""

    names: tuple[str, ...]  # --output, -o; an argument's metavar
    metavar: str
    help: str
    required: bool
    takes: str  # "" for a flag; FILE, JSON_FILE, TEXT, IDS and a group, or the values separated by spaces
    is_option: bool
    is_common: bool

    @property
    def is_repeated(self) -> bool:
        """Tell whether an argument takes any number of values."""
        return self.metavar.strip("[]{}").endswith("...")


class Command(NamedTuple):
    """A command or a group."""

    path: tuple[str, ...]
    help: str
    example: str  # as it is typed; "" for a group
    usage: str
    subcommands: tuple[tuple[str, str], ...]
    options: tuple[Parameter, ...]
    arguments: tuple[Parameter, ...]

    @property
    def key(self) -> str:
        """Give the path as it is typed."""
        return " ".join(self.path)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """List arguments and options, without those of every command."""
        return (*self.arguments, *(option for option in self.options if not option.is_common))

    @property
    def line(self) -> str:
        """Give the first line of the help."""
        return self.help.split("\n")[0].rstrip(".")


def commands() -> Iterator[Command]:
    """List the root and everything under it, each group before what is inside."""
    yield from _walk(root(), (), None)


def _walk(command: Any, path: tuple[str, ...], parent: Any) -> Iterator[Command]:
    context = command.context_class(command, info_name=path[-1] if path else PROGRAM, parent=parent)
    inside = {name: command.get_command(context, name) for name in getattr(command, "commands", ())}
    inside = {name: getattr(child, "itself", child) for name, child in inside.items()}
    parameters = [(param, _parameter(param, context, path)) for param in command.params]
    yield Command(
        path,
        (command.help or "").strip(),
        getattr(command, "example", ""),
        " ".join([context.command_path, *command.collect_usage_pieces(context)]),
        tuple((name, line_of(child)) for name, child in inside.items()),
        tuple(facts for param, facts in parameters if param.param_type_name == "option"),
        tuple(facts for param, facts in parameters if param.param_type_name == "argument"),
    )
    for name, child in inside.items():
        yield from _walk(child, (*path, name), context)


def _parameter(param: Any, context: Any, path: tuple[str, ...]) -> Parameter:
    is_option = param.param_type_name == "option"
    names = (
        (*param.opts, *param.secondary_opts) if is_option else (param.make_metavar(context).strip("[]{}"),)
    )
    return Parameter(
        names,
        "" if getattr(param, "is_flag", False) else param.make_metavar(context),
        param.help or "",
        param.required,
        "" if getattr(param, "is_flag", False) else _takes(param, context, path),
        is_option,
        param.callback is remember,
    )


def _takes(param: Any, context: Any, path: tuple[str, ...]) -> str:
    """Say what a value completes from."""
    longest = max(param.opts, key=len)
    if listed := LISTED.get(longest) or LISTED.get(" ".join((*path, param.metavar or ""))):
        return IDS + listed
    if values := [item.value for item in param.shell_complete(context, "") if item.type == "plain"]:
        return " ".join(values)
    metavar = param.metavar or ""
    if metavar == NESTED:
        return JSON_FILE
    if metavar.strip("[]") == "FILE" or param.type.name in ("path", "file"):
        return FILE
    request = getattr(context.command, "request", None)
    if request and param.name == request.endpoint.own_id:
        return IDS + " ".join(path[:-1])
    return TEXT
