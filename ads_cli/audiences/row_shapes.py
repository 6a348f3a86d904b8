"""By what a row of a list is known again, and what it adds to the counts of a report."""

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from itertools import compress, count, islice
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from ..feeds.rows import Block
from .columns import BETWEEN, MAY_BE_SEVERAL, EncodedColumn

ROW_BYTES = 8  # by which a row is known again
HALF_BYTES = array("I").itemsize
LEAST_WINDOW, MOST_WINDOW = 128, 2048  # rows that are compared at once
NEAR_ROWS, FAR_ROWS = 32, 1 << 16  # among which a row is sought that does not follow
NO_SHAPE = 255  # of a row that is to be read again each time
QUOTE, RETURN, NEWLINE = b'"', b"\r", b"\n"
# What a row has of an identifier. UNKNOWN: perhaps several values, or a placeholder; it is read each time.
NONE, RAW, HASHED, UNKNOWN = range(4)


class RowShape(NamedTuple):
    """What a row without findings adds to the counts of a report (`ListReport.add_known`).

    Memos store it as an array: a new field comes last, and has a default.
    """

    raw: tuple[str, ...] = ()  # its identifiers that are not hashed
    hashed: tuple[str, ...] = ()
    is_left_out: bool = False
    answers: tuple[tuple[str, str], ...] = ()  # by column

    @property
    def identifier_count(self) -> int:
        """Count its identifiers."""
        return len(self.raw) + len(self.hashed)


class ShapedRows(NamedTuple):
    """The shape of each row of a block."""

    shapes: list[RowShape]
    numbers: bytes  # of each row among these; NO_SHAPE where it has none

    def without(self, rows: Iterable[int]) -> "ShapedRows":
        """Return these where some rows have no shape, and are read each time."""
        numbers = bytearray(self.numbers)
        for row in rows:
            numbers[row] = NO_SHAPE
        return self._replace(numbers=bytes(numbers))


class FoundRows(NamedTuple):
    """The rows of a block, and which of them are known: only where each row is a line.

    Rows are numbered from 0 in the block.
    """

    block: Block
    digests: bytes  # of all rows; empty where a row may be more than a line
    unknown: Sequence[int] | None  # those to be read; None: all, and no row is known
    runs: Sequence[tuple[int, bytes, bytes]] = ()  # the first of some known rows, their shapes and ids
    known: Mapping[int, int] = {}  # how many rows are known, by shape

    @property
    def rows(self) -> int:
        """Count the rows."""
        return len(self.digests) // ROW_BYTES

    def of_lines(self, rows: int) -> "FoundRows":
        """Return these without digests where the block has not `rows` lines, as many as were read."""
        is_as_read = self.unknown is not None or self.rows == rows
        return self if is_as_read else self._replace(digests=b"")


class RowHash(NamedTuple):
    """Tells rows apart by what they leave when they are divided by two secret primes.

    That is much faster than a digest, but linear: what it returns has to be sealed where it is stored.
    """

    primes: tuple[int, int]
    reading: bytes  # stands for how rows are read: where that differs, no row is equal

    @classmethod
    def of_key(cls, key: bytes, reading: bytes) -> "RowHash":
        """Return the hash of a key."""
        one, other = islice(_secret_primes(key), 2)
        return cls((one, other), reading)

    def rows(self, data: bytes, lines: Sequence[bytes]) -> bytes:
        """Return ROW_BYTES for each of the lines of a text; nothing where one may be no row."""
        if b"\0" in data:  # which at its beginning does not change a number
            return b""
        if QUOTE in data and any(line.count(QUOTE) % 2 for line in lines):
            return b""
        if RETURN in data and data.count(RETURN) != data.count(RETURN + NEWLINE) + data.endswith(RETURN):
            return b""
        numbers = [*map(int.from_bytes, lines)]
        joined = bytearray(len(lines) * ROW_BYTES)
        for first, prime in zip((0, HALF_BYTES), self.primes, strict=True):
            # All bytes of the rests count: of rows that differ in one digit some may be equal.
            rests = array("I", [number % prime for number in numbers]).tobytes()
            for at in range(HALF_BYTES):
                mask = _xor(self.reading[first + at])
                joined[first + at :: ROW_BYTES] = rests[at::HALF_BYTES].translate(mask)
        return bytes(joined)


@lru_cache(256)
def _xor(value: int) -> bytes:
    return bytes(byte ^ value for byte in range(256))


def _secret_primes(key: bytes) -> Iterator[int]:
    """Yield primes between 2^29 and 2^30, which Python divides by at once."""
    for number in count():
        drawn = blake2b(number.to_bytes(8), key=key, person=b"row hash", digest_size=4).digest()
        candidate = int.from_bytes(drawn) >> 3 | 1 << 29 | 1
        # The test of Miller and Rabin with these bases is exact below 2^32.
        odd, twos = candidate - 1, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        if all(
            pow(base, odd, candidate) == 1
            or any(pow(base, odd << at, candidate) == candidate - 1 for at in range(twos))
            for base in (2, 7, 61)
        ):
            yield candidate


@cache
def versions() -> str:
    """Tell what reads and normalizes values, by the files that do, from any other version of it.

    Of other packages `__version__` alone tells, which a change there has to raise.
    """
    files = sorted(path for path in Path(__file__).parent.iterdir() if path.is_file())
    specs = [find_spec(name) for name in ("idna", "phonenumbers")]
    files += [Path(spec.origin) for spec in specs if spec and spec.origin]
    stats = [file.stat() for file in files]
    return " ".join([__version__, sys.version, *(f"{stat.st_size} {stat.st_mtime_ns}" for stat in stats)])


