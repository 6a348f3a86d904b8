"""Statistics by jobs: created, waited for, downloaded and kept until all are there."""

import re
import time
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..api.names import to_neutral
from ..api.statistics import MAX_JOB_PERIOD, MAX_JOBS, MAX_SEGMENTED_JOB_PERIOD, CreateJob, ListJobs
from ..api.time import Time
from ..errors import (
    AccessError,
    AdsctlError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    UnavailableError,
)
from ..hosts import PrivateHostError, is_loopback, require_public_name
from ..http.response_body import parse_json
from ..output.text import counted
from ..parallel import batched
from ..parallel.ordered_map import map_ordered
from .answers import QueryResult, records_in, series_in, values_of
from .export_folder import ExportFolder
from .query import StatsQuery, parts

if TYPE_CHECKING:
    import httpx

    from ..client.client import Client

MAX_RESULT_BYTES = 512 * 1024 * 1024  # unpacked; the largest that a job can have is far smaller
GZIP = 31  # window bits of zlib that expect a header of gzip
ADDRESS = re.compile(r"[!-\[\]-~]+")  # of ASCII, without a backslash, which some take for a slash


def decompressed(packed: bytes) -> bytes:
    """Return the JSON of a result, whose checksum is right; raise UnavailableError where it is cut off."""
    try:
        unpacking = zlib.decompressobj(GZIP)
        content = unpacking.decompress(packed, MAX_RESULT_BYTES)
    except zlib.error as error:
        raise UnavailableError(f"the result of a job cannot be read: {error}") from None
    if unpacking.unconsumed_tail:
        raise UnavailableError("the result of a job is larger than 512 MiB")
    if not unpacking.eof:
        raise UnavailableError("the result of a job is cut off")
    return content


def download(client: "Client", url: str, check: Callable[[bytes], Any]) -> bytes:
    """Return the result at an address, which gets no credentials.

    `check` raises UnavailableError for one that cannot be read, which is then requested again.
    """
    import httpx

    from ..client.prepared_request import PreparedRequest
    from ..http.connections import parse_http_address

    parsed = parse_http_address(url) if ADDRESS.fullmatch(url) else None
    if parsed is None or parsed.userinfo:
        raise UnavailableError("the service named an address of a job's result that is not valid")
    client.trace.add_secrets(*parsed.raw_path.decode().split("?"))  # whoever knows them can read the result
    is_own = _is_of_service_here(parsed, client)
    if not is_own and parsed.scheme != "https":
        raise UnavailableError(f"the result of a job is at {parsed.host}, and not at an https address")
    prepared = PreparedRequest(
        method="GET",
        url=str(parsed),
        body=b"",
        content_type="",
        route="GET result",
        retry=True,
        sensitive=True,
        to_stranger=not is_own,
    )
    try:
        if not is_own:
            require_public_name(parsed.raw_host.decode())
        response = client.send_untracked(
            prepared, auth=httpx.Auth(), parse=bytes, check=lambda response: check(response.body)
        )
    except PrivateHostError as error:
        raise UnavailableError(f"the result of a job was not downloaded: {error}") from None
    except UnavailableError as error:
        if 300 <= (error.http_status or 0) < 400:
            raise UnavailableError("the result of a job is redirected, which is not followed") from None
        raise
    return bytes(response.body)


def _is_of_service_here(url: "httpx.URL", client: "Client") -> bool:
    """Tell whether an address has scheme, host and port of the service, which runs on this machine."""
    import httpx

    service = httpx.URL(client.address(ListJobs.endpoint.base))
    return is_loopback(url.host) and (url.scheme, url.netloc) == (service.scheme, service.netloc)


def unpack(packed: bytes) -> Any:
    """Return the data of a result; raise UnavailableError where it is cut off or not a document of JSON."""
    try:
        body = parse_json(decompressed(packed))
    except (ValueError, RecursionError) as error:
        raise UnavailableError(f"the result of a job cannot be read: {error}") from None
    return body.get("data") if isinstance(body, dict) else None


CLOCKS_DIFFER = timedelta(minutes=5)  # at most, or the service refuses what is signed
# Jobs are those of one account; whatever else a job is made with tells it from others.
JOB_PARAMS = [name for name in CreateJob.__struct_fields__ if name != "account_id"]
TIME_PARAMS = ("start_time", "end_time")
PROCESSING = "PROCESSING"  # the status of a job that has not ended


def find_orphaned_jobs(
    client: "Client",
    account: str,
    missing: Mapping[int, Mapping[str, Any]],
    begun: datetime,
    noted_ids: Iterable[str],
) -> dict[int, str]:
    """Return jobs that ask for the parameters of missing parts, are not noted, and were created since.

    Those that failed, or whose result has expired, are no use.
    """
    part_of, jobs = {_comparable(params): part for part, params in missing.items()}, dict[int, str]()
    noted_ids = {*noted_ids}
    for response in client.pages(ListJobs(account_id=account)):
        for job in map(to_neutral, response.records):
            id, part = str(job.get("id_str") or ""), part_of.get(_comparable(job))
            if id and id not in noted_ids and part is not None and _is_alive(job) and _made_since(job, begun):
                jobs[part] = id
    return jobs


