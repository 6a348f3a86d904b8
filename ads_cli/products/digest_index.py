"""A compact index of acknowledged products: 24 bytes each (id hash, digest, key hash), sorted, in buckets.

A record under the complement of an id's hash is not a product. It notes that the row of the product was sent
once more, since the service had not kept its values. It is found only by that hash, and counts as a record.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import blake2b
from typing import Any
from zlib import crc32

import msgspec

ID_BYTES, DIGEST_BYTES, KEY_BYTES = 8, 20, 4  # a digest begins with the hash of the id
RECORD_BYTES = DIGEST_BYTES + KEY_BYTES
NO_KEY = 0
BUCKETS = 1 << 16
REPEAT_MASK = (1 << 8 * ID_BYTES) - 1  # makes of the hash of an id that under which a repeat is noted

_encode = msgspec.msgpack.Encoder().encode


def item_digest(item: Any) -> bytes:
    """Return the digest of a row that was converted to a product.

    A change of the order or the defaults of the fields of products changes all digests: `--changed` sends
    every row once more then.
    """
    return product_digest(item.id, _encode(item))


def product_digest(product_id: str, content: bytes) -> bytes:
    """Return the digest of a product: 8 bytes of its id, 12 of its content, which names the id too.

    Of two ids with the same 8 bytes one displaces the other in the index; neither is taken for the other.
    """
    return id_hash(product_id) + blake2b(content, digest_size=DIGEST_BYTES - ID_BYTES).digest()


def id_hash(product_id: str) -> bytes:
    """Return the beginning of a product's digest."""
    return blake2b(product_id.encode(), digest_size=ID_BYTES).digest()


def repeat_hash(hashed_id: bytes) -> bytes:
    """Return what takes the place of the hash of an id where it is noted that its row was sent once more."""
    return (int.from_bytes(hashed_id[:ID_BYTES]) ^ REPEAT_MASK).to_bytes(ID_BYTES)


def unpaired_hash(hashed_id: bytes) -> bytes:
    """Return the same for the hash of an id and for that of its noted repeat: the smaller of both."""
    return min(hashed_id, repeat_hash(hashed_id))


def repeat_digest(digest: bytes, seen: str) -> bytes:
    """Return the digest that notes that a row was sent once more, for the values that were seen instead."""
    content = blake2b(digest + seen.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES - ID_BYTES)
    return repeat_hash(digest) + content.digest()


def kept_digest(digest: bytes, kept: dict[str, Any]) -> bytes:
    """Return the digest of a row whose product keeps values of fields that the row's file does not have."""
    content = blake2b(digest + _encode(sorted(kept.items())), digest_size=DIGEST_BYTES - ID_BYTES)
    return digest[:ID_BYTES] + content.digest()


def key_hash(key: str) -> int:
    """Return the hash of a product key; keys with equal hashes are forgotten together."""
    return crc32(key.encode()) if key else NO_KEY


def split_records(data: bytes | bytearray, size: int = RECORD_BYTES) -> Iterator[bytes]:
    """Split concatenated records, or digests."""
    return (bytes(data[at : at + size]) for at in range(0, len(data), size))


def _bucket(prefix: bytes) -> int:
    return prefix[0] << 8 | prefix[1]


class Changes:
    """Products that `DigestIndex.updated` adds or removes; the last of those with the same id counts."""

    def __init__(self, products: Iterable[tuple[bytes, int]] = ()) -> None:
        self._parts = [bytearray() for _ in range(256)]
        for digest, key in products:
            self.add(digest, key)

    def add(self, digest: bytes, key: int = NO_KEY) -> None:
        """Add a product."""
        self._parts[digest[0]] += digest + key.to_bytes(KEY_BYTES)

    def buckets(self) -> Iterator[tuple[int, dict[bytes, bytes]]]:
        """Yield the buckets that change, in order, with their records by id hash."""
        for part in self._parts:
            buckets: dict[int, dict[bytes, bytes]] = {}
            for record in split_records(part):
                buckets.setdefault(_bucket(record), {})[record[:ID_BYTES]] = record
            yield from sorted(buckets.items())


