"""Who could be reached: an estimate for targeting criteria, and how often keywords are posted."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .endpoint import Request, endpoint
from .rates import QUARTER_HOUR_SECONDS, Rate
from .targeting import KEYWORDS, TargetingType, operator_fits_type, value_fits_type
from .types import DayOrMoment, InAccount, Texts
from .validation import rule

MAX_KEYWORDS = 10  # keywords and negative_keywords together
MAX_INSIGHT_PERIOD = timedelta(days=7)
Keywords = Annotated[
    Texts,
    Meta(description=f"Posts with any of these; together with negative_keywords at most {MAX_KEYWORDS}"),
]
InsightStart = Annotated[
    DayOrMoment, Meta(description=f"At most {MAX_INSIGHT_PERIOD.days} days before the end")
]
InsightEnd = Annotated[DayOrMoment, Meta(description="End of the period", extra={"default": "now"})]
# The types of criteria that add people; all others limit who of them is reached.
PRIMARY_TYPES = (
    *("CUSTOM_AUDIENCE", "CUSTOM_AUDIENCE_EXPANDED", "FOLLOWERS_OF_USER", "INTEREST"),
    *("SIMILAR_TO_FOLLOWERS_OF_USER", "TV_SHOW", *KEYWORDS),
)


class Criterion(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A targeting criterion of no line item."""

    targeting_type: TargetingType
    targeting_value: Annotated[str, Meta(min_length=1)]
    operator_type: Annotated[Literal["EQ", "NE"], Meta(extra={"default": "EQ"})] | None = None

    own_value = value_fits_type
    own_operator = operator_fits_type

    @property
    def adds_people(self) -> bool:
        """Whether it names people, other than limiting who of them is reached."""
        return self.targeting_type in PRIMARY_TYPES and self.operator_type != "NE"


Criteria = Annotated[
    list[Criterion],
    Meta(min_length=1, description="targeting_type, targeting_value, and operator_type NE to exclude"),
]


@endpoint(
    "POST /12/accounts/{account_id}/audience_estimate",
    "audiences estimate",
    columns="audience_size",
    record_id="audience_size",
    params_in="json",
    retry=True,
    example="-f criteria.yaml",
    reads_only=True,
)
class EstimateAudience(InAccount, kw_only=True):
    """Estimate how many people some targeting criteria reach.

    Followers, audiences, interests, keywords and TV shows add people; one of them is required.
    'adsctl targeting search' finds the values.
    """

    targeting_criteria: Criteria

    @rule("targeting_criteria")
    def some_add_people(self) -> str | None:
        """Require a criterion that adds people."""
        if any(criterion.adds_people for criterion in self.targeting_criteria):
            return None
        return "needs one of followers, an audience, an interest, a keyword or a TV show"


HOURS_PER_VALUE = {"HOUR": 1, "DAY": 24}  # by granularity: the hours of one number of post_volume


@endpoint(
    "GET /12/insights/keywords/search",
    "audiences keywords",
    columns="related_keywords post_volume",
    example="--keywords mug,teapot --granularity DAY "
    "--start-time 2026-03-01T00:00Z --end-time 2026-03-08T00:00Z",
    x_rate=Rate("keyword-insights", 500, QUARTER_HOUR_SECONDS),
)
class SearchKeywords(Request):
    """Show how often keywords are posted, and related keywords.

    On a terminal the result is a chart; -o, --columns and --query show the numbers.
    """

    keywords: Keywords
    granularity: Annotated[Literal["DAY", "HOUR"], Meta(description="Interval of each number in post_volume")]
    start_time: InsightStart
    end_time: InsightEnd | None = None
    location: Annotated[str, Meta(description="One country, as a targeting value")] | None = None
    negative_keywords: Annotated[Texts, Meta(description="No posts with any of these")] | None = None

    @rule("keywords")
    def few_keywords(self) -> str | None:
        """Limit the keywords of both fields together."""
        count = len(self.keywords) + len(self.negative_keywords or [])
        if count > MAX_KEYWORDS:
            return f"are {count} with negative_keywords, at most {MAX_KEYWORDS} are allowed together"
        return None

    @rule("end_time")
    def few_days(self) -> str | None:
        """Limit the period to seven days; without an end, it ends now."""
        end = self.end_time.moment if self.end_time else datetime.now(UTC)
        period = end - self.start_time.moment
        now = "" if self.end_time else "is now, which "
        if period <= timedelta(0):
            return f"{now}is not after start_time"
        return (
            f"{now}is more than {MAX_INSIGHT_PERIOD.days} days after start_time"
            if period > MAX_INSIGHT_PERIOD
            else None
        )

    @rule("location")
    def one_country(self) -> str | None:
        """Accept one country."""
        return "accepts one country" if self.location and "," in self.location else None
