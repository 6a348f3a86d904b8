"""The names of fields on the wire, which differ from one service to another."""

from collections.abc import Mapping
from typing import Any


class Names:
    """Pairs the own names of fields with their names on the wire; a field without an entry has one name."""

    def __init__(self, on_wire: Mapping[str, str]) -> None:
        self._on_wire = dict(on_wire)
        self._own = {wire: own for own, wire in self._on_wire.items()}

    def to_wire(self, value: Any) -> Any:
        """Rename the keys of a value, at any depth, to what the service expects."""
        return _renamed(value, self._on_wire)

    def from_wire(self, value: Any) -> Any:
        """Rename the keys of a value, at any depth, to the own names of the fields."""
        return _renamed(value, self._own)


GENERIC = Names({})


def _renamed(value: Any, table: dict[str, str]) -> Any:
    if not table:
        return value
    if isinstance(value, dict):
        return {table.get(name, name): _renamed(inner, table) for name, inner in value.items()}
    return [_renamed(item, table) for item in value] if isinstance(value, list) else value
