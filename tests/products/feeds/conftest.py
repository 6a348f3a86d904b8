"""A shop whose feed needs converting before it can be pushed."""

import io
import json

import pytest

from ads_cli.feeds.formats.writers import open_writer
from ads_cli.feeds.registry import find_writable
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
FORMATS = ("feed.csv", "feed.tsv", "feed.json", "feed.jsonl", "feed.yaml", "feed.xml")
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
        columns = list(dict.fromkeys(column for row in rows for column in row))
        stream = io.StringIO()
        writer = open_writer(stream, find_writable(name), columns)
        for row in rows:
            writer.write(row)
        writer.close()
        self.adsctl.file(name, stream.getvalue())

    def check(self, *options: str, name: str = "feed.csv", code: int = 0) -> dict:
        """Check the feed; return the report."""
        return json.loads(self.adsctl("products", "check", name, *options, "-o", "json", code=code).stdout)

    def refused(self, *options: str, name: str = "feed.csv") -> str:
        """Check the feed with options that are refused; return what is said."""
        return self.adsctl("products", "check", name, *options, code=2).stderr


@pytest.fixture
def exports(adsctl: Adsctl) -> Exports:
    return Exports(adsctl)
