"""The products export of Shopify."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from ..rows import Row
from .assembled import TRUE, Values, amount, image_fields, price_fields
from .grouped import GroupedRows

NO_OPTION = "default title"  # of a product without variants
OPTIONS = ("option1", "option2", "option3")
CONTINUE = ("continue", *TRUE)  # selling when out of stock


class ShopifyRows(GroupedRows):
    """A row for each variant and for each further image, in which the product's columns are empty."""

    COMPOSED = ("id", "availability", "price", "link", "image_link")

    def _variants(self, handle: str, group: Sequence[Row]) -> Iterator[Row]:
        first = group[0]
        variants = [row for row in group if self._is_variant(row)] or [first]
        images = self._images(group)
        for row in variants:
            values = self._options(row, first)
            chosen = [self._cell(row.values, option) for option in OPTIONS]
            several = len(variants) > 1
            own_id = "-".join([handle, *filter(None, chosen)]) if several else handle
            composed = {
                "id": self._cell(row.values, "sku").lstrip("'") or own_id,
                "gtin": self._cell(row.values, "barcode").lstrip("'"),
                "item_group_id": handle if several else "",
                "link": f"/products/{quote(handle)}",
                **values,
                **self._stock(row),
                **price_fields(self._cell(row.values, "price"), self._cell(row.values, "compare_at_price")),
                **image_fields(images, self._cell(row.values, "variant_image")),
            }
            yield self._assemble(row, first, composed, group)

    def _is_variant(self, row: Row) -> bool:
        return any(self._cell(row.values, role) for role in ("price", "sku", "option1"))

    def _options(self, row: Row, first: Row) -> Values:
        """Return the fields that the options of a variant give; their names are in the first row."""
        pairs = ((self._cell(first.values, f"{each}_name"), self._cell(row.values, each)) for each in OPTIONS)
        return self._option_fields((name, value) for name, value in pairs if value.casefold() != NO_OPTION)

    def _stock(self, row: Row) -> Values:
        """Return whether a variant can be bought, and how many where that is tracked."""
        quantity = amount(self._cell(row.values, "quantity"))
        if quantity is None or not self._cell(row.values, "tracker"):
            return {"availability": "in stock", "inventory": ""}
        if quantity >= 1:
            return {"availability": "in stock", "inventory": str(int(quantity))}
        is_sold = self._cell(row.values, "policy").casefold() in CONTINUE
        return {"availability": "in stock" if is_sold else "out of stock", "inventory": ""}

    def _images(self, group: Sequence[Row]) -> list[str]:
        """Return the images of a product by their positions."""
        found = []
        for order, row in enumerate(group):
            if link := self._cell(row.values, "image"):
                position = amount(self._cell(row.values, "image_position"))
                found.append((order + 1 if position is None else position, order, link))
        return [link for _, _, link in sorted(found)]
