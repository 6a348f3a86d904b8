"""What stands in a file more than once, found with little memory."""

from array import array
from itertools import pairwise
from typing import Any

PARTS = 64  # the ids are sorted in parts, so that sorting needs little room beside them


class Repeats:
    """Finds what stands in a file more than once, at eight bytes an id."""

    def __init__(self) -> None:
        self._parts = [array("q") for _ in range(PARTS)]

    def add(self, unique: Any) -> None:
        """Note an id."""
        number = hash(unique) if isinstance(unique, str) else 0
        if number:
            self._parts[number % PARTS].append(number)

    def found(self) -> set[int]:
        """Give the hashes that were noted more than once."""
        repeated: set[int] = set()
        for part in self._parts:
            ordered = sorted(part)
            repeated.update(a for a, b in pairwise(ordered) if a == b)
        return repeated
