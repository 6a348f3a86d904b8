"""Statistics at once, reach, and which entities were active."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ...api.statistics import (
    ActiveEntity,
    GetStatistics,
    ListActiveEntities,
    Period,
    ReachOfCampaigns,
    ReachOfFundingInstruments,
)
from ...api.time import Time, is_plain_date
from ..core.errors import invalid_parameter
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from .accounts import require_account
from .activity import Interval
from .statistics_series import AccountNumbers, Segment, metrics, series

HOUR = timedelta(hours=1)
WHOLE = "ALL_ON_PLATFORM"  # the placement that has the numbers
FREQUENCY = 2.4  # times that one person sees an ad, in a long period


class Question(NamedTuple):
    """The numbers of an account, and the period that a request asks about."""

    numbers: AccountNumbers
    period: Interval
    now: datetime


def asked(context: RequestContext, request: Period) -> Question:
    """Read the times of a request, whose days begin in the time zone of the account."""
    numbers = AccountNumbers(context.store, require_account(context, request.account_id))
    start, end = (time.moment(numbers.midnight) for time in (request.start_time, request.end_time))
    return Question(numbers, Interval(start, end), datetime.now(UTC))


def require_midnights(request: Any, numbers: AccountNumbers) -> None:
    """Raise ApiError unless days begin at midnight in the time zone of the account."""
    for name in ("start_time", "end_time"):
        time = getattr(request, name)
        if request.granularity == "DAY" and not is_plain_date(time):
            local = time.moment(numbers.midnight).astimezone(numbers.midnight)
            if (local.hour, local.minute) != (0, 0):
                zone = numbers.account["timezone"]
                raise invalid_parameter(name, f"{time} is not midnight in {zone}, as for granularity DAY")


@handler(GetStatistics)
def get_statistics(context: RequestContext, request: GetStatistics) -> Result:
    """Return the numbers of up to 20 entities."""
    question = asked(context, request)
    require_midnights(request, question.numbers)
    context.echoed.pop("account_id", None)
    context.echoed |= dict.fromkeys(("segmentation_type", "country", "platform"))
    return answer(question, request)


def answer(question: Question, request: Any, segments: Sequence[Segment] = ()) -> Result:
    """Return the numbers that a request asks for, whole or by segment."""
    data, length = [], 0
    for id in request.entity_ids:
        sources = question.numbers.sources(request.entity, id)
        counted = sources if request.placement == WHOLE else []
        columns = series(counted, question.period, request.granularity, question.now, segments)
        length = len(columns[0])
        id_data = [
            {"segment": segment, "metrics": metrics(request.entity, request.metric_groups, parts)}
            for segment, parts in zip(map(_described, segments or (None,)), columns, strict=True)
        ]
        data.append({"id": id, "id_data": id_data})
    return Result(data, beside={"data_type": "stats", "time_series_length": length})


def _described(segment: Segment | None) -> dict[str, str] | None:
    return segment and {"segment_name": segment.name, "segment_value": segment.value}


@handler(ListActiveEntities)
def list_active_entities(context: RequestContext, request: ListActiveEntities) -> Result:
    """List the entities that were active, with the first and the last hour."""
    numbers, period, now = asked(context, request)
    entity: ActiveEntity = request.entity
    found = []
    for id in numbers.ids(entity):
        if not _is_wanted(numbers, request, id):
            continue
        if times := numbers.active_times(entity, id, Interval(period.start, min(period.end, now))):
            found.append(
                {
                    "entity_id": id,
                    "activity_start_time": _whole_hour(min(time.start for time in times)),
                    "activity_end_time": _whole_hour(max(time.end for time in times) + HOUR),
                    "placements": [WHOLE],
                }
            )
    return Result(found)


def _is_wanted(numbers: AccountNumbers, request: ListActiveEntities, id: str) -> bool:
    owners = (
        ("CAMPAIGN", request.campaign_ids),
        ("FUNDING_INSTRUMENT", request.funding_instrument_ids),
        ("LINE_ITEM", request.line_item_ids),
    )
    own = {source.numbers.id for source in numbers.sources(request.entity, id)}
    for entity, ids in owners:
        if ids is not None:
            theirs = {source.numbers.id for each in ids for source in numbers.sources(entity, each)}
            return bool(own & theirs)
    return True


def _whole_hour(time: datetime) -> str:
    return Time.of(time.astimezone(UTC).replace(minute=0, second=0, microsecond=0))


@handler(ReachOfCampaigns)
def reach_of_campaigns(context: RequestContext, request: ReachOfCampaigns) -> Result:
    """Return how many people campaigns have reached."""
    return _reach(asked(context, request), "CAMPAIGN", request.campaign_ids)


@handler(ReachOfFundingInstruments)
def reach_of_funding_instruments(context: RequestContext, request: ReachOfFundingInstruments) -> Result:
    """Return how many people the campaigns of funding instruments have reached."""
    return _reach(asked(context, request), "FUNDING_INSTRUMENT", request.funding_instrument_ids)


def _reach(question: Question, entity: str, ids: list[str]) -> Result:
    found = []
    for id in ids:
        (parts,) = series(question.numbers.sources(entity, id), question.period, "TOTAL", question.now)
        impressions = parts[0].get("impressions", 0)
        people = round(impressions / FREQUENCY)
        frequency = round(impressions / people, 2) if people else 0.0
        found.append({"id": id, "total_audience_reach": people, "average_frequency": frequency})
    return Result(found, beside={"data_type": "reach"})
