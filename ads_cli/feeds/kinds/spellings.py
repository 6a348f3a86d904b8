"""Read the spellings of values that other services use."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ..rows import Row
from .column_names import folded

SCHEMA_ADDRESS = re.compile(r"^https?://(www\.)?schema\.org/", re.I)


def key_of(value: str) -> str:
    """Return what the spellings of a value have in common: `In Stock`, `in_stock`, schema.org/InStock."""
    return folded(SCHEMA_ADDRESS.sub("", value.strip()))


class Spellings(msgspec.Struct, frozen=True):
    """Replaces known spellings of values; any other value stays as it is."""

    fields: dict[str, dict[str, str]]  # field to the key of a spelling to the value
    values: dict[str, tuple[str, ...]]  # field to its values, which stay

    def apply(self, row: Row) -> None:
        """Replace the spellings in a row."""
        values = row.values
        for field, known in self.values.items():
            value = values.get(field)
            if value is not None and value not in known and (meant := self.meaning(field, value)):
                values[field] = meant

    def meaning(self, field: str, value: Any) -> str | None:
        """Return the value that a spelling stands for, or None."""
        return self.fields.get(field, {}).get(key_of(value)) if isinstance(value, str) else None


def spellings_of(values: Mapping[str, Mapping[str, Iterable[str]]]) -> Spellings:
    """Make the step that reads the spellings of a kind: field to value to its other spellings."""
    fields = {
        field: {key_of(name): value for value, others in spelled.items() for name in (value, *others)}
        for field, spelled in values.items()
    }
    return Spellings(fields, {field: tuple(spelled) for field, spelled in values.items()})
