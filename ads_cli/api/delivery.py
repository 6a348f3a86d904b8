"""Why records do not deliver, in words, with the next command: one table.

The service states the reasons of campaigns and of funding instruments. Those of line items follow from their
records, as do the parts that an incomplete campaign lacks.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from .spending import ACTIVE, DRAFT, END, PAUSED, STATUS
from .time import Time

CAMPAIGN, LINE_ITEM, FUNDING = "campaign", "line item", "funding instrument"
REASON_COLUMNS = {"reasons_not_servable": CAMPAIGN, "reasons_not_able_to_fund": FUNDING}


class Reason(NamedTuple):
    """A reason, and what to do about it.

    `{campaign_id}` and others in braces are filled in where a record is known; `{detail}` is what its record
    says beside, such as a time.
    """

    short: str  # in a table
    words: str  # about the record, after its name
    command: str  # after `adsctl`, as a shell takes it


LIST_FUNDING = "funding-instruments list"
END_LATER = "line-items update {line_item_id} --end-time {later}"
REASONS: Mapping[str, Mapping[str, Reason]] = {
    CAMPAIGN: {
        "PAUSED_BY_ADVERTISER": Reason("paused", "is paused", "campaigns activate {campaign_id}"),
        "FUNDING_PROBLEM": Reason("no funding", "is paid with {detail}", LIST_FUNDING),
        "OTHER_FUNDING": Reason(
            "no funding",
            "is paid with {detail}; a copy can have another one",
            "campaigns copy {campaign_id} --map {funding_instrument_id}={other_id} --name '{{name}} 2'",
        ),
        "EXPIRED": Reason("ended", "has only line items that have ended", END_LATER),
        "INCOMPLETE": Reason(
            "incomplete",
            "lacks an active line item, a budget, or keywords where it is shown in searches",
            "campaigns tree {campaign_id}",
        ),
        # What the service counts as INCOMPLETE.
        "DRAFT": Reason("draft", "is a draft", "campaigns activate {campaign_id}"),
        "NO_LINE_ITEM": Reason(
            "no line item",
            "has no line item, which says who sees its ads",
            "line-items create --campaign-id {campaign_id} --objective WEBSITE_CLICKS"
            " --product-type PROMOTED_POSTS --placements ALL_ON_PLATFORM --start-time {now}",
        ),
        "NO_ACTIVE_LINE_ITEM": Reason(
            "no active line item",
            "has no line item that is active",
            "line-items activate --where campaign_id={campaign_id}",
        ),
        "NO_BUDGET": Reason(
            "no budget",
            "has no budget, and neither has an active line item",
            "campaigns update {campaign_id} --daily-budget 10",
        ),
    },
    LINE_ITEM: {
        "PAUSED": Reason("paused", "is paused", "line-items activate {line_item_id}"),
        "DRAFT": Reason("draft", "is a draft", "line-items activate {line_item_id}"),
        "EXPIRED": Reason("ended", "ended on {detail}", END_LATER),
        "NOT_STARTED": Reason(
            "not started", "starts on {detail}", "line-items update {line_item_id} --start-time {now}"
        ),
        "NO_KEYWORDS": Reason(
            "no keywords",
            "is shown in searches, and targets no keywords",
            "targeting add --line-item-id {line_item_id} --targeting-type BROAD_KEYWORD"
            " --targeting-value WORDS",
        ),
        "NO_ADS": Reason("no ads", "has no ads", "posts list --post-type PUBLISHED --timeline-type ALL"),
    },
    FUNDING: {
        "DELETED": Reason("deleted", "was deleted", LIST_FUNDING),
        "EXPIRED": Reason("ended", "ended on {detail}", LIST_FUNDING),
        "PAUSED": Reason("paused", "is paused", LIST_FUNDING),
        "NO_CREDIT": Reason("no credit", "has no credit left", LIST_FUNDING),
    },
}


def reason_of(kind: str, name: str) -> Reason:
    """Return a reason; one that the table lacks is shown as the service names it."""
    if known := REASONS[kind].get(name):
        return known
    words = name.lower().replace("_", " ")
    see = {CAMPAIGN: "campaigns get {campaign_id}", LINE_ITEM: "line-items get {line_item_id}"}
    return Reason(words, f"does not deliver: {words}", see.get(kind, LIST_FUNDING))


def codes_of_line_item(record: Mapping[str, Any], now: datetime) -> dict[str, datetime | None]:
    """Return why a line item does not deliver by what its record says, each with its time."""
    start, end, status = _moment(record, "start_time"), _moment(record, END), record.get(STATUS)
    codes: dict[str, datetime | None] = {status: None} if status in (PAUSED, DRAFT) else {}
    if end and end <= now:
        codes["EXPIRED"] = end
    if start and start > now:
        codes["NOT_STARTED"] = start
    return codes


def codes_of_funding(record: Mapping[str, Any]) -> dict[str, datetime | None]:
    """Return why a funding instrument cannot pay, each reason with its time."""
    stated = record.get("reasons_not_able_to_fund")
    codes = [*map(str, stated)] if isinstance(stated, list) else []
    if record.get("able_to_fund") is False and not codes:
        codes = [PAUSED] if record.get(STATUS) == PAUSED else []
        codes += ["NO_CREDIT"] if record.get("credit_remaining_local_micro") == 0 else []
    return {code: _moment(record, END) for code in codes}


def _moment(record: Mapping[str, Any], name: str) -> datetime | None:
    try:
        return Time.parse(str(record[name])).moment if record.get(name) else None
    except ValueError:
        return None


def shorts(kind: str, codes: Iterable[Any]) -> str:
    """Write reasons as a table has them."""
    return ", ".join(dict.fromkeys(reason_of(kind, str(code)).short for code in codes))


def in_table(column: str, record: Mapping[str, Any]) -> str | None:
    """Return what a table shows of a column where that tells why a record does not deliver, else None."""
    value = record.get(column)
    if column in REASON_COLUMNS and isinstance(value, list):
        return shorts(REASON_COLUMNS[column], value)
    if column == "able_to_fund" and value is False:
        return ": ".join(filter(None, ("false", shorts(FUNDING, codes_of_funding(record)))))
    if column == STATUS and value == ACTIVE and "objective" in record:  # of a line item
        codes = codes_of_line_item(record, datetime.now(UTC))
        return ": ".join(filter(None, (ACTIVE, shorts(LINE_ITEM, codes))))
    return None
