"""Product catalogs."""

from .endpoint import Request, endpoint
from .rates import per_quarter_hour
from .types import Id, Name, UserId


@endpoint("GET /12/product_catalogs", "catalog list", example="-o ids", x_rate=per_quarter_hour(1000))
class ListCatalogs(Request):
    """List your product catalogs."""

    user_id: UserId | None = None


@endpoint(
    "POST /12/product_catalogs",
    "catalog create",
    example="--name 'Nordlicht Shop'",
    x_rate=per_quarter_hour(20),
)
class CreateCatalog(Request):
    """Create your product catalog.

    A user has one catalog for all products.
    """

    name: Name
    user_id: UserId | None = None


@endpoint(
    "PUT /12/product_catalogs/{product_catalog_id}",
    "catalog rename",
    example="7310248000000000001 --name 'Nordlicht Shop'",
    x_rate=per_quarter_hour(20),
)
class RenameCatalog(Request):
    """Rename a product catalog."""

    product_catalog_id: Id
    name: Name


@endpoint(
    "DELETE /12/product_catalogs/{product_catalog_id}",
    "catalog delete",
    confirm_prompt="Delete the catalog {product_catalog_id} and all its products; this cannot be undone",
    example="7310248000000000001",
    x_rate=per_quarter_hour(20),
)
class DeleteCatalog(Request):
    """Delete a product catalog with all its products.

    This cannot be undone.
    """

    product_catalog_id: Id
