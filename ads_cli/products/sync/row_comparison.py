"""The rows of a feed: kept, compared with the products of a catalog, or completed by them."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from ...api.product_ids import id_form
from ...feeds.row import Row, RowTransform
from ...parallel import batched
from ...validation import CheckedRow, KeptRun
from ..digest_index import KEY_BYTES, DigestIndex, id_hash, item_digest, kept_digest, key_hash
from ..normal_form import OUT_OF_SCOPE, join_list
from . import blob, text
from .differences import FieldChange, ProductChange, Unlisted, difference
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

    def item(self, struct: type[Any]) -> Any:
        """Return the item that the row was converted to."""
        product_key, item_group_key = self.keys or (None, None)
        return struct(
            id=self.id, product_key=product_key, item_group_key=item_group_key, **values_in(self.content)
        )


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
    """Return the rows that were kept of a run."""
    return _unpack(run.packed)


PRODUCTS_AT_ONCE = 10_000


class RowProducts:
    """The products that are those of rows, by number, and among the others those that are all the same."""

    def __init__(self, listing: ListedProducts) -> None:
        self._listing = listing
        self._by_id = bytearray()  # by number: whether a row has its id
        self.spared: list[str] = []  # ids of those that are a row's in another way, and that no row has

    def grow(self) -> None:
        """Make room for the products that are listed by now."""
        self._by_id.extend(bytes(max(0, self._listing.last_number + 1 - len(self._by_id))))

    def add(self, numbers: Iterable[int]) -> None:
        """Note products whose rows have their ids."""
        for number in numbers:
            self._by_id[number] = True

    def __contains__(self, number: int) -> bool:
        return bool(self._by_id[number])

    def others(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield those of some numbers that are not of rows."""
        return (number for number in numbers if not self._by_id[number])

    def alike(self, ids: Iterable[str]) -> dict[str, Listed]:
        """Note the products that differ from the ids of rows in form only; return the first of each id."""
        forms = {id: blob(id_form(id)) for id in ids}
        matches = self._listing.unmatched_by_form(forms.values())
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
        if not (candidates := [*self.others(listing.within_scope())]):
            return
        remembered = self._remembered(index, candidates)
        spared_numbers = set[int]()
        matched = (number for number in listing.numbers() if self._by_id[number])
        for part in batched(matched, PRODUCTS_AT_ONCE):
            products = [*listing.read(part)]
            forms = (blob(id_form(product.id)) for product in products)
            keys = (product.stored_key for product in products)
            spared_numbers.update(*listing.unmatched_by_form(forms).values())
            spared_numbers.update(*listing.unmatched_by_key(keys).values())
            for listed in products if remembered else ():
                # The hash of its own key may be that of another one; then nothing else was acknowledged.
                own = key_hash(listed.product_key or "")
                by_key = remembered.get(id_hash(listed.id), {}).items()
                spared_numbers.update(*(numbers for key, numbers in by_key if key != own))
        for id in unlisted if remembered else ():
            spared_numbers.update(*remembered.get(id_hash(id), {}).values())
        shared = (listed.stored_key for listed in listing.read([*spared_numbers]))
        spared_numbers.update(*listing.unmatched_by_key(shared).values())
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


class ComparedRows(msgspec.Struct):
    """What a run of rows differs in from the catalog."""

    rows: int = 0
    in_feed: list[int] = []  # numbers of listed products
    unchanged: int = 0
    equal: bytearray = bytearray()  # the product of each unchanged row, packed
    updates: list[ProductChange] = []
    unlisted: list[Unlisted] = []
    without_id: list[tuple[int, int]] = []  # record number and line of rows whose id cannot be read


class FileFields(msgspec.Struct, frozen=True):
    """The compared fields that a row has a column or an element for, by its file."""

    fields: tuple[frozenset[str], ...]  # of each file
    ends: tuple[int, ...] = ()  # record number of the last row of each file, where there are several

    def of(self, record: int) -> frozenset[str]:
        """Return the fields of a record."""
        return self.fields[bisect_left(self.ends, record)]


