"""`campaigns tree`: drawn for people, a record for each node in every other format."""

import json
import sqlite3
from contextlib import closing

import pytest

from ads_cli.api.names import to_neutral
from ads_cli.emulator.resources import line_items
from tests.emulator.seeded import ADVENT, CARD, CLICKS, FOLLOWERS, KNITTERS, LINE_ITEM_FIELDS, LOOKS, SPRING

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])


def drawn(adsctl, *words: str) -> list[str]:
    child = adsctl.terminal("-p", "local", "-q", "campaigns", "tree", *words, width=80, NO_COLOR="1")
    lines = child.read().replace("\r\n", "\n").splitlines()
    child.close()
    assert child.exitstatus == 0, lines
    return lines


def below(lines: list[str], title: str) -> list[str]:
    """The lines inside the branch of a title, without what draws them."""
    (start,) = [number for number, line in enumerate(lines) if title in line]
    depth = lines[start].index(title)
    inner = []
    for line in lines[start + 1 :]:
        if line[:depth].strip(" │") or line[depth] not in "├└│ ":
            break
        inner.append(line[depth:].lstrip("├└│─ "))
    return inner


def test_a_campaign_is_drawn_with_line_items_targeting_and_creatives(adsctl):
    lines = drawn(adsctl, SPRING)
    assert lines[0].split() == [SPRING, "Spring", "collection", "RUNNING"]
    assert below(lines, SPRING)[0] == "budget  60.00 EUR a day  2,400.00 EUR in total"
    visits = below(lines, CLICKS)
    assert "budget  20.00 EUR a day  500.00 EUR in total" in visits
    assert "LOCATION  Germany, Austria" in visits and "not BROAD_KEYWORD  plastic" in visits
    assert 'post "The mugs of spring are here" (1790415000000000001)  ACTIVE' in visits
    assert "dates  from 2026-03-01 09:00 CET" in visits  # where the account is
    assert max(map(len, lines)) <= 80


def test_all_campaigns_are_drawn_drafts_too(adsctl):
    lines = drawn(adsctl)
    listed = json.loads(adsctl.local("campaigns", "list", "--with-draft", "-o", "json").stdout)
    assert len(listed) > 6
    for campaign in listed:
        assert any(line.startswith(f"{campaign['id']}  {campaign['name']}") for line in lines)
    assert any(LOOKS in line and "DRAFT" in line for line in lines)
    assert any("account 1184672519" in line for line in lines)


@both_services
def test_every_node_is_a_record_with_that_of_the_service(adsctl, service, service_name):
    nodes = json.loads(adsctl("campaigns", "tree", "-o", "json").stdout)
    kinds = {node["kind"] for node in nodes}
    assert kinds >= {"campaign", "line item", "targeting", "post", "account", "media", "scheduled post"}
    ids = {node["id"] for node in nodes}
    assert all(node["parent_id"] in ids for node in nodes if node["kind"] != "campaign")
    line_item = json.loads(adsctl("line-items", "get", FOLLOWERS, "-o", "json").stdout)
    (node,) = [node for node in nodes if node["id"] == FOLLOWERS]
    assert node == {
        "kind": "line item",
        "id": FOLLOWERS,
        "parent_id": KNITTERS,
        "name": "People who knit",
        "status": "PAUSED",
        "why": "",
        "record": line_item,
    }
    post = next(node for node in nodes if node["kind"] == "post")
    assert ("tweet_id" in post["record"]) == (service_name == "x")
    assert post["name"] == to_neutral(post["record"])["post_id"]


def test_the_tree_in_a_pipe_is_one_line_a_record(adsctl):
    lines = adsctl.local("campaigns", "tree", KNITTERS).stdout.splitlines()
    assert lines[0].split("\t") == ["kind", "id", "parent_id", "name", "status", "why"]
    assert lines[1].split("\t") == [
        "campaign",
        KNITTERS,
        "",
        "People who knit",
        "PAUSED",
        "paused, no active line item",
    ]
    shown = adsctl.local("campaigns", "tree", KNITTERS, "-o", "ids").stdout.split()
    assert shown[:2] == [KNITTERS, FOLLOWERS]


def test_a_campaign_that_does_not_exist_ends_with_5(adsctl):
    assert (
        "the campaign nothing does not exist" in adsctl.local("campaigns", "tree", "nothing", code=5).stderr
    )


def test_a_campaign_without_anything_is_drawn(adsctl):
    words = ("--name", "New", "--funding-instrument-id", CARD, "--entity-status", "DRAFT", "-o", "ids")
    new = adsctl.local("campaigns", "create", *words).stdout.strip()
    lines = drawn(adsctl, new)
    assert lines[0] == f"{new}  New  DRAFT" and all("why" in line for line in lines[1:] if "──" in line)


def test_more_line_items_than_one_list_takes_are_all_there(adsctl, service):
    fields = {**line_items.DEFAULTS, **LINE_ITEM_FIELDS, "campaign_id": KNITTERS, "objective": "FOLLOWERS"}
    fields |= {"product_type": "PROMOTED_ACCOUNT", "entity_status": "PAUSED"}
    many = [{"id": f"many{number}", "name": f"n{number}", **fields} for number in range(205)]
    service.emulator.data.add_records("line_item", many)
    nodes = json.loads(adsctl("campaigns", "tree", KNITTERS, "-o", "json").stdout)
    assert {one["id"] for one in many} <= {node["id"] for node in nodes}


def test_names_cannot_draw_over_the_terminal(adsctl):
    adsctl.local("campaigns", "update", SPRING, "--name", "a\x1b[2J\nb")
    assert drawn(adsctl, SPRING)[0].startswith(f"{SPRING}  a\\x1b[2J\\nb")


def test_a_campaign_without_a_daily_budget_is_drawn_with_what_bounds_it(adsctl):
    budget = "budget  unlimited a day  3,000.00 EUR in total"
    assert below(drawn(adsctl, ADVENT), f"{ADVENT}  Advent")[0] == budget
    adsctl.local("line-items", "update", "9d4b4", "--daily-budget", "12.50", "--yes")
    budget = "budget  12.50 EUR a day by its line items  3,000.00 EUR in total"
    assert below(drawn(adsctl, ADVENT), f"{ADVENT}  Advent")[0] == budget
    adsctl.local("campaigns", "update", ADVENT, "--entity-status", "PAUSED")
    assert below(drawn(adsctl, ADVENT), f"{ADVENT}  Advent")[0] == "budget  3,000.00 EUR in total"


@pytest.mark.parametrize("value", ["-5", "1.5", '"many"'])
@pytest.mark.parametrize("field", ["daily_budget_amount_local_micro", "bid_amount_local_micro"])
def test_an_amount_that_cannot_be_is_said(adsctl, field, value):
    assert "hard to believe" not in adsctl.local("campaigns", "tree", SPRING, "-o", "json").stderr
    with closing(sqlite3.connect(adsctl.home / "state" / "emulator.db")) as db, db:
        query = f"UPDATE records SET data = json_set(data, '$.{field}', json(?)) WHERE id IN (?, ?)"
        db.execute(query, (value, SPRING, CLICKS))
    said = adsctl.local("campaigns", "tree", SPRING, "-o", "json").stderr
    name = field.partition("_amount")[0]
    shown = value.strip('"')
    assert (
        f"hard to believe: {name} {shown} of campaign {SPRING}, {name} {shown} of line item {CLICKS}" in said
    )
