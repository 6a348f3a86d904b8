"""Messages of a push: what happens while it runs, and what to do after it."""

from collections.abc import Mapping, Sequence

from ..errors import AdsctlError, ContentError, Interrupted, NotFoundError
from ..masking import mask_address
from ..output.messages import Messages
from ..output.text import counted, listed, shell_command
from .progress import OnProgress

MAX_WARNINGS = 5  # of the service, shown one by one


class PushMessages:
    """Shows what happens while a push runs."""

    def __init__(self, messages: Messages, on_progress: OnProgress) -> None:
        self.on_progress = on_progress
        self._messages = messages
        self._warnings = 0

    def on_rejection(self, place: str, reason: str) -> None:
        """Show a rejected row with --verbose."""
        self._messages.detail(f"{place}: rejected: {reason}")

    def on_warning(self, place: str, warning: str) -> None:
        """Show the first warnings; all with --verbose."""
        self._warnings += 1
        if self._warnings <= MAX_WARNINGS or self._messages.is_verbose:
            self._messages.warn(f"{place}: {warning}")

    def close(self) -> None:
        """Say how many warnings were not shown."""
        if self._warnings > MAX_WARNINGS and not self._messages.is_verbose:
            more = counted(self._warnings - MAX_WARNINGS, "more warning")
            self._messages.warn(f"{more} of the service; --verbose shows all")


def resume_command(command_line: Sequence[str]) -> str:
    """Return a command line as it was typed, with --resume, and without secrets of an address."""
    words = [mask_address(word) for word in command_line if word != "--resume"]
    end = words.index("--") if "--" in words else len(words)
    return shell_command(["adsctl", *words[:end], "--resume", *words[end:]])


def how_to_resume(error: AdsctlError | Interrupted, command: str) -> str:
    """Return the hint of an error that stopped a push."""
    if isinstance(error, ContentError | NotFoundError):
        return error.hint  # the file has changed, or the place does not exist: only a new push helps
    return "; ".join(filter(None, (error.hint, f"resume with: {command}")))


def not_deleted_lines(names: Mapping[str, Sequence[str]]) -> list[str]:
    """Say which products were not deleted, by the reason of the service."""
    return [
        f"{counted(len(found), 'product')} not deleted: {reason}: {listed(found)}"
        for reason, found in names.items()
    ]


def how_to_correct(failed_out: str | None, *others: str) -> str:
    """Return the hint about rejected rows."""
    where = "--failed-out FILE writes them to a file, with the reasons"
    if failed_out:
        where = f"they are in {failed_out}, with the reasons; correct it and push it"
    return "; ".join(filter(None, (where, *others)))
