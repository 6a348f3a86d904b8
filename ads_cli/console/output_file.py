"""The files that a command writes: its result, and the page of `--report` about its run."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Self, TextIO

from ..config.atomic_files import MayReplace, atomic, check_output_path, file_to_replace
from ..errors import AdsctlError, NotConfirmedError, ReportedError, UsageError
from ..output.text import safe_lines
from .invocation import Invocation

if TYPE_CHECKING:
    from ..feeds.locations import Location
    from ..feeds.source import Feed
    from ..report import ReportPage


MAX_LINES = 8  # of an error on a page


class OutputFile:
    """A file named as an argument; an existing one is replaced only where that was confirmed."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self._may_replace = False

    def check_differs(self, feed: "Feed") -> None:
        """Raise UsageError where it is the file that is read."""
        if feed.is_same_file(str(self.path)):
            raise UsageError(f"{self.path} is the input file", hint="choose another name")

    def confirm(self, call: Invocation, *, force: bool) -> None:
        """Ask before an existing file is replaced, unless `--force` or `--yes` is given."""
        if str(self.path) != "-":
            check_output_path(str(self.path), self.path)
        if not file_to_replace(self.path):
            return
        try:
            if not force:
                call.confirm(f"Replace {self.path}", at_service=False)
        except NotConfirmedError as error:
            error.hint = "choose another name, or replace the file with --force"
            raise
        self._may_replace = True

    def open(self) -> AbstractContextManager[TextIO]:
        """Open a stream that becomes the file on success, with the mode and group of the one it replaces."""
        return atomic(self.path, may_replace=self.may_replace, is_output=True)

    @property
    def may_replace(self) -> MayReplace | None:
        """What decides whether a file is replaced: one that was created since it was asked about is kept."""
        return None if self._may_replace else lambda path: False


def time_made(zone: tzinfo | None = None) -> tuple[str, str]:
    """Return the fact of a page that tells when it was made, in a time zone or that of this machine."""
    return "Made", f"{datetime.now().astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"


def failure_details(error: ReportedError | None, *, in_headline: bool) -> Iterator[str]:
    """Yield why it failed, unless the headline says that, and what to do next."""
    if error is None:
        return
    if not in_headline:
        lines = safe_lines(error.message).split("\n")
        yield from lines[-MAX_LINES:]
    if error.hint:
        yield f"What to do: {error.hint}"


class RunReport(ABC):
    """The page of `--report` about a run, written when the command ends, however it ends.

    A subclass says what is on it. `path` is None where no page is asked for: nothing is gathered then. Making
    it raises UsageError where the page cannot be written, or would replace another file.
    """

    def __init__(self, call: Invocation, name: str | None, subject: str = "", *, force: bool = False) -> None:
        self.call, self.subject, self._force = call, subject, force
        self.error: ReportedError | None = None  # that ended the run
        if name == "-":
            raise UsageError("--report: - is not a file", hint="name a file, as in --report feed.html")
        self.path = Path(name) if name else None
        if self.path:
            check_output_path("--report", self.path, self._may_replace, "is not a page that adsctl wrote")

    @abstractmethod
    def page(self) -> "ReportPage":
        """Return the page about the run, as far as it has come."""

    def check_differs(self, inputs: "Iterable[Feed | Location]") -> None:
        """Raise UsageError, and write no page, where it would replace what is read."""
        path, self.path = self.path, None
        if path is None:
            return
        if any(source.is_same_file(str(path)) for source in inputs):
            raise UsageError(f"--report: {path} is the input file", hint="choose another name")
        self.path = path

    @contextmanager
    def written(self) -> Iterator[Self]:
        """Write the page when the block ends; an error of the block counts more than one of the page."""
        from typer import Exit

        try:
            yield self
        except ReportedError as error:
            self.error = error
            try:
                self.write()
            except AdsctlError as other:
                self.call.messages.warn(other.message)
            raise
        except (Exit, BrokenPipeError):  # an exit code that is no error; the reader has closed the pipe
            self.write()
            raise
        self.write()

    def write(self) -> None:
        """Write the page, if one is asked for; another file is replaced by force only."""
        if self.path is None:
            return
        from .. import __version__
        from ..report import render

        html = render(self.page(), __version__, self.call.mask)
        with atomic(self.path, may_replace=self._may_replace, is_output=True) as stream:
            stream.write(html)
        self.call.messages.say(f"{self.path}: a page about this run")

    def _may_replace(self, path: Path) -> bool:
        """Tell whether a file may be replaced: a page that adsctl wrote, or any file by force."""
        if self._force:
            return True
        from ..report import is_page

        try:
            with path.open("rb") as file:
                return is_page(file.read(1000))
        except OSError:
            return False
