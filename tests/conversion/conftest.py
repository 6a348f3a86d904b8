"""A shop whose feed needs converting before it can be pushed."""

import csv
import io
import json

import pytest

from tests.adsctl import Adsctl

# As a shop exports it: names of its own, relative addresses, bare prices.
EXPORTED = {
    "Handle": "mug",
    "id": "sku-1",
    "Name": "Mug",
    "title": "",
    "description": "A mug, white.",
    "availability": "in stock",
    "condition": "new",
    "price": "12.50",
    "image_link": "/mug.jpg",
    "brand": "Nordlicht",
    "Status": "active",
}
OPTIONS = (
    *("--set", "link=/p/{Handle}", "--default", "title={brand} {Name}"),
    *("--currency", "EUR", "--base-url", "https://shop.example"),
)


class Exports:
    """Feeds of one shop, checked and pushed with options."""

    def __init__(self, adsctl: Adsctl) -> None:
        self.adsctl = adsctl

    def write(self, *changes: dict, name: str = "feed.csv") -> None:
        """Write a row for each of the changes; None leaves a column out."""
        rows = [
            {column: value for column, value in (EXPORTED | change).items() if value is not None}
            for change in changes
        ]
        if name.endswith(".csv"):
            stream = io.StringIO()
            writer = csv.DictWriter(stream, list(dict.fromkeys(column for row in rows for column in row)))
            writer.writeheader()
            writer.writerows(rows)
            content = stream.getvalue()
        else:
            content = "".join(json.dumps(row) + "\n" for row in rows)
        self.adsctl.file(name, content)

    def check(self, *options: str, name: str = "feed.csv", code: int = 0) -> dict:
        """Check the feed; return the report."""
        return json.loads(self.adsctl("products", "check", name, *options, "-o", "json", code=code).stdout)

    def refused(self, *options: str, name: str = "feed.csv") -> str:
        """Check the feed with options that are refused; return what is said."""
        return self.adsctl("products", "check", name, *options, code=2).stderr


@pytest.fixture
def exports(adsctl: Adsctl) -> Exports:
    return Exports(adsctl)
