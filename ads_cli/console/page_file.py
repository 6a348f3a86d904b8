"""The file of --report: which it may replace, and how it is written."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from .invocation import Invocation

if TYPE_CHECKING:
    from ..report.page import Page


def write_page(call: Invocation, path: Path, page: "Page", *, force: bool) -> None:
    """Write a page; a file that is none is replaced by force only."""
    from .. import __version__
    from ..config.atomic_files import atomic
    from ..report.rendering import render

    html = render(page, __version__, call.mask)
    with atomic(path, may_replace=lambda old: force or is_page_file(old), keep_mode=True) as stream:
        stream.write(html)
    call.messages.say(f"{path}: a page about this run")


def checked_path(name: str, *, force: bool) -> Path:
    """Return the path of a page; raise UsageError where it cannot be, or would replace another file."""
    from ..config.output_paths import file_to_replace

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
