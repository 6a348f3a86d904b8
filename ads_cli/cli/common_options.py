"""The common options as parameters of commands and groups."""

from collections.abc import Collection
from typing import Any

from typer.core import TyperOption

from ..console.options import CHOICES, common_options, completes_from, store_common_option


def with_common_options(command: Any, path: tuple[str, ...], shown: Collection[str]) -> Any:
    """Add the common options to a command; its help shows only those in `shown`."""
    command.params += common_parameters(path, shown)
    return command


def common_parameters(path: tuple[str, ...], shown: Collection[str] = ()) -> list[TyperOption]:
    """Build the common options of the command at `path`; each stores its value for the command that runs."""
    return [
        TyperOption(
            param_decls=[*option.names, option.name],
            help=option.help,
            metavar=option.metavar or None,
            is_flag=not option.metavar,
            default=None,
            expose_value=False,
            callback=store_common_option,
            hidden=option.name not in shown if path else not option.in_root_help,
            autocompletion=completes_from(CHOICES[option.name]) if option.name in CHOICES else None,
        )
        for option in common_options(path)
    ]
