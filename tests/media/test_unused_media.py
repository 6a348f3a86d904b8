"""media library list --unused and media library clean: media of the library that nothing shows."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from ads_cli.client.transport import Sender
from tests.adsctl import Adsctl
from tests.conftest import Service
from tests.media.made import picture

GIF = "16_1790413120555520000"  # the only one of the seed that nothing shows
IMAGE = "3_1790420000000000001"
POSTER = "3_1790420000000000002"
VIDEO = "7_1790420000000000003"


def unused(adsctl: Adsctl, *words: str) -> list[str]:
    done = adsctl("media", "library", "list", "--unused", *words, "-o", "json")
    return sorted(record["media_key"] for record in json.loads(done.stdout))


def add(adsctl: Adsctl, key: str, *words: str) -> None:
    adsctl("media", "library", "add", "--media-key", key, *words)


def made(adsctl: Adsctl, *words: str) -> dict:
    return json.loads(adsctl(*words, "-o", "json").stdout)


CARD = ("cards", "image-conversation", "create", "--name", "Tea", "--title", "Which?")
FIRST = ("--first-cta", "#Tea", "--first-cta-tweet", "Tea", "--thank-you-text", "Cheers")
SHOWING = {
    "a post": ("posts", "create", "--as-user-id", "1184672519", "--text", "New", "--media-keys", IMAGE),
    "a draft": ("posts", "drafts", "create", "--text", "New", "--media-keys", IMAGE),
    "a scheduled post": (
        *("posts", "scheduled", "create", "--text", "New", "--media-keys", IMAGE),
        *("--scheduled-at", f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%dT%H:%M:00Z}"),
    ),
    "a card": ("cards", "create", "-f", "card.json"),
    "an older card": (*CARD, *FIRST, "--media-key", IMAGE),
    "what a card unlocks": (
        *(*CARD, *FIRST, "--media-key", "3_1790412874512007168"),
        *("--unlocked-image-media-key", IMAGE),
    ),
    "the poster of a video": ("media", "library", "add", "--media-key", VIDEO, "--poster-media-key", IMAGE),
}


def card_of(key: str) -> str:
    destination = {"type": "WEBSITE", "url": "https://shop.example/mugs"}
    details = {"type": "DETAILS", "title": "Mugs", "destination": destination}
    return json.dumps({"name": "Mugs", "components": [{"type": "MEDIA", "media_key": key}, details]})


BOTH = pytest.mark.parametrize("service_name", ["generic", "x"])  # whose fields have other names


@BOTH
@pytest.mark.parametrize("what", SHOWING)
def test_media_that_something_shows_are_in_use(adsctl, service, what, tmp_path):
    add(adsctl, IMAGE)
    assert unused(adsctl) == [GIF, IMAGE]
    (tmp_path / "card.json").write_text(card_of(IMAGE))
    adsctl(*SHOWING[what])
    assert IMAGE not in unused(adsctl)


@BOTH
def test_a_deleted_card_is_a_use_only_where_a_post_has_it(adsctl, service, tmp_path):
    for key in (IMAGE, POSTER):
        add(adsctl, key)
    cards = []
    for key in (IMAGE, POSTER):
        (tmp_path / "card.json").write_text(card_of(key))
        cards.append(made(adsctl, "cards", "create", "-f", "card.json"))
    post = ("posts", "create", "--as-user-id", "1184672519", "--text", "New")
    made(adsctl, *post, "--card-uri", cards[0]["card_uri"])
    for card in cards:
        adsctl("cards", "delete", card["id"], "--yes")
    assert unused(adsctl) == [GIF, POSTER]


def test_account_media_is_a_use_until_it_is_deleted_and_nothing_promotes_it(adsctl, service):
    add(adsctl, "13_1790420000000000004")
    assert unused(adsctl) == [GIF]
    listed = json.loads(adsctl("media", "account", "list", "-o", "json").stdout)
    (media,) = [media["id"] for media in listed if media["video_id"] == "13_1790420000000000004"]
    adsctl("media", "account", "delete", media, "--yes")
    assert unused(adsctl) == ["13_1790420000000000004", GIF]


def test_what_a_deleted_card_unlocked_is_in_use_no_longer(adsctl, service):
    add(adsctl, IMAGE)
    card = made(adsctl, *SHOWING["what a card unlocks"])
    adsctl("cards", "image-conversation", "delete", card["id"], "--yes")
    assert unused(adsctl) == [GIF, IMAGE]


def test_a_list_of_unused_media_takes_the_filters_and_tells_how_many(adsctl, service):
    add(adsctl, IMAGE, "--name", "Green mug")
    assert unused(adsctl, "--media-type", "IMAGE") == unused(adsctl, "--q", "green") == [IMAGE]
    assert len(unused(adsctl, "--limit", "1")) == 1
    assert "2 media of 6 unused" in adsctl("media", "library", "list", "--unused").stderr
    adsctl("media", "library", "list", "--unused", "--envelope", "-o", "json", code=2)


def test_conversation_cards_may_unlock_media_that_the_service_does_not_name(adsctl, service):
    assert "2 conversation cards may unlock" in adsctl("media", "library", "list", "--unused").stderr


def test_a_clean_up_asks_how_many_and_removes_only_what_nothing_shows(adsctl, service):
    add(adsctl, IMAGE)
    asked = adsctl("media", "library", "clean", code=12)
    assert "Delete 2 media from the media library" in asked.stderr and "--yes" in asked.stderr
    assert unused(adsctl) == [GIF, IMAGE]
    before = json.loads(adsctl("media", "library", "list", "--all", "-o", "json").stdout)
    records = json.loads(adsctl("media", "library", "clean", "--yes", "-o", "json").stdout)
    assert list(records[0]) == ["media_key", "media_type", "name", "file_name", "status"]
    assert {record["media_key"]: record["status"] for record in records} == {GIF: "deleted", IMAGE: "deleted"}
    left = json.loads(adsctl("media", "library", "list", "--all", "-o", "json").stdout)
    assert {media["media_key"] for media in before} - {media["media_key"] for media in left} == {GIF, IMAGE}
    assert unused(adsctl) == []
    assert json.loads(adsctl("media", "library", "clean", "-o", "json").stdout) == []


def test_a_dry_run_of_a_clean_up_removes_nothing(adsctl, service):
    done = adsctl("media", "library", "clean", "--dry-run", "-o", "json")
    assert [(load["media_key"], load["status"]) for load in json.loads(done.stdout)] == [(GIF, "not deleted")]
    assert "would delete 1 medium" in done.stderr and unused(adsctl) == [GIF]


def test_the_guard_judges_a_clean_up_before_anything_is_removed(adsctl, service):
    add(adsctl, IMAGE)
    for key, value in (("deny", "delete"), ("max_changes", "1"), ("read_only", "true")):
        adsctl.file("guard.yaml", f"{key}: {value}\n").chmod(0o600)
        refused = adsctl("media", "library", "clean", "--yes", code=12, ADSCTL_GUARD="guard.yaml")
        assert key in refused.stderr
    assert unused(adsctl) == [GIF, IMAGE]


def deleting(service: Service, when) -> None:
    """Call `when` once, before the second reading of what shows media."""
    answer, seen = service.answer, []

    def answered(environ, start_response):
        if environ["PATH_INFO"].endswith("/promotable_users"):
            seen.append(1)
            if len(seen) == 2:
                when()
        return answer(environ, start_response)

    service.answer = answered


def test_what_is_shown_meanwhile_is_kept(adsctl, service):
    add(adsctl, IMAGE)
    draft = ("posts", "drafts", "create", "--text", "New", "--media-keys", GIF)
    deleting(service, lambda: adsctl.beside(*draft).communicate())
    done = adsctl("media", "library", "clean", "--yes", "-o", "json")
    statuses = {load["media_key"]: load["status"] for load in json.loads(done.stdout)}
    assert statuses == {GIF: "kept", IMAGE: "deleted"} and "1 kept" in done.stderr


@pytest.mark.parametrize("path", ["cards", "draft_*", "media_creatives", "account_media", "promotable_users"])
def test_nothing_is_removed_where_what_shows_media_cannot_be_read(adsctl, service, path):
    service.fail(f"GET /12/accounts/*/{path} status=403")
    adsctl("media", "library", "clean", "--yes", code=4)
    service.fail()
    assert unused(adsctl) == [GIF]


def test_what_was_removed_before_the_service_failed_is_shown(adsctl, service):
    add(adsctl, IMAGE)
    service.fail(f"DELETE /12/accounts/*/media_library/{GIF} status=503")
    done = adsctl("media", "library", "clean", "--yes", "--max-attempts", "1", "-o", "json", code=8)
    statuses = {load["media_key"]: load["status"] for load in json.loads(done.stdout)}
    assert statuses[GIF] == "failed"


def test_a_file_whose_media_was_cleaned_up_is_uploaded_again(adsctl, service, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    upload = ("media", "upload", "hero.png", "-o", "json")
    adsctl(*upload)
    adsctl("media", "library", "clean", "--yes")
    assert json.loads(adsctl(*upload).stdout)[0]["status"] == "uploaded"


@BOTH
def test_what_a_card_made_elsewhere_may_unlock_is_kept_unless_it_is_asked_for(adsctl, service):
    add(adsctl, IMAGE)
    adsctl(*SHOWING["what a card unlocks"], ADSCTL_STATE_DIR=str(adsctl.home / "elsewhere"))
    for words in (("--dry-run",), ("--yes",)):
        records = json.loads(adsctl("media", "library", "clean", *words, "-o", "json").stdout)
        statuses = {record["media_key"]: record["status"] for record in records}
        assert statuses == {IMAGE: "kept", GIF: "not deleted" if words == ("--dry-run",) else "deleted"}
    assert "--unlocked" in adsctl("media", "library", "clean").stderr
    add(adsctl, VIDEO)  # came after the card
    records = json.loads(adsctl("media", "library", "clean", "--yes", "--unlocked", "-o", "json").stdout)
    assert {record["media_key"]: record["status"] for record in records} == {
        IMAGE: "deleted",
        VIDEO: "deleted",
    }


def test_a_refused_change_of_a_card_says_nothing_of_one_made_elsewhere(adsctl, service, monkeypatch):
    add(adsctl, IMAGE)
    with monkeypatch.context() as before:
        before.setattr("ads_cli.console.logged_changes.utc_text", lambda: "2026-01-01T08:00:00Z")
        card = made(adsctl, *CARD, *FIRST, "--media-key", "3_1790412874512007168")["id"]
    update = ("cards", "image-conversation", "update", card)
    elsewhere = str(adsctl.home / "elsewhere")
    adsctl(*update, "--unlocked-image-media-key", IMAGE, ADSCTL_STATE_DIR=elsewhere)
    service.fail("PUT /12/accounts/*/cards/* status=400")
    adsctl(*update, "--title", "Tea?", code=6)
    records = json.loads(adsctl("media", "library", "clean", "--yes", "-o", "json").stdout)
    assert {record["media_key"]: record["status"] for record in records} == {IMAGE: "kept", GIF: "deleted"}


@pytest.mark.parametrize("words", [("--media-type", "VIDEO"), ("--q", "no such words")])
def test_a_filter_that_the_service_ignores_deletes_no_other_media(adsctl, service, monkeypatch, words):
    assert unused(adsctl) == [GIF] and unused(adsctl, *words) == []
    send = Sender.send

    def ignoring(self, prepared, *args, **options):
        path, _, query = prepared.url.partition("?")
        if path.endswith("/media_library"):
            kept = [part for part in query.split("&") if not part.startswith(("media_type", "q="))]
            prepared = replace(prepared, url=f"{path}?{'&'.join(kept)}")
        return send(self, prepared, *args, **options)

    monkeypatch.setattr(Sender, "send", ignoring)
    assert unused(adsctl, *words) == []
    adsctl("media", "library", "clean", *words, "--yes")
    assert unused(adsctl) == [GIF]


@BOTH
def test_media_that_the_service_does_not_call_unposted_are_kept(adsctl, service, monkeypatch):
    send = Sender.send

    def silent(self, prepared, *args, **options):
        response = send(self, prepared, *args, **options)
        if not prepared.url.partition("?")[0].endswith("/media_library"):
            return response
        data = [
            {name: media[name] for name in media.keys() - {"posted", "tweeted"}} for media in response.data
        ]
        return replace(response, body={**response.body, "data": data})

    monkeypatch.setattr(Sender, "send", silent)
    adsctl("media", "library", "clean", "--yes")
    monkeypatch.undo()
    assert unused(adsctl) == [GIF]
