"""Find the columns of a file from a little of its content, before it is read as a whole."""

from collections.abc import Callable
from typing import BinaryIO, NamedTuple

from ..errors import ContentError
from .locations.location import Location
from .rows import Rows


class Peeked(NamedTuple):
    """What is known of a file that was not read."""

    version: str  # "" where the location knows of none
    format: str
    columns: tuple[str, ...]
    has_all_columns: bool  # False: later records may have others


class _OpenedLocation(Location):
    """A location whose content is open already."""

    def __init__(self, location: Location, stream: BinaryIO) -> None:
        super().__init__(location.label, file_name=location.file_name, identity=location.identity)
        self._stream = stream

    def open(self) -> BinaryIO:
        """Return the content."""
        return self._stream


def peek_columns(
    location: Location, open_rows: Callable[[Location], Rows], check: Callable[[Rows], None]
) -> Peeked:
    """Open a file and find its columns; `check` raises for columns that do not do.

    Of a table and of parquet these are all columns; of other formats, those of the first record.
    """

    def read(stream: BinaryIO) -> tuple[str, tuple[str, ...], bool]:
        rows = open_rows(_OpenedLocation(location, stream))
        has_all_columns = _read_header(rows, stream)
        if has_all_columns:
            check(rows)
        return rows.source.format.name, rows.columns, has_all_columns

    version, (format, columns, has_all_columns) = location.peek(read)
    return Peeked(version, format, columns, has_all_columns)


def _read_header(rows: Rows, stream: BinaryIO) -> bool:
    """Read the columns; tell whether these are all."""
    if rows.table:
        next(rows.table.blocks(1), None)
        return True
    if rows.source.format.name == "parquet":
        from .formats.parquet import column_names

        rows.columns = column_names(stream, rows.source.label)
        return True
    if next(iter(rows), None) is None:
        raise ContentError(f"{rows.source.label}: there is no row in it")
    return rows.has_header
