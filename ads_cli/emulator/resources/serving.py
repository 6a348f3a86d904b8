"""Whether campaigns, and what pays for them, can serve: derived whenever they are read."""

from ...api.targeting_types import KEYWORDS
from ..storage import Record, Store, utc_now

CAMPAIGN, LINE_ITEM, FUNDING = "campaign", "line_item", "funding_instrument"
CRITERION = "targeting_criterion"
# The status of a campaign by the first of its reasons, and where it has none.
STATUSES = {
    "PAUSED_BY_ADVERTISER": "PAUSED",
    "FUNDING_PROBLEM": "FUNDING_PROBLEM",
    "EXPIRED": "EXPIRED",
    "INCOMPLETE": "UNKNOWN",
}
BUDGETS = ("daily_budget_amount_local_micro", "total_budget_amount_local_micro")


def with_funding_state(record: Record) -> Record:
    """Add to a funding instrument whether it can pay, and why not."""
    reasons = []
    if record["deleted"]:
        reasons.append("DELETED")
    if record["end_time"] is not None and record["end_time"] <= utc_now():
        reasons.append("EXPIRED")
    return record | {"able_to_fund": not reasons, "reasons_not_able_to_fund": reasons}


def with_campaign_state(store: Store, record: Record, account: str) -> Record:
    """Add to a campaign its effective status, whether it can serve, and why not."""
    line_items = store.find_all(LINE_ITEM, account, campaign_id=record["id"])
    reasons = _reasons(store, record, account, line_items)
    has_started = any((one["start_time"] or "") <= utc_now() for one in _active(line_items))
    running = "RUNNING" if has_started else "ACTIVE"
    return record | {
        "effective_status": next((STATUSES[reason] for reason in STATUSES if reason in reasons), running),
        "servable": not reasons,
        "reasons_not_servable": reasons,
    }


def _reasons(store: Store, campaign: Record, account: str, line_items: list[Record]) -> list[str]:
    """Tell why a campaign cannot serve, in the order of STATUSES."""
    active = _active(line_items)
    complete = [one for one in active if _can_serve(store, one, account)]
    funding = store.find(FUNDING, campaign["funding_instrument_id"], owner=account, with_deleted=True)
    has_budget = any(campaign[name] is not None for name in BUDGETS) or any(
        one[name] is not None for one in complete for name in BUDGETS
    )
    found = {
        "PAUSED_BY_ADVERTISER": campaign["entity_status"] == "PAUSED",
        "FUNDING_PROBLEM": funding is None or not with_funding_state(funding)["able_to_fund"],
        "EXPIRED": bool(line_items) and all(map(has_ended, active or line_items)),
        "INCOMPLETE": campaign["entity_status"] == "DRAFT" or not (complete and has_budget),
    }
    return [reason for reason in STATUSES if found[reason]]


def _active(line_items: list[Record]) -> list[Record]:
    return [one for one in line_items if one["entity_status"] == "ACTIVE"]


def _can_serve(store: Store, line_item: Record, account: str) -> bool:
    """Whether a line item has what its placements need: a search needs keywords."""
    if "PLATFORM_SEARCH" not in line_item["placements"]:
        return True
    criteria = store.find_all(CRITERION, account, line_item_id=line_item["id"], operator_type="EQ")
    return any(criterion["targeting_type"] in KEYWORDS for criterion in criteria)


def has_ended(line_item: Record) -> bool:
    """Whether the end of a line item has passed."""
    return line_item["end_time"] is not None and line_item["end_time"] <= utc_now()
