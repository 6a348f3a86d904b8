"""The process of a task: it runs the command, and writes the record of its end."""

import json
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ..client.guard import FLEET_COUNT
from ..errors import STATE_HINT, AdsctlError, ContentError, Interrupted, StateError
from ..output import ResultShape
from ..output.text import shell_command
from ..runs.job import BEGUN_VARIABLE, EARLIER_VARIABLE, GROUP_VARIABLE
from ..signals import signal_numbers
from .engine import NO_DATA, TaskResult
from .records import Records
from .run_task import Assignment

MAX_DATA_BYTES = 256 * 1024 * 1024  # what is more is written to a file by the command itself
# Exit codes after which a request was certainly not applied; 11 may be that of a look at an earlier attempt.
NOT_APPLIED = {2, 3, 4, 5, 6, 7, 12}
MAX_TAIL_BYTES = 64 * 1024  # of the log, in which the error is

# Runs words with options that outrank theirs; returns the exit code, and how the result is shown.
RunCommand = Callable[[Sequence[str], Mapping[str, Any]], tuple[int, ResultShape | None]]


def run_assignment(run_command: RunCommand) -> int:
    """Run the task that standard input names, and return its exit code."""
    stop_channel = os.dup(0)
    line = _read_line(stop_channel)
    if not line:
        return 2  # a person has typed the name of this command
    assignment = msgspec.json.decode(line, type=Assignment)
    records = Records(Path(assignment.state_dir), assignment.run)
    began = time.monotonic()
    try:
        _connect(0, os.open(os.devnull, os.O_RDONLY))
        records.prepare()
        _connect(2, os.open(records.log(assignment.task), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        _end_if_stopped_already(stop_channel)
        threading.Thread(target=_follow_stop_channel, args=(stop_channel,), daemon=True).start()
        with records.locked(assignment.task):
            return _run_once(assignment, records, run_command, began)
    except (AdsctlError, OSError) as error:
        return _fail(assignment, records, error, began)
    except Interrupted as interrupted:
        return interrupted.exit_code


def _run_once(assignment: Assignment, records: Records, run_command: RunCommand, began: float) -> int:
    """Run the command, unless it has ended well, and store its result."""
    task = assignment.task
    earlier = records.find(task)
    if earlier and earlier.status == "ok":
        return earlier.exit_code or 0
    has_begun = records.has_begun(task)
    if has_begun and task.is_creation and (not earlier or earlier.exit_code not in NOT_APPLIED):
        raise StateError(
            f"an earlier attempt of the task {task.name} may have created its record",
            hint=f"look whether it exists; fleet run --only {shell_command([task.name])} creates another one",
        )
    records.begin(task)
    resumes = has_begun and task.can_resume
    log_start = os.fstat(2).st_size
    with tempfile.TemporaryFile() as output:
        os.dup2(output.fileno(), 1)
        # The error is JSON too. An option would be refused by commands without a result.
        os.environ["ADSCTL_OUTPUT"] = "json"
        os.environ[FLEET_COUNT] = records.count_of(task).variable
        if resumes:
            os.environ[BEGUN_VARIABLE] = "1"
        if task.is_part:
            os.environ[GROUP_VARIABLE] = assignment.run.id
        if task.is_once:
            os.environ[EARLIER_VARIABLE] = records.place_of(task)
        code, shape = run_command(_with_resume(task.words) if resumes else task.words, task.fixed)
        _ignore_signals()
        data = _printed(output)
    result = TaskResult.ended(
        task,
        code,
        seconds=time.monotonic() - began,
        worker=assignment.worker,
        summary=_summary(data) if task.is_job else None,
        error=_error(records.log(task), log_start) if code else None,
        data=NO_DATA if task.is_job else data,
        shape=shape,
    )
    records.store(task, result)
    return code


def _fail(assignment: Assignment, records: Records, problem: AdsctlError | OSError, began: float) -> int:
    """Store that a task could not be run, or that its result could not be stored."""
    _ignore_signals()
    task, worker, seconds = assignment.task, assignment.worker, time.monotonic() - began
    error = problem if isinstance(problem, AdsctlError) else StateError(str(problem), hint=STATE_HINT)
    result = TaskResult.ended(task, error.exit_code, seconds=seconds, worker=worker, error=error.as_dict())
    with suppress(AdsctlError, OSError):  # the exit code tells it too
        records.store(task, result)
    return error.exit_code


def _end_if_stopped_already(stop_channel: int) -> None:
    """Raise Interrupted where a signal has arrived already: the command might end before it is passed on."""
    # Windows cannot tell whether there is something in a pipe: there it is passed on a moment later.
    if sys.platform != "win32" and select.select([stop_channel], [], [], 0)[0]:
        message = os.read(stop_channel, 1)
        raise Interrupted(message[0] if message else signal.SIGTERM)


def _follow_stop_channel(stop_channel: int) -> None:
    """Pass on the signals that arrive through standard input; its end is that of the fleet's process."""
    while True:
        message = os.read(stop_channel, 1)
        _interrupt(message[0] if message else signal.SIGTERM)
        if not message:
            return


def _interrupt(signum: int) -> None:
    """Send a signal to the main thread."""
    if sys.platform == "win32":
        signal.raise_signal(signum)  # os.kill would end the process, whatever handles the signal
    else:
        os.kill(os.getpid(), signum)


def _with_resume(words: Sequence[str]) -> list[str]:
    """Add --resume to a command line, before `--`."""
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], "--resume", *words[end:]]


def _read_line(descriptor: int) -> bytes:
    """Read one line, and nothing of what follows it."""
    line = b""
    while (byte := os.read(descriptor, 1)) not in (b"", b"\n"):
        line += byte
    return line


def _connect(stream: int, descriptor: int) -> None:
    """Let a standard stream be an open file, and close its other descriptor."""
    os.dup2(descriptor, stream)
    os.close(descriptor)


def _ignore_signals() -> None:
    """Let nothing interrupt the writing of a record."""
    for signum in signal_numbers():
        signal.signal(signum, signal.SIG_IGN)


def _printed(output: Any) -> msgspec.Raw:
    """Return what the command printed, in JSON; raise ContentError where it is too much to be merged."""
    sys.stdout.flush()
    output.seek(0)
    text = output.read(MAX_DATA_BYTES + 1)
    if len(text) > MAX_DATA_BYTES:
        raise ContentError("the result is larger than 256 MB", hint="ask for less, or write it to a file")
    if not text:
        return NO_DATA
    try:
        return msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError):  # a command that prints text
        return msgspec.Raw(msgspec.json.encode(text.decode("utf-8", "replace")))


def _summary(data: msgspec.Raw) -> dict[str, Any] | None:
    """Return the result of a job, where that is one object."""
    document = msgspec.json.decode(data)
    return document if isinstance(document, dict) else None


def _error(log: Path, start: int) -> dict[str, Any] | None:
    """Find the error that the command has reported: a line of JSON, the last one."""
    with log.open("rb") as file:
        file.seek(max(start, log.stat().st_size - MAX_TAIL_BYTES))
        lines = file.read().splitlines()
    for line in reversed(lines):
        if line.startswith(b'{"error":'):
            with suppress(ValueError):
                error = json.loads(line)["error"]
                return error if isinstance(error, dict) else None
    return None
