"""Jobs that compute statistics, and their results to download."""

import gzip
import secrets
from datetime import UTC, datetime, timedelta

from ...api.names import SERVICES
from ...api.statistics import MAX_JOBS, CreateJob, ListJobs
from ...api.time import Time
from ...api.validation import convert
from ..core.errors import ApiError, not_found
from ..core.handlers import RequestContext, handler
from ..core.incoming_request import IncomingRequest
from ..core.paging import list_page
from ..core.params import changes_of
from ..core.responses import RESULTS, HttpResponse, Result, envelope
from ..storage.store import Record, Store
from .accounts import ACCOUNT, require_account
from .activity import Interval
from .statistics import Question, answer, asked, require_midnights
from .statistics_series import AccountNumbers, Segment

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


@handler(CreateJob)
def create_job(context: RequestContext, request: CreateJob) -> Result:
    """Begin a job; raise ApiError if too many are in processing, or an entity does not exist."""
    question = asked(context, request)
    require_midnights(request, question.numbers)
    for id in request.entity_ids:
        question.numbers.sources(request.entity, id)
    with context.store.transaction():
        jobs = context.store.find_all(JOB, request.account_id)
        if sum(_shown(context, job)["status"] == "PROCESSING" for job in jobs) >= MAX_JOBS:
            message = f"the account has {MAX_JOBS} jobs in processing, and may not have more"
            raise ApiError(429, "TOO_MANY_JOBS", message)
        number = str(1_000_000_000_000_000_000 + secrets.randbelow(8 * 10**18))
        job = new_job(number, request, question.period, question.now) | {
            "fails": context.partial,
            "service": context.service,
        }
        return Result(_shown(context, context.store.add(JOB, number, job, owner=request.account_id)))


def new_job(number: str, request: CreateJob, period: Interval, now: datetime) -> Record:
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


@handler(ListJobs)
def list_jobs(context: RequestContext, request: ListJobs) -> Result:
    """List jobs with their states."""
    require_account(context, request.account_id)
    page = list_page(context.store, request, JOB, owner=request.account_id, ids=request.job_ids)
    return page._replace(data=[_shown(context, job) for job in page.data])


def _shown(context: RequestContext, job: Record) -> Record:
    """Return a job as it is by now."""
    ready_at, now = datetime.fromisoformat(job["ready_at"]), datetime.now(UTC)
    shown: Record = {name: value for name, value in job.items() if name not in HIDDEN}
    shown["id"] = int(job["id"])
    if now >= ready_at and job["fails"]:
        shown["status"] = "FAILED"
    elif now >= ready_at:
        expires_at = ready_at + KEPT_FOR
        address = f"{context.incoming.origin}{RESULTS}{job['id']}-{job['secret']}{SUFFIX}"
        shown |= {
            "status": "SUCCESS",
            "expires_at": _utc(expires_at),
            "url": address if now < expires_at else None,
        }
    return shown


def download(store: Store, incoming: IncomingRequest) -> HttpResponse:
    """Return the result of a job, compressed; raise ApiError (404) if there is none, or no longer."""
    number, _, secret = incoming.path.removeprefix(RESULTS).removesuffix(SUFFIX).partition("-")
    job = store.find(JOB, number)
    if job is None or not secrets.compare_digest(secret.encode(), job["secret"].encode()):
        raise not_found("result", number)
    ready_at, now = datetime.fromisoformat(job["ready_at"]), datetime.now(UTC)
    if job["fails"] or not ready_at <= now < ready_at + KEPT_FOR:
        raise not_found("result", number)
    result = _result(store, job, ready_at - PROCESSING_TIME)
    response = envelope(result, job["asked"], SERVICES[job["service"]])
    return HttpResponse(gzip.compress(response.body, mtime=0), content_type=RESULT_TYPE)


def _result(store: Store, job: Record, now: datetime) -> Result:
    """Compute what a job is about, as it was counted when the job began."""
    account = store.find(ACCOUNT, job["account_id"], with_deleted=True)
    assert account is not None
    request = convert(CreateJob, job["asked"] | {"account_id": job["account_id"]})
    period = Interval(*(datetime.fromisoformat(job[name]) for name in ("start_time", "end_time")))
    shares = SHARES.get(job["segmentation_type"] or "", {})
    segments = [Segment(name.replace("_", " ").lower(), name, share) for name, share in shares.items()]
    return answer(Question(AccountNumbers(store, account), period, now), request, segments)


def _utc(time: datetime) -> str:
    return Time.of(time.replace(microsecond=0))
