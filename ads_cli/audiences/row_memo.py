"""What the last sync of a list knows of its file's rows, so that the next one reads only those that are new.

A file beside the ledger (see `memo_file`): of each row a hash, which identifiers it has, and the beginnings
of their digests (ids), by which the ledger finds them. It is a cache. It counts only for the very ledger that
it was stored with, and only for rows that are read in the same way: their hashes depend on that. Rows with
findings are never in it. What it says of people holds once a sync has sent everybody:

- who is in a row of it is on the list, for sure, under all identifiers of that row;
- a record of the ledger is of such a row, of several (`repeated`), or of none (`others`).
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from struct import iter_unpack
from typing import TYPE_CHECKING

from ..errors import AdsctlError
from ..feeds.rows import Block
from .ledger_file import LedgerIndex
from .ledger_records import ID_BYTES
from .memo_file import KnownRowReader, KnownRows, MemoHeader, MemoWriter, counted_shapes, read_memo
from .row_shapes import FAR_ROWS, NO_SHAPE, ROW_BYTES, FoundRows, RowHash, RowShape, common_runs

if TYPE_CHECKING:
    from .packing import PackedRows

MOST_SHAPES = NO_SHAPE  # the numbers below that of none
MOST_OTHERS = 4  # one record in so many: of a list with more, nothing is stored
MOST_SORTED_BYTES = 1024 * 1024

MANY = 255  # rows, or more, that have one record
# Of a record: whether a row has it that is not in the memo, or one that was read now, or its person is
# removed.
BESIDE, REREAD, REMOVED = 1, 2, 4
IS_REMOVED = bytes(bool(value & REMOVED) for value in range(256))
IS_REPEATED = bytes(count > 1 for count in range(256))


class UnfitError(Exception):
    """The memo cannot tell what is asked: the file has to be read whole."""


class Coverage:
    """Which records of a ledger the rows of a file have, those in the memo and those beside it.

    The rows in the memo are at first those that were stored (`assume`). Those that left the file are removed
    and those that were read are added, so that in the end they are those that the next sync will know.
    """

    def __init__(self, index: LedgerIndex) -> None:
        self.index = index
        size = len(index) + 1  # the last one stands for identifiers that it does not have
        self._rows = bytearray(size)  # how many rows in the memo have a record, up to MANY
        self._flags = bytearray(size)

    def assume(self, header: MemoHeader) -> None:
        """Begin with the rows of a memo: one for each record, unless it says otherwise."""
        self._rows = bytearray([1]) * len(self.index) + bytearray(1)
        index = self.index.in_order()
        for id_, count in sorted(header.repeated.items()):
            self._rows[_position(index, id_)] = min(count, MANY)
        for id_ in _sorted_ids(header.others):
            self._rows[_position(index, id_)] = 0

    def add_rows(self, positions: Sequence[int]) -> None:
        """Note the records of rows that were read and are in the memo."""
        rows, flags = self._rows, self._flags
        for position in positions:
            if (count := rows[position]) < MANY:
                rows[position] = count + 1
            flags[position] |= REREAD

    def add_rows_beside(self, positions: Sequence[int]) -> None:
        """Note the records of rows that were read and are not in the memo."""
        for position in positions:
            self._flags[position] |= BESIDE

    def remove_rows(self, ids: bytes | bytearray) -> None:
        """Note that rows of the memo are in the file no longer."""
        index = self.index.in_order()
        for id_ in _sorted_ids(ids):
            position = _position(index, id_)
            if not 0 < self._rows[position] < MANY:
                raise UnfitError("it is not known how many rows have a record")
            self._rows[position] -= 1

    def remove(self, positions: Iterable[int]) -> None:
        """Note that the people of some records are removed: these will be gone from the ledger."""
        for position in positions:
            self._flags[position] = REMOVED

    def is_known_unread(self, position: int) -> bool:
        """Tell whether a row that was not read may have a record."""
        return self._rows[position] > bool(self._flags[position] & REREAD)

    def missing(self) -> Iterator[int]:
        """Yield the records that no row has, but for those that are removed."""
        return _places(_united(self._rows, self._flags), 0, len(self.index))

    def others(self) -> Iterator[int]:
        """Yield the records that no row in the memo has, but for those that are removed."""
        return _places(_united(self._rows, self._flags.translate(IS_REMOVED)), 0, len(self.index))

    def repeated(self) -> Iterator[tuple[int, int]]:
        """Yield the records that several rows in the memo have, and how many."""
        places = _places(self._rows.translate(IS_REPEATED), 1, len(self.index))
        return ((position, self._rows[position]) for position in places)

    def count_covered(self) -> int:
        """Count the records that rows in the memo have."""
        return len(self.index) - self._rows.count(0, 0, len(self.index))


def _united(one: bytearray, other: bytearray) -> bytes:
    """Return bytes that are 0 where both are."""
    return (int.from_bytes(one) | int.from_bytes(other)).to_bytes(len(one))


def _places(values: bytes | bytearray, value: int, end: int) -> Iterator[int]:
    """Yield where a value is before the end."""
    place = -1
    while (place := values.find(value, place + 1, end)) >= 0:
        yield place


class RowMemo:
    """The memo of a list while its file is compared: what was known before, and what will be known then.

    `reduce` takes the blocks of the file in their order, ahead of those that are packed. Of each block in the
    same order, `forget` takes back that its rows are known where they prove to be none, and `add` takes those
    that were read. `end` follows the last block: only then `coverage` is complete, which tells who is
    missing and is told who is removed. `store` follows once everybody was sent; `close` ends it in any case.

    `ledger` is the checksum of one that is certain, None of another one; `index` has its records.
    """

    def __init__(
        self, path: Path, key: bytes, ledger: bytes | None, index: LedgerIndex, *, stores: bool
    ) -> None:
        self.key = key
        self.coverage = Coverage(index)
        self.header: MemoHeader | None = None  # of what was known before
        self._shapes: dict[RowShape, int] = {}
        self._old = KnownRowReader(iter(()), [])
        self._gone = bytearray()  # ids of known rows that are in the file no longer
        self._created = bytearray()  # ids in the memo that the ledger does not have yet
        self._others = bytearray()  # those of rows that are not in it
        self._writer: MemoWriter | None = None  # None too once it could not be written: it is a cache
        if stores:
            with suppress(OSError):
                self._writer = MemoWriter(path, key)
        stored = read_memo(path, key) if ledger else None
        if not stored or stored.header.ledger != ledger:
            return
        try:
            self.coverage.assume(stored.header)
        except UnfitError:
            self.coverage = Coverage(index)
        else:
            self.header = stored.header
            self._old = KnownRowReader(stored.segments, stored.header.shapes)
            self._add_shapes(stored.header.shapes)

    # The rows that are known

    def reduce(self, hash_: RowHash, block: Block) -> tuple[FoundRows, Block]:
        """Return the rows of the next block, and those of them that have to be read as a block."""
        lines = block.data.removesuffix(b"\n").split(b"\n")
        found = self._find(block, hash_.rows(block.data, lines))
        if found.unknown is None:
            return found, block
        return found, Block(block.line, b"".join([lines[row] + b"\n" for row in found.unknown]))

    def _find(self, block: Block, digests: bytes) -> FoundRows:
        old = self._old
        old.read_ahead(len(digests) // ROW_BYTES + FAR_ROWS)
        runs, unknown, done = list[tuple[int, bytes, bytes]](), list[int](), 0
        for row, old_row, length in common_runs(digests, old.digests, old.at):
            if old_row > old.at:
                self._gone += old.take(old_row - old.at)[1]
            runs.append((row, *old.take(length)))
            unknown += range(done, row)
            done = row + length
        if not runs:
            return FoundRows(block, digests, None)
        unknown += range(done, len(digests) // ROW_BYTES)
        known = counted_shapes(b"".join([shapes for _, shapes, _ in runs]))
        return FoundRows(block, digests, unknown, runs, known)

    def forget(self, found: FoundRows) -> FoundRows:
        """Return the rows of a block as those that have to be read, all of them."""
        for _, _, ids in found.runs:
            self._gone += ids
        return FoundRows(found.block, b"", None)

    def end(self) -> None:
        """Note that the rows that were not reached are in the file no longer."""
        self._old.read_ahead(FAR_ROWS)
        while left := self._old.left:
            self._gone += self._old.take(left)[1]
            self._old.read_ahead(FAR_ROWS)
        self.coverage.remove_rows(self._gone)

    def known(self, found: FoundRows) -> Iterator[tuple[RowShape, int]]:
        """Yield the shapes of the known rows of a block, and how many have each."""
        shapes = [*self._shapes]
        return ((shapes[number], count) for number, count in found.known.items())

    def requests_of(self, people: int, read: int) -> int:
        """Estimate the requests that people need: of a file that was read whole there are `read`."""
        if self.header is None or not self.header.people:
            return read
        return -(-self.header.requests * people // self.header.people)

    # The rows that will be known

    def add(self, found: FoundRows, packed: "PackedRows") -> None:
        """Take the rows of a block that were read.

        `counts` has each of them, 0 where it is not sent; ids and positions follow one another in order.
        """
        compared, shaped = packed.compared, packed.shaped
        if not (compared and shaped):
            self._store(_merged(found, b"", b"", ()))
            return
        ids, counts, positions = compared.ids, compared.counts, array("Q", compared.positions)
        shapes = shaped.numbers.translate(self._numbers(shaped.shapes))
        if not found.digests:
            shapes = bytes([NO_SHAPE]) * len(counts)
        nowhere = len(self.coverage.index)
        for is_out, begin, end in _identifier_runs(shapes, counts):
            new_ids = self._others if is_out else self._created
            if not nowhere:  # without a ledger all are new
                new_ids += ids[ID_BYTES * begin : ID_BYTES * end]
                continue
            add = self.coverage.add_rows_beside if is_out else self.coverage.add_rows
            add(positions[begin:end])
            new = [at for at in range(begin, end) if positions[at] == nowhere]
            new_ids += b"".join([ids[ID_BYTES * at : ID_BYTES * (at + 1)] for at in new])
        self._store(_merged(found, shapes, ids, counts))

    def _numbers(self, own: list[RowShape]) -> bytes:
        """Return the number of each shape of a block."""
        self._add_shapes(own)
        numbers = bytes(self._shapes.get(shape, NO_SHAPE) for shape in own)
        return numbers + bytes([NO_SHAPE]) * (256 - len(numbers))

    def _add_shapes(self, shapes: Iterable[RowShape]) -> None:
        for shape in shapes:
            if len(self._shapes) < MOST_SHAPES:
                self._shapes.setdefault(shape, len(self._shapes))

    def _store(self, segment: KnownRows) -> None:
        try:
            if self._writer:
                self._writer.add(segment)
        except OSError:
            self.close()
            self._writer = None

    def store(self, ledger: bytes, index: LedgerIndex, requests: int, people: int) -> None:
        """Store what is known now that everybody was sent, where the ledger agrees."""
        if self._writer and (header := self._new_header(ledger, index, requests, people)):
            with suppress(OSError, AdsctlError):
                self._writer.store(header)

    def _new_header(self, ledger: bytes, index: LedgerIndex, requests: int, people: int) -> MemoHeader | None:
        """Describe what is known of the records of a new ledger; None where it is not known of each.

        Each is of a row in the memo and was in the ledger before, or is one of `others`, or it was created
        for a row in the memo.
        """
        coverage = self.coverage
        if (others := self._ids_of_others(index.in_order())) is None:
            return None
        created = self._repeated_created(len(index) - coverage.count_covered() - len(others))
        if created is None:
            return None
        before = coverage.index.in_order()
        known = {before.entry(at).digest[:ID_BYTES]: count for at, count in coverage.repeated()}
        return MemoHeader(
            ledger=ledger,
            shapes=[*self._shapes],
            repeated=known | created,
            others=b"".join(others),
            requests=requests,
            people=people,
        )

    def _ids_of_others(self, index: LedgerIndex) -> set[bytes] | None:
        """Return the ids of the records of a new ledger that no row in the memo has; None for too many."""
        before, others = self.coverage.index.in_order(), set[bytes]()
        for at in self.coverage.others():
            if len(others) * MOST_OTHERS > len(before):
                return None
            if index.find(digest := before.entry(at).digest) >= 0:
                others.add(digest[:ID_BYTES])
        others.update(id_ for id_ in _sorted_ids(self._others) if index.find(id_) >= 0)
        return others

    def _repeated_created(self, created: int) -> dict[bytes, int] | None:
        """Count the rows of new records that several rows have; None unless `created` records are new."""
        if created * ID_BYTES == len(self._created):  # each is of one row
            return {}
        repeated: dict[bytes, int] = {}
        for id_, same in groupby(_sorted_ids(self._created)):
            created -= 1
            if (count := len([*same])) > 1:
                repeated[id_] = count
        return None if created else repeated

    def close(self) -> None:
        """Give up what was not stored."""
        if self._writer:
            self._writer.close()


def _position(index: LedgerIndex, id_: bytes) -> int:
    position = index.find_only(id_)
    if position < 0:
        raise UnfitError
    return position


def _sorted_ids(joined: bytes | bytearray) -> Iterator[bytes]:
    """Yield ids in their order. They are sorted in parts: as objects they take eight times the memory."""
    count = min(len(joined) // MOST_SORTED_BYTES + 1, 256)
    parts = [bytearray() for _ in range(count)]  # by the first byte
    for (id_,) in iter_unpack(f"{ID_BYTES}s", joined):
        parts[id_[0] * count >> 8] += id_
    for part in parts:
        yield from sorted(id_ for (id_,) in iter_unpack(f"{ID_BYTES}s", part))


def _identifier_runs(shapes: bytes, counts: Sequence[int]) -> Iterator[tuple[bool, int, int]]:
    """Yield where the identifiers begin and end of rows in a row that are all in the memo, or all are not."""
    row = begin = 0
    for is_out, run in groupby(shapes, NO_SHAPE.__eq__):
        end_row = row + len([*run])
        end = begin + sum(counts[row:end_row])
        yield is_out, begin, end
        row, begin = end_row, end


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
