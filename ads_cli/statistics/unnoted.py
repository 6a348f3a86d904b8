"""Jobs of an export that a kill left unnoted, found again by what they ask."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..api.names import to_neutral
from ..api.statistics import ListJobs
from ..api.time import Time

if TYPE_CHECKING:
    from ..client.client import Client

CLOCKS_DIFFER = timedelta(minutes=5)  # at most, or the service refuses what is signed
AS_ASKED = ("entity", "granularity", "placement", "segmentation_type", "country", "platform")
Asked = tuple[Any, ...]


def find_again(
    client: "Client",
    account: str,
    missing: Mapping[int, Mapping[str, Any]],
    begun: datetime,
    noted: Iterable[str],
) -> dict[int, str]:
    """Return jobs that ask for the parameters of missing parts, are not noted, and were made since.

    Those that failed, or whose result has expired, are no use.
    """
    parts, found = {_asked(asked): part for part, asked in missing.items()}, dict[int, str]()
    noted = {*noted}
    for response in client.pages(ListJobs(account_id=account)):
        for job in map(to_neutral, response.records):
            id, part = str(job.get("id_str") or ""), parts.get(_asked(job))
            if id and id not in noted and part is not None and _is_alive(job) and _made_since(job, begun):
                found[part] = id
    return found


def _is_alive(job: Mapping[str, Any]) -> bool:
    return job.get("status") == "PROCESSING" or (job.get("status") == "SUCCESS" and bool(job.get("url")))


def _made_since(job: Mapping[str, Any], begun: datetime) -> bool:
    created_at = _moment(job.get("created_at"))
    return created_at is not None and created_at >= begun - CLOCKS_DIFFER


def _asked(job: Mapping[str, Any]) -> Asked:
    """Return what a job asks, in one form; its lists may have any order."""
    lists = (tuple(sorted(map(str, job.get(name) or ()))) for name in ("entity_ids", "metric_groups"))
    times = (_moment(job.get(name)) for name in ("start_time", "end_time"))
    return *(job.get(name) for name in AS_ASKED), *lists, *times


def _moment(time: Any) -> datetime | None:
    try:
        return Time.parse(time).moment
    except ValueError:
        return None
