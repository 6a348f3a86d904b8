"""The command of --on-failure: run where another command fails, unattended."""

import json
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator

from ..config.environment import SECRETS
from ..errors import ReportedError, UsageError
from ..masking import mask_address
from ..output.text import safe_lines
from ..spelling import as_variable, comma_list
from .options import CommandLine

TIMEOUT_SECONDS = 60.0
MAX_MESSAGE_LENGTH = 10_000  # in characters; a system limits its variables
CTRL_C = 130  # the exit code where a person has stopped it
TOKEN_VARIABLES = frozenset(map(as_variable, SECRETS))
VARIABLE_WORD = re.compile(r"(?:--[\w-]+=)?@([A-Za-z_][A-Za-z0-9_]*)")  # a word that names a variable
# What object stores are signed in to with; a file that a variable names is not its value.
CLOUD_PREFIXES = ("AWS_", "AZURE_", "GOOGLE_", "FSSPEC_")
SECRET_PARTS = ("KEY", "SECRET", "TOKEN", "PASSWORD", "CONNECTION_STRING", "FSSPEC_")


def parse_command(text: str) -> list[str]:
    """Split a command into words, as a shell does. Raise UsageError if it cannot be run."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        shown = mask_address(text)
        raise UsageError(f"--on-failure: {shown!r} cannot be parted into words: {error}") from None
    if not words:
        raise UsageError("--on-failure names no command")
    if shutil.which(words[0]) is None:
        hint = "cron finds few programs by their names alone: give the path"
        raise UsageError(
            f"--on-failure: {mask_address(words[0])!r} is not a program that can be run", hint=hint
        )
    return words


def parse_variables(text: str | None) -> set[str]:
    """Return the names of --on-failure-env. Raise UsageError for one that is not set, or is a token's."""
    names = {*comma_list(text or "")}
    if token := next(iter(sorted(names & TOKEN_VARIABLES)), None):
        raise UsageError(f"--on-failure-env: {token} is never passed on")
    if missing := next(iter(sorted(names - {*os.environ})), None):
        raise UsageError(f"--on-failure-env: {missing} is not set")
    return names


def run_on_failure(error: ReportedError, command_line: CommandLine) -> str:
    """Run the command of --on-failure, if there is one. Return its own failure, or "".

    Its standard input is the summary as JSON, with the error. No shell reads it, and it gets no secrets but
    those that --on-failure-env names.
    """
    import subprocess

    text = command_line.options.get("on_failure")
    if text is None or error.exit_code == CTRL_C:
        return ""
    try:
        words = parse_command(text)
        names = parse_variables(command_line.options.get("on_failure_env"))
    except UsageError as unusable:
        return "" if unusable.message == error.message else unusable.message
    mask, secrets = command_line.mask, {*_secret_variables(command_line)} - names
    document = json.dumps((command_line.summary or {}) | {"error": error.as_dict()})
    message = mask(safe_lines(error.message))[:MAX_MESSAGE_LENGTH]
    environment = {name: value for name, value in os.environ.items() if name not in secrets}
    environment |= {"ADSCTL_EXIT_CODE": str(error.exit_code), "ADSCTL_ERROR": message}
    try:
        process = subprocess.run(
            words,
            input=f"{mask(document)}\n".encode(),
            env=environment,
            stdout=sys.stderr.fileno(),  # standard output has the results
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"--on-failure: {words[0]} did not end within {TIMEOUT_SECONDS:g} s, and was stopped"
    except OSError as problem:
        return f"--on-failure: {words[0]} cannot be run: {problem.strerror}"
    return f"--on-failure: {words[0]} {_end(process.returncode)}" if process.returncode else ""


def _secret_variables(command_line: CommandLine) -> Iterator[str]:
    """Yield the variables that hold secrets: tokens, addresses that words name, and keys of clouds."""
    yield from TOKEN_VARIABLES
    for word in (*command_line.words, *command_line.task_words):
        if match := VARIABLE_WORD.fullmatch(word):
            yield match[1]
    for name in os.environ:
        is_secret = any(part in name for part in SECRET_PARTS) and not name.endswith("_FILE")
        if name.startswith(CLOUD_PREFIXES) and is_secret:
            yield name


def _end(code: int) -> str:
    """Say how a process ended; a negative code is a signal."""
    if code > 0:
        return f"ended with {code}"
    names = {number.value: number.name for number in signal.Signals}  # most real-time signals have none
    return f"was stopped by {names.get(-code, f'signal {-code}')}"
