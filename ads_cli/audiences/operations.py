"""Operations encoded as JSON: thousands of them in one text, split where a request is full."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..api.users import MAX_BODY_BYTES, MAX_OPERATIONS

Numbers = Sequence[int]


@dataclass(frozen=True, slots=True)
class Operations:
    """Some operations as JSON, separated by commas, and the rows that their users come from."""

    body: bytes | memoryview  # empty where it is not sent
    body_ends: Numbers  # offset where each operation ends in the body
    row_ends: Numbers  # index in `rows` where the users of each operation end
    rows: Numbers  # of all users: counted from 0 while packing, record numbers afterwards

    @classmethod
    def single(cls, body: bytes, rows: Numbers) -> "Operations":
        """Return one operation."""
        return cls(body, [len(body)], [len(rows)], rows)

    def __len__(self) -> int:
        return len(self.body_ends)

    def __iter__(self) -> Iterator["Operations"]:
        return (self.slice(number, number + 1) for number in range(len(self)))

    def body_start(self, number: int) -> int:
        """Return the offset where an operation begins in the body."""
        return self.body_ends[number - 1] + 1 if number else 0

    def slice(self, begin: int, end: int) -> "Operations":
        """Return the operations from `begin` to `end`."""
        if (begin, end) == (0, len(self)):
            return self
        offset, first_row = self.body_start(begin), self.row_ends[begin - 1] if begin else 0
        body_ends, row_ends = self.body_ends[begin:end], self.row_ends[begin:end]
        return Operations(
            memoryview(self.body)[offset : body_ends[-1]],
            array("q", (at - offset for at in body_ends)),
            array("q", (row - first_row for row in row_ends)),
            self.rows[first_row : row_ends[-1]],
        )

    def with_records(self, records: Numbers) -> "Operations":
        """Return the operations with rows replaced by the record numbers that they index."""
        rows = self.rows
        has_gaps = len(rows) - 1 != rows[-1] - rows[0]
        return replace(
            self, rows=[records[row] for row in rows] if has_gaps else records[rows[0] : rows[-1] + 1]
        )

    def with_records_after(self, before: int) -> "Operations":
        """Return the operations with record numbers that follow those of `before` other records."""
        rows = self.rows
        if isinstance(rows, range):
            return replace(self, rows=range(rows.start + before, rows.stop + before, rows.step))
        return replace(self, rows=[row + before for row in rows])


def split_requests(packed: Iterable[Operations]) -> Iterator[list[Operations]]:
    """Split operations into requests, with as many in each as both limits allow."""
    request: list[Operations] = []
    count, size = 0, 1  # of the body: a bracket, then each operation with a comma or the other bracket
    for operations in packed:
        at = 0
        while at < len(operations):
            start = operations.body_start(at)
            end = bisect_right(operations.body_ends, start + MAX_BODY_BYTES - size - 1, at)
            end = min(max(end, at + (not request)), at + MAX_OPERATIONS - count)
            if end > at:
                request.append(operations.slice(at, end))
                size += operations.body_ends[end - 1] - start + 1
                count, at = count + end - at, end
            if at < len(operations):
                yield request
                request, count, size = [], 0, 1
    if request:
        yield request


def body_pieces(request: Iterable[Operations]) -> list[bytes | memoryview]:
    """Return the body of a request in pieces."""
    pieces = [piece for operations in request for piece in (b",", operations.body)]
    return [b"[", *pieces[1:], b"]"]


def count_users(request: Iterable[Operations]) -> int:
    """Count the users of a request."""
    return sum(len(operations.rows) for operations in request)
