import pytest

from tests.emulator.seeded import DELETED

from .client import errors

ACCOUNTS = "/12/accounts"
FIELDS = {
    "id", "name", "business_name", "business_id", "timezone", "timezone_switch_at",
    "approval_status", "industry_type", "created_at", "updated_at", "deleted",
}  # fmt: skip


def names(response):
    assert response.status_code == 200, response.text
    return [account["name"].split()[0] + account["name"].split()[1] for account in response.json()["data"]]


def test_accounts_have_the_fields_of_the_specification(local):
    for account in local.get(ACCOUNTS, with_deleted="true").json()["data"]:
        assert set(account) == FIELDS and account["approval_status"] == "ACCEPTED"


def test_deleted_accounts_are_listed_only_with_deleted(local):
    assert DELETED not in local.get(ACCOUNTS).text
    assert [record["deleted"] for record in local.get(ACCOUNTS, with_deleted="true").json()["data"]] == [
        False,
        False,
        True,
    ]


def test_get_returns_one_account(local):
    response = local.get(f"{ACCOUNTS}/{local.emulator.account}").json()
    assert response["data"]["id"] == local.emulator.account
    assert response["request"] == {"params": {"account_id": local.emulator.account}}
    assert response.keys() == {"request", "data"}


def test_a_deleted_account_is_returned_only_with_deleted(local):
    assert errors(local.get(f"{ACCOUNTS}/{DELETED}")) == [("NOT_FOUND", None)]
    assert local.get(f"{ACCOUNTS}/{DELETED}", with_deleted="true").json()["data"]["deleted"] is True
    assert local.get(f"{ACCOUNTS}/none").status_code == 404


def test_q_matches_the_beginning_of_a_name_in_any_case(local):
    assert names(local.get(ACCOUNTS, q="nord")) == ["NordlichtShop"]
    assert names(local.get(ACCOUNTS, q="CAFÉ")) == ["CaféKastanie"]
    assert names(local.get(ACCOUNTS, q="licht")) == names(local.get(ACCOUNTS, q="%")) == []


def test_account_ids_are_separated_by_commas(local):
    both = f"{local.emulator.account},{DELETED},none"
    assert names(local.get(ACCOUNTS, account_ids=both)) == ["NordlichtShop"]
    assert names(local.get(ACCOUNTS, account_ids=both, with_deleted="true")) == [
        "NordlichtShop",
        "NordlichtOutlet",
    ]
    assert errors(local.get(ACCOUNTS, account_ids=",".join(["a"] * 201))) == [
        ("INVALID_PARAMETER", "account_ids")
    ]


@pytest.mark.parametrize(
    ("sort_by", "expected"),
    [
        ("name-asc", ["CaféKastanie", "NordlichtOutlet", "NordlichtShop"]),
        ("name-desc", ["NordlichtShop", "NordlichtOutlet", "CaféKastanie"]),
        ("created_at-asc", ["NordlichtOutlet", "NordlichtShop", "CaféKastanie"]),
        ("created_at-desc", ["CaféKastanie", "NordlichtShop", "NordlichtOutlet"]),
        ("name", ["CaféKastanie", "NordlichtOutlet", "NordlichtShop"]),
    ],
)
def test_pages_continue_a_sorted_list(local, sort_by, expected):
    listing = {"sort_by": sort_by, "with_deleted": "true"}
    assert names(local.get(ACCOUNTS, **listing)) == expected
    ids, cursor = [], None
    while len(ids) < 3:
        page = local.get(ACCOUNTS, count="1", **listing, **({"cursor": cursor} if cursor else {}))
        ids += names(page)
        cursor = page.json()["next_cursor"]
    assert (ids, cursor) == (expected, None)


@pytest.mark.parametrize("sort_by", ["colour-asc", "name-up", "name-asc-desc", "-", "name'); --"])
def test_an_invalid_sort_by_is_rejected(local, sort_by):
    assert errors(local.get(ACCOUNTS, sort_by=sort_by)) == [("INVALID_PARAMETER", "sort_by")]


def test_a_cursor_of_another_order_is_rejected(local):
    cursor = local.get(ACCOUNTS, count="1", sort_by="name-asc").json()["next_cursor"]
    assert errors(local.get(ACCOUNTS, cursor=cursor, sort_by="name-desc")) == [
        ("INVALID_PARAMETER", "cursor")
    ]


@pytest.mark.parametrize("count", ["0", "1001", "-1", "1.5", "many"])
def test_a_page_has_1_to_1000_accounts(local, count):
    assert errors(local.get(ACCOUNTS, count=count)) == [("INVALID_PARAMETER", "count")]


def test_the_envelope_has_the_default_of_count(local):
    assert local.get(ACCOUNTS).json()["request"] == {"params": {"count": 200}}


def test_the_total_count_is_returned_on_request(local):
    response = local.get(ACCOUNTS, with_total_count="true", count="1", with_deleted="true").json()
    assert (response["total_count"], len(response["data"])) == (3, 1)
    assert "total_count" not in local.get(ACCOUNTS).json()


def test_total_count_and_cursor_exclude_each_other(local):
    cursor = local.get(ACCOUNTS, count="1").json()["next_cursor"]
    response = local.get(ACCOUNTS, with_total_count="true", cursor=cursor)
    assert (response.status_code, errors(response)) == (400, [("EXCLUSIVE_PARAMETERS", "with_total_count")])


def test_the_201st_total_count_in_15_minutes_is_rate_limited(local, time_machine):
    time_machine.move_to(1_800_000_000, tick=False)
    responses = [local.get(ACCOUNTS, with_total_count="true") for _ in range(201)]
    assert [response.status_code for response in responses] == [200] * 200 + [429]
    limits = [responses[n].headers for n in (0, 199, 200)]
    assert [limit["x-rate-limit-limit"] for limit in limits] == ["200"] * 3
    assert [limit["x-rate-limit-remaining"] for limit in limits] == ["199", "0", "0"]
    assert [limit["x-rate-limit-reset"] for limit in limits] == [str(1_800_000_900)] * 3
    assert limits[2]["retry-after"] == "900"
    assert local.get(ACCOUNTS).status_code == 200
    assert "x-rate-limit-limit" not in local.get(ACCOUNTS).headers
    time_machine.move_to(1_800_000_901, tick=False)
    assert local.get(ACCOUNTS, with_total_count="true").status_code == 200
