"""Updates of accounts; their apps, features and categories."""

import pytest

from tests.emulator.seeded import CHOSEN_CATEGORY, CLICKS, CUSTOMERS, DELETED, PARTNER, UNSUBSCRIBED

from .client import errors

ACCOUNTS = "/12/accounts"
WINDOW = "start_time=2026-03-01T00:00:00Z&end_time=2026-03-02T00:00:00Z"


@pytest.fixture
def account(local):
    return f"{ACCOUNTS}/{local.emulator.account}"


@pytest.mark.parametrize(
    "line",
    [
        "PUT /12/accounts/{}",
        "DELETE /12/accounts/{}",
        "GET /12/accounts/{}/account_apps",
        f"GET /12/accounts/{{}}/account_history?entity_type=LINE_ITEM&entity_id={CLICKS}&{WINDOW}",
        "GET /12/accounts/{}/curated_categories",
        "GET /12/accounts/{}/curated_categories/cc1",
        "GET /12/accounts/{}/features",
        "POST /12/accounts/{}/features?feature_keys=AGE_TARGETING",
        f"PUT /12/accounts/{{}}/line_items/{CLICKS}",
        f"DELETE /12/accounts/{{}}/line_items/{CLICKS}",
        "GET /12/accounts/{}/line_item_curated_categories",
        f"GET /12/accounts/{{}}/line_item_curated_categories/{CHOSEN_CATEGORY}",
        f"POST /12/accounts/{{}}/line_item_curated_categories?line_item_id={CLICKS}&curated_category_id=cc1",
        f"PUT /12/accounts/{{}}/line_item_curated_categories/{CHOSEN_CATEGORY}",
        f"DELETE /12/accounts/{{}}/line_item_curated_categories/{CHOSEN_CATEGORY}",
        f"GET /5/accounts/{{}}/tailored_audiences/{CUSTOMERS}/permissions",
        f"POST /5/accounts/{{}}/tailored_audiences/{CUSTOMERS}/permissions"
        f"?granted_account_id={PARTNER}&permission_level=READ_ONLY",
        f"DELETE /5/accounts/{{}}/tailored_audiences/{CUSTOMERS}/permissions/2p4x9",
        f"GET /12/accounts/{{}}/custom_audiences/{CUSTOMERS}/targeted",
        f"DELETE /12/accounts/{{}}/do_not_reach_lists/{UNSUBSCRIBED}",
    ],
)
@pytest.mark.parametrize("account", ["none", PARTNER, DELETED])
def test_resources_of_inaccessible_accounts_are_not_found(local, line, account):
    method, address = line.format(account).split()
    path, _, query = address.partition("?")
    response = local.send(method, path, **dict(pair.split("=") for pair in query.split("&") if pair))
    assert (response.status_code, errors(response)) == (404, [("NOT_FOUND", None)])
    assert response.json()["errors"][0]["message"] == f"the account {account} does not exist"


def test_an_account_is_updated(local, account):
    before = local.get(account).json()["data"]
    after = local.send("PUT", account, name="Südlicht", industry_type="TRAVEL").json()["data"]
    assert after | {"updated_at": before["updated_at"]} == before | {
        "name": "Südlicht",
        "industry_type": "TRAVEL",
    }
    assert errors(local.send("PUT", account, industry_type="SPACE")) == [
        ("INVALID_PARAMETER", "industry_type")
    ]
    assert local.get(account).json()["data"]["name"] == "Südlicht"


def test_sandbox_accounts_are_created_and_deleted(local):
    made = local.send("POST", ACCOUNTS).json()["data"]
    assert (made["approval_status"], made["deleted"]) == ("ACCEPTED", False)
    assert made.keys() == local.get(f"{ACCOUNTS}/{local.emulator.account}").json()["data"].keys()
    path = f"{ACCOUNTS}/{made['id']}"
    assert local.get(path).json()["data"] == made
    assert local.get(f"{path}/account_apps").json()["data"] == []
    assert local.send("DELETE", path).json()["data"]["deleted"] is True
    assert local.get(path).status_code == local.send("DELETE", path).status_code == 404
    assert local.get(path, with_deleted="true").json()["data"]["deleted"] is True


