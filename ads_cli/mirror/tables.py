"""What a table of a mirror is: its columns, and which field of which record each is read from.

The tables that the public dbt package for this service reads have its names, columns and types. They are a
contract: a later version adds tables and columns, removes none and narrows no type. All other tables follow
the same rules:

- A `history` table has a row for each version of a record. `updated_at` begins it; a deletion is a version.
- A `plain` table has the present state.
- A `report` table has a row for each entity, day of the account and placement. A metric is an integer, 0
  where nothing was counted. Amounts are in millionths; a column beside it has them in units.

Times are in UTC without a zone. A day is the day of the account's zone at 00:00:00.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Literal

import msgspec

VERSION = 1  # of the contract; it grows with each table or column that is added
Type = Literal["text", "timestamp", "boolean", "integer", "bigint", "numeric"]
Kind = Literal["history", "plain", "report", "state"]
Record = Mapping[str, Any]  # by neutral names
MICRO, UNITS = "_local_micro", "_local"
SYNCED = "_fivetran_synced"  # the name by which the dbt package asks how fresh a table is


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a table."""

    name: str
    type: Type
    about: str
    source: str  # the field of the record, or in words where it is derived
    is_key: bool = False  # part of what identifies a row; never null
    read: Callable[[Record], Any] | None = None  # reads it from a record, where that is no single field

    @property
    def field(self) -> str:
        """The field of the record; where `source` is words, whoever reads the records adds it by its name."""
        return self.name if " " in self.source else self.source.rpartition(".")[2]


class Table(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A table of the mirror."""

    name: str
    kind: Kind
    about: str
    source: str  # the command that shows the same
    columns: tuple[Column, ...]
    owner: str = "account_id"  # the column that says whose rows they are
    entity: str = ""  # of a report: the kind of entity, by its neutral name
    lists_deleted: bool = True  # else a record that is no longer listed is marked as deleted

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Name the columns that identify a row."""
        return tuple(column.name for column in self.columns if column.is_key)


def column(type: Type, name: str, about: str, source: str = "", **options: Any) -> Column:
    """Declare a column; without `source` it is the field of its name."""
    return Column(name=name, type=type, about=about, source=source or name, **options)


text, timestamp = partial(column, "text"), partial(column, "timestamp")
boolean = partial(column, "boolean")
integer, bigint = partial(column, "integer"), partial(column, "bigint")


def with_units(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Add a column in units after each amount in millionths."""
    whole = list[Column]()
    for column in columns:
        whole.append(column)
        if column.name.endswith(MICRO):
            name = column.name.removesuffix(MICRO) + UNITS
            about = f"{column.name} in units of the currency"
            whole.append(Column(name=name, type="numeric", about=about, source=column.source))
    return tuple(whole)


UPDATED = timestamp("updated_at", "When this version began", is_key=True)
WRITTEN = timestamp(SYNCED, "When the row was written", "the clock of this machine")
DELETED = boolean("deleted", "Whether it is deleted; it stays in the table")
