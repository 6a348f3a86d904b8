"""Statistics at once and in jobs, reach, and which entities were active."""

import gzip
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ...api import statistics
from ...api.names import SERVICES
from ...api.statistics import MAX_JOBS
from ...api.time import Time, is_plain_date
from ...api.validation import convert
from ..core.handlers import ACCOUNT, RequestContext, handler
from ..core.request import IncomingRequest, changes_of
from ..core.responses import RESULTS, ApiError, HttpResponse, Result, envelope, invalid_parameter, not_found
from ..storage import Record, Store, without
from .collection import Collection
from .history import Interval
from .statistics_series import AccountNumbers, PeopleSegment, metrics, series

HOUR = timedelta(hours=1)
WHOLE = "ALL_ON_PLATFORM"  # the placement that has the numbers
FREQUENCY = 2.4  # times that one person sees an ad, in a long period


class StatsRequest(NamedTuple):
    """The numbers of an account, and the period that a request asks about."""

    numbers: AccountNumbers
    period: Interval
    now: datetime


def read_query(context: RequestContext, request: statistics.PeriodParams) -> StatsRequest:
    """Read the times of a request, whose days begin in the time zone of the account.

    Raise ApiError where the period is empty in that zone.
    """
    numbers = AccountNumbers(context.store, context.require_account())
    start, end = (time.moment(numbers.zone) for time in (request.start_time, request.end_time))
    period = Interval(start, end)
    if period.is_empty:
        raise invalid_parameter("end_time", f"is not after start_time in {numbers.account['timezone']}")
    return StatsRequest(numbers, period, datetime.now(UTC))


def require_midnights(request: Any, numbers: AccountNumbers) -> None:
    """Raise ApiError unless days begin at midnight in the time zone of the account."""
    for name in ("start_time", "end_time"):
        time = getattr(request, name)
        if request.granularity == "DAY" and not is_plain_date(time):
            local = time.moment(numbers.zone).astimezone(numbers.zone)
            if (local.hour, local.minute) != (0, 0):
                zone = numbers.account["timezone"]
                raise invalid_parameter(name, f"{time} is not midnight in {zone}, as for granularity DAY")


@handler(statistics.GetStatistics)
def _get_statistics(context: RequestContext, request: statistics.GetStatistics) -> Result:
    query = read_query(context, request)
    require_midnights(request, query.numbers)
    context.echoed.pop("account_id", None)
    context.echoed |= dict.fromkeys(("segmentation_type", "country", "platform"))
    return requested_numbers(query, request)


def requested_numbers(query: StatsRequest, request: Any, segments: Sequence[PeopleSegment] = ()) -> Result:
    """Return the numbers that a request asks for, whole or by segment."""
    data, length = [], 0
    for id in request.entity_ids:
        sources = query.numbers.counted(request.entity, id)
        counted = sources if request.placement == WHOLE else []
        columns = series(counted, query.period, request.granularity, query.now, segments)
        length = len(columns[0])
        id_data = [
            {"segment": segment, "metrics": metrics(request.entity, request.metric_groups, parts)}
            for segment, parts in zip(map(_described, segments or (None,)), columns, strict=True)
        ]
        data.append({"id": id, "id_data": id_data})
    return Result(data, beside={"data_type": "stats", "time_series_length": length})


def _described(segment: PeopleSegment | None) -> dict[str, str] | None:
    return segment and {"segment_name": segment.name, "segment_value": segment.value}


@handler(statistics.ListActiveEntities)
def _list_active_entities(context: RequestContext, request: statistics.ListActiveEntities) -> Result:
    """List the entities that were active, with the first and the last hour."""
    numbers, period, now = read_query(context, request)
    entity: statistics.ActiveEntity = request.entity
    records = []
    for id in numbers.ids(entity):
        if not _is_wanted(numbers, request, id):
            continue
        if times := numbers.active_times(entity, id, Interval(period.start, min(period.end, now))):
            records.append(
                {
                    "entity_id": id,
                    "activity_start_time": _whole_hour(min(time.start for time in times)),
                    "activity_end_time": _whole_hour(max(time.end for time in times) + HOUR),
                    "placements": [WHOLE],
                }
            )
    return Result(records)


def _is_wanted(numbers: AccountNumbers, request: statistics.ListActiveEntities, id: str) -> bool:
    owners = (
        ("CAMPAIGN", request.campaign_ids),
        ("FUNDING_INSTRUMENT", request.funding_instrument_ids),
        ("LINE_ITEM", request.line_item_ids),
    )
    own = {source.numbers.id for source in numbers.sources(request.entity, id)}
    for entity, ids in owners:
        if ids is not None:
            theirs = {source.numbers.id for id in ids for source in numbers.sources(entity, id)}
            return bool(own & theirs)
    return True


def _whole_hour(time: datetime) -> str:
    return Time.of(time.astimezone(UTC).replace(minute=0, second=0, microsecond=0))


@handler(statistics.ReachOfCampaigns)
def _reach_of_campaigns(context: RequestContext, request: statistics.ReachOfCampaigns) -> Result:
    return _reach(read_query(context, request), "CAMPAIGN", request.campaign_ids)


@handler(statistics.ReachOfFundingInstruments)
def _reach_of_funding_instruments(
    context: RequestContext, request: statistics.ReachOfFundingInstruments
) -> Result:
    return _reach(read_query(context, request), "FUNDING_INSTRUMENT", request.funding_instrument_ids)


