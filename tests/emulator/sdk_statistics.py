"""Statistics with the public SDK, as in `sdk_session`: python sdk_statistics.py STEPS..."""

import os
import sys
import time
from datetime import UTC, datetime, timedelta

from sdk_session import ACCOUNT
from twitter_ads.campaign import LineItem
from twitter_ads.enum import GRANULARITY, METRIC_GROUP

IDS = [os.environ["LINE_ITEM"]]
GROUPS = [METRIC_GROUP.ENGAGEMENT, METRIC_GROUP.BILLING]
END = datetime.now(UTC).replace(tzinfo=None, minute=0, second=0, microsecond=0) - timedelta(days=4)
PERIOD = {"start_time": END - timedelta(days=2), "end_time": END, "granularity": GRANULARITY.HOUR}


def at_once() -> None:
    """Ask for two days of hours, and for the entities that were active."""
    (stats,) = LineItem.all_stats(ACCOUNT, IDS, GROUPS, **PERIOD)
    assert stats["id"] == IDS[0]
    metrics = stats["id_data"][0]["metrics"]
    assert len(metrics["impressions"]) == 48 and sum(metrics["impressions"]) > 0 and "retweets" in metrics
    active = LineItem.active_entities(ACCOUNT, PERIOD["start_time"], PERIOD["end_time"])
    assert IDS[0] in [line_item["entity_id"] for line_item in active]


def by_job() -> None:
    """Queue a job, wait for it, and read its result: the same numbers as at once."""
    job = LineItem.queue_async_stats_job(ACCOUNT, IDS, GROUPS, **PERIOD)
    assert job.status == "PROCESSING" and job.entity_ids == IDS
    for _ in range(100):
        (state,) = LineItem.async_stats_job_result(ACCOUNT, job_ids=[job.id])
        if state.status == "SUCCESS":
            break
        time.sleep(0.1)
    data = LineItem.async_stats_job_data(ACCOUNT, url=state.url)["data"]
    assert data == LineItem.all_stats(ACCOUNT, IDS, GROUPS, **PERIOD)


if __name__ == "__main__":
    for step in sys.argv[1:]:
        globals()[step]()
