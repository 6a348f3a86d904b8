"""Jobs that were made and not noted, because of a kill between, are found again by what they ask."""

import json
import re
import signal
import threading

import pytest

from ads_cli.emulator.seed import JOB_NUMBER
from tests.products.stopping import settle_after_kill

ALL = ("--entity", "LINE_ITEM", "--all", "--metrics", "impressions")
JOBS = "/12/stats/jobs/"


def jobs(adsctl) -> set[str]:
    listed = json.loads(adsctl("stats", "jobs", "list", "--all", "-o", "json").stdout)
    return {job["id_str"] for job in listed} - {JOB_NUMBER}


@pytest.mark.parametrize("service_name", ["x"])
def test_a_killed_export_makes_no_job_twice(adsctl, service, monkeypatch, service_name):
    entity = ("--entity", "PROMOTED_POST", "--all", "--metrics", "impressions")
    words = (
        "stats",
        "export",
        "o.csv",
        *entity,
        "--since",
        "2024-01-01",
        "--until",
        "2025-09-01",
        "--resume",
    )
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
    found = re.search(r"(\d+) jobs found again", adsctl(*words).stderr)
    assert found and 3 <= int(found[1]) < 7  # a request of the killed process may arrive late
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
