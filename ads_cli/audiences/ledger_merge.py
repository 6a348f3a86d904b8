"""Merge the logs of jobs into the records of a ledger.

The service keeps somebody under all identifiers that were ever sent together, and removes somebody by any of
them. So identifiers that were sent together share a tag, people whose tags meet become one, and where one
identifier is removed the others are uncertain until they are acknowledged again.
"""

from collections.abc import Collection, Iterator, Sequence
from struct import iter_unpack
from typing import NamedTuple

from .ledger_log import Log, SentUsers
from .ledger_records import (
    HALF,
    MAX_MONTH,
    NO_TAG,
    PLAIN_BYTES,
    RECORD_BYTES,
    TAG_BYTES,
    UNCERTAIN,
    LedgerEntry,
    LedgerIndex,
)

BEFORE = -1  # when the records of the ledger were written
NEVER = 1 << 62
STEP_BYTES = 4


class LedgerPart(NamedTuple):
    """Records that follow one another in the file, and what they add to its counts."""

    data: bytes
    identifiers: int
    people: int
    uncertain: int
    until: int  # no record ends before this month


class Merged(NamedTuple):
    """What a ledger becomes; `records` can be read once."""

    records: Iterator[LedgerPart]
    texts: dict[bytes, bytes]
    tagged: bool
    changes: bool  # whether anything was acknowledged
    is_whole: bool  # whether every log could be read to its end


class _Change(NamedTuple):
    """What the logs say of an identifier at last."""

    entry: LedgerEntry | None  # None: it was removed
    step: int


def merge_logs(
    index: LedgerIndex, texts: dict[bytes, bytes], logs: Sequence[Log], *, is_known: bool
) -> Merged:
    """Merge logs, the oldest first; unless the ledger `is_known` to be current, it becomes uncertain."""
    return _Merge(index, texts, is_known=is_known).run(logs)


