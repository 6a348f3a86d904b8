"""The file of a ledger: sorted records, sealed ids of the advertiser's own, a description and a checksum."""

import mmap
import os
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from hashlib import blake2b
from io import BufferedWriter
from pathlib import Path
from struct import Struct
from typing import IO, NamedTuple, Protocol
from zlib import crc32

import msgspec

from ..config.atomic_files import replacing
from ..store.epochs import NO_EPOCH, UploadTarget
from .ledger_records import (
    HALF,
    META_BYTES,
    NO_TAG,
    PLAIN_BYTES,
    RECORD_BYTES,
    LedgerEntry,
    LedgerPart,
)

VERSION = 2
CHECKSUM_BYTES = 16
SIZES = Struct(">II")  # of the sealed ids, and of the description
BLOCK_BYTES = 1 << 20
BUCKET_BITS = 6  # of the number of records in a bucket
STEP_RECORDS = 1 << 14  # read at once
AHEAD_BYTES = 256 * 1024
MOST_MAPPED_BYTES = 64 * 1024 * 1024


def stamp_of(status: os.stat_result) -> tuple[int, int, int]:
    """Return what tells a file from one that has replaced it."""
    return status.st_ino, status.st_mtime_ns, status.st_size


class LedgerBytes(Protocol):
    """The bytes of a ledger, whether its file is mapped, read or missing.

    They give parts only, by both ends. Other slices need not work.
    """

    def __getitem__(self, part: slice, /) -> bytes: ...


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
        # The leading bits of the first two bytes of a digest name its bucket. These are at least the first
        # byte, since merging takes the records of one first byte after the other.
        self._shift = 16 - min(max(count.bit_length() - BUCKET_BITS, 8), 16)

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
        buckets = range(0, 1 << 16, 1 << self._shift)
        return array("Q", [*(bisect_left(numbers, bucket) * width for bucket in buckets), end])

    def __len__(self) -> int:
        return self._count

    def in_order(self) -> "LedgerIndex":
        """Return these records to one who looks them up in their order, which costs less then."""
        if not isinstance(self.data, FileBytes):
            return self
        _ = self.starts  # is found once, for the copy too
        index = copy(self)
        index.data = self.data.in_order()
        return index

    def bucket(self, digest: bytes) -> tuple[int, int]:
        """Return where the records begin and end among which a digest is, if it is there."""
        number = (digest[0] << 8 | digest[1]) >> self._shift
        return self.starts[number], self.starts[number + 1]

    def find(self, digest: bytes) -> int:
        """Return the position of a digest, or of the first that begins so, or -1."""
        start, end = self.bucket(digest)
        at = _find_record(self.data[start:end], digest, self.width)
        return (start + at) // self.width if at >= 0 else -1

    def find_all(self, digests: Sequence[bytes]) -> tuple["array[int]", list[bytes]]:
        """Return what `find` does of each digest, and its meta bytes, in one loop since they are many.

        For a digest that is not there these are the number of records, and nothing.
        """
        data, starts, width, shift = self.data, self.starts, self.width, self._shift
        positions, metas, nowhere = array("Q"), list[bytes](), self._count
        for digest in digests:
            bucket = (digest[0] << 8 | digest[1]) >> shift
            start = starts[bucket]
            part = data[start : starts[bucket + 1]]
            at = part.find(digest)
            if at % width:  # not there, or within a record
                at = _find_record(part, digest, width)
            positions.append((start + at) // width if at >= 0 else nowhere)
            metas.append(part[at + 2 * HALF : at + PLAIN_BYTES] if at >= 0 else b"")
        return positions, metas

    def meta_and_tag(self, position: int) -> tuple[bytes, bytes]:
        """Return the meta bytes of the record at a position, and its tag."""
        at = position * self.width
        rest = self.data[at + 2 * HALF : at + self.width]
        return rest[:META_BYTES], rest[META_BYTES:] or NO_TAG

    def entry(self, position: int) -> LedgerEntry:
        """Return the entry at a position."""
        at = position * self.width
        return LedgerEntry.decode(self.data[at : at + self.width])

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
        return self.starts[first_byte << 8 - self._shift]


def _find_record(part: bytes, beginning: bytes, width: int) -> int:
    """Return the offset of the first record that begins so; bytes within a record may be equal."""
    at = part.find(beginning)
    while at >= 0 and at % width:
        at = part.find(beginning, at + 1)
    return at


class LedgerLostError(Exception):
    """A ledger cannot be used; the text says why."""


class LedgerInfo(msgspec.Struct, kw_only=True):
    """The description in the file."""

    version: int = VERSION
    service: str
    kind: str
    target: str
    key: str = ""  # id of the key
    epoch: str = NO_EPOCH  # write epoch of the list
    tagged: bool = False  # whether records have tags
    identifiers: int = 0
    people: int = 0
    uncertain: int = 0  # identifiers
    # Whether the service may keep people together whom this ledger does not know to share an identifier.
    links_unknown: bool = False
    changed: str = ""  # time of the last acknowledged change, in UTC

    @property
    def width(self) -> int:
        """Return the bytes of a record."""
        return RECORD_BYTES if self.tagged else PLAIN_BYTES

    @property
    def upload_target(self) -> UploadTarget:
        """Return the list."""
        return UploadTarget(self.service, self.kind, self.target)


class LedgerContent(NamedTuple):
    """What a file has; `entries` are read from it as they are asked for."""

    info: LedgerInfo
    entries: LedgerIndex
    texts: dict[bytes, bytes]  # sealed texts by digest


_decode_info = msgspec.json.Decoder(LedgerInfo).decode
_decode_texts = msgspec.msgpack.Decoder(dict[bytes, bytes]).decode

# The last file that was read: it is not read again at the end of a job.
_last_read: dict[Path, LedgerContent] = {}


def read_ledger(path: Path) -> LedgerContent:
    """Return the content of a file; raise LedgerLostError where it cannot be used."""
    with path.open("rb") as file:
        stamp = stamp_of(os.fstat(file.fileno()))
        if not (content := _last_read.get(path)) or content.entries.stamp != stamp:
            _last_read.clear()
            _last_read[path] = content = _read(file, path)
    return content


def _read(file: IO[bytes], path: Path) -> LedgerContent:
    damaged = LedgerLostError(f"{path} is damaged")
    end = file.seek(0, os.SEEK_END) - CHECKSUM_BYTES
    if end < SIZES.size:
        raise damaged
    file.seek(end - SIZES.size)
    texts_size, info_size = SIZES.unpack(file.read(SIZES.size))
    checksum = file.read()
    size = end - SIZES.size - info_size - texts_size
    if size < 0:
        raise damaged
    file.seek(0)
    crc, remaining = 0, size
    while block := file.read(min(BLOCK_BYTES, remaining)):
        crc, remaining = crc32(block, crc), remaining - len(block)
    rest = file.read(end - size)
    if checksum != _checksum(crc, rest):
        raise damaged
    try:
        info = _decode_info(rest[texts_size : -SIZES.size])
        texts = _decode_texts(rest[:texts_size])
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise damaged from None
    if info.version != VERSION:
        raise LedgerLostError(f"{path} was written by another version of adsctl")
    if size != info.identifiers * info.width:
        raise damaged
    return LedgerContent(info, _index(file, info), texts)


def write_ledger(
    path: Path, info: LedgerInfo, parts: Iterable[LedgerPart], texts: dict[bytes, bytes]
) -> None:
    """Replace a file; count in its description what is in it.

    `texts` are final once all parts were taken.
    """
    info = msgspec.structs.replace(info, version=VERSION, identifiers=0, people=0, uncertain=0)
    crc = 0
    with replacing(path) as file, BufferedWriter(file) as out:
        for part in parts:
            crc = crc32(part.data, crc)
            out.write(part.data)
            info.identifiers += part.identifiers
            info.people += part.people
            info.uncertain += part.uncertain
        encoded = msgspec.msgpack.encode(texts), msgspec.json.encode(info)
        rest = b"".join([*encoded, SIZES.pack(*map(len, encoded))])
        out.write(rest + _checksum(crc, rest))


def _index(file: IO[bytes], info: LedgerInfo) -> LedgerIndex:
    stamp = stamp_of(os.fstat(file.fileno()))
    return LedgerIndex(open_bytes(file.fileno()), info.identifiers, info.width, stamp)


def _checksum(crc: int, rest: bytes) -> bytes:
    """Return the checksum of the CRC of the records and of the rest."""
    # Of the many records only a CRC is taken, which takes a fifth of the time.
    return blake2b(crc.to_bytes(4) + rest, digest_size=CHECKSUM_BYTES).digest()
