"""The products of a catalog, variants included, in a form that push takes."""

from collections.abc import Iterator
from typing import Any

from ..client.client import Client
from .listing import list_products
from .schema import FIELDS


class Pull:
    """Lists a catalog, and by group the variants that its listing hides."""

    columns = FIELDS

    def __init__(self, client: Client, catalog: str) -> None:
        self._client = client
        self._catalog = catalog
        self.products = 0
        self.variants = 0  # found only by their group
        self.single_groups = 0  # groups of which the service shows one member only

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the fields of each product that a feed may hold."""
        for product in self._products():
            self.products += 1
            yield {name: value for name in self.columns if (value := product.get(name)) is not None}

    def _products(self) -> Iterator[dict[str, Any]]:
        for product in list_products(self._client, self._catalog):
            yield product
            if group := product.get("item_group_key"):
                yield from self._variants(product, str(group))

    def _variants(self, listed: dict[str, Any], group_key: str) -> Iterator[dict[str, Any]]:
        """Yield the members of a group that the listing hides."""
        members = list_products(self._client, self._catalog, group_key)
        others = [member for member in members if member.get("product_key") != listed.get("product_key")]
        self.variants += len(others)
        self.single_groups += not others
        yield from others