class DigestIndex:
    """Records sorted by id hash, in `data` from `begin` to `end`.

    A bucket holds the records whose id hashes begin with the same two bytes.
    """

    def __init__(self, data: bytes = b"", begin: int = 0, end: int | None = None) -> None:
        self._data, self._begin = data, begin
        self._end = len(data) if end is None else end

    @cached_property
    def _starts(self) -> "array[int]":
        """Return the offset of each bucket, and the end of the last one.

        Once a bucket is done, `starts` has an entry for it and for all before: an empty one begins where the
        next one does.
        """
        highs, lows = (self._data[self._begin + at : self._end : RECORD_BYTES] for at in range(2))
        starts, at = array("Q"), 0
        for high in sorted(set(highs)):
            end = bisect_right(highs, high, at)
            for low in sorted(set(lows[at:end])):
                missing = (high << 8 | low) + 1 - len(starts)
                starts.extend(array("Q", [self._begin + at * RECORD_BYTES]) * missing)
                at = bisect_right(lows, low, at, end)
        starts.extend(array("Q", [self._end]) * (BUCKETS + 1 - len(starts)))
        return starts

    @classmethod
    def of(cls, changes: Changes) -> "DigestIndex":
        """Build an index."""
        return cls(b"".join(cls().updated(changes, keep=True)))

    def __len__(self) -> int:
        return (self._end - self._begin) // RECORD_BYTES

    def contains(self, prefix: bytes) -> bool:
        """Tell whether a product with this id hash, or this digest, is in the index."""
        return self._find(prefix) >= 0

    def _find(self, prefix: bytes) -> int:
        """Return the offset of the record that begins so, or -1.

        Other offsets are not excluded: 8 bytes of a hash elsewhere in a record are as seldom as equal hashes.
        """
        bucket = _bucket(prefix)
        return self._data.find(prefix, self._starts[bucket], self._starts[bucket + 1])

    def without_ids(self, ids: Iterable[str]) -> set[bytes]:
        """Return the unpaired hashes of the ids that are in the index and not among `ids`."""
        missing = bytearray(len(self))
        for hashed in map(id_hash, ids):
            for digest in (hashed, repeat_hash(hashed)):
                if (at := self._find(digest)) >= 0:
                    missing[(at - self._begin) // RECORD_BYTES] = True
        return {
            unpaired_hash(hashed) for is_found, (hashed, _) in zip(missing, self, strict=True) if not is_found
        }

    def key_of(self, digest: bytes) -> int | None:
        """Return the hash of the key of a product with this digest; None where it is not in the index."""
        at = self._find(digest)
        key = self._data[at + DIGEST_BYTES : at + RECORD_BYTES]
        return None if at < 0 else int.from_bytes(key)

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        """Yield the hash of the id, and of the key, of each product."""
        for record in split_records(self._data[self._begin : self._end]):
            yield record[:ID_BYTES], int.from_bytes(record[DIGEST_BYTES:])

    def updated(self, changes: Changes, *, keep: bool) -> Iterator[bytes | memoryview]:
        """Yield all records with the changed products added or replaced, or removed unless `keep`."""
        whole, position = memoryview(self._data), self._begin
        for bucket, changed in changes.buckets():
            start, end = self._starts[bucket], self._starts[bucket + 1]
            yield whole[position:start]
            records = split_records(self._data[start:end])
            kept = {record[:ID_BYTES]: record for record in records if record[:ID_BYTES] not in changed}
            yield b"".join(record for _, record in sorted((kept | changed if keep else kept).items()))
            position = end
        yield whole[position : self._end]

    def without(self, keys: set[int]) -> Iterator[bytes]:
        """Yield the records whose key is known and not one of `keys`."""
        removed = {key.to_bytes(KEY_BYTES) for key in (*keys, NO_KEY)}
        records = split_records(self._data[self._begin : self._end])
        return (record for record in records if record[DIGEST_BYTES:] not in removed)
