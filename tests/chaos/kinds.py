"""What can be pushed: a file for it, its requests, and how to tell what the service holds of it."""

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random

from ads_cli.emulator.app import Emulator
from tests.conftest import PRODUCT

Rows = list[dict[str, str]]
Keys = tuple[str, ...]  # of the rows in one request


class Kind(ABC):
    """One kind of upload; a second one is a second class."""

    words: tuple[str, ...]  # of the command
    method: str
    ending: str  # of the path that takes the requests
    size: int  # rows in a request

    @abstractmethod
    def rows(self, chance: Random, count: int) -> Rows:
        """Draw the rows of a file; the first column names a row."""

    @abstractmethod
    def keys(self, body: bytes) -> Keys:
        """Name the rows that a request carries."""

    @abstractmethod
    def held(self, emulator: Emulator) -> Mapping[str, dict[str, str]]:
        """Read from the store itself what the service holds, by name; a list would hide some."""

    def batches(self, rows: Rows) -> dict[Keys, int]:
        """Number the requests of a file by the rows they carry."""
        names = [next(iter(row.values())) for row in rows]
        return {tuple(names[at : at + self.size]): n for n, at in enumerate(range(0, len(names), self.size))}

    def lost(self, rows: Rows, emulator: Emulator) -> int:
        """Count the rows of a file that the service does not hold as they are."""
        held = self.held(emulator)
        return sum(not row.items() <= held.get(next(iter(row.values())), {}).items() for row in rows)


class Products(Kind):
    """A feed; some products are variants, which a list hides."""

    words = ("products", "push")
    method, ending, size = "PUT", "/products", 25

    def rows(self, chance: Random, count: int) -> Rows:
        def product(number: int) -> dict[str, str]:
            group = {"item_group_id": f"group-{chance.randrange(5)}", "size": str(number)}
            title = {"title": f"Mug {chance.randrange(10**9)} " + "x" * chance.choice((0, 0, 120))}
            return PRODUCT | {"id": f"sku-{number}"} | title | group

        return [product(number) for number in range(count)]

    def keys(self, body: bytes) -> Keys:
        return tuple(product["id"] for product in json.loads(body)["products"])

    def held(self, emulator: Emulator) -> Mapping[str, dict[str, str]]:
        found = emulator._store.connection.execute("SELECT data FROM products WHERE id LIKE 'sku-%'")
        return {product["id"]: product for product in (json.loads(data) for (data,) in found)}


def as_csv(rows: Rows) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
