"""What is wrong with a command line, in the words of all other errors."""

from collections.abc import Collection
from typing import Any

from ..errors import UsageError
from ..output.text import safe
from ..spelling import suggestion

MAX_LISTED_COMMANDS = 12


def usage_error(error: Any, context: Any) -> UsageError:
    """Convert an error of Typer's parser; its hint is the help of the command."""
    describe = DESCRIBED.get(type(error).__name__, _other)
    return UsageError(describe(error, context), hint=f"{context.command_path} --help")


def unknown_command(word: str, names: Collection[str], context: Any) -> UsageError:
    """Return the error of a word that is not a command of a group."""
    close = suggestion(word, names)
    if not close and len(names) <= MAX_LISTED_COMMANDS:
        close = f"; it has {', '.join(names)}"
    path = context.command_path
    return UsageError(f"'{path}' has no command {word!r}{close}", hint=f"{path} --help")


def unexpected_arguments(context: Any) -> UsageError:
    """Return the error of words that no argument takes."""
    words = safe(" ".join(context.args))
    searches = any(param.name == "q" for param in context.command.params)
    hint = f"; did you mean --q {words}?" if searches else ""
    return UsageError(f"unexpected argument: {words}{hint}", hint=f"{context.command_path} --help")


def _no_such_option(error: Any, context: Any) -> str:
    params = context.command.get_params(context)
    known = [name for param in params if not getattr(param, "is_alias", False) for name in param.long_names]
    return f"no such option: {error.option_name}{suggestion(error.option_name, known)}"


def _no_value(error: Any, context: Any) -> str:
    needs = "needs a value" if "requires" in error.message else "takes no value"
    return f"{error.option_name}: {needs}"


def _other(error: Any, context: Any) -> str:
    return str(error.format_message())


# By the names of Typer's classes, which it does not export.
DESCRIBED = {"NoSuchOption": _no_such_option, "BadOptionUsage": _no_value}
