"""The parts of a run: an account or a catalog, each written whole or not at all."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from ...api.accounts import ListAccounts
from ...api.catalog import ListCatalogs
from ...client.shared_window import VARIABLE as IN_FLEET
from ...console.account_zone import account_with_zone
from ...console.invocation import Invocation
from ...errors import AdsctlError, UsageError
from ...mirror.destination import Surroundings, open_destination
from ...mirror.further import CATALOG
from ...mirror.numbers import AccountSource, Activity, Answers, plan_report
from ...mirror.records import Machine, Records
from ...mirror.run import Owner, Plan, mirror_owner
from ...mirror.tables import Record, Table
from ...spelling import comma_list
from ...statistics.export import Export
from ...statistics.periods import Calendar, utc_now
from ...statistics.query import StatsQuery
from ..stats.exported import opened_export, wait_for

RESUME, RUN_AGAIN = "--resume", "the same command"  # what goes on with jobs


class Mirror(NamedTuple):
    """What is written, and where."""

    address: str
    surroundings: Surroundings
    tables: Sequence[Table]
    since: str
    # Of a query that is answered at once. The user's limit of these is low, so that with many accounts all
    # queries are jobs.
    max_requests: int = 20


class Part(NamedTuple):
    """An account or a catalog that is due."""

    id: str
    write: Callable[[], dict[str, Any]]  # returns its record for the result


def account_ids(call: Invocation, text: str | None, *, is_all: bool) -> list[str]:
    """Return the ids of the accounts that options name."""
    if is_all and text:
        raise UsageError("--accounts cannot be used with --all-accounts", hint="give one of them")
    if is_all:
        pages = call.client.pages(ListAccounts(count=1000))
        return [str(account["id"]) for page in pages for account in page.records]
    return [*dict.fromkeys(comma_list(text))] if text else [call.account]


def due_parts(call: Invocation, accounts: Sequence[str], mirror: Mirror) -> list[Part]:
    """Return the accounts, and the catalogs where their tables are chosen."""
    if len(accounts) > 1 or call.settings.environ.get(IN_FLEET):
        mirror = mirror._replace(max_requests=0)
    of_account = [table for table in mirror.tables if table.owner != CATALOG]
    of_catalog = [table for table in mirror.tables if table.owner == CATALOG]
    parts = list[Part]()
    for id in accounts if of_account else ():
        own = call.with_flags({"account": id})
        parts.append(Part(id, partial(_write_account, own, mirror._replace(tables=of_account))))
    if of_catalog:
        for catalog in call.client.call(ListCatalogs()).records:
            write = partial(_write_catalog, call, mirror._replace(tables=of_catalog), catalog)
            parts.append(Part(str(catalog["id"]), write))
    return parts


def _write_account(call: Invocation, mirror: Mirror) -> dict[str, Any]:
    record = account_with_zone(call)
    calendar = Calendar(record["timezone"], utc_now())
    records = _records(call, record, {"account_id": call.account})
    source = AccountSource(
        call.client,
        call.account,
        calendar,
        call.settings.names,
        partial(_exported, call),
        records,
        Activity(call.client, call.account),
        mirror.max_requests,
    )
    plan = partial(plan_report, source, calendar.period(mirror.since, None, "DAY"))
    owner = Owner(call.account, call.service, record["timezone"])
    return _write(call, mirror, owner, str(record.get("name") or ""), records, plan)


def _write_catalog(call: Invocation, mirror: Mirror, catalog: dict[str, Any]) -> dict[str, Any]:
    owner = Owner(str(catalog["id"]), call.service, None)
    records = _records(call, {}, {CATALOG: owner.id})
    return _write(call, mirror, owner, str(catalog.get("name") or ""), records, None)


def _records(call: Invocation, account: Record, shared: Mapping[str, str]) -> Records:
    written = datetime.now(UTC).replace(microsecond=0, tzinfo=None)
    return Records(call.client, Machine(call.settings.state_dir, call.service), account, shared, written)


def _write(
    call: Invocation, mirror: Mirror, owner: Owner, name: str, records: Records, plan: Plan | None
) -> dict[str, Any]:
    """Write what is due of an owner, and return its record for the result."""
    with closing(open_destination(mirror.address, mirror.surroundings)) as destination:
        result = mirror_owner(records, plan, destination, owner, mirror.tables, call.messages.detail)
    for warning in result.warnings:
        call.messages.warn(f"{owner.id}: {warning}")
    days = {end: getattr(result, end) and f"{getattr(result, end):%Y-%m-%d}" for end in ("since", "until")}
    rows = {"rows": result.rows, "days": result.days}
    return {"account": owner.id, "name": name, "status": "ok", **rows, **days}


class _Jobs(NamedTuple):
    """The jobs of a query."""

    call: Invocation
    running: Export

    def wait(self) -> None:
        """Download all results."""
        wait_for(self.call, self.running)

    def answers(self) -> Answers:
        """Return what was downloaded."""
        return self.running.answers()


@contextmanager
def _exported(call: Invocation, query: StatsQuery) -> Iterator[_Jobs]:
    """Begin to answer a query by jobs; those of a run that was stopped are not asked for again."""
    try:
        with opened_export(call, query, resume=True) as (running, _):
            running.begin()
            yield _Jobs(call, running)
    except AdsctlError as error:
        hints = error.hint.replace(RESUME, RUN_AGAIN).split("; ")
        error.hint = "; ".join(dict.fromkeys(hints))  # several queries may have added the same
        raise
