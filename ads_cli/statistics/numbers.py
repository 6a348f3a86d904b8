"""The numbers of entities, by id: what a command computes with, where a table of rows is not wanted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .answers import answers
from .derived import PURCHASES, derived_of
from .periods import Calendar, Period
from .query import SALE_AMOUNT, StatsQuery, parse_metrics
from .rows import EntityInfo, ResultContext, amounts, table_of

if TYPE_CHECKING:
    from ..client.client import Client


def query_of(
    entity: str, ids: Sequence[str], metrics: Sequence[str], period: Period, granularity: str
) -> StatsQuery:
    """Return a query of metrics or groups of them, wherever the ads are shown."""
    choice = parse_metrics(",".join(metrics), entity)
    return StatsQuery(
        entity, tuple(ids), period, granularity, choice.groups, choice.metrics, "ALL_ON_PLATFORM"
    )


def numbers_by_id(
    client: "Client", account: str, calendar: Calendar, query: StatsQuery, currencies: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ask for numbers; yield those of each time with the id that they are of.

    They are by neutral names of columns, amounts in units of the entity's currency, with derived metrics and
    the `start` of the time.
    """
    described = {id: EntityInfo(currency=currencies.get(id)) for id in query.ids}
    context = ResultContext(query, described, calendar, client.names, account, set(), set())
    table = table_of(context, answers(client, account, query, lambda requests: None))
    for row in table.records():
        numbers = {
            column: in_units(column, row[client.names.name(column)], currencies.get(row["entity_id"]))
            for column in query.columns
        }
        yield row["entity_id"], {"start": row["start"], **numbers, **derived_numbers(query, numbers)}


def in_units(column: str, value: Any, currency: str | None) -> Any:
    """Return a number of a row, whose sale amounts are in micro-units, in units."""
    return amounts([value], currency)[0] if column.endswith(SALE_AMOUNT) else value


def derived_numbers(query: StatsQuery, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is derived of numbers where nobody has named conversions: these are purchases."""
    return derived_of(query, numbers, (PURCHASES,))
