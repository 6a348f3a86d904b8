"""Copies of campaigns: paused, made once, and refused before anything is made where they cannot be."""

import json

import pytest

from tests.campaigns.kills import at_second_change, run_until_it_ends
from tests.emulator.seeded import (
    BANNER,
    CAFE,
    CARD,
    CUSTOMERS,
    HAMBURG,
    INSTALLED,
    KNITTERS,
    OFFER,
    PURCHASES,
    READERS,
    SHOP,
    SPRING,
    SPRING_POST,
    WINTER,
)

END = "line_items.end_time=2031-12-31T22:00:00Z"


def pulled(adsctl, *words: str) -> dict[str, dict]:
    document = json.loads(adsctl("-q", "campaigns", "pull", "-o", "json", *words).stdout)
    return {record["name"]: record for record in document["campaigns"]}


def bare(record: dict) -> dict:
    """A record without what each copy has of its own."""
    lists = {
        key: sorted(map(bare, value), key=json.dumps) for key, value in record.items() if _is_list(value)
    }
    own = ("id", "name", "entity_status", "pay_by")
    return {key: value for key, value in record.items() if key not in own} | lists


def _is_list(value) -> bool:
    return isinstance(value, list) and all(isinstance(record, dict) for record in value)


@pytest.mark.parametrize("service_name", ["x"])
def test_a_copy_is_the_same_but_paused_and_is_made_once(adsctl, service, service_name):
    before = pulled(adsctl)
    adsctl("campaigns", "copy", KNITTERS, HAMBURG)
    after = pulled(adsctl)
    assert {name: after[name] for name in before} == before
    for name in ("People who knit", "Hamburg knows us"):
        copy = after[f"Copy of {name}"]
        assert bare(copy) == bare(before[name])
        assert copy["entity_status"] == "PAUSED" and copy["line_items"]
        assert {record["entity_status"] for record in copy["line_items"]} == {"PAUSED"}
    assert "copied before" in adsctl("campaigns", "copy", KNITTERS, HAMBURG).stderr
    assert pulled(adsctl) == after


def test_a_copy_has_another_name_and_amounts_that_are_relative(adsctl, service):
    adsctl(
        *("campaigns", "copy", KNITTERS, "--name", "Next {name}", "--set", "daily_budget=+10%"),
        *("--set", "line_items.daily_budget=7.5", "--set", "total_budget=900"),
    )
    made = pulled(adsctl)["Next People who knit"]
    assert (made["daily_budget"], made["total_budget"]) == ("16.50", "900.00")
    assert made["line_items"][0]["daily_budget"] == "7.50"
    message = adsctl("campaigns", "copy", KNITTERS, "--name", "Spring collection", code=3).stderr
    assert SPRING in message


def test_what_cannot_be_as_it_was_is_told_before_anything_is_created(adsctl, service):
    before = pulled(adsctl)
    message = adsctl("campaigns", "copy", WINTER, code=3).stderr
    assert "line_items[0].end_time: 2026-01-15T23:00:00Z has passed" in message and "--set" in message
    message = adsctl("campaigns", "copy", SPRING, "--to-account", CAFE, code=3).stderr
    assert "funding_instrument_id" in message and "--map 4a1n0=ID" in message
    assert "1790415000000000001" in message
    assert pulled(adsctl) == before and pulled(adsctl, "-A", CAFE) == {}
    adsctl("campaigns", "copy", WINTER, "--set", END)
    for bad in ("dayly_budget=5", "daily_budget", "total_budget=+10%"):
        assert "--set" in adsctl("campaigns", "copy", KNITTERS, "--set", bad, code=2).stderr
    for word in ("nam", "", "campaign"):
        message = adsctl("campaigns", "copy", KNITTERS, "--name", f"{{name}} of {{{word}}}", code=2).stderr
        assert f"--name: {{{word}}} stands for nothing" in message and "{name} stands for the name" in message


