"""The products of a catalog, variants included, in a form that push takes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from ..client.client import Client
from ..errors import NotFoundError, RefusedError, UnavailableError
from ..output.text import counted
from .listing import list_products
from .normal_form import FIELDS
from .sync import blob, create_database, temporary_folder

MAX_FAILED_IN_A_ROW = 3  # groups that cannot be listed, after which nothing else is asked for
SEEN = "CREATE TABLE seen (name BLOB PRIMARY KEY) WITHOUT ROWID"


class Pull:
    """Lists a catalog, and by group the variants that its listing hides."""

    columns = FIELDS

    def __init__(self, client: Client, catalog: str) -> None:
        self._client = client
        self._catalog = catalog
        self.products = 0
        self.variants = 0  # found only by their group
        self.single_groups = 0  # groups of which the service shows one member only
        self._shown_groups = 0  # groups of which it shows several
        self._without_key = 0  # products of groups that cannot be asked for
        self._failed = 0  # groups that could not be listed
        self._failed_in_a_row = 0
        self._reason = ""  # of the first of them

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the fields of each product that a feed may hold, once each, even if a page shifts."""
        with temporary_folder() as folder, closing(create_database(folder / "seen.db", SEEN)) as seen:
            for product in self._products(seen):
                self.products += 1
                fields = {name: value for name in self.columns if (value := product.get(name)) is not None}
                yield fields | ({"id": str(fields["id"])} if "id" in fields else {})

    @property
    def missing(self) -> str:
        """Say which variants may be missing; empty where the service has shown all of them."""
        gaps = []
        if self._failed:
            gaps.append(f"{counted(self._failed, 'group')} of variants could not be listed: {self._reason}")
        if self._without_key:
            products = counted(self._without_key, "product")
            gaps.append(f"{products} of a group without an item_group_key: its variants cannot be asked for")
        if self.single_groups and not self._shown_groups:
            gaps.append(f"of {counted(self.single_groups, 'group')} the service shows one member only")
        return "; ".join([*gaps, "variants may be missing"]) if gaps else ""

    def _products(self, seen: sqlite3.Connection) -> Iterator[dict[str, Any]]:
        for product in list_products(self._client, self._catalog):
            if not _is_new(seen, product):
                continue
            yield product
            if group := product.get("item_group_key"):
                yield from self._variants(seen, product, str(group))
            elif product.get("item_group_id"):
                self._without_key += 1

    def _variants(
        self, seen: sqlite3.Connection, listed: dict[str, Any], group: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the members of a group that the listing hides."""
        if not (members := self._members(group)):
            return
        others = [member for member in members if member.get("product_key") != listed.get("product_key")]
        self._shown_groups += bool(others)
        self.single_groups += not others
        for member in others:
            if _is_new(seen, member):
                self.variants += 1
                yield member

    def _members(self, group: str) -> list[dict[str, Any]]:
        """List a group. Continue without a group that cannot be listed, unless several in a row fail."""
        try:
            products = [*list_products(self._client, self._catalog, group)]
            members = [product for product in products if str(product.get("item_group_key")) == group]
            if not members:
                raise NotFoundError(f"the service lists no product of the group {group}")
        except (NotFoundError, RefusedError, UnavailableError) as error:
            self._failed_in_a_row += 1
            if self._failed_in_a_row == MAX_FAILED_IN_A_ROW:
                raise
            self._failed += 1
            self._reason = self._reason or error.message
            return []
        self._failed_in_a_row = 0
        return members


def _is_new(seen: sqlite3.Connection, product: dict[str, Any]) -> bool:
    """Note a product; return False where one with its key or its id was noted before."""
    names = [blob(f"{name} {product[name]}") for name in ("product_key", "id") if product.get(name)]
    query = "INSERT OR IGNORE INTO seen VALUES (?)"
    added = [seen.execute(query, (name,)).rowcount for name in names]  # both, whatever the first one is
    return all(added)
