"""Seed data: a job of statistics that has ended."""

from datetime import UTC, datetime, timedelta

from ...api.statistics import CreateJob
from ...api.validation import convert
from ..resources.activity import Interval
from ..resources.statistics_jobs import JOB, new_job
from ..storage.store import Store
from .line_items import CLICKS, REACH

NUMBER = "1638457211049000000"


def seed(store: Store, *, account: str) -> None:
    """Add a job about the last week of two line items."""
    now = datetime.now(UTC)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    period = Interval(today - timedelta(days=7), today)
    values = {
        "account_id": account,
        "entity": "LINE_ITEM",
        "entity_ids": [CLICKS, REACH],
        "start_time": period.start.isoformat(),
        "end_time": period.end.isoformat(),
        "granularity": "TOTAL",
        "placement": "ALL_ON_PLATFORM",
        "metric_groups": ["ENGAGEMENT", "BILLING"],
    }
    job = new_job(NUMBER, convert(CreateJob, values), period, now)
    store.add(JOB, NUMBER, job, owner=account)
