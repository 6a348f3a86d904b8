"""What stands in a file more than once, found with little memory."""

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any

PARTS = 64  # the ids are compared in parts, so that comparing needs little room beside them


class Duplicates:
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
            if len(set(part)) < len(part):
                repeated.update(number for number, count in Counter(part).items() if count > 1)
        return repeated
