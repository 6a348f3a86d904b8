"""Products: their fields and rules, and the requests that list, push and delete them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .addresses import ImageUrl, LinkUrl, address_mistake, is_address
from .amounts import THREE_DECIMALS
from .endpoint import Resource
from .iso_codes import CURRENCIES
from .problems import Reason
from .product_ids import gtin_error, gtin_warning, id_problem, was_truncated
from .rates import per_quarter_hour
from .types import Cursor, Id, InCatalog, Name
from .validation import rule

OTHER_FORMAT = re.compile(
    r"^[^?#]*\.(bmp|tiff?|svgz?|heic|heif|avif|ico|psd|pdf|html?|eps|mp4)([?#]|$)", re.I
)
MAX_IMAGES = 10
MIN_IMAGE_SIDE = 500  # pixels
MAX_IMAGE_BYTES = 5 * 1024**2  # "5 MB"; what only the smaller megabyte makes too large is let pass
IMAGES_WORDS = f"at most {MAX_IMAGES} URLs, separated by commas"
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp")


def image_problem(link: str) -> str | None:
    """Say that a URL has the suffix of another format."""
    if link.endswith(IMAGE_SUFFIXES) and "?" not in link and "#" not in link:
        return None  # the common case, without a regular expression
    other = OTHER_FORMAT.match(link)
    return f"is a .{other[1]} file; only JPG, GIF, WEBP and PNG are allowed" if other else None


def interval_problem(text: str) -> str | Reason | None:
    """Say what is wrong with an interval of two date-times."""
    ends = text.split("/")
    try:
        start, end = map(datetime.fromisoformat, ends)
    except ValueError:
        start = end = datetime.min
    if start.tzinfo is None or end.tzinfo is None:
        example = "2026-12-01T00:00+01:00/2026-12-24T23:59+01:00"
        return f"{text[:80]!r} is not two ISO 8601 date-times with offset joined by '/', as in {example}"
    return None if start < end else Reason("sale_order", "ends before it starts")


AMOUNT = re.compile(r"(?>(?:0(?=[0-9]))*)([0-9]++)(?:\.((?>(?:0*+[1-9])*))0*+)?\s++([A-Z]{3})")


def amount_form(text: str) -> str:
    """Return the one form of a price: `10.00 EUR` is `10 EUR`."""
    if not (amount := AMOUNT.fullmatch(text)):
        return text
    whole, fraction, currency = amount.groups()
    return f"{whole}.{fraction} {currency}" if fraction else f"{whole} {currency}"


def interval_form(text: str) -> list[str] | str:
    """Return the ends of an interval in UTC."""
    try:
        return [datetime.fromisoformat(end).astimezone(UTC).isoformat() for end in text.split("/")]
    except (ValueError, OverflowError):
        return text


def links_form(text: str) -> str:
    """Return links that are separated by commas without blanks around them."""
    return ",".join(map(str.strip, text.split(",")))


PRICE_WORDS = "a number, a space and a currency code, with a point for decimals, such as 19.90 EUR"
PRICE_PATTERN = r"^[0-9]+(\.[0-9]+)? [A-Z]{3}\Z"
Price = Annotated[str, Meta(pattern=PRICE_PATTERN, extra={"expected": PRICE_WORDS, "form": amount_form})]
ImageLinks = Annotated[str, Meta(extra={"expected": IMAGES_WORDS, "form": links_form})]
Interval = Annotated[str, Meta(extra={"form": interval_form})]
MILLS = THREE_DECIMALS | {"JOD", "LYD", "OMR"}  # currencies of which a price may have three decimals
Inventory = Annotated[int, Meta(ge=0)]


def price_doubt(price: str | None) -> str | None:
    """Say that the point of a price, as in `1.234 EUR`, may be meant as a separator of thousands."""
    if price is None or price[-8:-7] != ".":
        return None  # the common case
    number, currency = price.split()
    if len(number) > 7 or number.startswith("0") or currency in MILLS:
        return None
    digits = number.replace(".", "")
    return f"{price!r} is sent as a number with three decimals: if {digits} {currency} is meant, write it so"


_HTML_ELEMENTS = """
a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote
body br button canvas caption center circle cite code col colgroup data datalist dd defs del details dfn
dialog dir div dl dt ellipse em embed fieldset figcaption figure font footer form frame frameset g h1 h2 h3
h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee
math menu meta meter nav nobr noembed noframes noscript object ol optgroup option output p param path picture
plaintext polygon polyline pre progress q rect rp rt ruby s samp script search section select slot small
source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time
title tr track tt u ul var video wbr xml xmp
"""
HTML_ELEMENTS = frozenset(_HTML_ELEMENTS.split())  # obsolete ones too, and those of pictures within it
TAG_START = re.compile(r"</?([a-zA-Z][a-zA-Z0-9.:_-]*)(?=[\t\n\f\r />])")
HEX_COLOR = re.compile(r"^(#|0x)?([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})$", re.IGNORECASE)
MISSING_SPACES = re.compile(r"\S>|>\S")


def html_tag_starts(text: str) -> Iterator[int]:
    """Yield where tags of HTML begin, custom elements and those of word processors (`o:p`) too."""
    end = text.rfind(">") + 1  # no tag follows
    for match in TAG_START.finditer(text, 0, end):
        name = match[1]
        is_custom = ":" in name[:-1] or ("-" in name and name.islower())  # but `<https://...>` is none
        if is_custom or name.lower() in HTML_ELEMENTS:
            yield match.start()


def find_html_tag(text: str) -> str:
    """Return the first tag of HTML, or "" if there is none, as in `5 <x and y> 3`."""
    for start in html_tag_starts(text):
        return text[start : text.index(">", start) + 1]
    return ""


class Product(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One product of a catalog; other columns of a feed are not sent.

    The limits of the images themselves are validated where they are fetched.
    """

    id: Name
    title: Annotated[str, Meta(min_length=1, max_length=150)]
    description: Annotated[str, Meta(min_length=1, max_length=5000)]
    availability: Literal["in stock", "available for order", "preorder", "out of stock", "discontinued"]
    condition: Literal["new", "used", "refurbished"]
    price: Price
    link: LinkUrl
    image_link: ImageUrl
    brand: str | None = None
    gtin: str | None = None
    mpn: str | None = None
    mobile_link: LinkUrl | None = None
    additional_image_link: ImageLinks | None = None
    store_product_category: str | None = None
    product_type: str | None = None
    inventory: Inventory | None = None
    sale_price: Price | None = None
    sale_price_effective_date: Interval | None = None
    item_group_id: str | None = None
    gender: Literal["female", "male", "unisex"] | None = None
    color: str | None = None
    size: str | None = None
    age_group: Literal["adult", "all ages", "teen", "kids", "toddler", "infant", "newborn"] | None = None
    custom_label_0: str | None = None
    custom_label_1: str | None = None
    custom_label_2: str | None = None
    custom_label_3: str | None = None
    custom_label_4: str | None = None
    product_key: str | None = None
    item_group_key: str | None = None

    @rule("id", "warning")
    def plain_id(self) -> str | None:
        """Expect an id that every service stores as it is."""
        return id_problem(self.id)

    @rule("description")
    def plain_text(self) -> str | None:
        """Reject HTML in the description."""
        if "<" in self.description and (tag := find_html_tag(self.description)):
            return f"contains HTML ({tag[:30]}); only plain text is allowed"
        return None

    @rule("brand")
    def identified(self) -> str | None:
        """Require one of the three identifiers of a product."""
        return None if self.brand or self.gtin or self.mpn else "is required unless gtin or mpn is set"

    @rule("gtin")
    def gtin_number(self) -> str | Reason | None:
        """Require a number."""
        problem = None if self.gtin is None else gtin_error(self.gtin)
        return Reason("gtin_truncated", problem) if problem and was_truncated(self.gtin or "") else problem

    @rule("gtin", "warning")
    def gtin_check_digit(self) -> str | None:
        """Expect the length and the check digit of a UPC, EAN, JAN or ISBN."""
        return None if self.gtin is None else gtin_warning(self.gtin)

    @rule("price")
    def price_currency(self) -> str | None:
        """Require a currency of ISO 4217."""
        code = self.price[-3:]
        return None if code in CURRENCIES else f"{code} is not a currency of ISO 4217"

    @rule("price", "warning")
    def clear_price(self) -> str | None:
        """Expect a price that nobody can take for a thousand times as much."""
        return price_doubt(self.price)

    @rule("sale_price", "warning")
    def clear_sale_price(self) -> str | None:
        """Expect a sale price that nobody can take for a thousand times as much."""
        return price_doubt(self.sale_price)

    @rule("sale_price", "warning")
    def sale_for_something(self) -> str | None:
        """Expect no sale price of zero, which exporters write where there is no sale."""
        if self.sale_price is None or self.sale_price[0] != "0" or Decimal(self.sale_price.split()[0]):
            return None
        return f"{self.sale_price} gives the product away: leave it empty where there is no sale"

    @rule("sale_price")
    def sale_below_price(self) -> str | Reason | None:
        """Require a sale price below the price, in the same currency."""
        if self.sale_price is None:
            return None
        amount, currency = self.sale_price.split()
        full, full_currency = self.price.split()
        if currency != full_currency:
            message = f"is in {currency} and price in {full_currency}; both must have the same currency"
            return Reason("sale_currency", message)
        if Decimal(amount) >= Decimal(full):
            return f"{self.sale_price} is not lower than the price {self.price}"
        return None

    @rule("sale_price_effective_date")
    def sale_dates(self) -> str | Reason | None:
        """Require an interval of two date-times."""
        return interval_problem(self.sale_price_effective_date) if self.sale_price_effective_date else None

    @rule("inventory")
    def inventory_in_stock(self) -> str | None:
        """Require an inventory if the product is in stock."""
        empty = self.availability == "in stock" and self.inventory is not None and self.inventory < 1
        return "must be 1 or more when availability is 'in stock'" if empty else None

    @rule("image_link")
    def image_format(self) -> str | None:
        """Reject URLs with the suffix of another format."""
        return image_problem(self.image_link)

    @rule("additional_image_link")
    def additional_images(self) -> str | Reason | None:
        """Limit the number of URLs, and validate each."""
        if self.additional_image_link is None:
            return None
        links = [link.strip() for link in self.additional_image_link.split(",")]
        if len(links) > MAX_IMAGES:
            return Reason("image_count", f"has {len(links)} URLs, at most {MAX_IMAGES} are allowed")
        for link in links:
            if not is_address(link):
                mistake = address_mistake(link) or "is not a URL"
                return Reason("image_url", f"{link[:60]!r} {mistake}; separate URLs by commas")
        return next(filter(None, map(image_problem, links)), None)

    @rule("product_type", "warning")
    def levels_apart(self) -> str | None:
        """Expect spaces between the levels."""
        levels = self.product_type
        if levels and ">" in levels.replace(" > ", "") and MISSING_SPACES.search(levels):
            return "levels must be separated by ' > ', with spaces"
        return None

    @rule("color")
    def color_by_name(self) -> str | None:
        """Reject hex codes; a word such as "decade" has no digit and is accepted."""
        if self.color is None or self.color.isalpha():
            return None
        code = HEX_COLOR.match(self.color)
        is_code = code and (code[1] or any(map(str.isdigit, code[2])))
        return f"{self.color!r} is a hex code; name the color" if is_code else None


