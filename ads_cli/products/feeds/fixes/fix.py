"""What a fix is, and the declared fields that fixes work on."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from ....api.fields import FieldType, fields_of
from ....api.products import Product

Edit = tuple[str, Any, Any]  # a field, its value before and after; None where it is absent

FIELD_TYPES: dict[str, FieldType] = {field.name: field.type for field in fields_of(Product)}
MULTILINE = "description"  # the one field that may have lines
TEXT_FIELDS = (
    "title",
    MULTILINE,
    "brand",
    "mpn",
    "product_type",
    "store_product_category",
    "color",
    "size",
    *(name for name in FIELD_TYPES if name.startswith("custom_label_")),
)


class Fix(Protocol):
    """Fixes one kind of mistake; picklable, since worker processes have a copy.

    Applied to its own result it changes nothing. Unless it is one of TEXT_FIXES, it changes nothing of a row
    that breaks no rule, so that such rows need not be shown to it.
    """

    @property
    def name(self) -> str:
        """Return its name in `--fix`."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Name the rules that it fixes, and the fields whose declared type is not kept."""

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Change the values of a product in place; return what was changed."""


def edit(values: dict[str, Any], field: str, after: Any) -> Edit:
    """Set a field, or remove it where its new value is None or empty."""
    before = values.get(field)
    if after is None or after == "":
        values.pop(field, None)
        return field, before, None
    values[field] = after
    return field, before, after


def edit_texts(
    values: dict[str, Any], fields: Iterable[str], fixed: Callable[[str, str], str]
) -> Sequence[Edit]:
    """Set each field whose text is not as `fixed(field, text)` returns it."""
    edits: list[Edit] = []
    for field in fields:
        text = values.get(field)
        if isinstance(text, str) and (after := fixed(field, text)) != text:
            edits.append(edit(values, field, after))
    return edits
