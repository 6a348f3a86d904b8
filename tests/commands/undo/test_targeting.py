"""Targeting that was changed is as it was: what was deleted is created again, and what was added deleted."""

import json
import sqlite3
from contextlib import closing

import pytest

from ads_cli.api.endpoint import BatchEndpoint
from ads_cli.store import close_stores
from tests.commands.undo.test_every_update import records_of

ITEM = "9d4c1"


def targeting(adsctl, *items):
    """Return what line items target, without ids."""
    listed = adsctl.local("targeting", "list", "--line-items", ",".join(items or (ITEM,)), "-o", "json")
    names = ("line_item_id", "targeting_type", "operator_type", "targeting_value")
    return sorted(tuple(record[name] for name in names) for record in json.loads(listed.stdout))


def ids(adsctl):
    listed = adsctl.local("targeting", "list", "--line-items", ITEM, "-o", "json")
    return [record["id"] for record in json.loads(listed.stdout)]


def changes(adsctl):
    return json.loads(adsctl("changes", "list", "-o", "json").stdout)


def undo(adsctl, *words, code=0):
    done = adsctl.local("changes", "undo", *words, "--yes", "-o", "json", code=code)
    return json.loads(done.stdout or "[]")


def batch(adsctl, *records, verb="add"):
    adsctl.file("criteria.json", json.dumps(records))
    adsctl.local("targeting", verb, "-f", "criteria.json", "--yes")


def keyword(text):
    return {"line_item_id": ITEM, "targeting_type": "BROAD_KEYWORD", "targeting_value": text}


def test_a_deletion_has_stored_what_it_deleted_however_it_was_sent(adsctl):
    first, second, third = ids(adsctl)[:3]
    before = {
        record["id"]: record
        for record in json.loads(adsctl.local("targeting", "list", "--line-items", ITEM, "-o", "json").stdout)
    }
    adsctl.local("targeting", "delete", first, "--yes")
    adsctl.local("api", "DELETE", f"/12/accounts/18ce54d4x5t/targeting_criteria/{second}", "--yes")
    batch(adsctl, {"targeting_criterion_id": third}, verb="delete")
    logged = changes(adsctl)
    for id, change in zip((first, second, third), logged, strict=True):
        names = ("line_item_id", "targeting_type", "operator_type", "targeting_value")
        assert change["before"] == {name: before[id][name] for name in names}


def test_a_batch_of_deletions_asks_once_for_what_a_line_item_has(adsctl, service):
    own = ids(service and adsctl)
    batch(adsctl, *({"targeting_criterion_id": id} for id in own), verb="delete")
    (change,) = changes(adsctl)
    assert len(change["before"]) == len(own) and all(change["before"])


def test_deleted_criteria_are_created_again_and_that_can_be_undone(adsctl):
    before = targeting(adsctl)
    batch(adsctl, *({"targeting_criterion_id": id} for id in ids(adsctl)), verb="delete")
    assert targeting(adsctl) == []
    undone = undo(adsctl, "--since", "1h")
    assert {(record["action"], record["state"]) for record in undone} == {("create", "undone")}
    assert targeting(adsctl) == before
    undo(adsctl, changes(adsctl)[-1]["id"])
    assert targeting(adsctl) == []
    undo(adsctl, changes(adsctl)[-1]["id"])
    assert targeting(adsctl) == before


def test_all_changes_at_once_leave_what_was_there_before_the_first(adsctl):
    before = targeting(adsctl)
    adsctl.local("targeting", "delete", ids(adsctl)[0], "--yes")
    batch(adsctl, keyword("mug"), keyword("cup"))
    undo(adsctl, changes(adsctl)[0]["id"])
    batch(adsctl, *({"targeting_criterion_id": id} for id in ids(adsctl)[:2]), verb="delete")
    undo(adsctl, "--since", "1h")
    assert targeting(adsctl) == before
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", code=12)
    assert "it is there already" in done.stderr and "it is gone already" in done.stderr


def test_a_batch_of_creations_larger_than_the_log_keeps_is_deleted_again(adsctl, monkeypatch):
    monkeypatch.setattr("ads_cli.console.logged_changes.MAX_BYTES", 20)
    before = targeting(adsctl)
    batch(adsctl, keyword("mug"), keyword("cup"))
    undo(adsctl, "--since", "1h")
    assert targeting(adsctl) == before


