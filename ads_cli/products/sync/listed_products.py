"""The products of a catalog as it lists them, in a temporary database.

A million of them take no memory. The ids themselves are compared, and no hashes, since they decide what is
deleted. Worker processes read the same file while they complete the rows of an update.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ...api.product_ids import id_form
from ...api.values import join_list
from ...parallel import batched
from ..listing import with_id
from ..normal_form import COMPARED, Scope
from . import blob, create_database, open_unchanging, select, text, write

TABLE = """
    CREATE TABLE products (
        number INTEGER PRIMARY KEY, id BLOB, product_key BLOB, group_id BLOB, group_key BLOB,
        in_scope INTEGER, content BLOB)
"""
INDEXES = """
    CREATE INDEX by_id ON products (id);
    CREATE INDEX by_group ON products (group_id) WHERE group_id IS NOT NULL;
    CREATE INDEX by_group_key ON products (group_key) WHERE group_key IS NOT NULL;
"""
# A catalog that changes while it is listed may show a product twice: the last time counts.
DROP_REPEATED = """
    DELETE FROM products WHERE id IN (SELECT id FROM products GROUP BY id HAVING count(*) > 1)
        AND number NOT IN (SELECT max(number) FROM products GROUP BY id HAVING count(*) > 1);
"""
UNMATCHED = "CREATE TABLE unmatched (number INTEGER, form BLOB, product_key BLOB)"
UNMATCHED_INDEXES = """
    CREATE INDEX unmatched_by_form ON unmatched (form);
    CREATE INDEX unmatched_by_key ON unmatched (product_key);
