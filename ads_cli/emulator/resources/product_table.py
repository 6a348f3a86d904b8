"""The products of all catalogs, in a table of their own that stays fast with a million of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from ...api.products import Product
from ..core import ids
from ..core.store import Store

Status = Literal["CREATE_SUCCESS", "UPDATE_SUCCESS", "NO_CHANGE", "ERROR"]

# A member of a group is hidden by another that was submitted earlier.
FIRST_OF_GROUP = """
NOT EXISTS (SELECT 1 FROM products AS earlier
            WHERE earlier.item_group_key = products.item_group_key AND earlier.seq < products.seq)
"""


def put(store: Store, catalog: str, products: Sequence[Product]) -> dict[str, Status]:
    """Create or update products, and tell by id which it was.

    The two generated keys are set on the products here, over whatever the client sent.
    """
    for product in products:
        group = product.item_group_id
        product.product_key = ids.key(catalog, product.id)
        product.item_group_key = ids.key(catalog, "group", group) if group else None
    statuses: dict[str, Status] = {}
    created, updated = [], []
    held = _held(store, [product.product_key or "" for product in products])
    for product in products:
        data = msgspec.json.encode(product)
        before = held.get(product.product_key)
        if before is None:
            statuses[product.id] = "CREATE_SUCCESS"
            created.append((catalog, product.id, product.product_key, product.item_group_key, data))
        elif before == data:
            statuses[product.id] = "NO_CHANGE"
        else:
            statuses[product.id] = "UPDATE_SUCCESS"
            updated.append((product.item_group_key, data, product.product_key))
    run = store.connection.executemany
    run(
        "INSERT INTO products (catalog, id, product_key, item_group_key, data) VALUES (?, ?, ?, ?, ?)",
        created,
    )
    run("UPDATE products SET item_group_key = ?, data = ? WHERE product_key = ?", updated)
    return statuses


def _held(store: Store, keys: Iterable[str]) -> dict[str | None, bytes]:
    """Find what is stored under these keys; a key stands for one id of one catalog."""
    rows = store.connection.execute(
        "SELECT product_key, data FROM products WHERE product_key IN (SELECT value FROM json_each(?))",
        (_array(keys),),
    )
    return dict(rows.fetchall())


def page(
    store: Store, catalog: str, *, group: str | None, after: int, count: int
) -> list[tuple[int, msgspec.Raw]]:
    """Give numbers and products after a number: the first members of groups, or all of one group."""
    which, values = (FIRST_OF_GROUP, ()) if group is None else ("item_group_key = ?", (group,))
    rows = store.connection.execute(
        f"SELECT seq, data FROM products WHERE catalog = ? AND seq > ? AND {which} ORDER BY seq LIMIT ?",
        (catalog, after, *values, count),
    )
    return [(seq, msgspec.Raw(data)) for seq, data in rows]


def delete(store: Store, catalog: str, keys: Iterable[str]) -> set[str]:
    """Delete products for good, and tell which of the keys there were."""
    rows = store.connection.execute(
        "DELETE FROM products WHERE product_key IN (SELECT value FROM json_each(?)) AND catalog = ?"
        " RETURNING product_key",
        (_array(keys), catalog),
    )
    return {key for (key,) in rows.fetchall()}


def clear(store: Store, catalog: str) -> None:
    """Delete all products of a catalog, for good."""
    store.connection.execute("DELETE FROM products WHERE catalog = ?", (catalog,))


def ids_by_key(store: Store, catalog: str, keys: Iterable[str]) -> dict[str, str]:
    """Find the products of these keys."""
    rows = store.connection.execute(
        "SELECT product_key, id FROM products"
        " WHERE product_key IN (SELECT value FROM json_each(?)) AND catalog = ?",
        (_array(keys), catalog),
    )
    return dict(rows.fetchall())


def find(store: Store, catalog: str, id: str) -> bytes | None:
    """Return one product as JSON, or None."""
    query = "SELECT data FROM products WHERE catalog = ? AND id = ?"
    row = store.connection.execute(query, (catalog, id)).fetchone()
    return row[0] if row else None


def every(store: Store, catalog: str) -> Iterator[bytes]:
    """Go through all products of a catalog, as JSON."""
    rows = store.connection.execute("SELECT data FROM products WHERE catalog = ? ORDER BY seq", (catalog,))
    return (data for (data,) in rows)


def _array(values: Iterable[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
