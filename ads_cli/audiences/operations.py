"""Operations as they travel: thousands of them are one text, cut where the limits of a request say so."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..api.users import MOST_BYTES, MOST_OPERATIONS

Places = Sequence[int]


@dataclass(frozen=True, slots=True)
class Operations:
    """Some operations as JSON, with commas between them, and the rows that their users come from."""

    body: bytes | memoryview  # empty where it is not to be sent
    ends: Places  # where each operation ends in the body
    stops: Places  # where the users of each end among the rows
    rows: Places  # of all users: counted from 0 in what was packed at once, by number of the record later

    @classmethod
    def single(cls, body: bytes, rows: Places) -> "Operations":
        """Make one operation."""
        return cls(body, [len(body)], [len(rows)], rows)

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator["Operations"]:
        return (self.part(number, number + 1) for number in range(len(self)))

    def begin(self, number: int) -> int:
        """Say where an operation begins in the body."""
        return self.ends[number - 1] + 1 if number else 0

    def part(self, begin: int, end: int) -> "Operations":
        """Cut operations out."""
        if (begin, end) == (0, len(self)):
            return self
        at, first = self.begin(begin), self.stops[begin - 1] if begin else 0
        ends, stops = self.ends[begin:end], self.stops[begin:end]
        return Operations(
            memoryview(self.body)[at : ends[-1]],
            array("q", (end - at for end in ends)),
            array("q", (stop - first for stop in stops)),
            self.rows[first : stops[-1]],
        )

    def numbered(self, numbers: Places) -> "Operations":
        """Name rows by their numbers from now on."""
        rows = self.rows
        apart = len(rows) - 1 != rows[-1] - rows[0]
        return replace(
            self, rows=[numbers[row] for row in rows] if apart else numbers[rows[0] : rows[-1] + 1]
        )


def batches(packed: Iterable[Operations]) -> Iterator[list[Operations]]:
    """Cut operations into the batches of requests, as many in each as both limits allow."""
    waiting: list[Operations] = []
    count, size = 0, 1  # of the body: a bracket, then each operation and a comma or the other bracket
    for some in packed:
        at = 0
        while at < len(some):
            before = some.begin(at)
            end = bisect_right(some.ends, before + MOST_BYTES - size - 1, at)
            end = min(max(end, at + (not waiting)), at + MOST_OPERATIONS - count)
            if end > at:
                waiting.append(some.part(at, end))
                count, size, at = count + end - at, size + some.ends[end - 1] - before + 1, end
            if at < len(some):
                yield waiting
                waiting, count, size = [], 0, 1
    if waiting:
        yield waiting


def body_of(operations: Iterable[Operations]) -> list[bytes | memoryview]:
    """Write the body of a request, in pieces."""
    pieces = [piece for some in operations for piece in (b",", some.body)]
    return [b"[", *pieces[1:], b"]"]


def users_of(operations: Iterable[Operations]) -> int:
    """Count the users."""
    return sum(len(some.rows) for some in operations)
