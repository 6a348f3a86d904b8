"""The products exports of Shopify, Wix and WooCommerce, whose rows together make products."""

import re
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import quote

from ...feeds.row import Row
from ...feeds.spreadsheet_cells import without_escape
from ...output.text import counted
from .addresses import is_relative, parted
from .assembly import TRUE, AssembledRows, GroupedRows, Option
from .composed_fields import Values, amount, image_fields, price_amount, price_fields, stock_fields
from .kinds import NamePatterns

NO_OPTION = "default title"  # of a product without variants
SHOPIFY_OPTIONS = ("option1", "option2", "option3")
CONTINUE = ("continue", *TRUE)  # selling when out of stock


class ShopifyRows(GroupedRows):
    """A row for each variant and for each further image, in which the product's columns are empty."""

    COMPOSED = {
        "id": ("sku", "handle"),
        "availability": ("quantity",),
        "price": ("price",),
        "link": (),
        "image_link": ("image", "variant_image"),
    }
    DERIVED = (
        ("gtin", "barcode"),
        ("item_group_id", "handle"),
        ("inventory", "quantity"),
        ("sale_price", "compare_at_price"),
        ("additional_image_link", "image"),
    )

    def _variants(self, handle: str, group: Sequence[Row]) -> Iterator[Row]:
        first = group[0]
        of_variant = ("price", "sku", "option1")
        variants = [row for row in group if any(self._cell(row, role) for role in of_variant)] or [first]
        images = self._images(group)
        for row in variants:
            chosen = [self._cell(row, option) for option in SHOPIFY_OPTIONS]
            several = len(variants) > 1
            own_id = "-".join([handle, *filter(None, chosen)]) if several else handle
            composed = {
                "id": self._cell(row, "sku").lstrip("'") or own_id,
                "gtin": self._cell(row, "barcode").lstrip("'"),
                "item_group_id": handle if several else "",
                "link": f"/products/{quote(handle)}",
                **self._stock(row),
                **price_fields(self._cell(row, "price"), self._cell(row, "compare_at_price")),
                **image_fields(images, self._cell(row, "variant_image")),
            }
            product = self._assemble(row, first, composed, self._options(row, first), group)
            self._of_unknown_stock += not product.left_out and self._is_stock_unknown(row)
            yield product

    def _read(self) -> Iterator[Row]:
        self._of_unknown_stock = 0
        yield from super()._read()
        is_made = "availability" in {*self.composed} - {*self.fields, *self.transform.fields}
        if is_made and (count := self._of_unknown_stock):
            column = self.kind.roles["quantity"][0]
            # Of a file without any column of stock, that is no surprise.
            remarks = self.warnings if self.columns_of("tracker", "quantity") else self.notes
            remarks.append(
                f"{counted(count, 'product')} sent as in stock, though no {column} says what is left; export "
                "the stock too, or name its column: --set 'availability={COLUMN}' --fix availability"
            )

    def option_columns(self) -> list[str]:
        """Return the columns of the values of options."""
        return self.columns_of(*SHOPIFY_OPTIONS)

    def _options(self, row: Row, first: Row) -> list[Option]:
        """Return the options of a variant; their names are in the first row."""
        return [
            Option(self._cell(first, f"{role}_name"), [value], self._columns_by_role[role][0])
            for role in SHOPIFY_OPTIONS
            if (value := self._cell(row, role)) and value.casefold() != NO_OPTION
        ]

    def _stock(self, row: Row) -> Values:
        """Return whether a variant can be bought, and how many where that is tracked."""
        quantity = self._quantity(row) if self._is_tracked(row) else None
        is_sold_out = quantity is not None and quantity < 1 and not self._is_sold_on(row)
        return stock_fields("out of stock" if is_sold_out else "in stock", quantity)

    def _is_stock_unknown(self, row: Row) -> bool:
        return self._is_tracked(row) and self._quantity(row) is None and not self._is_sold_on(row)

    def _is_tracked(self, row: Row) -> bool:
        return bool(self._cell(row, "tracker")) or not self.columns_of("tracker")

    def _is_sold_on(self, row: Row) -> bool:
        return self._cell(row, "policy").casefold() in CONTINUE

    def _quantity(self, row: Row) -> Decimal | None:
        return price_amount(self._cell(row, "quantity"))  # a spreadsheet may have written 0,0

    def _images(self, group: Sequence[Row]) -> list[str]:
        """Return the images of a product by their positions."""
        images = []
        for order, row in enumerate(group):
            if link := self._cell(row, "image"):
                position = amount(self._cell(row, "image_position"))
                images.append((order + 1 if position is None else position, order, link))
        return [link for _, _, link in sorted(images)]


