"""A task that is killed at any point of its life is resumed, and each conversion is sent once."""

import json
from collections import Counter

import pytest

from tests.adsctl import ROOT
from tests.conftest import feed
from tests.records.conftest import BatchService
from tests.stored import stored

HEADER = "conversion_time,event_id,email\n"
COUNT = 3
# What a process reads at its start: the task named `late` kills itself at a point of its life.
SITE = """
import importlib, os, signal, sys
if sys.orig_argv[-2:] == ["__task", "late"] and os.environ.get("KILLED_AT"):
    module, owner, name, moment = os.environ["KILLED_AT"].split(":")
    kind = importlib.import_module(f"ads_cli.{module}")
    kind = getattr(kind, owner) if owner else kind
    original = getattr(kind, name)

    def killed(*args, **options):
        if moment == "after":
            original(*args, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(kind, name, killed)
"""
POINTS = (
    "fleet.records:Records:begin:before",
    "fleet.records:Records:begin:after",
    "commands.runs.sending:Sending:read:after",
    "commands.runs.creation::find_earlier:after",
    "store.epochs:WriteEpochs:begin:after",
    "runs.journal:Journal:__init__:after",
    "runs.journal:Journal:finish:before",
    "runs.journal:Journal:finish:after",
    "fleet.records:Records:store:before",
)


def orders(adsctl, name: str, count: int = COUNT) -> None:
    rows = "".join(f"2026-03-01T09:00:00Z,o3f71,{name}{number}@x.de\n" for number in range(count))
    adsctl.file(f"{name}.csv", HEADER + rows)


def task(name: str) -> str:
    return f"{{name: {name}, run: conversions send {name}.csv --pixel o8z6j}}"


@pytest.fixture
def sent(service) -> BatchService:
    return BatchService(service, "/12/measurement/conversions/")


def counted(sent) -> list[int]:
    """How often each conversion was sent, in any order."""
    conversions = [each for body in sent.sent for each in body["conversions"]]
    return sorted(Counter(map(json.dumps, conversions)).values())


@pytest.fixture
def killed(fleet, adsctl, sent):
    """Run a fleet of two tasks, the second of which is killed at a point."""
    (adsctl.home / "site").mkdir()
    adsctl.file("site/sitecustomize.py", SITE)
    for name in ("done", "late"):
        orders(adsctl, name)
    fleet.write(task("done"), task("late"))

    def run(point: str, *options: str) -> list[dict]:
        python = f"{adsctl.home / 'site'}:{ROOT}"
        words = ("fleet", "run", "fleet.yaml", "--parallel", "1", "-o", "json", *options)
        done = adsctl.process(*words, code=8, PYTHONPATH=python, KILLED_AT=point)
        return json.loads(done.stdout)

    return run


@pytest.mark.parametrize("point", POINTS)
def test_a_task_killed_at_any_point_is_resumed_and_sends_each_conversion_once(killed, fleet, sent, point):
    assert [record["status"] for record in killed(point)] == ["ok", "failed"]
    records = fleet("--resume")
    assert [record["status"] for record in records] == ["ok", "ok"]
    assert [record["summary"]["sent"] for record in records] == [COUNT, COUNT]
    fleet("--resume")
    assert counted(sent) == [1] * (2 * COUNT)


def test_a_task_killed_again_and_again_before_its_journal_is_begun_in_the_end(killed, fleet, sent):
    killed("fleet.records:Records:begin:after")
    for point in (
        "commands.runs.creation::find_earlier:after",
        "store.epochs:WriteEpochs:begin:after",
    ):
        killed(point, "--resume")
    assert [record["status"] for record in fleet("--resume")] == ["ok", "ok"]
    assert counted(sent) == [1] * (2 * COUNT)


def test_a_file_that_was_sent_by_hand_before_is_begun_by_the_resume_of_a_task(killed, fleet, adsctl, sent):
    """Only what was sent since the task began is its own."""
    adsctl("conversions", "send", "late.csv", "--pixel", "o8z6j")
    killed("commands.runs.creation::find_earlier:after")
    assert [record["status"] for record in fleet("--resume")] == ["ok", "ok"]
    assert counted(sent) == [1] * COUNT + [2] * COUNT


