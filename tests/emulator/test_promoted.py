"""What line items promote: posts, scheduled posts, accounts, media, and calls to action."""

import pytest

from tests.emulator.seeded import (
    BANNER,
    CLICKS,
    DONE,
    ENDED,
    ENDED_POST,
    FILMS,
    FOLLOWERS,
    OFFER,
    PARTNER,
    PREROLLS,
    REACH,
    SPRING_POST,
    WINTER_POST,
)
from tests.emulator_data import update_record

from .client import errors
from .wire_names import service_name  # noqa: F401

POST_FIELDS = {
    *("id", "line_item_id", "post_id", "entity_status", "approval_status"),
    *("created_at", "updated_at", "deleted"),
}
ELSEWHERE, FURTHER = "1790415000000000071", "1790415000000000072"  # posts of another account
USER = "1184672520"


@pytest.fixture
def account(local):
    return f"/12/accounts/{local.emulator.account}"


@pytest.fixture
def posts(local, account):
    others = ({"id": str(int(ELSEWHERE) + number)} for number in range(60))
    local.emulator.data.add_records("post", others, owner=PARTNER)
    return f"{account}/promoted_posts"


def ids(response) -> list[str]:
    assert response.status_code == 200, response.text
    return [record["id"] for record in response.json()["data"]]


def test_posts_are_promoted_together_and_one_by_one_deleted(local, posts):
    answer = local.send("POST", posts, line_item_id=REACH, post_ids=f"{ELSEWHERE},{FURTHER}").json()
    assert answer["request"]["params"]["post_ids"] == [int(ELSEWHERE), int(FURTHER)]
    assert answer["total_count"] == 2 and [record["post_id"] for record in answer["data"]] == [
        ELSEWHERE,
        FURTHER,
    ]
    assert all(
        record.keys() == POST_FIELDS and record["id"] != record["post_id"] for record in answer["data"]
    )
    first, second = answer["data"]
    assert local.get(f"{posts}/{first['id']}").json()["data"] == first
    assert local.send("DELETE", f"{posts}/{first['id']}").json()["data"]["deleted"] is True
    listed = ids(local.get(posts, line_item_ids=REACH))
    assert second["id"] in listed and first["id"] not in listed
    assert local.get(f"{posts}/{first['id']}").status_code == 404
    assert local.get(f"{posts}/{first['id']}", with_deleted="true").json()["data"]["deleted"] is True


def test_posts_are_promoted_all_or_none(local, posts):
    before = ids(local.get(posts))
    response = local.send("POST", posts, line_item_id=CLICKS, post_ids=f"{FURTHER},{SPRING_POST}")
    assert errors(response) == [("INVALID_PARAMETER", "post_ids")]
    assert ids(local.get(posts)) == before


@pytest.mark.parametrize(
    ("given", "blamed"),
    [
        ({"line_item_id": "none", "post_ids": SPRING_POST}, ("INVALID_PARAMETER", "line_item_id")),
        ({"line_item_id": ENDED, "post_ids": SPRING_POST}, ("INVALID_PARAMETER", "line_item_id")),
        ({"line_item_id": CLICKS, "post_ids": "first"}, ("INVALID_PARAMETER", "post_ids[0]")),
        ({"line_item_id": CLICKS}, ("MISSING_PARAMETER", "post_ids")),
    ],
)
def test_only_posts_and_line_items_are_promoted(local, posts, given, blamed):
    assert errors(local.send("POST", posts, **given)) == [blamed]


def test_a_request_promotes_at_most_fifty_posts(local, posts):
    many = [str(int(FURTHER) + number) for number in range(51)]
    assert local.send("POST", posts, line_item_id=REACH, post_ids=",".join(many)).status_code == 400
    assert local.send("POST", posts, line_item_id=REACH, post_ids=",".join(many[:50])).status_code == 200


def test_what_a_deleted_line_item_promotes_stays_undeleted_and_is_listed_with_deleted(local, account, posts):
    promoted = ids(local.get(posts, line_item_ids=CLICKS))
    assert promoted and ENDED_POST not in ids(local.get(posts))
    local.send("DELETE", f"{account}/line_items/{CLICKS}")
    assert not {*promoted} & {*ids(local.get(posts))}
    listed = local.get(posts, with_deleted="true").json()["data"]
    assert {record["id"]: record["deleted"] for record in listed}.items() >= {
        (promotion, False) for promotion in promoted
    }
    assert ENDED_POST in [record["id"] for record in listed]


def test_an_account_is_promoted_once(local, account):
    path = f"{account}/promoted_accounts"
    added = local.send("POST", path, line_item_id=FOLLOWERS, user_id=USER).json()["data"]
    assert (added["user_id"], added["approval_status"]) == (USER, "ACCEPTED")
    assert local.send("POST", path, line_item_id=FOLLOWERS, user_id=USER).json()["data"] == added
    assert len(ids(local.get(path, line_item_ids=FOLLOWERS))) == 2
    assert local.send("DELETE", f"{path}/{added['id']}").json()["data"]["deleted"] is True
    assert added["id"] not in ids(local.get(path))


def test_accounts_are_promoted_by_line_items_for_them(local, account):
    path = f"{account}/promoted_accounts"
    refused = local.send("POST", path, line_item_id=CLICKS, user_id=USER)
    assert errors(refused) == [("INCOMPATIBLE_LINE_ITEM", "line_item_id")]
    assert errors(local.get(path, line_item_ids=f"{CLICKS},{REACH}")) == [
        ("INVALID_PARAMETER", "line_item_ids")
    ]
    assert ids(local.get(path, line_item_ids=f"{CLICKS},{FOLLOWERS}"))


