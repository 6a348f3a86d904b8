"""What a ledger stores of people: a keyed digest and a sealed rest of each identifier, found by bisection.

The service removes somebody only by an identifier, so its SHA-256 must come back from the ledger. Its second
half, masked under the key by its first half, is the digest that is looked up; the first half is sealed under
the digest. Together they are a two-round Feistel network: without the key neither tells anything of a
person, and with it each gives the other back. An id of the advertiser's own is no hash, and sealed as text.
"""

import mmap
import os
import secrets
import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from copy import copy
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from struct import iter_unpack
from typing import NamedTuple

from ..config.atomic_files import make_folder, sync_folder
from ..config.file_locks import made_and_locked
from ..errors import STATE_HINT, StateError
from .identifiers import IDENTIFIERS

HALF = 16  # bytes of a digest, and of the sealed rest
FOLDER = "ledgers"  # in the state folder
KEY_FILE = "ledger.key"  # in the state folder
KEY_BYTES = 32
ID_BYTES = 6  # of a digest, which nearly always tell it from others
META_BYTES, TAG_BYTES = 2, 8
PLAIN_BYTES = 2 * HALF + META_BYTES
RECORD_BYTES = PLAIN_BYTES + TAG_BYTES
NO_TAG = bytes(TAG_BYTES)
TEXT_KIND = "partner_user_id"  # the only identifier that is no SHA-256
KINDS = {name: number for number, name in enumerate(IDENTIFIERS)}
UNCERTAIN = 1 << 12  # whether the service may or may not have applied what was sent
KIND_SHIFT = 13
MAX_MONTH = UNCERTAIN - 1
BUCKET_BITS = 6  # of the number of records in a bucket
STEP_RECORDS = 1 << 14  # read at once
AHEAD_BYTES = 256 * 1024
MOST_MAPPED_BYTES = 64 * 1024 * 1024


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

    @property
    def is_head(self) -> bool:
        """Tell whether this is the identifier by which a person is counted."""
        return self.tag == NO_TAG or self.digest.startswith(self.tag)


def is_certain(meta: bytes, month: int) -> bool:
    """Tell by the meta bytes of a record whether the service has the person in a month."""
    found = int.from_bytes(meta)
    return not found & UNCERTAIN and month < found & MAX_MONTH


def load_key(state_dir: Path) -> bytes:
    """Return the key of a state folder, made where there is none; raise StateError."""
    path = state_dir / KEY_FILE
    try:
        make_folder(state_dir)
        with suppress(FileNotFoundError):
            if len(key := path.read_bytes()) == KEY_BYTES:
                return key
        new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(descriptor)
        with made_and_locked(state_dir / FOLDER):
            if not path.exists() or path.stat().st_size != KEY_BYTES:
                new.replace(path)
            new.unlink(missing_ok=True)
            sync_folder(state_dir)
        return path.read_bytes()
    except OSError as error:
        raise StateError(f"{path} cannot be used: {error.strerror}", hint=STATE_HINT) from error


