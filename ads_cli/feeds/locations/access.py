"""What reading a remote feed takes from the invocation: environment, limits, and who is told what."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from ...client.copy_limits import CopyRetries, Limits
from ...client.download import Version
from ...client.trace import Trace

OnBytes = Callable[[int, int | None], None]  # called with the bytes received, and their total where known


@contextmanager
def _no_progress(label: str) -> Iterator[OnBytes]:
    yield lambda received, total: None


class RemoteAccess(NamedTuple):
    """What an invocation lends to the reading of remote feeds."""

    environ: Mapping[str, str] = os.environ
    limits: Limits = Limits()
    trace: Trace | None = None
    warn: Callable[[str], None] = lambda text: None
    on_retry: Callable[[str], None] = lambda text: None
    progress: Callable[[str], AbstractContextManager[OnBytes]] = _no_progress
    known_version: Callable[[str], Version | None] = lambda address: None  # of the last successful push

    def retries(self) -> CopyRetries:
        """Return the retries of one copy."""
        return CopyRetries(self.limits, self.on_retry)
