"""What campaigns cost and brought in a period, by their objectives."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ...api.metrics import BILLED_CHARGE
from ...statistics.results import RESULTS, Result, cost_per_result

if TYPE_CHECKING:
    from ...client.client import Client
    from ...statistics.periods import Calendar, Period

Record = Mapping[str, Any]  # by neutral names
CAMPAIGN = "CAMPAIGN"
COMMON = ("impressions", "clicks", BILLED_CHARGE)  # metrics of every campaign


class Numbers(NamedTuple):
    """The numbers of a campaign in a period; None where the service has none."""

    spend: Decimal | None = None
    ctr: Decimal | None = None
    result: str = ""
    results: Decimal | None = None
    cost_per_result: Decimal | None = None


def numbers_of(
    client: "Client",
    account: str,
    calendar: "Calendar",
    period: "Period",
    campaigns: Sequence[Record],
    objectives: Mapping[str, str],
) -> dict[str, Numbers]:
    """Ask for the numbers of campaigns, by id: of those that were active in the period.

    The metrics that the service has in requests of their own are asked for where an objective needs them.
    """
    from ...statistics.entities import EntityLookup
    from ...statistics.numbers import numbers_by_id, query_of

    active = {*EntityLookup(client, account).active_ids(CAMPAIGN, period)}
    due = {str(campaign["id"]): campaign for campaign in campaigns if campaign["id"] in active}
    rows: dict[str, dict[str, Any]] = {id: {} for id in due}
    currencies = {id: campaign.get("currency") for id, campaign in due.items()}
    for metrics, ids in _queries(due, objectives):
        query = query_of(CAMPAIGN, ids, metrics, period, "TOTAL")
        for id, numbers in numbers_by_id(client, account, calendar, query, currencies):
            rows[id] |= numbers
    return {id: _numbers(row, RESULTS.get(objectives.get(id, ""))) for id, row in rows.items()}


def _queries(
    due: Mapping[str, Record], objectives: Mapping[str, str]
) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield the metrics of a query, and the ids that it is about."""
    metric_by_id = {id: RESULTS[name].metric for id in due if (name := objectives.get(id)) in RESULTS}
    apart = {id: metric for id, metric in metric_by_id.items() if metric.startswith("mobile_")}
    together = dict.fromkeys([*COMMON, *(metric for id, metric in metric_by_id.items() if id not in apart)])
    if due:
        yield [*together], [*due]
    if apart:
        yield [*dict.fromkeys(apart.values())], [*apart]


def _numbers(row: Mapping[str, Any], result: Result | None) -> Numbers:
    spend = row.get("spend")
    if not result:
        return Numbers(spend, row.get("ctr"))
    results = result.total(row)
    return Numbers(spend, row.get("ctr"), result.noun, results, cost_per_result(spend, results))
