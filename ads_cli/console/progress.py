"""Progress on stderr: a bar on a terminal, a line every 30 s elsewhere."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..client.rate_limiter import Wait
from ..output.messages import Messages
from ..output.text import counted, duration, safe

LINE_INTERVAL_SECONDS = 30.0

OnProgress = Callable[[int], None]


def wait_text(wait: Wait) -> str:
    """Say why nothing is sent, for how long, and until when."""
    return f"{wait.reason}: continuing in {duration(wait.seconds)}, at {clock_time(wait.until)}"


def clock_time(moment: float) -> str:
    """Format a time of the next hours as a clock on the wall shows it."""
    return time.strftime("%H:%M:%S", time.localtime(moment))


@contextmanager
def progress(messages: Messages, activity: str, total: int | None) -> Iterator[OnProgress]:
    """Show how many rows of `total` are done; it is None where nobody knows."""
    if messages.quiet:
        yield lambda done: None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with _bar(activity, total) as on_progress:
            yield on_progress
    else:
        last = time.monotonic()

        def on_progress(done: int) -> None:
            nonlocal last
            if time.monotonic() - last >= LINE_INTERVAL_SECONDS:
                last = time.monotonic()
                of_total = f" of {counted(total, 'row')}" if total else ""
                messages.say(f"{activity}: {done:,}{of_total}")

        yield on_progress


@contextmanager
def _bar(activity: str, total: int | None) -> Iterator[OnProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    console.width -= len("^C")  # the terminal's echo of Ctrl-C must not wrap, or the bar would stay
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(safe(activity), total=total)
        yield lambda done: bar.update(task, completed=done)