class RowComparison(msgspec.Struct, frozen=True):
    """Compares the rows that were kept of a feed with a listing."""

    listing: ListedProducts
    struct: type[Any]  # what the rows were converted to
    fields: FileFields
    merges: bool  # the service changes only what is sent, so that what a row empties must be sent too
    remembers: bool  # the digests of unchanged rows are wanted

    def __call__(self, run: KeptRun) -> ComparedRows:
        """Compare a run of rows."""
        kept, offset = feed_rows(run), run.records_before
        without_id = [(record + offset, line) for record, line in kept.without_id]
        compared = ComparedRows(kept.rows, without_id=without_id)
        for row in kept.named:
            row.number += offset
        listed = self.listing.find_stored([row.stored_id for row in kept.named])
        compared.in_feed = [product.number for product in listed.values()]
        for row in kept.named:
            if product := listed.get(row.stored_id):
                self._compare(compared, row, product)
            else:
                compared.unlisted.append(Unlisted(row.id, creation=self._creation(row)))
        keys = self.listing.group_keys(filter(None, map(_group_of, compared.unlisted)))
        compared.unlisted = [row._replace(group_key=keys.get(_group_of(row))) for row in compared.unlisted]
        return compared

    def _compare(self, compared: ComparedRows, row: FeedRow, listed: Listed) -> None:
        """Compare a row with the product that the catalog lists."""
        digest = row.digest
        if row.content != listed.content:  # which is seldom, and the rest is slow
            if (creation := self._creation(row)) is None:
                return
            if change := self.update(creation, listed):
                compared.updates.append(change)
                return
            digest = self.digest(creation, listed)
        compared.unchanged += 1
        if self.remembers:
            compared.equal += remembered(digest, listed.product_key)

    def _creation(self, row: FeedRow) -> ProductChange | None:
        """Return the creation of the product that a row describes; None where the row is invalid."""
        if not row.content:
            return None
        item = row.item(self.struct)
        fields = {name: FieldChange(None, value) for name, value in values_in(row.content).items()}
        body, digest = _encode(item), item_digest(item)
        return ProductChange("create", item.id, None, fields, row.number, row.line, body, digest)

    def update(self, creation: ProductChange, listed: Listed) -> ProductChange | None:
        """Return what makes a listed product equal to a row; None where it is."""
        new = {name: field.new for name, field in creation.fields.items()}
        fields = difference(new, listed.values, self.fields.of(creation.record))
        return self._updated(creation, listed, fields) if fields else None

    def alike(self, creation: ProductChange, listed: Listed) -> ProductChange:
        """Return what makes a listed product equal to a row whose id differs in form only."""
        update = self.update(creation, listed) or self._updated(creation, listed, {})
        fields = {"id": FieldChange(listed.id, creation.id)} | update.fields
        return msgspec.structs.replace(update, fields=fields)

    def _updated(
        self, creation: ProductChange, listed: Listed, fields: dict[str, FieldChange]
    ) -> ProductChange:
        """Return the update of a product that differs."""
        emptied = {name: "" for name, field in fields.items() if field.new is None and self.merges}
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
        own = self.fields.of(creation.record) | creation.fields.keys()
        return {name: value for name, value in listed.values.items() if name not in own}

    def digest(self, creation: ProductChange, listed: Listed) -> bytes:
        """Return what is remembered of a row: another digest than a push of it has where values stay."""
        kept = self._kept(creation, listed)
        return kept_digest(creation.digest, kept) if kept else creation.digest

    def blind(self, creation: ProductChange) -> ProductChange:
        """Return what makes a product equal to a row that may exist, though it cannot be seen."""
        emptied = self.fields.of(creation.record) - creation.fields.keys() if self.merges else ()
        body = _with_fields(creation.body, dict.fromkeys(sorted(emptied), ""))
        return msgspec.structs.replace(creation, body=body)


def remembered(digest: bytes, product_key: str | None) -> bytes:
    """Return what the sync state remembers of a row, packed."""
    return digest + key_hash(product_key or "").to_bytes(KEY_BYTES)


def _group_of(row: Unlisted) -> str:
    """Return the id of the group of a row; empty where it has none."""
    group = row.creation.fields.get("item_group_id") if row.creation else None
    return group.new if group else ""


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
