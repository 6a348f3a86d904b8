"""The file that a command writes its result to."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..config.atomic_files import MayReplace, atomic, file_to_replace
from ..errors import NotConfirmedError, UsageError
from .invocation import Invocation

if TYPE_CHECKING:
    from ..feeds.source import Feed
    from ..report import ReportPage


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
        self._is_opened = False

    @classmethod
    def of_result(cls, call: Invocation, path: str) -> "OutputFile":
        """Return the file of --to, which has the result of the command once it has ended."""
        file = cls(path)
        if not file.path.parent.is_dir() or file.path.is_dir():
            reason = "is a folder" if file.path.is_dir() else f"the folder {file.path.parent} does not exist"
            raise UsageError(f"--to: {path}: {reason}")
        if file_to_replace(file.path):
            call.confirm(f"Replace {path}", at_service=False)
            file._may_replace = True
        if not call.dry_run:
            call.at_end(file._require_opened)
        return file

    def _require_opened(self) -> None:
        if not self._is_opened:
            raise UsageError(f"--to: {self.path} was not written, since this command shows no records")

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
        self._is_opened = True
        return atomic(self.path, may_replace=self.may_replace, keep_mode=True)

    @property
    def may_replace(self) -> MayReplace | None:
        """What decides whether a file is replaced: one that was created since it was asked about is kept."""
        return None if self._may_replace else lambda path: False


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
