"""The tables of the public dbt package for this service, with its names, and reports by their rules."""

from datetime import datetime
from typing import Any

from ..api.metrics import METRICS, WEB_EVENTS
from ..api.names import X
from .tables import (
    DELETED,
    UPDATED,
    WRITTEN,
    Column,
    Record,
    Table,
    bigint,
    boolean,
    integer,
    text,
    timestamp,
    with_units,
)

ACCOUNT = text("account_id", "The account", "the account")
CREATED = timestamp("created_at", "When it was created")
STATUS = text("entity_status", "ACTIVE, PAUSED or DRAFT, as it was set")
CURRENCY = text("currency", "The currency of the amounts")
NAME = text("name", "The name")
GONE = "no field of this version of the interface"


def _history(name: str, about: str, source: str, *columns: Column, owner: str = "account_id") -> Table:
    whole = with_units((text("id", "The id", is_key=True), UPDATED, WRITTEN, *columns))
    return Table(name=name, kind="history", about=about, source=source, columns=whole, owner=owner)


ACCOUNTS = _history(
    "account_history",
    "Accounts",
    "accounts get",
    NAME,
    text("approval_status", "Whether the service has accepted it"),
    text("business_id", "The id of the business"),
    text("business_name", "The name of the business"),
    CREATED,
    DELETED,
    text("industry_type", "The industry"),
    text("salt", "Always null", GONE),
    text("timezone", "The time zone, by its IANA name; it decides what a day is"),
    timestamp("timezone_switch_at", "Since when it has this time zone"),
    owner="id",
)
CAMPAIGNS = _history(
    "campaign_history",
    "Campaigns",
    "campaigns list",
    ACCOUNT,
    NAME,
    CURRENCY,
    STATUS,
    boolean("servable", "Whether it may deliver"),
    DELETED,
    CREATED,
    timestamp("start_time", "When its first line item begins", "the earliest start_time of its line items"),
    timestamp("end_time", "When its last one ends; null: never", "the latest end_time of its line items"),
    text("funding_instrument_id", "What it is paid with"),
    bigint("daily_budget_amount_local_micro", "Budget of a day, in millionths"),
    bigint("total_budget_amount_local_micro", "Budget in all, in millionths"),
    integer("frequency_cap", "How often one person may see it"),
    integer("duration_in_days", "The days that the frequency cap is for"),
    boolean("standard_delivery", "Whether it is spent evenly over the day"),
    text("effective_status", "What it does now"),
    text("reasons_not_servable", "Why it does not deliver; a list in JSON"),
    text("budget_optimization", "What budgets are spent by"),
    text("purchase_order_number", "The number on the invoice"),
)
LINE_ITEMS = _history(
    "line_item_history",
    "Line items",
    "line-items list",
    text("campaign_id", "The campaign"),
    NAME,
    CURRENCY,
    STATUS,
    text("objective", "What it is for"),
    text("product_type", "What it promotes"),
    text("creative_source", "Where its ads come from"),
    text("bid_type", "How it bids: AUTO, MAX or TARGET", "bid_strategy"),
    text("bid_unit", "What it bids for", "goal"),
    text("charge_by", "What is charged", "pay_by"),
    text("optimization", "Always null", GONE),
    boolean(
        "automatically_select_bid",
        "Whether the service bids",
        "bid_strategy is AUTO",
        read=lambda record: None if (strategy := record.get("bid_strategy")) is None else strategy == "AUTO",
    ),
    bigint("bid_amount_local_micro", "The bid, in millionths"),
    bigint("total_budget_amount_local_micro", "Budget in all, in millionths"),
    bigint("target_cpa_local_micro", "Wanted cost of an action, in millionths"),
    text("advertiser_domain", "The domain of the advertiser"),
    bigint("advertiser_user_id", "The user who advertises"),
    text("primary_web_event_tag", "The event tag of a website that it is optimized for"),
    timestamp("start_time", "When it begins"),
    timestamp("end_time", "When it ends; null: never"),
    CREATED,
    DELETED,
    ACCOUNT,
    text("goal", "What it is optimized for"),
    text("bid_strategy", "AUTO, MAX or TARGET"),
    text("pay_by", "What is charged"),
    text("placements", "Where it may be shown; a list in JSON"),
    text("funding_instrument_id", "What it is paid with"),
    bigint("daily_budget_amount_local_micro", "Budget of a day, in millionths"),
    boolean("standard_delivery", "Whether it is spent evenly over the day"),
    integer("frequency_cap", "How often one person may see it"),
    integer("duration_in_days", "The days that the frequency cap is for"),
    text("categories", "Its categories; a list in JSON"),
)
PROMOTED_POSTS = _history(
    "promoted_tweet_history",
    "Promoted posts: which line item promotes which post",
    "promoted posts list",
    text("line_item_id", "The line item"),
    text("tweet_id", "The post", "post_id"),
    text("approval_status", "Whether the service has accepted it"),
    STATUS,
    CREATED,
    DELETED,
    ACCOUNT,
)


def id_of_post(record: Record) -> str:
    """Return the id of a post; as a number it may be rounded."""
    return str(record.get("id_str") or record.get("id"))


