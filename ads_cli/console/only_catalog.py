"""The catalog that a command works in where none is named."""

from ..api.catalog import ListCatalogs
from ..errors import UnavailableError, UsageError
from .caller import Caller


def only_catalog(call: Caller) -> str:
    """Return the user's only catalog; raise UsageError where there is none, or several."""
    catalogs = call.client.call(ListCatalogs()).records
    if not all(type(catalog.get("id")) in (str, int) and catalog["id"] for catalog in catalogs):
        raise UnavailableError("the response lists a product catalog without an id")
    if not catalogs:
        raise UsageError("there is no product catalog yet", hint="adsctl catalog create --name 'My shop'")
    listed = ", ".join(f"{catalog['id']} ({catalog.get('name')})" for catalog in catalogs)
    if len(catalogs) > 1:
        raise UsageError(f"there are several product catalogs: {listed}", hint="choose one with --catalog")
    call.messages.detail(f"catalog {listed}")
    call.records.take("product_catalog_id", catalogs)
    return str(catalogs[0]["id"])
