"""The metrics of statistics, by group; which entities have which groups."""

from collections.abc import Collection
from typing import Literal, get_args

MetricGroup = Literal[
    "ENGAGEMENT",
    "BILLING",
    "VIDEO",
    "WEB_CONVERSION",
    "MOBILE_CONVERSION",
    "LIFE_TIME_VALUE_MOBILE_CONVERSION",
]
StatisticsEntity = Literal[
    "ACCOUNT", "CAMPAIGN", "FUNDING_INSTRUMENT", "LINE_ITEM", "PROMOTED_ACCOUNT", "PROMOTED_POST"
]
WEB_SEGMENTS = ("PLATFORMS", "CONVERSION_TAGS")  # of conversions on a website
BILLED_CHARGE = "billed_charge_local_micro"

MOBILE_EVENTS = (
    *("spent_credits", "installs", "content_views", "add_to_wishlists", "checkouts_initiated"),
    *("reservations", "tutorials_completed", "achievements_unlocked", "searches", "add_to_carts"),
    *("payment_info_additions", "re_engages", "shares", "rates", "logins", "updates", "levels_achieved"),
    *("invites", "key_page_views", "downloads", "purchases", "sign_ups", "site_visits"),
)
LIFETIME_EVENTS = (
    *("purchases", "sign_ups", "updates", "tutorials_completed", "reservations", "add_to_carts"),
    *("add_to_wishlists", "checkouts_initiated", "levels_achieved", "achievements_unlocked", "shares"),
    *("invites", "payment_info_additions", "spent_credits", "rates"),
)
# Conversions on a website, those that have no segments but PLATFORMS first.
WEB_EVENTS_BY_PLATFORM = ("purchases", "sign_ups", "site_visits", "downloads", "custom")
WEB_EVENTS = (
    *WEB_EVENTS_BY_PLATFORM,
    *("add_to_carts", "checkouts_initiated", "content_views", "payment_info_additions", "add_to_wishlists"),
    *("searches", "landing_page_views", "subscriptions"),
)
ACCOUNT_METRICS = ("engagements", "impressions", "reposts", "replies", "likes", "follows")
METRICS: dict[str, tuple[str, ...]] = {
    "ENGAGEMENT": (
        *ACCOUNT_METRICS,
        *("card_engagements", "clicks", "app_clicks", "url_clicks"),
        *("qualified_impressions", "carousel_swipes"),
    ),
    "BILLING": ("billed_engagements", BILLED_CHARGE),
    "VIDEO": (
        *("video_total_views", "video_views_25", "video_views_50", "video_views_75", "video_views_100"),
        *("video_cta_clicks", "video_content_starts", "video_3s100pct_views", "video_6s_views"),
        "video_15s_views",
    ),
    "WEB_CONVERSION": tuple(f"conversion_{event}" for event in WEB_EVENTS),
    "MOBILE_CONVERSION": tuple(f"mobile_conversion_{event}" for event in MOBILE_EVENTS),
    "LIFE_TIME_VALUE_MOBILE_CONVERSION": tuple(
        f"mobile_conversion_lifetime_value_{event}" for event in LIFETIME_EVENTS
    ),
}
WEB_METRICS_BY_PLATFORM = tuple(f"conversion_{event}" for event in WEB_EVENTS_BY_PLATFORM)
CONVERSION_GROUPS = ("WEB_CONVERSION", "MOBILE_CONVERSION", "LIFE_TIME_VALUE_MOBILE_CONVERSION")
# The numbers of one conversion metric.
CONVERSION_NUMBERS = ("post_view", "post_engagement", "assisted", "order_quantity", "sale_amount")
KEY_PAGE_VIEWS, KEY_PAGE_VIEW_NUMBERS = "mobile_conversion_key_page_views", ("post_view", "post_engagement")
# Metrics that are derived from those of the service, by the unit in which people read them.
Unit = Literal["amount", "percent", "ratio"]
DERIVED_UNITS: dict[str, Unit] = {
    "spend": "amount",
    "ctr": "percent",
    "cpc": "amount",
    "cpm": "amount",
    "cpe": "amount",
    "cost_per_conversion": "amount",
    "conversion_rate": "percent",
    "roas": "ratio",
}
BEFORE, CHANGE = "_before", "_change"  # ends of the columns of what a number was, and of the difference
TOTAL = "TOTAL"  # what the entity of a row of sums is called
LEADING = (
    "spend",
    "billed_charge_local",
    "impressions",
    "clicks",
)  # what a reader wants first
ALL_GROUPS: tuple[str, ...] = get_args(MetricGroup)
GROUPS_BY_ENTITY: dict[str, tuple[str, ...]] = {
    "ACCOUNT": ("ENGAGEMENT",),
    "FUNDING_INSTRUMENT": ("ENGAGEMENT", "BILLING"),
    "CAMPAIGN": ALL_GROUPS,
    "LINE_ITEM": ALL_GROUPS,
    "PROMOTED_POST": ALL_GROUPS,
    "PROMOTED_ACCOUNT": ALL_GROUPS,
    "MEDIA_CREATIVE": ALL_GROUPS,
}


def is_metric(column: str) -> bool:
    """Tell whether a column has a metric, by its neutral name."""
    if column in DERIVED_UNITS:
        return True
    metric = f"{column}_micro" if column.endswith("_local") else column
    for number in CONVERSION_NUMBERS:
        metric = metric.removesuffix(f"_{number}")
    return any(metric in metrics for metrics in METRICS.values())


def segments_problem(segmentation: str | None, groups: Collection[str]) -> str | None:
    """Say that the service has no such segments of some groups of metrics."""
    if segmentation and "LIFE_TIME_VALUE_MOBILE_CONVERSION" in groups:
        return "there are no segments of LIFE_TIME_VALUE_MOBILE_CONVERSION"
    if segmentation == "CONVERSION_TAGS" and {*groups} != {"WEB_CONVERSION"}:
        return "CONVERSION_TAGS is for the metrics of WEB_CONVERSION only"
    if segmentation not in (None, *WEB_SEGMENTS) and "WEB_CONVERSION" in groups:
        return f"WEB_CONVERSION has no segments by {segmentation}, only by {' and '.join(WEB_SEGMENTS)}"
    return None


def numbers_of(metric: str) -> tuple[str, ...]:
    """Name the numbers of a conversion metric; any other metric is one number and has none."""
    if not any(metric in METRICS[group] for group in CONVERSION_GROUPS):
        return ()
    return KEY_PAGE_VIEW_NUMBERS if metric == KEY_PAGE_VIEWS else CONVERSION_NUMBERS


def metrics_of(entity: str, group: str) -> tuple[str, ...]:
    """Name the metrics of a group that an entity has."""
    is_whole_account = entity in ("ACCOUNT", "FUNDING_INSTRUMENT")
    return ACCOUNT_METRICS if is_whole_account and group == "ENGAGEMENT" else METRICS[group]
