"""The file of a row memo: segments of sealed rows and then a header; each sync writes it anew."""

import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from hashlib import blake2b, shake_128
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple

import msgspec

from ..config.atomic_files import replacing
from .ledger_records import ID_BYTES, masked
from .row_shapes import ROW_BYTES, RowShape

VERSION = 2  # raised with the layout: a memo of another version counts as none
FRAME_BYTES, CHECKSUM_BYTES, NONCE_BYTES, BLOCK_BYTES = 4, 16, 16, 1 << 20


class KnownRows(msgspec.Struct, array_like=True):
    """Rows that follow one another."""

    digests: bytes  # sealed where they are stored, with the shapes
    shapes: bytes  # a byte each
    ids: bytes  # of the identifiers of each row


class MemoHeader(msgspec.Struct, kw_only=True):
    """What is stored after the rows."""

    version: int = VERSION
    ledger: bytes  # its checksum
    shapes: list[RowShape]
    repeated: dict[bytes, int]  # ids that several rows have, and how many
    others: bytes  # ids of the records that are of no row
    requests: int  # that the people of the file need
    people: int
    nonce: bytes = b""  # of the seal


_encode = msgspec.msgpack.Encoder().encode
_decode_segment = msgspec.msgpack.Decoder(KnownRows).decode
_decode_header = msgspec.msgpack.Decoder(MemoHeader).decode


class _Seal:
    """Seals the hashes and shapes of rows, which without the key tell of nobody."""

    def __init__(self, key: bytes, nonce: bytes) -> None:
        self._key, self._number = key + nonce, 0

    def seal(self, segment: KnownRows) -> KnownRows:
        """Return the next segment as it is stored."""
        shapes = segment.shapes
        kept = shapes[:1] if shapes.count(shapes[:1]) == len(shapes) else zlib.compress(shapes, 1)
        return KnownRows(self._masked(segment.digests + kept), len(shapes).to_bytes(FRAME_BYTES), segment.ids)

    def open(self, segment: KnownRows) -> KnownRows:
        """Return the next segment as it was."""
        plain, rows = self._masked(segment.digests), int.from_bytes(segment.shapes)
        kept = plain[rows * ROW_BYTES :]
        shapes = kept * rows if len(kept) == 1 else zlib.decompress(kept)
        return KnownRows(plain[: rows * ROW_BYTES], shapes, segment.ids)

    def _masked(self, data: bytes) -> bytes:
        self._number += 1
        return masked(data, shake_128(self._key + self._number.to_bytes(8)).digest(len(data)))


def _checksum(key: bytes, crc: int, header: bytes) -> bytes:
    """Return the checksum of segments that have a CRC, and of the encoded header."""
    data = crc.to_bytes(4) + header
    return blake2b(data, key=key, person=b"row memo", digest_size=CHECKSUM_BYTES).digest()


class StoredMemo(NamedTuple):
    """A memo that was stored."""

    header: MemoHeader
    segments: Iterator[KnownRows]


def read_memo(path: Path, key: bytes) -> StoredMemo | None:
    """Return a memo; None where it is missing or damaged.

    Its file stays open until its segments are read, since a sync may replace it meanwhile.
    """
    with ExitStack() as opened, suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
        file = opened.enter_context(path.open("rb"))
        end = file.seek(0, 2) - CHECKSUM_BYTES - FRAME_BYTES
        file.seek(max(end, 0))
        size = int.from_bytes(file.read(FRAME_BYTES))
        checksum, begin = file.read(), end - size
        if begin < 0:
            return None
        file.seek(0)
        crc, left = 0, begin
        while block := file.read(min(BLOCK_BYTES, left)):
            crc, left = zlib.crc32(block, crc), left - len(block)
        encoded = file.read(size)
        if checksum != _checksum(key, crc, encoded):
            return None
        header = _decode_header(encoded)
        if header.version == VERSION:
            opened.pop_all()
            return StoredMemo(header, _segments(file, begin, _Seal(key, header.nonce)))
    return None


