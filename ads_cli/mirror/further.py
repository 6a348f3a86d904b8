"""Further tables by the same rules, from the declared lists, what this machine has done, and the state."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, cast

from ..api.names import X
from ..api.registry import requests_named
from ..output.column_types import type_of
from ..store.changes import COLUMNS, OF_SERVICE
from .contract import (
    ACCOUNTS,
    CAMPAIGNS,
    EMPTY_REPORTS,
    LINE_ITEMS,
    POST_URLS,
    POSTS,
    PROMOTED_POSTS,
    REPORTS,
)
from .destination import Row
from .tables import (
    DELETED,
    UPDATED,
    WRITTEN,
    Column,
    Table,
    Type,
    bigint,
    column,
    integer,
    text,
    timestamp,
    with_units,
)

CATALOG = "product_catalog_id"
# The types of fields: of some by name, of others by what an output takes them for.
NAMED_TYPES: dict[str, Type] = {
    **dict.fromkeys(("able_to_fund", "deleted", "posted", "targetable"), "boolean"),
    "time": "timestamp",
    "duration": "numeric",
}
TYPES: dict[str, Type] = {"time": "timestamp", "micro": "bigint", "count": "bigint"}


def _field_column(field: str, *, is_key: bool = False) -> Column:
    """Return the column of a declared field, whose name tells its type."""
    type = NAMED_TYPES.get(field) or TYPES.get(type_of(field), "text")
    about = field.replace("_", " ").capitalize()
    return column(type, X.name(field), about, field, is_key=is_key)


def _listed(name: str, about: str, command: str, owner: str = "account_id") -> Table:
    """Return the table of the records that a command lists, with all declared fields.

    It has versions where records have `updated_at` and the list shows the deleted ones.
    """
    request = requests_named((*command.split(),))[0]
    endpoint = request.endpoint
    fields = [*dict.fromkeys((*endpoint.columns, *endpoint.extra_fields))]
    lists_deleted = "with_deleted" in request.__struct_fields__
    has_versions = lists_deleted and "updated_at" in fields
    taken = {owner, endpoint.record_id, "updated_at" if has_versions else ""}
    keys = (
        text(owner, "Whose it is", "the account" if owner == "account_id" else "the catalog", is_key=True),
        text(endpoint.record_id, "The id", is_key=True),
        *((UPDATED,) if has_versions else ()),
        WRITTEN,
    )
    rest = tuple(_field_column(field) for field in fields if field not in taken)
    deleted = () if "deleted" in fields else (DELETED,)
    return Table(
        name=name,
        kind="history" if has_versions else "plain",
        about=about,
        source=command,
        columns=with_units((*keys, *rest, *deleted)),
        owner=owner,
        lists_deleted=lists_deleted,
    )


@cache
def listed_tables() -> tuple[Table, ...]:
    """Return the tables that follow from the declared lists of an account."""
    return (
        _listed("funding_instrument_history", "What campaigns are paid with", "funding-instruments list"),
        _listed("promoted_account_history", "Promoted accounts", "promoted accounts list"),
        _listed("media_creative_history", "Media that line items show", "promoted media list"),
        _listed("targeting_criterion_history", "Who sees the ads of a line item", "targeting list"),
        _listed("tracking_tag_history", "Addresses fetched when an ad is shown", "tracking-tags list"),
        _listed("custom_audience_history", "Audiences", "audiences list"),
        _listed("card_history", "Cards below posts", "cards list"),
        _listed("media", "The library of uploaded media", "media library list"),
    )


def _of_this_machine(name: str, about: str, source: str, fields: str) -> Table:
    rest = (_field_column(field, is_key=field == "id") for field in fields.split())
    return Table(name=name, kind="plain", about=about, source=source, columns=(*rest, WRITTEN), owner="id")


# What adsctl has done on the machine that writes the mirror.
CHANGES = _of_this_machine(
    "adsctl_change",
    "What adsctl has changed in the account",
    "changes list",
    " ".join(name for name in COLUMNS if name not in OF_SERVICE),  # which mirror_accounts has
)
RUNS = _of_this_machine(
    "adsctl_run",
    "The runs of adsctl that sent files to this service",
    "jobs list",
    "id action target noun file row_count started_at state profile",
)

# What the mirror remembers of itself, in the same transactions as the rows.
STATE = Table(
    name="mirror_accounts",
    kind="state",
    about="The accounts in this database, and when they were mirrored last",
    source="mirror status",
    columns=(
        text("account_id", "The account, or the catalog", "the account", is_key=True),
        text("service", "The address of the service", "the profile"),
        integer("contract", "The version of these tables that wrote it", "adsctl"),
        text("timezone", "The zone of its days", "account.timezone"),
        timestamp("since", "The first day of its statistics", "--since"),
        timestamp("until", "The day after the last", "the last midnight of the account"),
        timestamp("finished_at", "When the last run ended", "the clock of this machine"),
        bigint("row_count", "The rows that it wrote", "the run"),
        text("tables", "The tables that any run has written of it; a list in JSON", "--tables"),
    ),
)


class AccountState(NamedTuple):
    """A row of STATE: its columns, in their order. Times have no zone, and are in UTC."""

    account_id: str
    service: str
    contract: int
    timezone: str | None
    since: datetime | None
    until: datetime | None
    finished_at: datetime
    row_count: int
    tables: str | None

    @property
    def table_names(self) -> list[str]:
        """Name the tables that any run has written of the account."""
        names: list[str] = json.loads(self.tables or "[]")
        return names


def account_states(rows: Iterable[Row]) -> list[AccountState]:
    """Return the rows of `mirror_accounts` with their names."""
    return [AccountState(*cast(Any, row)) for row in rows]


DAYS = Table(
    name="mirror_days",
    kind="state",
    about="Which days each report has, and when they were asked for",
    source="mirror status",
    columns=(
        text("account_id", "The account", "the account", is_key=True),
        text("report", "The table", "the table", is_key=True),
        timestamp("date", "The day", "the report", is_key=True),
        timestamp("starts_at", "When it begins, in UTC", "the time zone of the account"),
        timestamp("ends_at", "When it ends, in UTC", "the time zone of the account"),
        timestamp("asked_at", "When it was asked for", "the clock of this machine"),
        integer("row_count", "The rows that the report has of it", "the run"),
    ),
)


@cache
def tables() -> Mapping[str, Table]:
    """Return all tables of a mirror, by name, in the order in which they are written."""
    contract = (ACCOUNTS, CAMPAIGNS, LINE_ITEMS, PROMOTED_POSTS, POSTS, POST_URLS, *REPORTS, *EMPTY_REPORTS)
    of_catalogs = (
        _listed("product", "The products of a catalog", "products list", CATALOG),
        _listed("product_set", "The product sets of a catalog", "catalog sets list", CATALOG),
    )
    whole = (*contract, *listed_tables(), *of_catalogs, CHANGES, RUNS, STATE, DAYS)
    return {table.name: table for table in whole}
