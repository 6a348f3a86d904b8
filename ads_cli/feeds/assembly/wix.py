"""The products export of Wix Stores, in its older form and in that of catalog V3."""

import re
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal

from ..rows import Row
from .assembled import TRUE, Values, amount, image_fields, price_fields
from .grouped import GroupedRows

OPTIONS = tuple(f"option{number}" for number in range(1, 7))
MEDIA_FOLDER = "https://static.wixstatic.com/media/"
MEDIA_NAME = re.compile(r"^wix:image://v1/([^/#]+)")
COLOR_CODE = re.compile(r"^(#[0-9a-f]{3,8}|rgba?\([^)]*\)):", re.I)  # before the name of a color
CENT = Decimal("0.01")


class WixRows(GroupedRows):
    """A row of the product, then one for each variant and, in the newer form, for each further image."""

    COMPOSED = ("id", "availability", "price", "image_link")

    def _variants(self, handle: str, group: Sequence[Row]) -> Iterator[Row]:
        first = group[0]
        rows = [row for row in group if self._cell(row.values, "row").casefold() == "variant"] or [first]
        images = [link for row in group for link in self._images(row)]
        for row in rows:
            chosen = [
                (self._cell(first.values, f"{each}_name"), choice(self._cell(row.values, each)))
                for each in OPTIONS
                if ";" not in self._cell(row.values, each)
            ]
            several = len(rows) > 1
            own_id = "-".join([handle, *(value for _, value in chosen if value)]) if several else handle
            composed = {
                "id": self._cell(row.values, "sku") or own_id,
                "item_group_id": handle if several else "",
                "product_type": self._cell(first.values, "collection").partition(";")[0].strip(),
                **self._option_fields(chosen),
                **self._stock(row, first),
                **self._price(row, first),
                **image_fields(images),
            }
            yield self._assemble(row, first, composed, group)

    def _stock(self, row: Row, first: Row) -> Values:
        """Return whether a variant can be bought, and how many where that is a number."""
        stock = self._cell(row.values, "inventory") or self._cell(first.values, "inventory")
        quantity = amount(stock)
        name = stock.casefold().replace("_", "")
        if quantity is None:
            availability = {"instock": "in stock", "outofstock": "out of stock"}.get(name, stock)
        else:
            availability = "in stock" if quantity >= 1 else "out of stock"
        takes_orders = self._cell(first.values, "preorder").casefold() in TRUE
        if availability == "out of stock" and takes_orders:
            availability = "preorder"
        is_counted = quantity is not None and quantity >= 1
        return {"availability": availability, "inventory": str(int(quantity or 0)) if is_counted else ""}

    def _price(self, row: Row, first: Row) -> Values:
        """Return the price with the surcharge of a variant, and the discount of the product."""
        price = self._cell(row.values, "price") or self._cell(first.values, "price")
        number = amount(price)
        surcharge = amount(self._cell(row.values, "surcharge")) if row is not first else None
        if number is not None and surcharge:
            number += surcharge
            price = f"{number.quantize(CENT)}"
        if full := self._cell(row.values, "strikethrough_price"):
            return price_fields(price, full)
        discount = amount(self._cell(first.values, "discount"))
        if number is None or not discount or discount <= 0:
            return {"price": price, "sale_price": ""}
        is_percent = self._cell(first.values, "discount_mode").casefold() == "percent"
        reduced = number * (1 - discount / 100) if is_percent else number - discount
        return {"price": price, "sale_price": f"{reduced.quantize(CENT, ROUND_HALF_UP)}"}

    def _images(self, row: Row) -> list[str]:
        links = self._cell(row.values, "images").split(";")
        return [address(link.strip()) for link in links if link.strip()]


def choice(text: str) -> str:
    """Return the name of a choice; that of a color may follow its code."""
    return COLOR_CODE.sub("", text)


def address(image: str) -> str:
    """Return the address of an image that may be named by its file alone."""
    if match := MEDIA_NAME.match(image):
        return MEDIA_FOLDER + match[1]
    return image if "://" in image else MEDIA_FOLDER + image
