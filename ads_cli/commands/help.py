"""The help of commands and topics."""

from typing import Annotated, Any

import typer

from ..console.help_topics import TOPICS
from ..console.options import completes_from
from ..errors import UsageError
from ..suggestions import suggestion


def show_help(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOPIC|COMMAND...]",
            help=f"A group, a command, or one of {', '.join(TOPICS)}",
            autocompletion=completes_from(TOPICS),
        ),
    ] = None,
) -> None:
    """Show the help of a command, or explain a topic.

    For example: adsctl help products push
    """
    path = names or []
    if len(path) == 1 and path[0] in TOPICS:
        formatter = ctx.make_formatter()
        TOPICS[path[0]](formatter)
        print(formatter.getvalue(), end="")
    else:
        print(_command_context(ctx, path).get_help())


def _command_context(ctx: typer.Context, path: list[str]) -> Any:
    """Find a command; raise UsageError with the nearest command or topic."""
    context: Any = ctx.find_root()
    for position, name in enumerate(path):
        group = context.command
        known = list(getattr(group, "commands", ()))
        if name not in known:
            if position:
                message = f"{context.command_path!r} has no command {name!r}{suggestion(name, known)}"
            else:
                message = f"no command or topic {name!r}{suggestion(name, [*known, *TOPICS])}"
            raise UsageError(message, hint=f"adsctl {' '.join(['help', *path[:position]])}")
        command = group.commands[name]
        command = getattr(command, "loaded", command)
        context = command.context_class(command, info_name=name, parent=context)
    return context