class Sealer:
    """Turns identifiers into records and back, under the key of a state folder."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.key_id = blake2b(key=key, person=b"key id", digest_size=8).hexdigest()
        self._kinds = [blake2b(key=key, person=name.encode(), digest_size=HALF) for name in IDENTIFIERS]
        self._rest = blake2b(key=key, person=b"rest", digest_size=HALF)
        self._text = blake2b(key=key, person=b"text")

    def sealed_digest(self, digest: str) -> str:
        """Return what only the key tells of a digest of people."""
        return blake2b(digest.encode(), key=self.key, person=b"batch", digest_size=8).hexdigest()

    def sealed_content(self, digest: str) -> str:
        """Return what only the key tells of the digest of a file, which may be of one person."""
        return blake2b(digest.encode(), key=self.key, person=b"content", digest_size=HALF).hexdigest()

    def digests(self, kind: int, values: Sequence[str]) -> list[bytes]:
        """Return the digests of identifiers of one kind."""
        new = self._kinds[kind].copy
        if IDENTIFIERS[kind] == TEXT_KIND:
            return [_keyed(new, value.encode("utf-8", "surrogatepass")) for value in values]
        whole = bytes.fromhex("".join(values))
        return _masked_halves(new, _halves(whole, 0), _halves(whole, HALF))

    def seal(self, kind: int, values: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Return the digest of each identifier, and its sealed rest: of a text all of it."""
        digests = self.digests(kind, values)
        if IDENTIFIERS[kind] == TEXT_KIND:
            texts = [value.encode("utf-8", "surrogatepass") for value in values]
            rests = [
                _masked(text, self._stream(digest, len(text)))
                for text, digest in zip(texts, digests, strict=True)
            ]
        else:
            firsts = _halves(bytes.fromhex("".join(values)), 0)
            rests = _masked_halves(self._rest.copy, digests, firsts)
        return [*zip(digests, rests, strict=True)]

    def open(self, kind: int, digest: bytes, rest: bytes) -> str:
        """Return the identifier of a digest and its sealed rest."""
        if IDENTIFIERS[kind] == TEXT_KIND:
            return _masked(rest, self._stream(digest, len(rest))).decode("utf-8", "surrogatepass")
        first = _masked(rest, _keyed(self._rest.copy, digest))
        return (first + _masked(digest, _keyed(self._kinds[kind].copy, first))).hex()

    def _stream(self, digest: bytes, size: int) -> bytes:
        blocks = bytearray()
        while len(blocks) < size:
            blocks += _keyed(self._text.copy, digest + len(blocks).to_bytes(4))
        return bytes(blocks[:size])


def _keyed(new: "Callable[[], blake2b]", data: bytes) -> bytes:
    found = new()
    found.update(data)
    return found.digest()


def _halves(whole: bytes, begin: int) -> list[bytes]:
    """Return one half of each SHA-256."""
    return [whole[at : at + HALF] for at in range(begin, len(whole), 2 * HALF)]


def _masked_halves(new: "Callable[[], blake2b]", masks: list[bytes], halves: list[bytes]) -> list[bytes]:
    """Mask halves by the keyed digests of others, all at once."""
    keyed = []
    for mask in masks:
        found = new()
        found.update(mask)
        keyed.append(found.digest())
    whole = _masked(b"".join(halves), b"".join(keyed))
    return [whole[at : at + HALF] for at in range(0, len(whole), HALF)]


def _masked(data: bytes, mask: bytes) -> bytes:
    return (int.from_bytes(data) ^ int.from_bytes(mask)).to_bytes(len(data))


def stamp_of(found: os.stat_result) -> tuple[int, int, int]:
    """Return what tells a file from one that has replaced it."""
    return found.st_ino, found.st_mtime_ns, found.st_size


class FileBytes:
    """The bytes of a file that is too large to be mapped: mapped pages count as memory once they are read."""

    def __init__(self, descriptor: int, ahead: int = 0) -> None:
        self._descriptor, self._ahead = os.dup(descriptor), ahead
        self._begin, self._read = 0, b""  # what was read ahead

    def __getitem__(self, part: slice) -> bytes:
        if sys.platform == "win32":
            raise NotImplementedError  # `open_bytes` maps files of any size there
        begin, size = part.start, part.stop - part.start
        if not self._ahead:
            return os.pread(self._descriptor, size, begin)
        if not self._begin <= begin <= part.stop <= self._begin + len(self._read):
            self._begin, self._read = begin, os.pread(self._descriptor, max(size, self._ahead), begin)
        return self._read[begin - self._begin : part.stop - self._begin]

    def in_order(self) -> "FileBytes":
        """Return these bytes to one who reads parts in their order: more is read at once."""
        return FileBytes(self._descriptor, AHEAD_BYTES)

    def __del__(self) -> None:
        os.close(self._descriptor)


LedgerBytes = mmap.mmap | bytes | FileBytes


def open_bytes(descriptor: int) -> LedgerBytes:
    """Return the bytes of an open file, of which parts are read as they are asked for."""
    if os.fstat(descriptor).st_size > MOST_MAPPED_BYTES and sys.platform != "win32":
        return FileBytes(descriptor)
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)


