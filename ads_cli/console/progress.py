"""Progress on stderr: a bar on a terminal, a line every 30 s elsewhere."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..output.messages import Messages
from ..output.text import counted, safe

LINE_INTERVAL_SECONDS = 30.0

OnProgress = Callable[[int], None]


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
