"""A run of one account: what is due is asked for, and then written whole or not at all."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import NamedTuple

from ..errors import StateError
from ..output.text import first_of
from ..statistics.periods import DAY, Period
from .days import StoredDay, StoredDays, any_time, day_row, stored_days
from .destination import Destination, Row
from .further import DAYS, STATE, AccountState, account_states
from .numbers import ReportNumbers
from .records import Records
from .tables import VERSION, Table

MOST_NAMED = 5
AGAIN = "run it again: what jobs have computed is not asked for again"

Plan = Callable[[Table, StoredDays, Mapping[datetime, int]], ReportNumbers]


class Owner(NamedTuple):
    """Whose rows a run writes: an account, or a product catalog."""

    id: str
    service: str
    timezone: str | None


class MirrorResult(NamedTuple):
    """What a run has written."""

    row_counts: Mapping[str, int]  # by table
    days: int  # of all reports, that were asked for
    since: datetime | None  # the first day that is there
    until: datetime | None  # the day after the last
    warnings: Sequence[str]

    @property
    def rows(self) -> int:
        """Count all rows."""
        return sum(self.row_counts.values())


class Mirrored(NamedTuple):
    """What the database says of an owner."""

    state: AccountState | None  # None before the first run
    day_rows: Sequence[Row]


def _states(destination: Destination) -> list[AccountState]:
    """Return what is there of each owner; raise StateError where a later version wrote it."""
    states = account_states(destination.select(STATE))
    if any((state.contract or 0) > VERSION for state in states):
        raise StateError(
            f"{destination.name} was written by a later version of adsctl",
            hint="update adsctl, or mirror into another file or schema",
        )
    return states


def read_mirrored(destination: Destination, owner: Owner) -> Mirrored:
    """Read what is there of an owner; raise StateError for what a later version or another service wrote."""
    states = {state.account_id: state for state in _states(destination)}
    for state in states.values():
        if state.service != owner.service:
            raise StateError(
                f"{destination.name} has {state.account_id} of another service: {state.service}",
                hint="mirror each service into a file or schema of its own: their ids are not distinct",
            )
    return Mirrored(states.get(owner.id), sorted(destination.select(DAYS, owner.id), key=repr))


def _prepare(destination: Destination, owner: Owner, tables: Sequence[Table]) -> Mirrored:
    """Require that the destination can take the tables of an owner; return what is there of it."""
    _states(destination)  # first: the tables of a later version may have wider types
    destination.begin()
    destination.ensure_tables([*tables, STATE, DAYS])
    destination.rollback()
    return read_mirrored(destination, owner)


def mirror_owner(
    records: Records,
    plan: Plan | None,
    destination: Destination,
    owner: Owner,
    tables: Sequence[Table],
    note: Callable[[str], None],
) -> MirrorResult:
    """Write the records and the statistics of an owner; `note` is told what goes on.

    `plan` says what is due of a report, from the days that are there of it and their rows.
    """
    with destination.locked(owner.id), ExitStack() as until_written:
        before = _prepare(destination, owner, tables)
        stored = stored_days(before.day_rows)
        reports = list[ReportNumbers]()
        for table in tables:
            if table.entity and plan:
                counts = destination.day_counts(table, owner.id)
                reports.append(plan(table, stored.get(table.name, {}), counts))
            elif table.kind in ("history", "plain"):
                note(f"{table.source}: {records.rows(table).count} records")
        for report in reports:
            note(f"{report.table.name}: {len(report.scope.days)} days")
            report.ask(until_written)
        for report in reports:
            report.wait()
        return _write(destination, owner, tables, records, reports, before)


def _write(
    destination: Destination,
    owner: Owner,
    tables: Sequence[Table],
    records: Records,
    reports: Sequence[ReportNumbers],
    before: Mirrored,
) -> MirrorResult:
    """Write all tables in one transaction."""
    counts, written = dict[str, int](), records.written
    by_name = {report.table.name: report for report in reports}
    try:
        destination.begin()
        destination.ensure_tables([*tables, STATE, DAYS])
        if read_mirrored(destination, owner) != before:
            raise StateError(f"another run has changed {owner.id} in {destination.name}", hint=AGAIN)
        for table in tables:
            if report := by_name.get(table.name):
                counts[table.name] = destination.replace(table, report.rows(), report.scope)
            elif table.kind in ("history", "plain"):
                counts[table.name] = destination.replace(table, records.rows(table))
                if not table.lists_deleted:
                    destination.mark_deleted(table, owner.id, written)
        days = _days_after(before.day_rows, reports, written)
        known = {*before.day_rows}
        rows = (
            day_row(owner.id, report, date, day) for report, own in days.items() for date, day in own.items()
        )
        destination.replace(DAYS, [row for row in rows if row not in known])
        result = _result(counts, reports, days)
        there = {*(before.state.table_names if before.state else ()), *counts}
        state = AccountState(
            account_id=owner.id,
            service=owner.service,
            contract=VERSION,
            timezone=owner.timezone,
            since=result.since,
            until=result.until,
            finished_at=written,
            row_count=result.rows,
            tables=json.dumps(sorted(there)),
        )
        destination.replace(STATE, [tuple(state)])
        destination.commit()
    except BaseException:
        destination.rollback()
        raise
    return result


def _days_after(
    before: Sequence[Row], reports: Iterable[ReportNumbers], written: datetime
) -> dict[str, dict[datetime, StoredDay]]:
    """Return the days of all reports once the rows of some are written."""
    days, asked_at = stored_days(before), written.replace(tzinfo=UTC)
    for report in reports:
        own = days.setdefault(report.table.name, {})
        for due in report.due:
            for date in due.replaced:  # one that no longer has any hours stays, empty
                own[date] = StoredDay(Period(due.period.start, due.period.start), asked_at, 0)
            for date, period in report.periods(due):
                own[date] = StoredDay(period, asked_at, report.counts[date])
    return days


def _result(
    counts: Mapping[str, int], reports: Sequence[ReportNumbers], days: Mapping[str, StoredDays]
) -> MirrorResult:
    dates = sorted(date for own in days.values() for date, day in own.items() if any_time(day.period))
    asked = sum(len(report.scope.days) for report in reports)
    since, last = (dates[0], dates[-1]) if dates else (None, None)
    return MirrorResult(counts, asked, since, last and last + DAY, [*_warnings(reports)])


def _warnings(reports: Iterable[ReportNumbers]) -> Iterator[str]:
    for report in reports:
        if report.doubts:
            named = first_of(sorted(report.doubts), MOST_NAMED)
            yield f"{report.table.name} has numbers of the service that are hard to believe: {named}"
