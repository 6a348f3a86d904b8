"""A million products in 20 MB: for each an id and a digest, found in a moment."""

from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import accumulate

ID, RECORD = 8, 20  # bytes of what stands for an id, and of all that is kept of a product
BUCKETS = 1 << 16  # one for each beginning of two bytes


def record(unique: str, content: bytes) -> bytes:
    """Make a record: eight bytes of the id, twelve of a content that names the id too.

    Two ids with the same eight bytes displace each other, and neither is taken for the other.
    """
    return id_of(unique) + blake2b(content, digest_size=RECORD - ID).digest()


def id_of(unique: str) -> bytes:
    """Make what a record begins with."""
    return blake2b(unique.encode(), digest_size=ID).digest()


class Changes:
    """Records to be put in their order; of those of one id the last counts."""

    def __init__(self, records: Iterable[bytes] = ()) -> None:
        self._parts = [bytearray() for _ in range(256)]
        for some in records:
            self.add(some)

    def add(self, record: bytes) -> None:
        """Note a record."""
        self._parts[record[0]] += record

    def buckets(self) -> Iterator[tuple[int, dict[bytes, bytes]]]:
        """Give the buckets that are touched, in order, and their records by id."""
        for part in self._parts:
            found: dict[int, dict[bytes, bytes]] = {}
            for some in cut(part):
                found.setdefault(some[0] << 8 | some[1], {})[some[:ID]] = some
            yield from sorted(found.items())


class Records:
    """Records in the order of their ids, as they lie in `data` from `begin` to `end`."""

    def __init__(self, data: bytes = b"", begin: int = 0, end: int | None = None) -> None:
        self._data, self._begin = data, begin
        self._end = len(data) if end is None else end
        counts = array("I", bytes(4 * BUCKETS))
        for high, low in zip(
            data[begin : self._end : RECORD], data[begin + 1 : self._end : RECORD], strict=True
        ):
            counts[high << 8 | low] += 1
        self._starts = array("Q", accumulate((RECORD * count for count in counts), initial=begin))

    @classmethod
    def of(cls, changes: Changes) -> "Records":
        """Put records in their order."""
        return cls(b"".join(cls().updated(changes, keep=True)))

    def __len__(self) -> int:
        return (self._end - self._begin) // RECORD

    def holds(self, beginning: bytes) -> bool:
        """Tell whether there is a record that begins so: an id, or a whole record."""
        bucket = beginning[0] << 8 | beginning[1]
        return self._data.find(beginning, self._starts[bucket], self._starts[bucket + 1]) >= 0

    def updated(self, changes: Changes, *, keep: bool) -> Iterator[bytes | memoryview]:
        """Give all records anew: `changes` in place of those with the same ids, or neither of them."""
        whole, done = memoryview(self._data), self._begin
        for bucket, changed in changes.buckets():
            start, end = self._starts[bucket], self._starts[bucket + 1]
            yield whole[done:start]
            held = {some[:ID]: some for some in cut(self._data[start:end]) if some[:ID] not in changed}
            yield b"".join(some for _, some in sorted((held | changed if keep else held).items()))
            done = end
        yield whole[done : self._end]


def cut(records: bytes | bytearray) -> Iterator[bytes]:
    """Take records apart that stand one after another."""
    return (bytes(records[at : at + RECORD]) for at in range(0, len(records), RECORD))
