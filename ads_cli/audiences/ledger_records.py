"""What a ledger stores of people: a keyed digest and a sealed rest of each identifier, found by bisection.

The service removes somebody only by an identifier, so its SHA-256 must come back from the ledger. Its second
half, masked under the key by its first half, is the digest that is looked up; the first half is sealed under
the digest. Together they are a two-round Feistel network: without the key neither tells anything of a
person, and with it each gives the other back. An id of the advertiser's own is no hash, and sealed as text.
"""

import mmap
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple

from .identifiers import IDENTIFIERS

HALF = 16  # bytes of a digest, and of the sealed rest
META_BYTES, TAG_BYTES = 2, 8
PLAIN_BYTES = 2 * HALF + META_BYTES
RECORD_BYTES = PLAIN_BYTES + TAG_BYTES
NO_TAG = bytes(TAG_BYTES)
TEXT_KIND = "partner_user_id"  # the only identifier that is no SHA-256
KINDS = {name: number for number, name in enumerate(IDENTIFIERS)}
UNCERTAIN = 1 << 12  # whether the service may or may not have applied what was sent
KIND_SHIFT = 13
MAX_MONTH = UNCERTAIN - 1
BUCKETS = 1 << 16


def month_of(moment: datetime) -> int:
    """Return the month of a time, counted from the year 2000."""
    found = moment.astimezone(UTC)
    return min((found.year - 2000) * 12 + found.month - 1, MAX_MONTH)


class LedgerEntry(NamedTuple):
    """One identifier of a person."""

    digest: bytes
    rest: bytes
    kind: int
    until: int = 0  # the month in which the service may have forgotten the person
    uncertain: bool = False
    tag: bytes = NO_TAG  # of a person with several identifiers: the beginning of the first one's digest

    @classmethod
    def decode(cls, record: bytes) -> "LedgerEntry":
        """Read a record."""
        meta = int.from_bytes(record[2 * HALF : PLAIN_BYTES])
        tag = record[PLAIN_BYTES:] or NO_TAG
        uncertain, month = bool(meta & UNCERTAIN), meta & MAX_MONTH
        return cls(record[:HALF], record[HALF : 2 * HALF], meta >> KIND_SHIFT, month, uncertain, tag)

    def encode(self) -> bytes:
        """Return the record."""
        meta = self.kind << KIND_SHIFT | UNCERTAIN * self.uncertain | self.until
        return self.digest + self.rest + meta.to_bytes(META_BYTES) + self.tag

    def is_certain(self, month: int) -> bool:
        """Tell whether the service has the person in this month."""
        return not self.uncertain and month < self.until

    @property
    def is_head(self) -> bool:
        """Tell whether this is the identifier by which a person is counted."""
        return self.tag == NO_TAG or self.digest.startswith(self.tag)


class Sealer:
    """Turns identifiers into records and back, under the key of a state folder."""

    def __init__(self, key: bytes) -> None:
        self.key_id = blake2b(key=key, person=b"key id", digest_size=8).hexdigest()
        self._kinds = [blake2b(key=key, person=name.encode(), digest_size=HALF) for name in IDENTIFIERS]
        self._rest = blake2b(key=key, person=b"rest", digest_size=HALF)
        self._text = blake2b(key=key, person=b"text")

    def digest(self, kind: int, value: str) -> bytes:
        """Return the digest of an identifier."""
        masks = self._kinds[kind].copy()
        if IDENTIFIERS[kind] == TEXT_KIND:
            masks.update(value.encode("utf-8", "surrogatepass"))
            return masks.digest()
        whole = bytes.fromhex(value)
        masks.update(whole[:HALF])
        return _masked(whole[HALF:], masks.digest())

    def seal(self, kind: int, value: str) -> tuple[bytes, bytes]:
        """Return the digest of an identifier, and its sealed rest: of a text all of it."""
        digest = self.digest(kind, value)
        if IDENTIFIERS[kind] == TEXT_KIND:
            text = value.encode("utf-8", "surrogatepass")
            return digest, _masked(text, self._stream(digest, len(text)))
        return digest, _masked(bytes.fromhex(value[: 2 * HALF]), self._pad(digest))

    def open(self, kind: int, digest: bytes, rest: bytes) -> str:
        """Return the identifier of a digest and its sealed rest."""
        if IDENTIFIERS[kind] == TEXT_KIND:
            return _masked(rest, self._stream(digest, len(rest))).decode("utf-8", "surrogatepass")
        first = _masked(rest, self._pad(digest))
        masks = self._kinds[kind].copy()
        masks.update(first)
        return (first + _masked(digest, masks.digest())).hex()

    def _pad(self, digest: bytes) -> bytes:
        pad = self._rest.copy()
        pad.update(digest)
        return pad.digest()

    def _stream(self, digest: bytes, size: int) -> bytes:
        blocks = bytearray()
        while len(blocks) < size:
            block = self._text.copy()
            block.update(digest + len(blocks).to_bytes(4))
            blocks += block.digest()
        return bytes(blocks[:size])


def _masked(data: bytes, mask: bytes) -> bytes:
    return (int.from_bytes(data) ^ int.from_bytes(mask)).to_bytes(len(data))


class LedgerIndex:
    """Records sorted by digest, at the beginning of a mapped file."""

    def __init__(self, data: "mmap.mmap | bytes" = b"", count: int = 0, width: int = PLAIN_BYTES) -> None:
        self._data, self._count, self.width = data, count, width
        self._starts = self._find_starts()

    def _find_starts(self) -> "array[int]":
        """Return the offset of each bucket of digests with the same first two bytes, and the end."""
        end = self._count * self.width
        highs, lows = (self._data[at : end : self.width] for at in range(2))
        starts, at = array("Q"), 0
        for high in sorted(set(highs)):
            limit = bisect_right(highs, high, at)
            for low in sorted(set(lows[at:limit])):
                missing = (high << 8 | low) + 1 - len(starts)
                starts.extend(array("Q", [at * self.width]) * missing)
                at = bisect_right(lows, low, at, limit)
        starts.extend(array("Q", [end]) * (BUCKETS + 1 - len(starts)))
        return starts

    def __len__(self) -> int:
        return self._count

    def find(self, digest: bytes) -> int:
        """Return the position of a digest; -1 where it is not in the ledger."""
        bucket = digest[0] << 8 | digest[1]
        start = self._starts[bucket]
        found = self._data[start : self._starts[bucket + 1]].find(digest)
        return -1 if found < 0 else (start + found) // self.width

    def entry(self, position: int) -> LedgerEntry:
        """Return the entry at a position."""
        at = position * self.width
        return LedgerEntry.decode(self._data[at : at + self.width])

    def records(self, first_byte: int) -> Iterator[bytes]:
        """Yield the records whose digests begin with a byte, with their tags."""
        data = self.part(first_byte)
        rest = NO_TAG if self.width == PLAIN_BYTES else b""
        return (data[at : at + self.width] + rest for at in range(0, len(data), self.width))

    def part(self, first_byte: int) -> bytes:
        """Return the bytes of the records whose digests begin with a byte."""
        return self._data[self._starts[first_byte << 8] : self._starts[(first_byte + 1) << 8]]
