"""What is wrong with a command line, in the words of all other errors."""

import re
from typing import Any

from ..errors import UsageError
from ..suggestions import suggestion
from .help_texts import described_range

PROGRAM = "adsctl"
MAX_LISTED_COMMANDS = 12
EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra argument\(s\) \((.*)\)", re.S)
UNKNOWN_COMMAND = re.compile(r"No such command '(.*)'\.", re.S)
REJECTED_VALUE = re.compile(r"(.*) is not (?:one of|in the range|a valid) .*", re.S)


def usage_error(error: Any) -> UsageError:
    """Convert an error of the parser; its hint is the help of the command."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else PROGRAM
    return UsageError(usage_message(error), hint=f"{command} --help")


def usage_message(error: Any) -> str:
    """Say what is wrong, beginning with the option or the argument."""
    describe = DESCRIBED.get(type(error).__name__, _other)
    return str(describe(error))


def _no_such_option(error: Any) -> str:
    params = error.ctx.command.get_params(error.ctx)
    known = [
        name for param in params if not getattr(param, "is_alias", False) for name in _option_names(param)
    ]
    return f"no such option: {error.option_name}{suggestion(error.option_name, known)}"


def _option_names(param: Any) -> list[str]:
    return [name for name in (*param.opts, *param.secondary_opts) if name.startswith("--")]


def _missing(error: Any) -> str:
    choices = getattr(error.param.type, "choices", ())
    return f"{_name(error)}: is required{': ' if choices else ''}{_alternatives(choices)}"


def _bad_value(error: Any) -> str:
    found, expected = REJECTED_VALUE.fullmatch(error.message), _expected(error.param)
    problem = f"{found[1]} is not {expected}" if found and expected else error.message.rstrip(".")
    return f"{_name(error)}: {problem}"


def _expected(param: Any) -> str:
    """Say what a value may be: one of the choices, or a number in a range."""
    if choices := getattr(param.type, "choices", ()):
        return f"one of {', '.join(choices)}"
    if not param.type.name.startswith("int"):
        return ""
    limits = described_range(getattr(param.type, "min", None), getattr(param.type, "max", None))
    return f"a whole number ({limits})" if limits else "a whole number"


def _no_value(error: Any) -> str:
    needs = "needs a value" if "requires" in error.message else "takes no value"
    return f"{error.option_name}: {needs}"


def _other(error: Any) -> str:
    if extra := EXTRA_ARGUMENTS.fullmatch(error.message):
        search = any(param.name == "q" for param in error.ctx.command.params)
        return f"unexpected argument: {extra[1]}" + (f"; did you mean --q {extra[1]}?" if search else "")
    found = UNKNOWN_COMMAND.match(error.message)
    return _no_such_command(error, found[1]) if found else str(error.format_message())


def _no_such_command(error: Any, word: str) -> str:
    names = list(error.ctx.command.commands)
    close = suggestion(word, names)
    if not close and len(names) <= MAX_LISTED_COMMANDS:
        close = f"; it has {', '.join(names)}"
    return f"'{error.ctx.command_path}' has no command {word!r}{close}"


def _name(error: Any) -> str:
    """Name an option as it is typed, an argument as its help does."""
    names = _option_names(error.param)
    return names[0] if names else error.param.human_readable_name.rstrip(".")


def _alternatives(choices: Any) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}" if choices else ""


DESCRIBED = {
    "NoSuchOption": _no_such_option,
    "MissingParameter": _missing,
    "BadParameter": _bad_value,
    "BadOptionUsage": _no_value,
}
