"""The file of a ledger: sorted records, sealed ids of the advertiser's own, a description and a checksum."""

import os
from collections.abc import Iterable
from hashlib import blake2b
from io import BufferedWriter
from pathlib import Path
from struct import Struct
from typing import IO, TYPE_CHECKING, NamedTuple
from zlib import crc32

import msgspec

from ..config.atomic_files import replacing
from ..uploads.job_file import UploadTarget
from ..uploads.write_epochs import NO_EPOCH
from .ledger_records import MAX_MONTH, PLAIN_BYTES, RECORD_BYTES, LedgerIndex, open_bytes, stamp_of

if TYPE_CHECKING:
    from .ledger_merge import LedgerPart

VERSION = 2
WHOLE_CHECKSUM = 1  # the version whose checksum is of all bytes
CHECKSUM_BYTES = 16
SIZES = Struct(">II")  # of the sealed ids, and of the description
BLOCK_BYTES = 1 << 20


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
    until: int = 0  # the service has everybody before this month
    # Whether the service may keep people together whom this ledger does not know to share an identifier.
    links_unknown: bool = False
    changed: str = ""  # time of the last acknowledged change, in UTC

    @property
    def width(self) -> int:
        """Return the bytes of a record."""
        return RECORD_BYTES if self.tagged else PLAIN_BYTES

    @property
    def place(self) -> UploadTarget:
        """Return the list."""
        return UploadTarget(self.service, self.kind, self.target)


class LedgerContent(NamedTuple):
    """What a file has; `entries` are read from it as they are asked for."""

    info: LedgerInfo
    entries: LedgerIndex
    texts: dict[bytes, bytes]  # sealed texts by digest
    checksum: bytes


_decode_info = msgspec.json.Decoder(LedgerInfo).decode
_decode_texts = msgspec.msgpack.Decoder(dict[bytes, bytes]).decode

# The last file that was read: it is not read again at the end of a job.
_last_read: dict[Path, LedgerContent] = {}


def read_ledger(path: Path) -> LedgerContent:
    """Return the content of a file; raise LedgerLostError where it cannot be used."""
    with path.open("rb") as file:
        stamp = stamp_of(os.fstat(file.fileno()))
        if not (known := _last_read.get(path)) or known.entries.stamp != stamp:
            _last_read.clear()
            _last_read[path] = known = _read(file, path)
    return known


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
    crc, left = 0, size
    while block := file.read(min(BLOCK_BYTES, left)):
        crc, left = crc32(block, crc), left - len(block)
    rest = file.read(end - size)
    if checksum != _checksum(crc, rest) and checksum != _whole_checksum(file, end):
        raise damaged
    try:
        info = _decode_info(rest[texts_size : -SIZES.size])
        texts = _decode_texts(rest[:texts_size])
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise damaged from None
    if info.version not in (VERSION, WHOLE_CHECKSUM):
        raise LedgerLostError(f"{path} was written by another version of adsctl")
    if size != info.identifiers * info.width:
        raise damaged
    return LedgerContent(info, _index(file, info), texts, checksum)


def write_ledger(
    path: Path, info: LedgerInfo, parts: Iterable["LedgerPart"], texts: dict[bytes, bytes]
) -> LedgerContent:
    """Replace a file; count in its description what is in it, and return its content without the texts.

    `texts` are final once all parts were taken.
    """
    info = msgspec.structs.replace(
        info, version=VERSION, identifiers=0, people=0, uncertain=0, until=MAX_MONTH
    )
    crc = 0
    with replacing(path) as file, BufferedWriter(file) as out:
        for part in parts:
            crc = crc32(part.data, crc)
            out.write(part.data)
            info.identifiers += part.identifiers
            info.people += part.people
            info.uncertain += part.uncertain
            info.until = min(info.until, part.until)
        encoded = msgspec.msgpack.encode(texts), msgspec.json.encode(info)
        rest = b"".join([*encoded, SIZES.pack(*map(len, encoded))])
        checksum = _checksum(crc, rest)
        out.write(rest + checksum)
    with path.open("rb") as written:
        return LedgerContent(info, _index(written, info), {}, checksum)


def _index(file: IO[bytes], info: LedgerInfo) -> LedgerIndex:
    stamp = stamp_of(os.fstat(file.fileno()))
    return LedgerIndex(open_bytes(file.fileno()), info.identifiers, info.width, stamp)


def _checksum(crc: int, rest: bytes) -> bytes:
    """Return the checksum of records that have a CRC, which takes a fifth of the time, and the rest."""
    return blake2b(crc.to_bytes(4) + rest, digest_size=CHECKSUM_BYTES).digest()


def _whole_checksum(file: IO[bytes], end: int) -> bytes:
    """Return the checksum that version 1 has."""
    file.seek(0)
    checksum, left = blake2b(digest_size=CHECKSUM_BYTES), end
    while block := file.read(min(BLOCK_BYTES, left)):
        checksum.update(block)
        left -= len(block)
    return checksum.digest()
