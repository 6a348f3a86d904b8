"""Jobs that were made and not noted, because of a kill between, are found again by what they ask."""

import json
import re
import signal
import threading
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from ads_cli.api.statistics import CreateJob
from ads_cli.emulator.seed import JOB_NUMBER
from ads_cli.statistics.export import find_orphaned_jobs
from tests.products.stopping import settle_after_kill

ALL = ("--entity", "LINE_ITEM", "--all", "--metrics", "impressions")
JOBS = "/12/stats/jobs/"


def jobs(adsctl) -> set[str]:
    listed = json.loads(adsctl("stats", "jobs", "list", "--all", "-o", "json").stdout)
    return {job["id_str"] for job in listed} - {JOB_NUMBER}


@pytest.mark.parametrize("service_name", ["x"])
def test_a_killed_export_makes_no_job_twice(adsctl, service, monkeypatch, service_name):
    entity = ("--entity", "PROMOTED_POST", "--ids", "7pt01", "--metrics", "impressions")
    period = ("--since", "2024-01-01", "--until", "2025-09-01")
    words = ("stats", "export", "o.csv", *entity, *period, "--resume")
    respond, made = service.answer, list[str]()
    one_by_one, resumed = threading.Lock(), threading.Event()

    def kill_at_the_third(environ, start_response):
        if environ["REQUEST_METHOD"] != "POST" or not environ["PATH_INFO"].startswith(JOBS):
            return respond(environ, start_response)
        with one_by_one:
            if len(made) == 3 and not resumed.is_set():  # it was in flight, and never arrived
                start_response("503 Service Unavailable", [])
                return [b""]
            answer = respond(environ, start_response)
            made.append(environ["PATH_INFO"])
            if len(made) == 3:
                process.send_signal(signal.SIGKILL)
            return answer

    monkeypatch.setattr(service, "answer", kill_at_the_third)
    process = adsctl.popen(*words)
    assert process.communicate() and process.returncode == -signal.SIGKILL
    settle_after_kill(service)
    resumed.set()
    again = re.search(r"(\d+) jobs found again", adsctl(*words).stderr)
    assert again and 3 <= int(again[1]) < 7  # a request of the killed process may arrive late
    assert len(made) == len(jobs(adsctl)) == 7
    adsctl("stats", "export", "again.csv", *words[3:-1])
    assert (adsctl.home / "o.csv").read_text() == (adsctl.home / "again.csv").read_text()


def test_a_job_of_another_question_or_an_earlier_export_is_left_alone(stats, service, noon):
    words = ("--since", "2026-06-01", "--until", "2026-06-03", *ALL)
    stats.adsctl("stats", "export", *words, "-o", "none")
    noon.shift(3600)
    service.fail(f"POST {JOBS}* status=500")
    stats.adsctl("stats", "export", *words, "-o", "none", "--max-attempts", "1", code=8)
    service.fail()
    for other in ("--placement", "TREND"), ("--segment-by", "AGE"):
        stats.adsctl("stats", "export", *words, *other, "-o", "none")
    before = jobs(stats.adsctl)
    done = stats.adsctl("stats", "export", *words, "-o", "none", "--resume")
    assert "resumed" in done.stderr and "found again" not in done.stderr
    assert len(jobs(stats.adsctl) - before) == 1


MADE = {
    "start_time": "2026-06-01T00:00:00Z",
    "end_time": "2026-06-03T00:00:00Z",
    "entity_ids": ["8wku2", "8wku3"],
    "granularity": "DAY",
    "metric_groups": ["ENGAGEMENT", "BILLING"],
    "placement": "ALL_ON_PLATFORM",
    "entity": "CAMPAIGN",
    "segmentation_type": "METROS",
    "country": "96683cc9126741d1",
    "platform": "1",
}
OTHER = {name: ["other"] if isinstance(value, list) else f"{value}1" for name, value in MADE.items()}
OTHER |= {"start_time": "2026-06-02T00:00:00Z", "end_time": "2026-06-04T00:00:00Z"}


def matching_jobs(params: dict, **answered: object) -> dict[int, str]:
    """Find the job of the only part, which has these parameters, where the service has one of MADE."""
    job = {"id_str": "17", "status": "PROCESSING", "created_at": "2026-06-17T12:30:00Z", **MADE, **answered}
    client = SimpleNamespace(pages=lambda request: [SimpleNamespace(records=[job])])
    return find_orphaned_jobs(client, "acc", {0: params}, datetime(2026, 6, 17, 12, 30, tzinfo=UTC), ())


@pytest.mark.parametrize("name", [name for name in CreateJob.__struct_fields__ if name != "account_id"])
def test_a_job_that_differs_in_any_parameter_is_not_found(name):
    """A new parameter is to be added to MADE."""
    assert matching_jobs(MADE | {"account_id": "acc"}) == {0: "17"}
    assert matching_jobs(MADE | {name: OTHER[name]}) == {}
    assert all(matching_jobs(MADE, **{name: wrong}) == {} for wrong in (None, 5, {}, [], "x"))


def test_a_job_is_found_whose_lists_have_another_order_and_times_another_form():
    answered = {"entity_ids": ["8wku3", "8wku2"], "start_time": "2026-06-01T02:00:00+02:00"}
    assert matching_jobs(MADE, **answered) == {0: "17"}
