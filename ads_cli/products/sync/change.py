"""What differs between a product of a feed and the same product of the catalog."""

from collections.abc import Container, Mapping
from typing import Any, Literal

import msgspec

from ..normal_form import COMPARED, normal_form

Action = Literal["create", "update", "delete"]
WRITES: tuple[Action, ...] = ("create", "update")


class FieldChange(msgspec.Struct, frozen=True):
    """The value of a field in the catalog and in the feed; None where it has none."""

    old: Any
    new: Any


class Change(msgspec.Struct):
    """What makes one product of the catalog equal to the feed."""

    action: Action
    id: str
    product_key: str | None
    fields: dict[str, FieldChange]
    record: int = 0  # number of the row in the feed
    line: int = 0
    body: bytes = b""  # JSON of the product as it is sent, by neutral names
    digest: bytes = b""  # of the row, as the sync state stores it
    repeat: bytes = b""  # digest that notes that an acknowledged row is sent once more
    is_unseen: bool = False  # the catalog may hide the product, and have it as it is

    @property
    def as_record(self) -> dict[str, Any]:
        """Return what programs read."""
        fields = {name: {"old": change.old, "new": change.new} for name, change in self.fields.items()}
        return {"action": self.action, "id": self.id, "product_key": self.product_key, "fields": fields}


def difference(
    new: Mapping[str, Any], old: Mapping[str, Any], fields: Container[str]
) -> dict[str, FieldChange]:
    """Return the fields in which a product of a feed differs from that of the catalog.

    `fields` are those that the feed has a column or an element for: only these can be emptied by it.
    """
    changed = {}
    for name in COMPARED:
        before, after = old.get(name), new.get(name)
        if before == after or (after is None and name not in fields):
            continue
        if normal_form(name, before) != normal_form(name, after):
            changed[name] = FieldChange(before, after)
    return changed
