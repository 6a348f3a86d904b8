"""`ads create`: an ad of a file, a text and an address by one command, made once."""

import json

import pytest

from tests.campaigns.files import document
from tests.campaigns.kills import alternately, run_until_it_ends
from tests.emulator.seeded import CLICKS, FOLLOWERS, HAMBURG, KNITTERS, SPRING
from tests.media.made import picture, sample

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])
WORDS = ("ads", "create", "mug.png", "--text", "Mugs are back", "--url", "https://shop.example/mugs")
NEW = (*WORDS, "--campaign", SPRING, "--name", "Mugs", "--daily-budget", "5", "--target", "LOCATION=Germany")
AUTHOR = "1184672519"  # who is signed in


@pytest.fixture(autouse=True)
def mug(adsctl):
    adsctl.file("mug.png", picture("PNG", 1200, 628))


def posts(adsctl) -> list[dict]:
    words = ("posts", "list", "--post-type", "PUBLISHED", "--timeline-type", "ALL", "--all", "-o", "json")
    return [
        post for post in json.loads(adsctl("-q", *words).stdout) if post["full_text"].startswith("Mugs are")
    ]


def line_items(adsctl, name: str = "Mugs") -> list[dict]:
    (spring,) = (record for record in document(adsctl)["campaigns"] if record["id"] == SPRING)
    return [item for item in spring["line_items"] if item["name"] == name]


def cards(adsctl) -> list[dict]:
    listed = json.loads(adsctl("-q", "cards", "list", "--all", "-o", "json").stdout)
    return [card for card in listed if card["name"].startswith("shop.example ")]


@both_services
def test_an_ad_is_made_of_a_file_a_text_and_an_address_and_is_paused(adsctl, service, service_name):
    made = adsctl(*NEW).stderr
    (item,), (post,), (card,) = line_items(adsctl), posts(adsctl), cards(adsctl)
    assert f"the line item Mugs ({item['id']}) is paused; to let it serve: adsctl line-items activate" in made
    assert item["entity_status"] == "PAUSED" and item["daily_budget"] == "5.00"
    assert [ad["post"] for ad in item["ads"]] == [str(post["id"])]
    assert item["targeting"] == [{"LOCATION": "Germany"}]
    assert post["card_uri"] == card["card_uri"] and str(post["user"]["id"]) == AUTHOR
    again = adsctl(*NEW)
    assert "the ad is there" in again.stderr
    assert len(line_items(adsctl)) == len(posts(adsctl)) == len(cards(adsctl)) == 1


def test_a_run_killed_at_any_request_is_resumed_and_makes_nothing_twice(adsctl, service, monkeypatch):
    assert 3 < run_until_it_ends(monkeypatch, lambda: adsctl(*NEW, "--resume"), alternately()) < 40
    (item,) = line_items(adsctl)
    assert len(item["ads"]) == len(item["targeting"]) == len(posts(adsctl)) == len(cards(adsctl)) == 1
    library = json.loads(adsctl("media", "library", "list", "--all", "-o", "json").stdout)
    assert sum(record.get("file_name") == "mug.png" for record in library) == 1


def test_a_line_item_that_serves_is_asked_about_and_one_that_does_not_is_not(adsctl, service):
    refused = adsctl(*WORDS, "--line-item", CLICKS, code=12).stderr
    assert "not confirmed: " in refused and "a new ad of the line item Visits to the shop" in refused
    assert not posts(adsctl)
    adsctl("line-items", "pause", CLICKS)
    assert "to let it serve" not in adsctl(*WORDS, "--line-item", CLICKS).stderr
    assert len(posts(adsctl)) == 1 and len(line_items(adsctl, "Visits to the shop")[0]["ads"]) == 3


def test_an_active_one_is_asked_for_and_named_with_its_budget(adsctl, service):
    refused = adsctl(*NEW, "--active", code=12).stderr
    assert "the new line item Mugs begins to serve: daily budget 5.00 EUR" in refused
    adsctl(*NEW, "--active", "--yes")
    assert line_items(adsctl)[0]["entity_status"] == "ACTIVE"


