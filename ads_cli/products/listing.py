"""The listing of a catalog."""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from ..api.products import ListProducts
from ..client.client import Client
from ..http.response_body import parse_outline


def list_products(client: Client, catalog: str, group_key: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the products of a catalog, or of one group, page by page.

    Of a group of variants the service lists only the one that was submitted first, unless it is asked
    for the group.
    """
    for response in client.pages(ListProducts(product_catalog_id=catalog, item_group_key=group_key)):
        yield from response.records


def encoded_pages(client: Client, catalog: str) -> Iterator[bytes]:
    """Yield the pages that `list_products` would read, for `parse_records` in another process."""
    for response in client.pages(ListProducts(product_catalog_id=catalog), parse_outline):
        yield response.encoded_records


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
    for number, product in enumerate(_with_hidden(client, catalog), 1):
        on_progress(number)
        found = missing.intersection(str(product.get(name)) for name in fields)
        yield from ((value, product) for value in found)
        missing -= found
        if not missing:
            return


def _with_hidden(client: Client, catalog: str) -> Iterator[dict[str, Any]]:
    """Yield what the listing shows, then the members of each group."""
    groups = dict[str, None]()
    for product in list_products(client, catalog):
        if group := product.get("item_group_key"):
            groups[str(group)] = None
        yield product
    for group in groups:
        yield from list_products(client, catalog, group)
