"""Direct access to the data of an emulator, for tests and tools."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from ..api.products import Product
from .storage import Record, Store, audience_user_table, product_table


class EmulatorData:
    """Read and prepare the stored data without requests: no signatures, rules or rate limits apply.

    `catalog` and `owner` default to the seeded catalog and the default account.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def products(self, catalog: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the products of a catalog in the order of creation, including variants that lists hide."""
        rows = product_table.iterate(self._store, catalog or self._store.setting("catalog"))
        return (msgspec.json.decode(data) for data in rows)

    def product(self, id: str, catalog: str | None = None) -> dict[str, Any] | None:
        """Return one product, or None."""
        data = product_table.find(self._store, catalog or self._store.setting("catalog"), id)
        return None if data is None else msgspec.json.decode(data)

    def add_products(self, products: Iterable[Mapping[str, Any]], catalog: str | None = None) -> None:
        """Create or update products, in one transaction."""
        items = [msgspec.convert(product, Product) for product in products]
        with self._store.transaction():
            product_table.put(self._store, catalog or self._store.setting("catalog"), items)

    def add_records(self, kind: str, records: Iterable[Record], owner: str | None = None) -> None:
        """Create records, each with an `id`, in one transaction."""
        with self._store.transaction():
            for record in records:
                fields = {name: value for name, value in record.items() if name != "id"}
                self._store.add(kind, record["id"], fields, owner=owner or self._store.setting("account"))

    def update_record(self, kind: str, id: str, fields: Record, owner: str | None = None) -> None:
        """Set fields of a record."""
        with self._store.transaction():
            self._store.update(kind, id, fields, owner=owner or self._store.setting("account"))

    def audiences(self) -> list[dict[str, Any]]:
        """List audiences and do-not-reach lists, each with its number of users."""
        query = (
            "SELECT id, json_extract(data, '$.name'), kind FROM records"
            " WHERE kind IN ('audience', 'do_not_reach_list') AND NOT deleted ORDER BY seq"
        )
        rows = self._store.connection.execute(query).fetchall()
        return [
            {"id": id, "name": name, "kind": kind, "users": audience_user_table.count(self._store, id)}
            for id, name, kind in rows
        ]

    def audience_user(self, audience: str, field: str, value: str) -> int | None:
        """Return the number of the user with an identifier, or None.

        `field` is the name of the identifier in a request (email, partner_user_id, ...), `value` the
        value that was sent.
        """
        identifier = audience_user_table.identifier_hash(audience, field, value)
        return audience_user_table.find_user(self._store, identifier)

    def clear_audience(self, audience: str) -> None:
        """Remove all users of an audience."""
        with self._store.transaction():
            audience_user_table.clear(self._store, audience)