def _is_alive(job: Mapping[str, Any]) -> bool:
    return job.get("status") == PROCESSING or (job.get("status") == "SUCCESS" and bool(job.get("url")))


def _made_since(job: Mapping[str, Any], begun: datetime) -> bool:
    created_at = _moment(job.get("created_at"))
    return created_at is not None and created_at >= begun - CLOCKS_DIFFER


def _comparable(job: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a job asks, in one form; its lists may have any order."""
    return tuple(_in_one_form(name, job.get(name)) for name in JOB_PARAMS)


def _in_one_form(name: str, value: Any) -> Any:
    if name in TIME_PARAMS:
        return _moment(value)
    if isinstance(value, list):
        return tuple(sorted(map(str, value)))
    return None if value is None else str(value)


def _moment(value: Any) -> datetime | None:
    try:
        return Time.parse(value).moment
    except ValueError:
        return None


JOBS_AT_ONCE = 200  # asked for in one request
JOBS_NOTED_AT_ONCE = 20
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS, GROWTH = 0.5, 15.0, 1.5
TOO_MANY_JOBS = "TOO_MANY_JOBS"
MOST_FAILURES = 2  # of the jobs of one part in a run
OK = 200  # the HTTP status


class Export:
    """Answers a query by jobs. Its progress is on disk, so that a killed export can be resumed.

    Call `find_jobs` first when an export is resumed, then `run`, and `answers` before the folder is removed.
    """

    def __init__(
        self,
        client: "Client",
        account: str,
        query: StatsQuery,
        folder: ExportFolder,
        warn: Callable[[str], None],
    ) -> None:
        self._client, self._account, self._query = client, account, query
        self._folder, self._warn = folder, warn
        longest = MAX_SEGMENTED_JOB_PERIOD if query.segmentation else MAX_JOB_PERIOD
        self._groups = [*parts(query, longest)]
        self._parts = [part for few in self._groups for part in few]
        self._failures = Counter[int]()  # jobs of this run that were of no use, by part
        folder.find_results(self._check)

    @property
    def jobs(self) -> int:
        """Count the jobs that the query takes."""
        return len(self._parts)

    def find_jobs(self) -> int:
        """Find the jobs again that an earlier run created and could not note; return their number."""
        folder = self._folder
        missing = {number: self._job_params(number) for number in self._missing()}
        if not missing or folder.begun is None:
            return 0
        own_ids = {*folder.jobs.values(), *folder.failed}
        orphaned = find_orphaned_jobs(self._client, self._account, missing, folder.begun, own_ids)
        folder.note_made(orphaned)
        return len(orphaned)

    def begin(self) -> None:
        """Create as many jobs as the account may have in processing, and wait for none."""
        try:
            self._make_jobs()
        except (RateLimitedError, RefusedError) as error:
            if not _is_too_many(error):
                raise

    def run(self, on_progress: Callable[[int], None]) -> None:
        """Download every result. Raise UnavailableError if a job fails twice, or none ends in time."""
        delay, last_ended = FIRST_WAIT_SECONDS, time.monotonic()
        on_progress(len(self._folder.results))
        while len(self._folder.results) < len(self._parts):
            self._make_jobs()
            if self._download_ready(on_progress):
                delay, last_ended = FIRST_WAIT_SECONDS, time.monotonic()
            elif self._folder.jobs:
                self._wait(delay, last_ended)
                delay = min(delay * GROWTH, LONGEST_WAIT_SECONDS)

    def answers(self) -> Iterator[list[QueryResult]]:
        """Yield the answers of every few entities, from the results that were downloaded."""
        number = 0
        for few in self._groups:
            numbers = range(number, number + len(few))
            number += len(few)
            yield [self._answer(part_number, self._folder.load(part_number)) for part_number in numbers]

    def _answer(self, number: int, packed: bytes) -> QueryResult:
        """Return the answer to a part that a result holds; raise UnavailableError if it cannot be read."""
        return QueryResult(self._parts[number], records_in(unpack(packed)))

    def _check(self, number: int, packed: bytes) -> None:
        """Raise UnavailableError for a result that has not the numbers of its part."""
        deque(series_in(self._query, self._answer(number, packed)), 0)

    def _make_jobs(self) -> None:
        """Create the jobs that are missing, as many as may be in processing at once.

        Raise the error of a job that was not created, once the jobs beside it are noted. It is not an error
        that a part must wait for other jobs of this export.
        """
        folder = self._folder
        room = MAX_JOBS - len(folder.jobs)
        due = [*islice(self._missing(), max(room, 0))]
        jobs = map_ordered(self._make_job, due, self._client.concurrency, len(due) or 1)
        errors = list[AdsctlError]()
        for run in batched(jobs, JOBS_NOTED_AT_ONCE):
            folder.note_made({number: job for number, job in run if isinstance(job, str)})
            errors += [error for _, error in run if isinstance(error, AdsctlError)]
        if folder.jobs:
            errors = [error for error in errors if not _is_too_many(error)]
        if errors:  # a job that may have been created is found again, so that its error says how
            raise next((error for error in errors if error.may_be_applied), errors[0])

    def _missing(self) -> Iterator[int]:
        """Yield the parts that have neither a job nor a result."""
        folder = self._folder
        return (n for n in range(len(self._parts)) if n not in folder.results and n not in folder.jobs)

    def _job_params(self, number: int) -> dict[str, Any]:
        """Return the parameters of the job of a part."""
        query = self._query
        return {
            **values_of(self._account, query, self._parts[number]),
            "segmentation_type": query.segmentation,
            "country": query.country,
            "platform": query.platform,
        }

    def _make_job(self, number: int) -> tuple[int, str | AdsctlError]:
        """Create the job of a part. Return its id, or why it was not created."""
        request = CreateJob(**self._job_params(number))
        try:
            job = self._client.call(request).data
        except AdsctlError as error:
            return number, error
        id = job.get("id_str") if isinstance(job, dict) else None
        if not isinstance(id, str) or not id:
            return number, UnavailableError("the service made a job without an id")
        return number, id

    def _download_ready(self, on_progress: Callable[[int], None]) -> bool:
        """Download the results that are ready; return whether any job has ended."""
        folder, states = self._folder, self._states()
        ready, threads = list[tuple[int, str]](), self._client.concurrency
        ended = 0
        for number, id in [*folder.jobs.items()]:
            job = states.get(id, {})
            status, url = job.get("status"), job.get("url")
            if status == PROCESSING:
                continue
            ended += 1
            if status == "SUCCESS" and url:
                ready.append((number, str(url)))
            else:
                self._fail(number, "lost its result" if status == "SUCCESS" or not job else "failed")
        for number, packed in map_ordered(self._download, ready, threads, 2 * threads):
            if isinstance(packed, UnavailableError):
                folder.note_failed(number)
                packed.hint = "--resume makes the job again, and downloads nothing twice"
                packed.may_be_applied = False  # a download changes nothing
                raise packed
            if packed is None:
                self._fail(number, "lost its result")
            else:
                folder.store(number, packed)
            on_progress(len(folder.results))
        return ended > 0

    def _download(self, task: tuple[int, str]) -> tuple[int, bytes | UnavailableError | None]:
        """Return the result of a part, None where it is gone, or why it cannot be read."""
        number, url = task
        try:
            packed = download(self._client, url, lambda packed: self._check(number, packed))
        except (AccessError, NotFoundError):  # its address has expired
            return number, None
        except UnavailableError as error:
            if error.http_status == OK:
                return number, error
            raise
        return number, packed

    def _fail(self, number: int, what: str) -> None:
        """Note that the job of a part was of no use; raise UnavailableError where another one was before."""
        job = self._folder.jobs[number]
        self._folder.note_failed(number)
        self._failures[number] += 1
        if self._failures[number] >= MOST_FAILURES:
            raise UnavailableError(
                f"the service could not compute the statistics of {self._parts[number].ids[0]} and others: "
                f"job {job} {what}, as did the one before",
                hint="--resume makes it again, and downloads nothing twice",
            )
        self._warn(f"job {job} {what}; it is made again")

    def _states(self) -> dict[str, dict[str, Any]]:
        """Return the jobs that are in processing as they are by now."""
        states = dict[str, dict[str, Any]]()
        for few in batched(self._folder.jobs.values(), JOBS_AT_ONCE):
            for response in self._client.pages(ListJobs(account_id=self._account, job_ids=few)):
                states |= {str(job.get("id_str")): job for job in response.records}
        return states

    def _wait(self, delay: float, last_ended: float) -> None:
        """Wait for jobs, at most --max-wait since one has ended: that the service answers is no progress."""
        limiter = self._client.rate_limiter
        if time.monotonic() + delay > last_ended + limiter.max_wait:
            jobs = counted(len(self._folder.jobs), "job")
            raise UnavailableError(
                f"{jobs} still in processing, and none has ended within --max-wait",
                hint="--resume waits for them again",
            )
        limiter.wait(delay)


def _is_too_many(error: AdsctlError) -> bool:
    """Tell whether the account has as many jobs in processing as it may have."""
    return isinstance(error, RateLimitedError | RefusedError) and error.api_code == TOO_MANY_JOBS
