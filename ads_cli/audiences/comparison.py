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

DELETED = "deleted"
MOST_KEPT_BYTES = 64 * 1024 * 1024  # of the JSON of people to be sent

User = dict[str, list[str]]


class Person(NamedTuple):
    """A person of the file, or one to be deleted."""

    record: int  # negative for one to be deleted, which no record of the file is
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

    It is made before the file is read, and opens the ledger. `add` takes the rows while they are validated.
    `compare` finds the differences after the last row. Then `additions` and `deletions` yield who is to be
    sent.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._opened = ledger.open()
        self._lookup = ledger.lookup(self._opened)
        entries = self._opened.entries
        self.differences = ListDifferences(self._opened)
        self.view = self._lookup.view if len(entries) else None  # of an empty ledger everybody is new
        # 1 for each record of the ledger that a row has; the last byte is for identifiers that it lacks.
        self._covered = bytearray(len(entries) + 1)
        self._unchanged_tags = bytearray()
        self._positions_unsent = set[int]()  # in the ledger: people of rows that are not sent
        self._may_be_anybody = False  # one of these rows, which cannot be read

        # Everybody to be sent: record, status, user as JSON. None means that the file is read again: where
        # they are too many, where the ledger is empty, or where others are sent too.
        self._kept: list[tuple[int, str, str]] | None = [] if len(entries) else None
        self._kept_size = 0
        self._deleted: list[list[LedgerEntry]] = []  # of each person the identifiers
        self._affected = set[bytes]()  # tags of people of whom an identifier is deleted

    def add(self, part: ListPart) -> None:
        """Add what was found of some rows."""
        compared, counts = part.packed.compared, self.differences.counts
        if not compared:
            return
        unsent, covered = array("Q", compared.unsent), self._covered
        self._positions_unsent.update(unsent)
        for position in chain(array("Q", compared.positions), unsent):
            covered[position] = 1
        self._may_be_anybody |= not compared.unreadable.isdisjoint(
            {*part.packed.problems, *part.packed.partial}
        )
        self._unchanged_tags += compared.tags
        self.differences.unchanged += compared.people - len(compared.due)
        for row, status, user in compared.due:
            counts[status] += 1
            if self._kept is not None:
                self._kept.append((part.records[row], status, user))
                self._kept_size += len(user)
        if self._kept_size > MOST_KEPT_BYTES:
            self._kept, self._kept_size = None, 0

    def compare(self, valid: int, *, prune: bool) -> ListDifferences:
        """Find whom to add, and with `prune` whom to delete, once all rows are added, `valid` ones in all."""
        differences = self.differences
        if self.view is None:
            differences.counts[CREATED] = valid
        if differences.counts.total() + differences.unchanged != valid:
            # Workers cannot open a ledger that was replaced meanwhile.
            raise StateError(
                "another run has replaced what is remembered of this list", hint="run this again"
            )
        missing = self._find_missing()
        differences.missing = len(missing)
        differences.uncounted = sum(not any(entry.is_head for entry in own) for own in missing.values())
        differences.withheld = self._why_withheld()
        if prune and missing and not differences.withheld:
            self._delete([*missing.values()])
        differences.counts = Counter({name: count for name, count in differences.counts.items() if count})
        return differences

    def _find_missing(self) -> dict[bytes, list[LedgerEntry]]:
        """Find the records of the people of the ledger who are in no row."""
        index = self._opened.entries.in_order()
        tags_unsent = {index.entry(position).tag for position in sorted(self._positions_unsent)} - {NO_TAG}
        missing: dict[bytes, list[LedgerEntry]] = {}
        position = -1
        while (position := self._covered.find(0, position + 1, len(index))) >= 0:
            entry = index.entry(position)
            if entry.tag not in tags_unsent:
                person = entry.digest if entry.tag == NO_TAG else entry.tag
                missing.setdefault(person, []).append(entry)
        return missing

    def _why_withheld(self) -> str:
        """Say why nobody may be deleted; empty where people may."""
        if self._opened.trust is not Trust.FULL:
            return self._opened.reason or "this machine has no ledger of this list"
        if self._may_be_anybody:
            return "rows cannot be read, and the people of these rows may be among those who are in no other"
        return ""

    def _delete(self, people: list[list[LedgerEntry]]) -> None:
        """Delete people, and send again those in the file who are deleted with them."""
        differences = self.differences
        self._deleted = people
        differences.counts[DELETED] = len(people)
        differences.sends_all = self._opened.info.links_unknown
        self._affected = {entry.tag for entries in people for entry in entries} - {NO_TAG}
        again = differences.unchanged
        if not differences.sends_all:
            tags = iter_unpack(f"{TAG_BYTES}s", self._unchanged_tags) if self._affected else ()
            again = sum(tag in self._affected for (tag,) in tags)
        differences.counts[UPDATED] += again
        differences.unchanged -= again
        if again:
            self._kept = None  # it has only those who differ

    def deletions(self) -> Iterator[Person]:
        """Yield the people to delete, under the identifiers that no row has."""
        value, sealer = self._opened.value, self._ledger.sealer
        for number, entries in enumerate(self._deleted, 1):
            user: User = {}
            for entry in entries:
                identifier = value(sealer, entry.kind, entry.digest, entry.rest)
                user.setdefault(IDENTIFIERS[entry.kind], []).append(identifier)
            yield Person(-number, user, DELETED)

    def additions(self, batches: Batches) -> Iterator[Person]:
        """Yield the people to add or to send again, from the `batches` of the file if they are many."""
        if self._kept is not None:
            for record, status, text in self._kept:
                yield Person(record, msgspec.json.decode(text), status)
            return
        for operations in chain.from_iterable(batch.items for batch in batches):
            users = chain.from_iterable(operation.params.users for operation in operations_of(operations))
            for record, user in zip(operations.rows, users, strict=True):
                status, tag = self._lookup.status(user)
                if status or self.differences.sends_all or tag in self._affected:
                    yield Person(record, user, status or UPDATED)