PRODUCT_COLUMNS = "product_key id title price availability inventory"
BATCH_SIZE = 25
ProductsPerPage = Annotated[int, Meta(ge=1, le=100, description="Records per page", extra={"default": 100})]


PRODUCTS = Resource(
    "/12/product_catalogs/{product_catalog_id}/products",
    group="products",
    record_id="product_key",
    params_in="json",
)


@PRODUCTS.list(
    columns=PRODUCT_COLUMNS,
    extra_fields=" ".join(Product.__struct_fields__),
    example="--all --columns id,title,price",
    x_rate=per_quarter_hour(1000),
)
class ListProducts(InCatalog):
    """List the products of a catalog.

    Of a group of variants, the service lists only the first one submitted; --variants shows all.
    """

    item_group_key: Annotated[str, Meta(description="Only the products of this group")] | None = None
    count: ProductsPerPage | None = None
    cursor: Cursor | None = None


@PRODUCTS.update(
    "products push", columns="product_key id status errors warnings", x_rate=per_quarter_hour(600)
)
class PutProducts(InCatalog):
    """Create or update products."""

    products: Annotated[
        list[Product], Meta(min_length=1, max_length=BATCH_SIZE, extra={"argument": "FILE..."})
    ]


@PRODUCTS.delete(
    columns="product_key failed_product_key message",
    params_in="json",
    confirm_prompt="Delete {rows} from the catalog {product_catalog_id}, for good",
    x_rate=per_quarter_hour(150),
)
class DeleteProducts(InCatalog):
    """Delete products; this cannot be undone."""

    product_keys: Annotated[list[Id], Meta(min_length=1, extra={"argument": "ID...", "records": True})]