def _segments(file: BinaryIO, end: int, seal: _Seal) -> Iterator[KnownRows]:
    with file:
        at = file.seek(0)
        while at < end:
            size = int.from_bytes(file.read(FRAME_BYTES))
            yield seal.open(_decode_segment(file.read(size)))
            at += FRAME_BYTES + size


class KnownRowReader:
    """The rows of a stored memo, passed in their order: those `ahead` are looked at before."""

    def __init__(self, segments: Iterator[KnownRows], shapes: list[RowShape]) -> None:
        self._segments = segments
        self._identifiers = [shape.identifier_count for shape in shapes]
        self._read = KnownRows(b"", b"", b"")
        self.at = self._id_at = 0  # of the first of these rows that was not passed
        self._only: int | None = None  # how many identifiers each of them has, where all have as many

    @property
    def digests(self) -> bytes:
        """Return the hashes of the rows that were read, from before `at` on."""
        return self._read.digests

    @property
    def left(self) -> int:
        """Count the rows that were read and not passed."""
        return len(self._read.shapes) - self.at

    def read_ahead(self, rows: int) -> None:
        """Have at least so many rows that were not passed, where there are as many."""
        if self.left >= rows:
            return
        at, read = self.at, self._read
        parts = [KnownRows(read.digests[at * ROW_BYTES :], read.shapes[at:], read.ids[self._id_at :])]
        missing = rows - self.left
        while missing > 0 and (segment := next(self._segments, None)):
            parts.append(segment)
            missing -= len(segment.shapes)
        self.at = self._id_at = 0
        joined = zip(*map(msgspec.structs.astuple, parts), strict=True)
        self._read = KnownRows(*(b"".join(each) for each in joined))
        shapes = self._read.shapes
        is_uniform = shapes.count(shapes[:1]) == len(shapes) > 0
        self._only = self._identifiers[shapes[0]] if is_uniform else None

    def take(self, rows: int) -> tuple[bytes, bytes]:
        """Pass some rows; return their shapes and ids."""
        shapes = self._read.shapes[self.at : self.at + rows]
        if self._only is None:
            identifiers = sum(self._identifiers[number] * n for number, n in counted_shapes(shapes).items())
        else:
            identifiers = rows * self._only
        ids = self._read.ids[self._id_at : self._id_at + ID_BYTES * identifiers]
        self.at += rows
        self._id_at += len(ids)
        return shapes, ids


def counted_shapes(shapes: bytes) -> Counter[int]:
    """Count shapes, of which most are equal."""
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return Counter({shapes[0]: len(shapes)})
    return Counter(shapes)


class MemoWriter:
    """Collects the rows of a memo beside its file, which is replaced once everybody was sent."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path, self._key, self._nonce = path, key, token_bytes(NONCE_BYTES)
        self._seal, self._crc = _Seal(key, self._nonce), 0
        self._file = TemporaryFile(dir=path.parent)  # noqa: SIM115 - until `close`

    def add(self, segment: KnownRows) -> None:
        """Add rows."""
        if segment.digests:
            frame = _encode(self._seal.seal(segment))
            data = len(frame).to_bytes(FRAME_BYTES) + frame
            self._crc = zlib.crc32(data, self._crc)
            self._file.write(data)

    def store(self, header: MemoHeader) -> None:
        """Replace the file."""
        encoded = _encode(msgspec.structs.replace(header, nonce=self._nonce))
        with replacing(self._path) as file:
            self._file.seek(0)
            while block := self._file.read(BLOCK_BYTES):
                file.write(block)
            checksum = _checksum(self._key, self._crc, encoded)
            file.write(encoded + len(encoded).to_bytes(FRAME_BYTES) + checksum)

    def close(self) -> None:
        """Give up what was not stored."""
        self._file.close()
