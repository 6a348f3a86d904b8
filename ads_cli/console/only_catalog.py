"""The catalog that a command works in where none is named."""

from typing import TYPE_CHECKING, Protocol

from ..api.catalog import ListCatalogs
from ..errors import UnavailableError, UsageError

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.record_names import RecordNames
    from ..output.messages import Messages


class Caller(Protocol):
    """What is needed of the invocation; importing that would be a cycle."""

    @property
    def client(self) -> "Client":
        """The client."""

    @property
    def messages(self) -> "Messages":
        """Messages on stderr."""

    @property
    def records(self) -> "RecordNames":
        """The names of records."""


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
