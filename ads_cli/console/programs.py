"""Programs of the user that a command starts: no shell reads their command, and they get no secrets."""

import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING

from ..config.environment import SECRETS
from ..errors import UsageError
from ..masking import mask_address
from ..signals import NOTICE_SECONDS, handled_by
from ..spelling import as_variable
from .options import CommandLine

if TYPE_CHECKING:
    import subprocess

TIMEOUT_SECONDS = 60.0
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
TOKEN_VARIABLES = frozenset(map(as_variable, SECRETS))
VARIABLE_WORD = re.compile(r"(?:--[\w-]+=)?@([A-Za-z_][A-Za-z0-9_]*)")  # a word that names a variable
# What object stores are signed in to with; a file that a variable names is not its value.
CLOUD_PREFIXES = ("AWS_", "AZURE_", "GOOGLE_", "FSSPEC_")
SECRET_PARTS = ("KEY", "SECRET", "TOKEN", "PASSWORD", "CONNECTION_STRING", "FSSPEC_")


def parse_program(text: str, option: str, *, hint: str = "") -> list[str]:
    """Split a command into words, as a shell does. Raise UsageError if it cannot be run."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        shown = mask_address(text)
        raise UsageError(f"{option}: {shown!r} cannot be parted into words: {error}") from None
    if not words:
        raise UsageError(f"{option} names no command")
    if shutil.which(words[0]) is None:
        raise UsageError(f"{option}: {mask_address(words[0])!r} is not a program that can be run", hint=hint)
    return words


def secret_variables(command_line: CommandLine) -> Iterator[str]:
    """Yield the variables that hold secrets: tokens, addresses that words name, and keys of clouds."""
    yield from TOKEN_VARIABLES
    for word in (*command_line.words, *command_line.task_words):
        if match := VARIABLE_WORD.fullmatch(word):
            yield match[1]
    for name in os.environ:
        is_secret = any(part in name for part in SECRET_PARTS) and not name.endswith("_FILE")
        if name.startswith(CLOUD_PREFIXES) and is_secret:
            yield name


def environment_without(secrets: Collection[str]) -> dict[str, str]:
    """Return the environment without some variables."""
    return {name: value for name, value in os.environ.items() if name not in secrets}


def run_program(
    words: Sequence[str], content: bytes, secrets: Collection[str], given: Mapping[str, str] = NO_VARIABLES
) -> str:
    """Run a program with some input, without the variables that hold secrets. Return its failure, or ""."""
    import subprocess

    try:
        process = subprocess.run(
            words,
            input=content,
            env={**environment_without(secrets), **given},
            stdout=sys.stderr.fileno(),  # standard output has the results
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{words[0]} did not end within {TIMEOUT_SECONDS:g} s, and was stopped"
    except OSError as problem:
        return f"{words[0]} cannot be run: {problem.strerror}"
    return f"{words[0]} {_end(process.returncode)}" if process.returncode else ""


def run_child(command: Sequence[str], environment: Mapping[str, str]) -> tuple[int, int | None]:
    """Run a command. Pass signals on, and return its exit code, with the first signal that came.

    A signal may come before the command has started. It is then passed on as soon as it has.
    """
    import subprocess

    received: list[int] = []
    early: list[int] = []
    child: subprocess.Popen[bytes] | None = None

    def pass_on(signum: int, frame: FrameType | None) -> None:
        received.append(signum)
        if child is None:
            early.append(signum)
        else:
            _send(child, signum)

    with handled_by(pass_on):
        try:
            child = subprocess.Popen(command, env=environment)
        except OSError as error:
            raise UsageError(f"cannot run {command[0]}: {error.strerror}") from error
        for signum in early:
            _send(child, signum)
        code = None
        while code is None:
            with suppress(subprocess.TimeoutExpired):
                code = child.wait(NOTICE_SECONDS)
    return exit_code_of(code), next(iter(received), None)


def _send(child: "subprocess.Popen[bytes]", signum: int) -> None:
    """Send a signal, unless the terminal has sent it to the child too."""
    if signum == signal.SIGTERM or not sys.stdin.isatty():
        child.send_signal(signum)


def exit_code_of(code: int) -> int:
    """Return the exit code for that of a process, as a shell does; a negative one is a signal."""
    return code if code >= 0 else 128 - code


def _end(code: int) -> str:
    """Say how a process ended; a negative code is a signal."""
    if code > 0:
        return f"ended with {code}"
    names = {number.value: number.name for number in signal.Signals}  # most real-time signals have none
    return f"was stopped by {names.get(-code, f'signal {-code}')}"
