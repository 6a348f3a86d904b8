"""Line items: who sees which ads, when and for how much, and what follows their ads."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from .amounts import MICRO_WORDS, BudgetFields
from .conditions import S, at_least_one, later_than, only_for, required_when, requires
from .endpoint import BatchEndpoint, Request, Resource, endpoint
from .types import (
    AccountId,
    ChangedStatus,
    DayOrMoment,
    IabCode,
    Id,
    Ids,
    InAccount,
    LineItemId,
    LineItemIds,
    Micro,
    Moment,
    NameBegins,
    OfFunding,
    PageInAccount,
    ShortName,
    SpendingStatus,
    Url,
    WithDraft,
    delete_one,
    get_one,
    sortable,
)
from .validation import rule

APP_OBJECTIVES = ("APP_ENGAGEMENTS", "APP_INSTALLS")
CAPPED_OBJECTIVES = ("REACH", "ENGAGEMENTS", "VIDEO_VIEWS", "PREROLL_VIEWS")
MAX_BID_OBJECTIVES = (*APP_OBJECTIVES, "ENGAGEMENTS", "VIDEO_VIEWS", "PREROLL_VIEWS", "WEBSITE_CLICKS")
Objective = Literal[
    "APP_ENGAGEMENTS",
    "APP_INSTALLS",
    "REACH",
    "FOLLOWERS",
    "ENGAGEMENTS",
    "VIDEO_VIEWS",
    "PREROLL_VIEWS",
    "WEBSITE_CLICKS",
]
ProductType = Literal["MEDIA", "PROMOTED_ACCOUNT", "PROMOTED_POSTS"]
SHARED_IN_CAMPAIGN = ("objective", "product_type")  # by all line items of one
Placement = Literal[
    "ALL_ON_PLATFORM",
    "PUBLISHER_NETWORK",
    "TAP_BANNER",
    "TAP_FULL",
    "TAP_FULL_LANDSCAPE",
    "TAP_NATIVE",
    "TAP_MRECT",
    "PLATFORM_PROFILE",
    "PLATFORM_REPLIES",
    "PLATFORM_SEARCH",
    "PLATFORM_TIMELINE",
]
Placements = Annotated[
    list[Placement],
    Meta(
        min_length=1,
        description="Where its ads are shown; PLATFORM_SEARCH needs targeting by keywords",
    ),
]
UpdatedGoal = Literal[
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
Goal = Annotated[
    Literal[UpdatedGoal, "SITE_VISITS"],
    Meta(description="What it is optimized for; by default what fits its objective"),
]
BidAmount = Annotated[Micro, Meta(gt=0, description=MICRO_WORDS, extra={"limit": "bid"})]
BidStrategy = Annotated[
    Literal["AUTO", "MAX", "TARGET"], Meta(extra={"lifts": {"AUTO": "bid_amount_local_micro"}})
]
# By default the service answers values of its own, which cannot be set.
PayBy = Annotated[Literal["APP_CLICK", "IMPRESSION", "LINK_CLICK"], Meta(extra={"by_service": True})]
FrequencyCap = Annotated[
    int,
    Meta(ge=1, description=f"For objectives {', '.join(CAPPED_OBJECTIVES[:-1])} and {CAPPED_OBJECTIVES[-1]}"),
]
DOMAIN_WORDS = "a host without https://, such as shop.example"
Domain = Annotated[str, Meta(pattern=r"^[^\s/:?#@]+\Z", extra={"expected": DOMAIN_WORDS})]
Categories = Annotated[
    list[IabCode], Meta(min_length=1, description="IAB codes: see accounts business-categories")
]
IosApp = Annotated[str, Meta(pattern=r"^[0-9]+\Z", extra={"expected": "the digits of an app's id"})]
StandardDelivery = Annotated[
    bool, Meta(description="Spend evenly over the day; otherwise as fast as possible")
]


def goal_fits_objective(struct: S) -> S:
    """Accept some goals for some objectives only."""
    for goals, objectives in (
        (("APP_PURCHASES",), ("APP_INSTALLS",)),
        (("APP_CLICKS", "APP_INSTALLS"), APP_OBJECTIVES),
        (("SITE_VISITS",), ("WEBSITE_CLICKS",)),
    ):
        struct = only_for("goal", *goals, objective=objectives)(struct)
    return struct


def goal_fits_payment(struct: S) -> S:
    """Accept some goals only with some ways to pay."""
    for goal, payments in (
        ("APP_INSTALLS", ("APP_CLICK", "IMPRESSION")),
        ("LINK_CLICKS", ("LINK_CLICK", "IMPRESSION")),
        ("SITE_VISITS", ("IMPRESSION",)),
    ):
        struct = only_for("goal", goal, pay_by=payments)(struct)
    return struct


@rule("pay_by")
def target_pays_by_click(item: Any) -> str | None:
    """Reject TARGET bids on link clicks that pay by impression."""
    unsupported = (item.bid_strategy, item.goal, item.pay_by) == ("TARGET", "LINK_CLICKS", "IMPRESSION")
    return "IMPRESSION is not for bid_strategy TARGET with goal LINK_CLICKS" if unsupported else None


LINE_ITEM_FIELDS = (
    "funding_instrument_id product_type placements start_time end_time goal pay_by "
    "daily_budget_amount_local_micro total_budget_amount_local_micro standard_delivery "
    "frequency_cap duration_in_days advertiser_user_id advertiser_domain categories "
    "android_app_store_identifier ios_app_store_identifier primary_web_event_tag "
    "target_cpa_local_micro automatic_tweet_promotion creative_source currency created_at "
    "updated_at"
)


@required_when("bid_amount_local_micro", bid_strategy=("MAX", "TARGET"))
class LineItemDetails(BudgetFields, kw_only=True):
    """The optional fields of a line item."""

    account_id: AccountId
    bid_strategy: BidStrategy | None = None
    bid_amount_local_micro: BidAmount | None = None
    audience_expansion: Literal["BROAD", "DEFINED", "EXPANDED"] | None = None
    frequency_cap: FrequencyCap | None = None
    duration_in_days: Literal[1, 7, 30] | None = None
    advertiser_domain: Domain | None = None
    advertiser_user_id: Id | None = None
    categories: Categories | None = None
    android_app_store_identifier: str | None = None
    ios_app_store_identifier: IosApp | None = None


LINE_ITEMS = Resource(
    "/12/accounts/{account_id}/line_items",
    "line_item_id",
    group="line-items",
    example="9d4c1",
    deleted_for_good=True,
    parents=("campaign_id",),
    columns="id name campaign_id objective entity_status bid_strategy bid_amount_local_micro deleted",
    extra_fields=LINE_ITEM_FIELDS,
    batch=BatchEndpoint("/12/batch/accounts/{account_id}/line_items", 40),
    takes_several=True,
)


@LINE_ITEMS.list(example="--campaign-ids 8wku2")
class ListLineItems(PageInAccount):
    """List the line items of an account."""

    line_item_ids: Ids | None = None
    campaign_ids: Annotated[Ids, Meta(description="Only of these campaigns")] | None = None
    funding_instrument_ids: OfFunding | None = None
    q: NameBegins | None = None
    with_draft: WithDraft | None = None
    sort_by: Annotated[str, sortable("bid_amount_local_micro")] | None = None


GetLineItem = get_one(LINE_ITEMS, "Show one line item.")


@LINE_ITEMS.create(
    example="--campaign-id 8wku2 --objective WEBSITE_CLICKS --product-type PROMOTED_POSTS "
    "--placements ALL_ON_PLATFORM --start-time 2026-03-01 --daily-budget 5"
)
@requires("duration_in_days", "frequency_cap")
@required_when("advertiser_domain", placements=("PUBLISHER_NETWORK",))
@required_when("categories", placements=("PUBLISHER_NETWORK",))
@required_when("categories", objective=("PREROLL_VIEWS",))
@required_when("primary_web_event_tag", goal=("WEBSITE_CONVERSIONS",))
@at_least_one("ios_app_store_identifier", "android_app_store_identifier", objective=APP_OBJECTIVES)
@only_for("frequency_cap", objective=CAPPED_OBJECTIVES)
@only_for("bid_strategy", "MAX", objective=MAX_BID_OBJECTIVES)
@only_for("bid_strategy", "TARGET", objective=("REACH", "FOLLOWERS", "WEBSITE_CLICKS"))
@goal_fits_objective
@goal_fits_payment
@later_than("end_time", "start_time")
class CreateLineItem(LineItemDetails, kw_only=True):
    """Create a line item.

    All line items of a campaign have the same objective and the same product type.
    """

    campaign_id: Id
    objective: Objective
    product_type: ProductType
    placements: Placements
    start_time: Annotated[DayOrMoment, Meta(description="Required unless it is a draft")] | None = None
    end_time: Moment | None = None
    name: ShortName | None = None
    entity_status: SpendingStatus | None = None
    goal: Goal | None = None
    pay_by: PayBy | None = None
    primary_web_event_tag: Annotated[str, Meta(description="The id of a web event tag")] | None = None
    standard_delivery: StandardDelivery | None = None

    @rule("start_time")
    def starts_unless_draft(self) -> str | None:
        """Require a start of all but drafts."""
        is_missing = self.start_time is None and self.entity_status != "DRAFT"
        return "is required unless entity_status is DRAFT" if is_missing else None

    @rule("placements")
    def placements_fit(self) -> str | None:
        """Keep the rules of placements that hold for every product type."""
        if set(self.placements) == {"PLATFORM_PROFILE"}:
            return "PLATFORM_PROFILE needs another placement beside it"
        if self.objective == "REACH" and not {"PLATFORM_TIMELINE", "ALL_ON_PLATFORM"} & {*self.placements}:
            return "needs PLATFORM_TIMELINE or ALL_ON_PLATFORM for objective REACH"
        return None

    pays_by = target_pays_by_click


@LINE_ITEMS.update(example="9d4c1 --bid-amount 0.55 --entity-status PAUSED")
@goal_fits_payment
@later_than("end_time", "start_time")
class UpdateLineItem(LineItemDetails, kw_only=True):
    """Change fields of a line item.

    bid_strategy AUTO ignores the bid amount. MAX is not for objectives REACH and FOLLOWERS. TARGET is for
    REACH and WEBSITE_CLICKS, and keeps daily averages within 20 percent of the amount. A budget or bid that
    is removed, or rises to more than twice its value, is confirmed where it may serve.
    """

    line_item_id: Id
    name: ShortName | None = None
    entity_status: ChangedStatus | None = None
    goal: UpdatedGoal | None = None
    pay_by: Annotated[PayBy, Meta(description="For objective APP_INSTALLS")] | None = None
    start_time: Moment | None = None
    end_time: Annotated[Moment, Meta(extra={"limit": "end"})] | None = None

    pays_by = target_pays_by_click


@LINE_ITEMS.endpoint("PUT /{line_item_id}/activate", "line-items activate", id_field="line_item_id")
class ActivateLineItem(InAccount, kw_only=True):
    """Activate a line item; the reference names this route for tokens of OAuth 2.0 only."""

    line_item_id: Id


@LINE_ITEMS.delete()
class DeleteLineItem(InAccount, kw_only=True):
    """Delete a line item.

    This cannot be undone. Its promoted posts are not deleted.
    """

    line_item_id: Id


@endpoint(
    "GET /12/line_items/placements",
    "line-items placements",
    columns="product_type placements",
    record_id="product_type",
    example="--product-type PROMOTED_ACCOUNT",
)
class ListPlacements(Request):
    """List the combinations of placements that each product type allows."""

    product_type: ProductType | None = None


TagUrl = Annotated[Url, Meta(description="What is fetched")]


TRACKING_TAGS = Resource(
    "/12/accounts/{account_id}/tracking_tags",
    "tracking_tag_id",
    group="tracking-tags",
    example="6tt01",
    parents=("line_item_id",),
    columns="id line_item_id tracking_tag_type tracking_tag_url deleted",
    extra_fields="created_at updated_at",
)


@TRACKING_TAGS.list(example="--line-items 9d4c1")
class ListTrackingTags(PageInAccount):
    """List the tracking tags of an account."""

    line_item_ids: LineItemIds | None = None
    tracking_tag_ids: Ids | None = None


GetTrackingTag = get_one(TRACKING_TAGS, "Show one tracking tag.")


@TRACKING_TAGS.create(
    example="--line-item 9d4c2 --tracking-tag-type CLICK_TRACKER --tracking-tag-url https://m.example/c?n=81"
)
class CreateTrackingTag(InAccount, kw_only=True):
    """Add a tracking tag to a line item."""

    line_item_id: LineItemId
    tracking_tag_type: Literal["IMPRESSION_TAG", "CLICK_TRACKER"]
    tracking_tag_url: TagUrl


@TRACKING_TAGS.update(example="6tt01 --tracking-tag-url https://measure.example/i?campaign=spring")
class UpdateTrackingTag(InAccount, kw_only=True):
    """Change the address of a tracking tag."""

    tracking_tag_id: Id
    tracking_tag_url: TagUrl


DeleteTrackingTag = delete_one(TRACKING_TAGS, "Delete a tracking tag.")
