"""Run each task in a process of its own: so every engine does, and the one of this machine."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType

import msgspec

from ..client.shared_window import windows_variable
from ..errors import AdsctlError, Interrupted, StateError, UnavailableError
from ..signals import NOTICE_SECONDS, handled_by
from .engine import Ended, OnEvent, Started, TaskResult
from .records import Records, RunId
from .tasks import RunLimits, Task, TaskQueue

PROGRAM = "import sys; sys.path[:] = {}; from ads_cli.__main__ import main; sys.exit(main())"
TASK_COMMAND = "__task"
SIGNAL_BASE = 128  # the exit code of a shell for a process that was ended by a signal
LOCAL_WORKER = "local-"  # then its number


class Assignment(msgspec.Struct, frozen=True):
    """What the process of a task reads from its standard input, in one line."""

    task: Task
    run: RunId
    worker: str
    state_dir: str


class TaskProcess:
    """The process of a task, which ends with this one, however that ends.

    A task whose record says that it has ended well is not run again. Signals are sent through its standard
    input, whose end is one too.
    """

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

    def send_signal(self, signum: int) -> None:
        """Send a signal, which the process receives even if it has only just been started."""
        with suppress(OSError, ValueError):  # it has ended
            self._send(bytes([signum]))

    def has_ended(self, timeout: float) -> bool:
        """Wait for the end of the process for some seconds; tell whether it has come."""
        with suppress(subprocess.TimeoutExpired):
            return self._process is None or self._process.wait(timeout) is not None
        return False

    def wait(self) -> TaskResult:
        """Return the result of the task, a failure too, once its record is on disk."""
        if self._process is None:
            return self._ended(1, f"no process can be started: {self._problem}")
        code = self._process.wait()
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            result = self._records.find(self.task)
        except StateError as error:  # nobody would wait for another end
            return self._failed(error)
        if result and (result.status == "ok" or result.exit_code == code):  # else an earlier run stored it
            return result
        name = f"signal {-code}" if code < 0 else f"exit code {code}"
        return self._ended(SIGNAL_BASE - code if code < 0 else code, f"ended with {name}, and no record")

    def _ended(self, code: int, message: str) -> TaskResult:
        """Return the result of a task whose process could not write one."""
        error = UnavailableError(
            f"the process of the task {message}", hint=f"its log is {self._records.log(self.task)}"
        )
        return self._failed(error, code)

    def _failed(self, error: AdsctlError, code: int = 0) -> TaskResult:
        seconds, text = time.monotonic() - self._began, error.as_dict()
        return TaskResult.ended(
            self.task, code or error.exit_code, seconds=seconds, worker=self.worker, error=text
        )

    def _send(self, message: bytes) -> None:
        if self._process and self._process.stdin:
            self._process.stdin.write(message)
            self._process.stdin.flush()


class LocalEngine:
    """Runs each task in a process of its own."""

    def __init__(
        self, run: RunId, state_dir: Path, limits: RunLimits, records_dir: Path | None = None
    ) -> None:
        self._run, self._records_dir = run, records_dir or state_dir
        self._limits = limits
        # Tasks under one token share its limits: each request counts for all, whatever headers state.
        self._environment = {**windows_variable(state_dir), **os.environ}
        # What has happened: a process has ended, or a signal has come.
        self._happened: SimpleQueue[tuple[TaskProcess, TaskResult] | int] = SimpleQueue()
        self._running: list[TaskProcess] = []

    def run(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        """Run tasks; after a signal, tell the processes, and raise Interrupted once they have ended.

        A second signal ends them at once, wherever they are: what they have sent is known.
        """
        queue = TaskQueue(tasks, self._limits)
        received: list[int] = []

        def on_signal(signum: int, frame: FrameType | None) -> None:
            self._happened.put(signum)

        with handled_by(on_signal):
            try:
                while not queue.is_done:
                    while task := queue.take():
                        on_event(Started(task, self._start(task)))
                    happened = self._next()
                    if isinstance(happened, int):
                        received.append(happened)
                        queue.stop()
                        self._send_signal(happened)
                    else:
                        process, result = happened
                        self._running.remove(process)
                        queue.end(process.task, failed=result.status == "failed")
                        on_event(Ended(process.task, result))
            except BaseException:
                self._send_signal(signal.SIGTERM)
                raise
        if received:
            raise Interrupted(received[0])

    def _start(self, task: Task) -> str:
        """Start the process of a task; return the name of its worker."""
        taken = {process.worker for process in self._running}
        names = (f"{LOCAL_WORKER}{number}" for number in range(1, self._limits.parallel + 1))
        worker = next(name for name in names if name not in taken)
        process = TaskProcess(task, self._run, worker, self._records_dir, self._environment)
        self._running.append(process)
        threading.Thread(target=lambda: self._happened.put((process, process.wait()))).start()
        return worker

    def _next(self) -> tuple[TaskProcess, TaskResult] | int:
        while True:
            with suppress(Empty):
                return self._happened.get(timeout=NOTICE_SECONDS)

    def _send_signal(self, signum: int) -> None:
        for process in self._running:
            process.send_signal(signum)
