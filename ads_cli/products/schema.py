"""The rows of product feeds, and of files of keys to delete."""

import msgspec

from ..api.fields import fields_of
from ..api.product_ids import id_form
from ..api.products import Product, Text
from ..api.types import Id
from ..feeds.fixes.advice import FixAdvisor
from ..validation.schema import RowSchema

FIELDS = tuple(field.name for field in fields_of(Product))
_json = msgspec.json.Encoder()


class ProductKey(msgspec.Struct):
    """A product to be deleted."""

    product_key: Id


class ProductId(msgspec.Struct):
    """A product to be deleted, whose key is looked up."""

    id: Text


def encode_product(product: Product) -> bytes:
    """Encode a product as JSON."""
    return _json.encode(product)


def encode_id(product: ProductId) -> bytes:
    """Encode an id as JSON."""
    return _json.encode(product.id)


def encode_key(key: ProductKey) -> bytes:
    """Encode a key as JSON."""
    return _json.encode(key.product_key)


PRODUCT_SCHEMA = RowSchema(
    struct=Product,
    id_field="id",
    duplicate_message="the service ignores all rows with the same id",
    required=tuple(field.name for field in fields_of(Product) if field.required),
    known=FIELDS,
    encode=encode_product,
    roots=("products",),
    advisor=FixAdvisor(),
    id_form=id_form,
)
KEY_SCHEMA = RowSchema(
    struct=ProductKey,
    id_field="product_key",
    duplicate_message="list each key once",
    required=("product_key",),
    known=FIELDS,  # a file that `products pull` wrote may be used
    encode=encode_key,
    roots=("products",),
)
ID_SCHEMA = KEY_SCHEMA._replace(
    struct=ProductId,
    id_field="id",
    duplicate_message="list each id once",
    required=("id",),
    encode=encode_id,
)
