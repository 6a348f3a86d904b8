"""Progress on stderr: a bar on a terminal, a line every 30 s elsewhere."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..client.rate_limiter import Wait
from ..numbers import size_text
from ..output import Progress
from ..output.messages import Messages
from ..output.text import counted, duration, safe, singular

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task

    from ..feeds.locations import OnBytes

LINE_INTERVAL_SECONDS = 30.0

OnProgress = Callable[[int], None]
# Takes the rows that are left and the seconds until the next of them; returns the seconds that limits cost.
SecondsLeft = Callable[[int, float], float]


@dataclass
class ProgressReport:
    """What is done of what, what it waits for, and how long the limits of the service make it take."""

    activity: str
    total: int | None
    _seconds_left: SecondsLeft
    say: Callable[[str], None]
    noun: str = "rows"
    count: int = 0
    on_done: OnProgress = lambda count: None
    _wait: Wait | None = None

    def __call__(self, count: int) -> None:
        """Receive how many rows are done."""
        self.count = count
        self.on_done(count)

    def on_wait(self, wait: Wait) -> None:
        """Receive a wait for a rate limit, and say so."""
        self._wait = wait
        self.say(self.line)

    @property
    def wait(self) -> Wait | None:
        """The current wait."""
        return self._wait if self._wait and self._wait.until > time.time() else None

    @property
    def seconds_left(self) -> float:
        """The seconds that the limits of the service cost; 0 if one window holds what is left."""
        if self.total is None:
            return 0.0
        delay = wait.until - time.time() if (wait := self.wait) else 0.0
        return self._seconds_left(self.total - self.count, delay)

    @property
    def line(self) -> str:
        """Everything in one line."""
        of_total = f" of {counted(self.total, singular(self.noun), self.noun)}" if self.total else ""
        left = f", about {duration(seconds)} left" if (seconds := self.seconds_left) else ""
        waiting = f"; waiting until {clock_time(wait.until)}: {wait.reason}" if (wait := self.wait) else ""
        return f"{self.activity}: {self.count:,}{of_total}{left}{waiting}"


@contextmanager
def progress(
    messages: Messages,
    activity: str,
    total: int | None,
    seconds_left: SecondsLeft = lambda rows, delay: 0.0,
    noun: str = "rows",
) -> Iterator[ProgressReport]:
    """Show how many rows of `total` are done, None if unknown. `noun` is a plural to use for "rows"."""
    report = ProgressReport(activity, total, seconds_left, messages.say, noun)
    if tell := messages.on_progress:
        report.on_done = lambda count: tell(Progress(activity, count, total))
        yield report
        return
    with shown(messages, lambda: nullcontext() if total == 0 else _bar(report), lambda: report.line):
        yield report


def shown(
    messages: Messages, live: Callable[[], AbstractContextManager[None]], line: Callable[[], str]
) -> AbstractContextManager[None]:
    """Show progress, unless --quiet: live on a terminal, elsewhere by a line now and then."""
    if messages.quiet:
        return nullcontext()
    is_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return live() if is_terminal else _lines(line, messages.say)


@contextmanager
def _lines(line: Callable[[], str], say: Callable[[str], None]) -> Iterator[None]:
    """Write a line now and then, while it waits too: a run that says nothing for long looks dead."""
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(LINE_INTERVAL_SECONDS):
            say(line())

    threading.Thread(target=write, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextmanager
def _bar(report: ProgressReport) -> Iterator[None]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TimeRemainingColumn
    from rich.text import Text

    class Activity(ProgressColumn):
        """What is done, and until when it waits."""

        def render(self, task: "Task") -> Text:
            until = f", waiting until {clock_time(wait.until)}" if (wait := report.wait) else ""
            return Text(safe(report.activity) + until)

    class TimeLeft(TimeRemainingColumn):
        """The time that the limits of the service make it take, or else the speed so far."""

        def render(self, task: "Task") -> Text:
            seconds = report.seconds_left
            return Text(f"{duration(seconds)} left") if seconds else super().render(task)

    columns = (Activity(), BarColumn(), MofNCompleteColumn(), TimeLeft())
    with Progress(*columns, console=_console_of_bar(), transient=True) as bar:
        task = bar.add_task("", total=report.total)
        report.on_done = lambda count: bar.update(task, completed=count)
        yield


def _console_of_bar() -> "Console":
    """Return a console with room for the echo of Ctrl-C, which must not wrap, or the bar would stay."""
    from rich.console import Console

    console = Console(stderr=True)
    console.width -= len("^C")
    return console


@dataclass
class _Download:
    """How much of a download is there."""

    activity: str
    received: int = 0
    total: int | None = None
    on_bytes: "OnBytes" = lambda received, total: None

    @property
    def line(self) -> str:
        """Everything in one line."""
        of_total = f" of {size_text(self.total)}" if self.total else ""
        return f"{self.activity}: {size_text(self.received)}{of_total}"

    def __call__(self, received: int, total: int | None) -> None:
        """Receive how many bytes are there, and of how many."""
        self.received, self.total = received, total
        self.on_bytes(received, total)


@contextmanager
def download_progress(messages: Messages, label: str) -> "Iterator[OnBytes]":
    """Show how much of a file is there: a bar on a terminal, a line now and then elsewhere."""
    report = _Download(f"Downloading {label}")
    if tell := messages.on_progress:
        report.on_bytes = lambda received, total: tell(Progress(report.activity, received, total))
        yield report
        return
    with shown(messages, lambda: _download_bar(report), lambda: report.line):
        yield report


@contextmanager
def _download_bar(report: _Download) -> Iterator[None]:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    with Progress(*columns, TransferSpeedColumn(), console=_console_of_bar(), transient=True) as bar:
        task = bar.add_task(safe(report.activity), total=None)
        report.on_bytes = lambda received, total: bar.update(task, completed=received, total=total)
        yield


def wait_text(wait: Wait) -> str:
    """Say why nothing is sent, for how long, and until when."""
    return f"{wait.reason}: continuing in {duration(wait.seconds)}, at {clock_time(wait.until)}"


def clock_time(moment: float) -> str:
    """Format a time of the next hours as a clock on the wall shows it."""
    return time.strftime("%H:%M:%S", time.localtime(moment))
