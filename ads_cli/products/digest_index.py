"""Acknowledged products, by the hashes of their ids, contents and keys.

Under the complement of the hash of an id is no product. It notes that the row of the product was sent once
more, since the service had not kept its values.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import zip_longest
from struct import Struct
from typing import Any
from zlib import crc32

import msgspec

# The hashes of the id, the content and the key of a product, as `state.db` has them.
ProductHashes = tuple[int, int, int]
HASH_BYTES, KEY_BYTES = 8, 4
DIGEST = Struct(">qq")  # the hashes of the id and the content, packed
PRODUCT = Struct(">qqI")  # a digest and the hash of the key
DIGEST_BYTES = DIGEST.size
NO_KEY = 0

_encode = msgspec.msgpack.Encoder().encode


def item_digest(item: Any) -> bytes:
    """Return the digest of a row that was converted to a product.

    A change of the order or the defaults of the fields of products changes all digests: `--changed` sends
    every row once more then.
    """
    return product_digest(item.id, _encode(item))


def product_digest(product_id: str, content: bytes) -> bytes:
    """Return the digest of a product, whose content names the id too.

    Of two ids with the same hash one displaces the other; neither is taken for the other.
    """
    return _hash(product_id.encode()) + _hash(content)


def id_hash(product_id: str) -> int:
    """Return the first half of a product's digest."""
    return int.from_bytes(_hash(product_id.encode()), signed=True)


def repeat_hash(hashed_id: int) -> int:
    """Return what takes the place of the hash of an id where it is noted that its row was sent once more."""
    return ~hashed_id


def unpaired_hash(hashed_id: int) -> int:
    """Return the same for the hash of an id and for that of its noted repeat: the smaller of both."""
    return min(hashed_id, repeat_hash(hashed_id))


def repeat_digest(digest: bytes, seen: str) -> bytes:
    """Return the digest that notes that a row was sent once more, for the values that were seen instead."""
    hashed_id, _ = DIGEST.unpack(digest)
    repeated: int = repeat_hash(hashed_id)
    return repeated.to_bytes(HASH_BYTES, signed=True) + _hash(digest + seen.encode("utf-8", "surrogatepass"))


def kept_digest(digest: bytes, kept: dict[str, Any]) -> bytes:
    """Return the digest of a row whose product keeps values of fields that the row's file does not have."""
    return digest[:HASH_BYTES] + _hash(digest + _encode(sorted(kept.items())))


def key_hash(key: str) -> int:
    """Return the hash of a product key; keys with equal hashes are forgotten together.

    Of 31 bits, so that SQLite stores it in four bytes.
    """
    return crc32(key.encode()) >> 1 if key else NO_KEY


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=HASH_BYTES).digest()


class DigestIndex:
    """Acknowledged products in memory, in the order of the hashes of their ids: 20 bytes each."""

    def __init__(self, products: Iterable[ProductHashes] = ()) -> None:
        self._ids, self._contents, self._keys = array("q"), array("q"), array("I")
        for hashed_id, content, key in products:
            self._ids.append(hashed_id)
            self._contents.append(content)
            self._keys.append(key)

    @classmethod
    def of(cls, products: Iterable[ProductHashes]) -> "DigestIndex":
        """Build an index of products in any order; the last of those with the same id counts."""
        unsorted = cls(products)
        ids, contents, keys = unsorted._ids, unsorted._contents, unsorted._keys
        order = sorted(range(len(ids)), key=ids.__getitem__)  # which keeps the order of equal ones
        last = (at for at, after in zip_longest(order, order[1:]) if after is None or ids[at] != ids[after])
        return cls((ids[at], contents[at], keys[at]) for at in last)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, hashed_id: int) -> bool:
        return self._find(hashed_id) is not None

    def contains(self, digest: bytes) -> bool:
        """Tell whether a product with this digest is in the index."""
        return self.key_of(digest) is not None

    def key_of(self, digest: bytes) -> int | None:
        """Return the hash of the key of a product with this digest; None where it is not in the index."""
        hashed_id, content = DIGEST.unpack(digest)
        at = self._find(hashed_id)
        return self._keys[at] if at is not None and self._contents[at] == content else None

    def _find(self, hashed_id: int) -> int | None:
        at = bisect_left(self._ids, hashed_id)
        return at if at < len(self._ids) and self._ids[at] == hashed_id else None

    def without_ids(self, ids: Iterable[str]) -> set[int]:
        """Return the unpaired hashes of the ids that are in the index and not among `ids`."""
        is_named = bytearray(len(self))
        for hashed in map(id_hash, ids):
            for either in (hashed, repeat_hash(hashed)):
                if (at := self._find(either)) is not None:
                    is_named[at] = True
        return {unpaired_hash(id) for id, named in zip(self._ids, is_named, strict=True) if not named}

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the hash of the id, and of the key, of each product."""
        return zip(self._ids, self._keys, strict=True)
