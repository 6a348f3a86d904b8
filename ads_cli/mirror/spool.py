"""Rows that wait in a temporary file until all of an account are there."""

import pickle
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ..feeds.locations import copied
from ..parallel import batched
from .destination import Row

BATCH_ROWS = 500


class Spool:
    """Rows in a temporary file, which are read as often as needed."""

    def __init__(self, label: str, rows: Iterable[Row]) -> None:
        self.count = 0
        self._rows = rows
        self._file = copied(label, self._write)

    def _write(self, file: BinaryIO) -> None:
        for batch in batched(self._rows, BATCH_ROWS):
            pickle.dump(batch, file, pickle.HIGHEST_PROTOCOL)
            self.count += len(batch)
        self._rows = ()

    def __iter__(self) -> Iterator[Row]:
        self._file.seek(0)
        remaining = self.count
        while remaining:
            batch = pickle.load(self._file)  # of this process
            remaining -= len(batch)
            yield from batch
