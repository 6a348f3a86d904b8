"""Products whose rows follow each other, and share a handle."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from ..rows import Row
from .assembled import AssembledRows


class GroupedRows(AssembledRows):
    """Products of adjacent rows; one product at a time is in memory."""

    @abstractmethod
    def _variants(self, handle: str, group: Sequence[Row]) -> Iterator[Row]:
        """Make the products of the rows of a handle."""

    def _products(self) -> Iterator[Row]:
        first_lines: dict[int, int] = {}  # by the hash of the handle
        for handle, group in self._groups():
            line = group[0].line
            if not handle:
                column = self.kind.roles["handle"][0]
                yield Row(line, {}, group[0].problem or f"has no {column}", raw=(group[0].values,))
            elif (earlier := first_lines.setdefault(hash(handle), line)) != line:
                message = (
                    f"{handle!r} is also on line {earlier}; sort the file: a product's rows must be together"
                )
                yield Row(line, {}, message, raw=tuple(row.values for row in group))
            else:
                yield from self._variants(handle, group)

    def _groups(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield the rows of each handle; a row without one is alone."""
        current = ""
        group: list[Row] = []
        for row in self._rows_read():
            handle = self._cell(row.values, "handle")
            if group and (not handle or handle != current):
                yield current, group
                group = []
            current = handle
            group.append(row)
        if group:
            yield current, group