def test_a_scheduled_post_is_promoted_before_its_time(local, account):
    path = f"{account}/scheduled_promoted_posts"
    given = {"line_item_id": CLICKS, "scheduled_post_id": OFFER}
    answer = local.send("POST", path, **given).json()
    assert answer["request"]["params"]["scheduled_post_id"] == int(OFFER)
    added = answer["data"]
    assert (added["scheduled_post_id"], added["post_id"]) == (OFFER, None)
    assert errors(local.send("POST", path, **given)) == [("INVALID_PARAMETER", "scheduled_post_id")]
    assert local.send("DELETE", f"{path}/{added['id']}").json()["data"]["deleted"] is True
    assert ids(local.get(path, line_item_ids=CLICKS)) == []


def test_only_a_post_that_waits_can_be_promoted(local, account):
    path = f"{account}/scheduled_promoted_posts"
    for post in (DONE, ELSEWHERE):
        response = local.send("POST", path, line_item_id=CLICKS, scheduled_post_id=post)
        assert errors(response) == [("INVALID_PARAMETER", "scheduled_post_id")]


def test_a_promotion_stays_once_its_post_is_published(local, account):
    path = f"{account}/scheduled_promoted_posts"
    (promotion,) = ids(local.get(path))
    update_record(local.emulator, "scheduled_post", WINTER_POST, {"scheduled_at": "2026-01-01T00:00:00Z"})
    (shown,) = local.get(path).json()["data"]
    published = local.get(f"{account}/scheduled_posts/{WINTER_POST}").json()["data"]["post_id"]
    assert shown["post_id"] == published is not None
    assert local.send("DELETE", f"{path}/{promotion}").status_code == 400
    assert ids(local.get(path)) == [promotion]


def test_media_of_the_account_are_shown_by_line_items(local, account):
    path = f"{account}/media_creatives"
    medium = {"line_item_id": CLICKS, "account_media_id": BANNER}
    assert errors(local.send("POST", path, **medium)) == [("MISSING_PARAMETER", "landing_url")]
    added = local.send("POST", path, **medium, landing_url="https://shop.example/").json()["data"]
    assert (added["creative_type"], added["landing_url"]) == ("BANNER", "https://shop.example/")
    assert local.get(f"{path}/{added['id']}").json()["data"] == added
    unknown = local.send("POST", path, line_item_id=CLICKS, account_media_id="none")
    assert errors(unknown) == [("INVALID_PARAMETER", "account_media_id")]
    assert local.send("DELETE", f"{path}/{added['id']}").json()["data"]["deleted"] is True


def test_a_preroll_has_no_landing_page(local, account):
    path = f"{account}/media_creatives"
    prerolls = local.get(f"{account}/account_media", creative_types="PREROLL").json()["data"]
    film = {"line_item_id": CLICKS, "account_media_id": prerolls[0]["id"]}
    added = local.send("POST", path, **film, landing_url="https://shop.example/").json()["data"]
    assert (added["creative_type"], added["landing_url"]) == ("PREROLL", None)


def test_media_are_listed_by_line_item_and_by_campaign(local, account):
    path = f"{account}/media_creatives"
    of_films = ids(local.get(path))
    given = {"line_item_id": REACH, "account_media_id": BANNER}
    added = local.send("POST", path, **given).json()["data"]["id"]
    assert ids(local.get(path, campaign_id=FILMS)) == ids(local.get(path, line_item_ids=PREROLLS)) == of_films
    assert ids(local.get(path, line_item_ids=REACH)) == [added]
    assert ids(local.get(path, media_creative_ids=added)) == [added]


def test_calls_to_action_belong_to_prerolls(local, account):
    path = f"{account}/preroll_call_to_actions"
    action = {"call_to_action": "SHOP", "call_to_action_url": "https://shop.example/"}
    refused = local.send("POST", path, line_item_id=CLICKS, **action)
    assert errors(refused) == [("INVALID_PARAMETER", "line_item_id")]
    added = local.send("POST", path, line_item_id=PREROLLS, **action).json()["data"]
    assert added.items() >= {"line_item_id": PREROLLS, **action, "deleted": False}.items()
    changed = local.send("PUT", f"{path}/{added['id']}", call_to_action="WATCH_NOW").json()["data"]
    unchanged = "https://shop.example/"
    assert (changed["call_to_action"], changed["call_to_action_url"]) == ("WATCH_NOW", unchanged)
    assert added["id"] in ids(local.get(path, line_item_ids=PREROLLS))
    assert local.send("DELETE", f"{path}/{added['id']}").json()["data"]["deleted"] is True
    assert local.send("PUT", f"{path}/{added['id']}", call_to_action="SHOP").status_code == 404


def test_the_history_of_the_account_has_what_was_promoted(local, account, posts):
    (added,) = local.send("POST", posts, line_item_id=REACH, post_ids=ELSEWHERE).json()["data"]
    noted = local.get(
        f"{account}/account_history", entity_type="PROMOTED_POST", entity_id=added["id"],
        start_time="2020-01-01T00:00:00Z", end_time="2099-01-01T00:00:00Z",
    )  # fmt: skip
    assert [record["change_type"] for record in noted.json()["data"]] == ["CREATE"]
