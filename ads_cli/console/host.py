"""The process that a command runs in: its streams and environment, what it shows, and what it keeps."""

import os
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from typing import IO, TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ..output import Presentation
    from ..output.messages import Messages
    from ..output.printer import Printer

T = TypeVar("T")


class Host:
    """A process of adsctl: results on stdout, messages on stderr, and nothing kept for another command."""

    environ: Mapping[str, str] = os.environ
    presentation: "Presentation | None" = None  # None: as options, environment and profile say
    keeps = False  # whether what commands open is kept for the next one, and closed by the host

    @property
    def out(self) -> IO[str]:
        """Where texts are printed that are no records."""
        return sys.stdout

    @property
    def is_terminal(self) -> bool:
        """Whether there is a person to ask."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def messages(self, presentation: "Presentation") -> "Messages":
        """Make what takes messages."""
        from ..output.messages import Messages

        return Messages(presentation)

    def printer(self, presentation: "Presentation", **options: Any) -> "Printer":
        """Make what takes results."""
        from ..output.printer import Printer

        return Printer(self.out, presentation, **options)

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """Return what commands of this host share, such as connections."""
        return make()


PROCESS = Host()


class SilentHost(Host):
    """A host whose texts and results nobody reads: a command is only parsed, or judged."""

    def __init__(self, host: Host = PROCESS) -> None:
        self._host, self._out = host, StringIO()
        self.environ = host.environ

    @property
    def out(self) -> IO[str]:
        """A text in memory."""
        return self._out

    def messages(self, presentation: "Presentation") -> "Messages":
        """Make what takes messages, as the other host does."""
        return self._host.messages(presentation)


def out_of(context: Any) -> IO[str]:
    """Return where a Typer context prints texts."""
    return (context.obj.host if context.obj else PROCESS).out
