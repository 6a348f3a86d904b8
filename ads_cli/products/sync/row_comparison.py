"""Compare a run of validated rows with the products of a catalog; worker processes do it too."""

from array import array
from collections.abc import Iterable
from contextlib import closing
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from ...feeds.rows import Row
from ...validation.result import CheckedRow
from ..digest_index import KEY_BYTES, item_digest, key_hash
from ..normal_form import COMPARED
from ..schema import encode_product
from .change import Change, FieldChange, difference
from .change_table import Unlisted
from .listed_products import Listed, ListedProducts, content_of
from .scope import Scope

values_of = attrgetter(*COMPARED)
_encode = msgspec.json.Encoder().encode


class ComparedRows(msgspec.Struct):
    """What a run of rows differs in from the catalog."""

    rows: int = 0
    in_feed: "array[int]" = msgspec.field(default_factory=lambda: array("q"))  # numbers of listed products
    unchanged: int = 0
    equal: bytearray = bytearray()  # digest and key hash of each unchanged row
    updates: list[Change] = []
    unlisted: list[Unlisted] = []
    without_id: list[tuple[int, int]] = []  # record number and line of rows whose id cannot be read

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede these in the feed."""
        for change in (*self.updates, *(row.creation for row in self.unlisted if row.creation)):
            change.record += offset
        self.without_id = [(record + offset, line) for record, line in self.without_id]


class RowComparison(msgspec.Struct, frozen=True):
    """Compares rows with a listing; picklable."""

    listing: Path  # of its database
    fields: frozenset[str]  # that the feed has a column or an element for
    merges: bool  # the service changes only what is sent, so that what a row empties must be sent too
    remembers: bool  # the digests of unchanged rows are wanted
    scope: Scope | None = None

    def __call__(self, rows: Iterable[CheckedRow]) -> ComparedRows:
        """Compare a run of rows."""
        compared, named = ComparedRows(), list[tuple[int, str, CheckedRow]]()
        for number, checked in enumerate(rows, 1):
            compared.rows = number
            if checked.row.left_out:
                continue
            if id := self._id_of(checked.row):
                named.append((number, id, checked))
            else:
                compared.without_id.append((number, checked.row.line))
        with closing(ListedProducts.open(self.listing)) as listing:
            listed = listing.find([id for _, id, _ in named])
            compared.in_feed.extend(product.number for product in listed.values())
            for number, id, checked in named:
                if id not in listed:
                    compared.unlisted.append(_unlisted(number, id, checked))
                elif checked.item is not None:
                    self._compare(compared, number, checked, listed[id])
            keys = listing.group_keys(filter(None, map(_group_of, compared.unlisted)))
        compared.unlisted = [row._replace(group_key=keys.get(_group_of(row))) for row in compared.unlisted]
        return compared

    def _id_of(self, row: Row) -> str:
        """Return the id of a row, which may be invalid; empty where it cannot be read for certain."""
        if row.problem and not (self.scope and self.scope.problem(row.values) == row.problem):
            return ""  # of a row with too many cells, any of them may be the id
        id = row.values.get("id")
        return str(id) if isinstance(id, str | int) and not isinstance(id, bool) else ""

    def _compare(self, compared: ComparedRows, number: int, checked: CheckedRow, listed: Listed) -> None:
        """Compare a row with the product that the catalog lists."""
        values = values_of(checked.item)
        if content_of(values) != listed.content:  # which is seldom, and the rest is slow
            new = dict(zip(COMPARED, values, strict=True))
            if fields := difference(new, listed.values, self.fields):
                compared.updates.append(self._updated(_creation(number, checked), listed, fields))
                return
        compared.unchanged += 1
        if self.remembers:
            compared.equal += remembered(item_digest(checked.item), listed.product_key)

    def update(self, creation: Change, listed: Listed) -> Change | None:
        """Return what makes a listed product equal to a row; None where it is."""
        new = {name: field.new for name, field in creation.fields.items()}
        fields = difference(new, listed.values, self.fields)
        return self._updated(creation, listed, fields) if fields else None

    def _updated(self, creation: Change, listed: Listed, fields: dict[str, FieldChange]) -> Change:
        """Return the update of a product that differs.

        Fields that the feed does not have stay as they are: a service that replaces products is sent them.
        """
        old, new = listed.values, creation.fields
        if self.merges:
            added = {name: "" for name, field in fields.items() if field.new is None}
        else:
            added = {name: old[name] for name in old if name not in new and name not in self.fields}
        body = _with_fields(creation.body, added)
        return msgspec.structs.replace(
            creation, action="update", product_key=listed.product_key, fields=fields, body=body
        )

    def blind(self, creation: Change) -> Change:
        """Return what makes a product equal to a row that may exist, though it cannot be seen."""
        emptied = self.fields - creation.fields.keys() if self.merges else ()
        body = _with_fields(creation.body, dict.fromkeys(sorted(emptied), ""))
        return msgspec.structs.replace(creation, body=body)


def remembered(digest: bytes, product_key: str | None) -> bytes:
    """Return what the sync state remembers of a row."""
    return digest + key_hash(product_key or "").to_bytes(KEY_BYTES)


def _unlisted(number: int, id: str, checked: CheckedRow) -> Unlisted:
    return Unlisted(id, creation=None if checked.item is None else _creation(number, checked))


def _group_of(row: Unlisted) -> str:
    """Return the id of the group of a row; empty where it has none."""
    group = row.creation.fields.get("item_group_id") if row.creation else None
    return group.new if group else ""


def _creation(number: int, checked: CheckedRow) -> Change:
    """Return the creation of the product that a row describes."""
    item: Any = checked.item
    values = zip(COMPARED, values_of(item), strict=True)
    fields = {name: FieldChange(None, value) for name, value in values if value is not None}
    digest = item_digest(item)
    return Change("create", item.id, None, fields, number, checked.row.line, encode_product(item), digest)


def _with_fields(body: bytes, fields: dict[str, Any]) -> bytes:
    """Add fields to the JSON of a product, which has some."""
    return body[:-1] + b"," + _encode(fields)[1:] if fields else body
