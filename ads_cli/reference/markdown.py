"""The command reference, as one page of Markdown."""

from collections.abc import Iterable, Iterator

from ..console.help_texts import continued
from .tree import Parameter, commands

INTRODUCTION = """\
# Commands

Every command, as `--help` shows it. This page is made by `make docs`.

## Options of every command

Accepted before or after the subcommand; the innermost wins.
"""


def page() -> str:
    """Write the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    root, *tree = commands()
    yield INTRODUCTION
    yield from _table(option for option in root.options if option.is_common)
    for command in tree:
        yield from (f"{'#' * (1 + min(len(command.path), 3))} adsctl {command.key}", "", command.help, "")
        if not command.subcommands:
            yield from ("```", command.usage, "```", "")
            yield from _table(command.parameters)
            yield from ("For example:", "", "```sh", *continued(command.example), "```", "")


def _table(parameters: Iterable[Parameter]) -> Iterator[str]:
    rows = [_row(parameter) for parameter in parameters]
    if rows:
        yield from ("| | |", "|---|---|", *rows, "")


def _row(parameter: Parameter) -> str:
    names = ", ".join(f"`{name}`" for name in parameter.names)
    metavar = f" `{parameter.metavar}`" if parameter.is_option and parameter.metavar else ""
    needed = " (required)" if parameter.required else ""
    cells = (f"{names}{metavar}", f"{parameter.help}{needed}")
    return f"| {' | '.join(cell.replace('|', PIPE) for cell in cells)} |"


PIPE = "\\|"  # as a table wants it