class LedgerIndex:
    """Records sorted by digest, at the beginning of a file."""

    def __init__(
        self,
        data: LedgerBytes = b"",
        count: int = 0,
        width: int = PLAIN_BYTES,
        stamp: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        self.data, self._count, self.width = data, count, width
        self.stamp = stamp  # of the file
        self.shift = 16 - min(max(count.bit_length() - BUCKET_BITS, 8), 16)

    @cached_property
    def starts(self) -> "array[int]":
        """Return the offset of each bucket of digests that begin with the same bits, and the end."""
        end, width = self._count * self.width, self.width
        starts = bytearray(2 * self._count)  # the first two bytes of each digest
        for at in range(0, end, STEP_RECORDS * width):
            part = self.data[at : min(at + STEP_RECORDS * width, end)]
            first = 2 * at // width
            last = first + 2 * len(part) // width
            starts[first:last:2], starts[first + 1 : last : 2] = part[::width], part[1::width]
        numbers = array("H", bytes(starts))
        if sys.byteorder == "little":
            numbers.byteswap()
        buckets = range(0, 1 << 16, 1 << self.shift)
        return array("Q", [*(bisect_left(numbers, bucket) * width for bucket in buckets), end])

    def __len__(self) -> int:
        return self._count

    def in_order(self) -> "LedgerIndex":
        """Return these records to one who looks them up in their order, which costs less then."""
        if not isinstance(self.data, FileBytes):
            return self
        assert self.starts  # is found once, for the copy too
        found = copy(self)
        found.data = self.data.in_order()
        return found

    def bucket(self, digest: bytes) -> tuple[int, int]:
        """Return where the records begin and end among which a digest is, if it is there."""
        number = (digest[0] << 8 | digest[1]) >> self.shift
        return self.starts[number], self.starts[number + 1]

    def find(self, digest: bytes) -> int:
        """Return the position of a digest, or of the beginning of one; -1 where it is not in the ledger."""
        start, end = self.bucket(digest)
        part = self.data[start:end]
        at = part.find(digest)
        while at >= 0 and at % self.width:
            at = part.find(digest, at + 1)
        return (start + at) // self.width if at >= 0 else -1

    def find_only(self, beginning: bytes) -> int:
        """Return the position of the only digest that begins so; -1 where there is none, or several."""
        start, end = self.bucket(beginning)
        part, width = self.data[start:end], self.width
        at = first = part.find(beginning)
        while at >= 0:
            if at % width:  # within a record
                first = part.find(beginning, at + 1) if first == at else first
            elif at != first:
                return -1
            at = part.find(beginning, at + 1)
        return (start + first) // width if first >= 0 else -1

    def meta_and_tag(self, position: int) -> tuple[bytes, bytes]:
        """Return the meta bytes of the record at a position, and its tag."""
        at = position * self.width
        rest = self.data[at + 2 * HALF : at + self.width]
        return rest[:META_BYTES], rest[META_BYTES:] or NO_TAG

    def entry(self, position: int) -> LedgerEntry:
        """Return the entry at a position."""
        at = position * self.width
        return LedgerEntry.decode(self.data[at : at + self.width])

    def tagged(self, tags: Collection[bytes]) -> Iterator[int]:
        """Yield the positions of records that have one of some tags."""
        for at in range(0, self._count if tags else 0, STEP_RECORDS):
            part = self.data[at * self.width : min(at + STEP_RECORDS, self._count) * self.width]
            for position, (tag,) in enumerate(iter_unpack(f"{PLAIN_BYTES}x{TAG_BYTES}s", part), at):
                if tag in tags:
                    yield position

    def records(self, first_byte: int) -> Iterator[bytes]:
        """Yield the records whose digests begin with a byte, with their tags."""
        data = self.part(first_byte)
        rest = NO_TAG if self.width == PLAIN_BYTES else b""
        return (data[at : at + self.width] + rest for at in range(0, len(data), self.width))

    def part(self, first_byte: int) -> bytes:
        """Return the bytes of the records whose digests begin with a byte."""
        return self.data[self.begin_of(first_byte) : self.begin_of(first_byte + 1)]

    def begin_of(self, first_byte: int) -> int:
        """Return the offset of the first record whose digest begins with a byte, or a greater one."""
        return self.starts[first_byte << 8 - self.shift]
