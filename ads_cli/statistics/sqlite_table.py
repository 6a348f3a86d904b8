"""A table of statistics in a SQLite file: what is queried again replaces the earlier rows."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import StateError
from .analysis import Answers, grouped
from .files import Counted
from .periods import DAY, Period, periods_again
from .query import StatsQuery
from .rows import SEGMENT_KEYS, SEGMENT_VALUE, TIMES, ResultContext, Row, StatsTable, table_of

NEAR = 3 * DAY  # how far from the days that are asked for others may have to be asked again


def as_one_day(table: StatsTable, period: Period) -> StatsTable:
    """Return rows of hours as those of a period, which the rows of an entity are added up to."""
    summed = grouped(table, [key for key in table.keys if key not in TIMES])
    start, end = (table.keys.index(name) for name in TIMES)

    def timed() -> Iterator[Row]:
        for row in summed.rows:
            values = [*row]
            values[start], values[end] = (time.isoformat() for time in period)
            yield tuple(values)

    return summed._replace(rows=timed())


TABLE = "statistics"
SCOPE = ("account", "entity", "granularity", "placement", "segment_by", "country")
KEY = (*SCOPE, "entity_id", "start", "end", SEGMENT_VALUE)
OWN = ("account", "segment_by", "granularity", "country")  # columns of the query
# The key of a table that was made before segments were distinguished by value, and times by granularity.
OLD_KEY = {"account", "entity", "entity_id", "start", "end", "placement", "segment_by", "segment"}
KINDS = {name: "TEXT NOT NULL" if name in KEY else "TEXT" for name in (*OWN, *SEGMENT_KEYS)}
BUSY_SECONDS = 30
WRITABLE = "name a SQLite file, or a new one, in a folder that you may write"
AGAIN = "run the command again, with --resume where it was an export"
LOCKED = f"another program writes to it; {AGAIN}"
LOCAL = len("2026-03-01T00:00:00")  # of a time, without its offset
MAX_INTEGER = 2**63 - 1  # of SQLite
SAME_SCOPE = " AND ".join(f'"{name}" = :{name}' for name in (*SCOPE, "entity_id"))
# Texts of times have offsets: they are up to a day from where they would be by their instants.
WITHIN = f"""{SAME_SCOPE} AND "start" BETWEEN :earliest AND :latest
AND strftime('%s', "start") + 0 < :until AND strftime('%s', "end") + 0 > :since"""
# A total that was stored before the clock was changed began at another offset of the same time.
SAME_TOTAL = f"""{SAME_SCOPE} AND substr("start", 1, {LOCAL}) = :start AND substr("end", 1, {LOCAL}) = :end"""
OLD_GRANULARITY = """CASE strftime('%s', "end") - strftime('%s', "start")
WHEN 3600 THEN 'HOUR' WHEN 86400 THEN 'DAY' ELSE 'TOTAL' END"""


class StatisticsTable:
    """The table in a file.

    A method raises StateError where it is not a database, is locked or cannot be written.
    """

    def __init__(self, path: Path, account: str) -> None:
        self._path, self._account = path, account

    def queries_again(self, context: ResultContext) -> list[StatsQuery]:
        """Return what is to be asked again because days of a query cut those that are stored.

        The file stays as it is; that it can be written is found out.
        """
        if not self._path.exists():
            return []
        with self._transaction("ROLLBACK") as db:
            return self._queries_again(db, context)

    def store(
        self, context: ResultContext, table: StatsTable, again: Sequence[tuple[StatsQuery, Answers]] = ()
    ) -> int:
        """Store rows in place of all that is there of the same entities and times; return their number.

        `again` has what was to be asked again, and its answers. Where anything fails, nothing is stored.
        """
        parts = [(context.query, table)]
        for query, answers in again:
            hours = table_of(context._replace(query=query), answers)
            parts.append((query, as_one_day(hours, query.period)))
        with self._transaction() as db:
            _add_columns(db, dict.fromkeys(table.metrics, "NUMERIC"))
            if self._queries_again(db, context) != [query for query, _ in again]:
                raise StateError(f"--into: another run has changed {self._path} meanwhile", hint=AGAIN)
            for query, rows in parts:
                for id in query.ids:
                    _clear(db, self._scope(context, id), query, rows.metrics)
            return sum(self._insert(db, context.query, rows) for _, rows in parts)

    @contextmanager
    def _transaction(self, end: str = "COMMIT") -> Iterator[sqlite3.Connection]:
        try:
            with closing(
                sqlite3.connect(self._path.absolute(), timeout=BUSY_SECONDS, isolation_level=None)
            ) as db:
                db.execute("BEGIN IMMEDIATE")
                try:
                    self._prepare(db)
                    yield db
                    db.execute(end)
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of an extended code
            is_locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            raise StateError(
                f"--into: {self._path} cannot be written: {error}", hint=LOCKED if is_locked else WRITABLE
            ) from error

    def _prepare(self, db: sqlite3.Connection) -> None:
        """Create the table, or upgrade one of an earlier version. Raise StateError for another table."""
        existing = _columns(db)
        key = {name for name, column in existing.items() if column.is_key}
        if not existing:
            _create_table(db, TABLE, KINDS)
        elif key == {*KEY}:
            _add_columns(db, KINDS)
        elif key == OLD_KEY:
            _convert_table(db, existing)
        else:
            hint = "name another file"
            raise StateError(f"--into: {self._path} has a table {TABLE} that adsctl did not make", hint=hint)

    def _queries_again(self, db: sqlite3.Connection, context: ResultContext) -> list[StatsQuery]:
        """Return the queries about stored days that the days of a query cut.

        They are asked by the hour, which may begin and end at any.
        """
        query, ids = context.query, dict[Period, list[str]]()
        if query.granularity != "DAY":
            return []
        near = _instants(Period(query.period.start - NEAR, query.period.end + NEAR))
        statement = f'SELECT DISTINCT "start", "end" FROM "{TABLE}" WHERE {WITHIN}'
        for id in query.ids:
            matches = db.execute(statement, self._scope(context, id) | near)
            stored = sorted(Period(*map(datetime.fromisoformat, times)) for times in matches)
            for period in periods_again(query.period, stored):
                ids.setdefault(period, []).append(id)
        return [
            msgspec.structs.replace(query, period=period, ids=tuple(own), granularity="HOUR")
            for period, own in ids.items()
        ]

    def _scope(self, context: ResultContext, id: str) -> dict[str, Any]:
        """Return what tells the rows of an entity from those of other queries."""
        query = context.query
        named = context.names.to_wire({"entity": query.entity, "placement": query.placement})
        return {**self._own(query), **named, "entity_id": id}

    def _own(self, query: StatsQuery) -> dict[str, str]:
        """Return the values of the columns that a query gives all its rows."""
        values = (self._account, query.segmentation, query.granularity, query.country)
        return {name: value or "" for name, value in zip(OWN, values, strict=True)}

    def _insert(self, db: sqlite3.Connection, query: StatsQuery, table: StatsTable) -> int:
        names = [*dict.fromkeys((*OWN, *table.columns, SEGMENT_VALUE))]
        listed = ", ".join(f'"{name}"' for name in names)
        changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in KEY)
        statement = (
            f'INSERT INTO "{TABLE}" ({listed}) VALUES ({", ".join("?" * len(names))}) '
            f"ON CONFLICT DO UPDATE SET {changed}"
        )
        counted, own = Counted(table.rows), self._own(query)
        for row in counted:
            values = own | dict(zip(table.columns, map(_stored, row), strict=True))
            values[SEGMENT_VALUE] = values.get(SEGMENT_VALUE) or ""  # a key is never empty
            db.execute(statement, [values[name] for name in names])
        return counted.count


def _create_table(db: sqlite3.Connection, table: str, kinds: Mapping[str, str]) -> None:
    listed = ", ".join(f'"{name}" {kind}' for name, kind in kinds.items())
    key = ", ".join(f'"{name}"' for name in KEY)
    db.execute(f'CREATE TABLE "{table}" ({listed}, PRIMARY KEY ({key}))')


def _add_columns(db: sqlite3.Connection, kinds: Mapping[str, str]) -> None:
    """Extend the table by the columns that it lacks."""
    existing = _columns(db)
    for name in (name for name in kinds if name not in existing):
        db.execute(f'ALTER TABLE "{TABLE}" ADD COLUMN "{name}" {kinds[name]}')


def _convert_table(db: sqlite3.Connection, existing: "Mapping[str, _Column]") -> None:
    """Give a table of an earlier version the key of now."""
    others = {name: column.kind for name, column in existing.items() if name not in KINDS}
    names = ", ".join(f'"{name}"' for name in existing)
    db.execute("PRAGMA legacy_alter_table = ON")  # views of the table stay as they are
    _create_table(db, f"{TABLE}_new", KINDS | others)
    db.execute(
        f'INSERT INTO "{TABLE}_new" ({names}, "granularity", "country", "{SEGMENT_VALUE}") '
        f'SELECT {names}, {OLD_GRANULARITY}, \'\', "segment" FROM "{TABLE}"'
    )
    db.execute(f'DROP TABLE "{TABLE}"')
    db.execute(f'ALTER TABLE "{TABLE}_new" RENAME TO "{TABLE}"')


def _columns(db: sqlite3.Connection) -> "dict[str, _Column]":
    """Return the columns of the table; none where there is no table."""
    listed = db.execute(f'PRAGMA table_info("{TABLE}")')
    return {name: _Column(kind, bool(is_key)) for _, name, kind, _, _, is_key in listed}


class _Column(NamedTuple):
    kind: str
    is_key: bool


def _clear(
    db: sqlite3.Connection, scope: Mapping[str, Any], query: StatsQuery, metrics: Sequence[str]
) -> None:
    """Remove what an earlier answer had of an entity in a period; a row with other metrics keeps those."""
    if scope["granularity"] == "TOTAL":
        start, end = (time.isoformat()[:LOCAL] for time in query.period)
        condition, values = SAME_TOTAL, {"start": start, "end": end}
    else:
        condition, values = WITHIN, _instants(query.period)
    empty = ", ".join(f'"{name}" = NULL' for name in metrics)
    others = [name for name in _columns(db) if name not in {*OWN, *SEGMENT_KEYS, *metrics}]
    none = "".join(f' AND "{name}" IS NULL' for name in others)
    db.execute(f'UPDATE "{TABLE}" SET {empty} WHERE {condition}', {**scope, **values})
    db.execute(f'DELETE FROM "{TABLE}" WHERE {condition}{none}', {**scope, **values})


def _instants(period: Period) -> dict[str, Any]:
    """Return what the condition WITHIN compares times with."""
    start, end = (time.timestamp() for time in period)
    earliest, latest = ((time + days).isoformat() for time, days in zip(period, (-NEAR, DAY), strict=True))
    return {"since": start, "until": end, "earliest": earliest, "latest": latest}


def _stored(value: Any) -> Any:
    fits = not isinstance(value, Decimal) and not (isinstance(value, int) and abs(value) > MAX_INTEGER)
    return value if fits else str(value)