"""
INSERTED_AT_ONCE = 10_000
_encode = msgspec.msgpack.Encoder().encode
_compared_of = attrgetter(*COMPARED)
_decode = msgspec.msgpack.Decoder(list[Any]).decode


class Listed(NamedTuple):
    """A product of the catalog, as it is stored."""

    number: int
    stored_id: bytes
    stored_key: bytes | None
    content: bytes  # its values, as `content_of_product` encodes them

    @property
    def id(self) -> str:
        """Return its id in the feed."""
        return text(self.stored_id)

    @property
    def product_key(self) -> str | None:
        """Return its key."""
        return None if self.stored_key is None else text(self.stored_key)

    @property
    def values(self) -> dict[str, Any]:
        """Return the values by field."""
        return values_in(self.content)


class ListedProducts:
    """The database of a listing."""

    def __init__(self, path: Path, db: sqlite3.Connection, scope: Scope | None = None) -> None:
        self.path = path
        self._db, self.scope = db, scope

    @classmethod
    def create(cls, path: Path, scope: Scope | None = None) -> "ListedProducts":
        """Create the database of what is listed within a scope, or of the whole catalog."""
        return cls(path, create_database(path, TABLE), scope)

    @classmethod
    def open(cls, path: Path) -> "ListedProducts":
        """Open a database to which nothing is added meanwhile."""
        return cls(path, open_unchanging(path))

    def add(self, products: Iterable[Mapping[str, Any]]) -> None:
        """Add products; raise UnavailableError for one without an id."""
        rows = [self._row(with_id(product)) for product in products]
        write(self._db, "INSERT INTO products VALUES (NULL, ?, ?, ?, ?, ?, ?)", rows)

    def _row(self, product: Mapping[str, Any]) -> tuple[Any, ...]:
        key, group_id, group_key = map(product.get, ("product_key", "item_group_id", "item_group_key"))
        return (
            blob(product["id"]),
            blob(key) if key else None,
            blob(group_id) if group_id else None,
            blob(group_key) if group_key else None,
            self.scope is None or self.scope.holds(product),
            content_of_product(product),
        )

    def finish(self) -> None:
        """Make the products findable once the catalog is listed; what is added later must be new."""
        self._db.executescript(INDEXES + DROP_REPEATED)

    @property
    def count(self) -> int:
        """Count the products within the scope."""
        return int(self._db.execute("SELECT count(*) FROM products WHERE in_scope").fetchone()[0])

    def find(self, ids: Iterable[str]) -> dict[str, Listed]:
        """Return the products with these ids."""
        return {product.id: product for product in self.find_stored([*map(blob, ids)]).values()}

    def find_stored(self, ids: Sequence[bytes]) -> dict[bytes, Listed]:
        """Return the products with these ids, as they are stored."""
        query = "SELECT number, id, product_key, content FROM products WHERE id IN ({})"
        return {product.stored_id: product for product in map(Listed._make, select(self._db, query, ids))}

    def group_keys(self, group_ids: Iterable[str]) -> dict[str, str]:
        """Return the keys of the groups of which a product is listed; empty where the service gives none."""
        query = "SELECT group_id, max(group_key) FROM products WHERE group_id IN ({}) GROUP BY 1"
        rows = select(self._db, query, [blob(group_id) for group_id in {*group_ids}])
        return {text(group_id): text(key) if key else "" for group_id, key in rows}

    @property
    def has_groups(self) -> bool:
        """Tell whether any product belongs to a group."""
        return self._db.execute("SELECT 1 FROM products WHERE group_id IS NOT NULL").fetchone() is not None

    def every_group_key(self) -> list[str]:
        """Return the keys of all groups."""
        query = "SELECT group_key FROM products WHERE group_key IS NOT NULL GROUP BY 1 ORDER BY min(number)"
        return [text(key) for (key,) in self._db.execute(query)]

    def grouped(self) -> Iterator[tuple[int, str, str]]:
        """Yield number, id and group key of each product within the scope that has one."""
        query = "SELECT number, id, group_key FROM products WHERE in_scope AND group_key IS NOT NULL"
        return ((number, text(id), text(key)) for number, id, key in self._db.execute(query))

    def ids(self) -> Iterator[str]:
        """Yield the ids of all products."""
        return (text(id) for (id,) in self._db.execute("SELECT id FROM products"))

    def groups_of(self, numbers: Iterable[int]) -> set[str]:
        """Return the keys of the groups of products."""
        query = "SELECT group_key FROM products WHERE number IN ({}) AND group_key IS NOT NULL"
        return {text(key) for (key,) in select(self._db, query, [*numbers])}

    def shows_variants(self, group_key: str) -> bool:
        """Tell whether more than one product of a group is listed."""
        query = "SELECT 1 FROM products WHERE group_key = ? LIMIT 2"
        return len(self._db.execute(query, (blob(group_key),)).fetchall()) > 1

    def may_hide_variants(self) -> bool:
        """Tell whether of any group only one product is listed, which may not be all of it."""
        query = "SELECT 1 FROM products WHERE group_id IS NOT NULL GROUP BY group_id HAVING count(*) = 1"
        return self._db.execute(query).fetchone() is not None

    def numbers(self, *, within_scope: bool = False) -> Iterator[int]:
        """Yield the numbers of the products, as they were listed."""
        query = "SELECT number FROM products WHERE in_scope OR NOT ?"
        return (number for (number,) in self._db.execute(query, (within_scope,)))

    def index_unmatched(self, numbers: Iterator[int]) -> None:
        """Make products, whose ids no row has, findable in other ways; once."""
        self._db.executescript(UNMATCHED)
        for part in batched(numbers, INSERTED_AT_ONCE):
            rows = [
                (product.number, blob(id_form(product.id)), product.stored_key) for product in self.read(part)
            ]
            write(self._db, "INSERT INTO unmatched VALUES (?, ?, ?)", rows)
        self._db.executescript(UNMATCHED_INDEXES)

    def unmatched(
        self, column: Literal["form", "product_key"], values: Iterable[bytes | None]
    ) -> dict[bytes, list[int]]:
        """Return the numbers of the unmatched products whose ids have these forms, or with these keys."""
        numbers: dict[bytes, list[int]] = {}
        query = f"SELECT {column}, number FROM unmatched WHERE {column} IN ({{}})"
        for value, number in select(self._db, query, [*filter(None, {*values})]):
            numbers.setdefault(value, []).append(number)
        return numbers

    def read(self, numbers: Sequence[int]) -> Iterator[Listed]:
        """Yield the products with these numbers."""
        query = "SELECT number, id, product_key, content FROM products WHERE number IN ({}) ORDER BY number"
        return map(Listed._make, select(self._db, query, numbers))

    def close(self) -> None:
        """Close the database."""
        self._db.close()


UNSTORABLE = (ValueError, OverflowError, TypeError)  # what no feed can hold


# The values of the fields COMPARED, in their order, None where there is none: where a row and a product have
# equal bytes, nothing differs. Where the bytes differ, the values are compared, which takes longer.


def content_of_item(item: Any) -> bytes:
    """Encode the values of what a row was converted to."""
    return _encode(_compared_of(item))


def content_of_product(product: Mapping[str, Any]) -> bytes:
    """Encode the values of a listed product; empty texts are as absent values."""
    values = [*map(product.get, COMPARED)]
    if "" in values:
        values = [None if value == "" else value for value in values]
    try:
        return _encode(values)
    except UNSTORABLE:
        return _encode([*map(_storable, values)])


def values_in(content: bytes) -> dict[str, Any]:
    """Decode the values by field, without those that are None."""
    values = zip(COMPARED, _decode(content), strict=True)
    return {name: value for name, value in values if value is not None}


def _storable(value: Any) -> Any:
    """Return a value, or a text like it where it cannot be stored."""
    try:
        _encode(value)
    except UNSTORABLE:
        return str(join_list(value)).encode("utf-8", "replace").decode()
    return value
