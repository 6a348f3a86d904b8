"""What the last sync of a list knows of its file's rows, so that the next one reads only those that are new.

A file beside the ledger: of each row a hash, which identifiers it has, and the beginnings of their digests,
by which the ledger finds them. It is a cache. It counts only for the very ledger that it was stored with, and
only for rows that are read in the same way: their hashes depend on that. These are sealed under the key of
the ledger. Rows with findings are never in it. What it says of people holds once a sync has sent everybody:

- who is in a row of it is on the list, for sure, under all identifiers of that row;
- a record of the ledger is of such a row, of several (`repeated`), or of none (`others`).
"""

import zlib
from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b, shake_128
from itertools import groupby
from pathlib import Path
from secrets import token_bytes
from struct import iter_unpack
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import msgspec

from ..config.atomic_files import replacing
from ..feeds.rows import Block
from .ledger_records import ID_BYTES, LedgerIndex
from .row_shapes import FAR_ROWS, NO_SHAPE, ROW_BYTES, FoundRows, RowHash, RowShape, common_runs

if TYPE_CHECKING:
    from .packing import PackedRows

VERSION = 1
FRAME_BYTES, CHECKSUM_BYTES, BLOCK_BYTES = 4, 16, 1 << 20
MOST_SHAPES = NO_SHAPE
MOST_OTHERS = 4  # one record in so many
MOST_COUNTED_BYTES = 1024 * 1024

# Of a record: what rows have it, or none, and the person is removed.
SEEN = 1  # a row that is not in the memo
COVERED = 2  # a row in the memo
TOUCHED = 4  # one of these that was read
REMOVED = 8
IS_COVERED = bytes(value & REMOVED or bool(value & COVERED) for value in range(256))  # 0, 1 or REMOVED


class UnfitError(Exception):
    """The memo cannot tell what is asked: the file has to be read whole."""


class KnownRows(msgspec.Struct, array_like=True):
    """Rows that follow one another."""

    digests: bytes  # sealed where they are stored, with the shapes
    shapes: bytes  # a byte each
    ids: bytes  # of the identifiers of each row


class SegmentSeal:
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
        mask = shake_128(self._key + self._number.to_bytes(8)).digest(len(data))
        return (int.from_bytes(data) ^ int.from_bytes(mask)).to_bytes(len(data))


class Header(msgspec.Struct, kw_only=True):
    """What is stored after the rows."""

    version: int = VERSION
    ledger: bytes  # its checksum
    nonce: bytes  # of the seal
    shapes: list[RowShape]
    repeated: dict[bytes, int]  # ids that several rows have, and how many
    others: bytes  # ids of the records that are of no row
    requests: int  # that the people of the file need
    people: int


_encode = msgspec.msgpack.Encoder().encode
_decode_segment = msgspec.msgpack.Decoder(KnownRows).decode
_decode_header = msgspec.msgpack.Decoder(Header).decode


def _checksum(key: bytes) -> "blake2b":
    return blake2b(key=key, person=b"row memo", digest_size=CHECKSUM_BYTES)


def read_header(path: Path, key: bytes) -> tuple[Header, int] | None:
    """Return the header of a memo and where it begins; None where it is missing or damaged."""
    checksum = _checksum(key)
    try:
        with path.open("rb") as file:
            left = file.seek(0, 2) - CHECKSUM_BYTES
            file.seek(max(left - FRAME_BYTES, 0))
            size = int.from_bytes(file.read(FRAME_BYTES))
            begin = left - FRAME_BYTES - size
            file.seek(0)
            while block := file.read(min(BLOCK_BYTES, max(left, 0))):
                checksum.update(block)
                left -= len(block)
            if begin < 0 or file.read() != checksum.digest():
                return None
            file.seek(begin)
            header = _decode_header(file.read(size))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    return (header, begin) if header.version == VERSION else None


def _segments(path: Path, end: int, seal: SegmentSeal) -> Iterator[KnownRows]:
    with path.open("rb") as file:
        while file.tell() < end:
            yield seal.open(_decode_segment(file.read(int.from_bytes(file.read(FRAME_BYTES)))))


