"""The files that a command line names: none is written twice, and none replaces a file that is read."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from glob import glob
from pathlib import Path
from typing import Any, TextIO

from ..config import guard
from ..config.atomic_files import atomic, check_output_path, file_to_replace
from ..config.environment import CONFIG_FILES, STATE_FILES
from ..config.settings import Settings
from ..errors import UsageError
from ..fleet.commands import COMMANDS, WRITTEN, TaskCommand, path_of, values
from .options import names_file

STANDARD_STREAMS = {0: "standard input", 1: "standard output"}


def check_outputs(context: Any, to: str | None) -> None:
    """Raise UsageError where a file that is to be written is another one of these, or an input."""
    command = COMMANDS.get(context.command_path.partition(" ")[2], TaskCommand())
    written = (*command.outputs, *command.shared_outputs, *WRITTEN)
    outputs = [
        (param.metavar if param.param_type_name == "argument" else param.opts[0], path_of(path))
        for param in context.command.params
        if param.name in written
        for path in values(context.params, (param.name,))
    ]
    outputs += [("--to", to)] if to else []
    read = values(context.params, (*command.inputs, *command.mirrors))
    inputs = [*map(path_of, read)]  # what options read is whole in memory by then
    for number, (option, path) in enumerate(outputs):
        if path == "-" or (Path(path).exists() and not Path(path).is_file()):
            continue  # a terminal or a pipe takes several; a folder is refused where it is opened
        if other := next((name for name, earlier in outputs[:number] if _is_same(path, earlier)), None):
            hint = "choose another name for one of them"
            raise UsageError(f"{option}: {Path(path)} is named twice, by {other} too", hint=hint)
        if any(_is_same(path, name) for pattern in inputs for name in (pattern, *glob(pattern))):  # noqa: PTH207
            raise UsageError(f"{option}: {Path(path)} is the input file", hint="choose another name")


def check_log_file(log: str, context: Any, settings: Settings) -> None:
    """Raise UsageError where lines of the log would be appended to another file of the command.

    One file may have many names: links of both kinds count.
    """
    with suppress(OSError):
        if not stat.S_ISREG(Path(log).stat().st_mode):
            return  # a terminal, a pipe, or no file at all, which opening it tells
    same = next((name for name in _files_of(context, settings) if _is_same(log, name)), None)
    same = same or _own_file(log, settings) or _stream(log)
    if same:
        raise UsageError(
            f"--log-file: {log} is {same}, which the command reads or writes",
            hint="name a file of its own for the log",
        )


def _files_of(context: Any, settings: Settings) -> Iterator[str]:
    """Yield the files that options, arguments, the profile and the environment name."""
    for param in context.command.params:
        if param.name != "log_file" and names_file(param):
            for text in values(context.params, (param.name,)):
                name = path_of(text).removeprefix("@" if "@" in param.metavar else "")
                yield from (name, *glob(name))  # noqa: PTH207 - a pattern may be absolute
    if env_file := settings.get("env_file"):
        yield str(env_file)
    yield from filter(None, [settings.flags.get("to")])
    yield from settings.recipes.values()
    yield from (
        text
        for name, text in settings.environ.items()
        if name == guard.VARIABLE or (name.startswith("ADSCTL_") and "_FILE" in name)
    )


def _own_file(log: str, settings: Settings) -> str:
    """Return the file of the configuration or of the state that a log would be; empty where it is neither."""
    for folder, names in ((settings.config_dir, CONFIG_FILES), (settings.state_dir, STATE_FILES)):
        with suppress(ValueError):
            parts = Path(os.path.realpath(log)).relative_to(os.path.realpath(folder)).parts
            if parts and parts[0].removesuffix("-wal").removesuffix("-shm") in names:
                return str(folder / Path(*parts))
        with suppress(OSError):
            if Path(log).stat().st_nlink > 1:
                path = next(
                    (path for path in folder.rglob("*") if path.is_file() and path.samefile(log)), None
                )
                if path:
                    return str(path)
    return ""


def _stream(log: str) -> str:
    """Name the standard stream that is redirected to or from the file of a log."""
    for descriptor, name in STANDARD_STREAMS.items():
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), Path(log).stat()):
                return name
    return ""


def _is_same(first: str, other: str) -> bool:
    try:
        return Path(first).samefile(other)
    except (OSError, ValueError):  # one of them does not exist yet
        return os.path.realpath(first) == os.path.realpath(other)


class ResultFile:
    """The file of --to, which has the result of the command once it has ended."""

    def __init__(self, name: str, confirm: Callable[[str], None], say: Callable[[str], None]) -> None:
        self._path, self._is_written, self._say = Path(name), False, say
        check_output_path("--to", self._path)
        self._may_replace = file_to_replace(self._path) is not None
        if self._may_replace:
            confirm(f"Replace {name}")

    def open(self) -> AbstractContextManager[TextIO]:
        """Open a stream that becomes the file on success; one that was created meanwhile is kept."""
        self._is_written = True
        may_replace = None if self._may_replace else lambda path: False
        return atomic(self._path, may_replace=may_replace, is_output=True)

    def require_written(self) -> None:
        """Say that the file is written; raise UsageError where the command had nothing for it."""
        if not self._is_written:
            raise not_written(self._path)
        self._say(f"{self._path}: the result of this command")


def not_written(path: Path | str) -> UsageError:
    """Return the error of a command that had nothing for the file of --to."""
    return UsageError(f"--to: {path} was not written, since this command shows no records")
