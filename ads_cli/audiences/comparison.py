"""How a file differs from a list in the account, by the ledger of what was acknowledged."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from struct import iter_unpack
from typing import NamedTuple

import msgspec

from ..errors import StateError
from ..uploads.upload import Batches
from .identifiers import IDENTIFIERS
from .ledger import Ledger, OpenLedger, Trust
from .ledger_log import operations_of
from .ledger_lookup import CREATED, UPDATED
from .ledger_records import NO_TAG, TAG_BYTES, LedgerEntry
from .list_packer import ListPart
from .row_memo import RowMemo, UnfitError

DELETED = "deleted"
MOST_KEPT_BYTES = 64 * 1024 * 1024  # of the JSON of people to be sent

User = dict[str, list[str]]


class Person(NamedTuple):
    """A person of the file, or one to be deleted: these have negative numbers, which no record has."""

    record: int
    user: User
    status: str


@dataclass
class ListDifferences:
    """How a file differs from what the service acknowledged of a list."""

    ledger: OpenLedger
    counts: Counter[str] = field(default_factory=Counter)  # people by what is done with them
    unchanged: int = 0
    missing: int = 0  # people who were acknowledged, and are in no row
    uncounted: int = 0  # of these, people whose first identifier the ledger has no longer
    withheld: str = ""  # why none of them is deleted
    sends_all: bool = False  # since others may be deleted with them

    @property
    def known(self) -> int:
        """Count the people who were acknowledged."""
        return self.ledger.info.people + self.uncounted


class ListComparison:
    """Compares the people of a list with its ledger, for one reading of its file.

    Made before the file is read, it opens the ledger. `add` takes the rows while they are validated;
    `compare` finds the differences once all are; then `additions` and `deletions` yield who is to be sent.
    `compare` raises UnfitError where rows that were passed over are needed: make another that `reads_all`.
    """

    def __init__(self, ledger: Ledger, *, stores_memo: bool, reads_all: bool = False) -> None:
        self._ledger = ledger
        self._opened = ledger.open()
        self._lookup = ledger.lookup(self._opened)
        entries = self._opened.entries
        self.found = ListDifferences(self._opened)

        checksum = self._opened.checksum if self._opened.is_certain and not reads_all else None
        memo = RowMemo(ledger.memo_path, ledger.sealer.key, checksum, entries, stores=stores_memo)
        self.memo = memo if stores_memo or memo.header else None  # else it knows nothing, and will not
        self._coverage = memo.coverage  # the records of the ledger that rows have

        # Of an empty ledger everybody is new: only a memo needs what workers find, who hash everybody.
        self.view = self._lookup.view if len(entries) or self.memo else None

        self._unchanged_tags = bytearray()  # of people of rows that were read
        self._positions_unsent = set[int]()  # in the ledger: people of rows that are not sent
        self._may_be_anybody = False  # one of these rows, which cannot be read

        # Everybody to be sent: record, status, user as JSON. None where they are too many, where the ledger
        # is empty, or where others are sent too: the file is read again then.
        self._kept: list[tuple[int, str, str]] | None = [] if len(entries) else None
        self._kept_size = 0
        self._deleted: list[list[LedgerEntry]] = []  # of each person the identifiers
        self._affected = set[bytes]()  # tags of people of whom an identifier is deleted

    def add(self, part: ListPart, before: int) -> None:
        """Add what was found of some rows, whose records follow `before` others."""
        compared, counts = part.packed.compared, self.found.counts
        if self.memo and part.found:
            self.memo.add(part.found, part.packed)
            known = self.memo.known(part.found)
            self.found.unchanged += sum(rows for shape, rows in known if not shape.is_left_out)
        elif compared:
            self._coverage.add_rows_beside(array("Q", compared.positions))
        if not compared:
            return
        unsent = array("Q", compared.unsent)
        self._positions_unsent.update(unsent)
        self._coverage.add_rows_beside(unsent)
        self._may_be_anybody |= not compared.unreadable.isdisjoint(
            {*part.packed.problems, *part.packed.partial}
        )
        self._unchanged_tags += compared.tags
        if not len(self._opened.entries):
            counts[CREATED] += compared.people
            return
        self.found.unchanged += compared.people - len(compared.due)
        for row, status, user in compared.due:
            counts[status] += 1
            if self._kept is not None:
                self._kept.append((before + part.records[row], status, user))
                self._kept_size += len(user)
        if self._kept_size > MOST_KEPT_BYTES:
            self._kept, self._kept_size = None, 0

    def compare(self, valid: int, *, prune: bool) -> ListDifferences:
        """Find whom to add, and with `prune` whom to delete, once all rows are added, `valid` ones in all."""
        found = self.found
        if self.memo:
            self.memo.end()
        if self.view is None:
            found.counts[CREATED] = valid
        if found.counts.total() + found.unchanged != valid:  # workers cannot open a replaced ledger
            raise StateError(
                "another run has replaced what is remembered of this list", hint="run this again"
            )
        missing, positions = self._find_missing()
        found.missing = len(missing)
        found.uncounted = sum(not any(each.is_head for each in entries) for entries in missing.values())
        found.withheld = self._why_withheld()
        if prune and missing and not found.withheld:
            self._delete([*missing.values()], positions)
        found.counts = Counter({name: count for name, count in found.counts.items() if count})
        return found

    def _find_missing(self) -> "tuple[dict[bytes, list[LedgerEntry]], array[int]]":
        """Find the people of the ledger who are in no row: by person the records, and their positions."""
        index = self._opened.entries.in_order()
        tags_unsent = {index.entry(position).tag for position in sorted(self._positions_unsent)} - {NO_TAG}
        missing: dict[bytes, list[LedgerEntry]] = {}
        positions = array("Q")
        for position in self._coverage.missing():
            entry = index.entry(position)
            if entry.tag not in tags_unsent:
                person = entry.digest if entry.tag == NO_TAG else entry.tag
                missing.setdefault(person, []).append(entry)
                positions.append(position)
        return missing, positions

    def _why_withheld(self) -> str:
        """Say why nobody may be deleted; empty where people may."""
        if self._opened.trust is not Trust.FULL:
            return self._opened.reason or "this machine has no ledger of this list"
        if self._may_be_anybody:
            return "rows cannot be read, and the people of these rows may be among those who are in no other"
        return ""

    def _delete(self, people: list[list[LedgerEntry]], positions: "array[int]") -> None:
        """Delete people, and send again who is deleted with them, as far as they are in the file."""
        found = self.found
        self._deleted = people
        self._coverage.remove(positions)
        found.counts[DELETED] = len(people)
        found.sends_all = self._opened.info.links_unknown
        self._affected = {entry.tag for entries in people for entry in entries} - {NO_TAG}
        if self.memo and self.memo.header:
            affected = self._opened.entries.in_order().tagged(self._affected)
            if any(map(self._coverage.is_known_unread, affected)):
                raise UnfitError("somebody who has to be sent again is in a row that was not read")
        again = found.unchanged
        if not found.sends_all:
            tags = iter_unpack(f"{TAG_BYTES}s", self._unchanged_tags) if self._affected else ()
            again = sum(tag in self._affected for (tag,) in tags)
        found.counts[UPDATED] += again
        found.unchanged -= again
        if again:
            self._kept = None  # it has only those who differ

    def store_memo(self, batch_count: int, people: int, written: OpenLedger | None) -> None:
        """Store what is known of the rows, now that all `people` were sent and a ledger was written."""
        if self.memo and written and written.is_certain:
            self.memo.store(written.checksum, written.entries, batch_count, people)

    def close(self) -> None:
        """Give up what was not stored."""
        if self.memo:
            self.memo.close()

    def deletions(self) -> Iterator[Person]:
        """Yield the people to delete, under the identifiers that no row has."""
        value, sealer = self._opened.value, self._ledger.sealer
        for number, entries in enumerate(self._deleted, 1):
            user: User = {}
            for entry in entries:
                found = value(sealer, entry.kind, entry.digest, entry.rest)
                user.setdefault(IDENTIFIERS[entry.kind], []).append(found)
            yield Person(-number, user, DELETED)

    def additions(self, batches: Batches) -> Iterator[Person]:
        """Yield the people to add, or to send again; where they are many, from the `batches` of the file."""
        if self._kept is not None:
            for record, status, text in self._kept:
                yield Person(record, msgspec.json.decode(text), status)
            return
        for operations in chain.from_iterable(batch.items for batch in batches):
            users = chain.from_iterable(each.params.users for each in operations_of(operations))
            for record, user in zip(operations.rows, users, strict=True):
                status, tag = self._lookup.status(user)
                if status or self.found.sends_all or tag in self._affected:
                    yield Person(record, user, status or UPDATED)
