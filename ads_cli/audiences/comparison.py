"""How a file differs from a list in the account, by the ledger of what was acknowledged."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import msgspec

from ..errors import StateError
from .identifiers import IDENTIFIERS
from .ledger import Ledger, OpenLedger, Trust
from .ledger_log import operations_of
from .ledger_lookup import CREATED, UPDATED
from .ledger_records import NO_TAG, LedgerEntry
from .list_packer import ListPart
from .plan import ListPlan
from .row_memo import RowMemo, UnfitError

DELETED = "deleted"
MOST_KEPT_BYTES = 64 * 1024 * 1024  # of the JSON of people to be sent

User = dict[str, list[str]]


class Person(NamedTuple):
    """A person of the file, or one to be deleted, whose record number is negative."""

    record: int
    user: User
    status: str


def is_deletion(record: int) -> bool:
    """Whether a record number is that of somebody to be deleted."""
    return record < 0


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
    affected: set[bytes] = field(default_factory=set)  # tags of people of whom an identifier is deleted

    @property
    def known(self) -> int:
        """Count the people who were acknowledged."""
        return self.ledger.info.people + self.uncounted


class ListComparison:
    """Compares the people of a validated list with its ledger.

    `begin` opens the ledger; `add` takes the rows while they are validated; `compare` finds the differences
    once all are; then `additions` and `deletions` yield who is to be sent.
    """

    memo: RowMemo | None = None

    def __init__(self, ledger: Ledger, *, stores: bool) -> None:
        self._ledger = ledger
        self._stores = stores  # what is known of rows then

    def begin(self, *, reads_all: bool = False) -> None:
        """Open the ledger, before the file is read, all of it or only what is not known of it."""
        self.close()
        self._opened = self._ledger.open()
        index, key = self._opened.entries, self._ledger.sealer.key
        checksum = self._opened.checksum if self._opened.is_certain and not reads_all else None
        memo = RowMemo(self._ledger.memo_path, key, checksum, index, stores=self._stores)
        self._coverage = memo.coverage
        if self._stores or memo.header:
            self.memo = memo
        self._lookup = self._ledger.lookup(self._opened)
        # Of an empty ledger everybody is new: nothing needs to be hashed.
        self.view = self._lookup.view if len(index) or self.memo else None
        self._tags = array("Q")  # of people who need not be sent
        self._kept: list[tuple[int, str, str]] = []  # people to be sent: record, status, user as JSON
        self._kept_size, self._keeps_all = 0, bool(len(index))
        self._gone: list[list[LedgerEntry]] = []  # the identifiers of each person that is deleted
        self._spared = set[int]()  # positions of people of rows that are not sent
        self._is_unreadable = False  # whether such a row may be of anybody
        self.found = ListDifferences(self._opened)

    def add(self, part: ListPart, before: int) -> None:
        """Add what was found of some rows, whose records follow `before` others."""
        compared, records, counts = part.packed.compared, part.records, self.found.counts
        if self.memo and part.found:
            self.memo.add(part.found, part.packed)
            known = self.memo.known(part.found)
            self.found.unchanged += sum(rows for shape, rows in known if not shape.is_left_out)
        elif compared:
            self._coverage.see(array("Q", compared.positions))
        if not compared:
            return
        self._spared.update(array("Q", compared.spared))
        self._coverage.see(array("Q", compared.spared))
        self._is_unreadable |= not compared.unreadable.isdisjoint(
            {*part.packed.problems, *part.packed.partial}
        )
        self._tags.frombytes(compared.tags)
        if not len(self._opened.entries):
            counts[CREATED] += compared.people
            return
        self.found.unchanged += compared.people - len(compared.due)
        for row, status, user in compared.due:
            counts[status] += 1
            if self._keeps_all:
                self._kept.append((before + records[row], status, user))
                self._kept_size += len(user)
        if self._kept_size > MOST_KEPT_BYTES:
            self._keeps_all, self._kept, self._kept_size = False, [], 0

    def compare(self, plan: ListPlan, *, prune: bool) -> ListDifferences:
        """Find whom to add, and with `prune` whom to delete, once a plan has read its file."""
        found, tags = self.found, self._tags
        if self.memo:
            self.memo.end()
        if self.view is None:
            found.counts[CREATED] = plan.report.valid
        if found.counts.total() + found.unchanged != plan.report.valid:
            raise StateError(
                "another run has replaced what is remembered of this list", hint="run this again"
            )
        self._find_gone(prune=prune)
        if found.sends_all:
            self._keeps_all = False
            found.counts[UPDATED] += found.unchanged
            found.unchanged = 0
        elif found.affected:
            affected = {int.from_bytes(tag) for tag in found.affected}
            again = sum(tag in affected for tag in tags)
            found.counts[UPDATED] += again
            found.unchanged -= again
            self._keeps_all = self._keeps_all and not again
        found.counts = Counter({name: count for name, count in found.counts.items() if count})
        return found

    def _users(self, plan: ListPlan) -> Iterator[tuple[int, User]]:
        """Read the valid people of the file, with their record numbers."""
        for operations in chain.from_iterable(batch.items for batch in plan.batches()):
            users = chain.from_iterable(each.params.users for each in operations_of(operations))
            yield from zip(operations.rows, users, strict=True)

    def _find_gone(self, *, prune: bool) -> None:
        """Find the people who are in no row, and whether they may be deleted."""
        found, index = self.found, self._opened.entries.in_order()
        spared = {index.entry(position).tag for position in sorted(self._spared)} - {NO_TAG}
        gone: dict[bytes, list[LedgerEntry]] = {}
        positions, position = array("Q"), -1
        seen = self._coverage.seen
        while (position := seen.find(0, position + 1, len(index))) >= 0:
            entry = index.entry(position)
            if entry.tag not in spared:
                gone.setdefault(entry.digest if entry.tag == NO_TAG else entry.tag, []).append(entry)
                positions.append(position)
        found.missing = len(gone)
        found.uncounted = sum(not any(entry.is_head for entry in entries) for entries in gone.values())
        if self._is_unreadable:
            found.withheld = (
                "rows cannot be read, and the people of these rows may be among those who are in no other"
            )
        if self._opened.trust is not Trust.FULL:
            found.withheld = self._opened.reason or "this machine has no ledger of this list"
        if not prune or found.withheld or not gone:
            return
        self._gone = [*gone.values()]
        self._coverage.remove(positions)
        found.counts[DELETED] = len(gone)
        found.sends_all = self._opened.info.links_unknown
        found.affected = {entry.tag for entries in self._gone for entry in entries} - {NO_TAG}
        if (
            self.memo
            and self.memo.header
            and any(map(self._coverage.is_known_unread, index.tagged(found.affected)))
        ):
            raise UnfitError  # somebody who has to be sent again is in a row that was not read

    def store_memo(self, plan: ListPlan, written: OpenLedger | None) -> None:
        """Store what is known of the rows, now that everybody was sent and a ledger was written."""
        if self.memo and written and written.is_certain:
            self.memo.store(written.checksum, written.entries, plan.batch_count, plan.report.valid)

    def close(self) -> None:
        """Give up what was not stored."""
        if self.memo:
            self.memo.close()
            self.memo = None

    def deletions(self) -> Iterator[Person]:
        """Yield the people to delete, under the identifiers that no row has."""
        value, sealer = self._opened.value, self._ledger.sealer
        for number, entries in enumerate(self._gone, 1):
            user: User = {}
            for entry in entries:
                found = value(sealer, entry.kind, entry.digest, entry.rest)
                user.setdefault(IDENTIFIERS[entry.kind], []).append(found)
            yield Person(-number, user, DELETED)

    def additions(self, plan: ListPlan) -> Iterator[Person]:
        """Yield the people to add, or to send again; where they are many, read the file again."""
        if self._keeps_all:
            for record, status, text in self._kept:
                yield Person(record, msgspec.json.decode(text), status)
            return
        for record, user in self._users(plan):
            status, tag = self._lookup.status(user)
            if status or self.found.sends_all or tag in self.found.affected:
                yield Person(record, user, status or UPDATED)
