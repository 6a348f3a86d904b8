"""The log of changes: each is noted before it is sent, and again after its answer.

A change without an outcome has an unknown one: the command was killed, or its answer was lost.
"""

from pathlib import Path
from typing import Any, TypedDict

import msgspec

from ..errors import StateError
from ..stored_times import utc_text
from .database import as_json, store_in

UNKNOWN = "unknown"


class ChangeEntry(TypedDict):
    """A change of the log."""

    id: str
    time: str
    profile: str
    account: str | None
    user: str
    command: str
    method: str
    path: str
    ids: list[str]
    fields: Any
    before: Any
    outcome: str
    job: str | None
    by: str | None
    service: str
    environment: str


COLUMNS = tuple(ChangeEntry.__annotations__)
OF_SERVICE = ("service", "environment")
NESTED = ("ids", "fields", "before", "records")  # JSON in the table


class ChangedRecord(msgspec.Struct, kw_only=True):
    """A record of a change, as a person calls it."""

    action: str  # create, update or delete
    noun: str
    id: str = ""  # empty of one that is new
    name: str = ""
    currency: str = ""  # of its amounts
    stored: dict[str, Any] = {}  # fields that the answer shows otherwise than they were set


class ChangeBegun(msgspec.Struct, kw_only=True):
    """A change before it is sent."""

    id: str
    time: str
    profile: str
    account: str | None
    user: str
    command: str
    method: str
    path: str
    ids: list[str] = []
    fields: Any = None
    before: Any = None
    job: str | None = None
    by: str | None = None
    records: list[ChangedRecord] = []
    service: str = ""
    environment: str = ""  # production, sandbox or emulator


class ChangeEnded(msgspec.Struct, kw_only=True):
    """What became of it."""

    id: str
    outcome: str
    ids: list[str] = []  # of what was made
    counts: dict[str, int] = {}
    records: list[ChangedRecord] = []  # with names that the answer has; empty where it has none to add


class ChangeLog:
    """The log in a state folder; changes older than `keep_days` are removed as others are noted."""

    def __init__(self, state_dir: Path, keep_days: int | None = None) -> None:
        self._store, self._keep_days = store_in(state_dir), keep_days

    def begin(self, entry: ChangeBegun) -> None:
        """Note a change, on disk before this returns; raise StateError where that fails."""
        values = msgspec.to_builtins(entry)
        row = {name: as_json(value) if name in NESTED else value for name, value in values.items()}
        names = ", ".join(row)
        try:
            with self._store.writing() as db:
                if self._keep_days is not None:
                    # Before the last change, too: a clock that is years ahead once must not empty the log.
                    kept = "strftime('%Y-%m-%dT%H:%M:%SZ', (SELECT max(time) FROM changes), ?)"
                    oldest = utc_text(self._keep_days * 86400.0), f"-{self._keep_days} days"
                    db.execute(f"DELETE FROM changes WHERE time < ? AND time < {kept}", oldest)
                places = ", ".join(f":{name}" for name in row)
                db.execute(f"INSERT INTO changes ({names}) VALUES ({places})", row)
        except StateError as error:
            message = f"the log of changes cannot be written: {error.message}; nothing was sent"
            raise StateError(message, hint=error.hint) from None

    def end(self, entry: ChangeEnded) -> bool:
        """Note what became of a change; return False where that fails."""
        values = entry.outcome, as_json(entry.ids), as_json(entry.counts), entry.id
        try:
            with self._store.writing() as db:
                db.execute("UPDATE changes SET outcome = ?, made = ?, counts = ? WHERE id = ?", values)
                if entry.records:
                    named = as_json(msgspec.to_builtins(entry.records)), entry.id
                    db.execute("UPDATE changes SET records = ? WHERE id = ?", named)
        except StateError:
            return False
        return True

    def created_ids(self) -> set[str]:
        """Return the ids of the records that changes have made and whose answers named them."""
        rows = self._store.rows("SELECT ids, made FROM changes WHERE made != '[]'")
        return {id for ids, made in rows for id in {*_value(made)} - {*_value(ids)}}

    def since(self, moment: str) -> list[dict[str, Any]]:
        """Return the changes since a moment that may have been applied."""
        return self._changes("WHERE time >= ? AND coalesce(outcome, 'ok') IN ('ok', ?)", (moment, UNKNOWN))

    def of_job(self, job: str) -> dict[str, Any] | None:
        """Return the first change that was logged with a job."""
        return next(iter(self._changes("WHERE job = ?", (job,))), None)

    def changes(self, service: str = "", account: str = "") -> list[dict[str, Any]]:
        """Return all changes, or those of an account, oldest first, with the ids of what they made."""
        if not service:
            return self._changes("", ())
        return self._changes("WHERE (service, account) = (?, ?)", (service, account))

    def records(self) -> dict[str, list[ChangedRecord]]:
        """Return the records that each change is about, by the id of the change."""
        rows = self._store.rows("SELECT id, records, made FROM changes")
        return {id: _records(records, made) for id, records, made in rows}

    def _changes(self, condition: str, values: tuple[str, ...]) -> list[dict[str, Any]]:
        # With the plus, SQLite finds few rows by an index and sorts them, and reads no others.
        query = f"SELECT {', '.join(COLUMNS)}, made, counts FROM changes {condition} ORDER BY +rowid"
        return [_change(row) for row in self._store.rows(query, values)]


def _records(text: str, made: str) -> list[ChangedRecord]:
    """Return the records of a change, those that it made with the ids of the answer."""
    records = msgspec.json.decode(text, type=list[ChangedRecord])
    new, ids = [record for record in records if not record.id], _value(made)
    if len(new) == len(ids):
        for record, id in zip(new, ids, strict=True):
            record.id = id
    elif len(new) == 1 and ids:  # one request that makes a record of each of its posts
        known = [record for record in records if record.id]
        records = [*known, *(msgspec.structs.replace(new[0], id=id) for id in ids)]
    return records


def _change(row: tuple[Any, ...]) -> dict[str, Any]:
    *values, made, counts = row
    change = dict(zip(COLUMNS, values, strict=True))
    change |= {name: _value(change[name]) for name in NESTED if name in change}
    change["outcome"] = change["outcome"] or UNKNOWN
    change["ids"] += [id for id in _value(made) if id not in change["ids"]]
    if counts != "{}":
        change["fields"] = {**(change["fields"] or {}), **_value(counts)}
    return change


def _value(text: str) -> Any:
    return msgspec.json.decode(text)
