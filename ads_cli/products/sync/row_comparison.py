"""The rows of a feed: kept, compared with the products of a catalog, or completed by them."""

from collections.abc import Callable, Collection, Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from ...api.product_ids import id_form
from ...api.values import join_list
from ...feeds.row import Row, RowTransform
from ...parallel import batched
from ...validation import CheckedRow, KeptRun
from ..digest_index import DigestIndex, id_hash, item_digest, kept_digest, key_hash
from ..normal_form import OUT_OF_SCOPE
from . import blob, text
from .differences import FieldChange, ProductChange, difference
from .listed_products import Listed, ListedProducts, content_of_item, values_in

keys_of = attrgetter("product_key", "item_group_key")  # a row may have them, though they are not compared


class FeedRow(msgspec.Struct, array_like=True, gc=False):
    """A row whose id can be read; it has no content where it is invalid."""

    number: int  # of the record: kept of a run within it, compared within the feed
    line: int
    stored_id: bytes
    content: bytes = b""  # the values of the fields COMPARED
    keys: tuple[str | None, str | None] | None = None
    digest: bytes = b""

    @property
    def id(self) -> str:
        """Return the id."""
        return text(self.stored_id)


class FeedRows(msgspec.Struct, array_like=True):
    """A run of rows."""

    rows: int = 0
    named: list[FeedRow] = []
    without_id: list[tuple[int, int]] = []  # record number and line of rows whose id cannot be read


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(FeedRows).decode


class ComparableRows:
    """Keeps what a comparison needs of a run of rows."""

    def __init__(self, *, with_digests: bool) -> None:
        self._with_digests = with_digests
        self._kept = FeedRows()

    def add(self, checked: CheckedRow, number: int) -> None:
        """Keep a row, unless it is left out."""
        self._kept.rows = number
        row = checked.row
        if row.left_out:
            return
        if not (id := _readable_id(row)):
            self._kept.without_id.append((number, row.line))
            return
        kept, item = FeedRow(number, row.line, blob(id)), checked.item
        if item is not None:
            kept.content = content_of_item(item)
            kept.keys = None if (keys := keys_of(item)) == (None, None) else keys
            kept.digest = item_digest(item) if self._with_digests else b""
        self._kept.named.append(kept)

    def packed(self) -> bytes:
        """Return the rows as `feed_rows` reads them."""
        return _pack(self._kept)


def _readable_id(row: Row) -> str:
    """Return the id of a row, which may be invalid, or "" if it cannot be read for certain."""
    if row.problem and row.problem_rule != OUT_OF_SCOPE:
        return ""  # of a row with too many cells, any of them may be the id
    id = row.values.get("id")
    return str(id) if isinstance(id, str | int) and not isinstance(id, bool) else ""


def feed_rows(run: KeptRun) -> FeedRows:
    """Return the rows that were kept of a run, with their numbers in the feed."""
    kept, before = _unpack(run.packed), run.records_before
    for row in kept.named:
        row.number += before
    kept.without_id = [(number + before, line) for number, line in kept.without_id]
    return kept


PRODUCTS_AT_ONCE = 10_000