MUGS = {
    "name": "Mugs",
    "funding_instrument_id": CARD,
    "daily_budget": 5,
    "line_items": [
        {
            "name": "Inner",
            "objective": "REACH",
            "product_type": "PROMOTED_POSTS",
            "placements": ["ALL_ON_PLATFORM"],
            "bid_strategy": "AUTO",
            "start_time": "2031-01-01",
            "targeting": [{"BROAD_KEYWORD": "mugs"}, {"EXCLUDE BROAD_KEYWORD": "plastic"}],
            "tracking_tags": [
                {"tracking_tag_type": "CLICK_TRACKER", "tracking_tag_url": "https://m.example/c"}
            ],
        }
    ],
}


@pytest.fixture
def mugs(adsctl, service) -> tuple[str, str]:
    """A campaign that another account can have, and what is in place of its funding there."""
    adsctl("campaigns", "apply", "-", input=json.dumps({"campaigns": [MUGS]}))
    funding = ("funding-instruments", "create", "--currency", "EUR", "--start-time", "2026-01-01T00:00:00Z")
    rest = ("--type", "CREDIT_CARD", "-A", CAFE, "--sandbox", "-o", "json")
    return pulled(adsctl)["Mugs"]["id"], json.loads(adsctl(*funding, *rest).stdout)["id"]


def comparable(record: dict, funding: str) -> dict:
    return bare(record) | {"funding_instrument_id": funding}


@pytest.mark.parametrize("service_name", ["x"])
def test_a_copy_to_another_account_is_made_there_once(adsctl, service, service_name, mugs):
    id, funding = mugs
    before = pulled(adsctl)
    words = ("campaigns", "copy", id, "--to-account", CAFE, "--map", f"{CARD}={funding}")
    adsctl(*words)
    made = pulled(adsctl, "-A", CAFE)
    assert comparable(made["Mugs"], funding) == comparable(before["Mugs"], funding)
    assert made["Mugs"]["funding_instrument_id"] == funding
    assert "copied before" in adsctl(*words).stderr
    assert pulled(adsctl, "-A", CAFE) == made and pulled(adsctl) == before


def test_all_that_another_account_lacks_is_named(adsctl, service):
    item = MUGS["line_items"][0] | {"primary_web_event_tag": PURCHASES}
    item["targeting"] = [{"CUSTOM_AUDIENCE": INSTALLED}, {"CUSTOM_AUDIENCE_EXPANDED": READERS}]
    item["targeting"] += [{"CUSTOM_AUDIENCE": CUSTOMERS}, {"CAMPAIGN_ENGAGEMENT": SPRING}]
    item["ads"] = [
        {"account_media_id": BANNER, "landing_url": "https://shop.example/"},
        {"scheduled_post": OFFER},
        {"post": SPRING_POST},
    ]
    file = {"campaigns": [MUGS | {"line_items": [item]}]}
    adsctl("campaigns", "apply", "-", input=json.dumps(file))
    message = adsctl("campaigns", "copy", pulled(adsctl)["Mugs"]["id"], "--to-account", CAFE, code=3).stderr
    for id in (CARD, PURCHASES, INSTALLED, READERS, SPRING, BANNER, OFFER, SPRING_POST):
        assert f"--map {id}=ID" in message, id
    assert f"{CUSTOMERS}=ID" not in message  # which is shared with it


def test_a_copy_to_a_profile_is_made_in_its_account(adsctl, service, mugs):
    """Even where ADSCTL_ACCOUNT names that of the original."""
    id, funding = mugs
    before = pulled(adsctl)
    for name, own in (("shop", SHOP), ("cafe", CAFE)):
        adsctl("profile", "set", name, f"account={own}")
    words = ("--profile", "shop", "campaigns", "copy", id, "--to-profile", "cafe")
    adsctl(*words, "--map", f"{CARD}={funding}", ADSCTL_ACCOUNT=SHOP)
    assert [*pulled(adsctl, "-A", CAFE)] == ["Mugs"]
    assert pulled(adsctl, "-A", SHOP) == before


