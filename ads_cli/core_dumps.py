"""Core dumps, which would hold the secrets of a process."""

import sys
from contextlib import suppress


def turn_off() -> None:
    """Let the system write no core dump of this process and those that it starts; Windows writes none."""
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
