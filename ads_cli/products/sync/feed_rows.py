"""The rows of a feed as they are kept, from their validation to their comparison with the catalog."""

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any

import msgspec

from ...api.product_values import id_form
from ...feeds.rows import Row
from ...validation.rows import CheckedRow, KeptRun
from ..digest_index import DigestIndex, id_hash, item_digest, key_hash
from ..normal_form import COMPARED
from .database import blob, text
from .listed_products import Listed, ListedProducts, Scope, content_of, values_in

keys_of = attrgetter("product_key", "item_group_key")  # a row may have them, though they are not compared
values_of = attrgetter(*COMPARED)


class FeedRow(msgspec.Struct, array_like=True, gc=False):
    """A row whose id can be read; it has no content where it is invalid."""

    number: int  # of the record within the run
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

    def __init__(self, scope: Scope | None, *, with_digests: bool) -> None:
        self._scope, self._with_digests = scope, with_digests
        self._kept = FeedRows()

    def add(self, checked: CheckedRow, number: int) -> None:
        """Keep a row, unless it is left out."""
        self._kept.rows = number
        row = checked.row
        if row.left_out:
            return
        if not (id := self._id_of(row)):
            self._kept.without_id.append((number, row.line))
            return
        kept, item = FeedRow(number, row.line, blob(id)), checked.item
        if item is not None:
            kept.content = content_of(values_of(item))
            kept.keys = None if (keys := keys_of(item)) == (None, None) else keys
            kept.digest = item_digest(item) if self._with_digests else b""
        self._kept.named.append(kept)

    def _id_of(self, row: Row) -> str:
        """Return the id of a row, which may be invalid; empty where it cannot be read for certain."""
        if row.problem and not (self._scope and self._scope.problem(row.values) == row.problem):
            return ""  # of a row with too many cells, any of them may be the id
        id = row.values.get("id")
        return str(id) if isinstance(id, str | int) and not isinstance(id, bool) else ""

    def packed(self) -> bytes:
        """Return the rows as `feed_rows` reads them."""
        return _pack(self._kept)


def feed_rows(run: KeptRun) -> FeedRows:
    """Return the rows that were kept of a run."""
    return _unpack(run.packed)


PRODUCTS_AT_ONCE = 10_000


class RowProducts:
    """The products that are those of rows, by number, and among the others those that are all the same."""

    def __init__(self) -> None:
        self._by_id = bytearray()  # by number: whether a row has its id
        self.spared: list[str] = []  # ids of those that are a row's in another way, and that no row has

    def grow(self, last_number: int) -> None:
        """Make room for products up to a number."""
        self._by_id.extend(bytes(max(0, last_number + 1 - len(self._by_id))))

    def add(self, numbers: Iterable[int]) -> None:
        """Note products whose rows have their ids."""
        for number in numbers:
            self._by_id[number] = True

    def __contains__(self, number: int) -> bool:
        return bool(self._by_id[number])

    def others(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield those of some numbers that are not of rows."""
        return (number for number in numbers if not self._by_id[number])

    def alike(self, listing: ListedProducts, ids: Iterable[str]) -> dict[str, Listed]:
        """Note the products that differ from the ids of rows in form only; return the first of each id."""
        forms = {id: blob(id_form(id)) for id in ids}
        found = listing.unmatched("form", forms.values())
        numbers = {id: found[form][0] for id, form in forms.items() if form in found}
        self.add(number for each in found.values() for number in each)
        products = {product.number: product for product in listing.read([*{*numbers.values()}])}
        return {id: products[number] for id, number in numbers.items()}

    def spare(self, listing: ListedProducts, index: DigestIndex, unlisted: Iterable[str]) -> None:
        """Note the products that are a row's by the form of its id, or by its key.

        `unlisted` are the ids of rows without a listed product.
        """
        candidates = [*self.others(listing.within_scope())]
        remembered = self._remembered(listing, index, candidates) if len(index) and candidates else {}
        matched = (number for number in listing.numbers() if self._by_id[number]) if candidates else iter(())
        found = set[int]()
        while part := list(islice(matched, PRODUCTS_AT_ONCE)):
            products = [*listing.read(part)]
            for numbers in (
                *listing.unmatched("form", (blob(id_form(each.id)) for each in products)).values(),
                *listing.unmatched("product_key", (each.stored_key for each in products)).values(),
            ):
                found.update(numbers)
            for each in products if remembered else ():
                # The hash of its own key may be that of another one; then nothing else was acknowledged.
                of_others = remembered.get(id_hash(each.id), {}).items()
                found.update(
                    *(numbers for key, numbers in of_others if key != key_hash(each.product_key or ""))
                )
        for id in unlisted if remembered else ():
            found.update(*remembered.get(id_hash(id), {}).values())
        keys = (each.stored_key for each in listing.read([*found]))
        # Each of their keys may be listed under a second id.
        found.update(*listing.unmatched("product_key", keys).values())
        spared = found.intersection(candidates)
        self.spared = [each.id for each in listing.read([*spared])]
        self.add(spared)

    def _remembered(
        self, listing: ListedProducts, index: DigestIndex, candidates: list[int]
    ) -> dict[bytes, dict[int, list[int]]]:
        """Return candidates whose keys were acknowledged for other ids, by hashes of the id and the key."""
        by_key: dict[int, list[int]] = {}
        own: dict[int, bytes] = {}
        for product in listing.read(candidates):
            by_key.setdefault(key_hash(product.product_key or ""), []).append(product.number)
            own[product.number] = id_hash(product.id)
        found: dict[bytes, dict[int, list[int]]] = {}
        for hashed, key in index:
            if key and (numbers := [each for each in by_key.get(key, ()) if own[each] != hashed]):
                found.setdefault(hashed, {})[key] = numbers
        return found
