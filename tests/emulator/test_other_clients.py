"""What clients that others wrote send to service x, and what they are answered."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ads_cli.emulator.app import Emulator
from tests.emulator.seeded import ORDER, REACH, SPRING, SPRING_POST, TALL, VIDEO

from .client import HOST, Client, InProcess, authorization, errors, product


@pytest.fixture
def emulator(database: Path) -> Iterator[Emulator]:
    """An emulator of service x, as tolerant as a served one."""
    with closing(Emulator(database, service="x", strict=False)) as emulator:
        yield emulator


def test_paths_of_version_11_answer_as_those_of_version_12(local):
    account = f"accounts/{local.emulator.account}"
    for path in ("accounts", f"{account}/campaigns", f"stats/{account}/active_entities"):
        older, current = (local.get(f"/{version}/{path}") for version in (11, 12))
        assert older.status_code == current.status_code and older.text == current.text
    made = local.send("POST", f"/11/{account}/tracking_tags", tracking_tag_type="IMPRESSION_TAG")
    assert errors(made)[0] == ("MISSING_PARAMETER", "line_item_id")
    assert local.get(f"/11/{account}/app_event_provider_configurations").status_code == 200
    assert local.send("PATCH", f"/11/{account}").status_code == 405
    assert local.get("/10/accounts").status_code == 404


def test_paths_of_version_11_are_unknown_to_the_neutral_service(database):
    with closing(Emulator(database)) as emulator:
        assert Client(emulator, InProcess(emulator)).get("/11/accounts").status_code == 404


def unknown_of(response) -> list[str]:
    """Return which parameters a successful response says were left out."""
    assert response.status_code == 200, response.text
    return response.headers.get("x-emulator-unknown-parameters", "").split(", ")


def test_unknown_parameters_are_left_out_and_named_in_a_header(local):
    account = f"/12/accounts/{local.emulator.account}"
    assert unknown_of(local.get(f"/12/stats/jobs/accounts/{local.emulator.account}", count=1000)) == ["count"]
    sent = {"post_type": "PUBLISHED", "sort_by": "created_at-desc", "with_deleted": "true", "colour": "a,b"}
    posts = local.get(f"{account}/posts", **sent)
    assert unknown_of(posts) == ["sort_by", "with_deleted", "colour"] and posts.json()["data"]
    assert "colour" not in posts.json()["request"]["params"]
    assert unknown_of(local.get(f"{account}/cards", media_ids="1")) == ["media_ids"]
    assert unknown_of(local.get(f"{account}/cards")) == [""]
    made = local.send("POST", f"{account}/tracking_tags", colour="ö\r\n,x: y", **tag())
    assert unknown_of(made) == ["colour"] and "colour" not in made.json()["data"]


def test_an_unknown_parameter_takes_none_away_that_has_a_name_of_its_own_on_the_wire(local):
    response = local.get("/2/media", media_keys=VIDEO, **{"media.fields": "type"}, colour="blue")
    assert unknown_of(response) == ["colour"]
    assert response.json()["data"] == [{"media_key": VIDEO, "type": "video"}]


def tag() -> dict[str, str]:
    return {
        "line_item_id": REACH,
        "tracking_tag_type": "IMPRESSION_TAG",
        "tracking_tag_url": "https://a.example/",
    }


def test_names_that_cannot_be_in_a_header_are_encoded(served):
    response = served.get(f"/12/accounts/{served.emulator.account}", **{"ö\r\nx: y": "1", "a,b": "2"})
    assert unknown_of(response) == ["%C3%B6%0D%0Ax%3A%20y", "a%2Cb"]


def test_unknown_fields_inside_a_body_are_left_out(local):
    path = f"/12/accounts/{local.emulator.account}/cards"
    media = {"type": "MEDIA", "media_key": VIDEO, "media_metadata": {VIDEO: {"type": "VIDEO", "width": 640}}}
    site = {"type": "WEBSITE", "url": "https://shop.example/", "colour": "red"}
    details = {"type": "DETAILS", "title": "Mugs", "destination": site}
    made = local.send("POST", path, json_body={"name": "Mugs", "components": [media, details]})
    left_out = ["components[0].media_metadata", "components[1].destination.colour"]
    assert unknown_of(made) == left_out
    components = made.json()["data"]["components"]
    assert components[0] == {"type": "MEDIA", "media_key": VIDEO}
    changed = local.send(
        "PUT", f"{path}/{made.json()['data']['id']}", json_body={"name": "A", "size": 1}, q="1"
    )
    assert unknown_of(changed) == ["size", "q"]


def test_unknown_fields_in_batches_are_left_out(local):
    params = {"funding_instrument_id": ORDER, "name": "A", "daily_budget_amount_local_micro": 10_000_000}
    campaigns = f"/12/batch/accounts/{local.emulator.account}/campaigns"
    create = {"operation_type": "Create", "params": params | {"paused": "true", "colour": "red"}}
    made = local.send("POST", campaigns, json_body=[create, create])
    assert unknown_of(made) == ["params.paused", "params.colour"]
    assert [record["name"] for record in made.json()["data"]] == ["A", "A"]
    audience = local.emulator.data.audiences()[0]["id"]
    users = f"/12/accounts/{local.emulator.account}/custom_audiences/{audience}/users"
    params = {"users": [{"email": ["0" * 64], "shoe_size": ["44"]}], "salt": "a"}
    put = local.send("POST", users, json_body=[{"operation_type": "Update", "params": params}])
    assert unknown_of(put) == ["params.users[0].shoe_size", "params.salt"]
    assert put.json()["data"] == {"success_count": 1, "total_count": 1}
    put = local.send("PUT", local.products_path, json_body={"products": [product(colour="red")], "dry": True})
    assert unknown_of(put) == ["dry", "colour"]
    assert put.json()["data"]["products_response"][0]["status"] == "CREATE_SUCCESS"


def test_a_neutral_name_is_unknown_to_service_x(local):
    """Where only another service knows a name, its value is not taken."""
    path = f"/12/accounts/{local.emulator.account}/promoted_tweets"
    refused = signed(local, "POST", f"{path}?line_item_id={REACH}&post_ids=1")
    assert errors(refused) == [("MISSING_PARAMETER", "tweet_ids")]
    assert refused.headers["x-emulator-unknown-parameters"] == "post_ids"


def test_known_parameters_are_validated_all_the_same(local):
    account = f"/12/accounts/{local.emulator.account}"
    assert errors(local.get(f"{account}/campaigns", count=0, colour=1)) == [("INVALID_PARAMETER", "count")]
    repeated = signed(local, "GET", f"{account}/campaigns?count=1&colour=1&colour=2&count=2")
    assert errors(repeated) == [("INVALID_PARAMETER", "count")]
    assert unknown_of(signed(local, "GET", f"{account}/campaigns?colour=1&colour=2")) == ["colour"]
    put = local.send("PUT", local.products_path, json_body={"products": [product()]}, products="1")
    assert errors(put) == [("INVALID_PARAMETER", "products")]


def signed(local: Client, method: str, path: str):
    """Send what no helper of the tests renames or encodes."""
    return local.transport.request(
        method, HOST + path, headers=authorization(local.keys, method, HOST + path)
    )


@pytest.mark.parametrize(("service", "strict"), [("x", True), ("generic", True), ("generic", False)])
def test_a_strict_emulator_and_the_neutral_service_refuse_unknown_parameters(database, service, strict):
    with closing(Emulator(database, service=service, strict=strict)) as emulator:
        client = Client(emulator, InProcess(emulator))
        refused = client.get(f"/12/accounts/{emulator.account}/cards", colour="red")
        assert errors(refused) == [("INVALID_PARAMETER", "colour")]
        assert "x-emulator-unknown-parameters" not in refused.headers


X_CODES = {
    "campaigns/none": (404, "CAMPAIGN_NOT_FOUND"),
    "line_items/none": (404, "LINE_ITEM_NOT_FOUND"),
    "cards/none": (404, "CARD_NOT_FOUND"),
    "cards/poll/none": (404, "CARD_NOT_FOUND"),
    "media_creatives/none": (404, "MEDIA_CREATIVE_NOT_FOUND"),
    "account_media/none": (404, "ACCOUNT_MEDIA_NOT_FOUND"),
    "media_library/3_1": (404, "MEDIA_NOT_FOUND"),
    "funding_instruments/none": (404, "FUNDING_INSTRUMENT_NOT_FOUND"),
    "promoted_tweets/none": (404, "PROMOTED_TWEET_NOT_FOUND"),
    "promoted_accounts/none": (404, "PROMOTED_ACCOUNT_NOT_FOUND"),
    "promotable_users/none": (404, "PROMOTABLE_USER_NOT_FOUND"),
    "scheduled_tweets/1": (404, "TWEET_NOT_FOUND"),
    "draft_tweets/1": (404, "TWEET_NOT_FOUND"),
    "custom_audiences/none": (404, "TAILORED_AUDIENCE_NOT_FOUND"),
    "targeting_criteria/none": (404, "TARGETING_CRITERION_NOT_FOUND"),
    "web_event_tags/none": (404, "WEB_EVENT_TAG_NOT_FOUND"),
    "app_event_tags/none": (404, "APP_EVENT_TAG_NOT_FOUND"),
    "user_settings/1": (404, "NOT_FOUND"),
    "tracking_tags/none": (404, "NOT_FOUND"),
    "nothing": (404, "ROUTE_NOT_FOUND"),
}


@pytest.mark.parametrize("path", X_CODES)
def test_what_does_not_exist_has_a_code_of_the_reference(local, path):
    response = local.get(f"/12/accounts/{local.emulator.account}/{path}")
    assert (response.status_code, response.json()["errors"][0]["code"]) == X_CODES[path]
    assert response.headers["x-current-api-version"] == "12"


def test_an_account_of_others_is_forbidden(local):
    for line in ("GET 12/accounts/none", "GET 11/accounts/none/campaigns", "POST 12/accounts/none/campaigns"):
        method, path = line.split()
        fields = {"funding_instrument_id": ORDER, "name": "A", "daily_budget_amount_local_micro": 10**7}
        response = local.send(method, f"/{path}", **(fields if method == "POST" else {}))
        assert (response.status_code, errors(response)) == (403, [("ACCOUNT_NOT_FOUND", None)])


def test_codes_in_a_batch_are_those_of_the_reference(local):
    update = {"operation_type": "Update", "params": {"line_item_id": "none", "name": "A"}}
    path = f"/12/batch/accounts/{local.emulator.account}/line_items"
    response = local.send("POST", path, json_body=[update])
    assert response.json()["operation_errors"][0][0]["code"] == "LINE_ITEM_NOT_FOUND"


@pytest.mark.parametrize(
    ("line", "parameter", "words"),
    [
        ("GET tweets?tweet_type=LIVE", "tweet_type", "tweet_type: 'LIVE' is not one of DRAFT"),
        ("GET tweets?tweet_type=DRAFT&count=0", "count", "count: '0' is not allowed"),
        (f"POST promoted_tweets?line_item_id={REACH}", "tweet_ids", "tweet_ids: is required"),
        (f"POST promoted_tweets?line_item_id={REACH}&tweet_ids=7", None, "the tweet 7 does not exist"),
        (f"POST promoted_tweets?line_item_id={REACH}&tweet_ids={SPRING_POST},{SPRING_POST}", "tweet_ids",
         f"tweet_ids: the line item {REACH} promotes the tweet {SPRING_POST} already"),
        ("POST scheduled_promoted_tweets?line_item_id=9d4c2&scheduled_tweet_id=5", "scheduled_tweet_id",
         "scheduled_tweet_id: the scheduled tweet 5 does not exist"),
        ("GET promoted_tweets/5", None, "the promoted tweet 5 does not exist"),
        ("GET line_items?sort_by=post-up", "sort_by", "sort_by: 'post-up' is not ATTRIBUTE-asc"),
        ("GET account_history?entity_type=PROMOTED_POST", "entity_type", "entity_type: is not a known name"),
    ],
)  # fmt: skip
def test_messages_have_the_names_of_x(local, line, parameter, words):
    method, path = line.split()
    at = "stats/accounts" if path.startswith("stats?") else "accounts"
    response = signed(
        local, method, f"/12/{at}/{local.emulator.account}/{path.removeprefix('stats')}".replace("/?", "?")
    )
    error = response.json()["errors"][0]
    assert (error.get("parameter"), error["message"][: len(words)]) == (parameter, words)
    assert not re.search(r"(?<!')\bpost", error["message"]), error["message"]


def test_core_reads_are_ten_thousand_and_others_two_thousand(local):
    account = f"/12/accounts/{local.emulator.account}"
    limits = {
        path: local.get(account + path).headers["x-account-rate-limit-limit"]
        for path in ("/campaigns", f"/campaigns/{SPRING}", "/line_items", f"/line_items/{REACH}", "/cards")
    }
    assert [*limits.values()] == ["10000"] * 4 + ["2000"]


def test_every_answer_of_the_advertising_interface_names_the_current_version(local):
    with closing(Emulator(local.emulator.database)) as generic:
        assert "x-current-api-version" not in Client(generic, InProcess(generic)).get("/12/accounts").headers
    assert local.get("/11/accounts").headers["x-current-api-version"] == "12"
    unsigned = local.transport.request("GET", f"{HOST}/12/accounts", headers={})
    assert (unsigned.status_code, unsigned.headers["x-current-api-version"]) == (401, "12")
    assert (
        "x-current-api-version" not in local.transport.request("GET", f"{HOST}/2/users", headers={}).headers
    )


def test_videos_of_polls_last_whole_seconds(local):
    path = f"/12/accounts/{local.emulator.account}/cards/poll"
    poll = {"name": "A", "first_choice": "a", "second_choice": "b", "duration_in_minutes": 60}
    shown = [local.send("POST", path, media_key=key, **poll).json()["data"] for key in (VIDEO, TALL)]
    assert all(record["content_duration_seconds"].isdecimal() for record in shown), shown


FAIR = "1790415000000000014"


def test_only_posts_that_exist_are_promoted(local):
    path = f"/12/accounts/{local.emulator.account}/promoted_posts"
    refused = local.send("POST", path, line_item_id=REACH, post_ids=f"{FAIR},7")
    assert (refused.status_code, errors(refused)) == (404, [("TWEET_NOT_FOUND", None)])
    assert FAIR not in [record["post_id"] for record in local.get(path, line_item_ids=REACH).json()["data"]]
    made = local.send("POST", path, line_item_id=REACH, post_ids=FAIR)
    assert made.json()["data"][0]["post_id"] == FAIR
