"""What applies remember is on the disk before its request is sent, or the request is not sent."""

import json
import sqlite3
from contextlib import closing

import pytest

from ads_cli.client.transport import Sender
from ads_cli.store import database
from tests.campaigns.files import DIFFERENCES, apply, document, plan
from tests.emulator.seeded import CARD, SPRING

SNOW = {"name": "Snow", "funding_instrument_id": CARD, "daily_budget": "5"}
FROST = SNOW | {"name": "Frost"}


def names(adsctl) -> list[str]:
    return [record["name"] for record in document(adsctl)["campaigns"]]


def jobs(adsctl) -> list[dict]:
    return json.loads(adsctl("-q", "jobs", "list", "-o", "json").stdout)


def file_of(adsctl, name: str, *campaigns: dict) -> str:
    adsctl.file(name, json.dumps({"campaigns": campaigns}))
    return name


def test_a_creation_that_cannot_be_noted_is_not_sent(adsctl, service, writes, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    send, locked = Sender.send, []

    def locking(self, prepared, *args, **options):
        if prepared.method == "GET" and not locked:
            locked.append(sqlite3.connect(adsctl.home / "state" / database.FILE, isolation_level=None))
            locked[0].execute("BEGIN IMMEDIATE")
        return send(self, prepared, *args, **options)

    apply(adsctl, {"campaigns": [FROST]})
    del writes[:]
    monkeypatch.setattr(Sender, "send", locking)
    assert "locked" in apply(adsctl, {"campaigns": [FROST, SNOW]}, code=11).stderr
    with closing(locked[0]):
        assert writes == []
    apply(adsctl, {"campaigns": [FROST, SNOW]})
    assert names(adsctl).count("Snow") == 1


def test_a_refused_creation_is_not_looked_for(adsctl, service, waits):
    service.fail("POST */campaigns status=400 times=1")
    apply(adsctl, {"campaigns": [SNOW]}, code=6)
    apply(adsctl, {"campaigns": [SNOW]})
    assert waits.total == 0 and names(adsctl).count("Snow") == 1


def test_what_a_run_with_another_file_may_have_created_is_looked_for(adsctl, service, waits):
    service.fail("POST */campaigns reset times=1")
    apply(adsctl, file_of(adsctl, "one.json", SNOW), code=8)
    other = file_of(adsctl, "other.json", SNOW)
    assert "1 record may have been created by a request whose answer was lost" in (
        apply(adsctl, other, code=12).stderr
    )
    apply(adsctl, other, "--resume")
    assert waits.total > 60 and names(adsctl).count("Snow") == 1


def test_a_run_stays_known_until_it_is_certain_what_it_has_created(adsctl, service, waits):
    service.fail("POST */campaigns reset times=1")
    apply(adsctl, file_of(adsctl, "one.json", SNOW), code=8)
    apply(adsctl, file_of(adsctl, "one.json", FROST))
    assert [job["state"] for job in jobs(adsctl)] == ["superseded", "ended"]
    adsctl("jobs", "clean")
    assert [job["state"] for job in jobs(adsctl)] == ["superseded"]
    apply(adsctl, file_of(adsctl, "one.json", SNOW), code=12)
    waits.waited.append(121)
    apply(adsctl, file_of(adsctl, "one.json", FROST))
    assert jobs(adsctl) == []
    apply(adsctl, file_of(adsctl, "one.json", SNOW))
    assert names(adsctl).count("Snow") == 1 and waits.total == 121


def test_the_job_of_an_apply_says_what_it_has_made(adsctl, service):
    apply(adsctl, file_of(adsctl, "one.json", SNOW, {"id": SPRING, "daily_budget": "61"}))
    (job,) = jobs(adsctl)
    shown = json.loads(adsctl("-q", "jobs", "show", job["job"], "-o", "json").stdout)
    assert shown["counts"] == {"created": 1, "updated": 1}
    (id,) = shown["ids"]
    assert json.loads(adsctl("campaigns", "get", id, "-o", "json").stdout)["name"] == "Snow"


def test_an_apply_that_is_given_up_is_compared_again(adsctl, service):
    service.fail("POST */campaigns reset-after times=1")
    file = file_of(adsctl, "one.json", SNOW)
    apply(adsctl, file, code=8)
    (job,) = jobs(adsctl)
    done = adsctl("jobs", "discard", job["job"], "--yes").stderr
    assert "1 uncertain" in done and "the next apply of one.json looks what was created" in done
    assert plan(adsctl, {"campaigns": [SNOW]}, code=0) == []


@pytest.mark.parametrize(
    "words", [("discard",), ("discard", "clean"), ("clean", "--all"), ("clean",)], ids=" ".join
)
def test_what_a_run_that_was_given_up_may_have_created_is_not_created_again(
    adsctl, service, lag, waits, words
):
    service.fail("POST */campaigns reset-after times=1")
    file = file_of(adsctl, "one.json", SNOW)
    apply(adsctl, file, code=8)
    (job,) = jobs(adsctl)
    if words[0] == "discard":
        assert "1 uncertain" in adsctl("jobs", "discard", job["job"], code=12).stderr
        adsctl("jobs", "discard", job["job"], "--yes")
    if words == ("discard", "clean"):
        assert "run this again then" in adsctl("jobs", "clean", job["job"], code=2).stderr
    if "clean" in words:
        adsctl("jobs", *words[words.index("clean") :], "--yes")
    lag("/campaigns", lambda record: record["name"] == "Snow", seconds=60)
    assert "may have been created" in apply(adsctl, file, code=12).stderr
    apply(adsctl, file, "--resume")
    assert waits.total >= 60 and names(adsctl).count("Snow") == 1


def test_a_stored_plan_that_was_refused_in_part_is_applied_again(adsctl, service):
    bad = SNOW | {"name": "Bad", "funding_instrument_id": "4a1n7"}
    file = file_of(adsctl, "two.json", SNOW, bad)
    adsctl("campaigns", "plan", file, "--out", "two.plan", code=DIFFERENCES)
    assert "create campaign Bad" in apply(adsctl, "two.plan", code=9).stderr
    assert [job["state"] for job in jobs(adsctl)] == ["unfinished"]
    assert "create campaign Bad" in apply(adsctl, "two.plan", code=9).stderr
    assert names(adsctl).count("Snow") == 1
