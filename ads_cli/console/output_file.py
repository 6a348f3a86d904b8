"""The file that a command writes its result to."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..config.atomic_files import MayReplace, atomic, file_to_replace
from ..errors import AdsctlError, NotConfirmedError, ReportedError, UsageError
from .invocation import Invocation

if TYPE_CHECKING:
    from ..feeds.source import Feed
    from ..report import ReportPage


MAX_LINES = 8  # of an error on a page


def refuse_presentation(call: Invocation, option: str) -> None:
    """Raise UsageError where a presentation is chosen for a file; its format is that of `option`."""
    if unused := [name for name in ("output", "to", "columns", "query") if call.flags.get(name)]:
        raise UsageError(
            f"--{unused[0]}: the file has whole products, for push to take back; {option} chooses how",
            hint="products list shows a catalog in every format, with --columns and --query",
        )


class OutputFile:
    """A file named as an argument; an existing one is replaced only where that was confirmed."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self._may_replace = False

    def check_differs(self, feed: "Feed", failed_out: str | None) -> None:
        """Raise UsageError where it is the file that is read, or that of rejected rows."""
        if feed.is_same_file(str(self.path)):
            raise UsageError(f"{self.path} is the input file", hint="choose another name")
        if failed_out and self.path.resolve() == Path(failed_out).resolve():  # they need not exist yet
            raise UsageError(f"--failed-out: {failed_out} is the output file", hint="choose another name")

    def confirm(self, call: Invocation, *, force: bool) -> None:
        """Ask before an existing file is replaced, unless `--force` or `--yes` is given."""
        if file_to_replace(self.path):
            if not force:
                self._ask(call)
            self._may_replace = True

    def _ask(self, call: Invocation) -> None:
        try:
            call.confirm(f"Replace {self.path}", at_service=False)
        except NotConfirmedError as error:
            error.hint = "choose another name, or replace the file with --force"
            raise

    def open(self) -> AbstractContextManager[TextIO]:
        """Open a stream that becomes the file on success, with the mode and group of the one it replaces."""
        return atomic(self.path, may_replace=self.may_replace, keep_mode=True)

    @property
    def may_replace(self) -> MayReplace | None:
        """What decides whether a file is replaced: one that was created since it was asked about is kept."""
        return None if self._may_replace else lambda path: False


def made() -> tuple[str, str]:
    """Return the fact of a page that tells when it was made."""
    return "Made", f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %Z}"


def failure_details(error: ReportedError | None, *, is_told: bool) -> Iterator[str]:
    """Yield why it failed, unless that is told by the headline, and what to do next."""
    if error is None:
        return
    if not is_told:
        lines = error.message.split("\n")
        yield from lines[-MAX_LINES:]
    if error.hint:
        yield f"What to do: {error.hint}"


@contextmanager
def page_at_end(call: Invocation, write: Callable[[ReportedError | None], None]) -> Iterator[None]:
    """Write a page when the block has ended, also by an error, which counts more than one of the page."""
    from typer import Exit

    try:
        yield
    except ReportedError as error:
        try:
            write(error)
        except AdsctlError as other:
            call.messages.warn(other.message)
        raise
    except (Exit, BrokenPipeError):  # an exit code that is no error; nobody reads on
        write(None)
        raise
    write(None)


def write_page(call: Invocation, path: Path, page: "ReportPage", *, force: bool) -> None:
    """Write a page; another file is replaced by force only."""
    from .. import __version__
    from ..config.atomic_files import atomic
    from ..report.rendering import render

    html = render(page, __version__, call.mask)
    with atomic(path, may_replace=lambda old: force or is_page_file(old), keep_mode=True) as stream:
        stream.write(html)
    call.messages.say(f"{path}: a page about this run")


def checked_path(name: str, *, force: bool) -> Path:
    """Return the path of a page; raise UsageError where it cannot be, or would replace another file."""
    from ..config.atomic_files import file_to_replace

    path = Path(name)
    if name == "-":
        raise UsageError("--report: - is not a file", hint="name a file, as in --report feed.html")
    if not path.parent.is_dir():
        raise UsageError(f"--report: the folder {path.parent} does not exist")
    if path.is_dir():
        raise UsageError(f"--report: {path} is a folder")
    existing = file_to_replace(path)
    if existing and not (force or is_page_file(existing)):
        raise UsageError(
            f"--report: {path} exists and is not a page that adsctl wrote",
            hint="choose another name, or replace the file with --force",
        )
    return path


def is_page_file(path: Path) -> bool:
    """Tell whether a file is a page that adsctl wrote."""
    from ..report.rendering import is_page

    try:
        with path.open("rb") as file:
            return is_page(file.read(1000))
    except OSError:
        return False