class _Merge:
    """One merge."""

    def __init__(self, index: LedgerIndex, texts: dict[bytes, bytes], *, is_known: bool) -> None:
        self._index, self._texts, self._is_known = index, dict(texts), is_known
        self._noted = [bytearray() for _ in range(256)]  # step, whether it removes, record; by first byte
        self._ends: list[int] = []  # the step at which a batch was acknowledged, by the step of its sending
        self._rejected: dict[int, set[bytes]] = {}
        self._has_tags = index.width == RECORD_BYTES
        self._roots: dict[bytes, bytes] = {}  # tags that were found to be of one person
        self._removes = False  # whether anybody is removed
        self._removed: dict[bytes, int] = {}  # the step of the last removal, by tag

    def run(self, logs: Sequence[Log]) -> Merged:
        """Read the logs, and decide what becomes of each identifier that they name."""
        is_whole = self._read(logs)
        for number in range(256) if self._removes and self._has_tags else ():
            self._find_removed(number)
        for number in range(256) if self._has_tags else ():
            self._decide(number)  # which tags are of one person; what it returns would fill the memory
        for tag, step in [*self._removed.items()]:
            root = self._root(tag)
            self._removed[root] = max(self._removed.get(root, BEFORE), step)
        has_tags = self._has_tags
        changes = any(end != NEVER for end in self._ends)
        parts = (self._part(number, tagged=has_tags) for number in range(256))
        return Merged(parts, self._texts, has_tags, changes, is_whole)

    def _read(self, logs: Sequence[Log]) -> bool:
        is_whole = True
        for log in logs:
            batches: dict[int, int] = {}  # step of their sending
            try:
                for frame in log.frames():
                    step = len(self._ends)
                    self._ends.append(NEVER)
                    if isinstance(frame, SentUsers):
                        batches[frame.batch] = step
                        self._texts |= frame.texts
                        self._note(frame.updates, step, removes=False)
                        self._note(frame.deletes, step, removes=True)
                        self._removes |= bool(frame.deletes)
                    elif (sent := batches.get(frame.batch)) is not None:
                        self._ends[sent] = step
                        digests = range(0, len(frame.rejected), HALF)
                        self._rejected[sent] = {frame.rejected[at : at + HALF] for at in digests}
            except ValueError:
                is_whole = False
        return is_whole

    def _note(self, records: bytes, step: int, *, removes: bool) -> None:
        start = step.to_bytes(STEP_BYTES) + bytes([removes])
        for at in range(0, len(records), RECORD_BYTES):
            record = records[at : at + RECORD_BYTES]
            self._noted[record[0]] += start + record
            self._has_tags = self._has_tags or record[PLAIN_BYTES:] != NO_TAG

    def _find_removed(self, number: int) -> None:
        """Find the tags of identifiers that are removed."""
        noted, size = bytes(self._noted[number]), STEP_BYTES + 1 + RECORD_BYTES
        tags: dict[bytes, set[bytes]] = {}
        for at in range(0, len(noted), size):
            step, removes = int.from_bytes(noted[at : at + STEP_BYTES]), noted[at + STEP_BYTES]
            entry = LedgerEntry.decode(noted[at + STEP_BYTES + 1 : at + size])
            digest = entry.digest
            if digest in self._rejected.get(step, ()):
                continue
            if digest not in tags:
                position = self._index.find(digest)
                tags[digest] = {self._index.entry(position).tag} if position >= 0 else set()
            tags[digest].add(entry.tag)
            for tag in tags[digest] - {NO_TAG} if removes else ():
                self._removed[tag] = max(self._removed.get(tag, BEFORE), step)

    def _decide(self, number: int) -> dict[bytes, _Change]:
        """Decide what becomes of the identifiers whose digests begin with a byte."""
        noted, size = bytes(self._noted[number]), STEP_BYTES + 1 + RECORD_BYTES
        found: dict[bytes, _Change] = {}
        last: dict[bytes, tuple[int, bool]] = {}  # the step that names it last, and whether that removes it
        for at in range(0, len(noted), size):
            step, removes = int.from_bytes(noted[at : at + STEP_BYTES]), bool(noted[at + STEP_BYTES])
            entry = LedgerEntry.decode(noted[at + STEP_BYTES + 1 : at + size])
            digest, end = entry.digest, self._ends[step]
            if digest in self._rejected.get(step, ()):
                continue
            before = found.get(digest)
            if before is None:
                position = self._index.find(digest)
                known = self._index.entry(position) if position >= 0 else None
                before = _Change(known, BEFORE)
            is_certain = end != NEVER and not self._meets(last.get(digest), step, removes=removes)
            last[digest] = step, removes
            old_tag = before.entry.tag if before.entry else NO_TAG
            if removes:
                after = None if is_certain else entry._replace(uncertain=True, tag=old_tag)
                found[digest] = _Change(after, step)
                continue
            if old_tag not in (NO_TAG, entry.tag) and self._removed.get(old_tag, BEFORE) <= before.step:
                if entry.tag == NO_TAG:
                    entry = entry._replace(tag=old_tag)
                else:
                    self._join(old_tag, entry.tag)
            found[digest] = _Change(entry._replace(uncertain=not is_certain), step)
        return found

    def _plain_changes(self, number: int) -> tuple[dict[bytes, bytes], set[bytes]]:
        """Return the new records and the removed digests, where nobody has several identifiers."""
        noted, size = bytes(self._noted[number]), STEP_BYTES + 1 + RECORD_BYTES
        new: dict[bytes, bytes] = {}
        removed = set[bytes]()
        last: dict[bytes, tuple[int, bool]] = {}  # the step that names it last, and whether that removes it
        for at in range(0, len(noted), size):
            step, removes = int.from_bytes(noted[at : at + STEP_BYTES]), bool(noted[at + STEP_BYTES])
            record = noted[at + STEP_BYTES + 1 : at + size]
            digest = record[:HALF]
            if digest in self._rejected.get(step, ()):
                continue
            is_certain = self._ends[step] != NEVER and not self._meets(
                last.get(digest), step, removes=removes
            )
            last[digest] = step, removes
            if removes and is_certain:
                new.pop(digest, None)
                removed.add(digest)
                self._texts.pop(digest, None)
                continue
            removed.discard(digest)
            new[digest] = (
                record if is_certain else LedgerEntry.decode(record)._replace(uncertain=True).encode()
            )
        return new, removed

    def _meets(self, earlier: tuple[int, bool] | None, step: int, *, removes: bool) -> bool:
        """Tell whether two requests did the opposite at once: nobody knows which was applied last."""
        return earlier is not None and earlier[1] != removes and self._ends[earlier[0]] >= step

    def _join(self, one: bytes, other: bytes) -> None:
        one, other = self._root(one), self._root(other)
        if one != other:
            self._roots[max(one, other)] = min(one, other)

    def _root(self, tag: bytes) -> bytes:
        while tag in self._roots:
            tag = self._roots[tag]
        return tag

    def _part(self, number: int, *, tagged: bool) -> LedgerPart:
        """Return the records whose digests begin with a byte."""
        index = self._index
        is_plain = self._is_known and not self._has_tags
        added, removed = self._plain_changes(number) if is_plain else ({}, set[bytes]())
        changed = {} if is_plain else self._decide(number)
        is_moved = bool(self._roots or self._removed) and index.width == RECORD_BYTES
        if not self._is_known or tagged != (index.width == RECORD_BYTES):
            records = {record[:HALF]: record for record in index.records(number)}
        else:
            if not (is_moved or changed or added or removed):
                return _counted(index.part(number), tagged=tagged)
            records = self._touched(number) if is_moved else {}
        if is_moved or not self._is_known:
            for digest, record in records.items():
                entry = self._settled(LedgerEntry.decode(record), BEFORE)
                records[digest] = (entry if self._is_known else entry._replace(uncertain=True)).encode()
        for digest, change in changed.items():
            if change.entry:
                records[digest] = self._settled(change.entry, change.step).encode()
            else:
                removed.add(digest)
                records.pop(digest, None)
                self._texts.pop(digest, None)
        records |= added
        width = RECORD_BYTES if tagged else PLAIN_BYTES
        new = {digest: record[:width] for digest, record in records.items()}
        if self._is_known and width == index.width:
            return _counted(self._spliced(number, new, removed), tagged=tagged)
        return _counted(b"".join(new[digest] for digest in sorted(new)), tagged=tagged)

    def _spliced(self, number: int, new: dict[bytes, bytes], removed: Collection[bytes]) -> bytes:
        """Return the records that begin with a byte, with some replaced, inserted or removed."""
        data, begin, parts, done = self._index.part(number), self._index.begin_of(number), [], 0
        for digest in sorted(new.keys() | removed):
            at, is_there = self._index.place(digest)
            parts += [data[done : at - begin], new.get(digest, b"")]
            done = at - begin + self._index.width * is_there
        return b"".join([*parts, data[done:]])

    def _touched(self, number: int) -> dict[bytes, bytes]:
        """Return the records that begin with a byte and have a tag that was removed or joined."""
        tags = self._roots.keys() | self._removed.keys()
        records = self._index.records(number)
        return {record[:HALF]: record for record in records if record[PLAIN_BYTES:] in tags}

    def _settled(self, entry: LedgerEntry, step: int) -> LedgerEntry:
        """Return an entry with the tag of its person, uncertain where that was removed later."""
        if entry.tag == NO_TAG:
            return entry
        tag = self._root(entry.tag)
        removed = max(self._removed.get(each, BEFORE) for each in (tag, entry.tag)) > step
        return entry._replace(tag=tag, uncertain=entry.uncertain or removed)


