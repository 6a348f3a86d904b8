"""The life of targeting criteria and promotions: typed commands, under both services."""

import json

import pytest

from tests.emulator.seeded import BANNER, CLICKS, FOLLOWERS, OFFER, PREROLLS, REACH


def test_what_a_search_finds_is_targeted_and_given_up(run):
    records = run("targeting", "search", "--q", "hamburg")
    city = next(place for place in records if place["location_type"] == "REGIONS")
    words = ("--targeting-type", city["targeting_type"], "--targeting-value", city["targeting_value"])
    added = run("targeting", "add", "--line-item", REACH, *words)
    assert added["name"] == "Hamburg, Germany"
    assert added in run("targeting", "list", "--line-items", REACH)
    assert run("targeting", "get", added["id"]) == added
    assert run("targeting", "delete", added["id"])["deleted"] is True
    assert "does not exist" in run("targeting", "get", added["id"], code=5)
    kept = run("targeting", "list", "--line-items", REACH, "--with-deleted")
    assert [record["deleted"] for record in kept if record["id"] == added["id"]] == [True]


def test_criteria_of_a_table_are_added_together_and_deleted_together(run, adsctl):
    rows = ["line_item_id,targeting_type,targeting_value", f"{REACH},AGE,AGE_21_TO_34", f"{REACH},GENDER,2"]
    adsctl.file("criteria.csv", "\n".join(rows))
    added = run("targeting", "add", "-f", "criteria.csv")
    assert [record["name"] for record in added] == ["21 to 34", "Female"]
    assert "has it already" in run("targeting", "add", "-f", "criteria.csv", code=9)
    ids = ["targeting_criterion_id", *(record["id"] for record in added)]
    adsctl.file("ids.csv", "\n".join(ids))
    assert [record["deleted"] for record in run("targeting", "delete", "-f", "ids.csv")] == [True, True]


def test_a_criterion_is_sent_with_its_operator_which_is_required(run, adsctl):
    fields = {"line_item_id": REACH, "targeting_type": "LANGUAGE", "targeting_value": "sv"}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in fields.items()]
    sent = json.dumps(run("targeting", "add", *options, "--dry-run"))
    assert "operator_type=EQ" in sent
    assert "operator_type=NE" in json.dumps(
        run("targeting", "add", *options, "--operator-type", "NE", "--dry-run")
    )
    adsctl.file("one.json", json.dumps(fields | {"targeting_value": "nl", "operator_type": None}))
    assert run("targeting", "add", "-f", "one.json")["operator_type"] == "EQ"
    given = [word for name, value in fields.items() for word in ("-f", f"{name}={value}")]
    raw = ("api", "POST", "/12/accounts/{account_id}/targeting_criteria", *given)
    assert "operator_type: is required [MISSING_PARAMETER]" in run(*raw, code=6)
    assert run(*raw, "-f", "operator_type=EQ")["operator_type"] == "EQ"


def test_posts_are_promoted_listed_and_given_up(run):
    words = ("promoted", "posts")
    made = run(*words, "create", "--line-item", REACH, "--posts", "1790415000000000010,1790415000000000012")
    assert [record["post_id"] for record in made] == ["1790415000000000010", "1790415000000000012"]
    first = made[0]["id"]
    assert {record["id"] for record in made} <= {
        record["id"] for record in run(*words, "list", "--line-items", REACH)
    }
    assert run(*words, "get", first) == made[0]
    assert run(*words, "delete", first)["deleted"] is True
    listed = run(*words, "list", "--promoted-post-ids", first, "--with-deleted")
    assert [record["deleted"] for record in listed] == [True]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("accounts", ("--line-item", FOLLOWERS, "--user-id", "1184672520")),
        ("scheduled", ("--line-item", CLICKS, "--scheduled-post-id", OFFER)),
        ("media", ("--line-item", REACH, "--account-media-id", BANNER)),
        (
            "call-to-actions",
            (
                "--line-item",
                PREROLLS,
                "--call-to-action",
                "SHOP",
                "--call-to-action-url",
                "https://s.example",
            ),
        ),
    ],
)
def test_whatever_a_line_item_promotes_is_created_listed_shown_and_deleted(run, kind, words):
    made = run("promoted", kind, "create", *words)
    assert made["line_item_id"] == words[1]
    assert made in run("promoted", kind, "list", "--line-items", words[1])
    assert run("promoted", kind, "get", made["id"]) == made
    assert run("promoted", kind, "delete", made["id"])["deleted"] is True
    assert "does not exist" in run("promoted", kind, "delete", made["id"], code=5)


def test_a_call_to_action_is_changed(run):
    words = ("promoted", "call-to-actions")
    (action,) = run(*words, "list", "--line-items", PREROLLS)
    changed = run(*words, "update", action["id"], "--call-to-action", "GO_TO")
    assert changed["call_to_action"] == "GO_TO" != action["call_to_action"]
    assert "nothing to change" in run(*words, "update", action["id"], code=2)


def test_long_and_short_names_of_options_are_the_same(run):
    short = run("promoted", "posts", "list", "--line-items", CLICKS)
    assert short == run("promoted", "posts", "list", "--line-item-ids", CLICKS) != []
    wire = run("promoted", "posts", "create", "--line-item-id", REACH, "--tweet-ids", "1790415000000000013")
    assert wire[0]["post_id"] == "1790415000000000013"
    both = ("--post-ids", "1", "--tweet-ids", "2")
    assert "is the same as" in run("promoted", "posts", "create", "--line-item", REACH, *both, code=2)


def test_suggestions_are_shown_by_their_values(run, adsctl):
    words = ("targeting", "suggest", "--suggestion-type", "KEYWORD", "--targeting-values", "knitting")
    assert adsctl.local(*words, "-o", "ids").stdout.split("\n")[0] == run(*words)[0]["suggestion_value"]
