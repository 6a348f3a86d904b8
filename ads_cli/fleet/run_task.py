"""Run a task in a process of its own: the one way in which every engine does."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from ..errors import UnavailableError
from .engine import TaskResult
from .records import Records, RunId
from .tasks import Task

PROGRAM = "import sys; sys.path[:] = {}; from ads_cli.__main__ import main; sys.exit(main())"
TASK_COMMAND = "__task"
SIGNAL_BASE = 128  # the exit code of a shell for a process that was ended by a signal


class Assignment(msgspec.Struct, frozen=True):
    """What the process of a task reads from its standard input, in one line."""

    task: Task
    run: RunId
    worker: str
    state_dir: str


def run_task(
    task: Task, run: RunId, worker: str, state_dir: Path, environment: Mapping[str, str] = os.environ
) -> TaskResult:
    """Run a task, unless its record says that it has ended well, and return its result.

    Its record is on disk, below `state_dir`, before this returns. The process ends with this one, however
    that ends. Raises no error of the task: a failure is a result too.
    """
    return TaskProcess(task, run, worker, state_dir, environment).wait()


class TaskProcess:
    """The process of a task; signals are sent through its standard input, whose end is one too."""

    def __init__(
        self,
        task: Task,
        run: RunId,
        worker: str,
        state_dir: Path,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.task, self.worker = task, worker
        self._records = Records(state_dir, run)
        self._began = time.monotonic()
        self._process: subprocess.Popen[bytes] | None = None
        self._problem = ""
        try:
            # In a session or group of its own it gets no signal of the terminal: one Ctrl-C must not be two.
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM.format(sys.path), TASK_COMMAND, task.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
            self._send(msgspec.json.encode(Assignment(task, run, worker, str(state_dir))) + b"\n")
        except OSError as error:
            self._problem = error.strerror or str(error)

    def tell(self, signum: int) -> None:
        """Send a signal, which the process receives even if it has only just been started."""
        with suppress(OSError, ValueError):  # it has ended
            self._send(bytes([signum]))

    def wait(self) -> TaskResult:
        """Wait for the end, and return the result of the task."""
        if self._process is None:
            return self._ended(1, f"no process can be started: {self._problem}")
        code = self._process.wait()
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        result = self._records.find(self.task)
        if result and (result.status == "ok" or result.exit_code == code):  # else an earlier run stored it
            return result
        name = f"signal {-code}" if code < 0 else f"exit code {code}"
        return self._ended(SIGNAL_BASE - code if code < 0 else code, f"ended with {name}, and no record")

    def _ended(self, code: int, message: str) -> TaskResult:
        """Return the result of a task whose process could not write one."""
        error = UnavailableError(
            f"the process of the task {message}", hint=f"its log is {self._records.log(self.task)}"
        )
        seconds = time.monotonic() - self._began
        return TaskResult.ended(
            self.task,
            code or UnavailableError.exit_code,
            seconds=seconds,
            worker=self.worker,
            error=error.as_dict(),
        )

    def _send(self, message: bytes) -> None:
        if self._process and self._process.stdin:
            self._process.stdin.write(message)
            self._process.stdin.flush()
