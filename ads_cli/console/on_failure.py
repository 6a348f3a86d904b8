"""The command of --on-failure: run where another command fails, unattended."""

import json
import os

from ..errors import ReportedError, UsageError
from ..output.text import safe_lines
from ..spelling import comma_list
from .options import CommandLine
from .programs import TOKEN_VARIABLES, parse_program, run_program, secret_variables

MAX_MESSAGE_LENGTH = 10_000  # in characters; a system limits its variables
CTRL_C = 130  # the exit code where a person has stopped it


def parse_command(text: str) -> list[str]:
    """Split the command into words. Raise UsageError if it cannot be run."""
    return parse_program(
        text, "--on-failure", hint="cron finds few programs by their names alone: give the path"
    )


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
    text = command_line.options.get("on_failure")
    if text is None or error.exit_code == CTRL_C:
        return ""
    try:
        words = parse_command(text)
        names = parse_variables(command_line.options.get("on_failure_env"))
    except UsageError as unusable:
        return "" if unusable.message == error.message else unusable.message
    mask, secrets = command_line.mask, {*secret_variables(command_line)} - names
    document = json.dumps((command_line.summary or {}) | {"error": error.as_dict()})
    message = mask(safe_lines(error.message))[:MAX_MESSAGE_LENGTH]
    given = {"ADSCTL_EXIT_CODE": str(error.exit_code), "ADSCTL_ERROR": message}
    problem = run_program(words, f"{mask(document)}\n".encode(), secrets, given)
    return problem and f"--on-failure: {problem}"
