"""Drafts and scheduled posts: what their state allows, and what becomes of them."""

from datetime import UTC, datetime, timedelta

import pytest

from ads_cli.emulator.seed.credentials import OTHER_USER, USER
from tests.emulator.seeded import (
    COLLECTION,
    DELETED,
    DONE,
    GIF,
    GREEN_DRAFT,
    IMAGE,
    OFFER,
    PARTNER,
    SQUARE,
    VIDEO,
    WINTER_POST,
)

from .client import errors, is_without_account
from .wire_names import service_name, x_only  # noqa: F401 - every test runs under both

CARD = f"card://{COLLECTION}"


@pytest.fixture
def account(local):
    return f"/12/accounts/{local.emulator.account}"


@pytest.fixture(params=["draft_posts", "scheduled_posts"])
def posts(request, account):
    return f"{account}/{request.param}"


@pytest.fixture
def drafts(account):
    return f"{account}/draft_posts"


@pytest.fixture
def scheduled(account):
    return f"{account}/scheduled_posts"


def in_minutes(minutes: float) -> str:
    return f"{datetime.now(UTC) + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"


@pytest.fixture
def create(local):
    def create(path, **query):
        time = {"scheduled_at": in_minutes(90)} if path.endswith("scheduled_posts") else {}
        return local.send("POST", path, **{"text": "Hello"} | time | query)

    return create


def made(response):
    assert response.status_code == 200, response.text
    return response.json()["data"]


def test_a_draft_has_the_fields_of_the_reference(create, drafts):
    assert set(made(create(drafts))) == {
        "id", "name", "text", "user_id", "nullcast", "card_uri", "media_keys", "created_at", "updated_at",
    }  # fmt: skip


def test_a_scheduled_post_has_the_fields_of_the_reference(create, scheduled):
    assert set(made(create(scheduled))) == {
        "id", "name", "text", "user_id", "nullcast", "card_uri", "media_keys", "scheduled_at",
        "scheduled_status", "completed_at", "post_id", "created_at", "updated_at",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"media_keys": f"{GIF},{IMAGE}"}, "media_keys"),
        ({"media_keys": f"{VIDEO},{SQUARE}"}, "media_keys"),
        ({"media_keys": "3_none"}, "media_keys"),
        ({"card_uri": "card://none"}, "card_uri"),
        ({"nullcast": "false", "as_user_id": OTHER_USER}, "as_user_id"),
    ],
)
def test_content_that_no_post_can_have_is_refused(local, create, posts, query, parameter):
    before = local.get(posts).json()["data"]
    assert errors(create(posts, **query)) == [("INVALID_PARAMETER", parameter)]
    assert local.get(posts).json()["data"] == before
    if parameter != "as_user_id":
        post = made(create(posts))["id"]
        assert errors(local.send("PUT", f"{posts}/{post}", **query)) == [("INVALID_PARAMETER", parameter)]


@pytest.mark.parametrize("keys", [[IMAGE], [IMAGE, SQUARE, IMAGE, SQUARE], [GIF], [VIDEO]])
def test_media_stand_without_a_text(create, posts, keys):
    assert made(create(posts, text="", media_keys=",".join(keys)))["media_keys"] == keys


def test_posts_are_those_of_their_author(local, create, posts):
    own = made(create(posts))
    others = made(create(posts, as_user_id=OTHER_USER))
    assert (own["user_id"], others["user_id"]) == (USER, OTHER_USER)
    listed = [post["id"] for post in local.get(posts).json()["data"]]
    assert own["id"] in listed and others["id"] not in listed
    assert local.get(posts, user_id=OTHER_USER).json()["data"] == [others]


def test_posts_are_paged(local, create, posts):
    for _ in range(3):
        create(posts)
    whole = local.get(posts).json()
    assert whole["next_cursor"] is None and len(whole["data"]) >= 5
    listed, cursor = [], {}
    while cursor is not None:
        page = local.get(posts, count="2", **cursor).json()
        listed += page["data"]
        cursor = page["next_cursor"] and {"cursor": page["next_cursor"]}
    assert listed == whole["data"]