def _reach(query: StatsRequest, entity: str, ids: list[str]) -> Result:
    records = []
    for id in ids:
        (parts,) = series(query.numbers.sources(entity, id), query.period, "TOTAL", query.now)
        impressions = parts[0].get("impressions", 0)
        people = round(impressions / FREQUENCY)
        frequency = round(impressions / people, 2) if people else 0.0
        records.append({"id": id, "total_audience_reach": people, "average_frequency": frequency})
    return Result(records, beside={"data_type": "reach"})


JOB = "stats_job"
PROCESSING_TIME = timedelta(seconds=0.5)
KEPT_FOR = timedelta(days=2)
RESULT_TYPE = "application/gzip"
SUFFIX = ".json.gz"
HIDDEN = ("secret", "ready_at", "fails", "asked", "service", "deleted")
SHARES = {  # of the segments
    "AGE": {"AGE_13_TO_24": 0.25, "AGE_25_TO_34": 0.35, "AGE_35_TO_49": 0.28, "AGE_OVER_50": 0.12},
    "GENDER": {"FEMALE": 0.47, "MALE": 0.45, "UNKNOWN": 0.08},
    "PLATFORMS": {"ANDROID": 0.41, "IOS": 0.37, "DESKTOP_AND_LAPTOP": 0.22},
    "METROS": {"BERLIN": 0.4, "HAMBURG": 0.35, "MUNICH": 0.25},
    "CONVERSION_TAGS": {"PURCHASE": 0.3, "SITE_VISIT": 0.7},
}


@handler(statistics.CreateJob)
def _create_job(context: RequestContext, request: statistics.CreateJob) -> Result:
    """Begin a job. Raise ApiError if too many are in processing, or an entity does not exist."""
    query = read_query(context, request)
    require_midnights(request, query.numbers)
    for id in request.entity_ids:
        query.numbers.sources(request.entity, id)
    with context.store.transaction():
        jobs = context.store.find_all(JOB, request.account_id)
        if sum(_status(job) == "PROCESSING" for job in jobs) >= MAX_JOBS:
            message = f"the account has {MAX_JOBS} jobs in processing, and may not have more"
            raise ApiError(429, "TOO_MANY_JOBS", message)
        number = str(1_000_000_000_000_000_000 + secrets.randbelow(8 * 10**18))
        job = new_job(number, request, query.period, query.now) | {
            "fails": context.partial,
            "service": context.service,
        }
        return Result(_shown(context, context.store.add(JOB, number, job, owner=request.account_id)))


def new_job(number: str, request: statistics.CreateJob, period: Interval, now: datetime) -> Record:
    """Return a job that begins now, as it is stored."""
    return {
        "id_str": number,
        "account_id": request.account_id,
        "status": "PROCESSING",
        "url": None,
        **changes_of(request),
        "start_time": _utc(period.start),
        "end_time": _utc(period.end),
        "segmentation_type": request.segmentation_type,
        "country": request.country,
        "platform": request.platform,
        "expires_at": None,
        "asked": changes_of(request),
        "secret": secrets.token_urlsafe(16),
        "ready_at": (now + PROCESSING_TIME).isoformat(),
        "fails": False,
        "service": "generic",
    }


def _ready_at(job: Record) -> datetime:
    return datetime.fromisoformat(job["ready_at"])


def _status(job: Record) -> str:
    if datetime.now(UTC) < _ready_at(job):
        return "PROCESSING"
    return "FAILED" if job["fails"] else "SUCCESS"


def _has_result(job: Record) -> bool:
    """Whether a job has succeeded, and its result is kept yet."""
    return _status(job) == "SUCCESS" and datetime.now(UTC) < _ready_at(job) + KEPT_FOR


def _shown(context: RequestContext, job: Record) -> Record:
    """Return a job as it is by now."""
    shown = without(job, *HIDDEN) | {"id": int(job["id"]), "status": _status(job)}
    if shown["status"] == "SUCCESS":
        shown["expires_at"] = _utc(_ready_at(job) + KEPT_FOR)
        shown["url"] = _address(context, job) if _has_result(job) else None
    return shown


def _address(context: RequestContext, job: Record) -> str:
    """Return where the result of a job is downloaded."""
    return f"{context.incoming.origin}{RESULTS}{job['id']}-{job['secret']}{SUFFIX}"


Collection(statistics.JOBS, shown=_shown)


def download(store: Store, incoming: IncomingRequest) -> HttpResponse:
    """Return the result of a job, compressed. Raise ApiError (404) if there is none, or no longer."""
    number, _, secret = incoming.path.removeprefix(RESULTS).removesuffix(SUFFIX).partition("-")
    job = store.find(JOB, number)
    if job is None or not secrets.compare_digest(secret.encode(), job["secret"].encode()):
        raise not_found("result", number)
    if not _has_result(job):
        raise not_found("result", number)
    result = _result(store, job, _ready_at(job) - PROCESSING_TIME)
    response = envelope(result, job["asked"], SERVICES[job["service"]])
    return HttpResponse(gzip.compress(response.body, mtime=0), content_type=RESULT_TYPE)


def _result(store: Store, job: Record, now: datetime) -> Result:
    """Compute what a job is about, as it was counted when the job began."""
    account = store.find(ACCOUNT, job["account_id"], with_deleted=True)
    assert account is not None
    request = convert(statistics.CreateJob, job["asked"] | {"account_id": job["account_id"]})
    period = Interval(*(datetime.fromisoformat(job[name]) for name in ("start_time", "end_time")))
    shares = SHARES.get(job["segmentation_type"] or "", {})
    segments = [PeopleSegment(name.replace("_", " ").lower(), name, share) for name, share in shares.items()]
    return requested_numbers(StatsRequest(AccountNumbers(store, account), period, now), request, segments)


def _utc(time: datetime) -> str:
    return Time.of(time.replace(microsecond=0))
