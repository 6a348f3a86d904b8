"""Aliases: names that a profile gives to the beginning of a command line."""

import re
import shlex
from collections.abc import Collection

from ..errors import UsageError
from .options import CommandLine

ALIAS_MARK = "Alias: "  # begins the description of an alias
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")  # of an alias, or of a program of the user


def check_alias_name(name: str, commands: Collection[str]) -> None:
    """Raise UsageError for a name that an alias cannot have."""
    if not NAME.fullmatch(name):
        hint = "letters, digits, - and _, as in alias.spend"
        raise UsageError(f"{name!r} cannot be the name of an alias", hint=hint)
    if name in commands:
        hint = "an alias never replaces a command of adsctl: choose another name"
        raise UsageError(f"{name!r} is a command of adsctl", hint=hint)


def alias_words(name: str, text: str, commands: Collection[str]) -> list[str]:
    """Part the command line of an alias into words; raise UsageError where it is not one of `commands`."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"the alias {name} cannot be parted into words: {error}") from None
    at = CommandLine(words).command_at
    if at is None or words[at] not in commands:
        what = "names no command" if at is None else f"begins with {words[at]!r}, which is not a command"
        hint = "write a command line without 'adsctl', as in alias.spend='stats get --since 7d'"
        if at is not None and words[at] != "adsctl":
            hint = "an alias stands for a command of adsctl: for no other alias and no program"
        raise UsageError(f"the alias {name} {what} of adsctl", hint=hint)
    return words
