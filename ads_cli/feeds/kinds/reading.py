"""Read a feed as one of a kind: columns under their fields, products assembled, values as they are sent."""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any

import msgspec

from ..registry import load
from ..rows import Row, Rows
from .column_names import folded
from .kind import FeedKind
from .spellings import Spellings, spellings_of

ASSEMBLIES = {
    "shopify": "ads_cli.feeds.assembly.shopify:ShopifyRows",
    "woocommerce": "ads_cli.feeds.assembly.woocommerce:WooCommerceRows",
    "wix": "ads_cli.feeds.assembly.wix:WixRows",
}
LIST_SEPARATOR = ","

Read = Callable[[Mapping[str, str]], Rows]  # opens a reader that renames columns


class KindColumns(dict[str, str]):
    """The columns that --map names, and then those that a kind knows.

    Of several columns of a feed that a kind reads as one field, the one with the field's own name is read, or
    the first.
    """

    def __init__(
        self, mapped: Mapping[str, str], kind: FeedKind, known: Collection[str], columns: Collection[str]
    ) -> None:
        super().__init__(mapped)
        self._mapped, self._kind, self._known, self._columns = mapped, kind, known, frozenset(columns)
        self._fields: dict[str, str] = {}
        taken = {mapped.get(column, column) for column in columns}
        for column in columns:
            field = None if column in known else kind.field_of(column, known)
            if field and field not in taken:
                self._fields[column] = field
                taken.add(field)

    def get(self, column: str, default: Any = None) -> Any:
        """Return the field that a column is read as."""
        if field := self._mapped.get(column) or self._fields.get(column):
            return field
        is_new = column not in self._columns and column not in self._known
        return (is_new and self._kind.field_of(column, self._known)) or default


class AsKind(msgspec.Struct, frozen=True, dict=True):
    """The step that reads values as a kind has them; `columns` are those of the feed."""

    kind: FeedKind
    columns: list[str] = []

    def apply(self, row: Row) -> None:
        """Leave a row out, join the columns of a list, and read spellings."""
        if self._unwanted and any(
            str(row.values.get(column, "")).strip().casefold() in values for column, values in self._unwanted
        ):
            row.left_out = True
            return
        for field, columns in self._lists:
            found = [str(row.values[column]) for column in (field, *columns) if column in row.values]
            if found:
                row.values[field] = LIST_SEPARATOR.join(found)
        self._spellings.apply(row)

    @cached_property
    def _unwanted(self) -> list[tuple[str, list[str]]]:
        """The columns with the values of rows that are left out, where no assembly does that."""
        if self.kind.assembly:
            return []
        return [(self._found(column), values) for column, values in self.kind.left_out.items()]

    @cached_property
    def _lists(self) -> list[tuple[str, list[str]]]:
        return [(field, [*map(self._found, columns)]) for field, columns in self.kind.joined.items()]

    @cached_property
    def _spellings(self) -> Spellings:
        return spellings_of(self.kind.values)

    def _found(self, column: str) -> str:
        """Return a column as the feed names it."""
        return next((name for name in self.columns if folded(name) == folded(column)), column)


def read_as(
    kind: FeedKind, read: Read, mapped: Mapping[str, str], known: Collection[str], columns: Collection[str]
) -> Rows:
    """Read a feed with these columns as one of a kind."""
    rename = KindColumns(mapped, kind, known, columns)
    if kind.assembly:
        assembled: type[Rows] = load(ASSEMBLIES[kind.assembly])
        rows = assembled(read({}), kind, rename)  # type: ignore[arg-type, call-arg]
    else:
        rows = read(rename)
    rows.unsent, rows.hints = kind.unsent, kind.hints
    return rows