def test_an_active_copy_is_asked_for(adsctl, service):
    message = adsctl("campaigns", "copy", HAMBURG, "--active", code=12).stderr
    # 80.00 EUR are its own budget, which another line item may spend too; its only one has 35.00 EUR.
    assert "the new campaign Copy of Hamburg knows us begins to serve: daily budget 80.00 EUR;" in message
    assert "the new line item All of Hamburg begins to serve: daily budget 35.00 EUR" in message
    assert "daily budgets of what may serve: 0.00 → 80.00 EUR (" in message
    adsctl("campaigns", "copy", HAMBURG, "--active", "--yes")
    made = pulled(adsctl)["Copy of Hamburg knows us"]
    assert made["entity_status"] == "ACTIVE"
    assert {record["entity_status"] for record in made["line_items"]} == {"ACTIVE"}


def test_what_a_copy_leaves_as_it_is_is_neither_summed_up_nor_asked_about(adsctl, service):
    adsctl("campaigns", "copy", HAMBURG, "--active", "--yes")
    copied = pulled(adsctl)["Copy of Hamburg knows us"]["id"]
    adsctl("campaigns", "update", copied, "--daily-budget", "70", "--yes")
    message = adsctl("campaigns", "copy", HAMBURG).stderr
    before, after = message.partition("daily budgets of what may serve: ")[2].splitlines()[0].split(" → ")
    assert f"{before} EUR" == after and "copied before" in message
    adsctl("campaigns", "copy", HAMBURG, KNITTERS)
    assert {"Copy of Hamburg knows us", "Copy of People who knit"} <= pulled(adsctl).keys()


def test_a_copy_that_is_there_with_another_value_than_is_set_is_refused(adsctl, service):
    copy = ("-q", "campaigns", "copy", HAMBURG, "--name", "Next {name}")
    end = "line_items.end_time=2031-12-0{}T00:00:00Z"
    first = ("--set", "daily_budget=20", "--set", "line_items.daily_budget=20", "--set", end.format(1))
    adsctl(*copy, *first)
    before = pulled(adsctl)
    for second, message in {
        "daily_budget=10": "campaigns[0].daily_budget: 'Next Hamburg knows us' was",
        "daily_budget=+10%": "with 20.00 and not 88.00: change the campaign ",
        "line_items.daily_budget=10": "with 20.00 and not 10.00: change the line ",
        end.format(2): "and not 2031-12-02T00:00:00Z: change the",
    }.items():
        refused = adsctl(*copy, "--set", second, code=3).stderr
        assert message in refused and "or add --name for another copy" in refused
    for words in (("--active", "--yes"), ("--dry-run",)):
        refused = adsctl(*copy, "--set", "daily_budget=10", *words, code=3).stderr
        assert "or add --name for another copy" in refused
    assert pulled(adsctl) == before
    adsctl(*copy, *first, "--active", "--yes")
    assert pulled(adsctl)["Next Hamburg knows us"]["entity_status"] == "ACTIVE"


def test_activating_a_copy_keeps_what_was_changed_of_it(adsctl, service):
    adsctl("campaigns", "copy", HAMBURG)
    adsctl("campaigns", "update", pulled(adsctl)["Copy of Hamburg knows us"]["id"], "--daily-budget", "7")
    adsctl("campaigns", "copy", HAMBURG, "--active", "--yes")
    made = pulled(adsctl)["Copy of Hamburg knows us"]
    assert (made["entity_status"], made["daily_budget"]) == ("ACTIVE", "7.00")


def test_what_another_option_says_of_a_copy_is_not_set(adsctl, service):
    before = pulled(adsctl)
    for setting, option in {
        "name=Other": "--name",
        "entity_status=ACTIVE": "--active",
        "line_items.entity_status=ACTIVE": "--active",
    }.items():
        message = adsctl("campaigns", "copy", KNITTERS, "--set", setting, code=2).stderr
        assert f"--set {setting}: " in message and option in message
    assert pulled(adsctl) == before


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "daily_budget=+10%", "--set", "daily_budget=+10%"),
        ("--set", "line_items.daily_budget=5", "--set", "line_items.daily_budget=+10%"),
        ("--map", "4a1n0=4a1n1", "--map", "4a1n0=4a1n2"),
    ],
)
def test_a_value_of_a_copy_is_set_once(adsctl, service, words):
    before = pulled(adsctl)
    message = adsctl("campaigns", "copy", KNITTERS, *words, code=2).stderr
    assert f"{words[2]} {words[3]}: {words[1].partition('=')[0]} is given twice" in message
    assert pulled(adsctl) == before


