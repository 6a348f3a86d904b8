"""Show products by the ids of their feed, or by their keys."""

from typing import Annotated, Literal

import typer

from ...console.invocation import Invocation
from ...errors import NotFoundError

NAMED = 10  # products that are not there, in a message


def get(
    ctx: typer.Context,
    products: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of the feed, or product keys")],
    by: Annotated[
        Literal["id", "key"] | None, typer.Option("--by", help="What the names are (default: either)")
    ] = None,
) -> None:
    """Show products of a catalog.

    The service has no request for one product: the catalog is listed until all are found, and then the
    groups of variants, of which the listing shows only the first member.

    For example: adsctl products get sku-1
    """
    from ...api.products import ListProducts
    from ...console.progress import progress
    from ...console.results import show
    from ...output.text import first_of
    from ...products.listing import find_products

    call = Invocation.of(ctx, mutates=False)
    fields = {"id": ("id",), "key": ("product_key",), None: ("id", "product_key")}[by]
    named = [*dict.fromkeys(products)]
    with progress(call.messages, "Listing the catalog", None) as on_progress:
        found = dict(find_products(call.client, call.catalog, named, fields, on_progress))
    names = call.settings.names  # the service's own, as in every answer that is shown
    records = [names.to_wire(found[name], ()) for name in named if name in found]
    if records:
        request = ListProducts(product_catalog_id=call.catalog)
        show(call, request, records[0] if len(named) == 1 else records)
    if missing := [name for name in named if name not in found]:
        listed = first_of(missing, NAMED, repr)
        verb = "is" if len(missing) == 1 else "are"
        raise NotFoundError(
            f"{listed} {verb} not in the catalog",
            hint="'adsctl products list --all' shows the ids and keys there are",
        )
