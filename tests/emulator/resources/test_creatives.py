"""The life of cards, drafts, scheduled posts and product sets: typed commands, under both services."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from ads_cli.emulator.seed.credentials import OTHER_USER, USER
from tests.conftest import feed
from tests.emulator.seeded import (
    CHOSEN_SET,
    COLLECTION,
    GREEN_DRAFT,
    IMAGE,
    IMAGE_CONVERSATION,
    OFFER,
    POLL,
    PRODUCT_SET,
    SPRING_POST,
    SQUARE,
    VIDEO,
    WINTER_POST,
)
from tests.output.test_terminal import is_safe

SOON = f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%dT%H:%M}"


def test_a_draft_is_created_changed_previewed_and_deleted(run):
    made = run("posts", "drafts", "create", "--text", "Mugs", "--card-uri", f"card://{COLLECTION}")
    about = {"text": "Mugs", "name": None, "nullcast": True, "media_keys": [], "user_id": USER}
    assert made.items() >= (about | {"card_uri": f"card://{COLLECTION}"}).items() and "deleted" not in made
    assert made in run("posts", "drafts", "list", "--all")
    at = ("posts", "drafts")
    changed = run(*at, "update", made["id"], "--text", "Blue mugs", "--media-keys", f"{IMAGE},{SQUARE}")
    assert (changed["text"], changed["media_keys"]) == ("Blue mugs", [IMAGE, SQUARE])
    assert run(*at, "get", made["id"]) == changed
    assert "devices" in run(*at, "preview", made["id"])["message"]
    listed = run("posts", "list", "--post-type", "DRAFT", "--post-ids", made["id"])
    assert [(post["full_text"], post["post_type"]) for post in listed] == [("Blue mugs", "DRAFT")]
    assert run(*at, "delete", made["id"])["status"] == "DELETED"
    for verb in ("get", "delete", "preview"):
        assert "does not exist" in run(*at, verb, made["id"], code=5)


def test_a_scheduled_post_is_created_moved_and_deleted(run):
    at = ("posts", "scheduled")
    made = run(*at, "create", "--text", "Mugs", "--name", "n", "--scheduled-at", f"{SOON}:40+02:00")
    hour = datetime.fromisoformat(f"{SOON}:00+02:00").astimezone(UTC)
    assert made["scheduled_at"] == f"{hour:%Y-%m-%dT%H:%M:00Z}"  # a whole minute
    waiting = {"scheduled_status": "SCHEDULED", "completed_at": None, "post_id": None}
    assert made.items() >= waiting.items() and "deleted" not in made
    assert [post["id"] for post in run(*at, "list", "--count", "2", "--limit", "9")][-1] == made["id"]
    day = f"{datetime.now(UTC) + timedelta(days=5):%Y-%m-%d}"
    moved = run(*at, "update", made["id"], "--scheduled-at", f"{day}T00:00Z", "--no-nullcast")
    assert (moved["scheduled_at"], moved["nullcast"], moved["name"]) == (f"{day}T00:00:00Z", False, "n")
    assert run(*at, "get", made["id"]) == moved
    assert run(*at, "delete", made["id"])["scheduled_status"] == "DELETED"
    assert "does not exist" in run(*at, "get", made["id"], code=5)


def test_posts_of_each_type_are_listed_and_previewed(run):
    def listed(*words):
        return [str(post["id"]) for post in run("posts", "list", *words)]

    everything = listed(
        "--post-type", "PUBLISHED", "--timeline-type", "ALL", "--include-mentions-and-replies"
    )
    promoted = listed("--post-type", "PUBLISHED")
    organic = listed("--post-type", "PUBLISHED", "--timeline-type", "ORGANIC")
    assert len(everything) == len(promoted) + len(organic) + 1 and SPRING_POST in promoted
    assert listed("--post-type", "PUBLISHED", "--name", "SPRING") == [SPRING_POST, "1790415000000000011"]
    assert listed("--post-type", "DRAFT")[0] == GREEN_DRAFT
    assert listed("--post-type", "SCHEDULED") == [OFFER, WINTER_POST]
    assert listed("--post-type", "PUBLISHED", "--user-id", OTHER_USER) == []
    ids = f"{SPRING_POST},{GREEN_DRAFT},1"
    for post_type, post in (("PUBLISHED", SPRING_POST), ("DRAFT", GREEN_DRAFT), ("SCHEDULED", None)):
        shown = run("posts", "preview", "--post-ids", ids, "--post-type", post_type)
        assert [record["post_id"] for record in shown] == [post] * bool(post)
        assert all(f"/{post}" in record["preview"] and "<iframe " in record["preview"] for record in shown)


def test_an_image_conversation_is_created_changed_and_deleted(run):
    at = ("cards", "image-conversation")
    words = ("--name", "Tea", "--media-key", IMAGE, "--title", "Which?", "--thank-you-text", "Thanks")
    made = run(*at, "create", *words, "--first-cta", "#Green", "--first-cta-tweet", "Green for me")
    size = {"image_display_width": "800", "image_display_height": "419"}
    about = {"card_type": "IMAGE_CONVERSATION", "media_key": IMAGE, "card_uri": f"card://{made['id']}"}
    assert made.items() >= (about | size).items() and IMAGE in made["media_url"]
    assert run(*at, "get", made["id"]) == made
    black = ("--second-cta", "#Black", "--second-cta-tweet", "Black for me")
    assert run(*at, "update", made["id"], *black)["second_cta"] == "#Black"
    assert [card["id"] for card in run(*at, "list", "--q", "te")] == [IMAGE_CONVERSATION, made["id"]]
    assert run(*at, "delete", made["id"])["deleted"] is True
    assert "does not exist" in run(*at, "get", made["id"], code=5)


def test_a_fetched_card_is_the_card_that_was_created(run):
    site = {"type": "WEBSITE", "url": "https://shop.example/mugs?a=1"}
    parts = [{"type": "MEDIA", "media_key": VIDEO}, {"type": "DETAILS", "title": "Mugs", "destination": site}]
    made = run("cards", "create", "--name", "Mugs", "--components", json.dumps(parts))
    fetched, poll = run("cards", "fetch", made["card_uri"], f"card://{POLL}", "card://none")
    shared = ("id", "name", "card_uri", "card_type", "created_at", "deleted")
    assert {name: fetched[name] for name in shared} == {name: made[name] for name in shared}
    website = {"title": "Mugs", "website_url": site["url"], "website_display_url": "shop.example"}
    assert fetched.items() >= (website | {"video_content_id": VIDEO, "video_width": "1280"}).items()
    assert (poll["id"], poll["first_choice"], poll["duration_in_minutes"]) == (POLL, "White", "1440")
    assert run("cards", "fetch", made["id"]) == fetched
    run("cards", "delete", made["id"])
    assert "does not exist" in run("cards", "fetch", made["id"], code=5)
    assert run("cards", "fetch", made["card_uri"]) == []
    assert run("cards", "fetch", made["card_uri"], "--with-deleted")[0]["deleted"] is True


def test_cards_that_do_not_exist_are_named(run, adsctl):
    addresses = (f"card://{POLL}", "card://none", "card://nor-this")
    done = adsctl.local("cards", "fetch", *addresses, "-q", "-o", "ids", "--service", run.service)
    assert done.stdout == f"{POLL}\n"
    assert done.stderr == "warning: not found: card://none, card://nor-this\n"


@pytest.mark.parametrize(
    "cards", [["7cqs1", "7cqt1"], ["card://7cqs1", "7cqt1"], ["a/b"], ["card://a/b"], [""]]
)
def test_cards_are_fetched_by_addresses_or_one_id(run, cards):
    assert json.loads(run("cards", "fetch", *cards, code=2))["error"]["message"].startswith("CARD")


@pytest.mark.parametrize("format", ["table", "tsv", "csv", "ids"])
def test_columns_are_found_under_the_names_of_both_services(run, adsctl, format):
    words = ("posts", "preview", "--post-ids", SPRING_POST, "--post-type", "PUBLISHED", "-o", format)
    assert SPRING_POST in adsctl.local(*words, "--service", run.service).stdout


def test_a_product_set_is_changed_and_deleted(run, adsctl):
    adsctl.file("feed.csv", feed(2))
    adsctl.local("-q", "products", "push", "feed.csv", "--service", run.service)
    keys = adsctl.local("products", "list", "-o", "ids", "--service", run.service).stdout.split()
    named = ("catalog", "sets", "update", CHOSEN_SET, "--name", "Gifts", "--product-keys", ",".join(keys))
    changed = run(*named)
    assert (changed["name"], sorted(changed["product_ids"])) == ("Gifts", ["sku-1", "sku-2"])
    assert run("catalog", "sets", "get", CHOSEN_SET)["product_ids"] == changed["product_ids"]
    unknown = run("catalog", "sets", "update", CHOSEN_SET, "--product-keys", "none", code=5)
    assert "the catalog has no product with the id 'none'" in unknown
    assert "only a MANUAL set" in run("catalog", "sets", "update", PRODUCT_SET, "--name", "x", code=6)
    deleted = run("catalog", "sets", "delete", CHOSEN_SET)
    assert (deleted["id"], deleted["product_ids"]) == (CHOSEN_SET, [])
    for verb in (("get",), ("update", "--name", "x"), ("delete",)):
        assert "does not exist" in run("catalog", "sets", verb[0], CHOSEN_SET, *verb[1:], code=5)


def test_an_account_promotes_its_own_user_and_others(run):
    full, other = run("accounts", "promotable-users", "list", "--sort-by", "created_at-asc")
    assert (full["user_id"], full["promotable_user_type"]) == (USER, "FULL")
    assert (other["user_id"], other["promotable_user_type"]) == (OTHER_USER, "REPOSTS_ONLY")
    at = ("accounts", "promotable-users")
    assert run(*at, "list", "--promotable-user-ids", other["id"]) == [other]
    assert run(*at, "get", full["id"]) == full
    assert "does not exist" in run(*at, "get", "none", code=5)
    made = run("accounts", "create")
    account = made[0]["id"] if isinstance(made, list) else made["id"]
    (own,) = run(*at, "list", "-A", account)
    assert (own["user_id"], own["promotable_user_type"]) == (USER, "FULL")


def test_any_text_is_kept_and_shown_safely(run, adsctl):
    text = "Tea ☕️\u202e\x1b[2J\tfor two\n[bold]now[/bold]"
    made = run("posts", "drafts", "create", "--text", text, "--name", text)
    assert (made["text"], made["name"]) == (text, text)
    for format in ("table", "tsv"):
        words = ("posts", "drafts", "get", made["id"], "-o", format, "--service", run.service)
        shown = adsctl.local(*words).stdout
        assert is_safe(shown) and "[bold]now[/bold]" in shown and "☕️" in shown
