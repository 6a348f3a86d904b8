"""The files of media that a command names: as arguments, or in a table."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self, TypedDict

from ...api.media_uploads import Category
from ...config.atomic_files import atomic, own_descriptor
from ...console.invocation import Invocation
from ...console.parameters import argument, option
from ...console.shown import Result
from ...errors import AdsctlError, ContentError, UsageError
from ...feeds.locations import FileLocation, Location, RemoteAccess, expand_files, is_remote, parse_location
from ...feeds.registry import find_failed_out
from ...media.inspection import MediaInfo, inspect
from ...media.rules import Breach
from ...media.upload import MediaRecord, Status, record_of
from ...output.text import counted, safe
from ..runs.options import FeedOptions

if TYPE_CHECKING:
    from ...runs.rejected_rows import FailedOut

Files = Annotated[
    list[str] | None,
    argument(
        "FILE...",
        "Images, GIFs and videos: paths and patterns, - for standard input, https://, s3://, gs://, az://"
        " or sftp://, or @NAME: the address in a variable",
    ),
]
Table = Annotated[
    str | None,
    option(
        "TABLE",
        "Read the files from the column file of a table; paths are relative to its folder",
        "--file",
        "-f",
    ),
]


class MediaFinding(TypedDict):
    """A rule that a file breaks."""

    file: str
    rule: str
    words: str
    hint: str
    severity: str


FINDINGS = Result(MediaFinding, "file")


class MediaFile(NamedTuple):
    """A file of media, and what its row says where a table names it."""

    name: str  # as it was given, secrets included: a path, an address, @NAME, or - for standard input
    location: Location
    row: dict[str, Any] = {}
    position: str = "1"  # its line in the table, or the number of the argument

    @classmethod
    def of(cls, name: str, access: Callable[[], RemoteAccess] | None = None) -> Self:
        """Return the file that an argument or an option names."""
        return cls(name, parse_location(name, access))

    @property
    def label(self) -> str:
        """What messages and records name it by."""
        return self.location.label

    def inspect(self) -> MediaInfo:
        """Read it; raise UsageError where it cannot be opened."""
        require_regular(self.location)
        return inspect(self.location)


@dataclass
class CheckedMedia:
    """A file, what it is, the rules that it breaks, and its status as far as a run has come."""

    file: MediaFile
    info: MediaInfo
    findings: list[Breach]
    status: Status
    category: Category | None = None  # once it is uploaded, or would be
    media: MediaRecord | None = None  # the record of its upload
    refusal: str = ""  # why it was not uploaded

    @property
    def errors(self) -> list[Breach]:
        """The findings that are no warnings."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def is_valid(self) -> bool:
        """Whether it breaks no rule, but for warnings."""
        return not self.errors

    @property
    def reason(self) -> str:
        """Say why it may not be uploaded; empty where it may."""
        return "; ".join(finding.words for finding in self.errors)

    def line(self, finding: Breach, mark: str = "") -> str:
        """Say what is wrong with it, and what to do."""
        return safe(f"{self.file.label}: {mark}{finding.words} ({finding.rule}); {finding.hint}")

    def records(self) -> list[MediaFinding]:
        """Return its findings as programs read them."""
        return [
            {
                "file": self.file.label,
                "rule": finding.rule,
                "words": finding.words,
                "hint": finding.hint,
                "severity": finding.severity,
            }
            for finding in self.findings
        ]

    @property
    def record(self) -> MediaRecord:
        """Return what an upload prints."""
        return self.media or record_of(self.file.label, self.info, self.category, self.status)


class CheckResult(NamedTuple):
    """What a check of several files found."""

    checked: list[CheckedMedia]
    unopened: list[AdsctlError]

    @property
    def invalid(self) -> list[CheckedMedia]:
        """The files that break a rule."""
        return [file for file in self.checked if not file.is_valid]

    @property
    def refused(self) -> list[tuple[MediaFile, str]]:
        """The files that were not uploaded, or may not be, and why."""
        return [(checked.file, why) for checked in self.checked if (why := checked.refusal or checked.reason)]

    @property
    def summary(self) -> str:
        """Say how many files are invalid."""
        return f"{len(self.invalid):,} of {counted(len(self.checked), 'file')} invalid"


