"""A plan of campaigns that was stored: what it shows is carried out, and nothing else."""

import json

import pytest

from ads_cli.campaigns.stored_plan import VOLATILE
from tests.campaigns.files import DIFFERENCES, apply, document, pull, spring
from tests.campaigns.kills import KilledError, at_second_change, killed_at
from tests.effort import every
from tests.emulator.seeded import CARD, HAMBURG, KNITTERS, REACH, SPRING


def test_a_stored_plan_that_is_damaged_is_not_carried_out(adsctl, service, winter):
    adsctl("campaigns", "plan", winter, "--out", "winter.plan", code=DIFFERENCES)
    path = adsctl.home / "winter.plan"
    stored = json.loads(path.read_text())
    for change in (
        {"content": 5},
        {"changes": [3]},
        {"options": {}},
        {"seen": []},
        {"folder": None},
        {"adsctl_plan": 2},
    ):
        path.write_text(json.dumps(stored | change))
        message = adsctl("campaigns", "apply", "winter.plan", "--yes", code=3).stderr
        assert "winter.plan: is not a plan that this version reads" in message, change


def test_a_stored_plan_is_carried_out_unless_what_it_touches_has_changed(adsctl, service):
    file, campaign = spring(adsctl)
    campaign["daily_budget"] = "61"
    (adsctl.home / "spring.json").write_text(json.dumps(file))
    adsctl("campaigns", "plan", "spring.json", "--out", "spring.plan", code=DIFFERENCES)
    assert (adsctl.home / "spring.plan").read_bytes().startswith(b'{"adsctl_plan": 1')
    adsctl("campaigns", "update", SPRING, "--name", "Spring 2")
    assert "has changed" in apply(adsctl, "spring.plan", code=12).stderr
    adsctl("campaigns", "plan", "spring.json", "--out", "spring.plan", code=DIFFERENCES)
    (adsctl.home / "spring.json").unlink()
    apply(adsctl, "spring.plan")
    assert spring(adsctl)[1]["daily_budget"] == "61.00"


def test_a_stored_plan_leaves_what_it_does_not_touch_as_it_is(adsctl, service):
    campaigns = [{"id": SPRING, "daily_budget": "61"}, {"id": HAMBURG, "name": "Hamburg knows us"}]
    (adsctl.home / "two.json").write_text(json.dumps({"campaigns": campaigns}))
    adsctl("campaigns", "plan", "two.json", "--out", "two.plan", code=DIFFERENCES)
    adsctl("campaigns", "update", HAMBURG, "--name", "Hamburg")
    message = apply(adsctl, "two.plan").stderr
    assert "1 difference in campaigns that the plan does not touch: left as it is" in message
    (change,) = json.loads(adsctl("campaigns", "plan", "two.json", "-o", "json", code=DIFFERENCES).stdout)
    assert change["id"] == HAMBURG and change["before"] == {"name": "Hamburg"}


def test_a_stored_plan_touches_what_its_new_records_lie_in(adsctl, service):
    item = {"name": "New", "objective": "REACH", "product_type": "PROMOTED_POSTS"}
    item |= {"placements": ["ALL_ON_PLATFORM"], "bid_strategy": "AUTO", "start_time": "2031-12-01"}
    file = {"campaigns": [{"id": HAMBURG, "line_items": [item]}]}
    (adsctl.home / "new.json").write_text(json.dumps(file))
    adsctl("campaigns", "plan", "new.json", "--out", "new.plan", code=DIFFERENCES)
    adsctl("campaigns", "update", HAMBURG, "--daily-budget", "90")
    assert "has changed" in apply(adsctl, "new.plan", code=12).stderr


def test_a_stored_plan_with_prune_deletes_nothing_that_was_made_since(adsctl, service):
    adsctl("campaigns", "pull", "all.yaml")
    text = (adsctl.home / "all.yaml").read_text().replace("name: Hamburg knows us", "name: Hamburg")
    (adsctl.home / "all.yaml").write_text(text)
    adsctl("campaigns", "plan", "all.yaml", "--prune", "--out", "all.plan", code=DIFFERENCES)
    made = ("--name", "Made since", "--funding-instrument-id", "4a1n0", "--daily-budget", "5")
    id = adsctl("campaigns", "create", *made, "-o", "ids").stdout.strip()
    apply(adsctl, "all.plan")
    assert json.loads(adsctl("campaigns", "get", id, "-o", "json").stdout)["deleted"] is False
    assert json.loads(adsctl("campaigns", "get", HAMBURG, "-o", "json").stdout)["name"] == "Hamburg"


def test_a_stored_plan_does_not_mind_what_follows_from_other_records(adsctl, service):
    file = adsctl.file("one.json", json.dumps({"campaigns": [{"id": HAMBURG, "daily_budget": "81"}]}))
    before = json.loads(adsctl("campaigns", "get", HAMBURG, "-o", "json").stdout)
    adsctl("campaigns", "plan", file, "--out", "one.plan", code=DIFFERENCES)
    adsctl("line-items", "update", REACH, "--entity-status", "PAUSED")
    after = json.loads(adsctl("campaigns", "get", HAMBURG, "-o", "json").stdout)
    assert {name for name in after if after[name] != before[name]} == {*VOLATILE}
    apply(adsctl, "one.plan")