@x_only
def test_an_empty_value_removes_a_card_or_media_but_not_both(local, create, posts):
    post = made(create(posts, card_uri=CARD, media_keys=IMAGE))
    path = f"{posts}/{post['id']}"
    without_card = made(local.send("PUT", path, card_uri=""))
    assert (without_card["card_uri"], without_card["media_keys"]) == (None, [IMAGE])
    without_text = made(local.send("PUT", path, text=""))
    assert without_text["text"] == ""
    blank = local.send("PUT", path, media_keys="")
    assert errors(blank) == [("TWEET_CANNOT_BE_BLANK", "text")]
    assert local.get(path).json()["data"]["media_keys"] == [IMAGE]


@x_only
def test_a_loaded_post_is_taken_back(local, create, posts):
    post = made(create(posts, name="n"))
    query = {name: value for name, value in post.items() if value is not None and name != "media_keys"}
    query |= {"text": "Changed", "nullcast": "true"}
    changed = made(local.send("PUT", f"{posts}/{post['id']}", **query))
    assert (changed["text"], changed["name"], changed["id"]) == ("Changed", "n", post["id"])


def test_a_scheduled_post_is_published_when_its_time_has_come(
    local, account, scheduled, create, time_machine
):
    post = made(create(scheduled, scheduled_at=in_minutes(30), text="Now", card_uri=CARD, name="Due"))
    listed = local.get(f"{account}/posts", post_type="SCHEDULED", post_ids=post["id"]).json()["data"]
    assert [record["scheduled_at"] for record in listed] == [post["scheduled_at"]]
    time_machine.move_to(datetime.now(UTC) + timedelta(minutes=31))
    after = local.get(f"{scheduled}/{post['id']}").json()["data"]
    assert (after["scheduled_status"], after["completed_at"]) == ("SUCCESS", post["scheduled_at"])
    assert local.get(f"{account}/posts", post_type="SCHEDULED", post_ids=post["id"]).json()["data"] == []
    (published,) = local.get(f"{account}/posts", post_type="PUBLISHED", name="due").json()["data"]
    assert (published["post_id"], published["full_text"], published["card_uri"]) == (
        after["post_id"],
        "Now",
        CARD,
    )
    (shown,) = local.get(f"{account}/post_previews", post_ids=after["post_id"], post_type="PUBLISHED").json()[
        "data"
    ]
    assert shown["post_id"] == after["post_id"]
    for method in ("PUT", "DELETE"):
        query = {"text": "Late"} if method == "PUT" else {}
        response = local.send(method, f"{scheduled}/{post['id']}", **query)
        assert errors(response) == [("INVALID_PARAMETER", "scheduled_post_id")]
        assert "SUCCESS" in response.json()["errors"][0]["message"]


def test_a_promotion_of_a_scheduled_post_learns_the_post(local, account, time_machine):
    (promotion,) = local.get(f"{account}/scheduled_promoted_posts").json()["data"]
    assert (promotion["scheduled_post_id"], promotion["post_id"]) == (WINTER_POST, None)
    time_machine.move_to(datetime.now(UTC) + timedelta(days=5))
    published = local.get(f"{account}/scheduled_posts/{WINTER_POST}").json()["data"]["post_id"]
    (promotion,) = local.get(f"{account}/scheduled_promoted_posts").json()["data"]
    assert promotion["post_id"] == published


def test_a_post_whose_card_was_deleted_fails(local, account, scheduled, create, time_machine):
    post = made(create(scheduled, scheduled_at=in_minutes(30), card_uri=CARD))
    local.send("DELETE", f"{account}/cards/{COLLECTION}")
    time_machine.move_to(datetime.now(UTC) + timedelta(minutes=31))
    failed = local.get(f"{scheduled}/{post['id']}").json()["data"]
    assert (failed["scheduled_status"], failed["post_id"]) == ("FAILED", None)
    assert failed["completed_at"] == post["scheduled_at"]


def test_a_post_is_scheduled_for_a_whole_minute(create, scheduled, time_machine):
    time_machine.move_to("2026-12-01T09:00:00Z", tick=False)
    assert (
        made(create(scheduled, scheduled_at="2026-12-01T10:30:59Z"))["scheduled_at"] == "2026-12-01T10:30:00Z"
    )
    assert made(create(scheduled, scheduled_at="2026-12-02"))["scheduled_at"] == "2026-12-02T00:00:00Z"
    for time in ("2026-12-01T08:59:00Z", "2027-12-05T00:00:00Z"):
        assert errors(create(scheduled, scheduled_at=time)) == [("INVALID_PARAMETER", "scheduled_at")]


