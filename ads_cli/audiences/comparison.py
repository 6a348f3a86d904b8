"""How a file differs from a list in the account, by the ledger of what was acknowledged."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from ..runs.plan import this_second
from ..runs.upload import Batches
from .identifiers import IDENTIFIERS
from .ledger import REMEMBERED_MONTHS, Ledger, OpenLedger, Trust, month_of
from .list_packer import ListPart
from .operations import operations_of
from .sealing import split_digests

CREATED, UPDATED, DELETED = "created", "updated", "deleted"
STATUS_OF = (None, CREATED, UPDATED)  # by the number that the query of statuses gives
READ_AT_ONCE = 10_000  # people to be deleted

User = dict[str, list[str]]

TABLES = {
    # Whom the file has, by the number of their record.
    "compared": "(record INTEGER, digest BLOB, PRIMARY KEY (record, digest)) WITHOUT ROWID",
    # Of rows with mistakes what can be read, whether they are sent or not.
    "mistaken": "(row INTEGER, digest BLOB, is_sent INTEGER)",
    # Who was acknowledged and is in no row, numbered from 1.
    "missing": "(number INTEGER, digest BLOB, rest BLOB, kind INTEGER, person INTEGER,"
    " PRIMARY KEY (number, digest)) WITHOUT ROWID",
}
# People under identifiers that no row has. Nobody who has another one in an invalid row is among them.
MISSING = """
INSERT INTO missing
SELECT dense_rank() OVER (ORDER BY coalesce(person, digest)), digest, rest, kind, person
FROM people p
WHERE list = :list
  AND NOT EXISTS (SELECT 1 FROM compared c WHERE c.digest = p.digest)
  AND digest NOT IN (SELECT digest FROM mistaken)
  AND (person IS NULL OR person NOT IN (
    SELECT person FROM mistaken m CROSS JOIN people own ON own.list = :list AND own.digest = m.digest
    WHERE NOT is_sent AND person IS NOT NULL
  ))
"""
# A row that has nobody whom the ledger has may be anybody's.
ANYBODY = """
SELECT 1 FROM mistaken m LEFT JOIN people p ON p.list = :list AND p.digest = m.digest
GROUP BY row HAVING count(p.digest) = 0 LIMIT 1
"""
# Who is to be sent: nobody whom the service has under exactly these identifiers, unless they are deleted
# under another one. The numbers are places in STATUS_OF.
DUE = """
SELECT record, CASE
  WHEN count(p.digest) = 0 THEN 1
  WHEN NOT :sends_all AND count(p.digest) = count(*)
    AND min(is_certain AND until > :month AND until <= :month + :remembered)
    AND (count(*) = 1 OR (count(person) = count(*) AND min(person) = max(person)))
    AND NOT (:deletes AND coalesce(max(person IN (SELECT person FROM missing)), 0)) THEN 0
  ELSE 2 END AS status