def test_a_dry_run_shows_the_plan_and_sends_nothing(adsctl, service):
    drawn = adsctl("-q", *NEW, "--dry-run", "-o", "table")
    assert f"{drawn.stdout}{drawn.stderr}".count("line item Mugs\n") == 1
    assert "--prune" not in drawn.stderr and "file" not in drawn.stdout.replace("mug.png", "")
    planned = adsctl(*NEW, "--dry-run", "-o", "json").stdout
    assert [change["kind"] for change in json.loads(planned)] == ["line_item", "targeting", "ad"]
    assert not posts(adsctl) and not line_items(adsctl)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((*WORDS,), 2, "give --line-item of an existing one, or --campaign of a new one"),
        ((*WORDS, "--line-item", CLICKS, "--campaign", SPRING), 2, "give --line-item"),
        ((*WORDS, "--line-item", CLICKS, "--active"), 2, "--active: for a new line item only"),
        ((*WORDS, "--campaign", "none"), 5, "the campaign none does not exist"),
        ((*WORDS, "--line-item", "none"), 5, "the line item none does not exist"),
        ((*NEW, "--daily-budget", "much"), 2, "--daily-budget: 'much' is not an amount"),
        ((*NEW, "--target", "LOCATION=Germoney"), 2, "--target: 'Germoney'"),
        ((*NEW, "--target", "LOCATION=Hamburg"), 2, "Hamburg, Germany (CITIES, 79c18e6e393484a1)"),
        ((*NEW, "--target", "LOCATION=Hamb"), 2, "a search finds: Hamburg, Germany (REGIONS,"),
        (
            (*NEW, "--campaign", HAMBURG),
            2,
            "--objective: the line items of a campaign have the same objective",
        ),
        ((*NEW, "--campaign", HAMBURG), 2, "those of Hamburg knows us (8wku3) have REACH"),
        ((*NEW, "--campaign", KNITTERS), 2, "--campaign: the line items of a campaign have the same product"),
        ((*NEW, "--target", "Germany"), 2, "--target: 'Germany' is not TYPE=VALUE"),
        ((*NEW, "--objective", "CLICKS"), 2, "--objective: "),
        ((*NEW, "--objective", "PREROLL_VIEWS"), 2, "error: categories: is required"),
        ((*NEW, "--url", "shop.example"), 2, "--url: website must be an address"),
        (("ads", "create", "none.png", "--text", "x", "--campaign", SPRING), 2, "FILE: none.png cannot be"),
        (("ads", "create", "note.txt", "--text", "x", "--campaign", SPRING), 3, "note.txt: is"),
        (("ads", "create", "mug.png", "--text", "x", "--title", "t", "--campaign", SPRING), 2, "--title"),
    ],
)
def test_a_mistake_is_named_by_its_option_and_nothing_is_sent(adsctl, service, words, code, message):
    adsctl.file("note.txt", "no picture")
    before = adsctl("changes", "list", "--since", "1h", "-o", "json").stdout
    assert message in adsctl(*words, "--yes", code=code).stderr
    assert adsctl("changes", "list", "--since", "1h", "-o", "json").stdout == before


def test_the_author_is_who_is_signed_in_and_is_asked_for_where_several_may_post(adsctl, service):
    first = {"account_id": "18ce54d4x5t", "user_id": "1184672599", "promotable_user_type": "FULL"}
    service.emulator.data.add_records("promotable_user", [{"id": "l39zz", **first}])
    refused = adsctl(*NEW, code=2).stderr
    assert "--as-user: is required" in refused and AUTHOR in refused and "1184672599" in refused
    adsctl(*NEW, "--as-user", AUTHOR)
    assert str(posts(adsctl)[0]["user"]["id"]) == AUTHOR


def test_the_guard_judges_all_of_it_before_anything_is_sent(adsctl, service):
    guard = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "max_daily_budget: 1 EUR\n"))}
    assert "max_daily_budget" in adsctl(*NEW, "--active", "--yes", code=12, **guard).stderr
    assert not posts(adsctl) and not cards(adsctl)


def test_options_that_a_line_item_which_is_there_does_not_follow_are_said(adsctl, service):
    adsctl(*NEW)
    (item,) = line_items(adsctl)
    again = " ".join(adsctl(*NEW[:-4], "--daily-budget", "900").stderr.split())
    assert f"the line item Mugs ({item['id']}) is there: daily_budget stays 5.00 EUR" in again
    assert "nothing to change" not in again and line_items(adsctl)[0]["daily_budget"] == "5.00"
    assert "is there" not in adsctl(*NEW).stderr.replace("the ad is there", "")


def test_what_the_service_refuses_is_named_without_places_in_a_file(adsctl, service):
    ages = ("--target", "AGE=AGE_13_TO_24", "--target", "AGE=AGE_25_TO_34")
    refused = adsctl(*NEW, *ages, code=9).stderr
    assert "create targeting AGE AGE_25_TO_34: " in refused
    assert "campaigns[" not in refused and "file" not in refused


def test_a_place_is_found_by_its_own_name_where_one_has_it(adsctl, service):
    adsctl(*NEW[:-1], "LOCATION=Munich")
    (item,) = line_items(adsctl)
    assert item["targeting"] == [{"LOCATION": "Munich, Germany"}]


def test_a_line_item_that_promotes_an_account_gets_no_post(adsctl, service):
    refused = adsctl(*WORDS, "--line-item", FOLLOWERS, "--yes", code=2).stderr
    assert (
        f"the line item {FOLLOWERS} is of the product type PROMOTED_ACCOUNT, which shows no posts" in refused
    )
    assert not posts(adsctl)


def test_an_ad_of_a_video_and_one_without_an_address(adsctl, service):
    adsctl.file("clip.mp4", sample("high.mp4"))
    adsctl("ads", "create", "clip.mp4", *NEW[3:])
    adsctl("ads", "create", "mug.png", "--text", "Mugs are cheap", "--campaign", SPRING, "--name", "Mugs")
    assert len(line_items(adsctl)[0]["ads"]) == len(posts(adsctl)) == 2 and len(cards(adsctl)) == 1
