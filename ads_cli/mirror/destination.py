"""Where a mirror is written: the protocol of a destination, and which there are.

To add a destination, write a class of `Destination` in a module of its own, which imports its driver in the
functions that use it, and name it in `DESTINATIONS`. One object serves one run of one account, in one thread:

    with destination.locked(account):           # advisory: no other run of this account writes meanwhile
        destination.begin()                     # a transaction; other writers are waited for
        destination.ensure_tables(tables)       # creates tables, adds columns, or says why it cannot
        destination.rollback()                  # what cannot work is known before anything is asked for
        destination.select(table, account)      # rows that are there: the state of the mirror
        destination.day_counts(report, account)
        ...                                     # the service is asked; nothing is open meanwhile
        destination.begin()
        destination.ensure_tables(tables)
        destination.replace(table, rows, scope)  # for each table
        destination.mark_deleted(table, account, before)
        destination.commit()                    # all of it is visible, or nothing
    destination.close()

`replace` reads its rows once, as they come: it stages them as is fast for its driver (a temporary table, a
file), deletes, and inserts. Rows have the columns of the table in their order, and distinct keys. Their
values are str, int, bool, Decimal, datetime (naive, in UTC; a day at 00:00:00) and None. All errors of the
driver become StateError by `failed`; neither they nor `name` hold a password. Name the new destination in
`DESTINATIONS` of tests/mirror/test_destinations.py too: those tests hold what each of them does.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from ..config.file_locks import is_locked, locked, state_lock
from ..errors import StateError, UsageError
from ..feeds.locations import OBJECT_STORES, RemoteAccess
from .tables import Column, Table

Value = str | int | Decimal | datetime | None  # a bool is an int
Row = tuple[Value, ...]
LOCK = "mirror"  # the kind of the locks of accounts
ANNOUNCE_SECONDS = 5.0  # after which a run says what it waits for


class Days(NamedTuple):
    """Days of a report, the last one not included."""

    first: datetime
    end: datetime


class Scope(NamedTuple):
    """What rows replace beside those of their keys: all that a report has of an account on some days."""

    owner: str
    days: Sequence[datetime]


class Destination(Protocol):
    """One database or folder, for one run of one account."""

    name: str  # for messages, without a password

    def locked(self, account: str) -> AbstractContextManager[None]:
        """Hold the advisory lock of an account; raise StateError where another run keeps it for too long."""

    def begin(self) -> None:
        """Begin a transaction that may write. Another writer is waited for; raise StateError in the end."""

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Create the tables that are missing, and add missing columns; within a transaction.

        Raise StateError, by `missing_columns`, for a table of the name that is not one of the mirror.
        """

    def select(self, table: Table, owner: str | None = None, days: Days | None = None) -> list[Row]:
        """Return the rows of a table, or those of an owner or of days; none where there is no table.

        A column that the table there lacks is None.
        """

    def day_counts(self, table: Table, owner: str) -> Mapping[datetime, int]:
        """Count the rows that a report has of an account, by day; none where the table does not exist."""

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows in place of those of their keys, and of all rows of a scope; return their number."""

    def mark_deleted(self, table: Table, owner: str, before: datetime) -> None:
        """Mark the rows of an owner as deleted that were last written before a moment."""

    def commit(self) -> None:
        """End the transaction: all of it is visible, and on the disk."""

    def rollback(self) -> None:
        """End the transaction as if it had never begun; without one, do nothing."""

    def close(self) -> None:
        """End a transaction, and close the connection."""


class Surroundings(msgspec.Struct, frozen=True):
    """What a destination knows of this run."""

    state_dir: Path
    wait_seconds: float  # for other writers
    say: Callable[[str], None] = lambda text: None  # what is waited for
    access: Callable[[], RemoteAccess] = RemoteAccess  # of object stores


# The classes by the scheme of their addresses, as module:class.
DESTINATIONS = {
    "sqlite": "sqlite:SqliteFile",
    "postgresql": "postgresql:PostgresSchema",
    "postgres": "postgresql:PostgresSchema",
    "duckdb": "duckdb_file:DuckDBFile",
    **dict.fromkeys(OBJECT_STORES, "parquet_folder:ParquetFolder"),
}
FOLDER = "parquet_folder:ParquetFolder"  # what has no scheme
SCHEME = re.compile(r"[a-z][a-z0-9+.-]+(?=:)", re.IGNORECASE)  # a letter alone is a drive
EXAMPLES = "as in --into sqlite:ads.db"


def open_destination(address: str, surroundings: Surroundings) -> Destination:
    """Return the destination of an address; raise UsageError where there is none."""
    match = SCHEME.match(address)
    scheme = match[0].lower() if match else ""
    is_file = not scheme and Path(address).suffix and not Path(address).is_dir()
    if is_file or (scheme and scheme not in DESTINATIONS):
        known = ", ".join(f"{name}:" for name in DESTINATIONS)
        raise UsageError(
            f"--into: the address begins with none of {known}, nor is it a folder", hint=EXAMPLES
        )
    module, _, name = DESTINATIONS.get(scheme, FOLDER).partition(":")
    opened: Destination = getattr(import_module(f".{module}", __package__), name)(address, surroundings)
    return opened


@contextmanager
def lock_here(surroundings: Surroundings, destination: str, account: str) -> Iterator[None]:
    """Hold the lock of an account on this machine, for destinations that have no locks of their own."""
    path = state_lock(surroundings.state_dir, LOCK, destination, account)
    if is_locked(path):
        surroundings.say(f"another run mirrors {account} into {destination}; waiting for it")
    with locked(path, surroundings.wait_seconds):
        yield


def missing_columns(table: Table, types: Mapping[str, str], key: Collection[str], name: str) -> list[Column]:
    """Return the columns that an existing table lacks, which may be added to it.

    `types` are those of its columns, as this module names them. Raise StateError unless it is a table of the
    mirror: its key is the same, and no column has another type.
    """
    different = [
        f"{column.name} is {there}, not {column.type}"
        for column in table.columns
        if (there := types.get(column.name)) not in (None, column.type)
    ]
    if {*key} != {*table.key}:
        different.append(f"its key is ({', '.join(key)}), not ({', '.join(table.key)})")
    if different:
        raise StateError(
            f"{name} has a table {table.name} that adsctl did not make: {different[0]}",
            hint="mirror into another schema or file, or rename that table",
        )
    return [column for column in table.columns if column.name not in types]


def failed(name: str, what: str, hint: str) -> StateError:
    """Return the error of a destination: what a driver says, in one line."""
    return StateError(f"{name}: {' '.join(what.split())}", hint=hint)