FROM compared c LEFT JOIN people p ON p.list = :list AND p.digest = c.digest
GROUP BY record HAVING status
"""


class Person(NamedTuple):
    """A person of the file, or one to be deleted."""

    record: int  # negative for one to be deleted, which no record of the file is
    user: User


def is_deletion(record: int) -> bool:
    """Tell whether a record stands for somebody to be deleted."""
    return record < 0


@dataclass
class ListDifferences:
    """How a file differs from what the service acknowledged of a list."""

    ledger: OpenLedger
    counts: Counter[str] = field(default_factory=Counter)  # people by what is done with them
    unchanged: int = 0
    known: int = 0  # people who were acknowledged; counted only where some are missing
    missing: int = 0  # people who were acknowledged, and are in no row
    withheld_reason: str = ""  # why none of them is deleted
    sends_all: bool = False  # since others may be deleted with them


class ListComparison:
    """Compares the people of a list with its ledger, for one reading of its file.

    It is made before the file is read, and opens the ledger. `add` takes the rows while they are validated.
    `compare` finds the differences after the last row. Then `additions`, which reads the file again, and
    `deletions` yield who is to be sent.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._store = ledger, ledger.store
        self._opened = ledger.open()
        self.differences = ListDifferences(self._opened)
        # By which rows are compared; of an empty ledger everybody is new.
        self.key = None if self._opened.is_empty else ledger.sealer.key
        self._may_be_anybody = False  # a row that cannot be read
        self._last = 0  # record
        self._statuses: bytearray | None = None  # places in STATUS_OF, by record; None where all are new
        if self.key:
            with self._store.reading() as db:
                for table, columns in TABLES.items():
                    db.execute(f"DROP TABLE IF EXISTS temp.{table}")
                    db.execute(f"CREATE TEMP TABLE {table} {columns}")

    def add(self, part: ListPart) -> None:
        """Add what was found of some rows."""
        compared, self._last = part.packed.compared, part.last
        if not compared:
            return
        with self._store.reading() as db:
            db.executemany("INSERT OR IGNORE INTO compared VALUES (?, ?)", compared.pairs(part.records))
            for row, digests in compared.mistaken.items():
                is_sent = row in part.packed.partial
                if not is_sent and row not in part.packed.problems:
                    continue  # a blank row
                self._may_be_anybody |= not digests
                own = ((part.records[row], digest, is_sent) for digest in split_digests(digests))
                db.executemany("INSERT INTO mistaken VALUES (?, ?, ?)", own)

    def compare(self, valid: int, *, prune: bool) -> ListDifferences:
        """Find whom to add, and with `prune` whom to delete, once all rows are added, `valid` ones in all."""
        differences = self.differences
        if self.key:
            self._compare(prune=prune)
        else:
            differences.withheld_reason = self._why_withheld()
            differences.counts = +Counter({CREATED: valid})
        differences.unchanged = valid - differences.counts[CREATED] - differences.counts[UPDATED]
        return differences

    def _compare(self, *, prune: bool) -> None:
        differences, opened = self.differences, self._opened
        values: dict[str, int | None] = {"list": opened.id}
        with self._store.reading() as db:
            self._may_be_anybody |= bool(db.execute(ANYBODY, values).fetchall())
            differences.withheld_reason = self._why_withheld()
            db.execute("CREATE INDEX temp.compared_by_digest ON compared (digest)")
            db.execute(MISSING, values)
            (differences.missing,) = db.execute("SELECT coalesce(max(number), 0) FROM missing").fetchone()
            deletes = prune and bool(differences.missing) and not differences.withheld_reason
            differences.sends_all = deletes and opened.links_unknown
            values |= {
                "sends_all": differences.sends_all or opened.trust is not Trust.FULL,
                "deletes": deletes,
                "month": month_of(this_second()),
                "remembered": REMEMBERED_MONTHS,
            }
            self._statuses = bytearray(self._last + 1)
            for record, status in db.execute(DUE, values):
                self._statuses[record] = status
            if differences.missing:
                differences.known = self._ledger.counts().people
        counts = {CREATED: self._statuses.count(1), UPDATED: self._statuses.count(2)}
        differences.counts = +Counter(counts | {DELETED: differences.missing if deletes else 0})

    def _why_withheld(self) -> str:
        """Say why nobody may be deleted; empty where people may."""
        if self._opened.trust is not Trust.FULL:
            return self._opened.reason or "this machine has no ledger of this list"
        if self._may_be_anybody:
            return "rows cannot be read, and the people of these rows may be among those who are in no other"
        return ""

    def deletions(self) -> Iterator[Person]:
        """Yield the people to delete, under the identifiers that no row has."""
        query = "SELECT number, kind, digest, rest FROM missing WHERE number BETWEEN ? AND ? ORDER BY number"
        for begin in range(1, self.differences.counts[DELETED] + 1, READ_AT_ONCE):
            rows = self._store.rows(query, (begin, begin + READ_AT_ONCE - 1))
            for number, identifiers in groupby(rows, itemgetter(0)):
                user: User = {}
                for _, kind, digest, rest in identifiers:
                    identifier = self._ledger.sealer.open(kind, digest, rest)
                    user.setdefault(IDENTIFIERS[kind], []).append(identifier)
                yield Person(-number, user)

    def additions(self, batches: Batches) -> Iterator[Person]:
        """Yield the people to add or to send again, from the `batches` of the file."""
        counts = self.differences.counts
        if not counts[CREATED] + counts[UPDATED]:
            return
        packed = chain.from_iterable(batch.items for batch in batches)
        for operations in chain.from_iterable(packed):  # a few people each, of whom most need not be sent
            if not any(map(self.status, operations.rows)):
                continue
            users = chain.from_iterable(operation.params.users for operation in operations_of(operations))
            for record, user in zip(operations.rows, users, strict=True):
                if self.status(record):
                    yield Person(record, user)

    def status(self, record: int) -> str | None:
        """Return what is done with the person of a record; None where nothing is."""
        if is_deletion(record):
            return DELETED
        return CREATED if self._statuses is None else STATUS_OF[self._statuses[record]]
