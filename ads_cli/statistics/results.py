"""What ads of an objective are paid for: the result that a cost is told of."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

# Numbers of a conversion that are results. `metric` is the sum of the others, which alone a mirror has.
COUNTED = ("post_view", "post_engagement", "metric")
DIGITS = Decimal("0.000001")


class Result(NamedTuple):
    """A result, and the metric that counts it."""

    noun: str
    metric: str
    factor: int = 1  # so many are one result

    def total(self, row: Mapping[str, Any]) -> Decimal:
        """Count the results in numbers by neutral names of columns."""
        columns = (self.metric, *(f"{self.metric}_{part}" for part in COUNTED))
        return Decimal(sum(row[column] for column in columns if row.get(column))) / self.factor


RESULTS = {
    "APP_ENGAGEMENTS": Result("app click", "app_clicks"),
    "APP_INSTALLS": Result("install", "mobile_conversion_installs"),
    "ENGAGEMENTS": Result("engagement", "engagements"),
    "FOLLOWERS": Result("follower", "follows"),
    "PREROLL_VIEWS": Result("video view", "video_total_views"),
    "REACH": Result("1,000 views", "impressions", 1000),
    "VIDEO_VIEWS": Result("video view", "video_total_views"),
    "WEBSITE_CLICKS": Result("link click", "url_clicks"),
}  # by objective
OF_GOALS = {
    "APP_CLICKS": RESULTS["APP_ENGAGEMENTS"],
    "APP_INSTALLS": RESULTS["APP_INSTALLS"],
    "ENGAGEMENT": RESULTS["ENGAGEMENTS"],
    "FOLLOWERS": RESULTS["FOLLOWERS"],
    "LINK_CLICKS": RESULTS["WEBSITE_CLICKS"],
    "MAX_REACH": RESULTS["REACH"],
    "PREROLL": RESULTS["PREROLL_VIEWS"],
    "VIDEO_VIEW": RESULTS["VIDEO_VIEWS"],
    "VIEW_3S_100PCT": Result("video view", "video_3s100pct_views"),
    "VIEW_6S": Result("video view", "video_6s_views"),
    "VIEW_15S": Result("video view", "video_15s_views"),
}  # of others, such as SITE_VISITS, the service does not say which metric counts them


def aimed_at(line_item: Mapping[str, Any]) -> Result | None:
    """Return the result that a line item aims at, where a metric counts it."""
    goal = line_item.get("goal")
    return OF_GOALS.get(str(goal)) if goal else RESULTS.get(str(line_item.get("objective")))


def cost_per_result(spend: Decimal | None, results: Decimal) -> Decimal | None:
    """Return the cost of a result; None where there is none."""
    return (spend / results).quantize(DIGITS) if results and spend is not None else None
