"""What clients that others wrote send to service x, and what they are answered."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.seed.creatives import VIDEO
from ads_cli.emulator.seed.line_items import ORDER, REACH

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
    assert unknown_of(local.get(f"{account}/cards", card_ids="1")) == ["card_ids"]
    assert unknown_of(local.get(f"{account}/cards")) == [""]
    made = local.send("POST", f"{account}/tracking_tags", colour="ö\r\n,x: y", **tag())
    assert unknown_of(made) == ["colour"] and "colour" not in made.json()["data"]


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
    assert [one["name"] for one in made.json()["data"]] == ["A", "A"]
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
