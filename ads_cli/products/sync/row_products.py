"""Which listed products are those of rows, though no row has their ids as the catalog lists them.

A service may store an id in another form (see `api/product_ids.py`), list one product under two ids, or
list it under another id than it was acknowledged for. What is a row's in any of these ways is never deleted.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from ...api.product_ids import id_form
from ..digest_index import DigestIndex, id_hash, key_hash
from .database import blob
from .listed_products import Listed, ListedProducts

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
