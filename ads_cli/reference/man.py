"""Man pages, one for each command: `man adsctl-products-push`."""

from collections.abc import Iterator, Sequence

from .. import __version__
from ..console.help_texts import continued
from .tree import Command, Parameter


def man_pages(commands: Sequence[Command]) -> dict[str, str]:
    """Return the man pages by file name."""
    return {f"{_name(command)}.1": "\n".join(_lines(command)) + "\n" for command in commands}


def _name(command: Command) -> str:
    return "-".join(("adsctl", *command.path))


def _lines(command: Command) -> Iterator[str]:
    yield f'.TH "{_name(command).upper()}" 1 "" "adsctl {__version__}"'
    yield ".ad l"  # left-aligned: a long list of choices has no blanks to justify
    yield from (".SH NAME", f"{_escaped(_name(command))} \\- {_escaped(command.summary)}")
    yield from (".SH SYNOPSIS", f".B {_escaped(command.usage)}", ".SH DESCRIPTION")
    yield from _paragraphs(command.help)
    if command.subcommands:
        yield ".SH COMMANDS"
        for name, summary in command.subcommands:
            yield from (".TP", f".B {_escaped(name)}", _escaped(summary))
    yield ".SH OPTIONS"
    for parameter in command.options if not command.path else command.parameters:
        yield from _parameter(parameter)
    if command.path:
        yield from (".PP", "Options of every command: see", ".BR adsctl (1).")
    if command.example:
        yield from (".SH EXAMPLE", ".nf", *map(_escaped, continued(command.example)), ".fi")


def _parameter(parameter: Parameter) -> Iterator[str]:
    metavar = f" {parameter.metavar}" if parameter.is_option and parameter.metavar else ""
    required = " (required)" if parameter.required else ""
    yield from (".TP", f".B {_escaped(', '.join(parameter.names) + metavar)}")
    yield _escaped(parameter.help + required) or "\\&"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield from (".PP", *(_escaped(line) for line in paragraph.splitlines()))


def _escaped(text: str) -> str:
    """Escape backslashes, hyphens and a leading period for roff.

    A line may break after a bar: a list of many choices is longer than a line.
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("|", "|\\:")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
