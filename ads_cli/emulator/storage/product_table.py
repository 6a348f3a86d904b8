"""The table of products; it stays fast with a million of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from ...api.products import Product
from . import Store, derived_key

Status = Literal["CREATE_SUCCESS", "UPDATE_SUCCESS", "NO_CHANGE", "ERROR"]

# A list shows only the first submitted product of a group.
FIRST_OF_GROUP = """
NOT EXISTS (SELECT 1 FROM products AS earlier
            WHERE earlier.item_group_key = products.item_group_key AND earlier.seq < products.seq)
"""


def put(store: Store, catalog: str, products: Sequence[Product]) -> dict[str, Status]:
    """Create or update products; return the status of each by id.

    Sets the two generated keys of each product, replacing values that the client sent.
    """
    for product in products:
        group = product.item_group_id
        product.product_key = derived_key(catalog, product.id)
        product.item_group_key = derived_key(catalog, "group", group) if group else None
    statuses: dict[str, Status] = {}
    created, updated = [], []
    stored = _data_by_key(store, [product.product_key or "" for product in products])
    for product in products:
        data = msgspec.json.encode(product)
        before = stored.get(product.product_key)
        if before is None:
            statuses[product.id] = "CREATE_SUCCESS"
            created.append((catalog, product.id, product.product_key, product.item_group_key, data))
        elif before == data:
            statuses[product.id] = "NO_CHANGE"
        else:
            statuses[product.id] = "UPDATE_SUCCESS"
            updated.append((product.item_group_key, data, product.product_key))
    executemany = store.connection.executemany
    executemany(
        "INSERT INTO products (catalog, id, product_key, item_group_key, data) VALUES (?, ?, ?, ?, ?)",
        created,
    )
    executemany("UPDATE products SET item_group_key = ?, data = ? WHERE product_key = ?", updated)
    return statuses


def _data_by_key(store: Store, keys: Iterable[str]) -> dict[str | None, bytes]:
    """Return the stored JSON by product key; a key is unique in all catalogs."""
    rows = store.connection.execute(
        "SELECT product_key, data FROM products WHERE product_key IN (SELECT value FROM json_each(?))",
        (_json_array(keys),),
    )
    return dict(rows.fetchall())


def find(store: Store, catalog: str, id: str) -> bytes | None:
    """Return one product as JSON, or None."""
    data: bytes | None = store.value("SELECT data FROM products WHERE catalog = ? AND id = ?", catalog, id)
    return data


def iterate(store: Store, catalog: str) -> Iterator[bytes]:
    """Yield all products of a catalog as JSON, in the order of creation."""
    rows = store.connection.execute("SELECT data FROM products WHERE catalog = ? ORDER BY seq", (catalog,))
    return (data for (data,) in rows)


def page(
    store: Store, catalog: str, *, group: str | None, after: int, count: int
) -> list[tuple[int, msgspec.Raw]]:
    """Return sequence numbers and products after one: the first of each group, or all of one group."""
    condition, values = (FIRST_OF_GROUP, ()) if group is None else ("item_group_key = ?", (group,))
    rows = store.connection.execute(
        f"SELECT seq, data FROM products WHERE catalog = ? AND seq > ? AND {condition} ORDER BY seq LIMIT ?",
        (catalog, after, *values, count),
    )
    return [(seq, msgspec.Raw(data)) for seq, data in rows]


def ids_by_key(store: Store, catalog: str, keys: Iterable[str]) -> dict[str, str]:
    """Return the ids of the products with these keys, by key."""
    rows = store.connection.execute(
        "SELECT product_key, id FROM products"
        " WHERE product_key IN (SELECT value FROM json_each(?)) AND catalog = ?",
        (_json_array(keys), catalog),
    )
    return dict(rows.fetchall())


def delete(store: Store, catalog: str, keys: Iterable[str]) -> set[str]:
    """Delete products; return the keys that existed."""
    rows = store.connection.execute(
        "DELETE FROM products WHERE product_key IN (SELECT value FROM json_each(?)) AND catalog = ?"
        " RETURNING product_key",
        (_json_array(keys), catalog),
    )
    return {key for (key,) in rows.fetchall()}


def clear(store: Store, catalog: str) -> None:
    """Delete all products of a catalog."""
    store.connection.execute("DELETE FROM products WHERE catalog = ?", (catalog,))


def _json_array(values: Iterable[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
