"""A command that a program calls by name, with its options as keywords."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..cli.tree import root
from ..console.option_words import argument_names, option_words, text_of
from ..console.options import ALL_OPTIONS, names_file
from ..errors import UsageError
from ..spelling import suggestion

_ENDLESS = "it runs until it is stopped"
_FOR_PEOPLE = "it prints a text for people"
# Commands and groups that are for a terminal, and why.
REFUSED = {
    "auth login": "it asks a person",
    "completion": _FOR_PEOPLE,
    "emulator exec": "it runs a program",
    "emulator serve": _ENDLESS,
    "events listen": _ENDLESS,
    "fleet": "it starts processes, and handles the signals of this one",
    "help": _FOR_PEOPLE,
    "mcp": _ENDLESS,
    "skill": _FOR_PEOPLE,
    "webhooks serve": _ENDLESS,
}
OF_CONNECTION = ("profile", "service", "env_file", "sandbox")
WITH_CALL = ("account", "catalog", "dry_run", "timeout", "max_attempts", "max_wait", "log_file")
OF_TERMINAL = {option.name for option in ALL_OPTIONS} - {*OF_CONNECTION, *WITH_CALL, "yes"}
STANDARD_INPUT = ("-", "@-")


def command_words(name: str, arguments: Iterable[Any], values: Mapping[str, Any]) -> list[str]:
    """Return the words of a command; raise UsageError where it is none, or takes no such values."""
    command, words = _find(name)
    params = _parameters(command)
    options: list[str] = []
    positional = [text for argument in arguments for text in _texts(name, argument)]
    _refuse_standard_input(name, positional)
    named: dict[str, list[str]] = {}  # arguments
    for keyword, value in values.items():
        argument = keyword.removesuffix("_")  # of a name that Python keeps, such as from_
        param = params.get(argument)
        if param is None or not param.expose_value:
            _require_here(keyword, argument)
        if param is None:
            hint = f"adsctl {name} --help"
            raise UsageError(f"{name!r} takes no {keyword!r}{suggestion(argument, params)}", hint=hint)
        if value is None:
            continue
        if names_file(param):
            _refuse_standard_input(keyword, value)
        if param.param_type_name == "argument":
            named[param.name] = _texts(keyword, value)
        else:
            options += option_words(keyword, param, value)
    for param in command.params:  # in their order
        positional += named.get(param.name, ())
    return [*words, *options, *(["--", *positional] if positional else [])]


def is_paged(name: str) -> bool:
    """Tell whether a list comes in pages."""
    command, _ = _find(name)
    return "all" in _parameters(command)


def _find(name: str) -> tuple[Any, list[str]]:
    words = name.split()
    for count in range(1, len(words) + 1):
        if why := REFUSED.get(" ".join(words[:count])):
            raise UsageError(f"{name!r} cannot be called from Python: {why}", hint=f"adsctl {name}")
    node: Any = root()
    for count, word in enumerate(words, 1):
        commands = getattr(node, "commands", {})
        if word not in commands:
            known = [" ".join((*words[: count - 1], other)) for other in commands]
            raise UsageError(f"there is no command {name!r}{suggestion(name, known)}", hint="adsctl --help")
        node = commands[word]
    if not words or not getattr(node, "is_command", True):
        verbs = ", ".join(getattr(node, "commands", {}))
        raise UsageError(f"{name!r} is not a command, but a group: {verbs}", hint=f"adsctl {name} --help")
    return node, words


def _parameters(command: Any) -> dict[str, Any]:
    """Return the parameters of a command by the names that keywords may have."""
    params: dict[str, Any] = {}
    arguments = []
    for param in sorted(command.params, key=lambda param: param.expose_value):  # its own come last, and hold
        params |= dict.fromkeys(argument_names(param), param)
        if param.param_type_name == "argument":
            arguments.append(param)
    if len(arguments) == 1:  # the id of what the command is about
        metavar = arguments[0].metavar.strip("[].")
        if metavar == "ID" or metavar.endswith("_ID"):
            params.setdefault("id", arguments[0])
    return params


def _require_here(keyword: str, argument: str) -> None:
    """Raise UsageError for an option of every command that makes no sense in a call."""
    if argument in OF_CONNECTION:
        raise UsageError(f"{keyword}: is that of the connection", hint=f"ads_cli.connect({argument}=...)")
    if argument == "yes":
        raise UsageError("yes: is called confirm here", hint="confirm=True, or a function that is asked")
    if argument in OF_TERMINAL:
        raise UsageError(f"{keyword}: is about what a terminal shows", hint="leave it out")


def _texts(name: str, value: Any) -> list[str]:
    """Write the value of an argument, or the values of one that takes several."""
    return [text_of(name, item) for item in (value if isinstance(value, list | tuple) else [value])]


def _refuse_standard_input(name: str, value: Any) -> None:
    values = value if isinstance(value, list | tuple) else [value]
    if any(value in STANDARD_INPUT for value in values):
        raise UsageError(f"{name}: standard input is not read here", hint="write it to a file, and name that")
