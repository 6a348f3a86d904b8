"""The steps that fill, split and complete fields."""

import re
from collections.abc import Collection
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...api.iso_codes import CURRENCIES
from ...api.names import neutral_name
from ...errors import UsageError
from ...feeds.row import ColumnStep, Row, Step
from ...feeds.transforms import SetField, Template, put_text
from ...output.text import cell
from ...spelling import suggestion
from .addresses import IMAGES, LINKS, completed, found_in, joined_links, parted
from .dates import SALE_DATES, read_broken_interval, zone_of

PRICES = ("price", "sale_price")
BARE_AMOUNT = re.compile("[0-9][0-9.,'\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE} ]*")
# 1234, or 1.234, which with a currency would be a valid price, perhaps a thousandth of the right one.
UNCLEAR_AMOUNT = re.compile("[1-9][0-9]{0,2}\\.[0-9]{3}")


class SplitField(ColumnStep, frozen=True):
    """Keep the first part of a list; the others of images become additional ones."""

    separator: str

    option = "--split"
    fields = (IMAGES,)

    def apply(self, row: Row) -> None:
        """Split the list."""
        values, key = row.values, self.column
        value = values.get(key)
        of_links = key in (*LINKS, IMAGES)
        items = (of_links and found_in(value)) or value
        if not isinstance(items, list):
            text = cell(value)
            if self.separator not in text:
                return
            items = parted(text, self.separator) if of_links else text.split(self.separator)
        parts = [*dict.fromkeys(part for item in items if (part := cell(item).strip()))]
        if key == IMAGES:
            put_text(values, IMAGES, joined_links(parts))
            return
        put_text(values, key, parts[0] if parts else "")
        if key == "image_link" and parts[1:]:
            put_text(
                values, IMAGES, ",".join(filter(None, [joined_links(parts[1:]), cell(values.get(IMAGES))]))
            )


def is_bare_amount(value: Any) -> bool:
    """Tell whether a price is a number alone, and an amount without doubt."""
    amount = cell(value).strip()
    return bool(BARE_AMOUNT.fullmatch(amount)) and not UNCLEAR_AMOUNT.fullmatch(amount)


class AddCurrency(Step, frozen=True):
    """Append a currency to prices that have none."""

    currency: str  # of ISO 4217

    follows_fixes = True

    def apply(self, row: Row) -> None:
        """Complete the prices."""
        for field in PRICES:
            value = row.values.get(field)
            if value is not None and is_bare_amount(value):
                row.values[field] = f"{cell(value).strip()} {self.currency}"


class AddTimeZone(Step, frozen=True):
    """Read sale dates that name no time zone as those of one."""

    time_zone: str

    def apply(self, row: Row) -> None:
        """Complete the dates."""
        text = row.values.get(SALE_DATES)
        if isinstance(text, str) and (dates := read_broken_interval(text, zone_of(self.time_zone))):
            row.values[SALE_DATES] = dates


class CompleteLinks(Step, frozen=True):
    """Complete relative addresses."""

    base: str  # ends with a slash

    follows_fixes = True

    def apply(self, row: Row) -> None:
        """Complete the addresses."""
        values = row.values
        for field in LINKS:
            if isinstance(link := values.get(field), str):
                values[field] = completed(link, self.base)
        links = values.get(IMAGES)
        if isinstance(links, str) and links.count("https://") <= links.count(","):  # else all have a host
            values[IMAGES] = ",".join(completed(link, self.base) for link in parted(links))


S = TypeVar("S", bound=SetField)


def parse_field(step: type[S], text: str, field_names: Collection[str]) -> S:
    """Parse FIELD=TEMPLATE of --set or --default."""
    name, equals, template = text.partition("=")
    field = neutral_name(name.strip())
    if not equals:
        hint = f"as in {step.option} 'link=https://shop.example/{{Handle}}'"
        raise UsageError(f"{step.option}: {text!r} is not FIELD=TEMPLATE", hint=hint)
    if field not in field_names:
        raise UsageError(f"{step.option}: {field!r} is not a known field{suggestion(field, field_names)}")
    try:
        return step(field, Template.parse(template))
    except ValueError as error:
        raise UsageError(f"{step.option}: {text!r}: {error}") from None


def parse_split(text: str) -> SplitField:
    r"""Parse FIELD=SEP of --split. `\n` is a line feed, as in messages, and `\t` a tab."""
    column, equals, separator = text.partition("=")
    if not column.strip() or not equals or not separator:
        raise UsageError(f"--split: {text!r} is not FIELD=SEP", hint="as in --split 'image_link=;'")
    return SplitField(column.strip(), separator.replace(r"\n", "\n").replace(r"\t", "\t"))


def parse_currency(code: str) -> AddCurrency:
    """Parse the code of --currency."""
    if code.upper() not in CURRENCIES:
        correction = suggestion(code.upper(), CURRENCIES)
        raise UsageError(f"--currency: {code!r} is not a currency of ISO 4217{correction}", hint="as in EUR")
    return AddCurrency(code.upper())


def parse_time_zone(name: str) -> AddTimeZone:
    """Parse the name or the offset of --time-zone."""
    try:
        zone_of(name)
    except ValueError:
        from zoneinfo import available_timezones

        correction = suggestion(name, available_timezones())
        hint = "as in Europe/Berlin or +01:00"
        raise UsageError(f"--time-zone: {name!r} is not a time zone{correction}", hint=hint) from None
    return AddTimeZone(name)


def parse_base_url(url: str) -> CompleteLinks:
    """Parse the address of --base-url; its path is a folder."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment or any(map(str.isspace, url)):
        raise UsageError(
            f"--base-url: {url!r} is not the address of a folder", hint="as in https://shop.example/"
        )
    return CompleteLinks(url.rstrip("/") + "/")
