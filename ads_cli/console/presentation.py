"""Resolve how an invocation is shown: flag > environment > profile."""

import os
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path, PurePath

from ..config.settings import Setting, Settings
from ..errors import AdsctlError, UsageError
from ..output import COLORS, FORMATS, Presentation
from ..spelling import suggestion
from .options import CommandLine

WORKBOOK = ".xlsx"


def resolve_presentation(settings: Settings) -> Presentation:
    """Resolve and validate the presentation; raise UsageError for an unknown format or color."""
    output, color = _output_setting(settings), Setting(_color(settings), "--color")
    _require_known(output, FORMATS, "format")
    _require_known(color, COLORS, "value")
    return _presentation(settings, _with_file(settings, output and output.value), color.value)


def is_first_today(state_dir: Path) -> bool:
    """Note that a terminal was asked about today, and tell whether for the first time. True without one."""
    if sys.platform == "win32":  # has no names of terminals
        return True
    today = time.strftime("%Y-%m-%d")
    try:
        terminal = f"{os.ttyname(sys.stderr.fileno())} {os.getsid(0)}"
    except (OSError, ValueError):  # is not a terminal
        return True
    from ..store.notes import Notes

    notes = Notes(state_dir, "terminals")
    if notes.find(terminal, str) == today:
        return False
    notes.put(terminal, today)
    return True


def _with_file(settings: Settings, output: str | None) -> str | None:
    """Return the format, which is that of the file of --to. Raise UsageError if one needs the other."""
    to = settings.flags.get("to")
    if to and PurePath(to).suffix.lower() != WORKBOOK:
        raise UsageError(
            f"--to: {to} does not end in {WORKBOOK}", hint="other formats are redirected: -o csv > FILE"
        )
    if to and settings.flags.get("output") not in (None, "xlsx"):
        raise UsageError(f"--to: writes a workbook, and --output is {output}", hint="leave one of them out")
    if not to and output and FORMATS[output].is_binary:
        raise UsageError(f"--output: {output} needs a file", hint="add --to FILE.xlsx")
    return "xlsx" if to else output


def error_presentation(command_line: CommandLine) -> Presentation:
    """Return the presentation of an error: the invocation's, or what can be resolved without raising."""
    if command_line.presentation:
        return command_line.presentation
    settings = Settings(command_line.options)
    output, color = _output_setting(settings), _color(settings)
    return _presentation(settings, output and output.value, color if color in COLORS else "auto")


def _presentation(settings: Settings, output: str | None, color: str) -> Presentation:
    quiet, verbose = (bool(settings.flags.get(name)) for name in ("quiet", "verbose"))
    return Presentation(output, color, quiet=quiet, verbose=verbose)


def _output_setting(settings: Settings) -> Setting | None:
    # A profile that cannot be read is reported by the command that needs it.
    with suppress(AdsctlError, OSError):
        return settings.find("output")
    return None


def _color(settings: Settings) -> str:
    return str(settings.flags.get("color") or "auto")


def _require_known(setting: Setting | None, allowed: Collection[str], noun: str) -> None:
    if setting is not None and setting.value not in allowed:
        raise UsageError(
            f"{setting.origin}: {setting.value!r} is not a valid {noun}{suggestion(setting.value, allowed)}",
            hint=f"one of {', '.join(allowed)}",
        )
