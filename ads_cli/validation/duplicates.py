"""Ids that occur more than once in a file, found with eight bytes of memory an id."""

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any

PARTITIONS = 64  # hashes are compared partition by partition, which keeps the peak of memory low


class Duplicates:
    """Finds repeated ids by their hashes."""

    def __init__(self) -> None:
        self._partitions = [array("q") for _ in range(PARTITIONS)]

    def update(self, ids: Iterable[Any]) -> None:
        """Add ids; values that are not text are ignored."""
        partitions = self._partitions
        for number in (hash(value) for value in ids if isinstance(value, str)):
            partitions[number % PARTITIONS].append(number)

    def repeated(self) -> set[int]:
        """Return the hashes that were added more than once."""
        repeated: set[int] = set()
        for partition in self._partitions:
            if len(set(partition)) < len(partition):
                repeated.update(number for number, count in Counter(partition).items() if count > 1)
        return repeated