@lru_cache(4)
def reading_of(*settings: Any) -> bytes:
    """Return what stands for how rows are read."""
    return blake2b(
        repr((versions(), settings)).encode("utf-8", "surrogatepass"), digest_size=ROW_BYTES
    ).digest()


def common_runs(new: bytes, old: bytes, old_at: int) -> Iterator[tuple[int, int, int]]:
    """Yield where equal rows begin in both, and how many follow; `old_at` is the first that counts.

    Both are compared a window at a time, as long as single rows differ. Where two rows in a row do, others
    were inserted or removed, and the first of them is sought further on.
    """
    i, j, end, old_end = 0, old_at, len(new) // ROW_BYTES, len(old) // ROW_BYTES
    window, skip = LEAST_WINDOW, NEAR_ROWS
    # New rows before `i` were yielded or are unknown, old rows before `j` were passed.
    while (rows := min(window, end - i, old_end - j)) > 0:
        done = 0  # rows of the window
        for row in (*_differing(new, i, old, j, rows), rows):
            if row > done:
                yield i + done, j + done, row - done
            elif row:
                i, j, window = i + row - 1, j + row - 1, LEAST_WINDOW
                break
            done = row + 1
        else:
            i, j, window, skip = i + rows, j + rows, min(2 * window, MOST_WINDOW), NEAR_ROWS
            continue
        for at in range(i, min(i + NEAR_ROWS, end)):
            if (found := _find(new, at, 1, old, j, j + NEAR_ROWS)) >= 0:
                i, j = at, found
                break
        else:
            if i + 1 < end and (found := _find(new, i, 2, old, j, old_end)) >= 0:
                j = found
            else:  # inserted rows: they are skipped, more of them each time
                i, skip = i + skip, 2 * skip


def _differing(new: bytes, i: int, old: bytes, j: int, rows: int) -> Iterable[int]:
    """Return which of so many rows from two positions on are not equal."""
    size = rows * ROW_BYTES
    one, other = new[i * ROW_BYTES : i * ROW_BYTES + size], old[j * ROW_BYTES : j * ROW_BYTES + size]
    if one == other:
        return ()
    differences = (int.from_bytes(one) ^ int.from_bytes(other)).to_bytes(size)
    return compress(range(rows), array("Q", differences))


def _find(new: bytes, i: int, rows: int, old: bytes, begin: int, end: int) -> int:
    """Return where so many of the new rows follow one another among old ones; -1 where they do not."""
    sought, at = new[i * ROW_BYTES : (i + rows) * ROW_BYTES], begin * ROW_BYTES
    while (at := old.find(sought, at, end * ROW_BYTES)) >= 0 and at % ROW_BYTES:
        at += 1
    return at // ROW_BYTES


def find_shapes(
    columns: Sequence[EncodedColumn],
    cells: Mapping[str, Sequence[Sequence[Any]]],
    rows: int,
    *,
    answers: Mapping[str, Sequence[str]],
    left_out: Iterable[int],
    findings: Iterable[int],
) -> ShapedRows:
    """Return the shapes of rows; none of those with `findings`.

    `columns` are the identifiers, made of `cells`; `answers` are those in columns of consent.
    """
    kinds = [(column.kind, _kinds_of_values(column, cells[column.kind], rows)) for column in columns]
    answered = [[(name, answer) for answer in found] for name, found in answers.items()]
    shapes: dict[RowShape, int] = {}
    is_uniform = not answered and all(found.count(found[:1]) == rows for _, found in kinds)
    names = [name for name, _ in kinds]
    keys = [*zip(*(found[: 1 if is_uniform else rows] for _, found in kinds), *answered, strict=True)]
    by_key: dict[tuple[Any, ...], int] = {}
    for key in {*keys}:
        values = key[: len(names)]
        raw, hashed = (
            tuple(name for name, value in zip(names, values, strict=True) if value == sought)
            for sought in (RAW, HASHED)
        )
        shape = RowShape(raw, hashed, answers=key[len(names) :])
        is_known = UNKNOWN not in values and shape.identifier_count and len(shapes) < NO_SHAPE
        by_key[key] = shapes.setdefault(shape, len(shapes)) if is_known else NO_SHAPE
    numbers = bytearray(by_key[key] for key in keys)
    if is_uniform:
        numbers *= rows
    out = RowShape(is_left_out=True)
    for row in left_out:
        numbers[row] = shapes.setdefault(out, len(shapes)) if len(shapes) < NO_SHAPE else NO_SHAPE
    for row in findings:
        numbers[row] = NO_SHAPE
    return ShapedRows([*shapes], bytes(numbers))


def _kinds_of_values(column: EncodedColumn, cells: Sequence[Sequence[Any]], rows: int) -> bytes:
    """Return for each row whether it has a value, raw or hashed; UNKNOWN where it may have several."""
    value = HASHED if column.hashed else RAW
    if column.text_size and not column.placeholders and not (column.raw and column.hashed):
        if "" not in column.texts:
            return bytes([value]) * rows
        return bytes(value if text else NONE for text in column.texts)
    if column.raw and column.hashed:
        value = UNKNOWN
    found = bytearray(rows)
    for row, (text, own) in enumerate(zip(column.texts, zip(*cells, strict=True), strict=True)):
        given = [cell for cell in map(str, own) if cell.strip()]
        if not given:
            found[row] = NONE
        elif not text or BETWEEN in text or len(given) > 1 or MAY_BE_SEVERAL.search(given[0]):
            found[row] = UNKNOWN
        else:
            found[row] = value
    return bytes(found)