def test_what_stands_in_each_others_way_is_replaced_by_one_request(adsctl, writes):
    before = targeting(adsctl)
    listed = adsctl.local("targeting", "list", "--line-items", ITEM, "-o", "json")
    (age,) = [record for record in json.loads(listed.stdout) if record["targeting_type"] == "AGE"]
    adsctl.local("targeting", "delete", age["id"], "--yes")
    batch(adsctl, {"line_item_id": ITEM, "targeting_type": "AGE", "targeting_value": "AGE_25_TO_49"})
    writes.clear()
    undo(adsctl, "--since", "1h")
    assert targeting(adsctl) == before and len(writes) == 1
    undo(adsctl, changes(adsctl)[-1]["id"])
    assert [own[3] for own in targeting(adsctl) if own[1] == "AGE"] == ["AGE_25_TO_49"]
    undo(adsctl, changes(adsctl)[-1]["id"])
    assert targeting(adsctl) == before


def test_a_line_item_is_left_whole_where_the_service_refuses_a_criterion(adsctl, service):
    batch_of = [keyword("mug"), keyword("cup")]
    adsctl.file("criteria.json", json.dumps(batch_of))
    adsctl("targeting", "add", "-f", "criteria.json")
    adsctl("line-items", "pause", ITEM)
    adsctl("line-items", "update", "9d4c2", "--name", "Other")
    made, paused, renamed = changes(adsctl)
    for id in made["ids"]:
        adsctl("targeting", "delete", id, "--yes")
    gone = changes(adsctl)[-2:]
    service.fail("POST */batch/*/targeting_criteria status=400")
    words = [change["id"] for change in (*gone, paused, renamed)]
    done = adsctl("changes", "undo", *words, "--yes", "-o", "json", code=9)
    states = {record["id"]: record["state"] for record in json.loads(done.stdout)}
    assert all(states[id].startswith("refused: ") for id in made["ids"])
    assert states["9d4c2"] == "undone" and f"{ITEM}: its targeting was not taken back" in done.stderr
    # What would reach other people than before is not activated.
    assert states[ITEM].startswith("refused: its targeting was not taken back")
    item = json.loads(adsctl("line-items", "get", ITEM, "-o", "json").stdout)
    assert item["entity_status"] == "PAUSED"


def test_a_value_that_somebody_has_added_since_is_left(adsctl):
    batch(adsctl, keyword("mug"))
    (made,) = changes(adsctl)
    adsctl.local("targeting", "delete", made["ids"][0], "--yes")
    batch(adsctl, keyword("mug"))
    done = adsctl.local("changes", "undo", made["id"], "--yes", code=12)
    assert "says the same, and was not added by it" in done.stderr


def test_a_criterion_of_a_line_item_that_is_gone_is_said(adsctl):
    batch(adsctl, keyword("mug"))
    adsctl.local("targeting", "delete", changes(adsctl)[0]["ids"][0], "--yes")
    adsctl.local("line-items", "delete", ITEM, "--yes")
    (undone,) = undo(adsctl, changes(adsctl)[1]["id"], code=9)
    assert undone["state"].startswith(f"refused: line_item_id: the line item {ITEM} does not exist")


def test_a_value_that_the_log_does_not_keep_is_said(adsctl):
    batch(adsctl, keyword("+49 170 1234567"))
    adsctl.local("targeting", "delete", changes(adsctl)[0]["ids"][0], "--yes")
    done = adsctl.local("changes", "undo", changes(adsctl)[1]["id"], "--yes", code=12)
    assert "the log does not keep such values" in done.stderr


