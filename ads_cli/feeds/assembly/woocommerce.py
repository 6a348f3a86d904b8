"""The products export of WooCommerce."""

import re
from collections.abc import Iterator

from ..rows import Row
from .assembled import AssembledRows, Values, amount, image_fields

SEPARATOR = re.compile(r"(?<!\\),\s*")  # the exporter escapes a comma inside a value
ATTRIBUTE_NAME = re.compile(r"attribute \d+ name", re.I)
ID_REFERENCE = "id:"
AVAILABILITY = {"1": "in stock", "0": "out of stock", "backorder": "available for order"}
# An interval needs two ends; the export may have one. Dates without an offset are those of UTC.
BEFORE_ALL_SALES, AFTER_ALL_SALES = "1970-01-01T00:00:00+00:00", "2099-12-31T23:59:59+00:00"


class WooCommerceRows(AssembledRows):
    """A row for each product; variations name their parent, which is anywhere in the file and not sent."""

    COMPOSED = ("id", "description", "availability", "price", "link", "image_link")

    _parents: dict[str, Row] | None = None  # by SKU and by `id:`

    def _products(self) -> Iterator[Row]:
        if self._parents is None:
            self._parents = dict(self._find_parents())
        for row in self._rows_read():
            kinds = self._kinds(row)
            if "variable" in kinds and not row.problem:
                continue
            parent = self._parents.get(self._cell(row.values, "parent")) if "variation" in kinds else None
            yield self._product(row, parent or row)

    def _find_parents(self) -> Iterator[tuple[str, Row]]:
        for row in self._rows_read():
            if "variable" in self._kinds(row):
                if sku := self._cell(row.values, "sku"):
                    yield sku, row
                if number := self._cell(row.values, "id"):
                    yield ID_REFERENCE + number, row

    def _kinds(self, row: Row) -> list[str]:
        """Return the types of a product, such as simple, downloadable and virtual."""
        return [name.casefold() for name in split(self._cell(row.values, "type"))]

    def _product(self, row: Row, parent: Row) -> Row:
        is_variation = parent is not row or "variation" in self._kinds(row)
        group_id = self._cell(row.values, "parent").removeprefix(ID_REFERENCE) if is_variation else ""
        page = self._cell(parent.values, "id")
        composed = {
            "id": self._cell(row.values, "sku") or self._cell(row.values, "id"),
            "item_group_id": group_id,
            "link": f"/?p={page}" if page else "",
            "description": self._description(row) or self._description(parent),
            "product_type": first_of(self._own_or(parent, row, "categories")),
            "brand": first_of(self._own_or(parent, row, "brands")),
            "price": self._cell(row.values, "price"),
            **self._sale(row),
            **self._stock(row, parent),
            **self._images(row, parent),
            **(self._attributes(parent) if parent is not row else {}),
            **self._attributes(row),
        }
        group = [row] if parent is row else [parent, row]
        return self._assemble(row, parent, composed, group)

    def _own_or(self, parent: Row, row: Row, role: str) -> str:
        return self._cell(row.values, role) or self._cell(parent.values, role)

    def _description(self, row: Row) -> str:
        text = self._cell(row.values, "description") or self._cell(row.values, "short_description")
        return text.replace(r"\n", "\n")  # as the exporter writes a line end

    def _sale(self, row: Row) -> Values:
        price = self._cell(row.values, "sale_price")
        starts, ends = self._cell(row.values, "sale_starts"), self._cell(row.values, "sale_ends")
        dates = ""
        if price and (starts or ends):
            first, last = moment(starts, "00:00:00"), moment(ends, "23:59:59")
            dates = f"{first or BEFORE_ALL_SALES}/{last or AFTER_ALL_SALES}"
        return {"sale_price": price, "sale_price_effective_date": dates}

    def _stock(self, row: Row, parent: Row) -> Values:
        status, stock = self._cell(row.values, "in_stock"), self._cell(row.values, "stock")
        if stock == "parent":
            stock = self._cell(parent.values, "stock")
        availability = AVAILABILITY.get(status.casefold(), status)
        quantity = amount(stock)
        is_counted = availability == "in stock" and quantity is not None and quantity >= 1
        return {"availability": availability, "inventory": str(int(quantity or 0)) if is_counted else ""}

    def _images(self, row: Row, parent: Row) -> Values:
        own = split(self._cell(row.values, "images"))
        others = split(self._cell(parent.values, "images")) if parent is not row else []
        return image_fields([*own, *others])

    def _attributes(self, row: Row) -> Values:
        """Return the fields that attributes with one value give."""
        pairs = []
        for column, name in row.values.items():
            if ATTRIBUTE_NAME.fullmatch(column):
                values = split(str(row.values.get(f"{column[: -len('name')]}value(s)", "")))
                pairs += [(str(name), value) for value in values if len(values) == 1]
        return self._option_fields(pairs)


def split(text: str) -> list[str]:
    """Return the values of a list."""
    return [value.replace(r"\,", ",").strip() for value in SEPARATOR.split(text) if value.strip()]


def first_of(text: str) -> str:
    """Return the first value of a list, or nothing."""
    return next(iter(split(text)), "")


def moment(date: str, time: str) -> str:
    """Return a date-time with an offset; of a plain date, with a time of day of UTC."""
    if len(date) == len("2026-12-01"):
        return f"{date}T{time}+00:00"
    return f"{date.replace(' ', 'T')}+00:00" if date and not re.search(r"(Z|[+-]\d\d:?\d\d)$", date) else date
