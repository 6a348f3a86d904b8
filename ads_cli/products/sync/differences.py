"""What differs between a feed and a catalog."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import msgspec

from ...output.text import Lines, counted
from ..normal_form import COMPARED, normal_form
from . import blob, create_database, text, write

Action = Literal["create", "update", "delete"]
WRITES: tuple[Action, ...] = ("create", "update")


class FieldChange(msgspec.Struct, frozen=True):
    """The value of a field in the catalog and in the feed; None where it has none."""

    old: Any
    new: Any


class ChangedField(TypedDict):
    """The value of a field in the catalog and in the feed."""

    old: Any
    new: Any


class DifferenceRecord(TypedDict):
    """A difference, as programs read it."""

    action: Action
    id: str
    product_key: str | None
    fields: dict[str, ChangedField]


class ProductChange(msgspec.Struct):
    """What makes one product of the catalog equal to the feed."""

    action: Action
    id: str
    product_key: str | None
    fields: dict[str, FieldChange]
    record: int = 0  # number of the row in the feed
    line: int = 0
    body: bytes = b""  # JSON of the product as it is sent, by neutral names
    digest: bytes = b""  # of the row, as the sync state stores it
    repeat: bytes = b""  # digest that notes that an acknowledged row is sent once more
    is_unseen: bool = False  # the catalog may hide the product, and have it as it is

    @property
    def as_record(self) -> DifferenceRecord:
        """Return what programs read."""
        return {
            "action": self.action,
            "id": self.id,
            "product_key": self.product_key,
            "fields": {name: {"old": field.old, "new": field.new} for name, field in self.fields.items()},
        }


def difference(
    new: Mapping[str, Any], old: Mapping[str, Any], fields: Container[str]
) -> dict[str, FieldChange]:
    """Return the fields in which a product of a feed differs from that of the catalog.

    `fields` are those that the feed has a column or an element for: only these can be emptied by it.
    """
    changed = {}
    for name in COMPARED:
        before, after = old.get(name), new.get(name)
        if before == after or (after is None and name not in fields):
            continue
        if normal_form(name, before) != normal_form(name, after):
            changed[name] = FieldChange(before, after)
    return changed


PENDING, SENT, TRIED, SPARED = range(4)  # state of a change; TRIED is a deletion without a response
TABLES = """
    CREATE TABLE changes (
        number INTEGER PRIMARY KEY, is_deletion INTEGER, product_key BLOB, state INTEGER, change BLOB);
    CREATE TABLE unlisted (id BLOB, group_key BLOB, is_known INTEGER, change BLOB);