def _created_at_of_post(record: Record) -> Any:
    """Return when a post was created, in ISO 8601; service x writes `Sat Mar 02 10:30:00 +0000 2024`."""
    created_at = record.get("created_at")
    try:
        return datetime.strptime(str(created_at), "%a %b %d %H:%M:%S %z %Y").isoformat()
    except ValueError:
        return created_at


POST_URL = "entities.urls[]"
POSTS = Table(
    name="tweet",
    kind="plain",
    about="The posts that are promoted",
    source="posts list --post-type PUBLISHED --timeline-type ALL",
    columns=(
        text("id", "The id of the post", "id_str", is_key=True, read=id_of_post),
        WRITTEN,
        ACCOUNT,
        text("full_text", "The text", read=lambda post: post.get("full_text") or post.get("text")),
        text("lang", "The language"),
        NAME,
        timestamp("created_at", "When it was created", read=_created_at_of_post),
        text("card_uri", "The card below the text"),
    ),
)
POST_URLS = Table(
    name="tweet_url",
    kind="plain",
    about="The addresses in the texts of these posts",
    source="posts list",
    columns=(
        text("tweet_id", "The post", "id_str of the post", is_key=True),
        integer("index", "The position in the text, from 0", "the position in entities.urls", is_key=True),
        WRITTEN,
        text("expanded_url", "The address", f"{POST_URL}.expanded_url"),
        text("display_url", "The address as it is shown", f"{POST_URL}.display_url"),
        text("url", "The short address", f"{POST_URL}.url"),
        text("indices", "Its place in the text, such as [0,23]", f"{POST_URL}.indices"),
        ACCOUNT,
    ),
)

# Numbers of conversions on websites: how many there were, and what they sold, in millionths.
METRIC, SALE_AMOUNT = "metric", "sale_amount"
COUNTED = ("post_view", "post_engagement")
PLAIN_METRICS = (*METRICS["ENGAGEMENT"], *METRICS["BILLING"], *METRICS["VIDEO"])
METRICS_OF_REPORTS = (*PLAIN_METRICS, *METRICS["WEB_CONVERSION"])
GROUPS = ("ENGAGEMENT", "BILLING", "VIDEO", "WEB_CONVERSION")  # which one request may ask for together
PLACEMENTS = ("ALL_ON_PLATFORM", "SPOTLIGHT", "TREND")


def _metric_columns() -> list[Column]:
    columns = [
        bigint(X.name(metric), f"{metric.replace('_', ' ').capitalize()} of the day", metric)
        for metric in PLAIN_METRICS
    ]
    for event in WEB_EVENTS:
        metric, words = f"conversion_{event}", event.replace("_", " ")
        counted = " + ".join(f"{metric}.{name}" for name in COUNTED)
        columns.append(bigint(f"{metric}_{METRIC}", f"Conversions: {words}", counted))
        sold = f"What they sold: {words}, in millionths"
        columns.append(bigint(f"{metric}_{SALE_AMOUNT}", sold, f"{metric}.{SALE_AMOUNT}"))
    return columns


def _report(name: str, entity: str, *segments: Column) -> Table:
    """Return the table of a kind of entity. The service has none of these segments: such a table is empty."""
    noun = entity.lower().replace("_", " ")
    columns = (
        text("account_id", "The account", "the account", is_key=True),
        text(X.name(f"{entity.lower()}_id"), f"The {noun}", "id", is_key=True),
        timestamp(
            "date", "The day of the account's zone, at 00:00:00", "start_time and position", is_key=True
        ),
        text("placement", "Where the ads were shown", "placement", is_key=True),
        *segments,
        WRITTEN,
        text("currency", "The currency of the amounts", f"the currency of the {noun}"),
        *_metric_columns(),
    )
    return Table(
        name=name,
        kind="report",
        about=f"What each {noun} cost and brought on each day" if not segments else f"Always empty: {GONE}",
        source=f"stats export --entity {entity}",
        columns=with_units(columns),
        entity="" if segments else entity,
    )


SEGMENT_NAME, SEGMENT = text("segment_name", "Name", GONE, is_key=True), text("segment", "Older name", GONE)
REPORTS = (
    _report("promoted_tweet_report", "PROMOTED_POST"),
    _report("line_item_report", "LINE_ITEM"),
    _report("campaign_report", "CAMPAIGN"),
    _report("promoted_account_report", "PROMOTED_ACCOUNT"),
    _report("media_creative_report", "MEDIA_CREATIVE"),
)
# The dbt package asks for these; it warns of a table that is missing, and not of an empty one.
EMPTY_REPORTS = (
    _report("line_item_keywords_report", "LINE_ITEM", text("segment", "The keyword", GONE, is_key=True)),
    _report("campaign_locations_report", "CAMPAIGN", SEGMENT_NAME, SEGMENT),
    _report(
        "campaign_regions_report",
        "CAMPAIGN",
        SEGMENT_NAME,
        SEGMENT,
        text("location_name", "The country", GONE, is_key=True),
        text("location_type", "The kind of place", GONE),
    ),
)
