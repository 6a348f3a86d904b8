"""Parse the options that convert rows; raise UsageError, which names the option."""

from collections.abc import Collection
from typing import TypeVar
from urllib.parse import urlsplit

from ...api.iso_codes import CURRENCIES
from ...api.names import neutral_name
from ...errors import UsageError
from ...suggestions import suggestion
from .fields import AddCurrency, CompleteLinks, SetField, SplitField
from .template import Template

S = TypeVar("S", bound=SetField)


def parse_field(step: type[S], text: str, known: Collection[str]) -> S:
    """Parse FIELD=TEMPLATE of --set or --default."""
    name, equals, template = text.partition("=")
    field = neutral_name(name.strip())
    if not equals:
        hint = f"as in {step.option} 'link=https://shop.example/{{Handle}}'"
        raise UsageError(f"{step.option}: {text!r} is not FIELD=TEMPLATE", hint=hint)
    if field not in known:
        raise UsageError(f"{step.option}: {field!r} is not a known field{suggestion(field, known)}")
    try:
        return step(field, Template.parse(template))
    except ValueError as error:
        raise UsageError(f"{step.option}: {text!r}: {error}") from None


def parse_split(text: str) -> SplitField:
    """Parse FIELD=SEP of --split."""
    column, equals, separator = text.partition("=")
    if not column.strip() or not equals or not separator:
        raise UsageError(f"--split: {text!r} is not FIELD=SEP", hint="as in --split 'image_link=;'")
    return SplitField(column.strip(), separator)


def parse_currency(code: str) -> AddCurrency:
    """Parse the code of --currency."""
    if code.upper() not in CURRENCIES:
        meant = suggestion(code.upper(), CURRENCIES)
        raise UsageError(f"--currency: {code!r} is not a currency of ISO 4217{meant}", hint="as in EUR")
    return AddCurrency(code.upper())


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