def test_a_killed_copy_is_completed_by_the_same_command(adsctl, service, monkeypatch):
    kills = run_until_it_ends(
        monkeypatch, lambda: adsctl("campaigns", "copy", SPRING), at_second_change("after")
    )
    after = pulled(adsctl)
    assert kills > 2 and bare(after["Copy of Spring collection"]) == bare(after["Spring collection"])


def targeted(record: dict) -> list[str]:
    """Return the locations of the only line item of a pulled campaign."""
    (item,) = record["line_items"]
    return [criterion["LOCATION"] for criterion in item["targeting"] if "LOCATION" in criterion]


def test_a_copy_has_other_targeting_and_keeps_the_rest(adsctl, service):
    austria = ("--set", "line_items.targeting.LOCATION=Austria")
    adsctl("campaigns", "copy", HAMBURG, *austria)
    both = pulled(adsctl)
    made, original = both["Copy of Hamburg knows us"], both["Hamburg knows us"]
    assert targeted(made) == ["Austria"] != targeted(original)
    assert {"LANGUAGE": "German"} in made["line_items"][0]["targeting"]
    assert "copied before" in adsctl("campaigns", "copy", HAMBURG, *austria).stderr
    other = ("--set", "line_items.targeting.LOCATION=Germany")
    message = adsctl("campaigns", "copy", HAMBURG, *other, code=3).stderr
    assert "was copied before, with LOCATION: Austria" in message
    adsctl("campaigns", "copy", HAMBURG, "--name", "Two", *austria, *other)
    assert len(targeted(pulled(adsctl)["Two"])) == 2
    adsctl("campaigns", "copy", HAMBURG, "--name", "None", "--set", "line_items.targeting.LANGUAGE=null")
    assert targeted(pulled(adsctl)["None"]) == targeted(original)
    assert {"LANGUAGE": "de"} not in pulled(adsctl)["None"]["line_items"][0]["targeting"]
    for wrong in ("LOCATON=Austria", "WITHOUT LOCATION=Austria"):
        message = adsctl(
            "campaigns", "copy", HAMBURG, "--set", f"line_items.targeting.{wrong}", code=2
        ).stderr
        assert "is not a type of targeting" in message


def test_what_only_the_service_sets_does_not_stop_a_copy(adsctl, service):
    done = adsctl("campaigns", "copy", "8wku7")
    assert "budget_optimization CAMPAIGN is not copied, since only the service sets it (8wku7)" in done.stderr
    assert pulled(adsctl)["Copy of Shop app"]["budget_optimization"] == "LINE_ITEM"


def test_a_map_of_what_does_not_occur_is_refused(adsctl, service):
    message = adsctl("campaigns", "copy", HAMBURG, "--map", "1nmtx=1nmu0", code=2).stderr
    assert "--map 1nmtx=1nmu0: no original has 1nmtx" in message
    assert "Copy of Hamburg knows us" not in pulled(adsctl)
    adsctl("campaigns", "copy", KNITTERS, "--map", "1nmth=1nmu0")


def test_ids_are_those_of_the_copies_alone(adsctl, service):
    copy = ("-q", "campaigns", "copy", KNITTERS, HAMBURG, "-o", "ids")
    assert adsctl(*copy, "--dry-run").stdout == ""
    ids = adsctl(*copy).stdout.split()
    made = pulled(adsctl)
    assert ids == [made[f"Copy of {name}"]["id"] for name in ("People who knit", "Hamburg knows us")]
    assert adsctl(*copy).stdout.split() == ids
