"""What differs between a feed and a catalog."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ...output.text import Lines, counted
from ..digest_index import PRODUCT, ProductHashes
from ..normal_form import COMPARED, normal_form
from . import blob, create_database, insert, text

Action = Literal["create", "update", "delete"]
WRITES: tuple[Action, ...] = ("create", "update")


class FieldChange(msgspec.Struct, frozen=True):
    """The value of a field in the catalog and in the feed; None where it has none."""

    old: Any
    new: Any


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
    def as_record(self) -> dict[str, Any]:
        """Return what programs read."""
        fields = {name: {"old": change.old, "new": change.new} for name, change in self.fields.items()}
        return {"action": self.action, "id": self.id, "product_key": self.product_key, "fields": fields}


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


TABLES = """
    CREATE TABLE changes (number INTEGER PRIMARY KEY, is_deletion INTEGER, change BLOB);
    CREATE TABLE unlisted (id BLOB, group_key BLOB, is_known INTEGER, change BLOB);
"""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ProductChange).decode


class Unlisted(NamedTuple):
    """A row whose product the catalog does not list, at least not at first."""

    id: str
    group_key: str | None = None  # of its group, if another product of that is listed
    is_known: bool = False  # the service has acknowledged the row as it is
    creation: ProductChange | None = None  # of the product, unless the row is invalid


class ChangeTable:
    """Changes in a temporary database; any number of them takes no memory."""

    def __init__(self, path: Path) -> None:
        self._db = create_database(path, TABLES)
        self.counts = Counter[Action]()

    def add(self, changes: Iterable[ProductChange]) -> None:
        """Add changes, all writes before the first deletion."""
        # The number of a write is that of its row. A deletion gets the next one.
        rows = []
        for change in changes:
            self.counts[change.action] += 1
            is_deletion = change.action == "delete"
            rows.append((None if is_deletion else change.record, is_deletion, _encode(change)))
        insert(self._db, "changes VALUES (?, ?, ?)", rows)

    def read(self, *, deletions: bool) -> Iterator[ProductChange]:
        """Yield the writes, or the deletions."""
        query = "SELECT change FROM changes WHERE is_deletion = ? ORDER BY number"
        return (_decode(change) for (change,) in self._db.execute(query, (deletions,)))

    def add_unlisted(self, rows: Iterable[Unlisted]) -> None:
        """Add rows whose products are not listed."""
        values = [
            (blob(id), None if key is None else blob(key), is_known, creation and _encode(creation))
            for id, key, is_known, creation in rows
        ]
        insert(self._db, "unlisted VALUES (?, ?, ?, ?)", values)

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

    def close(self) -> None:
        """Close the database."""
        self._db.close()


NAMED_IDS = 5


@dataclass
class Differences:
    """The changes that make a catalog equal to a feed, and counts of what needs none or cannot be seen."""

    table: ChangeTable
    expected_epoch: str  # the write epoch of the catalog in which it was listed
    is_remembered: bool = False  # whether anything is known that the service acknowledged of the catalog
    is_confirmed: bool = True  # whether that is the latest, and not of a disk that was restored
    listed: int = 0  # products within the scope
    unchanged: int = 0  # rows whose products are as they say
    unseen: int = 0  # rows whose products the catalog may hide; sent where they are not known
    not_kept: int = 0  # rows that were acknowledged twice as they are, and whose products differ all the same
    not_kept_ids: list[str] = field(default_factory=list)  # the first of them; messages say "reverted"
    forgotten: list[int] = field(default_factory=list)  # hashes, of ids or of repeats, that hold no longer
    left: int = 0  # products that were acknowledged, are not in the feed, and were not found in the catalog
    unsearched: int = 0  # groups in which these may be
    spared: list[str] = field(default_factory=list)  # ids that no row has, of products that are a row's
    _equal: bytearray = field(default_factory=bytearray)

    @property
    def shortfall(self) -> str:
        """Say what a sync cannot make equal to the feed; empty where it can."""
        return Lines(filter(None, (self._not_kept_message, self._left_message)))

    @property
    def _left_message(self) -> str:
        """Say that products without a row may be hidden."""
        if not self.left:
            return ""
        have = "has" if self.left == 1 else "have"
        return (
            f"{counted(self.left, 'product')} that {have} left the feed may be variants that the listing "
            f"hides; --prune --verify looks for them in {counted(self.unsearched, 'group')}"
        )

    @property
    def _not_kept_message(self) -> str:
        """Name products that the service does not keep as rows say; empty where there are none."""
        if not self.not_kept:
            return ""
        named = ", ".join(map(repr, self.not_kept_ids))
        named += ", …" if self.not_kept > len(self.not_kept_ids) else ""
        return (
            f"{counted(self.not_kept, 'product')} reverted by the service, which has acknowledged the row "
            f"twice and lists other values: {named}; not sent again until the row or the product changes, "
            "or with --verify"
        )

    @property
    def counts(self) -> Counter[Action]:
        """Count the changes by action."""
        return self.table.counts

    def __iter__(self) -> Iterator[ProductChange]:
        """Yield every change: the writes, then the deletions."""
        return chain(self.writes(), self.deletions())

    def writes(self) -> Iterator[ProductChange]:
        """Yield creations and updates, in the order of the feed."""
        return self.table.read(deletions=False)

    def deletions(self) -> Iterator[ProductChange]:
        """Yield deletions."""
        return self.table.read(deletions=True)

    def add_not_kept(self, id: str) -> None:
        """Count a row that the service did not keep as it is."""
        self.not_kept += 1
        if len(self.not_kept_ids) < NAMED_IDS:
            self.not_kept_ids.append(id)

    def add_equal(self, packed: bytes) -> None:
        """Add what the sync state is to remember of a row whose product is as it says."""
        self._equal += packed

    def equal(self) -> Iterator[ProductHashes]:
        """Yield the product of each unchanged row that the sync state does not have yet."""
        return PRODUCT.iter_unpack(self._equal)
