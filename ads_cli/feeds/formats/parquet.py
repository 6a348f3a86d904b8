"""Parquet, read by row group with pyarrow."""

import os
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any, BinaryIO

from ...errors import ContentError
from ...installation import missing_extra
from .. import MAX_DECOMPRESSED_BYTES
from ..locations import spooled
from ..memory_limit import memory_limit
from ..row import Row
from ..rows import MAX_KEYS, RecordRows
from .workbook import MAX_DIGITS, as_text, is_rounded

BATCH_ROWS = 1000
MAX_BATCH_BYTES = 64 * 1024 * 1024
MAX_GROWTH_BYTES = 2 * 1024**3  # while a batch is decoded: its size is only known then
MAX_ROWS_PER_BYTE, MIN_JUDGED_ROWS = 10, 1_000_000
BUFFER_BYTES = 1024 * 1024
ROUNDED = f"has more than {MAX_DIGITS} digits: a floating-point number rounds them; write the column as text"
NOT_UTF_8 = "is not UTF-8; write the column as text"


class ParquetRows(RecordRows):
    """The rows of a file. A row has no line, so its number is shown as one."""

    def _read(self) -> Iterator[Row]:
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            raise missing_extra("reading parquet", "parquet") from None
        number = 0
        self.if_empty = 1, "the file contains no rows"
        self.notes = list(self.source.notes)
        try:
            file = parquet.ParquetFile(self._copy, buffer_size=BUFFER_BYTES)
            self._check_columns(file.metadata, file.schema_arrow)
            self._refuse_bomb(file.metadata)
            batches = file.iter_batches(BATCH_ROWS, use_threads=False)
            while records := self._next_records(batches, number + 1):
                for record in records:
                    number += 1
                    problems: list[str] = []
                    values = {name: self._value(name, value, problems) for name, value in record.items()}
                    yield self.row(number, values, ", ".join(dict.fromkeys(problems)))
                self._refuse_many(number)
        except (ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
            message = f"not a complete parquet file: {str(error).partition(chr(10))[0]}"
            raise self.error(number + 1, message, hint="export it again") from None

    def _value(self, column: str, value: Any, problems: list[str]) -> Any:
        """Return a value as other formats have it: text, or lists and mappings of it. Add its problems."""
        if isinstance(value, str) or value is None:
            return value
        if isinstance(value, list) and value and isinstance(value[0], tuple):  # of a map
            value = dict(value)
        if isinstance(value, dict):
            return {str(name): self._value(column, item, problems) for name, item in value.items()}
        if isinstance(value, list):
            return [self._value(column, item, problems) for item in value]
        if (problem := _problem_of(value)) and self.is_used(column):
            problems.append(f"{column!r} {problem}")
        return as_text(value)

    @cached_property
    def _copy(self) -> BinaryIO:
        """The file as one that can be read in any order."""
        return spooled(self.source.stream(), self.source.label)

    def _check_columns(self, metadata: Any, schema: Any) -> None:
        if metadata.num_columns > MAX_KEYS:
            raise self.error(1, f"more than {MAX_KEYS:,} columns")
        if repeated := [name for name, count in Counter(schema.names).items() if count > 1]:
            raise self.error(1, f"the column {repeated[0]!r} is repeated")

    def _next_records(self, batches: Iterator[Any], number: int) -> list[dict[str, Any]]:
        """Decode the rows from `number` on; raise ContentError if few bytes become many."""
        with memory_limit(MAX_GROWTH_BYTES):
            batch = next(batches, None)
            if batch is None:
                return []
            size = sum(_decoded(column).nbytes for column in batch.columns)
            if size <= MAX_BATCH_BYTES:
                records: list[dict[str, Any]] = batch.to_pylist()
                return records
        message = f"{batch.num_rows:,} rows of {size:,} bytes, as no feed has"
        raise self.error(number, message, hint="shorten their values, or give the feed as JSON Lines")

    def _refuse_many(self, rows: int) -> None:
        size = os.fstat(self._copy.fileno()).st_size
        if rows > max(MIN_JUDGED_ROWS, MAX_ROWS_PER_BYTE * size):
            message = f"more than {MAX_ROWS_PER_BYTE} rows for each byte of the file, as no feed has"
            raise self.error(1, message, hint="give the feed as CSV or JSON Lines")

    def _refuse_bomb(self, metadata: Any) -> None:
        size = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
        if size > MAX_DECOMPRESSED_BYTES:
            message = f"{self.source.label} decompresses to more than {MAX_DECOMPRESSED_BYTES:,} bytes"
            raise ContentError(message, hint="split it into several files")
        self._refuse_many(metadata.num_rows)


def _decoded(column: Any) -> Any:
    """Return a column without its dictionary, whose values it may repeat."""
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def _problem_of(value: Any) -> str:
    """Tell what of a value its text would lose; empty if nothing."""
    if is_rounded(value):
        return ROUNDED
    is_utf_8 = not isinstance(value, bytes) or value.decode("utf-8", "ignore").encode() == value
    return "" if is_utf_8 else NOT_UTF_8