def test_a_stored_plan_that_was_stopped_deletes_only_what_it_names(adsctl, service, monkeypatch):
    file = document(adsctl)
    (gone,) = [record for record in file["campaigns"] if record["id"] == KNITTERS]
    file["campaigns"].remove(gone)
    adsctl(
        "campaigns",
        "plan",
        adsctl.file("all.json", json.dumps(file)),
        "--prune",
        "--out",
        "all.plan",
        code=10,
    )
    words = ("all.plan", "--max-delete", "100%")
    with pytest.raises(KilledError), killed_at(monkeypatch, at_second_change("before")):
        apply(adsctl, *words)
    made = ("--name", gone["name"], "--funding-instrument-id", CARD, "--daily-budget", "5")
    id = adsctl("campaigns", "create", *made, "-o", "ids").stdout.strip()
    apply(adsctl, *words)
    assert [record["id"] for record in document(adsctl)["campaigns"] if record["name"] == gone["name"]] == [
        id
    ]


def test_a_stored_plan_that_was_stopped_keeps_what_was_changed_by_hand_since(adsctl, service):
    campaigns = [{"id": SPRING, "daily_budget": "70"}, {"id": KNITTERS, "daily_budget": "16"}]
    file = adsctl.file("two.json", json.dumps({"campaigns": campaigns}))
    adsctl("campaigns", "plan", file, "--out", "two.plan", code=DIFFERENCES)
    service.fail("POST */batch/*/campaigns status=400 times=1")
    apply(adsctl, "two.plan", code=6)
    adsctl("campaigns", "update", SPRING, "--daily-budget", "20")
    assert "has changed since the plan was made" in apply(adsctl, "two.plan", code=12).stderr
    assert spring(adsctl)[1]["daily_budget"] == "20.00"
    adsctl("campaigns", "update", SPRING, "--daily-budget", "60", "--yes")
    apply(adsctl, "two.plan")
    assert spring(adsctl)[1]["daily_budget"] == "70.00"


def test_a_stored_plan_that_was_stopped_activates_what_it_has_created(adsctl, service, monkeypatch):
    solo = {"name": "Solo", "funding_instrument_id": CARD, "daily_budget": "5", "entity_status": "ACTIVE"}
    file = adsctl.file("solo.json", json.dumps({"campaigns": [solo]}))
    adsctl("campaigns", "plan", file, "--out", "solo.plan", code=DIFFERENCES)
    with pytest.raises(KilledError), killed_at(monkeypatch, at_second_change("before")):
        apply(adsctl, "solo.plan")
    apply(adsctl, "solo.plan")
    (made,) = [record for record in document(adsctl)["campaigns"] if record["name"] == "Solo"]
    assert made["entity_status"] == "ACTIVE"


def test_a_stored_plan_that_was_stopped_keeps_a_cut_of_what_it_has_created(adsctl, service, monkeypatch):
    solo = {"name": "Solo", "funding_instrument_id": CARD, "daily_budget": "5", "entity_status": "ACTIVE"}
    file = adsctl.file("solo.json", json.dumps({"campaigns": [solo]}))
    adsctl("campaigns", "plan", file, "--out", "solo.plan", code=DIFFERENCES)
    with pytest.raises(KilledError), killed_at(monkeypatch, at_second_change("before")):
        apply(adsctl, "solo.plan")
    (made,) = [record for record in document(adsctl)["campaigns"] if record["name"] == "Solo"]
    adsctl("campaigns", "update", made["id"], "--daily-budget", "1")
    assert "has changed since the plan was made" in apply(adsctl, "solo.plan", code=12).stderr


@pytest.mark.parametrize("moment", [lambda number: "before", at_second_change("before")])
def test_a_stored_plan_that_was_stopped_spends_what_it_has_shown(
    adsctl, service, winter, monkeypatch, moment
):
    adsctl("campaigns", "plan", winter, "--out", "winter.plan", code=DIFFERENCES)
    with pytest.raises(KilledError), killed_at(monkeypatch, moment):
        apply(adsctl, "winter.plan")
    rows = (adsctl.home / "markets.csv").read_text()
    (adsctl.home / "markets.csv").write_text(rows.replace(",12.50", ",1250"))
    assert "has changed since the plan was made" in apply(adsctl, "winter.plan", "--resume", code=12).stderr
    (adsctl.home / "markets.csv").write_text(rows)
    apply(adsctl, "winter.plan", "--resume")
    budgets = {record["name"]: record["daily_budget"] for record in document(adsctl)["campaigns"]}
    assert (budgets["Winter Austria"], budgets["Solo"]) == ("12.50", "5.00")


@pytest.mark.parametrize("encoding", every(2, ["utf-16-be", "utf-8", "utf-8-sig", "utf-16"]))
def test_a_file_of_any_encoding_that_yaml_allows_is_stored_as_a_plan_and_gets_ids(adsctl, service, encoding):
    snow = {"name": "Schnee ❄", "funding_instrument_id": CARD, "daily_budget": "5"}
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    text = mark + json.dumps({"campaigns": [snow]}, ensure_ascii=False)
    file = adsctl.file("snow.json", text.encode(encoding))
    adsctl("campaigns", "plan", file, "--out", "snow.plan", code=DIFFERENCES)
    apply(adsctl, "snow.plan")
    assert "1 id written" in apply(adsctl, str(file), "--write-ids").stderr
    written = file.read_bytes()
    assert written[:2] == text.encode(encoding)[:2], "the encoding is that of the file"
    assert json.loads(written.decode(encoding).removeprefix(mark))["campaigns"][0]["id"] in pull(adsctl)
