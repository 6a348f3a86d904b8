"""Statistics: at once, by jobs, reach, and which entities were active."""

from datetime import UTC, timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta

from .conditions import excludes, required_when
from .endpoint import Resource
from .metrics import GROUPS_BY_ENTITY, MetricGroup, StatisticsEntity, segments_problem
from .rates import QUARTER_HOUR_SECONDS, Rate
from .time import HourOrDay
from .types import Cursor, Id, Ids, InAccount
from .validation import rule

STATISTICS = Resource(
    "/12/stats/accounts/{account_id}",
    columns="id total_audience_reach average_frequency",
    rate=Rate("statistics", 250, QUARTER_HOUR_SECONDS),
)
MAX_ENTITIES = 20
MAX_PERIOD = timedelta(days=7)
MAX_JOB_PERIOD, MAX_SEGMENTED_JOB_PERIOD = timedelta(days=90), timedelta(days=45)
MAX_ACTIVE_PERIOD = timedelta(days=90)
MAX_JOBS = 100  # of one account in processing
MAY_CHANGE = timedelta(days=14)  # since the end of a day, in which what is charged for it may fall

HOUR_WORDS = "a whole hour, such as 2026-03-01T08:00:00Z, or a day of the account's time zone, 2026-03-01"
Hour = Annotated[HourOrDay, Meta(extra={"expected": HOUR_WORDS})]
From = Annotated[Hour, Meta(description="Beginning of the period")]
Until = Annotated[Hour, Meta(description="End of the period, which is not in it")]
FewIds = Annotated[list[Id], Meta(min_length=1, max_length=MAX_ENTITIES, description="Separated by commas")]
# Written again, since help must not load them: in commands/stats/options.py (granularity, placement) and in
# --segment-by of commands/stats/__init__.py. SHARES of the emulator has each segmentation type. A test holds
# them equal (tests/statistics/test_written_again.py); statistics/query.py names some of them.
Granularity = Literal["TOTAL", "DAY", "HOUR"]
Placement = Literal["ALL_ON_PLATFORM", "SPOTLIGHT", "TREND"]
SegmentationType = Literal["AGE", "GENDER", "METROS", "PLATFORMS", "CONVERSION_TAGS"]
JobEntity = Literal[StatisticsEntity, "MEDIA_CREATIVE"]
ActiveEntity = Literal["CAMPAIGN", "FUNDING_INSTRUMENT", "LINE_ITEM", "PROMOTED_ACCOUNT", "PROMOTED_POST"]


class PeriodParams(InAccount, kw_only=True):
    """The parameters of a period."""

    start_time: From
    end_time: Until


def _period_problem(item: Any, longest: timedelta | None = None) -> str | None:
    """Say that a period is empty, or longer than it may be."""
    period = item.end_time.moment(UTC) - item.start_time.moment(UTC)
    # A day beside an hour has no time zone yet. By that of the account the period may be a day longer, or a
    # day shorter, than it is in UTC.
    slack = timedelta(days=1 if item.start_time.is_day != item.end_time.is_day else 0)
    if period <= -slack:
        return "is not after start_time"
    if longest is None or period <= longest + slack:
        return None
    return f"is more than {longest.days} days after start_time"


class StatisticsPeriod(PeriodParams, kw_only=True):
    """The parameters that statistics at once and by jobs have in common."""

    start_time: Annotated[From, Meta(extra={"option": "since"})]
    end_time: Annotated[Until, Meta(extra={"option": "until"})]
    entity_ids: Annotated[FewIds, Meta(extra={"option": "ids"})]
    granularity: Annotated[Granularity, Meta(description="What one number is of")]
    metric_groups: Annotated[
        list[MetricGroup], Meta(min_length=1, description="Kinds of metrics", extra={"option": "metrics"})
    ]
    placement: Annotated[Placement, Meta(description="Where the ads were shown")]


@rule("metric_groups")
def groups_of_entity(item: Any) -> str | None:
    """Accept the groups that the entity has."""
    groups = GROUPS_BY_ENTITY[item.entity]
    wrong = [group for group in item.metric_groups if group not in groups]
    return f"{item.entity} has {' and '.join(groups)} only, not {wrong[0]}" if wrong else None


