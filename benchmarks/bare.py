"""The floor of validation: csv.reader, and msgspec.convert into a struct without limits.

Usage: python bare.py FILE
"""

import csv
import sys
from pathlib import Path

import msgspec


class Product(msgspec.Struct, kw_only=True):
    """The fields of a product, without limits."""

    id: str
    title: str
    description: str
    availability: str
    condition: str
    price: str
    link: str
    image_link: str
    brand: str | None = None
    product_type: str | None = None
    inventory: int | None = None
    color: str | None = None
    custom_label_0: str | None = None


def main(path: str) -> None:
    """Read every row."""
    with Path(path).open(newline="") as file:
        reader = csv.reader(file)
        fields = next(reader)
        for cells in reader:
            msgspec.convert(dict(zip(fields, cells, strict=True)), Product, strict=False)


if __name__ == "__main__":
    main(sys.argv[1])
