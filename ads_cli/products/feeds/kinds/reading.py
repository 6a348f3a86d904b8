"""Read a feed as one of a kind: columns under their fields, products assembled, values as they are sent."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ....errors import ContentError, UsageError
from ....feeds.registry import load
from ....feeds.rows import Rows
from ....spelling import suggestion
from . import KINDS, FeedKind, built_in, column_key, kind_of_recipe, merged

if TYPE_CHECKING:
    from .languages import Localized
    from .step import AsKind

ASSEMBLIES = {
    "shopify": "ads_cli.products.feeds.exports:ShopifyRows",
    "woocommerce": "ads_cli.products.feeds.exports:WooCommerceRows",
    "wix": "ads_cli.products.feeds.exports:WixRows",
}

Read = Callable[[Mapping[str, str]], Rows]  # opens a reader that renames columns


class KindColumns:
    """The columns that a kind names fields for, where the user names none.

    Of several columns of a feed that a kind reads as one field, the one with the field's own name is read, or
    the first. Columns that come up later, in records, are read as the kind says.
    """

    def __init__(
        self,
        mapped: Mapping[str, str],
        kind: FeedKind,
        field_names: Collection[str],
        columns: Collection[str],
    ) -> None:
        self._kind, self._field_names = kind, field_names
        self._fields: dict[str, str | None] = dict.fromkeys([*columns, *field_names])
        used_fields = {mapped.get(column, column) for column in columns}
        for column in columns:
            field = None if column in field_names else kind.field_of(column, field_names)
            if field and field not in used_fields:
                self._fields[column] = field
                used_fields.add(field)

    def field_of(self, column: str) -> str | None:
        """Return the field that is named for a column."""
        if column in self._fields:
            return self._fields[column]
        return self._kind.field_of(column, self._field_names)


def read_as(
    kind: FeedKind,
    read: Read,
    mapped: Mapping[str, str],
    field_names: Collection[str],
    columns: Collection[str],
) -> Rows:
    """Read a feed with these columns as one of a kind."""
    rows = load(ASSEMBLIES[kind.assembly])(read({}), kind, mapped) if kind.assembly else read(mapped)
    rows.kind_field = KindColumns(mapped, kind, field_names, columns).field_of
    rows.unsent, rows.parts, rows.hints = kind.unsent, kind.parts, kind.hints
    return rows


FIRST_RECORDS = 25

Choices = Mapping[str, Collection[str]]  # field to its values
Record = Mapping[str, Any]


def detect_kind(
    rows: Rows, first: Sequence[Record], field_names: Collection[str], choices: Choices
) -> "tuple[str, Localized] | None":
    """Find the kind that reads more of a feed than the names of its fields do; None if none does.

    No kind is loaded for a feed whose columns are fields, and whose values are spelled as they are sent.
    """
    spelled = [field for field, values in choices.items() if _most_differ(first, field, values)]
    unknown = [
        column for column, field in zip(rows.columns, rows.fields, strict=True) if field not in field_names
    ]
    if not (unknown or spelled):
        return None
    from .languages import localized

    for name in KINDS:
        local_kind = localized(built_in(name), rows.columns, first)
        kind = local_kind.kind
        if (local_kind.language or kind.recognizes(rows.columns)) and (
            any(kind.field_of(column, field_names) or column in kind.unsent for column in unknown)
            or any(_reads(kind, first, field) for field in spelled)
        ):
            return name, local_kind
    return None


def _most_differ(records: Sequence[Record], field: str, values: Collection[str]) -> bool:
    """Tell whether most of the values of a field are spelled otherwise; one or two may be mistakes."""
    contents = [record[field] for record in records if field in record]
    return sum(value not in values for value in contents) * 2 > len(contents)


def _reads(kind: FeedKind, records: Sequence[Record], field: str) -> bool:
    """Tell whether a kind knows how most of the values of a field are spelled."""
    values = [record[field] for record in records if field in record]
    return sum(kind.spellings.meaning(field, value) is not None for value in values) * 2 > len(values)


AUTO, GENERIC = "auto", "generic"
FROM = (AUTO, GENERIC, *KINDS)
NO_KIND = FeedKind()


class OpenedFeed(NamedTuple):
    """The rows of a feed, and the kind that they are read as."""

    rows: Rows
    kind: FeedKind = NO_KIND
    name: str = ""  # of the built-in kind that it is or is like
    steps: "tuple[AsKind, ...]" = ()  # that come before all others
    remark: str = ""  # what was found out about the feed
    warning: str = ""  # what a recipe names, and the feed lacks


def open_feed(
    read: Read,
    mapped: Mapping[str, str],
    field_names: Collection[str],
    choices: Choices,
    *,
    source: str = AUTO,
    recipe: str | None = None,
) -> OpenedFeed:
    """Open a feed with a reader; `choices` are the values of fields that have few."""
    if source not in FROM:
        raise UsageError(f"--from: {source!r} is not one of {', '.join(FROM)}{suggestion(source, FROM)}")
    rows, remark, warning = read(mapped), "", ""
    own = kind_of_recipe(recipe, field_names) if recipe else NO_KIND
    name = own.like if own.like and source == AUTO else source
    if name == GENERIC and own == NO_KIND:
        return OpenedFeed(rows)
    records = _first_records(rows)
    base = NO_KIND
    if name == AUTO:
        name = GENERIC
        if detected := detect_kind(rows, records, field_names, choices):
            name, (base, language, by_order) = detected
            title = f"{base.title} in {language}" if language else base.title
            title = f"{'an' if title[0].casefold() in 'aeio' else 'a'} {title}"
            remark = f"{rows.source.label}: read as {title} (--from {name}); if it is not: --from generic"
            if by_order:
                places = ", ".join(f"{column!r} is {english}" for english, column in by_order.items())
                remark += f"; by the order of the columns, {places}"
    elif name != GENERIC:
        from .languages import localized

        base = localized(built_in(name), rows.columns, records).kind
    if name == GENERIC and own == NO_KIND:
        return OpenedFeed(rows)
    if absent := _absent_columns(own, rows):
        warning = f"{recipe}: {rows.source.label} has no column {absent}"
    from .step import AsKind

    kind = own if name == GENERIC else merged(own, base)
    opened = read_as(kind, read, mapped, field_names, rows.columns)
    opened.kind_name = name
    names = {column: opened.field_of(column) for column in rows.columns}
    paths: dict[str, str] = {}
    if kind.categories:
        from .categories import category_paths  # which needs the reader of XML

        paths = category_paths(rows)
    return OpenedFeed(opened, kind, name, (AsKind(kind, names, paths),), remark, warning)


def _absent_columns(own: FeedKind, rows: Rows) -> str:
    """List the columns of a recipe that a table does not have; a recipe may serve several feeds."""
    present = {column_key(column) for column in rows.columns}
    absent = [column for column in own.columns if column_key(column) not in present]
    named = (f"{column!r}{suggestion(column, rows.columns)}" for column in absent if rows.has_header)
    return ", ".join(named)


def _first_records(rows: Rows) -> Sequence[Mapping[str, Any]]:
    """Return the first records, after which the columns are known."""
    try:
        return [row.values for row in islice(rows, FIRST_RECORDS)]
    except ContentError:
        return []  # the reading that follows reports it