"""
INDEX = "CREATE INDEX IF NOT EXISTS by_key ON changes (product_key) WHERE is_deletion"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ProductChange).decode


class Unlisted(NamedTuple):
    """A row whose product the catalog does not list, at least not at first."""

    id: str
    group_key: str | None  # of its group, if another product of that is listed
    is_known: bool  # the service has acknowledged the row as it is
    creation: ProductChange | None  # of the product, unless the row is invalid


NAMED_IDS = 5


class Differences:
    """What makes a catalog equal to a feed, and counts of what needs nothing or cannot be seen.

    The changes are in a temporary database: any number of them takes no memory.
    """

    def __init__(self, path: Path) -> None:
        self._db = create_database(path, TABLES)
        self.counts = Counter[Action]()
        self._marked = Counter[bool]()  # changes that are not pending, by whether they are deletions
        self.is_remembered = False  # whether anything is known that the service acknowledged of the catalog
        self.is_confirmed = True  # whether that is the latest, and not of a disk that was restored
        self.listed = 0  # products within the scope
        self.unnamed = 0  # of these, those that no row names, where they are not deleted
        self.unchanged = 0  # rows whose products are as they say
        self.unseen = 0  # rows whose products the catalog may hide; sent where they are not known
        self.not_kept = 0  # rows that were acknowledged twice, and whose products differ all the same
        self.not_kept_ids: list[str] = []  # the first of them; messages say "reverted"
        self.forgotten: list[int] = []  # hashes, of ids or of repeats, that hold no longer
        self.left = 0  # products that were acknowledged, and are neither in the feed nor found in the catalog
        self.unsearched = 0  # groups in which these may be
        self.spared: list[str] = []  # ids that no row has, of products that are a row's
        self.equal = bytearray()  # packed, of unchanged rows that the sync state does not have yet

    @property
    def shortfall(self) -> str:
        """Say what a sync cannot make equal to the feed; empty where it can."""
        reasons = []
        if self.not_kept:
            named = ", ".join(map(repr, self.not_kept_ids))
            named += ", …" if self.not_kept > len(self.not_kept_ids) else ""
            reasons.append(
                f"{counted(self.not_kept, 'product')} reverted by the service, which has acknowledged the "
                f"row twice and lists other values: {named}; not sent again until the row or the product "
                "changes, or with --verify"
            )
        if self.left:
            have = "has" if self.left == 1 else "have"
            reasons.append(
                f"{counted(self.left, 'product')} that {have} left the feed may be variants that the listing "
                f"hides; --prune --verify looks for them in {counted(self.unsearched, 'group')}"
            )
        return Lines(reasons)

    @property
    def count(self) -> tuple[int, int]:
        """Count the writes, and the deletions."""
        return sum(self.counts[action] for action in WRITES), self.counts["delete"]

    @property
    def due(self) -> tuple[int, int]:
        """Count the pending writes, and the pending deletions."""
        writes, deletions = self.count
        return writes - self._marked[False], deletions - self._marked[True]

    def add(self, changes: Iterable[ProductChange]) -> None:
        """Add changes, all writes before the first deletion."""
        # The number of a write is that of its row. A deletion gets the next one.
        rows = []
        for change in changes:
            self.counts[change.action] += 1
            is_deletion = change.action == "delete"
            number, key = (None, blob(change.product_key)) if is_deletion else (change.record, None)
            rows.append((number, is_deletion, key, PENDING, _encode(change)))
        write(self._db, "INSERT INTO changes VALUES (?, ?, ?, ?, ?)", rows)

    def __iter__(self) -> Iterator[ProductChange]:
        """Yield every change: the writes in the order of the feed, then the deletions."""
        return self.read()

    def read(self, *, deletions: bool | None = None, state: int | None = None) -> Iterator[ProductChange]:
        """Yield the changes, or only the deletions or only the writes, or those in one state."""
        query = (
            "SELECT change FROM changes WHERE is_deletion = coalesce(?, is_deletion)"
            " AND state = coalesce(?, state) ORDER BY number"
        )
        return (_decode(change) for (change,) in self._db.execute(query, (deletions, state)))

    def mark(self, state: int, records: Iterable[int] = (), keys: Iterable[str] = ()) -> None:
        """Mark pending writes, by the numbers of their rows, and pending deletions, by their keys."""
        self._db.execute(INDEX)
        update = "UPDATE changes SET state = ? WHERE state = 0 AND"
        marks = ((state, record) for record in records)
        self._marked[False] += write(self._db, f"{update} NOT is_deletion AND number = ?", marks)
        marks_by_key = ((state, blob(key)) for key in keys)
        self._marked[True] += write(self._db, f"{update} is_deletion AND product_key = ?", marks_by_key)

    def add_unlisted(self, rows: Iterable[Unlisted]) -> None:
        """Add rows whose products are not listed."""
        values = [
            (blob(id), None if key is None else blob(key), is_known, creation and _encode(creation))
            for id, key, is_known, creation in rows
        ]
        write(self._db, "INSERT INTO unlisted VALUES (?, ?, ?, ?)", values)

    def unlisted(self) -> Iterator[Unlisted]:
        """Yield the rows whose products are not listed."""
        for id, key, is_known, creation in self._db.execute("SELECT * FROM unlisted ORDER BY rowid"):
            group_key = None if key is None else text(key)
            yield Unlisted(text(id), group_key, bool(is_known), creation and _decode(creation))

    def unknown_groups(self) -> list[str]:
        """Return the keys of the groups with a row that is not known."""
        unknown = "WHERE NOT is_known AND group_key != x''"
        query = f"SELECT group_key FROM unlisted {unknown} GROUP BY 1 ORDER BY min(rowid)"
        return [text(key) for (key,) in self._db.execute(query)]

    def add_not_kept(self, id: str) -> None:
        """Count a row that the service did not keep as it is."""
        self.not_kept += 1
        if len(self.not_kept_ids) < NAMED_IDS:
            self.not_kept_ids.append(id)

    def close(self) -> None:
        """Close the database."""
        self._db.close()