def test_thirty_posts_are_scheduled_in_a_quarter_of_an_hour(local, create, scheduled, time_machine):
    time_machine.move_to("2026-12-01T09:00:00Z", tick=False)
    made_posts = [made(create(scheduled, scheduled_at=f"2026-12-24T10:{15 + n % 15}Z")) for n in range(30)]
    full = [("SCHEDULED_TWEET_LIMIT_EXCEEDED", "scheduled_at")]
    assert errors(create(scheduled, scheduled_at="2026-12-24T10:29:00Z")) == full
    beside = made(create(scheduled, scheduled_at="2026-12-24T10:30:00Z"))
    assert (
        errors(local.send("PUT", f"{scheduled}/{beside['id']}", scheduled_at="2026-12-24T10:15:00Z")) == full
    )
    inside = f"{scheduled}/{made_posts[0]['id']}"
    assert local.send("PUT", inside, scheduled_at="2026-12-24T10:20:00Z", text="Moved").status_code == 200
    assert local.send("DELETE", inside).status_code == 200
    assert create(scheduled, scheduled_at="2026-12-24T10:29:00Z").status_code == 200


@pytest.mark.parametrize("account", ["none", PARTNER, DELETED])
def test_posts_of_inaccessible_accounts_are_not_found(local, account):
    at = f"/12/accounts/{account}"
    lines = [
        ("GET", f"{at}/posts", {"post_type": "DRAFT"}),
        ("GET", f"{at}/post_previews", {"post_type": "DRAFT", "post_ids": "1"}),
        ("POST", f"{at}/draft_posts/preview/{GREEN_DRAFT}", {}),
        ("POST", f"{at}/draft_posts", {"text": "x"}),
        ("POST", f"{at}/scheduled_posts", {"text": "x", "scheduled_at": in_minutes(30)}),
        ("GET", f"{at}/promotable_users", {}),
    ]
    for kind, post in (("draft_posts", GREEN_DRAFT), ("scheduled_posts", OFFER)):
        lines += [("GET", f"{at}/{kind}", {})]
        lines += [(method, f"{at}/{kind}/{post}", {}) for method in ("GET", "PUT", "DELETE")]
    for method, path, query in lines:
        response = local.send(method, path, **query)
        assert is_without_account(local, response, account), (method, path)


def test_posts_of_another_account_are_not_found(local, account):
    other = account.replace(local.emulator.account, "18ce55gze09")
    for path in (f"draft_posts/{GREEN_DRAFT}", f"scheduled_posts/{DONE}"):
        assert local.get(f"{account}/{path}").status_code == 200
        assert local.get(f"{other}/{path}").status_code == 404
    assert local.get(f"{other}/posts", post_type="PUBLISHED", timeline_type="ALL").json()["data"] == []
    previews = local.get(f"{other}/post_previews", post_type="DRAFT", post_ids=GREEN_DRAFT)
    assert previews.json()["data"] == []


@pytest.mark.parametrize(
    "text", ["Kaffee ☕️ für 👩‍👩‍👧", "a\u202eb\u2066c", "line\none\ttab", "[bold]x[/bold]", "Ω" * 300]
)
def test_any_text_survives(local, account, create, posts, text):
    post = made(create(posts, text=text, name=text[:80]))
    assert (post["text"], post["name"]) == (text, text[:80])
    kind = "DRAFT" if "draft" in posts else "SCHEDULED"
    (listed,) = local.get(f"{account}/posts", post_type=kind, post_ids=post["id"]).json()["data"]
    assert (listed["full_text"], listed["display_text_range"]) == (text, [0, len(text)])
    records = local.get(f"{account}/posts", post_type=kind, name=text[:5].upper()).json()["data"]
    assert post["id"] in [str(record["post_id"]) for record in records]


@pytest.mark.parametrize(("group", "id"), [("drafts", GREEN_DRAFT), ("scheduled", OFFER)])
def test_a_question_says_that_a_post_is_deleted_for_good(adsctl, group, id):
    kind = group.removesuffix("s")
    stderr = adsctl.local("posts", group, "delete", id, code=12).stderr
    assert f"Delete the {kind} post {id}; this cannot be undone" in stderr