WIX_OPTIONS = tuple(f"option{number}" for number in range(1, 7))
MEDIA_FOLDER = "https://static.wixstatic.com/media/"
MEDIA_NAME = re.compile(r"^wix:image://v1/([^/#]+)")
COLOR_CODE = re.compile(r"^(#[0-9a-f]{3,8}|rgba?\([^)]*\)):", re.I)  # before the name of a color
CENT = Decimal("0.01")


class WixRows(GroupedRows):
    """A row of the product, then one for each variant and, in the newer form, for each further image."""

    COMPOSED = {
        "id": ("sku", "handle"),
        "availability": ("inventory",),
        "price": ("price",),
        "image_link": ("images",),
    }
    DERIVED = (
        ("item_group_id", "handle"),
        ("product_type", "collection"),
        ("inventory", "inventory"),
        ("sale_price", "strikethrough_price"),
        ("sale_price", "discount"),
        ("additional_image_link", "images"),
    )

    def _variants(self, handle: str, group: Sequence[Row]) -> Iterator[Row]:
        first = group[0]
        rows = [row for row in group if self._cell(row, "row").casefold() == "variant"] or [first]
        images = [link for row in group for link in self._images(row)]
        for row in rows:
            chosen = self._options(row, first)
            several = len(rows) > 1
            own_id = (
                "-".join([handle, *(value for option in chosen for value in option.values)])
                if several
                else handle
            )
            composed = {
                "id": self._cell(row, "sku") or own_id,
                "item_group_id": handle if several else "",
                "product_type": self._cell(first, "collection").partition(";")[0].strip(),
                **self._stock(row, first),
                **self._price(row, first),
                **image_fields(images),
            }
            yield self._assemble(row, first, composed, chosen, group)

    def _options(self, row: Row, first: Row) -> list[Option]:
        """Return the options of a variant. The first row has their names, and all choices as a list."""
        return [
            Option(
                self._cell(first, f"{role}_name"), [COLOR_CODE.sub("", value)], self._columns_by_role[role][0]
            )
            for role in WIX_OPTIONS
            if (value := self._cell(row, role)) and ";" not in value
        ]

    def option_columns(self) -> list[str]:
        """Return the fields of options before the columns, in which codes of colors are."""
        return [*self.kind.options, *self.columns_of(*WIX_OPTIONS)]

    def _stock(self, row: Row, first: Row) -> Values:
        """Return whether a variant can be bought, and how many where that is a number."""
        stock = self._own_or(row, first, "inventory")
        quantity = amount(stock)
        name = stock.casefold().replace("_", "")
        if quantity is None:
            availability = {"instock": "in stock", "outofstock": "out of stock"}.get(name, stock)
        else:
            availability = "in stock" if quantity >= 1 else "out of stock"
        takes_orders = self._cell(first, "preorder").casefold() in TRUE
        if availability == "out of stock" and takes_orders:
            availability = "preorder"
        return stock_fields(availability, quantity)

    def _price(self, row: Row, first: Row) -> Values:
        """Return the price with the surcharge of a variant, and the discount of the product."""
        price = self._own_or(row, first, "price")
        number = price_amount(price)
        surcharge = price_amount(self._cell(row, "surcharge")) if row is not first else None
        if number is not None and surcharge:
            number += surcharge
            price = f"{number.quantize(CENT)}"
        if full := self._cell(row, "strikethrough_price"):
            return price_fields(price, full)
        discount = price_amount(self._cell(first, "discount"))
        if number is None or not discount or discount <= 0:
            return {"price": price, "sale_price": ""}
        is_percent = self._cell(first, "discount_mode").casefold() == "percent"
        reduced = number * (1 - discount / 100) if is_percent else number - discount
        return {"price": price, "sale_price": f"{reduced.quantize(CENT, ROUND_HALF_UP)}"}

    def _images(self, row: Row) -> list[str]:
        links = self._cell(row, "images").split(";")
        return [image_address(link.strip()) for link in links if link.strip()]


