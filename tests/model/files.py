"""The files that the user of the model pushes."""

import csv
import io
from dataclasses import dataclass
from datetime import UTC, datetime

from ads_cli.emulator.storage import derived_key
from tests.conftest import PRODUCT

PEOPLE = 90


@dataclass(frozen=True)
class Feed:
    """Products with consecutive ids and one price, so that feeds overlap and differ."""

    first: int = 1
    count: int = 60
    price: int = 1
    spoiled: bool = False  # every ninth product has no valid price

    @property
    def valid(self) -> dict[str, str]:
        """The price of each product that can be sent."""
        rows = range(self.first, self.first + self.count)
        return {f"sku-{n}": f"{self.price}.00 EUR" for n in rows if not (self.spoiled and n % 9 == 0)}

    @property
    def has_invalid(self) -> bool:
        return len(self.valid) < self.count

    @property
    def products(self) -> list[dict[str, str]]:
        prices, ids = self.valid, (f"sku-{n}" for n in range(self.first, self.first + self.count))
        return [PRODUCT | {"id": id, "price": prices.get(id, "cheap")} for id in ids]

    @property
    def text(self) -> str:
        return _csv(self.products)


@dataclass(frozen=True)
class Keys:
    """Product keys to delete."""

    first: int = 1
    count: int = 30

    @property
    def ids(self) -> list[str]:
        return [f"sku-{n}" for n in range(self.first, self.first + self.count)]

    def of(self, catalog: str) -> list[str]:
        return [derived_key(catalog, id) for id in self.ids]

    def text(self, catalog: str) -> str:
        return "\n".join(["product_key", *self.of(catalog), ""])


@dataclass(frozen=True)
class People:
    """A list that adds some people for good and some for a time, and removes others."""

    first: int
    count: int
    removes: bool  # every fifth
    expires_at: float | None = None  # Unix seconds: of every third

    @property
    def rows(self) -> dict[str, tuple[str, float | None]]:
        """The operation and the end for each person."""

        def row(n: int) -> tuple[str, float | None]:
            operation = "Delete" if self.removes and n % 5 == 0 else "Update"
            return operation, self.expires_at if n % 3 == 0 else None

        return {f"p{n % PEOPLE}@shop.example": row(n) for n in range(self.first, self.first + self.count)}

    def valid_at(self, now: float) -> dict[str, bool]:
        """Whether each person who can be sent is in the audience afterwards."""
        rows = self.rows.items()
        return {email: operation == "Update" for email, (operation, end) in rows if end is None or end > now}

    @property
    def text(self) -> str:
        rows = self.rows.items()
        return _csv(
            [
                {"email": email, "operation_type": operation, "expires_at": _time(end)}
                for email, (operation, end) in rows
            ]
        )


def _time(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _csv(rows: list[dict[str, str]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
