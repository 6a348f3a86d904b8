"""What is kept of rows from their validation on, so that a file need not be read twice."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from .result import CheckedRow

MAX_BYTES_IN_MEMORY = 16 * 1024 * 1024  # more are in an unnamed temporary file


class RowKeeper(Protocol):
    """Collects what is kept of a run of rows."""

    def add(self, checked: CheckedRow, number: int) -> None:
        """Take a row, and its number within the run."""

    def packed(self) -> bytes:
        """Return what was collected."""


class KeptRun(NamedTuple):
    """What a RowKeeper collected of a run of rows."""

    packed: bytes
    records_before: int  # in the file


class KeptRows:
    """Runs of rows, each packed into bytes by the process that validated it."""

    def __init__(self) -> None:
        from tempfile import SpooledTemporaryFile

        self.are_complete = True  # until there is no space for one
        self._file = SpooledTemporaryFile(MAX_BYTES_IN_MEMORY)  # noqa: SIM115 - open until it is forgotten
        self._runs: list[tuple[int, int]] = []  # size in bytes, and the records that precede it

    def add(self, run: KeptRun) -> None:
        """Keep a run; where there is no space for it, all are forgotten."""
        if not self.are_complete:
            return
        try:
            self._file.write(run.packed)
            self._file.flush()
        except OSError:
            self.are_complete = False
            self._file.close()
        else:
            self._runs.append((len(run.packed), run.records_before))

    def __iter__(self) -> Iterator[KeptRun]:
        """Yield the runs in their order."""
        begin = 0
        for size, records_before in self._runs:
            self._file.seek(begin)
            yield KeptRun(self._file.read(size), records_before)
            begin += size
