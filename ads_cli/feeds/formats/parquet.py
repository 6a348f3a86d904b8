"""Parquet, read by row group with pyarrow."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, BinaryIO

from ...errors import ContentError
from ...installation import missing_extra
from ..limits import MAX_DECOMPRESSED_BYTES
from ..locations.location import spooled
from ..record_rows import RecordRows
from ..rows import Row
from .typed_values import MAX_DIGITS, as_text, is_rounded

BATCH_ROWS = 1000
BUFFER_BYTES = 1024 * 1024
ROUNDED = f"has more than {MAX_DIGITS} digits: a floating-point number rounds them; write the column as text"


class ParquetRows(RecordRows):
    """The rows of a file; a row has no line, so its number is shown as one."""

    def _read(self) -> Iterator[Row]:
        try:
            from pyarrow import ArrowException, parquet, types
        except ImportError:
            raise missing_extra("reading parquet", "parquet") from None
        number = 0
        self.notes = list(self.source.notes)
        try:
            file = parquet.ParquetFile(self._copy, buffer_size=BUFFER_BYTES)
            if repeated := _repeated(file.schema_arrow.names):
                raise self.error(1, f"the column {repeated!r} is repeated")
            self._refuse_bomb(file.metadata)
            floats = [each.name for each in file.schema_arrow if types.is_floating(each.type)]
            for batch in file.iter_batches(BATCH_ROWS, use_threads=False):
                for record in batch.to_pylist():
                    number += 1
                    rounded = [name for name in floats if is_rounded(record[name]) and self.is_used(name)]
                    problem = ", ".join(f"{name!r} {ROUNDED}" for name in rounded)
                    yield self.row(number, {name: _value(value) for name, value in record.items()}, problem)
        except (ArrowException, OSError, ValueError, OverflowError) as error:
            message = f"not a complete parquet file: {str(error).partition(chr(10))[0]}"
            raise self.error(number + 1, message, hint="export it again") from None
        if not number:
            raise self.error(1, "the file contains no rows")

    @cached_property
    def _copy(self) -> BinaryIO:
        """The file as one that can be read in any order."""
        return spooled(self.source.stream(), self.source.label)

    def _refuse_bomb(self, metadata: Any) -> None:
        size = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
        if size > MAX_DECOMPRESSED_BYTES:
            message = f"{self.source.label} decompresses to more than {MAX_DECOMPRESSED_BYTES:,} bytes"
            raise ContentError(message, hint="split it into several files")


def column_names(stream: BinaryIO, label: str) -> tuple[str, ...]:
    """Return the columns of a file, of which only the end is read; raise ContentError."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise missing_extra("reading parquet", "parquet") from None
    try:
        return tuple(parquet.read_schema(stream).names)
    except (ArrowException, ValueError) as error:
        message = f"{label} is not a complete parquet file: {str(error).partition(chr(10))[0]}"
        raise ContentError(message, hint="export it again") from None


def _repeated(names: list[str]) -> str | None:
    return next((name for index, name in enumerate(names) if name in names[:index]), None)


def _value(value: Any) -> Any:
    """Return a value as the other formats have it: text, lists and mappings of text."""
    if isinstance(value, dict):
        return {name: _value(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_value(each) for each in value]
    return value if value is None else as_text(value)