def is_path(name: str) -> bool:
    """Whether a file is named by its path: neither standard input nor an address."""
    return name != "-" and not is_remote(name)


def require_regular(location: Location) -> None:
    """Raise UsageError for a pipe or a device, to which nothing may ever be written."""
    if isinstance(location, FileLocation):
        try:
            mode = os.stat(location.path).st_mode  # noqa: PTH116 - a path may be a descriptor's
        except (OSError, ValueError):
            return  # opening it says why
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            hint = "name a file, or - for standard input"
            raise UsageError(f"{location.label} is not a regular file", hint=hint)


def media_files(
    call: Invocation,
    files: list[str] | None,
    table: str | None,
    feed: FeedOptions,
    columns: tuple[str, ...] = ("file",),
) -> list[MediaFile]:
    """Return the files that arguments and a table name. The table may have other `columns`."""
    if not (files or table):
        raise UsageError("name the files", hint="as paths or patterns, or in a table with -f TABLE")
    access = feed.access(call)
    expanded = expand_files(files or [], access)
    opened = [MediaFile.of(file, access)._replace(position=str(n)) for n, file in enumerate(expanded, 1)]
    if not table:
        return opened
    rows = feed.open_rows(call, table, ("media",), columns)
    folder = os.path.dirname(table) if is_path(table) else ""  # noqa: PTH120 - as typed
    for row in rows:
        name = row.values.get("file")
        if row.problem or not isinstance(name, str) or not name:
            reason = row.problem or "it names no file in the column 'file'"
            raise ContentError(f"{rows.place(row.line, row.record)}: {reason}")
        file = MediaFile.of(os.path.join(folder, name) if is_path(name) else name, access)  # noqa: PTH118 - keeps ./-
        opened.append(file._replace(row=row.values, position=rows.position(row.line, row.record)))
    if not opened:
        raise ContentError(f"{rows.source.label} names no files", hint="one a row, in a column 'file'")
    return opened


@contextmanager
def refused_written(failed_out: "FailedOut | None", result: CheckResult) -> Iterator[None]:
    """Write the refused files of a run, however it ends."""
    try:
        yield
    finally:
        write_refused(failed_out, result.refused)


def write_refused(failed_out: "FailedOut | None", refused: list[tuple[MediaFile, str]]) -> None:
    """Write files and why they were refused as a table for -f; without any, remove an earlier one."""
    if failed_out is None:
        return
    if not refused:
        failed_out.remove_earlier()
        return
    from ...feeds.formats.writers import open_writer
    from ...feeds.rows import REPORT_COLUMNS

    path = Path(failed_out.path)
    names = dict.fromkeys(name for file, _ in refused for name in file.row if name not in REPORT_COLUMNS)
    columns = [*dict.fromkeys(("file", *names)), *REPORT_COLUMNS]
    with atomic(path, may_replace=failed_out.may_replace, is_output=True) as stream:
        writer = open_writer(stream, find_failed_out(failed_out.path), columns)
        for file, reason in refused:
            own = {"file": _name_in(path, file)}
            writer.write(file.row | own | dict(zip(REPORT_COLUMNS, (file.position, reason), strict=True)))
        writer.close()


def _name_in(table: Path, file: MediaFile) -> str:
    """Return what a table calls a file, so that it can be read again. A stream has no folder."""
    if not is_path(file.name) or table.parent == Path() or own_descriptor(table) is not None:
        return file.name
    folder, name = os.path.split(file.name)
    relative = os.path.relpath(Path(os.path.realpath(folder), name), os.path.realpath(table.parent))
    return relative if is_path(relative) else os.path.join(".", relative)  # noqa: PTH118 - Path drops the dot
