"""The listing of a catalog, and how products compare with it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from ..api.products import ListProducts
from ..client.client import Client
from ..client.response import not_understood
from ..output.text import counted
from .digest_index import DIGEST, NO_KEY, DigestIndex, ProductHashes, id_hash, key_hash, product_digest
from .normal_form import COMPARED, normal_form

ProductT = TypeVar("ProductT", bound=Mapping[str, Any])


def list_products(client: Client, catalog: str, group_key: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the products of a catalog, or of one group, page by page.

    Of a group of variants the service lists only the one that was submitted first, unless it is asked
    for the group.
    """
    for page in product_pages(client, catalog, group_key):
        yield from map(with_id, page)


def product_pages(
    client: Client, catalog: str, group_key: str | None = None
) -> Iterator[list[dict[str, Any]]]:
    """Yield the pages that `list_products` reads; their products may have no id."""
    for response in client.pages(ListProducts(product_catalog_id=catalog, item_group_key=group_key)):
        yield response.records


def with_id(product: ProductT) -> ProductT:
    """Return a listed product. Raise UnavailableError for one without an id, which may be any."""
    if type(id := product.get("id")) not in (str, int, float) or id == "":
        raise not_understood(f"the catalog lists a product whose id is {id!r}")
    return product


def find_products(
    client: Client,
    catalog: str,
    values: Collection[str],
    fields: Collection[str],
    on_progress: Callable[[int], None],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each value with the first product that has it in one of `fields`, until all are found.

    The groups of variants are asked for only where the listing lacks one.
    """
    missing = set(values)
    for number, product in enumerate(list_with_variants(client, catalog), 1):
        on_progress(number)
        lacking = missing.intersection(str(product.get(name)) for name in fields)
        yield from ((value, product) for value in lacking)
        missing -= lacking
        if not missing:
            return


def list_with_variants(client: Client, catalog: str) -> Iterator[dict[str, Any]]:
    """Yield what the listing shows, then the other members of each group."""
    shown = dict[str, set[Any]]()  # ids of the products that the listing shows, by the keys of their groups
    for product in list_products(client, catalog):
        if group := product.get("item_group_key"):
            shown.setdefault(str(group), set()).add(product["id"])
        yield product
    for group, ids in shown.items():
        members = list_products(client, catalog, group)
        yield from (product for product in members if product["id"] not in ids)


SAME, DIFFERING, MISSING = "same", "differing", "missing"
HIDDEN = "hidden"  # not listed though its group is: it may be there, as it is or otherwise, or not at all
ONLY_IN_CATALOG = "only_in_catalog"


class ListingComparison:
    """Compares products with a listing, field by field; hidden variants cannot be compared."""

    def __init__(self, listing: Iterable[Mapping[str, Any]]) -> None:
        self._groups = set[int]()  # hashes of the ids of those that are listed
        self._products = DigestIndex.of(map(self._hashes, listing))
        self.key = NO_KEY  # hash of that of the last item that is the same
        self._results: Counter[str] = Counter()
        self._invalid: set[int] = set()  # id hashes of listed products whose rows are invalid

    def _hashes(self, product: Mapping[str, Any]) -> ProductHashes:
        """Return the hashes of a listed product, and note its group."""
        if group := product.get("item_group_id"):
            self._groups.add(id_hash(str(group)))
        hashed_id, content = DIGEST.unpack(_digest(product))
        return hashed_id, content, key_hash(str(product.get("product_key") or ""))

    def compare(self, item: Any) -> str:
        """Find out whether the catalog has the item as it is, as far as the listing shows."""
        digest = _digest(msgspec.structs.asdict(item))
        if (key := self._products.key_of(digest)) is not None:
            self.key = key
            return SAME
        if id_hash(str(item.id)) in self._products:
            return DIFFERING
        group = item.item_group_id
        return HIDDEN if group and id_hash(group) in self._groups else MISSING

    def count(self, result: str) -> None:
        """Count the result of a valid row."""
        self._results[result] += 1

    def count_invalid(self, product_id: Any) -> None:
        """Note that an invalid row has this id."""
        if (hashed := id_hash(str(product_id))) in self._products:
            self._invalid.add(hashed)

    @property
    def counts(self) -> dict[str, int]:
        """Count the rows by result, and the listed products that no row names."""
        counts = self._results
        unnamed = len(self._products) - counts[SAME] - counts[DIFFERING] - len(self._invalid)
        return {name: counts[name] for name in (SAME, DIFFERING, MISSING)} | {
            ONLY_IN_CATALOG: unnamed,
            HIDDEN: counts[HIDDEN],
        }


def describe(counts: Mapping[str, int]) -> str:
    """Describe the counts of a comparison."""
    hidden = counts[HIDDEN]
    return (
        f"compared with the catalog: {counts[SAME]:,} the same, {counts[DIFFERING]:,} differing, "
        f"{counts[MISSING]:,} missing, {counts[ONLY_IN_CATALOG]:,} only in the catalog"
        + (f"; {counted(hidden, 'variant')} hidden by the listing, not compared" if hidden else "")
    )


def _digest(product: Mapping[str, Any]) -> bytes:
    """Return the digest of a product's values, each in its normal form."""
    product_id = str(product.get("id"))
    values = [product_id, *(normal_form(name, product.get(name)) for name in COMPARED)]
    return product_digest(product_id, msgspec.msgpack.encode(values))
