"""The steps that fill, split and complete fields."""

import re
from typing import Any
from urllib.parse import urljoin

import msgspec

from ...output.text import cell
from ..rows import Row
from .step import KeyOf
from .template import Template

IMAGES = "additional_image_link"  # URLs, separated by commas
LINKS = ("link", "mobile_link", "image_link")
PRICES = ("price", "sale_price")
BARE_AMOUNT = re.compile("[0-9][0-9.,'\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE} ]*")
# 1234, or 1.234: with a currency it would be a valid price, and perhaps a thousandth of what is meant.
UNCLEAR_AMOUNT = re.compile("[1-9][0-9]{0,2}\\.[0-9]{3}")
# A text that begins with www. is rather a host than a path.
ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|www\.", re.IGNORECASE)


class SetField(msgspec.Struct, frozen=True):
    """Fill a field, whatever it holds; a template that gives nothing empties it."""

    field: str
    template: Template

    option = "--set"

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of the template."""
        return self.template.columns

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the field."""
        return (self.field,)

    def bound(self, key_of: KeyOf) -> "SetField":
        """Return the step with keys in place of columns."""
        return type(self)(self.field, self.template.bound(key_of))

    def apply(self, row: Row) -> None:
        """Fill the field."""
        _put(row.values, self.field, self.template.render(row.values))


class DefaultField(SetField, frozen=True):
    """Fill a field where it is empty."""

    option = "--default"

    def apply(self, row: Row) -> None:
        """Fill the field."""
        if not row.values.get(self.field):
            super().apply(row)


class SplitField(msgspec.Struct, frozen=True):
    """Keep the first part of a list; the others of images become additional ones."""

    column: str
    separator: str

    option = "--split"
    fields = (IMAGES,)

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the column."""
        return (self.column,)

    def bound(self, key_of: KeyOf) -> "SplitField":
        """Return the step with the key of the column."""
        return SplitField(key_of(self.column), self.separator)

    def apply(self, row: Row) -> None:
        """Split the list."""
        values, key = row.values, self.column
        value = values.get(key)
        if not isinstance(value, list) and self.separator not in cell(value):
            return
        items = value if isinstance(value, list) else cell(value).split(self.separator)
        parts = [part for item in items if (part := cell(item).strip())]
        if key == IMAGES:
            _put(values, IMAGES, _joined(parts))
            return
        _put(values, key, parts[0] if parts else "")
        if key == "image_link" and parts[1:]:
            _put(values, IMAGES, ",".join(filter(None, [_joined(parts[1:]), cell(values.get(IMAGES))])))


class AddCurrency(msgspec.Struct, frozen=True):
    """Append a currency to prices that have none."""

    currency: str  # of ISO 4217

    def apply(self, row: Row) -> None:
        """Complete the prices."""
        for field in PRICES:
            if (value := row.values.get(field)) is not None:
                amount = cell(value).strip()
                if BARE_AMOUNT.fullmatch(amount) and not UNCLEAR_AMOUNT.fullmatch(amount):
                    row.values[field] = f"{amount} {self.currency}"


class CompleteLinks(msgspec.Struct, frozen=True):
    """Complete relative addresses."""

    base: str  # ends with a slash

    def apply(self, row: Row) -> None:
        """Complete the addresses."""
        values = row.values
        for field in LINKS:
            if isinstance(link := values.get(field), str):
                values[field] = self._completed(link)
        if isinstance(links := values.get(IMAGES), str):
            values[IMAGES] = ",".join(map(self._completed, links.split(",")))

    def _completed(self, link: str) -> str:
        path = link.strip()
        if not path or ABSOLUTE.match(path):
            return link
        try:
            return urljoin(self.base, path)
        except ValueError:  # not an address at all, which validation reports
            return link


def _put(values: dict[str, Any], field: str, text: str) -> None:
    """Store a value; an empty field is left out."""
    if text and not text.isspace():
        values[field] = text
    else:
        values.pop(field, None)


def _joined(links: list[str]) -> str:
    """Join addresses by commas, which no address may contain then."""
    return ",".join(link.replace(",", "%2C") for link in links)
