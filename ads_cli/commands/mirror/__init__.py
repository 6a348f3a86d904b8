"""Mirror accounts into a database, and show what is in it."""

from typing import TYPE_CHECKING, Annotated, Any, Required, TypedDict

import typer

from ...console.invocation import Invocation
from ...console.mirror_address import address_of, opened_mirror, surroundings_of
from ...console.parameters import flag, option
from ...console.shown import Result, shows
from ...errors import AdsctlError, IncompleteError, UsageError
from ...output.text import counted, first_of
from ...spelling import comma_list, suggestion
from ..runs.options import ShownOptions, with_options

if TYPE_CHECKING:
    from ...mirror.tables import Table

INTO = (
    "Where to: sqlite:FILE, postgresql://USER@HOST/DATABASE, duckdb:FILE, a folder or s3://BUCKET/FOLDER for"
    " parquet; @NAME: the address in a variable"
)


class MirroredRecord(TypedDict, total=False):
    """What a run has written of an account; `message` says why nothing."""

    account: Required[str]
    name: str | None
    status: Required[str]
    rows: int
    days: int
    since: str | None
    until: str | None
    message: str


class StatusRecord(TypedDict):
    """An account in a mirror."""

    account: str
    service: str | None
    timezone: str | None
    since: str | None
    until: str | None
    finished_at: str | None
    rows: int | None
    gaps: int
    contract: int | None


class ColumnRecord(TypedDict):
    """A column of a table."""

    table: str
    column: str
    type: str
    key: bool
    about: str
    source: str


MIRRORED, STATUS = Result(MirroredRecord, "account"), Result(StatusRecord, "account")
TABLES = Result(ColumnRecord, "table")
MOST_NAMED = 5
ALL = "all"


@shows(MIRRORED)
def run(
    ctx: typer.Context,
    into: Annotated[str, option("sqlite:FILE|ADDRESS", INTO)],
    accounts: Annotated[str | None, option("A,B", "Of these accounts (default: that of --account)")] = None,
    all_accounts: Annotated[bool, flag("Of all accounts that you may use")] = False,
    since: Annotated[
        str, option("TIME", "Statistics from then until last midnight, as in 30d, 2026-03-01 or last-month")
    ] = "30d",
    tables: Annotated[
        str | None,
        option(
            "A,B",
            "Only these (default: all but product and product_set, which take long: all,product adds one)",
        ),
    ] = None,
) -> None:
    """Write accounts and their numbers into a database.

    An account is written whole or not at all. Records that have changed get a new version; deleted ones stay,
    marked. Days that are missing, and those whose numbers may still change, are asked for again. So run this
    every morning, and run it again where it was stopped: what was computed by jobs is not asked for twice.
    'adsctl mirror tables' describes the tables. The public dbt package for this service reads them.

    For example: adsctl mirror run --into sqlite:ads.db --since 90d
    """
    from ...mirror.destination import open_destination
    from .accounts import Mirror, account_ids, due_parts

    call = Invocation.of(ctx)
    mirror = Mirror(address_of(call, into), surroundings_of(call), choose_tables(tables), since)
    open_destination(mirror.address, mirror.surroundings).close()  # a wrong one is reported before all else
    parts = due_parts(call, account_ids(call, accounts, is_all=all_accounts), mirror)
    count = counted(len(mirror.tables), "table")
    if call.is_dry_run(f"write {count} of {first_of([part.id for part in parts], MOST_NAMED)}"):
        return
    records, errors = list[dict[str, Any]](), list[AdsctlError]()
    for part in parts:
        try:
            records.append(part.write())
        except AdsctlError as error:
            if len(parts) == 1:
                raise
            errors.append(error)
            call.messages.warn(f"{part.id}: {error.message}")
            records.append({"account": part.id, "status": error.code, "message": error.message})
    call.printer.show_records(records, MIRRORED.columns, MIRRORED.key)
    if errors and len(errors) == len(parts):
        raise errors[0]
    if errors:
        failed = [record["account"] for record in records if "message" in record]
        raise IncompleteError(
            f"{len(errors)} of {counted(len(parts), 'account')} not mirrored: {first_of(failed, MOST_NAMED)}",
            hint="the others are whole; run it again once that is mended",
        )


@shows(STATUS)
@with_options(shown=ShownOptions)
def status(
    ctx: typer.Context, into: Annotated[str, option("sqlite:FILE|ADDRESS", INTO)], *, shown: ShownOptions
) -> None:
    """Show which accounts a database has, until which day, and when they were mirrored last.

    Nothing is asked of the service. `gaps` counts the days that the next run fills.

    For example: adsctl mirror status --into sqlite:ads.db
    """
    from ...mirror.status import read_status

    call = Invocation.of(ctx, mutates=False)
    with opened_mirror(call, into) as destination:
        records = read_status(destination)
        if not records:
            call.messages.note(f"nothing was mirrored into {destination.name}")
    shown.show(call, records, STATUS.columns, "accounts", STATUS.key)


@shows(TABLES)
@with_options(shown=ShownOptions)
def show_tables(
    ctx: typer.Context,
    tables: Annotated[str | None, option("A,B", "Only these")] = None,
    *,
    shown: ShownOptions,
) -> None:
    """Show the tables of a mirror: each column with its type, meaning and source.

    For example: adsctl mirror tables --tables campaign_report
    """
    call = Invocation.of(ctx, mutates=False)
    rows = [
        {
            "table": table.name,
            "column": column.name,
            "type": column.type,
            "key": column.is_key,
            "about": column.about,
            "source": f"{table.source}: {column.source}",
        }
        for table in choose_tables(tables or "all,product,product_set", with_state=True)
        for column in table.columns
    ]
    shown.show(call, rows, TABLES.columns, "columns", TABLES.key)


def choose_tables(text: str | None, *, with_state: bool = False) -> "list[Table]":
    """Return the tables that a list of names means, in the order in which they are written."""
    from ...mirror.further import CATALOG, tables

    known = {name: table for name, table in tables().items() if with_state or table.kind != "state"}
    named = {*comma_list(text or ALL)}
    for name in named - {ALL, *known}:
        raise UsageError(
            f"--tables: {name!r} is not a table of the mirror{suggestion(name, known)}",
            hint="'adsctl mirror tables' shows them",
        )
    return [
        table for name, table in known.items() if name in named or (ALL in named and table.owner != CATALOG)
    ]
