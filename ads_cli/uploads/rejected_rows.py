"""The file of rejected rows: invalid ones, and those that the service rejected."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..config.atomic_files import atomic
from ..errors import UsageError
from ..feeds.registry import find_failed_out
from ..feeds.rows import REPORT_COLUMNS, Row, Rows
from ..feeds.writer import open_writer

RejectRow = Callable[[Row, str], None]  # called with a row and the reason


def check_failed_out_path(path: str | None, rows: Rows) -> None:
    """Raise UsageError if `--failed-out` cannot be written."""
    if path and rows.source.location.is_same_file(path):
        raise UsageError(f"--failed-out: {path} is the input file", hint="choose another name")
    if path and not Path(path).parent.is_dir():
        raise UsageError(f"--failed-out: the folder {Path(path).parent} does not exist")
    if path:
        find_failed_out(path)


@contextmanager
def write_rejected_rows(path: str | None, rows: Rows) -> Iterator[RejectRow]:
    """Write rows in the input's own columns, with `_line` and `_error`, ready to be corrected.

    The file is written whole at the end; where no row was rejected, it is removed.
    """
    if path is None:
        yield lambda row, error: None
        return
    check_failed_out_path(path, rows)
    format = find_failed_out(path)
    columns = dict(zip(rows.columns, rows.fields, strict=True))
    with atomic(Path(path)) as stream:
        writer = open_writer(stream, format, [*columns, *REPORT_COLUMNS])

        def write(row: Row, error: str) -> None:
            values = {column: row.values[name] for column, name in columns.items() if name in row.values}
            writer.write(
                values | dict(zip(REPORT_COLUMNS, (rows.position(row.line, row.record), error), strict=True))
            )

        yield write
        writer.close()
    target = Path(path)
    if not writer.count and target.is_file() and not target.is_symlink():  # /dev/stdout may be a link
        target.unlink()  # it holds the rows of an earlier run
