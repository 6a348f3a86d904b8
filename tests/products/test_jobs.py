"""Jobs: listed, named, cleaned away, and never two of the same at once."""

import json
import signal
from collections import Counter

from tests.conftest import feed
from tests.products.stopping import list_jobs, run, stop_at

ROWS, BATCHES = 125, 5


def test_a_job_can_be_named(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 4, signal.SIGKILL, "--concurrency", "1")
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["state"] == "unfinished" and job["target"]
    assert job["acknowledged"] == 4 and job["batches"] == BATCHES
    assert (
        "job 'nope' does not exist" in adsctl("products", "push", "feed.csv", "--job", "nope", code=5).stderr
    )
    assert "job 'nope' does not exist" in adsctl("jobs", "show", "nope", code=5).stderr
    adsctl("products", "push", "feed.csv", "--job", job["job"])
    assert "has ended" in adsctl("products", "push", "feed.csv", "--job", job["job"], code=2).stderr
    shown = json.loads(adsctl("jobs", "show", job["job"], "-o", "json").stdout)
    assert shown["state"] == "ended" and sum(shown["counts"].values()) == ROWS
    adsctl("jobs", "clean")
    assert json.loads(adsctl("jobs", "list", "-o", "json").stdout) == []
    assert not [*(adsctl.home / "state" / "locks").glob("job-*")]


def test_one_id_is_in_the_log_the_store_and_the_summary(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    words = ("products", "push", "feed.csv", "-o", "json", "--log-file", "log.jsonl")

    def logged() -> list[dict]:
        return [json.loads(line) for line in (adsctl.home / "log.jsonl").read_text().splitlines()]

    stop_at(adsctl, service, 4, signal.SIGTERM, *words[5:])
    first = logged()
    (run,) = {line["run"] for line in first}
    assert (adsctl.home / "log.jsonl").stat().st_mode & 0o777 == 0o644
    assert first[0]["event"] == "begun" and "stopped" in {line["event"] for line in first}
    assert {line["job"] for line in first} == {run}
    assert list_jobs(adsctl) == [run]
    shown = adsctl("jobs", "show", run, "-o", "json")
    resume = f"cd {adsctl.home} && adsctl products push feed.csv -o json --log-file log.jsonl --resume"
    assert json.loads(shown.stdout)["resume"] == resume and f"resume it with: {resume}" in shown.stderr
    summary = json.loads(adsctl(*words, "--resume").stdout)
    second = logged()[len(first) :]
    assert summary["job"] == run and {line["job"] for line in second} == {run}
    assert len({line["run"] for line in second} | {run}) == 2  # the same job, in a run of its own
    assert second[0]["event"] == "resumed" and second[-1] == second[-1] | {
        "event": "ended",
        "summary": summary,
    }


def test_cleaning_unfinished_jobs_is_confirmed_and_keeps_a_running_push(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    said = []

    def before(number: int) -> None:
        if number == 3:
            said.append(run(adsctl, "jobs", "clean", "--all", "--yes")[1])

    service.before = before
    adsctl("products", "push", "feed.csv", "--concurrency", "1")
    assert "0 jobs removed" in said[0] and "1 job is still running, and is kept" in said[0]
    stop_at(adsctl, service, BATCHES + 4, signal.SIGKILL)
    assert "1 unfinished job" in adsctl("jobs", "clean", "--all", code=12).stderr
    assert len(json.loads(adsctl("jobs", "list", "-o", "json").stdout)) == 2
    assert "would remove 2 jobs" in adsctl("jobs", "clean", "--all", "--dry-run").stderr
    assert "2 jobs removed" in adsctl("jobs", "clean", "--all", "--yes").stderr
    assert json.loads(adsctl("jobs", "list", "-o", "json").stdout) == []


def test_a_new_push_mentions_the_unfinished_one(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 4, signal.SIGKILL, "--concurrency", "1")
    assert "--resume" in adsctl("products", "push", "feed.csv").stderr


def test_a_second_run_of_the_same_push_exits_with_11(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    second = []

    def before(number: int) -> None:
        if number == 3:
            second.append(run(adsctl, "products", "push", "feed.csv"))

    service.before = before
    adsctl("products", "push", "feed.csv", "--concurrency", "1")
    ((code, said),) = second
    assert code == 11 and "another run is pushing the same feed.csv" in said
    assert Counter(map(tuple, service.puts)).most_common(1)[0][1] == 1
