"""The progress of a fleet: a live table on a terminal, a line for each task elsewhere."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...console.progress import shown
from ...fleet.engine import Started, Status, TaskEvent, TaskResult, done
from ...fleet.tasks import Task
from ...output.messages import Messages
from ...output.text import counted, duration, safe

if TYPE_CHECKING:
    from rich.console import Group

TAIL_BYTES = 4096
WIDE = 120  # columns, from which on the profile and the worker are shown
LAST_ENDED = 5  # tasks that are still shown
ROWS_BESIDE = 4  # rows of the terminal that tasks do not take
STYLES: dict[Status, str] = {"ok": "green", "failed": "red"}


@dataclass
class FleetView:
    """What is known of a run while it is under way."""

    _messages: Messages
    _total: int  # tasks
    _log_of: Callable[[Task], Path]
    _shows_ends: bool  # a line for each, where there is no live table
    _running: dict[str, tuple[Task, str, float]] = field(
        default_factory=dict
    )  # task, worker, second of start
    _ended: list[TaskResult] = field(default_factory=list)
    _is_live: bool = False

    def on_event(self, event: TaskEvent) -> None:
        """Receive an event of the engine."""
        if isinstance(event, Started):
            self._running[event.task.name] = (event.task, event.worker, time.monotonic())
            self._messages.detail(f"{event.task.name}: started on {event.worker}")
            return
        result = event.result
        self._running.pop(event.task.name, None)
        self._ended.append(result)
        if self._shows_ends and not self._is_live:
            about = filter(None, (result.status, duration(result.seconds), done(result)))
            self._messages.say(f"[{len(self._ended)}/{self._total}] {result.task}: {', '.join(about)}")

    @property
    def line(self) -> str:
        """Everything in one line."""
        counts = Counter(result.status for result in self._ended)
        parts = [f"{counts[status]:,} {status}" for status in STYLES if counts[status]]
        running = [f"{len(self._running):,} running"] if self._running else []
        ended = f"{len(self._ended):,} of {counted(self._total, 'task')} ended"
        return ", ".join([ended, *parts, *running])

    def shown(self) -> AbstractContextManager[None]:
        """Show it while the block runs."""
        return shown(self._messages, self._live, lambda: self.line)

    @contextmanager
    def _live(self) -> Iterator[None]:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, highlight=False)
        self._is_live = True
        try:
            with Live(
                get_renderable=lambda: self._table(console.width, console.height),
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            ):
                yield
        finally:
            self._is_live = False

    def _table(self, width: int, height: int) -> "Group":
        """Return the running tasks, then the last that have ended, as far as there is room."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        is_wide = width >= WIDE
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(no_wrap=True, max_width=width // 3, overflow="ellipsis")
        for _ in range(4 if is_wide else 2):
            table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, ratio=1, overflow="ellipsis")
        room = max(height - ROWS_BESIDE, 1)
        running = list(self._running.values())[:room]

        def add(name: str, where: Sequence[str], status: Status, seconds: float, text: str) -> None:
            row = (name, *(where if is_wide else ()), status, duration(seconds), text)
            table.add_row(*(Text(safe(cell)) for cell in row), style=STYLES.get(status))

        for task, worker, began in running:
            since = time.monotonic() - began
            add(task.name, (task.profile, worker), "running", since, last_line(self._log_of(task)))
        for result in self._ended[-min(room - len(running), LAST_ENDED) :] if room > len(running) else []:
            where = (result.profile, result.worker or "")
            add(result.task, where, result.status, result.seconds, done(result))
        return Group(table, Text(self.line, style="bold", no_wrap=True, overflow="ellipsis"))


def last_line(log: Path) -> str:
    """Return the last line that a task has written for people; its error is JSON."""
    try:
        with log.open("rb") as file:
            start = file.seek(0, os.SEEK_END) - TAIL_BYTES
            file.seek(max(0, start))
            if start > 0:
                file.readline()  # the rest of a line, of which nobody knows whether it is for people
            written = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line for line in reversed(written) if line.strip() and not line.startswith("{")), "")
