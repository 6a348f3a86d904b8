"""The file of rejected rows: invalid ones, and those that the service rejected."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..config.atomic_files import atomic, check_output_path, file_to_replace, remove
from ..errors import AdsctlError, UsageError
from ..feeds.decoding import UTF_8, is_utf_8
from ..feeds.formats.writers import open_writer
from ..feeds.locations import FileLocation, Location
from ..feeds.reader import read_rows
from ..feeds.registry import FeedFormat, find_failed_out
from ..feeds.row import Row
from ..feeds.rows import REPORT_COLUMNS, RowNames
from ..feeds.several import SeveralRows
from ..feeds.source import Feed, Source
from ..output.text import cell

RejectRow = Callable[[Row, str], None]  # called with a row and the reason


class FailedOut(NamedTuple):
    """The file that `--failed-out` names, and whether it may replace a file of another kind."""

    path: str
    force: bool = False

    def may_replace(self, path: Path) -> bool:
        """Tell whether an existing file may be replaced or removed: an earlier file of rejected rows."""
        return self.force or holds_rejected_rows(path, find_failed_out(self.path))

    def changed_options(self, feed: Feed) -> list[str]:
        """Return the options that differ between reading a feed and reading its rejected rows."""
        format = find_failed_out(self.path)
        changes = {
            ("--encoding", UTF_8): not is_utf_8(feed.encoding),
            ("--format", format.name): feed.options.format not in (None, format.name),
            ("--sheet", "1"): format.name == "xlsx" and feed.options.sheet not in (None, "1"),
            ("--record", "item"): format.name == "xml" and feed.options.record not in (None, "item"),
        }
        return [word for option, differs in changes.items() if differs for word in option]

    def remove_earlier(self) -> None:
        """Remove the file of an earlier run, where this one has nothing to write."""
        if (existing := file_to_replace(Path(self.path))) and self.may_replace(existing):
            remove(existing, self.may_replace)


def check_failed_out(failed_out: FailedOut | None, read: RowNames | Sequence[Location]) -> None:
    """Raise UsageError if `--failed-out` cannot be written, read again, or would replace a file of others."""
    if failed_out is None:
        return
    if isinstance(read, SeveralRows):
        _require_one_kind(read)
    path = Path(failed_out.path)
    if any(source.is_same_file(failed_out.path) for source in _inputs(read)):
        raise UsageError(f"--failed-out: {path} is the input file", hint="choose another name")
    reason = "does not hold rejected rows with _line and _error"
    check_output_path("--failed-out", path, failed_out.may_replace, reason)
    find_failed_out(failed_out.path)


def _require_one_kind(read: SeveralRows) -> None:
    """Raise UsageError where no options could read the rows of all files from one."""
    first, *others = read.files
    if other := next((source for source in others if source.kind_name != first.kind_name), None):
        raise UsageError(
            f"--failed-out: {first.source.label} is read as {first.kind_name}, and {other.source.label} as "
            f"{other.kind_name}: their rows cannot be read again from one file",
            hint="name files of different kinds in commands of their own",
        )


def _inputs(read: RowNames | Sequence[Location]) -> Sequence[Feed | Location]:
    return [read.source] if isinstance(read, RowNames) else read


@contextmanager
def write_rejected_rows(failed_out: FailedOut | None, rows: RowNames) -> Iterator[RejectRow]:
    """Write rows in the input's own columns, with `_line` and `_error`, ready to be corrected.

    The file is written whole at the end; where no row was rejected, that of an earlier run is removed.
    """
    if failed_out is None:
        yield lambda row, error: None
        return
    check_failed_out(failed_out, rows)
    path, format = Path(failed_out.path), find_failed_out(failed_out.path)
    with (
        suppress(_NoRowRejectedError),
        atomic(path, may_replace=failed_out.may_replace, is_output=True) as stream,
    ):
        writer = open_writer(stream, format, [*rows.columns, *REPORT_COLUMNS])

        last: tuple[dict[str, Any], ...] = ()

        def write(row: Row, error: str) -> None:
            nonlocal last
            position = rows.position(row.line, row.record)
            raw = row.raw or (rows.by_column(row.unchanged),)
            for values in raw:
                if not any(values is other for other in last):  # variants share the rows of their product
                    written = values if format.name != "xml" else _without_elements(values)
                    writer.write(written | dict(zip(REPORT_COLUMNS, (position, error), strict=True)))
            last = raw

        yield write
        writer.close()
        if not writer.count:
            raise _NoRowRejectedError
    if not writer.count:
        failed_out.remove_earlier()


def _without_elements(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with nested ones as text: of elements in that of a field, only their text is read."""
    return {name: cell(value) if isinstance(value, dict) else value for name, value in values.items()}


class _NoRowRejectedError(Exception):
    """Discards the new file."""


def holds_rejected_rows(path: Path, format: FeedFormat) -> bool:
    """Tell whether a file is empty, or its header or each of its records has `_line` and `_error`."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        if not path.stat().st_size:
            return True
        rows = read_rows(Source(FileLocation(str(path)), format), roots=(), known=REPORT_COLUMNS)
        rows.ignored = ()
        if rows.table:
            next(rows.table.blocks(1), None)  # reads the header
            return {*REPORT_COLUMNS} <= {*rows.columns}
        return all({*REPORT_COLUMNS} <= row.values.keys() for row in rows)
    except (AdsctlError, OSError):
        return False
