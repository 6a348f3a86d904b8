"""Lists, previews, drafts and scheduled posts against their limits, transcribed a second time."""

from datetime import UTC, datetime, timedelta

import pytest

from ads_cli.api.posts import (
    CreateDraft,
    CreatePost,
    CreateScheduledPost,
    ListDrafts,
    ListPosts,
    ListScheduledPosts,
    PreviewDraft,
    PreviewPosts,
    UpdateDraft,
    UpdateScheduledPost,
)

from .declared import check, ids, sent

IN = {"account_id": "a1"}
NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
SOON = "2026-12-02T08:00:00Z"
TIME_WORDS = (
    "is not allowed: ISO 8601 with an offset, such as 2026-03-01T08:00:00Z,"
    " or a day in UTC, such as 2026-03-01"
)


@pytest.fixture(autouse=True)
def now(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (ListPosts, {"post_type": "DRAFT"}, "GET ads://12/accounts/a1/posts?post_type=DRAFT"),
        (
            PreviewPosts,
            {"post_ids": ["1", "2"], "post_type": "SCHEDULED"},
            "GET ads://12/accounts/a1/post_previews?post_ids=1%2C2&post_type=SCHEDULED",
        ),
        (PreviewDraft, {"draft_post_id": "7"}, "POST ads://12/accounts/a1/draft_posts/preview/7"),
        (
            UpdateDraft,
            {"draft_post_id": "7", "text": "a b", "media_keys": ["3_1", "3_2"]},
            "PUT ads://12/accounts/a1/draft_posts/7?text=a%20b&media_keys=3_1%2C3_2",
        ),
        (
            UpdateScheduledPost,
            {"scheduled_post_id": "7", "scheduled_at": "2026-12-24"},
            "PUT ads://12/accounts/a1/scheduled_posts/7?scheduled_at=2026-12-24T00%3A00%3A00Z",
        ),
    ],
)
def test_parameters_travel_in_the_query(kind, values, expected):
    assert sent(kind, **IN | values) == expected


@pytest.mark.parametrize("kind", [CreateDraft, CreateScheduledPost])
@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        ({"text": None}, ["text: is required unless media_keys is set"]),
        ({"text": None, "media_keys": ids(4)}, []),
        ({"media_keys": ids(5)}, ["media_keys: has 5 items, at most 4 are allowed"]),
        ({"card_uri": "c1"}, ["card_uri: 'c1' is not allowed: card:// and the id of a card"]),
        ({"name": "x" * 80}, []),
        ({"name": "x" * 81}, ["name: has 81 characters, at most 80 are allowed"]),
        ({"nullcast": "perhaps"}, ["nullcast: 'perhaps' is neither true nor false"]),
        ({"as_user_id": "me"}, ["as_user_id: 'me' is not a whole number"]),
        ({"video_title": "t"}, ["video_title: is not a known field"]),
    ],
)
def test_a_new_post_keeps_its_limits(kind, changes, problems):
    time = {"scheduled_at": SOON} if kind is CreateScheduledPost else {}
    assert check(kind, **IN | {"text": "Hello"} | time | changes) == problems


@pytest.mark.parametrize("kind", [UpdateDraft, UpdateScheduledPost])
def test_a_change_needs_no_text(kind):
    id_field = kind.endpoint.id_field
    assert check(kind, **IN, **{id_field: "7"}, name="x") == []
    assert check(kind, **IN, **{id_field: "7"}, as_user_id="1") == ["as_user_id: is not a known field"]


@pytest.mark.parametrize(
    ("time", "problem"),
    [
        (SOON, ""),
        ("2026-12-01T09:01Z", ""),
        ("2026-12-02", ""),
        ("2026-12-01T11:01+02:00", ""),
        (f"{NOW + timedelta(days=366):%Y-%m-%dT%H:%M:%SZ}", ""),
        ("2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z is in the past"),
        ("2026-12-01T09:00:59Z", "2026-12-01T09:00:59Z is in the past"),  # seconds are cut off
        ("2026-12-01", "2026-12-01T00:00:00Z is in the past"),
        ("2027-12-03", "2027-12-03T00:00:00Z is more than a year ahead"),
        ("2026-12-02T08:00", f"'2026-12-02T08:00' {TIME_WORDS}"),
        ("tomorrow", f"'tomorrow' {TIME_WORDS}"),
    ],
)
def test_a_post_is_scheduled_for_a_time_to_come_within_a_year(time, problem):
    expected = [f"scheduled_at: {problem}"] if problem else []
    assert check(CreateScheduledPost, **IN, text="x", scheduled_at=time) == expected
    assert check(UpdateScheduledPost, **IN, scheduled_post_id="7", scheduled_at=time) == expected


def test_a_scheduled_post_requires_its_time():
    assert check(CreateScheduledPost, **IN, text="x") == ["scheduled_at: is required"]


@pytest.mark.parametrize("kind", [ListDrafts, ListScheduledPosts])
def test_lists_of_unpublished_posts_have_1_to_200_a_page(kind):
    assert check(kind, **IN, count="1") == check(kind, **IN, count="200") == []
    assert check(kind, **IN, count="201") == ["count: '201' is not allowed: 1 to 200"]
    assert check(kind, **IN, sort_by="name-asc") == ["sort_by: is not a known field"]


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"post_type": None}, ["post_type: is required"]),
        ({"post_type": "DELETED"}, ["post_type: 'DELETED' is not one of DRAFT, PUBLISHED, SCHEDULED"]),
        ({"timeline_type": "NONE"}, ["timeline_type: 'NONE' is not one of ALL, NULLCAST, ORGANIC"]),
        ({"post_ids": ids(200)}, []),
        ({"post_ids": ids(201)}, ["post_ids: has 201 items, at most 200 are allowed"]),
        ({"name": "x" * 81}, ["name: has 81 characters, at most 80 are allowed"]),
        ({"count": "1001"}, ["count: '1001' is not allowed: 1 to 1000"]),
        ({"with_deleted": "true"}, ["with_deleted: is not a known field"]),
    ],
)
def test_lists_of_posts_keep_their_limits(changes, problems):
    assert check(ListPosts, **IN | {"post_type": "DRAFT"} | changes) == problems


def test_previews_require_ids_and_a_type():
    assert check(PreviewPosts, **IN) == ["post_ids: is required", "post_type: is required"]
    assert check(PreviewPosts, **IN, post_ids=ids(201), post_type="DRAFT") == [
        "post_ids: has 201 items, at most 200 are allowed"
    ]


def test_the_address_of_a_call_to_action_needs_one():
    post = IN | {"as_user_id": "42", "text": "x"}
    assert check(CreatePost, **post, video_cta_value="https://shop.example") == [
        "video_cta_value: needs video_cta"
    ]


@pytest.mark.parametrize("what", ["drafts", "scheduled"])
def test_only_a_new_post_is_said_to_require_a_text(adsctl, what):
    assert "Required without media_keys" in adsctl("posts", what, "create", "--help").stdout
    assert "Required without" not in adsctl("posts", what, "update", "--help").stdout
