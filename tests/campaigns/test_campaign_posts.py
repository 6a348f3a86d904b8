"""Ads whose posts are made with a file of campaigns: created once, nothing where an upload fails."""

import json
from collections import Counter
from pathlib import Path

import pexpect
import pytest

from ads_cli.campaigns.new_posts import card_of, read_post
from tests.campaigns.files import DIFFERENCES, document, pull, recorded
from tests.campaigns.kills import Moment, alternately, run_until_it_ends
from tests.emulator.seeded import CARD
from tests.media.made import picture

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])
FILE = f"""\
campaigns:
- name: Posted
  funding_instrument_id: {CARD}
  daily_budget: 5
  line_items:
  - name: Inner
    objective: REACH
    product_type: PROMOTED_POSTS
    placements: [ALL_ON_PLATFORM]
    bid_strategy: AUTO
    start_time: 2031-12-01
    ads:
    - {{text: The mugs of winter, media: [mugs.png], as_user_id: 1184672519}}
    - {{text: No picture, as_user_id: 1184672519}}
  - name: Second
    objective: REACH
    product_type: PROMOTED_POSTS
    placements: [ALL_ON_PLATFORM]
    bid_strategy: AUTO
    start_time: 2031-12-01
    ads:
    - {{text: The mugs of winter, media: [mugs.png], as_user_id: 1184672519}}
"""
WORDS = ("campaigns", "apply", "ads/posted.yaml", "--yes")
WITH_CARD = "card: {website: 'https://shop.example/mugs', title: Mugs}, "


@pytest.fixture
def posted(adsctl):
    (adsctl.home / "ads").mkdir()
    (adsctl.home / "ads" / "mugs.png").write_bytes(picture("PNG", 1200, 628))
    (adsctl.home / "ads" / "posted.yaml").write_text(FILE)


def posts(adsctl) -> list[dict]:
    words = ("posts", "list", "--post-type", "PUBLISHED", "--timeline-type", "ALL", "--all", "-o", "json")
    listed = json.loads(adsctl("-q", *words).stdout)
    return [post for post in listed if post["full_text"] in ("The mugs of winter", "No picture")]


def ads(adsctl) -> list[str]:
    (made,) = (record for record in document(adsctl)["campaigns"] if record["name"] == "Posted")
    return sorted(str(ad["post"]) for item in made["line_items"] for ad in item["ads"])


@both_services
def test_posts_are_made_once_with_their_media(adsctl, service, service_name, posted):
    planned = adsctl("campaigns", "plan", "ads/posted.yaml", "-o", "json", code=DIFFERENCES).stdout
    shown = [change["after"] for change in json.loads(planned) if change["kind"] == "ad"]
    assert shown[0]["text"] == "The mugs of winter" and shown[0]["media"] == ["mugs.png"]
    adsctl(*WORDS, "--write-ids")
    made = {post["full_text"]: str(post["id"]) for post in posts(adsctl)}
    assert len(posts(adsctl)) == 2
    assert ads(adsctl) == sorted([made["The mugs of winter"]] * 2 + [made["No picture"]])
    adsctl("campaigns", "plan", "ads/posted.yaml", "--prune", code=0)
    adsctl(*WORDS)
    assert len(posts(adsctl)) == 2 and len(ads(adsctl)) == 3
    library = json.loads(adsctl("media", "library", "list", "--all", "-o", "json").stdout)
    assert sum(record.get("file_name") == "mugs.png" for record in library) == 1


def test_another_text_is_another_post(adsctl, service, posted):
    adsctl(*WORDS)
    file = adsctl.home / "ads" / "posted.yaml"
    file.write_text(file.read_text().replace("No picture", "The mugs of winter"))
    adsctl(*WORDS, "--prune", "--max-delete", "100%")
    assert len(ads(adsctl)) == 3 and len(posts(adsctl)) == 3


@pytest.mark.parametrize("how", ["reset-after", "reset-before"])
def test_a_post_with_a_lost_answer_is_found_and_not_made_again(adsctl, service, posted, how):
    service.fail(f"POST /12/accounts/*/post {how.replace('reset-before', 'reset')} times=1")
    adsctl(*WORDS, code=8)
    adsctl(*WORDS, "--resume")
    assert len(posts(adsctl)) == 2 and len(ads(adsctl)) == 3


def test_a_post_with_a_lost_answer_is_not_made_again_by_a_list_that_lags(adsctl, service, posted, lag, waits):
    service.fail("POST /12/accounts/*/post reset-after times=1")
    adsctl(*WORDS, code=8)
    lag("/posts", lambda post: True)
    assert (
        "1 record may have been created by a request whose answer was lost" in adsctl(*WORDS, code=12).stderr
    )
    adsctl(*WORDS, "--resume")
    assert 10 <= waits.total < 30 and len(posts(adsctl)) == 2 and len(ads(adsctl)) == 3


