"""Packed batches, kept in a file without a name until they are sent; memory holds where each begins."""

import os
import tempfile
from array import array
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ...errors import StateError
from .pack import MOST_BYTES, MOST_OPERATIONS


class Users(NamedTuple):
    """An operation as JSON, and the numbers of the records that its users come from: mostly a stretch."""

    body: bytes
    first: int
    users: int
    scattered: list[int] = []  # the numbers, where they are no stretch

    @classmethod
    def of(cls, body: bytes, records: Sequence[int]) -> "Users":
        """Note where users come from as shortly as possible."""
        first, count = records[0], len(records)
        is_stretch = records[-1] - first == count - 1
        return cls(body, first, count, [] if is_stretch else list(records))

    @property
    def records(self) -> Sequence[int]:
        """Give the number of each user's record."""
        return self.scattered or range(self.first, self.first + self.users)


class Spool:
    """Batches of operations; each meets both limits of a request."""

    def __init__(self) -> None:
        try:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the upload
        except OSError as error:
            raise _full(error) from error
        self._starts = array("Q", [0])
        self._users = array("Q")  # of each batch
        self._waiting: list[Users] = []
        self._size = 1  # of the body that is being filled: a bracket, then each operation and a comma

    def __len__(self) -> int:
        return len(self._users)

    def users(self, batch: int) -> int:
        """Count the users of a batch."""
        return self._users[batch]

    def add(self, operation: Users) -> None:
        """Put an operation into the batch that is being filled; a full one is written."""
        size = len(operation.body) + 1
        if self._size + size > MOST_BYTES or len(self._waiting) == MOST_OPERATIONS:
            self.close_batch()
        self._waiting.append(operation)
        self._size += size

    def close_batch(self) -> None:
        """Write the batch that is being filled, if there is anything in it."""
        if not self._waiting:
            return
        content = msgspec.msgpack.encode(self._waiting)
        try:
            self._file.write(content)
            self._file.flush()
        except OSError as error:
            raise _full(error) from error
        self._starts.append(self._starts[-1] + len(content))
        self._users.append(sum(operation.users for operation in self._waiting))
        self._waiting, self._size = [], 1

    def read(self, batch: int) -> list[Users]:
        """Give the operations of a batch; safe in many threads."""
        start, end = self._starts[batch : batch + 2]
        content = os.pread(self._file.fileno(), end - start, start)
        return msgspec.msgpack.decode(content, type=list[Users])


def body_of(operations: list[Users]) -> bytes:
    """Write the body of a request."""
    return b"[" + b",".join(operation.body for operation in operations) + b"]"


def _full(error: OSError) -> StateError:
    message = f"the packed users cannot be kept in {tempfile.gettempdir()}: {error.strerror}"
    return StateError(message, hint="make room there, or name another folder with TMPDIR")