class RowProducts:
    """The products that are those of rows, by number, and among the others those that are all the same."""

    def __init__(self, listing: ListedProducts) -> None:
        self._listing = listing
        self._by_id = bytearray()  # by number: whether a row has its id
        self.spared: list[str] = []  # ids of those that are a row's in another way, and that no row has

    def add(self, numbers: Iterable[int]) -> None:
        """Note products whose rows have their ids."""
        for number in numbers:
            if number >= len(self._by_id):
                self._by_id.extend(bytes(number + 1))  # at least twice as many as before
            self._by_id[number] = True

    def __contains__(self, number: int) -> bool:
        return number < len(self._by_id) and bool(self._by_id[number])

    def others(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield those of some numbers that are not of rows."""
        return (number for number in numbers if number not in self)

    def alike(self, ids: Iterable[str]) -> dict[str, Listed]:
        """Note the products that differ from the ids of rows in form only; return the first of each id."""
        forms = {id: blob(id_form(id)) for id in ids}
        matches = self._listing.unmatched("form", forms.values())
        numbers = {id: matches[form][0] for id, form in forms.items() if form in matches}
        self.add(number for group in matches.values() for number in group)
        products = {product.number: product for product in self._listing.read([*{*numbers.values()}])}
        return {id: products[number] for id, number in numbers.items()}

    def spare(self, index: DigestIndex, unlisted: Iterable[str]) -> None:
        """Note the products that are a row's by the form of its id, or by its key.

        `unlisted` are the ids of rows without a listed product. Candidates are the products whose ids no row
        has. A candidate is spared in four cases:

        - The id of a row has the form of its id.
        - A product with a row has its key.
        - Its key was acknowledged for the id of a row.
        - Another product that is spared has its key.
        """
        listing = self._listing
        if not (candidates := [*self.others(listing.numbers(within_scope=True))]):
            return
        remembered = self._remembered(index, candidates)
        spared_numbers = set[int]()
        matched = (number for number in listing.numbers() if number in self)
        for part in batched(matched, PRODUCTS_AT_ONCE):
            products = [*listing.read(part)]
            forms = (blob(id_form(product.id)) for product in products)
            keys = (product.stored_key for product in products)
            spared_numbers.update(*listing.unmatched("form", forms).values())
            spared_numbers.update(*listing.unmatched("product_key", keys).values())
            for listed in products if remembered else ():
                # The hash of its own key may be that of another one; then nothing else was acknowledged.
                own = key_hash(listed.product_key or "")
                by_key = remembered.get(id_hash(listed.id), {}).items()
                spared_numbers.update(*(numbers for key, numbers in by_key if key != own))
        for id in unlisted if remembered else ():
            spared_numbers.update(*remembered.get(id_hash(id), {}).values())
        shared = (listed.stored_key for listed in listing.read([*spared_numbers]))
        spared_numbers.update(*listing.unmatched("product_key", shared).values())
        spared = spared_numbers.intersection(candidates)
        self.spared = [listed.id for listed in listing.read([*spared])]
        self.add(spared)

    def _remembered(self, index: DigestIndex, candidates: list[int]) -> dict[int, dict[int, list[int]]]:
        """Return candidates whose keys were acknowledged for other ids, by hashes of the id and the key."""
        if not len(index):
            return {}
        by_key: dict[int, list[int]] = {}
        own: dict[int, int] = {}
        for product in self._listing.read(candidates):
            by_key.setdefault(key_hash(product.product_key or ""), []).append(product.number)
            own[product.number] = id_hash(product.id)
        remembered: dict[int, dict[int, list[int]]] = {}
        for hashed, key in index:
            if key and (numbers := [number for number in by_key.get(key, ()) if own[number] != hashed]):
                remembered.setdefault(hashed, {})[key] = numbers
        return remembered


_encode = msgspec.json.Encoder().encode


FieldsOf = Callable[[int], frozenset[str]]  # the compared fields that the file of a record can have


class RowComparison(msgspec.Struct, frozen=True):
    """Makes what a row needs, so that its product is as it says."""

    struct: type[Any]  # what the rows were converted to
    fields_of: FieldsOf
    merges: bool  # the service changes only what is sent, so that what a row empties must be sent too

    def creation(self, row: FeedRow) -> ProductChange | None:
        """Return the creation of the product that a row describes; None where the row is invalid."""
        if not row.content:
            return None
        values, (product_key, group_key) = values_in(row.content), row.keys or (None, None)
        item = self.struct(id=row.id, product_key=product_key, item_group_key=group_key, **values)
        fields = {name: FieldChange(None, value) for name, value in values.items()}
        body, digest = _encode(item), item_digest(item)
        return ProductChange("create", item.id, None, fields, row.number, row.line, body, digest)

    def update(
        self, creation: ProductChange, listed: Listed, *, with_id: bool = False
    ) -> ProductChange | None:
        """Return what makes a listed product equal to a row; None where it is.

        The id of the product may differ in form, which is a difference `with_id`.
        """
        new = {name: field.new for name, field in creation.fields.items()}
        fields = difference(new, listed.values, self.fields_of(creation.record))
        emptied = {name: "" for name, field in fields.items() if field.new is None and self.merges}
        if with_id:
            fields = {"id": FieldChange(listed.id, creation.id)} | fields
        if not fields:
            return None
        return msgspec.structs.replace(
            creation,
            action="update",
            product_key=listed.product_key,
            fields=fields,
            body=_with_fields(creation.body, emptied | self._kept(creation, listed)),
            digest=self.digest(creation, listed),
        )

    def _kept(self, creation: ProductChange, listed: Listed) -> dict[str, Any]:
        """Return the values that stay though the file of a row has no such fields.

        A service that replaces products is sent them.
        """
        if self.merges:
            return {}
        own = self.fields_of(creation.record) | creation.fields.keys()
        return {name: value for name, value in listed.values.items() if name not in own}

    def digest(self, creation: ProductChange, listed: Listed) -> bytes:
        """Return what is remembered of a row: another digest than a push of it has where values stay."""
        kept = self._kept(creation, listed)
        return kept_digest(creation.digest, kept) if kept else creation.digest

    def blind(self, creation: ProductChange) -> ProductChange:
        """Return what makes a product equal to a row that may exist, though it cannot be seen."""
        emptied = self.fields_of(creation.record) - creation.fields.keys() if self.merges else ()
        body = _with_fields(creation.body, dict.fromkeys(sorted(emptied), ""))
        return msgspec.structs.replace(creation, body=body)


def _with_fields(body: bytes, fields: dict[str, Any]) -> bytes:
    """Add fields to the JSON of a product, which has some."""
    return body[:-1] + b"," + _encode(fields)[1:] if fields else body


NOT_IN_CATALOG = "not in catalog"  # the rule of a row without a product
UNLISTED = "is not in the catalog"
OR_HIDDEN = ", or is a variant that the service does not list"


class Completion(RowTransform):
    """Applies the steps of a file, and then adds the fields that the catalog has and the file does not."""

    def __init__(self, transform: RowTransform, listing: Path, fields: Collection[str]) -> None:
        super().__init__(transform.steps, transform.keep, transform.fixes)
        self._path = listing
        self._fields = fields  # of which the file has the whole truth: where a row lacks one, it is emptied
        self._listing: ListedProducts | None = None
        self._unlisted = ""  # what is said of an id that is not listed

    def __getstate__(self) -> dict[str, Any]:
        """Leave the database out: another process opens it again."""
        return {**vars(self), "_listing": None}

    @property
    def has_steps(self) -> bool:
        """Tell that every row is changed."""
        return True

    def apply(self, row: Row) -> None:
        """Change a row, and complete it."""
        super().apply(row)
        if row.problem or row.left_out:
            return
        id = str(row.values.get("id", ""))
        listed = self._find(id)
        if listed is None:
            if id:
                row.problem, row.problem_rule = f"{id!r} {self._unlisted}", NOT_IN_CATALOG
            else:
                row.problem = "has no id"
            return
        for name, value in listed.values.items():
            if name not in self._fields:
                row.values.setdefault(name, join_list(value))

    def _find(self, id: str) -> Listed | None:
        if self._listing is None:
            self._listing = ListedProducts.open(self._path)
            self._unlisted = UNLISTED + (OR_HIDDEN if self._listing.may_hide_variants() else "")
        return self._listing.find([id]).get(id)