def killed_runs(adsctl, monkeypatch, moment: Moment) -> int:
    """Kill each run at a request that changes something, until one ends; return how many were killed."""
    return run_until_it_ends(monkeypatch, lambda: adsctl(*WORDS, "--resume"), moment)


def test_a_run_killed_at_any_request_makes_no_post_or_card_twice(adsctl, service, posted, monkeypatch):
    """Of a post with a picture, one with a poll, and one with a card."""
    text = FILE.replace("text: No picture", "text: No picture, " + KINDS_OF_CARDS["poll"][1])
    text = text.replace("[mugs.png], ", f"[mugs.png], {WITH_CARD}", 1)
    (adsctl.home / "ads" / "posted.yaml").write_text(text)
    before = len(all_cards(adsctl, "poll"))
    assert 3 < killed_runs(adsctl, monkeypatch, alternately()) < 40
    assert len(all_cards(adsctl, "poll")) == before + 1 and len(cards(adsctl)) == 1
    assert len(posts(adsctl)) == len(ads(adsctl)) == 3
    adsctl("campaigns", "plan", "ads/posted.yaml", "--prune", code=0)


def test_nothing_is_created_where_an_upload_fails(adsctl, service, posted, monkeypatch):
    before = pull(adsctl)
    service.fail("POST /2/media/upload* status=400")
    adsctl(*WORDS, code=6)
    assert pull(adsctl) == before and not posts(adsctl)


@pytest.mark.parametrize("is_card", [False, True])
def test_a_picture_that_is_replaced_while_the_question_waits_is_shown_by_no_ad(
    adsctl, service, posted, is_card
):
    file, hero = adsctl.home / "ads" / "posted.yaml", adsctl.home / "ads" / "mugs.png"
    if is_card:
        file.write_text(CARDED)
    file.write_text(file.read_text().replace("daily_budget: 5", "daily_budget: 5\n  entity_status: ACTIVE"))
    terminal = adsctl.terminal("-q", "campaigns", "apply", "ads/posted.yaml", width=200)
    terminal.expect(r"\[y/N\]")
    hero.write_bytes(picture("PNG", 800, 800))
    terminal.sendline("y")
    terminal.expect("ads\\[0\\]: a file of its post has changed since the plan was made")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 3 and not posts(adsctl)
    adsctl(*WORDS)
    assert len(posts(adsctl)) == 2 and len(ads(adsctl)) == 3


def test_files_that_are_no_media_are_told_before_anything_is_sent(adsctl, service, posted, monkeypatch):
    sent = recorded(monkeypatch)
    (adsctl.home / "ads" / "mugs.png").write_bytes(b"no picture")
    assert "mugs.png" in adsctl(*WORDS, code=3).stderr
    (adsctl.home / "ads" / "mugs.png").unlink()
    message = adsctl(*WORDS, code=3).stderr
    assert "posted.yaml:13: campaigns[0].line_items[0].ads[0].media: mugs.png cannot be read" in message
    assert not sent


def mistakes_said(adsctl, ads: list[str]) -> list[str]:
    """Apply a file with these ads of a line item, which are all wrong; return what is said of each."""
    text = FILE.split("    - {text")[0] + "".join(f"    - {ad}\n" for ad in ads)
    (adsctl.home / "ads" / "posted.yaml").write_text(text)
    lines = adsctl(*WORDS, code=3).stderr.splitlines()
    return [
        "".join(line for line in lines if f"yaml:{13 + number}: " in line and f"].ads[{number}]" in line)
        for number in range(len(ads))
    ]


def test_what_is_no_post_is_told_with_its_path(adsctl, service, posted):
    mistakes = {
        "{text: A, post: '1'}": ".post: cannot be used with",
        "{text: A, id: '1'}": ".id: cannot be used with",
        "{text: A, card: {website: w}}": ".card: must be {website",
        "{text: A, txt: B}": ".txt: is not a field of a new post; did you mean 'text'",
        "{media: [{a: b}]}": ".media: must be the name",
        "{media: a.png, media_keys: [3_1]}": ".media: cannot be used with media keys",
        "{media_key: '3_1', media_keys: [3_2]}": ".media_key: cannot be used with media_keys",
        "{text: A, media_keys: {a: b}}": ".media_keys: must be a list of media keys",
        "{text: A, media_keys: ' , '}": ".media_keys: must be a list of media keys",
        "{text: A, media_key: [3_1]}": ".media_key: must be a media key",
        "{text: B}": ".as_user_id: is required",
    }
    for line, expected in zip(mistakes_said(adsctl, [*mistakes]), mistakes.values(), strict=True):
        assert expected in line and line.count("campaigns[0]") == 1, (line, expected)


