"""The template that gives every row of a feed an id of its own, where rows share ids and yet differ."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from ...api.product_ids import id_form
from ...feeds.rows import Rows
from ...feeds.several import SeveralRows
from ...feeds.transforms import Template
from ...output.text import cell
from ...products.feeds.assembly import AssembledRows
from ...products.feeds.hints import SYNONYMS
from ...products.feeds.kinds.options import is_option, option_field
from ...products.normal_form import PRODUCT_SCHEMA
from ...spelling import letters_and_digits

MAX_COLUMNS = 3  # that tell the rows of a product apart
TITLE = "title"
MAX_TRIED = 6  # columns that may do so
MIN_SHARED = 0.1  # of the rows of a plain table share ids; where fewer do, these are rather mistakes
# Names of columns with an identifier of a product, beside the id; codes of others, such as GTINs, come last.
IDENTIFIERS = ("variantid", "variantsku", *SYNONYMS["id"], "gtin", *SYNONYMS["gtin"], "mpn", *SYNONYMS["mpn"])

Record = Mapping[str, Any]


class IdColumns:
    """The columns of which ids may be made, in the order of preference, by what the feed is."""

    def __init__(self, rows: Rows) -> None:
        first = rows.files[0] if isinstance(rows, SeveralRows) else rows
        self.key_of = first.field_of  # under which rows have a column
        self.of_export = isinstance(first, AssembledRows)
        if isinstance(first, AssembledRows):
            self.unique = first.columns_of("id")
            self.shared = first.columns_of("sku", "handle")
            self.distinctive = first.option_columns()
        else:
            named = [name for name in rows.columns if not {"{", "}"} & {*name}]
            keys = {letters_and_digits(name): name for name in reversed(named) if self.key_of(name) != "id"}
            self.unique = [keys[key] for key in IDENTIFIERS if key in keys]
            self.shared = ["id"]
            options = filter(is_option, named)
            self.distinctive = sorted(options, key=lambda name: option_field(name) is None)
        filled = rows.transform.fields
        self.distinctive = [name for name in self.distinctive if name not in filled][:MAX_TRIED]
        self.titles = [TITLE] if self.of_export and TITLE not in filled else []

    def templates(self, is_full: Callable[[str], bool], is_filled: Callable[[str], bool]) -> Iterator[str]:
        """Yield the templates from the shortest one on.

        A part that some rows lack is appended without a dash, which would be left without it.
        """
        yield from (f"{{{name}}}" for name in self.unique if is_full(name))
        shared = [name for name in self.shared if is_full(name)]
        yield from self._combined(
            shared, {name: is_full(name) for name in self.distinctive if is_filled(name)}
        )
        if self.of_export:  # an id of a title changes with it
            yield from (f"{{{name}}}" for name in shared)
            names = [*self.distinctive, *self.titles]
            yield from self._combined(shared, {name: is_full(name) for name in names if is_filled(name)})

    def _combined(self, shared: Sequence[str], parts: Mapping[str, bool]) -> Iterator[str]:
        """Yield templates of what rows share and of what tells them apart, which each row has or not."""
        for count in range(1, MAX_COLUMNS + 1):
            combined = [*combinations(parts, count)]
            for chosen in sorted(combined, key=lambda names: sum(not parts[name] for name in names)):
                for start in shared:
                    names = sorted(chosen, key=lambda name: not parts[name])
                    yield f"{{{start}}}" + "".join(
                        f"{'-' if parts[name] else ''}{{{name}}}" for name in names if name != start
                    )


def distinct_id(rows: Rows, read: Iterable[Any]) -> str | None:
    """Return a template by which no two rows that differ have one id, and none has an id with an empty part.

    `read` are the rows that are tried. Rows that are identical keep one id.
    """
    field_names = PRODUCT_SCHEMA.known
    records: dict[tuple[Any, ...], Record] = {}  # by what they say
    for row in read:
        if not (row.left_out or row.problem):
            content = (
                (name, cell(value)) for name, value in row.values.items() if _counts(name, field_names)
            )
            records.setdefault(tuple(sorted(content)), row.values)
    records_of_id = [*records.values()]
    by_id: dict[str, list[Record]] = {}
    for record in records_of_id:
        by_id.setdefault(id_form(cell(record.get("id"))), []).append(record)
    repeated = [record for records in by_id.values() if len(records) > 1 for record in records]
    columns = IdColumns(rows)
    if not repeated or (not columns.of_export and len(repeated) < MIN_SHARED * len(records_of_id)):
        return None

    def values(column: str) -> list[str]:
        key = columns.key_of(column)
        return [cell(record.get(key)) for record in records_of_id]

    def is_full(column: str) -> bool:
        return all(value and value == value.strip("' ") for value in values(column))

    def is_filled(column: str) -> bool:
        return any(values(column))

    for text in columns.templates(is_full, is_filled):
        template = Template.parse(text).bound(columns.key_of)
        if _are_distinct(template, repeated) and _are_distinct(template, records_of_id):
            return text
    return None


def _counts(name: str, field_names: Sequence[str]) -> bool:
    """Tell whether rows that differ in a column are not identical, as the validation says."""
    return name in field_names or is_option(name)


def _are_distinct(template: Template, records: Sequence[Record]) -> bool:
    seen: set[str] = set()
    for record in records:
        if (form := id_form(template.render(record, "id"))) in seen:
            return False
        seen.add(form)
    return True
