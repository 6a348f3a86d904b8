"""The rate limits of service x in the emulator."""

from contextlib import closing

import pytest

from ads_cli.api.rates import TOTAL_COUNTS
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.seed.credentials import USER

from .client import Client, InProcess, product

LIMITS = "x-rate-limit", "x-account-rate-limit"


@pytest.fixture
def local(database):
    """A client in the same process, of an emulator of service x."""
    with closing(Emulator(database, service="x")) as emulator:
        yield Client(emulator, InProcess(emulator))


def remaining(response) -> dict[str, str]:
    """Return what the headers state of each kind of limit."""
    stated = {prefix: response.headers.get(f"{prefix}-remaining") for prefix in LIMITS}
    return {prefix: number for prefix, number in stated.items() if number}


def test_reads_without_an_account_are_five_in_fifteen_minutes_for_each_endpoint(local):
    answers = [local.get("/12/accounts") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert [remaining(answer)["x-rate-limit"] for answer in answers] == ["4", "3", "2", "1", "0", "0"]
    assert 890 < int(answers[-1].headers["retry-after"]) <= 900
    assert local.get("/12/advertiser_business_categories").status_code == 200


def test_reads_of_an_account_state_the_limit_of_the_account(local):
    account = local.emulator.account
    assert remaining(local.get(f"/12/accounts/{account}")) == {"x-account-rate-limit": "1999"}


def test_writes_of_all_endpoints_share_a_minute_and_catalogs_have_limits_of_their_own(local):
    catalog, account = f"/12/product_catalogs/{local.emulator.catalog}", local.emulator.account
    assert remaining(local.send("PUT", catalog, name="Shop")) == {"x-rate-limit": "19"}
    assert remaining(local.send("PUT", f"{catalog}/products", json_body={})) == {"x-rate-limit": "599"}
    assert remaining(local.send("DELETE", f"{catalog}/products", json_body={})) == {"x-rate-limit": "149"}
    assert remaining(local.send("PUT", f"/12/accounts/{account}", name="Shop")) == {"x-rate-limit": "449"}
    assert remaining(local.send("DELETE", f"/12/accounts/{account}/line_items/none")) == {
        "x-rate-limit": "448"
    }


def test_an_answer_with_headers_of_its_own_has_those_of_each_answer_too(database):
    with closing(Emulator(database, service="x", strict=False)) as emulator:
        for _ in range(TOTAL_COUNTS.requests):
            emulator._rate_limits.consume_total_count(USER)
        path = f"/12/accounts/{emulator.account}/campaigns"
        refused = Client(emulator, InProcess(emulator)).get(path, with_total_count="true", colour="red")
    assert refused.status_code == 429 and refused.headers["retry-after"]
    assert remaining(refused)["x-rate-limit"] == "0"
    assert refused.headers["x-emulator-unknown-parameters"] == "colour"


def test_a_refused_request_changes_nothing(local):
    catalog = f"/12/product_catalogs/{local.emulator.catalog}"
    answers = [local.send("PUT", catalog, name=f"Shop {number}") for number in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert "Shop 19" in local.get("/12/product_catalogs").text


def test_deletes_are_counted_and_those_beyond_the_limit_delete_nothing(local):
    path, (created,) = local.products_path, local.put(product())
    delete = [local.send("DELETE", path, json_body={"product_keys": ["none"]}) for _ in range(150)]
    assert {answer.status_code for answer in delete} == {200}
    refused = local.send("DELETE", path, json_body={"product_keys": [created["product_key"]]})
    assert refused.status_code == 429 and [product["id"] for product in local.products()] == [product()["id"]]


def test_listings_are_counted(local):
    assert remaining(local.get(local.products_path)) == {"x-rate-limit": "999"}
    assert remaining(local.get(local.products_path, item_group_key="none")) == {"x-rate-limit": "998"}


def test_the_neutral_service_limits_none_of_these(database):
    with closing(Emulator(database)) as emulator:
        client = Client(emulator, InProcess(emulator))
        answers = [client.get("/12/accounts") for _ in range(10)]
    assert [(answer.status_code, remaining(answer)) for answer in answers] == [(200, {})] * 10
