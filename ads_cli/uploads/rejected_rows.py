"""The file of rejected rows: invalid ones, and those that the service rejected."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..config.atomic_files import atomic
from ..errors import UsageError
from ..feeds.formats import format_of
from ..feeds.rows import Row, Rows
from ..feeds.writer import RowWriter

LINE, ERROR = "_line", "_error"  # columns beside the input's own

RejectRow = Callable[[Row, str], None]  # called with a row and the reason


def check_failed_out_path(path: str | None, rows: Rows) -> None:
    """Raise UsageError if `--failed-out` cannot be written."""
    if path and Path(path).resolve() == Path(rows.source.name).resolve():
        raise UsageError(f"--failed-out: {path} is the input file", hint="choose another name")
    if path and not Path(path).parent.is_dir():
        raise UsageError(f"--failed-out: the folder {Path(path).parent} does not exist")


@contextmanager
def write_rejected_rows(path: str | None, rows: Rows) -> Iterator[RejectRow]:
    """Write rows in the input's own columns, with `_line` and `_error`, ready to be corrected.

    The file is written whole at the end; where no row was rejected, it is removed.
    """
    if path is None:
        yield lambda row, error: None
        return
    check_failed_out_path(path, rows)
    columns = dict(zip(rows.columns, rows.fields, strict=True))
    with atomic(Path(path)) as stream:
        writer = RowWriter(stream, format_of(path, "csv"), [*columns, LINE, ERROR])

        def write(row: Row, error: str) -> None:
            values = {column: row.values[name] for column, name in columns.items() if name in row.values}
            writer.write(values | {LINE: rows.place(row.line, row.record), ERROR: error})

        yield write
        writer.close()
    target = Path(path)
    if not writer.count and target.is_file() and not target.is_symlink():  # /dev/stdout may be a link
        target.unlink()  # it holds the rows of an earlier run
