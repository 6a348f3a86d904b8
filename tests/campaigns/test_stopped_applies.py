"""Runs of `campaigns apply` that are killed, lose answers or are refused: nothing is created twice."""

import json
from threading import Barrier

import pytest

from ads_cli.client.transport import Sender
from tests.campaigns.files import COUNTRIES, apply, document, plan, short, spring
from tests.campaigns.kills import KilledError, Moment, alternately, killed_at, run_until_it_ends
from tests.emulator.seeded import CARD, SUMMER


def check_killed_runs(adsctl, winter: str, monkeypatch, moment: Moment) -> None:
    before = document(adsctl)
    kills = run_until_it_ends(monkeypatch, lambda: apply(adsctl, winter, "--resume"), moment)
    assert 3 < kills < 40
    assert plan(adsctl, COUNTRIES, code=0) == []
    after = document(adsctl)
    assert len(after["campaigns"]) == len(before["campaigns"]) + 3
    new = [record for record in after["campaigns"] if record["name"] in ("Winter Germany", "Winter Austria")]
    assert len(new) == 2
    for record in new:
        (line_item,) = record["line_items"]
        assert len(line_item["targeting"]) == 3 and len(line_item["ads"]) == 2


def test_a_run_killed_at_any_request_is_resumed_and_creates_nothing_twice(
    adsctl, service, winter, monkeypatch
):
    check_killed_runs(adsctl, winter, monkeypatch, alternately())


def test_an_apply_that_was_stopped_is_a_job_until_it_is_resumed(adsctl, service, winter, monkeypatch):
    def jobs() -> list[dict]:
        return json.loads(adsctl("-q", "jobs", "list", "-o", "json").stdout)

    service.fail("POST */line_items reset-after times=1")
    apply(adsctl, winter, code=8)
    (job,) = jobs()
    about = {name: job[name] for name in ("state", "action", "noun", "file", "target")}
    assert about == {
        "state": "unfinished",
        "action": "apply",
        "noun": "changes",
        "file": "winter.yaml",
        "target": "18ce54d4x5t",
    }
    assert 0 < job["sent"] < job["rows"]
    shown = json.loads(adsctl("-q", "jobs", "show", job["job"], "-o", "json").stdout)
    assert "campaigns apply winter.yaml" in shown["resume"] and shown["resume"].endswith("--resume")
    with killed_at(monkeypatch, lambda _: "before"), pytest.raises(KilledError):
        apply(adsctl, winter, "--resume")
    assert [record["state"] for record in jobs()] == ["unfinished"], "the later run stands for both"
    apply(adsctl, winter, "--resume")
    (ended,) = jobs()
    assert (ended["state"], ended["sent"]) == ("ended", ended["rows"])


def test_what_was_created_with_a_lost_answer_is_found_and_not_created_again(adsctl, service, winter):
    for route in ("batch/accounts/*/campaigns", "batch/accounts/*/line_items", "*/promoted_posts"):
        service.fail(f"POST /12/{route} reset-after times=1")
        assert "--resume" in apply(adsctl, winter, "--resume", code=8).stderr
    apply(adsctl, winter, "--resume")
    assert plan(adsctl, COUNTRIES, code=0) == []
    names = [record["name"] for record in document(adsctl)["campaigns"]]
    assert len(names) == len({*names})


MANY = {
    "campaigns": [
        {"name": f"New {number}", "funding_instrument_id": CARD, "daily_budget": 5} for number in range(100)
    ]
}


def test_batches_of_one_level_are_sent_at_once(adsctl, service, monkeypatch):
    send, all_there = Sender.send, Barrier(3)

    def together(self, prepared, *args, **options):
        if prepared.method == "POST":
            all_there.wait(30)
        return send(self, prepared, *args, **options)

    monkeypatch.setattr(Sender, "send", together)
    apply(adsctl, MANY)
    monkeypatch.setattr(Sender, "send", send)
    assert plan(adsctl, MANY, code=0) == []


@pytest.mark.parametrize("times", [1, 2])
def test_a_lost_answer_among_batches_that_are_sent_at_once_creates_nothing_twice(adsctl, service, times):
    service.fail(f"POST /12/batch/accounts/*/campaigns reset-after times={times}")
    apply(adsctl, MANY, code=8)
    service.fail()  # where the first loss stopped the run before a second batch was sent
    apply(adsctl, MANY, "--resume")
    names = [record["name"] for record in document(adsctl)["campaigns"] if record["name"].startswith("New ")]
    assert len(names) == len({*names}) == 100