def test_apps_of_an_account_are_listed(local, account):
    records = local.get(f"{account}/account_apps", sort_by="os_type-desc").json()["data"]
    assert [app["os_type"] for app in records] == ["IOS", "ANDROID"]
    assert set(records[0]) == {
        "id", "app_store_identifier", "os_type", "deep_link_pattern", "conversion_tracking_enabled",
        "created_at", "updated_at", "deleted",
    }  # fmt: skip
    every = local.get(f"{account}/account_apps", with_deleted="true", with_total_count="true").json()
    assert every["total_count"] == 3 and any(app["deleted"] for app in every["data"])


def test_features_are_listed_and_added(local, account):
    path = f"{account}/features"
    keys = local.get(path).json()["data"]
    assert "REACH_FREQUENCY_CAP" in keys and all(isinstance(key, str) for key in keys)
    some = local.get(path, feature_keys="REACH_FREQUENCY_CAP,WEBSITE_CLICKS_CPM_BILLING").json()["data"]
    assert some == ["REACH_FREQUENCY_CAP"]
    added = local.send("POST", path, feature_keys="AGE_TARGETING,REACH_FREQUENCY_CAP,AGE_TARGETING")
    assert added.json()["data"] == [*keys, "AGE_TARGETING"] == local.get(path).json()["data"]
    assert errors(local.send("POST", path)) == [("MISSING_PARAMETER", "feature_keys")]


def test_business_categories_have_iab_codes(local):
    records = local.get("/12/advertiser_business_categories").json()["data"]
    assert records and all(set(record) == {"id", "name", "iab_categories"} for record in records)
    assert all(code.startswith("IAB") for record in records for code in record["iab_categories"])


def test_curated_categories_have_countries(local, account):
    path = f"{account}/curated_categories"
    response = local.get(path).json()
    assert response["total_count"] == len(response["data"]) > 1 and response["next_cursor"] is None
    first = response["data"][0]
    assert set(first) == {
        "id", "name", "description", "country_codes", "publisher_user_ids",
        "videos_monetized_in_last_thirty_days", "created_at", "updated_at",
    }  # fmt: skip
    assert local.get(f"{path}/{first['id']}").json()["data"] == first
    assert local.get(f"{path}/none").status_code == 404


def test_list_commands(adsctl):
    for words in ("apps", "business-categories", "curated-categories list", "features list"):
        assert len(adsctl.local("accounts", *words.split()).stdout.splitlines()) > 1
    german = adsctl.local(
        "accounts", "curated-categories", "list", "--query", "[?contains(country_codes, 'DE')].name"
    )
    assert german.stdout.split() == ["Makers", "Outdoors"]
    assert "Outdoors" in adsctl.local("accounts", "curated-categories", "get", "cc2").stdout


def test_sandbox_commands(adsctl):
    made = adsctl.local("accounts", "create", "-o", "ids").stdout.strip()
    adsctl.local("accounts", "update", made, "--name", "Mine", "--industry-type", "MEDIA")
    added = adsctl.local("accounts", "features", "add", "-A", made, "--feature-keys", "AGE_TARGETING")
    assert added.stdout == "AGE_TARGETING\n"
    assert made in adsctl.local("accounts", "delete", made, code=12).stderr
    adsctl.local("accounts", "delete", made, "--yes")
    adsctl.local("accounts", "get", made, code=5)
    assert "Mine" in adsctl.local("accounts", "get", made, "--with-deleted").stdout


def test_completion_offers_ids_of_accounts_only(adsctl):
    adsctl.local("accounts", "apps")
    assert adsctl("__ids", "accounts", "-p", "local").stdout == ""
    adsctl.local("accounts", "list")
    assert "18ce54d4x5t" in adsctl("__ids", "accounts", "-p", "local").stdout
