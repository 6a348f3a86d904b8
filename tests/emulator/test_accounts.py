import pytest

from ads_cli.emulator.seed.accounts import DELETED

from .speaking import errors

ACCOUNTS = "/12/accounts"
FIELDS = {
    "id", "name", "business_name", "business_id", "timezone", "timezone_switch_at",
    "approval_status", "industry_type", "created_at", "updated_at", "deleted",
}  # fmt: skip


def names(answer):
    assert answer.status_code == 200, answer.text
    return [account["name"].split()[0] + account["name"].split()[1] for account in answer.json()["data"]]


def test_accounts_have_the_fields_of_the_specification(local):
    for account in local.get(ACCOUNTS, with_deleted="true").json()["data"]:
        assert set(account) == FIELDS and account["approval_status"] == "ACCEPTED"


def test_deleted_accounts_are_listed_on_request_only(local):
    assert DELETED not in local.get(ACCOUNTS).text
    assert [one["deleted"] for one in local.get(ACCOUNTS, with_deleted="true").json()["data"]] == [
        False,
        False,
        True,
    ]


def test_one_account_is_shown(local):
    answer = local.get(f"{ACCOUNTS}/{local.emulator.account}").json()
    assert answer["data"]["id"] == local.emulator.account
    assert answer["request"] == {"params": {"account_id": local.emulator.account}}
    assert answer.keys() == {"request", "data"}


def test_a_deleted_account_is_found_on_request_only(local):
    assert errors(local.get(f"{ACCOUNTS}/{DELETED}")) == [("NOT_FOUND", None)]
    assert local.get(f"{ACCOUNTS}/{DELETED}", with_deleted="true").json()["data"]["deleted"] is True
    assert local.get(f"{ACCOUNTS}/none").status_code == 404


def test_q_is_the_beginning_of_a_name_in_any_case(local):
    assert names(local.get(ACCOUNTS, q="nord")) == ["NordlichtShop"]
    assert names(local.get(ACCOUNTS, q="CAFÉ")) == ["CaféKastanie"]
    assert names(local.get(ACCOUNTS, q="licht")) == names(local.get(ACCOUNTS, q="%")) == []


def test_account_ids_are_a_comma_list(local):
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
def test_pages_of_a_sorted_list_follow_each_other(local, sort_by, expected):
    listing = {"sort_by": sort_by, "with_deleted": "true"}
    assert names(local.get(ACCOUNTS, **listing)) == expected
    found, cursor = [], None
    while len(found) < 3:
        page = local.get(ACCOUNTS, count="1", **listing, **({"cursor": cursor} if cursor else {}))
        found += names(page)
        cursor = page.json()["next_cursor"]
    assert (found, cursor) == (expected, None)


@pytest.mark.parametrize("sort_by", ["colour-asc", "name-up", "name-asc-desc", "-", "name'); --"])
def test_an_order_that_is_none_is_refused(local, sort_by):
    assert errors(local.get(ACCOUNTS, sort_by=sort_by)) == [("INVALID_PARAMETER", "sort_by")]


def test_a_cursor_belongs_to_its_order(local):
    cursor = local.get(ACCOUNTS, count="1", sort_by="name-asc").json()["next_cursor"]
    assert errors(local.get(ACCOUNTS, cursor=cursor, sort_by="name-desc")) == [
        ("INVALID_PARAMETER", "cursor")
    ]


@pytest.mark.parametrize("count", ["0", "1001", "-1", "1.5", "many"])
def test_a_page_has_1_to_1000_accounts(local, count):
    assert errors(local.get(ACCOUNTS, count=count)) == [("INVALID_PARAMETER", "count")]


def test_the_default_of_count_is_told(local):
    assert local.get(ACCOUNTS).json()["request"] == {"params": {"count": 200}}


def test_the_total_is_counted_on_request(local):
    answer = local.get(ACCOUNTS, with_total_count="true", count="1", with_deleted="true").json()
    assert (answer["total_count"], len(answer["data"])) == (3, 1)
    assert "total_count" not in local.get(ACCOUNTS).json()


def test_the_total_excludes_a_cursor(local):
    cursor = local.get(ACCOUNTS, count="1").json()["next_cursor"]
    answer = local.get(ACCOUNTS, with_total_count="true", cursor=cursor)
    assert (answer.status_code, errors(answer)) == (400, [("INVALID_PARAMETER", "with_total_count")])


def test_200_totals_in_15_minutes_are_counted_and_no_more(local, time_machine):
    time_machine.move_to(1_800_000_000, tick=False)
    answers = [local.get(ACCOUNTS, with_total_count="true") for _ in range(201)]
    assert [answer.status_code for answer in answers] == [200] * 200 + [429]
    limits = [answers[n].headers for n in (0, 199, 200)]
    assert [one["x-rate-limit-limit"] for one in limits] == ["200"] * 3
    assert [one["x-rate-limit-remaining"] for one in limits] == ["199", "0", "0"]
    assert [one["x-rate-limit-reset"] for one in limits] == [str(1_800_000_900)] * 3
    assert limits[2]["retry-after"] == "900"
    assert local.get(ACCOUNTS).status_code == 200
    assert "x-rate-limit-limit" not in local.get(ACCOUNTS).headers
    time_machine.move_to(1_800_000_901, tick=False)
    assert local.get(ACCOUNTS, with_total_count="true").status_code == 200