def test_records_of_one_name_are_told_apart_by_keys_after_a_lost_answer(adsctl, service):
    twins = {
        "campaigns": [
            {"key": key, "name": "Twin", "funding_instrument_id": CARD, "daily_budget": budget}
            for key, budget in (("a", 1), ("b", 2))
        ]
    }
    service.fail("POST /12/batch/accounts/*/campaigns reset-after times=1")
    apply(adsctl, twins, code=8)
    apply(adsctl, twins)
    made = [record for record in document(adsctl)["campaigns"] if record["name"] == "Twin"]
    assert sorted(record["daily_budget"] for record in made) == ["1.00", "2.00"]
    twins["campaigns"][0]["name"] = "Twin no longer"
    assert [change["action"] for change in plan(adsctl, twins)] == ["update"]


def test_what_the_service_refuses_is_told_with_its_path_and_the_rest_is_applied(adsctl, service):
    file = {
        "campaigns": [
            {"name": "Good", "funding_instrument_id": CARD, "daily_budget": 5},
            {
                "name": "Bad",
                "funding_instrument_id": "4a1n7",
                "daily_budget": 5,
                "line_items": [
                    {
                        "name": "Never",
                        "objective": "REACH",
                        "product_type": "PROMOTED_POSTS",
                        "placements": ["ALL_ON_PLATFORM"],
                        "start_time": "2031-01-01",
                    }
                ],
            },
        ]
    }
    message = apply(adsctl, file, code=9).stderr
    assert "campaigns[1] (create campaign Bad)" in message and "4a1n7" in message
    assert short(plan(adsctl, file)) == [("create", "campaign"), ("create", "line_item")]


def replacing(adsctl) -> dict:
    file, campaign = spring(adsctl)
    item = next(record for record in campaign["line_items"] if record["id"] == SUMMER)
    item["placements"] = ["PLATFORM_TIMELINE"]
    return file


def check_killed_replacement(adsctl, monkeypatch, moment: Moment) -> None:
    file = replacing(adsctl)
    names = sorted(record["name"] for record in file["campaigns"][0]["line_items"])
    run = ("--replace", "--resume")
    kills = run_until_it_ends(monkeypatch, lambda: apply(adsctl, file, *run), moment)
    items = spring(adsctl)[1]["line_items"]
    assert 3 <= kills < 40 and sorted(record["name"] for record in items) == names
    assert plan(adsctl, file, "--replace", "--prune", code=0) == plan(adsctl, file, code=0) == []


def test_a_replacement_is_made_once_and_the_file_stays_what_it_is(adsctl, service, monkeypatch):
    check_killed_replacement(adsctl, monkeypatch, alternately())


def test_what_is_replaced_stays_until_its_replacement_is_whole(adsctl, service):
    file = replacing(adsctl)
    service.fail("POST */promoted_posts status=400")
    assert "create ad post" in apply(adsctl, file, "--replace", code=9).stderr
    old = next(record for record in spring(adsctl)[1]["line_items"] if record["id"] == SUMMER)
    assert old["targeting"] and old["ads"]
    service.fail()
    apply(adsctl, file, "--replace")
    assert SUMMER not in {record["id"] for record in spring(adsctl)[1]["line_items"]}
    assert plan(adsctl, file, "--prune", code=0) == []


def test_what_cannot_be_changed_is_refused_or_replaced(adsctl, service):
    file, campaign = spring(adsctl)
    item = next(record for record in campaign["line_items"] if record["id"] == SUMMER)
    item["placements"] = ["PLATFORM_TIMELINE"]
    message = adsctl("campaigns", "plan", "-", input=json.dumps(file), code=3).stderr
    assert "placements: cannot be changed" in message and SUMMER in message and "--replace" in message
    changes = short(plan(adsctl, file, "--replace"))
    assert ("delete", "line_item") in changes and ("create", "line_item") in changes
    apply(adsctl, file, "--replace")
    names = {record["name"]: record for record in spring(adsctl)[1]["line_items"]}
    assert names[item["name"]]["placements"] == ["PLATFORM_TIMELINE"] and len(names) == 2
