"""What the reading of remote feeds takes from an invocation: limits, messages, progress."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..feeds.locations import OnBytes, RemoteAccess
from ..http.retry import CopyLimits
from ..numbers import size_text
from ..output.messages import Messages
from ..output.text import safe
from .invocation import Invocation
from .progress import shown


def make_access(call: Invocation, max_bytes: int) -> RemoteAccess:
    """Return the access to remote feeds with the limits, messages and environment of an invocation."""
    settings, messages = call.settings, call.messages
    return RemoteAccess(
        environ=settings.environ,
        limits=CopyLimits(
            timeout=settings.seconds("timeout", may_be_zero=False),
            max_attempts=settings.max_attempts,
            max_wait=settings.seconds("max_wait"),
            max_bytes=max_bytes,
        ),
        trace=call.trace,
        warn=messages.note,
        on_retry=lambda message: messages.detail(call.trace.mask(message)),
        known_version=call.known_version,
        progress=lambda label: download_progress(messages, label),
    )


class _Report:
    """How much of a download is there."""

    def __init__(self, label: str) -> None:
        self.activity = f"Downloading {label}"
        self.received = 0
        self.total: int | None = None
        self.on_bytes: OnBytes = lambda received, total: None

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
def download_progress(messages: Messages, label: str) -> Iterator[OnBytes]:
    """Show how much of a file is there: a bar on a terminal, a line now and then elsewhere."""
    report = _Report(label)
    with shown(messages, lambda: _bar(report), lambda: report.line):
        yield report


@contextmanager
def _bar(report: _Report) -> Iterator[None]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    with Progress(*columns, TransferSpeedColumn(), console=console, transient=True) as bar:
        task = bar.add_task(safe(report.activity), total=None)
        report.on_bytes = lambda received, total: bar.update(task, completed=received, total=total)
        yield