@pytest.mark.parametrize("word", ["posts", "media"])
def test_a_guard_that_refuses_posts_or_media_lets_nothing_be_sent(adsctl, service, posted, word, monkeypatch):
    sent = recorded(monkeypatch)
    (adsctl.home / "guard.yaml").write_text(f"deny: [{word}]\n")
    adsctl(*WORDS, code=12, ADSCTL_GUARD=str(adsctl.home / "guard.yaml"))
    assert not sent


CARDED = FILE.replace("media: [mugs.png], ", f"media: [mugs.png], {WITH_CARD}")


@pytest.fixture
def carded(adsctl, posted):
    (adsctl.home / "ads" / "posted.yaml").write_text(CARDED)


def cards(adsctl) -> list[dict]:
    return [card for card in all_cards(adsctl) if card["name"].startswith("Mugs ")]


@pytest.mark.parametrize("service_name", ["x"])
def test_a_card_is_made_once_with_its_media_and_shown_before(adsctl, service, service_name, carded):
    planned = adsctl("campaigns", "plan", "ads/posted.yaml", "-o", "json", code=DIFFERENCES).stdout
    shown = next(change["after"] for change in json.loads(planned) if change["kind"] == "ad")
    assert shown["card"] == {"website": "https://shop.example/mugs", "title": "Mugs"}
    assert shown["media"] == ["mugs.png"]
    assert json.loads(adsctl(*WORDS, "--dry-run", "-o", "json").stdout) and not cards(adsctl)
    adsctl(*WORDS)
    (card,) = cards(adsctl)
    media, details = card["components"]
    assert media["media_key"].startswith("3_") and details["title"] == "Mugs"
    assert details["destination"]["url"] == "https://shop.example/mugs"
    assert len(posts(adsctl)) == 2 and len(ads(adsctl)) == 3
    adsctl("campaigns", "plan", "ads/posted.yaml", "--prune", code=0)
    file = adsctl.home / "ads" / "posted.yaml"
    file.write_text(CARDED.replace("No picture, as", "The mugs of winter are here, as"))
    adsctl(*WORDS, "--prune", "--max-delete", "100%")
    assert len(cards(adsctl)) == 1, "another text is another post, with no card of its own"


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ("{website: 'https://shop.example/'}", "must be {website: URL, title: TEXT}"),
        ("{website: 'no address', title: Mugs}", "website must be an address"),
        ("{website: 'https://shop.example/', title: ''}", "card: components"),
        ("big", "must be {website: URL, title: TEXT}"),
    ],
)
def test_a_card_that_cannot_be_is_told_first(adsctl, service, carded, card, expected):
    text = CARDED.replace("{website: 'https://shop.example/mugs', title: Mugs}", card)
    (adsctl.home / "ads" / "posted.yaml").write_text(text)
    assert expected in adsctl(*WORDS, code=3).stderr
    (adsctl.home / "ads" / "posted.yaml").write_text(CARDED.replace("media: [mugs.png], ", ""))
    assert "needs media" in adsctl(*WORDS, code=3).stderr
    assert not cards(adsctl) and not posts(adsctl)


def all_cards(adsctl, *kind) -> list[dict]:
    return json.loads(adsctl("-q", "cards", *kind, "list", "--all", "-o", "json").stdout)


APP = "{country_code: DE, ios_app_store_identifier: '123456789'}"
SLIDE = (
    "[{type: MEDIA, media: %s}, {type: DETAILS, title: Mugs, "
    "destination: {type: WEBSITE, url: 'https://shop.example/'}}]"
)
CONVERSATION = (
    "title: Which, first_cta: '#Tea', first_cta_tweet: 'Tea #Tea', thank_you_text: Cheers, "
    "unlocked_image: mugs.png"
)
KINDS_OF_CARDS = {
    "app": ((), f"media: [mugs.png], card: {{app: {APP}, button: INSTALL}}"),
    "swipeable": ((), "media: [mugs.png, cups.png], card: {website: 'https://shop.example/', title: Mugs}"),
    "slides": ((), f"card: {{slides: [{SLIDE % 'mugs.png'}, {SLIDE % 'cups.png'}]}}"),
    "poll": (
        ("poll",),
        "card: {kind: poll, duration_in_minutes: 60, first_choice: Tea, second_choice: Coffee}",
    ),
    "poll of media": (
        ("poll",),
        "media: mugs.png, card: {kind: poll, duration_in_minutes: 60, first_choice: Tea, second_choice: No}",
    ),
    "conversation": (
        ("image-conversation",),
        f"media: [mugs.png], card: {{kind: image-conversation, {CONVERSATION}}}",
    ),
}


