"""Compare a run of validated rows with the products of a catalog; worker processes do it too."""

from array import array
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from ...validation.rows import KeptRun
from ..digest_index import KEY_BYTES, item_digest, key_hash
from ..normal_form import encode_product
from .differences import FieldChange, ProductChange, Unlisted, difference
from .feed_rows import FeedRow, feed_rows
from .listed_products import Listed, ListedProducts, values_in

_encode = msgspec.json.Encoder().encode


class ComparedRows(msgspec.Struct):
    """What a run of rows differs in from the catalog."""

    rows: int = 0
    in_feed: "array[int]" = msgspec.field(default_factory=lambda: array("q"))  # numbers of listed products
    unchanged: int = 0
    equal: bytearray = bytearray()  # digest and key hash of each unchanged row
    updates: list[ProductChange] = []
    unlisted: list[Unlisted] = []
    without_id: list[tuple[int, int]] = []  # record number and line of rows whose id cannot be read

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede these in the feed."""
        for change in (*self.updates, *(row.creation for row in self.unlisted if row.creation)):
            change.record += offset
        self.without_id = [(record + offset, line) for record, line in self.without_id]


class RowComparison(msgspec.Struct, frozen=True):
    """Compares the rows that were kept of a feed with a listing; picklable."""

    listing: Path  # of its database
    struct: type[Any]  # what the rows were converted to
    fields: frozenset[str]  # that the feed has a column or an element for
    merges: bool  # the service changes only what is sent, so that what a row empties must be sent too
    remembers: bool  # the digests of unchanged rows are wanted

    def __call__(self, run: KeptRun) -> ComparedRows:
        """Compare a run of rows."""
        kept = feed_rows(run)
        compared = ComparedRows(kept.rows, without_id=kept.without_id)
        with closing(ListedProducts.open(self.listing)) as listing:
            listed = listing.find_stored([row.stored_id for row in kept.named])
            compared.in_feed.extend(product.number for product in listed.values())
            for row in kept.named:
                if product := listed.get(row.stored_id):
                    self._compare(compared, row, product)
                else:
                    compared.unlisted.append(Unlisted(row.id, creation=self._creation(row)))
            keys = listing.group_keys(filter(None, map(_group_of, compared.unlisted)))
        compared.unlisted = [row._replace(group_key=keys.get(_group_of(row))) for row in compared.unlisted]
        compared.renumber(run.records_before)
        return compared

    def _compare(self, compared: ComparedRows, row: FeedRow, listed: Listed) -> None:
        """Compare a row with the product that the catalog lists."""
        if row.content != listed.content:  # which is seldom, and the rest is slow
            if (creation := self._creation(row)) is None:
                return
            if change := self.update(creation, listed):
                compared.updates.append(change)
                return
        compared.unchanged += 1
        if self.remembers:
            compared.equal += remembered(row.digest, listed.product_key)

    def _creation(self, row: FeedRow) -> ProductChange | None:
        """Return the creation of the product that a row describes; None where the row is invalid."""
        if not row.content:
            return None
        item = row.item(self.struct)
        fields = {name: FieldChange(None, value) for name, value in values_in(row.content).items()}
        body, digest = encode_product(item), item_digest(item)
        return ProductChange("create", item.id, None, fields, row.number, row.line, body, digest)

    def update(self, creation: ProductChange, listed: Listed) -> ProductChange | None:
        """Return what makes a listed product equal to a row; None where it is."""
        new = {name: field.new for name, field in creation.fields.items()}
        fields = difference(new, listed.values, self.fields)
        return self._updated(creation, listed, fields) if fields else None

    def alike(self, creation: ProductChange, listed: Listed) -> ProductChange:
        """Return what makes a listed product equal to a row whose id differs in form only."""
        update = self.update(creation, listed) or self._updated(creation, listed, {})
        fields = {"id": FieldChange(listed.id, creation.id)} | update.fields
        return msgspec.structs.replace(update, fields=fields)

    def _updated(
        self, creation: ProductChange, listed: Listed, fields: dict[str, FieldChange]
    ) -> ProductChange:
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

    def blind(self, creation: ProductChange) -> ProductChange:
        """Return what makes a product equal to a row that may exist, though it cannot be seen."""
        emptied = self.fields - creation.fields.keys() if self.merges else ()
        body = _with_fields(creation.body, dict.fromkeys(sorted(emptied), ""))
        return msgspec.structs.replace(creation, body=body)


def remembered(digest: bytes, product_key: str | None) -> bytes:
    """Return what the sync state remembers of a row."""
    return digest + key_hash(product_key or "").to_bytes(KEY_BYTES)


def _group_of(row: Unlisted) -> str:
    """Return the id of the group of a row; empty where it has none."""
    group = row.creation.fields.get("item_group_id") if row.creation else None
    return group.new if group else ""


def _with_fields(body: bytes, fields: dict[str, Any]) -> bytes:
    """Add fields to the JSON of a product, which has some."""
    return body[:-1] + b"," + _encode(fields)[1:] if fields else body