class Coverage:
    """Which records of a ledger the rows of a file have."""

    def __init__(self, index: LedgerIndex) -> None:
        self.index = index
        self.seen = bytearray(len(index) + 1)  # the last one stands for identifiers that it does not have
        self.repeated: dict[int, int] = {}  # rows in the memo that have a record, where they are several

    def assume(self, header: Header) -> None:
        """Begin with the rows of a memo."""
        self.seen = bytearray([COVERED]) * len(self.index) + bytearray(1)
        index = self.index.in_order()
        self.repeated = {_position(index, id_): count for id_, count in sorted(header.repeated.items())}
        for id_ in sorted(_ids(header.others)):
            self.seen[_position(index, id_)] = 0

    def cover(self, positions: Sequence[int]) -> None:
        """Note the records of rows that were read and are in the memo."""
        seen, nowhere = self.seen, len(self.index)
        for position in positions:
            if seen[position] & COVERED and position != nowhere:
                self.repeated[position] = self.repeated.get(position, 1) + 1
            seen[position] |= COVERED | TOUCHED

    def see(self, positions: Sequence[int]) -> None:
        """Note the records of rows that were read and are not in the memo."""
        for position in positions:
            self.seen[position] |= SEEN

    def uncover(self, ids: bytes | bytearray) -> None:
        """Note that rows of the memo are in the file no longer."""
        index = self.index.in_order()
        for id_ in sorted(_ids(ids)):
            position = _position(index, id_)
            if (count := self.repeated.pop(position, 1)) > 2:
                self.repeated[position] = count - 1
            elif count == 1:
                self.seen[position] &= ~COVERED

    def remove(self, positions: Iterable[int]) -> None:
        """Note that the people of some records are removed: these will be gone from the ledger."""
        for position in positions:
            self.seen[position] = REMOVED

    def is_known_unread(self, position: int) -> bool:
        """Tell whether a row that was not read may have a record."""
        value = self.seen[position]
        return bool(value & COVERED) and (not value & TOUCHED or position in self.repeated)


