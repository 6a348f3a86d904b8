"""The engine of one machine: so many processes at once."""

import os
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

from ..client.allowance import Allowance
from ..errors import Interrupted
from ..signals import handled_by
from .engine import Ended, OnEvent, Started, TaskResult
from .queue import Limits, TaskQueue
from .records import Run
from .run_task import TaskProcess
from .tasks import Task


class LocalEngine:
    """Runs each task in a process of its own."""

    def __init__(
        self, run: Run, state_dir: Path, limits: Limits, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._run, self._state_dir = run, state_dir
        self._limits = limits
        # Tasks under one token share its limits: each request counts for all, whatever headers state.
        self._environment = {**Allowance.of_machine(state_dir).environment(), **environment}
        # What has happened: a process has ended, or a signal has come.
        self._happened: SimpleQueue[tuple[TaskProcess, TaskResult] | int] = SimpleQueue()
        self._running: list[TaskProcess] = []

    def run(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        """Run tasks; after a signal, tell the processes, and raise Interrupted once they have ended.

        A second signal ends them at once, wherever they are: their journals stay valid.
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
                    happened = self._happened.get()
                    if isinstance(happened, int):
                        received.append(happened)
                        queue.stop()
                        self._tell(happened)
                    else:
                        process, result = happened
                        self._running.remove(process)
                        queue.end(process.task, failed=result.status == "failed")
                        on_event(Ended(process.task, result))
            except BaseException:
                self._tell(signal.SIGTERM)
                raise
        if received:
            raise Interrupted(received[0])

    def _start(self, task: Task) -> str:
        """Start the process of a task; return the name of its worker."""
        taken = {process.worker for process in self._running}
        names = (f"local-{number}" for number in range(1, self._limits.parallel + 1))
        worker = next(name for name in names if name not in taken)
        process = TaskProcess(task, self._run, worker, self._state_dir, self._environment)
        self._running.append(process)
        threading.Thread(target=lambda: self._happened.put((process, process.wait()))).start()
        return worker

    def _tell(self, signum: int) -> None:
        for process in self._running:
            process.tell(signum)