def test_what_takes_several_requests_never_leaves_a_line_item_without_targeting(adsctl, monkeypatch):
    from ads_cli.commands.undo import targeting as undoing

    before = targeting(adsctl)
    batch(adsctl, *({"targeting_criterion_id": id} for id in ids(adsctl)), verb="delete")
    batch(
        adsctl,
        {"line_item_id": ITEM, "targeting_type": "AGE", "targeting_value": "AGE_25_TO_49"},
        *map(keyword, "abcdefg"),
    )
    left, send = [], undoing._send

    def counted(call, prepared):
        send(call, prepared)
        stored = records_of(adsctl).items()
        own = [data for (kind, _), (deleted, data) in stored if kind == "targeting_criterion" and not deleted]
        left.append(sum(data["line_item_id"] == ITEM for data in own))

    monkeypatch.setattr(undoing, "_send", counted)
    monkeypatch.setattr(undoing, "BATCH", BatchEndpoint("", 3))
    undo(adsctl, "--since", "1h")
    assert targeting(adsctl) == before
    assert len(left) > 3 and min(left) >= len(before)


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_targeting_is_taken_back_under_the_names_of_each_service(adsctl, service):
    def now():
        listed = json.loads(adsctl("targeting", "list", "--line-items", ITEM, "-o", "json").stdout)
        return sorted((record["targeting_type"], record["targeting_value"]) for record in listed), listed

    before, listed = now()
    adsctl("targeting", "delete", listed[0]["id"], "--yes")
    words = ("--targeting-type", "BROAD_KEYWORD", "--targeting-value", "mug")
    adsctl("targeting", "add", "--line-item", ITEM, *words)
    assert now()[0] != before
    adsctl("changes", "undo", "--since", "1h", "--yes")
    assert now()[0] == before


def test_what_a_file_of_campaigns_has_pruned_is_created_again(adsctl):
    adsctl.local("campaigns", "pull", "account.yaml")
    before, path = targeting(adsctl), adsctl.home / "account.yaml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    pruned = [line for line in lines if "handmade mugs" not in line and "AGE_25_TO_54" not in line]
    path.write_text("".join(pruned), encoding="utf-8")
    adsctl.local("campaigns", "apply", "account.yaml", "--prune", "--yes")
    assert len(targeting(adsctl)) == len(before) - 2
    undo(adsctl, "--since", "1h")
    assert targeting(adsctl) == before


@pytest.mark.parametrize(("time", "is_undone"), [("", True), (", time = '2099-01-01T00:00:00Z'", False)])
def test_what_an_addition_without_an_answer_has_made_is_deleted_and_nothing_older(adsctl, time, is_undone):
    before = targeting(adsctl)
    batch(adsctl, keyword("mug"))
    close_stores()
    with closing(sqlite3.connect(adsctl.home / "state" / "state.db")) as db, db:
        db.execute(f"UPDATE changes SET outcome = NULL, made = '[]'{time}")
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", code=0 if is_undone else 12)
    assert (targeting(adsctl) == before) is is_undone
    assert is_undone or "says the same, and was not added by it" in done.stderr


@pytest.mark.parametrize("how", [(), ("--delete",)], ids=["paused", "deleted"])
def test_a_copy_is_taken_back_with_what_is_in_it(adsctl, how):
    adsctl.local("campaigns", "copy", "8wku2", "8wku3", "--name", "Copy of {name}", "--active", "--yes")
    campaigns = [row["id"] for row in changed(adsctl, "campaigns", "Copy of")]
    items = [row["id"] for row in changed(adsctl, "line-items", "") if row["campaign_id"] in campaigns]
    targeted = targeting(adsctl, *items)
    assert len(campaigns) == 2 and len(items) == 3 and targeted
    code = 0 if how else 9  # ads can only be deleted
    undone = undo(adsctl, "--since", "1h", *how, code=code)
    assert {record["id"] for record in undone if record["state"] == "undone"} >= {*campaigns, *items}
    if how:
        assert not changed(adsctl, "campaigns", "Copy of")
        again = adsctl.local("changes", "undo", "--since", "1h", "--delete", "--yes", code=12).stderr
        assert "it is gone already" in again and "does not exist" not in again
    else:
        assert {row["entity_status"] for row in changed(adsctl, "campaigns", "Copy of")} == {"PAUSED"}
        assert targeting(adsctl, *items) == targeted


def changed(adsctl, group, name):
    listed = json.loads(adsctl.local(group, "list", "-o", "json").stdout)
    return [record for record in listed if record["name"].startswith(name)]
