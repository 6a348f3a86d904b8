"""Kinds of product feeds: how each is recognized, and what its columns are."""

import re
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase, translate
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from ....errors import ContentError
from ....feeds.row import Row
from ....spelling import suggestion
from .. import SCHEMA_ADDRESS

NAMESPACES = ("g:", "c:")
_SEPARATORS = str.maketrans(
    "\N{RIGHT SINGLE QUOTATION MARK}", "'", " _-\t\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
)


def column_key(name: str) -> str:
    """Return what equal names have in common: `Image Link`, `image-link` and `g:imageLink` are one."""
    name = name.strip().casefold()
    return (name[2:] if name.startswith(NAMESPACES) else name).translate(_SEPARATORS)


class NamePatterns:
    """Names of which `*` stands for any characters."""

    def __init__(self, patterns: Iterable[str]) -> None:
        names = {column_key(pattern) for pattern in patterns}
        self._names = {name for name in names if "*" not in name}
        wild = sorted(map(translate, names - self._names))
        self._wild = re.compile("|".join(wild)) if wild else None

    def __contains__(self, column: object) -> bool:
        """Tell whether one of the patterns matches the whole of a name."""
        name = column_key(str(column))
        return name in self._names or bool(self._wild and self._wild.fullmatch(name))


def spelling_key(value: str) -> str:
    """Return what the spellings of a value have in common: `In Stock`, `in_stock`, schema.org/InStock."""
    return column_key(SCHEMA_ADDRESS.sub("", value.strip()))


class Spellings(msgspec.Struct, frozen=True):
    """Replaces known spellings of values; any other value stays as it is."""

    fields: dict[str, dict[str, str]]  # field to the key of a spelling to the value
    values: dict[str, tuple[str, ...]]  # field to its values, which stay
    patterns: dict[str, tuple[tuple[str, str], ...]] = {}  # field to spellings with * or ?, and their value

    def apply(self, row: Row) -> None:
        """Replace the spellings in a row."""
        values = row.values
        for field, choices in self.values.items():
            value = values.get(field)
            if value is not None and value not in choices and (meaning := self.meaning(field, value)):
                values[field] = meaning

    def meaning(self, field: str, value: Any) -> str | None:
        """Return the value that a spelling stands for, or None."""
        if not isinstance(value, str):
            return None
        key = spelling_key(value)
        if (meaning := self.fields.get(field, {}).get(key)) is not None:
            return meaning
        patterns = self.patterns.get(field, ())
        return next((meaning for pattern, meaning in patterns if fnmatchcase(key, pattern)), None)


