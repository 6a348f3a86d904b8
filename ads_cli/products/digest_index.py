"""A million products in 24 MB: for each its id, a digest and its key, found in a moment."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import blake2b
from zlib import crc32

ID, PRINT, KEY = 8, 20, 4  # bytes of what stands for an id, for an id and its content, for a key
RECORD = PRINT + KEY
NO_KEY = 0


def print_of(unique: str, content: bytes) -> bytes:
    """Take the print of a product: eight bytes of the id, twelve of a content that names the id too.

    Two ids with the same eight bytes displace each other, and neither is taken for the other.
    """
    return id_of(unique) + blake2b(content, digest_size=PRINT - ID).digest()


def id_of(unique: str) -> bytes:
    """Make what a print begins with."""
    return blake2b(unique.encode(), digest_size=ID).digest()


def key_of(key: str) -> int:
    """Make the number that stands for a key; keys that share one are forgotten together."""
    return crc32(key.encode()) if key else NO_KEY


class Changes:
    """Products to be put in their order; of those of one id the last counts."""

    def __init__(self, products: Iterable[tuple[bytes, int]] = ()) -> None:
        self._parts = [bytearray() for _ in range(256)]
        for print_, key in products:
            self.add(print_, key)

    def add(self, print_: bytes, key: int = NO_KEY) -> None:
        """Note a product."""
        self._parts[print_[0]] += print_ + key.to_bytes(KEY)

    def buckets(self) -> Iterator[tuple[int, dict[bytes, bytes]]]:
        """Give the buckets that are touched, in order, and their records by id."""
        for part in self._parts:
            found: dict[int, dict[bytes, bytes]] = {}
            for some in cut(part):
                found.setdefault(some[0] << 8 | some[1], {})[some[:ID]] = some
            yield from sorted(found.items())


class Records:
    """Records in the order of their ids, as they lie in `data` from `begin` to `end`.

    A bucket holds those whose ids begin with the same two bytes.
    """

    def __init__(self, data: bytes = b"", begin: int = 0, end: int | None = None) -> None:
        self._data, self._begin = data, begin
        self._end = len(data) if end is None else end

    @cached_property
    def _starts(self) -> "array[int]":
        """Find where each bucket begins, and where the last one ends."""
        highs, lows = (self._data[self._begin + at : self._end : RECORD] for at in range(2))
        starts, at = array("Q"), 0
        for high in range(256):
            end = bisect_left(highs, high + 1, at)
            for low in range(256):
                at = bisect_left(lows, low, at, end)
                starts.append(self._begin + at * RECORD)
            at = end
        starts.append(self._end)
        return starts

    @classmethod
    def of(cls, changes: Changes) -> "Records":
        """Put records in their order."""
        return cls(b"".join(cls().updated(changes, keep=True)))

    def __len__(self) -> int:
        return (self._end - self._begin) // RECORD

    def holds(self, beginning: bytes) -> bool:
        """Tell whether there is a product of this id, or of this print."""
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

    def without(self, keys: set[int]) -> Iterator[bytes]:
        """Give the records whose keys are known, and none of these."""
        gone = {key.to_bytes(KEY) for key in (*keys, NO_KEY)}
        return (some for some in cut(self._data[self._begin : self._end]) if some[PRINT:] not in gone)


def cut(records: bytes | bytearray, size: int = RECORD) -> Iterator[bytes]:
    """Take records apart, or prints, that stand one after another."""
    return (bytes(records[at : at + size]) for at in range(0, len(records), size))
