"""The common options as parameters of commands and groups."""

from collections.abc import Collection
from typing import Any

from ..console.options import CHOICES, common_options, store_common_option
from ..console.parameters import Option


def with_common_options(command: Any, path: tuple[str, ...], shown: Collection[str]) -> Any:
    """Add the common options to a command; its help shows only those in `shown`."""
    command.params += common_parameters(path, shown)
    return command


def common_parameters(path: tuple[str, ...], shown: Collection[str] = ()) -> list[Option]:
    """Build the common options of the command at `path`; each stores its value for the command that runs."""
    return [
        Option(
            *option.names,
            option.name,
            help=option.help,
            metavar=option.metavar,
            is_flag=not option.metavar,
            expose_value=False,
            callback=store_common_option,
            hidden=option.name not in shown if path else not option.in_root_help,
            offers=tuple(CHOICES.get(option.name, ())),
        )
        for option in common_options(path)
    ]
