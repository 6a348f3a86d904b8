"""Line items."""

from typing import Annotated, Literal

from msgspec import Meta

from .conditions import required_when
from .endpoint import endpoint
from .types import Id, InAccount, Micro, Moment, Name, Texts
from .validation import rule

LINE_ITEM_COLUMNS = "id name campaign_id objective entity_status bid_strategy bid_amount_local_micro deleted"
LINE_ITEM_FIELDS = (
    *("funding_instrument_id", "product_type", "placements", "start_time", "end_time", "goal", "pay_by"),
    *("daily_budget_amount_local_micro", "total_budget_amount_local_micro", "standard_delivery"),
    *("frequency_cap", "duration_in_days", "advertiser_user_id", "advertiser_domain", "categories"),
    *("android_app_store_identifier", "ios_app_store_identifier", "primary_web_event_tag"),
    *("target_cpa_local_micro", "automatic_tweet_promotion", "creative_source", "currency"),
    *("created_at", "updated_at"),
)
LINE_ITEM = "/12/accounts/{account_id}/line_items/{line_item_id}"

Goal = Literal[
    "APP_CLICKS",
    "APP_INSTALLS",
    "APP_PURCHASES",
    "ENGAGEMENT",
    "FOLLOWERS",
    "LINK_CLICKS",
    "MAX_REACH",
    "PREROLL",
    "PREROLL_STARTS",
    "REACH_WITH_ENGAGEMENT",
    "VIDEO_VIEW",
    "VIEW_3S_100PCT",
    "VIEW_6S",
    "VIEW_15S",
    "WEBSITE_CONVERSIONS",
]
BidAmount = Annotated[Micro, Meta(gt=0, description="Millionths of the currency's unit")]
Budget = Annotated[Micro, Meta(description="Millionths of the currency's unit")]
FrequencyCap = Annotated[
    int, Meta(description="For objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS")
]


@endpoint(
    f"PUT {LINE_ITEM}",
    "line-items update",
    columns=LINE_ITEM_COLUMNS,
    extra_fields=LINE_ITEM_FIELDS,
    example="9d4c1 --bid-amount 0.55 --entity-status PAUSED",
)
@required_when("bid_amount_local_micro", bid_strategy=("MAX", "TARGET"))
class UpdateLineItem(InAccount, kw_only=True):
    """Change fields of a line item.

    bid_strategy AUTO ignores the bid amount; MAX is not for objectives REACH and FOLLOWERS; TARGET is
    for REACH and WEBSITE_CLICKS, and keeps daily averages within 20 percent of the amount.
    """

    line_item_id: Id
    name: Name | None = None
    entity_status: Literal["ACTIVE", "PAUSED"] | None = None
    bid_strategy: Literal["AUTO", "MAX", "TARGET"] | None = None
    bid_amount_local_micro: BidAmount | None = None
    total_budget_amount_local_micro: Budget | None = None
    daily_budget_amount_local_micro: Budget | None = None
    goal: Goal | None = None
    pay_by: (
        Annotated[
            Literal["APP_CLICK", "IMPRESSION", "LINK_CLICK"], Meta(description="For objective APP_INSTALLS")
        ]
        | None
    ) = None
    audience_expansion: Literal["BROAD", "DEFINED", "EXPANDED"] | None = None
    frequency_cap: FrequencyCap | None = None
    duration_in_days: Literal[1, 7, 30] | None = None
    start_time: Moment | None = None
    end_time: Moment | None = None
    advertiser_domain: str | None = None
    advertiser_user_id: Id | None = None
    categories: Annotated[Texts, Meta(description="IAB codes: see accounts business-categories")] | None = (
        None
    )
    android_app_store_identifier: str | None = None
    ios_app_store_identifier: str | None = None

    @rule("daily_budget_amount_local_micro")
    def daily_within_total(self) -> str | None:
        """Limit the daily budget to the total budget."""
        day, total = self.daily_budget_amount_local_micro, self.total_budget_amount_local_micro
        if day is None or total is None or day <= total:
            return None
        return f"{day} is more than total_budget_amount_local_micro, {total}"

    @rule("pay_by")
    def target_pays_by_click(self) -> str | None:
        """Reject TARGET bids on link clicks that pay by impression."""
        unsupported = (self.bid_strategy, self.goal, self.pay_by) == ("TARGET", "LINK_CLICKS", "IMPRESSION")
        return "IMPRESSION is not for bid_strategy TARGET with goal LINK_CLICKS" if unsupported else None


@endpoint(
    f"DELETE {LINE_ITEM}",
    "line-items delete",
    columns=LINE_ITEM_COLUMNS,
    extra_fields=LINE_ITEM_FIELDS,
    confirm_prompt="Delete the line item {line_item_id}; this cannot be undone",
    example="9d4c1",
)
class DeleteLineItem(InAccount, kw_only=True):
    """Delete a line item.

    This cannot be undone. Its promoted posts are not deleted.
    """

    line_item_id: Id
