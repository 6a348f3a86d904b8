"""Product catalogs."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .conditions import only_for, required_when
from .endpoint import Request, Resource
from .rates import per_quarter_hour
from .types import Id, InCatalog, Name, UserId

PRODUCT_CATALOGS = Resource("/12/product_catalogs", "product_catalog_id")


@PRODUCT_CATALOGS.list("catalog list", example="-o ids", x_rate=per_quarter_hour(1000))
class ListCatalogs(Request):
    """List your product catalogs."""

    user_id: UserId | None = None


@PRODUCT_CATALOGS.create("catalog create", example="--name 'Nordlicht Shop'", x_rate=per_quarter_hour(20))
class CreateCatalog(Request):
    """Create your product catalog.

    A user has one catalog for all products.
    """

    name: Name
    user_id: UserId | None = None


@PRODUCT_CATALOGS.update(
    "catalog rename", example="7310248000000000001 --name 'Nordlicht Shop'", x_rate=per_quarter_hour(20)
)
class RenameCatalog(Request):
    """Rename a product catalog."""

    product_catalog_id: Id
    name: Name


@PRODUCT_CATALOGS.delete(
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


FilterAttribute = Literal[
    "price",
    "product_type",
    "store_product_category",
    "sale_price",
    "inventory",
    "custom_label_0",
    "custom_label_1",
    "custom_label_2",
    "custom_label_3",
    "custom_label_4",
]
FilterOperator = Literal["GREATER_THAN", "EQUAL_TO", "LESS_THAN", "MATCH", "NOT_CONTAINS", "CONTAINS"]


PRODUCT_SETS = Resource(
    "/12/product_catalogs/{product_catalog_id}/product_sets",
    "product_set_id",
    columns="id name type processing_status description",
    params_in="json",
)


@PRODUCT_SETS.get("catalog sets get", example="8s3k1", x_rate=per_quarter_hour(2000))
class GetProductSet(InCatalog):
    """Show one product set."""

    product_set_id: Id


class Filter(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One condition of a FILTERED product set."""

    attribute: FilterAttribute
    operator: FilterOperator
    value: str


Filters = Annotated[
    list[Filter],
    Meta(max_length=30, description="Conditions of a FILTERED set: attribute, operator and value"),
]
ProductKeys = Annotated[
    list[Id], Meta(max_length=50, description="Members of a MANUAL set, separated by commas")
]


@PRODUCT_SETS.create(
    "catalog sets create",
    example="--name Mugs --type FILTERED --filters @filters.yaml",
    x_rate=per_quarter_hour(100),
)
@required_when("filters", type=("FILTERED",))
@required_when("product_keys", type=("MANUAL",))
@only_for("filters", type=("FILTERED",))
@only_for("product_keys", type=("MANUAL",))
class CreateProductSet(InCatalog):
    """Create a product set, from product keys (MANUAL) or from conditions (FILTERED)."""

    name: Name
    type: Literal["MANUAL", "FILTERED"]
    description: str | None = None
    filters: Filters | None = None
    product_keys: ProductKeys | None = None


@PRODUCT_SETS.update(
    "catalog sets update", example="8s3k2 --name 'Gifts for gardeners'", x_rate=per_quarter_hour(500)
)
class UpdateProductSet(InCatalog, kw_only=True):
    """Change a MANUAL product set; a FILTERED one cannot be changed."""

    product_set_id: Id
    name: Name | None = None
    description: str | None = None
    product_keys: ProductKeys | None = None


@PRODUCT_SETS.delete(
    "catalog sets delete",
    confirm_prompt="Delete the product set {product_set_id}; this cannot be undone",
    example="8s3k1",
    x_rate=per_quarter_hour(100),
)
class DeleteProductSet(InCatalog):
    """Delete a product set; its products stay. This cannot be undone."""

    product_set_id: Id
