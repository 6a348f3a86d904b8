"""The values that fields of line items may have."""

from typing import Annotated, Literal

from msgspec import Meta

from .budgets import MICRO_WORDS
from .conditions import S, only_for
from .types import IabCode, Micro

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
# By default the service answers values of its own, which it takes from nobody.
PayBy = Annotated[Literal["APP_CLICK", "IMPRESSION", "LINK_CLICK"], Meta(extra={"by_service": True})]
FrequencyCap = Annotated[
    int, Meta(ge=1, description="For objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS")
]
LineItemName = Annotated[str, Meta(min_length=1, max_length=255)]
DOMAIN_WORDS = "a host without https://, such as shop.example"
Domain = Annotated[str, Meta(pattern=r"^[^\s/:?#@]+\Z", extra={"expected": DOMAIN_WORDS})]
Categories = Annotated[
    list[IabCode], Meta(min_length=1, description="IAB codes: see accounts business-categories")
]
IosApp = Annotated[str, Meta(pattern=r"^[0-9]+\Z", extra={"expected": "the digits of an app's id"})]


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