def test_what_was_resumed_by_hand_is_not_sent_again_by_the_fleet(killed, fleet, adsctl, sent):
    killed("runs.journal:Journal:__init__:after")
    adsctl("conversions", "send", "late.csv", "--pixel", "o8z6j", "--resume")
    assert [record["status"] for record in fleet("--resume")] == ["ok", "ok"]
    assert counted(sent) == [1] * (2 * COUNT)


def test_a_new_run_whose_task_an_unfinished_job_stops_is_resumed_and_sends_the_rest(
    killed, fleet, adsctl, sent
):
    killed("runs.journal:Journal:__init__:after")
    fleet("--only", "late", code=11)
    adsctl("conversions", "send", "late.csv", "--pixel", "o8z6j", "--resume")
    assert fleet("--resume", "--only", "late")[0]["summary"]["sent"] == COUNT
    assert counted(sent) == [1] * (2 * COUNT)


def test_rejected_conversions_are_told_again_and_nothing_is_sent(killed, fleet, adsctl, sent):
    rows = (adsctl.home / "late.csv").read_text()
    adsctl.file("late.csv", rows + "2026-03-01T09:00:00Z,unknown,late@x.de\n")
    killed("runs.journal:Journal:finish:after")
    before = counted(sent)
    for _ in range(2):
        record = fleet("--resume", code=9)[1]
        assert (record["exit_code"], record["summary"]["sent"], record["summary"]["failed"]) == (9, COUNT, 1)
    assert counted(sent) == before


def test_of_a_file_that_grew_since_its_task_sent_it_only_what_is_new_is_sent(killed, fleet, adsctl, sent):
    killed("runs.journal:Journal:finish:before")
    before = counted(sent)
    orders(adsctl, "late", COUNT + 1)
    for _ in range(2):
        fleet("--resume")
    assert counted(sent) == [*before, 1] == [1] * (2 * COUNT + 1)


def test_a_file_that_changed_since_its_task_sent_all_of_it_is_told(killed, fleet, adsctl, sent):
    killed("runs.journal:Journal:finish:after")
    before = counted(sent)
    orders(adsctl, "late", COUNT + 1)
    for _ in range(2):
        error = fleet("--resume", code=11)[1]["error"]
        assert "late.csv has changed since this task sent it" in error["message"]
        assert "adsctl jobs show" in error["hint"]
    assert counted(sent) == before


def test_what_a_task_notes_is_no_file_and_is_removed_with_its_run(killed, fleet, adsctl):
    killed("commands.runs.creation::find_earlier:after")
    fleet("--resume")
    kept = {path.suffix for path in adsctl.home.glob("state/fleet/*/*/*")}
    assert kept <= {".json", ".lock", ".log"}  # as large as a task makes them
    assert stored(adsctl, "SELECT jobs FROM fleet_earlier_jobs ORDER BY stem") == ["[]", "[]"]
    for _ in range(3):
        fleet()
    assert stored(adsctl, "SELECT count(*) FROM fleet_earlier_jobs") == [6]  # of the last three runs


@pytest.mark.parametrize("point", ["fleet.records:Records:begin:after", "fleet.records:Records:store:before"])
@pytest.mark.parametrize(
    "command",
    [
        "products push shop.csv",
        "products sync shop.csv",
        "products update shop.csv",
        "products pull copy.csv",
        "products convert shop.csv copy.jsonl",
        "audiences push people.csv --audience 1nmth",
        "stats export ads.csv --since 2026-01-01 --until 2026-01-02 --all --metrics clicks",
        "stats export --into sqlite:ads.db --since 2026-01-01 --until 2026-01-02 --all --metrics clicks",
    ],
)
def test_every_other_task_killed_before_or_after_its_work_is_resumed(adsctl, fleet, service, point, command):
    (adsctl.home / "site").mkdir()
    adsctl.file("site/sitecustomize.py", SITE)
    adsctl.file("shop.csv", feed(3))
    adsctl.file("people.csv", "email\nana@shop.example\n")
    adsctl("products", "push", "shop.csv")
    fleet.write(f"{{name: late, run: '{command}'}}")
    python = f"{adsctl.home / 'site'}:{ROOT}"
    words = ("fleet", "run", "fleet.yaml", "--yes")
    adsctl.process(*words, code=8, PYTHONPATH=python, KILLED_AT=point)
    assert [record["status"] for record in fleet("--resume", "--yes")] == ["ok"]
