"""What reading a remote feed takes from the invocation: environment, limits, and who is told what."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from ...http.copy_limits import CopyLimits, CopyRetries
from ...http.download import Version
from ...http.trace import Trace

OnBytes = Callable[[int, int | None], None]  # called with the bytes received, and their total where known


@contextmanager
def no_progress(label: str) -> Iterator[OnBytes]:
    """Show nothing while a file is copied."""
    yield lambda received, total: None


class RemoteAccess(NamedTuple):
    """What an invocation lends to the reading of remote feeds."""

    environ: Mapping[str, str] = os.environ
    limits: CopyLimits = CopyLimits()
    trace: Trace | None = None
    warn: Callable[[str], None] = lambda text: None
    on_retry: Callable[[str], None] = lambda text: None
    progress: Callable[[str], AbstractContextManager[OnBytes]] = no_progress
    known_version: Callable[[str], Version | None] = lambda address: None  # of the last successful push
    # File systems by their arguments, for many files of one store; None: each file has one of its own.
    file_systems: dict[str, Any] | None = None

    def retries(self) -> CopyRetries:
        """Return the retries of one copy."""
        return CopyRetries(self.limits, self.on_retry)
