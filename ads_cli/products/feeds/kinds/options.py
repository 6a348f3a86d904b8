"""The names of options and attributes that tell the variants of a product apart, such as its color."""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from ....spelling import letters_and_digits
from . import built_in

IN_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]\s*+\Z")  # at the end of a name, as in `Size (EU)`
OF_VARIANT = re.compile(
    r"(?:product)?option|attribute\s?\d|(?:material|pattern|style|sku|ean|barcode)\Z"
    r"|varia(?:nt|tion)[ _-]?(?:id|sku|name|title)\Z",
    re.IGNORECASE,
)


@lru_cache(maxsize=1000)
def _keys(name: str) -> tuple[str, ...]:
    """Return what a name has in common with others: `Color:`, `COLORS` and `Color (EU)` are one."""
    keys = map(letters_and_digits, (name, IN_BRACKETS.sub("", name)))
    return tuple(form for key in keys for form in (key, key.removesuffix("s")))


class OptionNames:
    """The fields that options give, by their names."""

    def __init__(self, options: Mapping[str, Iterable[str]]) -> None:
        self._fields = {letters_and_digits(name): field for field, names in options.items() for name in names}

    def field_of(self, name: str) -> str | None:
        """Return the field that an option gives."""
        return next((field for key in _keys(name) if (field := self._fields.get(key))), None)


@cache
def _of_exports() -> OptionNames:
    return OptionNames(built_in("export").options)


def option_field(column: str) -> str | None:
    """Return the field that a column is an option of: color or size, in any language."""
    return _of_exports().field_of(column)


def is_option(column: str) -> bool:
    """Tell whether rows that differ in a column may be variants."""
    return bool(OF_VARIANT.match(column)) or option_field(column) is not None
