"""Feeds: a file of products, the same with changes, and its encoded batches."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ads_cli.feeds.rows import Rows

ALIKE = {
    "description": " ".join(["A description, with a comma, as long as most are."] * 3),
    "availability": "in stock",
    "condition": "new",
    "brand": "Nordlicht",
    "product_type": "Home > Kitchen",
    "color": "blue",
    "inventory": 7,
}
OWN = ("id", "title", "price", "link", "image_link", "custom_label_0")


def feed(path: Path, rows: int, *, edition: int = 0) -> Path:
    """Write a feed of 13 columns; an `edition` changes the price of every hundredth product."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*OWN, *ALIKE])
        for n in range(rows):
            writer.writerow([*own_values(n, edition).values(), *ALIKE.values()])
    return path


def own_values(n: int, edition: int = 0) -> dict[str, str]:
    """Return the values of a product that are its own."""
    price = n % 100 + 1 + (edition if n % 100 == 0 else 0)
    links = f"https://shop.example/{n}", f"https://images.example/{n}.jpg"
    values = f"sku-{n}", f"Product number {n}", f"{price}.50 EUR", *links, str(n)
    return dict(zip(OWN, values, strict=True))


def xml_feed(path: Path, rows: int) -> Path:
    """Write the same products as RSS."""
    from ads_cli.feeds.formats.writers import open_writer
    from ads_cli.feeds.registry import FORMATS

    with path.open("w") as file:
        writer = open_writer(file, FORMATS["xml"], [*OWN, *ALIKE])
        for n in range(rows):
            writer.write(own_values(n) | ALIKE)
        writer.close()
    return path


def rows_of(feed: Path) -> "Rows":
    """Open a feed of products, as it is."""
    from ads_cli.feeds.reader import open_source, read_rows
    from ads_cli.products.normal_form import PRODUCT_SCHEMA

    return read_rows(open_source(str(feed)), roots=(), known=PRODUCT_SCHEMA.known)


def bodies(path: Path, feed: Path) -> int:
    """Write the request body of each batch of the feed, one per line; return their number."""
    from ads_cli.products.normal_form import PRODUCT_SCHEMA
    from ads_cli.products.plans import ProductPlan
    from ads_cli.products.uploads import PushUpload
    from ads_cli.validation.validator import Validator

    plan = ProductPlan(Validator(rows_of(feed), PRODUCT_SCHEMA), PushUpload("-"), "-", "push")
    plan.file.validate()
    count = 0
    with path.open("wb") as file:
        for batch in plan.batches():
            file.write(b'{"products":[%s]}\n' % b",".join(batch.items.bodies))
            count += 1
    return count
