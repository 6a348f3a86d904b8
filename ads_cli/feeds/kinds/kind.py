"""A kind of feed: a Struct that is read from a data file, one of ours or one that --mapping names."""

from collections.abc import Collection
from functools import cached_property

import msgspec

from .column_names import NamePatterns, folded


class FeedKind(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """How the columns and values of a kind of feed become products; equal content is an equal kind."""

    title: str = ""
    like: str = ""  # the kind that this one extends
    recognized_by: list[list[str]] = []  # a feed with all columns of one of these lists is of this kind
    columns: dict[str, str] = {}  # column to field
    ignored: list[str] = []  # columns that are known and not sent; * stands for any characters
    values: dict[str, dict[str, list[str]]] = {}  # field to value to its other spellings
    joined: dict[str, list[str]] = {}  # field that is a list, to the columns that hold further values of it
    set: dict[str, str] = {}  # field to the template that gives it
    default: dict[str, str] = {}  # field to the template that fills it where it is empty
    currency: str = ""  # of prices without one
    base_url: str = ""  # of relative addresses
    left_out: dict[str, list[str]] = {}  # column to the values of rows that are left out
    hints: dict[str, str] = {}  # field to what gives it, where the feed does not
    assembly: str = ""  # the class that makes products of several rows
    roles: dict[str, list[str]] = {}  # what the assembly reads, to the columns that may hold it
    options: dict[str, list[str]] = {}  # field to the names of options and attributes that give it
    own: list[str] = []  # columns whose values belong to one row of a product, and to no other

    def field_of(self, column: str, known: Collection[str]) -> str | None:
        """Return the field that a column is read as: the one that is named, or one of its own name."""
        name = folded(column)
        if field := self._fields.get(name):
            return field
        if name in self._role_columns:
            return None
        return next((field for field in known if folded(field) == name), None)

    def recognizes(self, columns: Collection[str]) -> bool:
        """Tell whether a feed with these columns is of this kind."""
        names = [folded(column) for column in columns]
        return any(all(_has(names, pattern) for pattern in wanted) for wanted in self.recognized_by)

    @cached_property
    def _fields(self) -> dict[str, str]:
        return {folded(column): field for column, field in self.columns.items()}

    @cached_property
    def unsent(self) -> NamePatterns:
        """Return the columns that are known, and are not sent by themselves."""
        parts = (*self.roles.values(), *self.joined.values())
        return NamePatterns([*self.ignored, *(column for columns in parts for column in columns)])

    @cached_property
    def _role_columns(self) -> frozenset[str]:
        return frozenset(folded(column) for columns in self.roles.values() for column in columns)


def _has(names: Collection[str], pattern: str) -> bool:
    wanted = folded(pattern)
    if wanted.endswith("*"):
        return any(name.startswith(wanted[:-1]) for name in names)
    return wanted in names


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