MONTH_BITS = bytes(byte & MAX_MONTH >> 8 for byte in range(256))
IS_UNCERTAIN = bytes(bool(byte & UNCERTAIN >> 8) for byte in range(256))


def _counted(data: bytes, *, tagged: bool) -> LedgerPart:
    """Return records with what they add to the counts of a ledger."""
    width = RECORD_BYTES if tagged else PLAIN_BYTES
    count = len(data) // width
    uncertain = data[2 * HALF :: width].translate(IS_UNCERTAIN).count(1)
    people = count
    if tagged:
        heads = iter_unpack(f"{TAG_BYTES}s{PLAIN_BYTES - TAG_BYTES}x{TAG_BYTES}s", data)
        people = sum(tag in (start, NO_TAG) for start, tag in heads)
    return LedgerPart(
        data, count, people, uncertain, _earliest(data[2 * HALF :: width], data[2 * HALF + 1 :: width])
    )


def _earliest(highs: bytes, lows: bytes) -> int:
    """Return the earliest month of meta bytes."""
    if not highs:
        return MAX_MONTH
    months = highs.translate(MONTH_BITS)
    if months.count(months[0]) == len(months):
        return months[0] << 8 | min(lows)
    return min(high << 8 | low for high, low in zip(months, lows, strict=True))