class FeedKind(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """How the columns and values of a kind of feed become products; equal content is an equal kind."""

    title: str = ""
    like: str = ""  # the kind that this one extends
    recognized_by: list[list[str]] = []  # a feed with all columns of one of these lists is of this kind
    columns: dict[str, str] = {}  # column to field
    ignored: list[str] = []  # columns that are known and not sent; * stands for any characters
    values: dict[str, dict[str, list[str]]] = {}  # field to value to its other spellings; * and ? as in names
    joined: dict[str, list[str]] = {}  # field that is a list, to the columns that hold further values of it
    assumed: dict[str, str] = {}  # field to what it is where the feed does not say it; no update assumes it
    time_zone: str = ""  # of sale dates without one
    left_out: dict[str, list[str]] = {}  # column to the values of rows that are left out, casefolded
    hints: dict[str, str] = {}  # field to what gives it, where the feed does not
    assembly: str = ""  # the class that makes products of several rows
    roles: dict[str, list[str]] = {}  # what the assembly reads, to the columns that may hold it
    options: dict[str, list[str]] = {}  # field to the names of options and attributes that give it
    own: list[str] = []  # columns whose values belong to one row of a product, and to no other
    languages: dict[str, list[str]] = {}  # file with the header in other languages, to values of each feed
    words: dict[str, list[str]] = {}  # field to the columns whose words fill it where it is empty
    parameters: dict[str, list[str]] = {}  # column of nested options to the keys of their name and value
    pairs: list[list[str]] = []  # columns with the name of an option and its value
    separators: dict[str, str] = {}  # field to what separates the parts of a list
    paths: dict[str, str] = {}  # field to what separates categories
    categories: str = ""  # column of the number of a category that the document lists before its products
    decimal_comma: bool = False  # prices may have one
    full_prices: list[str] = []  # columns of the price before a reduction
    currencies: list[str] = []  # columns of the currency of prices
    codes: dict[str, str] = {}  # code of a currency as feeds have it, to that of ISO 4217
    stock: list[str] = []  # columns of the quantity that is left

    def field_of(self, column: str, field_names: Collection[str]) -> str | None:
        """Return the field that a column is read as: the one that is named, or one of its own name."""
        name = column_key(column)
        if field := self._fields.get(name):
            return field
        if name in self._not_by_name:
            return None
        return next((field for field in field_names if column_key(field) == name), None)

    def recognizes(self, columns: Collection[str]) -> bool:
        """Tell whether a feed with these columns is of this kind."""
        return any(all(_has(columns, pattern) for pattern in patterns) for patterns in self.recognized_by)

    @cached_property
    def _fields(self) -> dict[str, str]:
        options = {} if self.assembly else self.options
        fields = {column_key(name): field for field, names in options.items() for name in names}
        return fields | {column_key(column): field for column, field in self.columns.items()}

    @cached_property
    def parts(self) -> NamePatterns:
        """Return the columns of which fields are made, in another way than by taking their value."""
        return NamePatterns(self._part_names)

    @cached_property
    def unsent(self) -> NamePatterns:
        """Return the columns that are known, and are not sent by themselves."""
        return NamePatterns([*self.ignored, *self._part_names])

    @cached_property
    def _part_names(self) -> list[str]:
        groups = (*self.roles.values(), *self.joined.values(), *self.words.values(), *self.pairs)
        others = (*self.parameters, *self.full_prices, *self.currencies, *self.stock)
        return [*chain.from_iterable(groups), *others, *filter(None, [self.categories])]

    @cached_property
    def spellings(self) -> Spellings:
        """Return what reads the spellings of values."""
        fields = {
            field: {
                spelling_key(name): value for value, others in choices.items() for name in (value, *others)
            }
            for field, choices in self.values.items()
        }
        wild = {field: [key for key in choices if {"*", "?"} & {*key}] for field, choices in fields.items()}
        patterns = {  # the one with the most letters first
            field: tuple((key, fields[field][key]) for key in sorted(keys, key=_unspecific))
            for field, keys in wild.items()
            if keys
        }
        return Spellings(fields, {field: tuple(choices) for field, choices in self.values.items()}, patterns)

    @cached_property
    def _not_by_name(self) -> frozenset[str]:
        """The columns that are not read as a field, though they may have its name."""
        return frozenset(map(column_key, (*chain.from_iterable(self.roles.values()), *self.ignored)))


def _unspecific(pattern: str) -> tuple[int, int]:
    wild = pattern.count("*") + pattern.count("?")
    return wild - len(pattern), pattern.count("*")


def _has(columns: Collection[str], pattern: str) -> bool:
    matching = NamePatterns([pattern])
    return any(column in matching for column in columns)


def merged(kind: FeedKind, base: FeedKind) -> FeedKind:
    """Return a kind with what it does not say itself taken from the one that it is like.

    Lists are joined, and mappings too: what the kind says of a key counts.
    """
    both = {}
    for name in FeedKind.__struct_fields__:
        own, other = getattr(kind, name), getattr(base, name)
        if name == "recognized_by":
            both[name] = own
        elif name == "values":
            both[name] = {field: _joined(own.get(field, {}), other.get(field, {})) for field in other | own}
        elif isinstance(own, dict):
            both[name] = other | own
        elif isinstance(own, list):
            both[name] = [*own, *other]
        else:
            both[name] = own or other
    return FeedKind(**both)


def _joined(own: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, list[str]]:
    return {value: [*own.get(value, []), *other.get(value, [])] for value in other | own}


# In the order in which they are recognized: a kind before the one that it is like.
KINDS = (
    *("shopify", "woocommerce", "wix", "etsy", "heureka", "yml", "idealo", "prisjakt"),
    *("meta", "pinterest", "google"),
)
FOLDER = Path(__file__).parent
OF_BUILT_IN = (  # keys of built-in kinds alone
    *("assembly", "roles", "own", "recognized_by", "title", "languages", "words", "parameters", "pairs"),
    *("separators", "paths", "categories", "decimal_comma", "full_prices", "currencies", "codes", "stock"),
    *("assumed", "time_zone"),
)
RECIPE_KEYS = tuple(name for name in FeedKind.__struct_fields__ if name not in OF_BUILT_IN)


def read_table(name: str) -> Any:
    """Read the file of a kind, or of its languages."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # scalars stay text
    return yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), Loader=loader)


@cache
def built_in(name: str) -> FeedKind:
    """Load a kind by its name."""
    kind = msgspec.convert(read_table(name), FeedKind, strict=False)
    return merged(kind, built_in(kind.like)) if kind.like else kind


def kind_of_recipe(path: str, field_names: Collection[str]) -> FeedKind:
    """Read what a recipe says of columns and values, beside options; raise ContentError where it is wrong."""
    from ....api.names import neutral_name
    from ....config import strict_yaml

    document = strict_yaml.load_mapping("--recipe", path, "of options")
    filled = {key: document[key] for key in RECIPE_KEYS if document.get(key) is not None}
    try:
        kind = msgspec.convert(filled, FeedKind)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        raise ContentError(f"{path}: {where.rstrip('`') or 'the file'}: {message}") from None
    columns = {column: neutral_name(field) for column, field in kind.columns.items()}
    left_out = {column: [*map(str.casefold, values)] for column, values in kind.left_out.items()}
    kind = msgspec.structs.replace(kind, columns=columns, left_out=left_out)
    for name in ("values", "joined"):
        _require_names(path, f"{name}: ", getattr(kind, name), field_names)
    for column, field in columns.items():
        _require_names(path, f"columns: {column}: ", [field], field_names)
    if kind.like and kind.like not in KINDS:
        message = f"like: {kind.like!r} is not a kind of feed{suggestion(kind.like, KINDS)}"
        raise ContentError(f"{path}: {message}", hint=f"kinds: {', '.join(KINDS)}")
    return kind


def _require_names(path: str, where: str, names: Any, allowed: Collection[str]) -> None:
    for name in names:
        if name not in allowed:
            raise ContentError(f"{path}: {where}unknown field {name!r}{suggestion(name, allowed)}")
