"""How a file differs from a list in the account, by the ledger of what was acknowledged."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from ..uploads.plan import this_second
from ..validation.rows import CheckedRow
from .columns import encode_column
from .headers import find_region
from .identifiers import IDENTIFIERS, identifier_types
from .ledger import Ledger, OpenLedger, Trust
from .ledger_log import operations_of
from .ledger_records import KINDS, NO_TAG, LedgerEntry, month_of
from .plan import ListPlan, ListSettings

CREATED, UPDATED, DELETED = "created", "updated", "deleted"
PROGRESS_PEOPLE = 10_000

User = dict[str, list[str]]


class Person(NamedTuple):
    """A person of the file, or one to be deleted, whose record number is negative."""

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
    sends_all: bool = False  # since nobody knows who else is deleted with them
    affected: set[bytes] = field(default_factory=set)  # tags of people of whom an identifier is deleted

    @property
    def known(self) -> int:
        """Count the people who were acknowledged."""
        return self.ledger.info.people + self.uncounted


class ListComparison:
    """Compares the people of a validated list with its ledger."""

    def __init__(self, plan: ListPlan, ledger: Ledger, settings: ListSettings) -> None:
        self._plan, self._ledger, self._settings = plan, ledger, settings
        self._opened = ledger.open()
        self._month = month_of(this_second())
        self._seen = bytearray(len(self._opened.entries))
        self._gone: list[list[LedgerEntry]] = []  # the identifiers of each person that is deleted
        self.found = ListDifferences(self._opened)

    @property
    def opened(self) -> OpenLedger:
        """Return the ledger as it was before the comparison."""
        return self._opened

    def compare(self, *, prune: bool, on_progress: Callable[[int], None]) -> ListDifferences:
        """Find whom to add, and with `prune` whom to delete."""
        index = self._opened.entries
        self._seen = bytearray(len(index))
        found = self.found = ListDifferences(self._opened)
        tags = array("Q")
        for rows, (_, user) in enumerate(self._users(), 1):
            status, tag = self._status(user, mark=True)
            if status:
                found.counts[status] += 1
            else:
                found.unchanged += 1
                if tag != NO_TAG:
                    tags.append(int.from_bytes(tag))
            if not rows % PROGRESS_PEOPLE:
                on_progress(rows)
        self._gone = []
        self._find_gone(prune=prune)
        if found.sends_all:
            found.counts[UPDATED] += found.unchanged
            found.unchanged = 0
        elif found.affected:
            affected = {int.from_bytes(tag) for tag in found.affected}
            again = sum(tag in affected for tag in tags)
            found.counts[UPDATED] += again
            found.unchanged -= again
        found.counts = Counter({name: count for name, count in found.counts.items() if count})
        return found

    def _users(self) -> Iterator[tuple[int, User]]:
        """Read the valid people of the file, with their record numbers."""
        for batch in self._plan.batches():
            records = chain.from_iterable(operations.rows for operations in batch.items)
            for operation in operations_of(batch.items):
                users = operation.params.users
                yield from zip(islice(records, len(users)), users, strict=True)

    def _status(self, user: User, *, mark: bool = False) -> tuple[str, bytes]:
        """Return what is to be done with a person, "" for nothing, and the tag of the ledger."""
        digest, index = self._ledger.sealer.digest, self._opened.entries
        tags, positions, is_certain = set(), [], self._opened.trust is Trust.FULL
        count = 0
        for name, values in user.items():
            kind = KINDS[name]
            for value in values:
                count += 1
                if (position := index.find(digest(kind, value))) >= 0:
                    positions.append(position)
                    entry = index.entry(position)
                    tags.add(entry.tag)
                    is_certain = is_certain and entry.is_certain(self._month)
        if mark:
            for position in positions:
                self._seen[position] = 1
        if not positions:
            return CREATED, NO_TAG
        is_one = len(tags) == 1 and (count == 1 or NO_TAG not in tags)
        is_same = is_certain and len(positions) == count and is_one
        return "" if is_same else UPDATED, next(iter(tags)) if is_one else NO_TAG

    def _find_gone(self, *, prune: bool) -> None:
        """Find the people who are in no row, and whether they may be deleted."""
        found, index = self.found, self._opened.entries
        spared, unreadable = self._find_spared()
        gone: dict[bytes, list[LedgerEntry]] = {}
        for position, is_seen in enumerate(self._seen):
            if is_seen:
                continue
            entry = index.entry(position)
            if entry.tag == NO_TAG:
                gone[entry.digest] = [entry]
            elif entry.tag not in spared:
                gone.setdefault(entry.tag, []).append(entry)
        found.missing = len(gone)
        found.uncounted = sum(not any(entry.is_head for entry in entries) for entries in gone.values())
        if unreadable:
            found.withheld = (
                "rows cannot be read, and the people of these rows may be among those who are in no other"
            )
        if self._opened.trust is not Trust.FULL:
            found.withheld = self._opened.reason or "this machine has no ledger of this list"
        if not prune or found.withheld or not gone:
            return
        self._gone = [*gone.values()]
        found.counts[DELETED] = len(gone)
        found.sends_all = self._opened.info.links_unknown
        found.affected = {entry.tag for entries in self._gone for entry in entries} - {NO_TAG}

    def _find_spared(self) -> tuple[set[bytes], bool]:
        """Mark the people of rows that are not sent; return their tags, and whether any may be unknown."""
        report, index = self._plan.report, self._opened.entries
        spared: set[bytes] = set()
        if not (report.invalid or report.partial) or not len(index):
            return spared, False
        is_unreadable = False
        for checked in self._plan.checked_rows():
            if not (checked.errors or report.partial):
                continue
            user, is_whole = self._readable(checked)
            positions = [
                index.find(self._ledger.sealer.digest(KINDS[name], value))
                for name, values in user.items()
                for value in values
            ]
            known = [position for position in positions if position >= 0]
            for position in known if checked.errors else ():
                self._seen[position] = 1
                spared.add(index.entry(position).tag)
            is_unreadable |= not (is_whole or known)
        return spared - {NO_TAG}, is_unreadable

    def _readable(self, checked: CheckedRow) -> tuple[User, bool]:
        """Return the identifiers of a row that can be read, and whether these are all."""
        columns, packing = self._settings.columns, self._settings.packing
        user: User = {}
        is_whole = not checked.row.problem
        country = columns.country([*checked.row.values])
        region = packing.region
        if country:
            region = find_region(str(checked.row.values.get(country, ""))) or region
        kinds = identifier_types(region, allow_clear_text=packing.allow_clear_text)
        for name, cell in checked.row.values.items():
            if (kind := columns.field(name)) not in columns.identifiers:
                continue
            encoded = encode_column(kinds[kind], [cell])
            is_whole = is_whole and not encoded.problems
            if encoded.texts[0]:
                user.setdefault(kind, []).extend(msgspec.json.decode(f'["{encoded.texts[0]}"]'))
        return user, is_whole

    def deletions(self) -> Iterator[Person]:
        """Yield the people to delete, under the identifiers that no row has."""
        value, sealer = self._opened.value, self._ledger.sealer
        for number, entries in enumerate(self._gone, 1):
            user: User = {}
            for entry in entries:
                found = value(sealer, entry.kind, entry.digest, entry.rest)
                user.setdefault(IDENTIFIERS[entry.kind], []).append(found)
            yield Person(-number, user, DELETED)

    def additions(self) -> Iterator[Person]:
        """Read the file again and yield the people to add, or to send again."""
        for record, user in self._users():
            status, tag = self._status(user)
            if status or self.found.sends_all or tag in self.found.affected:
                yield Person(record, user, status or UPDATED)