@dataclass
class RowMemo:
    """The memo of a list while its file is compared: what was known before, and what will be known then."""

    path: Path
    key: bytes
    coverage: Coverage
    header: Header | None = None  # of what was known before
    stores: bool = True
    shapes: dict[RowShape, int] = field(default_factory=dict)
    found: deque[FoundRows] = field(default_factory=deque)  # of blocks whose unknown rows are being read
    created: bytearray = field(default_factory=bytearray)  # ids in the memo that the ledger does not have yet
    others: bytearray = field(default_factory=bytearray)  # those of rows that are not in it

    @classmethod
    def begin(
        cls, path: Path, key: bytes, ledger: bytes | None, index: LedgerIndex, *, stores: bool
    ) -> "RowMemo":
        """Begin to compare; `ledger` is the checksum of one that is certain, None of another one."""
        memo = cls(path, key, Coverage(index), stores=stores)
        found = read_header(path, key) if ledger else None
        if found and found[0].ledger == ledger:
            with suppress(UnfitError):
                memo.coverage.assume(found[0])
                memo.header = found[0]
                memo._segments = _segments(path, found[1], SegmentSeal(key, memo.header.nonce))
                memo._add_shapes(memo.header.shapes)
        if memo.header is None:
            memo.coverage = Coverage(index)
        return memo

    def __post_init__(self) -> None:
        self._segments: Iterator[KnownRows] = iter(())
        self._old = KnownRows(b"", b"", b"")
        self._at = self._id_at = 0  # of the first known row that was not passed
        self._only: int | None = None  # how many identifiers each of them has, where all have as many
        self._identifiers: list[int] = []  # of each shape
        self._gone = bytearray()  # ids of known rows that are in the file no longer
        self._nonce = token_bytes(16)
        self._seal = SegmentSeal(self.key, self._nonce)
        self._stored: IO[bytes] | None = None
        if self.stores:
            self._stored = TemporaryFile(dir=self.path.parent)  # noqa: SIM115 - until it is stored

    # The rows that are known

    def reduce(self, hash_: RowHash, block: Block) -> Block:
        """Return the rows of a block that have to be read."""
        lines = block.data.removesuffix(b"\n").split(b"\n")
        self.found.append(found := self._find(block, hash_.rows(block.data, lines)))
        if found.unknown is None:
            return block
        return Block(block.line, b"".join([lines[row] + b"\n" for row in found.unknown]))

    def _find(self, block: Block, digests: bytes) -> FoundRows:
        self._read_ahead(len(digests) // ROW_BYTES + FAR_ROWS)
        runs, unknown, done = list[tuple[int, bytes, bytes]](), list[int](), 0
        for row, old_row, length in common_runs(digests, self._old.digests, self._at):
            if old_row > self._at:
                self._gone += self._pass(old_row - self._at)[1]
            shapes, ids = self._pass(length)
            runs.append((row, shapes, ids))
            unknown += range(done, row)
            done = row + length
        if not runs:
            return FoundRows(block, digests, None)
        unknown += range(done, len(digests) // ROW_BYTES)
        known = _counted(b"".join([shapes for _, shapes, _ in runs]))
        return FoundRows(block, digests, unknown, runs, known)

    def forget(self, found: FoundRows) -> FoundRows:
        """Return the rows of a block as those that have to be read, all of them."""
        for _, _, ids in found.runs:
            self._gone += ids
        return FoundRows(found.block, b"", None)

    def _read_ahead(self, rows: int) -> None:
        """Have at least so many known rows that were not passed, where there are as many."""
        at, old = self._at, self._old
        if len(old.digests) // ROW_BYTES - at >= rows:
            return
        parts = [KnownRows(old.digests[at * ROW_BYTES :], old.shapes[at:], old.ids[self._id_at :])]
        missing = rows - len(parts[0].shapes)
        while missing > 0 and (segment := next(self._segments, None)):
            parts.append(segment)
            missing -= len(segment.shapes)
        self._at = self._id_at = 0
        self._old = KnownRows(
            *(b"".join(each) for each in zip(*map(msgspec.structs.astuple, parts), strict=True))
        )
        shapes = self._old.shapes
        is_uniform = shapes.count(shapes[:1]) == len(shapes) > 0
        self._only = self._identifiers[shapes[0]] if is_uniform else None

    def _pass(self, rows: int) -> tuple[bytes, bytes]:
        """Return the shapes and ids of the next known rows, and pass these."""
        shapes = self._old.shapes[self._at : self._at + rows]
        if self._only is None:
            identifiers = sum(self._identifiers[number] * count for number, count in _counted(shapes).items())
        else:
            identifiers = rows * self._only
        ids = self._old.ids[self._id_at : self._id_at + ID_BYTES * identifiers]
        self._at += rows
        self._id_at += len(ids)
        return shapes, ids

    def end(self) -> None:
        """Note that the rows that were not reached are in the file no longer."""
        while True:
            self._read_ahead(FAR_ROWS)
            if not (left := len(self._old.shapes) - self._at):
                break
            self._gone += self._pass(left)[1]
        self.coverage.uncover(self._gone)

    def known(self, found: FoundRows) -> Iterator[tuple[RowShape, int]]:
        """Yield the shapes of the known rows of a block, and how many have each."""
        shapes = [*self.shapes]
        return ((shapes[number], count) for number, count in found.known.items())

    def requests_of(self, people: int, read: int) -> int:
        """Estimate the requests that people need: of a file that was read whole there are `read`."""
        if self.header is None or not self.header.people:
            return read
        return -(-self.header.requests * people // self.header.people)

    # The rows that will be known

    def add(self, found: FoundRows, packed: "PackedRows") -> None:
        """Take the rows of a block that were read."""
        compared, shaped = packed.compared, packed.shaped
        if not (compared and shaped):
            self._store(_merged(found, b"", b"", ()))
            return
        ids, counts, positions = compared.ids, compared.counts, array("Q", compared.positions)
        shapes = shaped.numbers.translate(self._numbers(shaped.shapes))
        if not found.digests:
            shapes = bytes([NO_SHAPE]) * len(counts)
        at = done = 0
        nowhere = len(self.coverage.index)
        for is_out, group in groupby(shapes, NO_SHAPE.__eq__):
            rows = len([*group])
            end = at + sum(counts[done : done + rows])
            known_ids = self.others if is_out else self.created
            if not nowhere:  # there is no ledger yet
                known_ids += ids[ID_BYTES * at : ID_BYTES * end]
            else:
                (self.coverage.see if is_out else self.coverage.cover)(positions[at:end])
                new = [n for n in range(at, end) if positions[n] == nowhere]
                known_ids += b"".join([ids[ID_BYTES * n : ID_BYTES * (n + 1)] for n in new])
            at, done = end, done + rows
        self._store(_merged(found, shapes, ids, counts))

    def _numbers(self, own: list[RowShape]) -> bytes:
        """Return the number of each shape of a block."""
        self._add_shapes(own)
        numbers = bytes(self.shapes.get(shape, NO_SHAPE) for shape in own)
        return numbers + bytes([NO_SHAPE]) * (256 - len(numbers))

    def _add_shapes(self, shapes: Iterable[RowShape]) -> None:
        for shape in shapes:
            if shape not in self.shapes and len(self.shapes) < MOST_SHAPES:
                self.shapes[shape] = len(self.shapes)
                self._identifiers.append(shape.identifiers)

    def _store(self, segment: KnownRows) -> None:
        if not (self._stored and segment.digests):
            return
        frame = _encode(self._seal.seal(segment))
        self._stored.write(len(frame).to_bytes(FRAME_BYTES) + frame)

    def store(self, ledger: bytes, index: LedgerIndex, requests: int, people: int) -> bool:
        """Store what is known now that everybody was sent; tell whether the ledger agrees."""
        if not self._stored or (header := self._new_header(ledger, index, requests, people)) is None:
            return False
        checksum, encoded = _checksum(self.key), _encode(header)
        with replacing(self.path) as file:
            self._stored.seek(0)
            while block := self._stored.read(BLOCK_BYTES):
                checksum.update(block)
                file.write(block)
            end = encoded + len(encoded).to_bytes(FRAME_BYTES)
            checksum.update(end)
            file.write(end + checksum.digest())
        return True

    def _new_header(self, ledger: bytes, index: LedgerIndex, requests: int, people: int) -> Header | None:
        before, coverage = self.coverage.index.in_order(), self.coverage
        index = index.in_order()
        covered = coverage.seen.translate(IS_COVERED)
        repeated = {
            before.entry(at).digest[:ID_BYTES]: count for at, count in sorted(coverage.repeated.items())
        }
        others, at = set[bytes](), -1
        while (at := covered.find(0, at + 1, len(before))) >= 0:
            if len(others) * MOST_OTHERS > len(before):
                return None
            if index.find(digest := before.entry(at).digest) >= 0:
                others.add(digest[:ID_BYTES])
        others.update(id_ for id_ in sorted(_ids(self.others)) if index.find(id_) >= 0)
        created = len(index) - covered.count(1, 0, len(before)) - len(others)
        if created * ID_BYTES != len(self.created):  # several of its rows have one
            for counts in map(Counter, _parts(self.created)):
                created -= len(counts)
                repeated |= {id_: count for id_, count in counts.items() if count > 1}
            if created:
                return None
        return Header(
            ledger=ledger,
            nonce=self._nonce,
            shapes=[*self.shapes],
            repeated=repeated,
            others=b"".join(others),
            requests=requests,
            people=people,
        )

    def close(self) -> None:
        """Give up what was not stored."""
        if self._stored:
            self._stored.close()
            self._stored = None


def _position(index: LedgerIndex, id_: bytes) -> int:
    position = index.find_only(id_)
    if position < 0:
        raise UnfitError
    return position


def _ids(joined: bytes | bytearray) -> Iterator[bytes]:
    return (id_ for (id_,) in iter_unpack(f"{ID_BYTES}s", joined))


def _parts(ids: bytearray) -> Iterator[Iterator[bytes]]:
    """Yield ids in parts that have none in common, each small enough to be counted in memory."""
    parts = [bytearray() for _ in range(len(ids) // MOST_COUNTED_BYTES + 1)]
    for id_ in _ids(ids):
        parts[id_[0] % len(parts)] += id_
    return map(_ids, parts)


def _counted(shapes: bytes) -> Counter[int]:
    """Count shapes, of which most are equal."""
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return Counter({shapes[0]: len(shapes)})
    return Counter(shapes)


def _merged(found: FoundRows, shapes: bytes, ids: bytes, counts: Sequence[int]) -> KnownRows:
    """Return the rows of a block in their order, but for those that are not to be known."""
    if found.unknown is None and NO_SHAPE not in shapes:
        return KnownRows(found.digests, shapes, ids)
    pieces, at = [*found.runs], 0
    for number, row in enumerate(range(found.rows) if found.unknown is None else found.unknown):
        end = at + ID_BYTES * counts[number]
        if shapes[number] != NO_SHAPE:
            pieces.append((row, shapes[number : number + 1], ids[at:end]))
        at = end
    rows, own_shapes, own_ids = zip(*sorted(pieces), strict=True) if pieces else ((), (), ())
    digests = [
        found.digests[row * ROW_BYTES : (row + len(own)) * ROW_BYTES]
        for row, own in zip(rows, own_shapes, strict=True)
    ]
    return KnownRows(*map(b"".join, (digests, own_shapes, own_ids)))