@both_services
def test_every_kind_of_card_is_made_once_with_its_files(adsctl, service, service_name, posted):
    (adsctl.home / "ads" / "cups.png").write_bytes(picture("PNG", 800, 419))
    file, kinds = adsctl.home / "ads" / "posted.yaml", ((), ("poll",), ("image-conversation",))
    ads_of_kinds = [
        f"    - {{text: Tea, {ad}, as_user_id: 1184672519}}\n" for _, ad in KINDS_OF_CARDS.values()
    ]
    file.write_text(FILE.split("    - {text")[0] + "".join(ads_of_kinds))
    before = {kind: {card["id"] for card in all_cards(adsctl, *kind)} for kind in kinds}
    adsctl(*WORDS)
    made = {
        kind: [card for card in all_cards(adsctl, *kind) if card["id"] not in before[kind]] for kind in kinds
    }
    expected = Counter(kind for kind, _ in KINDS_OF_CARDS.values())
    assert {kind: len(cards) for kind, cards in made.items()} == expected
    assert "media-of-" not in json.dumps([*made.values()])
    assert len({*ads(adsctl)}) == len(KINDS_OF_CARDS)
    adsctl("campaigns", "plan", "ads/posted.yaml", "--prune", code=0)


def test_what_is_no_card_of_a_kind_is_told_before_anything_is_sent(adsctl, service, posted, monkeypatch):
    sent = recorded(monkeypatch)
    no_list = "card: {components: null}", "card: {components: {a: b}}"
    mistakes = {
        "card: {kind: pol}": ".card: kind 'pol' is not one of",
        "card: {kind: poll, first_choise: Tea}": "first_choise is not a field of this card; did you mean",
        "card: {kind: poll, first_choice: Tea}": ".card: second_choice: ",
        "card: {name: Mugs}": ".card: must be {website",
        f"media_key: '3_1', {no_list[0]}": ".card: ",
        f"media_key: '3_1', {no_list[1]}": ".card: components must be a list",
        "media_keys: {a: b}, card: {website: 'https://s.example', title: T}": ".media_keys: must be a list",
        "media_keys: '3_1, 3_2', card: {kind: poll, first_choice: Tea}": ".card: takes one file",
        "media: [mugs.png], card: {app: 5, button: OPEN}": ".card: app must be a mapping",
        f"media: [mugs.png], card: {{app: {APP}, button: EAT}}": ".card: components",
        f"card: {{slides: [{SLIDE % 'none.png'}]}}": "none.png cannot be read",
        "media: [mugs.png, mugs.png], card: {kind: poll, first_choice: Tea}": ".card: takes one file",
    }
    lines = mistakes_said(adsctl, [f"{{text: Tea, {ad}, as_user_id: 1184672519}}" for ad in mistakes])
    for line, expected in zip(lines, mistakes.values(), strict=True):
        assert expected in line, (line, expected)
    assert not sent


WEBSITE = {"website": "https://s.example", "title": "T"}


# Of files that earlier versions applied: another digest makes their posts once more.
@pytest.mark.parametrize(
    ("ad", "digest", "card_digest"),
    [
        ({}, "315ea621a2d299be", ""),
        ({"media_keys": None}, "7e6fc88fb361fd6b", ""),
        ({"media_key": "3_1"}, "e28aadbe3cda37f8", ""),
        ({"media_key": "3_1", "media_keys": None}, "e28aadbe3cda37f8", ""),
        ({"media_keys": ["3_1", "3_2"]}, "9179ff54fd1ca458", ""),
        ({"media_keys": ["3_1"], "card": WEBSITE}, "35657f746089d7ef", "fe39ca6b91714910"),
        ({"media_keys": ["3_1", "3_2"], "card": WEBSITE}, "6ea57d6f08e5e58b", "966cd173e38960bd"),
    ],
)
def test_a_post_is_known_by_the_digest_of_earlier_versions(ad, digest, card_digest):
    post = read_post({"text": "hello", "as_user_id": "1184672520", **ad}, Path("/tmp"), pytest.fail)
    assert post.digest.startswith(digest) and post.card_digest[:16] == card_digest


def test_a_text_of_media_keys_is_split_at_the_commas():
    ad = {"text": "hello", "as_user_id": "1184672520", "card": WEBSITE}
    of_text, of_list = (
        read_post({**ad, "media_keys": keys}, Path("/tmp"), pytest.fail)
        for keys in ("3_1, 3_23", ["3_1", "3_23"])
    )
    assert card_of(of_text).fields["components"][0]["media_keys"] == ["3_1", "3_23"]
    assert of_text.digest == of_list.digest
