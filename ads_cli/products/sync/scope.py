"""The part of a catalog that a feed is about."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ...api.names import neutral_name
from ...errors import UsageError
from ...feeds.conversion.step import KeyOf
from ...feeds.rows import Row
from ...output.text import cell
from ...suggestions import suggestion
from ..normal_form import COMPARED, normal_form


class Scope(msgspec.Struct, frozen=True):
    """The products with one value of a field; as a step of the conversion, it refuses all other rows."""

    field: str
    value: str

    option = "--scope"
    fields = ()

    @classmethod
    def parse(cls, text: str) -> "Scope":
        """Parse FIELD=VALUE; raise UsageError."""
        name, _, value = map(str.strip, text.partition("="))
        field = neutral_name(name)
        if not name or not value:
            raise UsageError(f"--scope: {text!r} is not FIELD=VALUE", hint="as in --scope brand=Nordlicht")
        if field not in COMPARED:
            raise UsageError(f"--scope: {name!r} is not a known field{suggestion(name, COMPARED)}")
        return cls(field, value)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Tell whether a product is within the scope."""
        return bool(normal_form(self.field, values.get(self.field)) == normal_form(self.field, self.value))

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the field."""
        return (self.field,)

    def bound(self, key_of: KeyOf) -> "Scope":
        """Return the same scope: rows have their values by field."""
        return self

    def problem(self, values: Mapping[str, Any]) -> str:
        """Say why a row is not within the scope; empty where it is."""
        if self.holds(values):
            return ""
        found = cell(values.get(self.field))
        return f"{self.field}: {found!r} is outside of --scope {self.field}={self.value}"

    def apply(self, row: Row) -> None:
        """Refuse a row of another scope."""
        row.problem = self.problem(row.values)