def image_address(image: str) -> str:
    """Return the address of an image that may be named by its file alone."""
    if match := MEDIA_NAME.match(image):
        return MEDIA_FOLDER + match[1]
    return MEDIA_FOLDER + image if is_relative(image) else image


SEPARATOR = re.compile(r"(?<!\\),\s*")  # the exporter escapes a comma inside a value
NUMBER_OF_ATTRIBUTE = re.compile(r"\d+")
ID_REFERENCE = "id:"
AVAILABILITY = {"1": "in stock", "0": "out of stock", "backorder": "available for order"}
# An interval needs two ends; the export may have one.
BEFORE_ALL_SALES, AFTER_ALL_SALES = "1970-01-01T00:00:00+00:00", "2099-12-31T23:59:59+00:00"


class WooCommerceRows(AssembledRows):
    """A row for each product. Variations name their parent, which is anywhere in the file and not sent."""

    COMPOSED = {
        "id": ("sku", "id"),
        "description": ("description", "short_description"),
        "availability": ("in_stock",),
        "price": ("price",),
        "link": (),
        "image_link": ("images",),
    }
    DERIVED = (
        ("item_group_id", "parent"),
        ("product_type", "categories"),
        ("brand", "brands"),
        ("inventory", "stock"),
        ("sale_price", "sale_price"),
        ("sale_price_effective_date", "sale_starts"),
        ("sale_price_effective_date", "sale_ends"),
        ("additional_image_link", "images"),
    )

    _parents: dict[str, Row] | None = None  # by SKU and by `id:`
    _named_parents: set[str]  # by variations

    def _products(self) -> Iterator[Row]:
        if self._parents is None:
            self._parents = dict(self._find_parents())
        for row in self._rows_read():
            kinds = self._kinds(row)
            if "variable" in kinds and not row.problem:
                if self._named_parents.isdisjoint(self._references(row)):
                    if not self._is_left_out(row):
                        self._left_out[f"{self.columns_of('type')[0]} is variable without a variation"] += 1
                    yield Row(row.line, row.values, left_out=True)
                continue
            parent = self._parents.get(self._cell(row, "parent")) if "variation" in kinds else None
            yield self._product(row, parent or row)

    def _rows_read(self) -> Iterator[Row]:
        """Read the rows without the apostrophes that the exporter puts before signs of formulas."""
        for row in super()._rows_read():
            for column, value in row.values.items():
                if isinstance(value, str) and value.startswith("'"):
                    row.values[column] = without_escape(value)
            yield row

    def _find_parents(self) -> Iterator[tuple[str, Row]]:
        self._named_parents = set()
        for row in self._rows_read():
            kinds = self._kinds(row)
            if "variable" in kinds:
                yield from ((reference, row) for reference in self._references(row))
            elif "variation" in kinds:
                self._named_parents.add(self._cell(row, "parent"))

    def _references(self, row: Row) -> list[str]:
        """Return how variations name a product: by its SKU, or by its number."""
        sku, number = self._cell(row, "sku"), self._cell(row, "id")
        return [*filter(None, [sku, number and ID_REFERENCE + number])]

    def _kinds(self, row: Row) -> list[str]:
        """Return the types of a product, such as simple, downloadable and virtual."""
        return [name.casefold() for name in split_values(self._cell(row, "type"))]

    def _product(self, row: Row, parent: Row) -> Row:
        is_variation = parent is not row or "variation" in self._kinds(row)
        group_id = self._cell(row, "parent").removeprefix(ID_REFERENCE) if is_variation else ""
        page = self._cell(parent, "id")
        composed = {
            "id": self._cell(row, "sku") or self._cell(row, "id"),
            "item_group_id": group_id,
            "link": f"/?p={page}" if page else "",
            "description": self._description(row) or self._description(parent),
            "product_type": first_value(self._own_or(row, parent, "categories")),
            "brand": first_value(self._own_or(row, parent, "brands")),
            "price": self._cell(row, "price"),
            **self._sale(row),
            **self._stock(row, parent),
            **self._images(row, parent),
        }
        group = [row] if parent is row else [parent, row]
        options = [option for member in group for option in self._attributes(member)]
        return self._assemble(row, parent, composed, options, group)

    def option_columns(self) -> list[str]:
        """Return the fields of attributes; a column of values may have lists."""
        return [*self.kind.options]

    def _description(self, row: Row) -> str:
        text = self._cell(row, "description") or self._cell(row, "short_description")
        return text.replace(r"\n", "\n")  # as the exporter writes a line end

    def _sale(self, row: Row) -> Values:
        price = self._cell(row, "sale_price")
        starts, ends = self._cell(row, "sale_starts"), self._cell(row, "sale_ends")
        dates = ""
        if price and (starts or ends):
            first, last = moment(starts, "00:00:00"), moment(ends, "23:59:59")
            dates = f"{first or BEFORE_ALL_SALES}/{last or AFTER_ALL_SALES}"
        return {"sale_price": price, "sale_price_effective_date": dates}

    def _stock(self, row: Row, parent: Row) -> Values:
        status, stock = self._cell(row, "in_stock"), self._cell(row, "stock")
        if stock == "parent":
            stock = self._cell(parent, "stock")
        availability = AVAILABILITY.get(status.casefold(), status)
        return stock_fields(availability, amount(stock))

    def _images(self, row: Row, parent: Row) -> Values:
        own = split_links(self._cell(row, "images"))
        others = split_links(self._cell(parent, "images")) if parent is not row else []
        return image_fields([*own, *others])

    def _sort_columns(self, columns: Sequence[str]) -> None:
        names, values = (
            {
                number[0]: column
                for column in columns
                if column in group and (number := NUMBER_OF_ATTRIBUTE.search(column))
            }
            for group in (
                NamePatterns(self.kind.roles[role]) for role in ("attribute_name", "attribute_values")
            )
        )
        self._attribute_columns = [(names[number], values[number]) for number in names if number in values]
        super()._sort_columns(columns)

    def _has_options(self, columns: Sequence[str]) -> bool:
        return bool(self._attribute_columns)

    def _attributes(self, row: Row) -> Iterator[Option]:
        for name, column in self._attribute_columns:
            if name in row.values:
                yield Option(str(row.values[name]), split_values(str(row.values.get(column, ""))), column)


def split_values(text: str) -> list[str]:
    """Return the values of a list."""
    return [value.replace(r"\,", ",").strip() for value in SEPARATOR.split(text) if value.strip()]


def split_links(text: str) -> list[str]:
    """Return the addresses of a list; not every exporter escapes a comma within one."""
    return parted(text.replace(r"\,", ","))


def first_value(text: str) -> str:
    """Return the first value of a list, or nothing."""
    return next(iter(split_values(text)), "")


def moment(date: str, time: str) -> str:
    """Return a date-time; of a plain date, with a time of day."""
    return f"{date}T{time}" if len(date) == len("2026-12-01") else date
