"""What stands in a file more than once, found with little memory."""

from array import array
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

PARTS = 64  # the ids are sorted in parts, so that sorting needs little room beside them


class Repeats:
    """Finds what stands in a file more than once, at eight bytes an id."""

    def __init__(self) -> None:
        self._parts = [array("q") for _ in range(PARTS)]

    def update(self, uniques: Iterable[Any]) -> None:
        """Note ids; what is no text is none."""
        parts = self._parts
        for number in (hash(unique) for unique in uniques if isinstance(unique, str)):
            parts[number % PARTS].append(number)

    def found(self) -> set[int]:
        """Give the hashes that were noted more than once."""
        repeated: set[int] = set()
        for part in self._parts:
            ordered = sorted(part)
            repeated.update(a for a, b in pairwise(ordered) if a == b)
        return repeated
