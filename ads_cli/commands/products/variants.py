"""The list of a catalog with all variants."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...api.products import ListProducts
from ...console.conditions import Narrowing
from ...console.invocation import Invocation
from ...errors import UsageError
from ...numbers import parse_count
from ...products.listing import list_with_variants


def show_list(
    call: Invocation,
    request: ListProducts,
    *,
    envelope: bool | None,
    all: bool,
    limit: str | None,
    narrowing: Narrowing | None = None,
) -> None:
    """Print the products of a catalog, and the variants that the service lists by their groups only."""
    if envelope or request.cursor or request.item_group_key:
        other = "--envelope" if envelope else "--cursor" if request.cursor else "--item-group-key"
        raise UsageError(f"--variants: cannot be used with {other}", hint="it reads all pages")
    most, endpoint = None if limit is None else parse_count(limit, "--limit"), request.endpoint
    products: Iterable[Any] = list_with_variants(call.client, request.product_catalog_id)
    products = islice(narrowing.applied(iter(products)) if narrowing else products, most)
    call.printer.noun = "products"
    shape = (endpoint.columns, endpoint.record_id, endpoint.extra_fields)
    if call.printer.streams:
        call.printer.show_records(products, *shape)
    else:
        call.printer.show([*products], *shape)
