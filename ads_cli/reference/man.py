"""Man pages, one for each command, as git has them: man adsctl-products-push."""

from collections.abc import Iterator

from .. import __version__
from ..console.help_texts import continued
from .tree import Command, Parameter, commands


def pages() -> Iterator[tuple[str, str]]:
    """Give the name and the content of each page."""
    for command in commands():
        yield f"{_name(command)}.1", "\n".join(_lines(command)) + "\n"


def _name(command: Command) -> str:
    return "-".join(("adsctl", *command.path))


def _lines(command: Command) -> Iterator[str]:
    yield f'.TH "{_name(command).upper()}" 1 "" "adsctl {__version__}"'
    yield ".ad l"  # a line of choices has no blanks to stretch
    yield from (".SH NAME", f"{_plain(_name(command))} \\- {_plain(command.line)}")
    yield from (".SH SYNOPSIS", f".B {_plain(command.usage)}", ".SH DESCRIPTION")
    yield from _paragraphs(command.help)
    if command.subcommands:
        yield ".SH COMMANDS"
        for name, line in command.subcommands:
            yield from (".TP", f".B {_plain(name)}", _plain(line))
    yield ".SH OPTIONS"
    for parameter in command.options if not command.path else command.parameters:
        yield from _parameter(parameter)
    if command.path:
        yield from (".PP", "Options of every command: see", ".BR adsctl (1).")
    if command.example:
        yield from (".SH EXAMPLE", ".nf", *map(_plain, continued(command.example)), ".fi")


def _parameter(parameter: Parameter) -> Iterator[str]:
    metavar = f" {parameter.metavar}" if parameter.is_option and parameter.metavar else ""
    needed = " (required)" if parameter.required else ""
    yield from (".TP", f".B {_plain(', '.join(parameter.names) + metavar)}")
    yield _plain(parameter.help + needed) or "\\&"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield from (".PP", *(_plain(line) for line in paragraph.splitlines()))


def _plain(text: str) -> str:
    """Write text so that roff takes none of it for its own: backslashes, hyphens, a leading point.

    A line may break after a bar, since a list of many choices is longer than any line.
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("|", "|\\:")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
