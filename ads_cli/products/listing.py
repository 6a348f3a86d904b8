"""The listing of a catalog."""

from collections.abc import Iterator
from typing import Any

from ..api.products import ListProducts
from ..client.client import Client


def list_products(client: Client, catalog: str, group_key: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the products of a catalog, or of one group, page by page.

    Of a group of variants the service lists only the one that was submitted first, unless it is asked
    for the group.
    """
    for response in client.pages(ListProducts(product_catalog_id=catalog, item_group_key=group_key)):
        yield from response.records
