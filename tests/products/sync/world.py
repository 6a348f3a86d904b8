"""A catalog in memory that lists and changes products as the service does, and what is remembered of it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace

import msgspec

from ads_cli.api.products import ListProducts, Product
from ads_cli.client.response import read_response
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import read_rows
from ads_cli.feeds.registry import FORMATS
from ads_cli.feeds.source import Source
from ads_cli.products import digest_index
from ads_cli.products.digest_index import DIGEST, NO_KEY, DigestIndex, item_digest
from ads_cli.products.normal_form import COMPARED, PRODUCT_SCHEMA
from ads_cli.products.sync.comparison import CompareOptions, comparing
from ads_cli.products.sync.differences import ProductChange
from ads_cli.products.sync_state import UnknownError
from ads_cli.validation.validator import Validator
from tests.conftest import PRODUCT


@dataclass
class World:
    """A catalog, by the keys of its products; it is client and sync state in one."""

    service: str = "generic"
    hides_variants: bool = False  # in the list of a group too
    stores: Callable[[str], str] = str  # the id that a product has here
    products: dict[str, dict] = field(default_factory=dict)
    remembered: dict[str, dict] = field(default_factory=dict)  # rows, by id, as they were acknowledged
    epoch = "now"
    is_confirmed = True
    seen: set[str] = field(default_factory=set)  # ids that were listed

    def put(self, product: dict) -> None:
        """Create or update a product; service x merges, the other one replaces."""
        product = product | {"id": self.stores(product["id"])}
        key = f"key of {product['id']}"
        merged = self.products.get(key, {}) | product if self.service == "x" else product
        kept = {name: merged[name] for name in ("id", *COMPARED) if merged.get(name) not in ("", None)}
        group = kept.get("item_group_id")
        generated = {"product_key": key} | ({"item_group_key": f"key of {group}"} if group else {})
        self.products[key] = kept | generated

    def pages(self, request: ListProducts):
        """List the catalog, or a group."""
        group, listed, groups = request.item_group_key, [], set()
        for product in self.products.values():
            own = product.get("item_group_key")
            is_hidden = own in groups and (self.hides_variants or not group)
            if not is_hidden and group in (None, own):
                listed.append(product)
            groups |= {own} - {None}
        self.seen |= {product["id"] for product in listed}
        for begin in range(0, len(listed) or 1, 2):
            content = json.dumps({"data": listed[begin : begin + 2]}).encode()
            yield read_response(200, {}, content)

    def read(self) -> tuple[str, DigestIndex]:
        """Return what is remembered."""
        if not self.remembered:
            raise UnknownError("nothing is known")
        items = (msgspec.convert(row, Product) for row in self.remembered.values())
        return self.epoch, DigestIndex.of((*DIGEST.unpack(item_digest(item)), NO_KEY) for item in items)

    def differences(self, rows: Iterable[dict], **options) -> tuple[list[ProductChange], SimpleNamespace]:
        """Compare a feed with the catalog; return the changes and the counts."""
        content = "".join(json.dumps(PRODUCT | row) + "\n" for row in rows).encode()
        source = Source(InMemory(content, "feed"), FORMATS["jsonl"])
        rows = read_rows(source, roots=(), known=PRODUCT_SCHEMA.known)
        validator = Validator(rows, PRODUCT_SCHEMA)
        self.seen.clear()
        with comparing(self, "catalog", self, CompareOptions(**options)) as comparison:
            comparison.watch(validator)
            validator.validate()
            comparison.list_catalog(lambda products: None)
            comparison.compare(validator, lambda rows: None)
            comparison.list_groups(comparison.groups(), lambda groups: None)
            comparison.decide()
            found = comparison.differences
            counts = SimpleNamespace(
                unchanged=found.unchanged,
                unseen=found.unseen,
                not_kept=found.not_kept,
                listed=found.listed,
                equal=[*digest_index.PRODUCT.iter_unpack(found.equal)],
            )
            return [*found], counts

    def apply(self, changes: Iterable[ProductChange]) -> None:
        """Carry changes out."""
        for change in changes:
            if change.action == "delete":
                del self.products[change.product_key]
            else:
                self.put(json.loads(change.body))
