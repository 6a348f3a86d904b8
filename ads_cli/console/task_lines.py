"""Parse the command line of a task with the real command tree, and run nothing."""

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any, NamedTuple

from ..errors import UsageError
from .command_line import CommandLine


class ParsedLine(NamedTuple):
    """What a command line says."""

    params: dict[str, Any]  # of the command, by the names of its function
    options: dict[str, Any]  # the common ones


def parse_line(root: Any, words: Sequence[str]) -> ParsedLine:
    """Parse a command line; raise UsageError as running it would, and where it only shows a help text."""
    from typer import Exit
    from typer.core import TyperGroup

    from .parameters import words_left

    line = CommandLine(words)
    try:
        with redirect_stdout(io.StringIO()):
            context = root.make_context(root.name, list(words), obj=line)
            while isinstance(group := context.command, TyperGroup) and (left := words_left(context)):
                name, command, rest = group.resolve_command(context, left)
                assert command
                context = command.make_context(name, rest, parent=context)
    except UsageError as error:
        raise UsageError(error.message) from None
    except Exit:
        raise UsageError("it shows a text, and does nothing") from None
    return ParsedLine(context.params, line.parsed_options)
