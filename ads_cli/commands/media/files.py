"""The files of media that a command names: as arguments, or in a table."""

import os
import stat
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from ...console.invocation import Invocation
from ...errors import ContentError, UsageError
from ...feeds.locations import FileLocation, Location
from ...feeds.locations.locate import expand_files, is_remote, parse_location
from ...media.inspection import MediaInfo, inspect
from ..uploads.options import FeedOptions

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...",
        help="Images, GIFs and videos: paths and patterns, - for standard input, https://, s3://, gs://, az://"
        " or sftp://, or @NAME: the address in a variable",
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--file",
        "-f",
        metavar="TABLE",
        help="Read the files from the column file of a table; paths are relative to its folder",
    ),
]


class MediaFile(NamedTuple):
    """A file of media, and what its row says where a table names it."""

    location: Location
    row: dict[str, Any] = {}

    @property
    def label(self) -> str:
        """What messages and records name it by."""
        return self.location.label

    def inspect(self) -> MediaInfo:
        """Read it; raise UsageError where it cannot be opened."""
        require_regular(self.location)
        try:
            return inspect(self.location)
        except OSError as error:
            raise UsageError(f"{self.label} cannot be read: {error.strerror or error}") from None


def require_regular(location: Location) -> None:
    """Raise UsageError for a pipe or a device, which nobody may ever write to."""
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
    """Return the files that arguments and a table name, which may have other `columns`; raise AdsctlError."""
    if not (files or table):
        raise UsageError("name the files", hint="as paths or patterns, or in a table with -f TABLE")
    access = feed.access(call)
    found = [MediaFile(parse_location(file, access)) for file in expand_files(files or [], access)]
    if not table:
        return found
    rows = feed.open_rows(call, table, ("media",), columns, feed.mapping(columns))
    folder = "" if table == "-" or is_remote(table) else os.path.dirname(table)  # noqa: PTH120 - as typed
    for row in rows:
        name = row.values.get("file")
        if row.problem or not isinstance(name, str) or not name:
            reason = row.problem or "it names no file in the column 'file'"
            raise ContentError(f"{rows.place(row.line, row.record)}: {reason}")
        path = name if is_remote(name) else str(Path(folder, name))
        found.append(MediaFile(parse_location(path, access), row.values))
    if not found:
        raise ContentError(f"{rows.source.label} names no files", hint="one a row, in a column 'file'")
    return found
