"""Which field each element of a record is, and what several elements for one field become."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..record_rows import MAX_KEYS
from .xml_values import add_value, local_name

if TYPE_CHECKING:
    from ..rows import Rows

# The field is one text, in which these separate what each element gives.
SEPARATORS = {"additional_image_link": ","}
# In an item of a shop's feed `g:title` is the product's; `media:title` is that of an image.
SHOP_PREFIXES = ("g", "c")
# Before a name that is not that of an element: of an attribute of the record, or in <param name="...">.
ATTRIBUTE, NAMED = "@", "="


class ElementFields(dict[str, str]):
    """The field by tag, "" for an element that is ignored; prefixes do not matter."""

    def __init__(self, rows: "Rows") -> None:
        super().__init__()
        self._rows = rows
        self._columns: dict[str, None] = {}
        self.line = 1  # of the record that is read

    def __missing__(self, tag: str) -> str:
        """Add a tag, and the column of its name."""
        rows, column = self._rows, _column(tag)
        if len(self) >= MAX_KEYS:
            raise rows.error(self.line, f"the records have more than {MAX_KEYS:,} different elements")
        if column in rows.ignored or not column:
            self[tag] = ""
            return ""
        self._columns[column] = None
        rows.columns = tuple(self._columns)
        field = rows.rename.get(column, column)
        self[tag] = field
        return field

    def distinct(self, tags: Sequence[str]) -> list[str]:
        """Return the field of each tag; none, where two are of the same field, or one is ignored."""
        fields = [self[tag] for tag in tags]
        return [] if "" in fields or len({*fields}) < len(fields) else fields

    def is_text(self, tag: str) -> bool:
        """Tell whether an element is a known field, all of which are texts."""
        return self[tag] in self._rows.known

    def is_known(self, column: str) -> bool:
        """Tell whether a name is that of a field, or is read as one."""
        return self._rows.rename.get(column, column) in self._rows.known

    def set_attributes(
        self, values: dict[str, Any], sources: dict[str, str], attributes: Mapping[str, str]
    ) -> None:
        """Take the attributes of a record as values; elements outrank them."""
        for name, text in attributes.items():
            tag = ATTRIBUTE + name
            if text.strip() and not name.startswith(("xmlns", "xml:")) and self[tag]:
                self.add(values, sources, tag, text)

    def add(self, values: dict[str, Any], sources: dict[str, str], tag: str, value: Any) -> str:
        """Add a value to those of a record; return the problem of two elements that contradict each other.

        `sources` has the tag that gave each field.
        """
        field = self[tag]
        if field not in values:
            sources[field] = tag
            values[field] = value
            return ""
        source = sources[field]
        if source == tag:
            self._add_another(values, field, value)
        elif _rank(tag) != _rank(source):
            if _rank(tag) > _rank(source):
                sources[field], values[field] = tag, value
        elif values[field] != value:
            return f"the elements {local_name(source)!r} and {local_name(tag)!r} are both read as {field!r}"
        return ""

    def _add_another(self, values: dict[str, Any], field: str, value: Any) -> None:
        separator = SEPARATORS.get(field)
        if separator and isinstance(value, str):
            values[field] = f"{values[field]}{separator}{value}"
        elif value != values[field] or field not in self._rows.known:
            add_value(values, field, value)


def _column(tag: str) -> str:
    return (
        tag.removeprefix(NAMED) if tag.startswith(NAMED) else local_name(tag.removeprefix(ATTRIBUTE))
    ).strip()


def _rank(tag: str) -> int:
    """Return which of two tags for the same field counts: the shop's own, then one without prefix."""
    if tag.startswith((ATTRIBUTE, NAMED)):
        return -1
    prefix, colon, _ = tag.rpartition(":")
    return 2 if prefix in SHOP_PREFIXES else 1 - len(colon)
