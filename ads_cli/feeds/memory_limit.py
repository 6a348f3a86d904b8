"""Limit the memory of this process; apart from the readers, so that a process of its own starts quickly."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATISTICS = Path("/proc/self/statm")  # its first number is the size of this process, in pages


@contextmanager
def memory_limit(size: int) -> Iterator[None]:
    """Let this process grow by at most `size` bytes. A larger allocation fails."""
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(STATISTICS.read_text().split()[0]) * resource.getpagesize() + size
    limits = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([limit, *limits]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