@STATISTICS.endpoint("GET", "stats get", columns="id id_data", id_field="")
class GetStatistics(StatisticsPeriod, kw_only=True):
    """Get statistics of up to 20 entities and 7 days at once."""

    entity: StatisticsEntity

    @rule("end_time")
    def few_days(self) -> str | None:
        """Limit the period."""
        return _period_problem(self, MAX_PERIOD)

    own_groups = groups_of_entity

    @rule("metric_groups")
    def mobile_conversions_alone(self) -> str | None:
        """Require a request of its own for the conversions of apps."""
        is_apart = "MOBILE_CONVERSION" not in self.metric_groups or len(self.metric_groups) == 1
        return None if is_apart else "MOBILE_CONVERSION must be the only group of a request"


JOBS = Resource(
    "/12/stats/jobs/accounts/{account_id}",
    "job_id",
    record_kind="stats_job",
    columns="id_str status entity granularity start_time end_time segmentation_type expires_at",
    extra_fields="id account_id url entity_ids placement metric_groups country platform created_at "
    "updated_at",
    record_id="id_str",
)


@JOBS.create("stats export", id_field="", reads_only=True)
@required_when("country", segmentation_type=("METROS",))
class CreateJob(StatisticsPeriod, kw_only=True):
    """Begin to compute statistics of up to 20 entities and 90 days, or 45 where they are segmented."""

    entity: JobEntity
    segmentation_type: Annotated[SegmentationType, Meta(extra={"option": "segment_by"})] | None = None
    country: Annotated[str, Meta(description="Of METROS: the targeting value of a country")] | None = None
    platform: Annotated[str, Meta(description="Targeting value of a platform")] | None = None

    @rule("end_time")
    def few_days(self) -> str | None:
        """Limit the period."""
        return _period_problem(self, MAX_SEGMENTED_JOB_PERIOD if self.segmentation_type else MAX_JOB_PERIOD)

    own_groups = groups_of_entity

    @rule("segmentation_type")
    def segments_of_groups(self) -> str | None:
        """Accept the segments that the service has of the groups."""
        return segments_problem(self.segmentation_type, self.metric_groups)


@JOBS.list("stats jobs list", id_field="", example="--columns id_str,status,entity")
class ListJobs(InAccount, kw_only=True):
    """List the jobs of `stats export`."""

    job_ids: Ids | None = None
    cursor: Cursor | None = None


@STATISTICS.endpoint(
    "GET /active_entities",
    "stats active",
    columns="entity_id activity_start_time activity_end_time placements",
    record_id="entity_id",
    example="--entity LINE_ITEM --start-time 2026-03-01 --end-time 2026-03-08",
)
@excludes("campaign_ids", "funding_instrument_ids", "line_item_ids")
@excludes("funding_instrument_ids", "line_item_ids")
class ListActiveEntities(PeriodParams, kw_only=True):
    """List the entities whose statistics changed in a period, and between which times they were active."""

    entity: ActiveEntity
    campaign_ids: Ids | None = None
    funding_instrument_ids: Ids | None = None
    line_item_ids: Ids | None = None

    @rule("end_time")
    def few_days(self) -> str | None:
        """Limit the period."""
        return _period_problem(self, MAX_ACTIVE_PERIOD)


class Reach(PeriodParams, kw_only=True):
    """The parameters of reach, whose period may have any length."""

    @rule("end_time")
    def has_days(self) -> str | None:
        """Require an end after the beginning."""
        return _period_problem(self)


@STATISTICS.endpoint(
    "GET /reach/campaigns",
    "stats reach campaigns",
    example="--campaign-ids 8wku2 --start-time 2026-03-01 --end-time 2026-03-08",
)
class ReachOfCampaigns(Reach, kw_only=True):
    """Show how many people campaigns have reached, and how often."""

    campaign_ids: FewIds


@STATISTICS.endpoint(
    "GET /reach/funding_instruments",
    "stats reach funding-instruments",
    example="--funding-instrument-ids 4a1n0 --start-time 2026-03-01 --end-time 2026-03-08",
)
class ReachOfFundingInstruments(Reach, kw_only=True):
    """Show how many people the campaigns of funding instruments have reached, and how often."""

    funding_instrument_ids: FewIds
