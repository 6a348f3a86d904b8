"""Ids that occur more than once in a file, found with eight bytes of memory an id."""

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..feeds.rows import DuplicatePolicy

PARTITIONS = 64  # hashes are compared partition by partition, which keeps the peak of memory low


class RowPosition(NamedTuple):
    """Where a row is, and a digest of what it says."""

    line: int
    record: int
    content: bytes = b""


def kept_places(places: list[RowPosition], keep: DuplicatePolicy | None) -> list[RowPosition]:
    """Return those of the rows with the same id that are kept; `places` are in the order of the file."""
    if keep == "first":
        return places[:1]
    if keep == "last":
        return places[-1:]
    if keep == "identical":
        first_by_content = {place.content: place for place in reversed(places)}
        return [place for place in places if first_by_content[place.content] is place]
    return places


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
