"""An answer that contradicts what was sent: nothing is taken for done, and no id is taken for another."""

import json
from unicodedata import normalize

import pytest

ACCOUNT = ("--account", "18ce54")
BATCH = "/12/batch/accounts/18ce54/campaigns"
CAMPAIGN = "/12/accounts/18ce54/campaigns/1a"
NEW = ("campaigns", "create", "--name", "North", "--funding-instrument-id", "4a1n0", "--daily-budget", "5")
MADE = {"id": "1a", "name": "North", "funding_instrument_id": "4a1n0", "entity_status": "PAUSED"} | {
    "daily_budget_amount_local_micro": 5_000_000
}
FILE = [
    {"name": name, "funding_instrument_id": "4a1n0", "daily_budget": "5"}
    for name in ("Shop 1", "Shop 2", "Shop 3")
]


@pytest.fixture
def answers(httpserver):
    """Answer the requests for currencies, and each write with what a test says."""
    funding = {"id": "4a1n0", "currency": "EUR"}
    httpserver.expect_request("/12/accounts/18ce54/funding_instruments/4a1n0").respond_with_json(
        {"data": funding}
    )
    httpserver.expect_request(CAMPAIGN, method="GET").respond_with_json({"data": MADE | {"currency": "EUR"}})

    def answer(path: str, method: str, data: object) -> None:
        httpserver.expect_request(path, method=method).respond_with_json({"data": data})

    return answer


def records(**others: object) -> list[dict]:
    return [{**MADE, "id": f"1{number}", "name": one["name"], **others} for number, one in enumerate(FILE)]


def reversed_(made: list[dict]) -> list[dict]:
    return made[::-1]


def named_otherwise(made: list[dict]) -> list[dict]:
    return [*made[:2], made[2] | {"name": "Autumn in Lyon"}]


def under_another(made: list[dict]) -> list[dict]:
    return [*made[:2], made[2] | {"funding_instrument_id": "4a1n9"}]


def without_id(made: list[dict]) -> list[dict]:
    return [*made[:2], made[2] | {"id": None}]


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        (reversed_, "its records are not in the order that was sent: 12"),
        (lambda made: [made[1], made[0], made[2]], "its records are not in the order that was sent: 11"),
        (named_otherwise, "12 has the name 'Autumn in Lyon', and 'Shop 3' was sent"),
        (under_another, "12 has the funding_instrument_id '4a1n9', and '4a1n0' was sent"),
        (
            lambda made: records(entity_status="ACTIVE"),
            "has the entity_status 'ACTIVE', and 'PAUSED' was sent",
        ),
        (
            lambda made: records(daily_budget_amount_local_micro=900_000_000),
            "has the daily_budget_amount_local_micro 900000000, and 5000000 was sent",
        ),
        (without_id, "it names no new record"),
    ],
)
def test_records_that_are_answered_as_others_than_were_sent_may_be_created(
    remote, httpserver, answers, lie, why
):
    remote.file("campaigns.json", json.dumps(FILE))
    answers(BATCH, "POST", lie(records()))
    done = remote(*ACCOUNT, "campaigns", "create", "-f", "campaigns.json", "-o", "json", code=8)
    error = json.loads(done.stderr.splitlines()[-1])["error"]["message"]
    assert why in error and "3 campaigns may be created" in error
    assert sum(request.method == "POST" for request, _ in httpserver.log) == 1


@pytest.mark.parametrize(
    "stored",
    [
        str.upper,
        lambda name: f" {name} ",
        lambda name: normalize("NFD", name),
        lambda name: name[:20],
        lambda name: name.replace("&", "?").replace("ä", "a"),
        lambda name: name.replace("&", "&amp;"),
    ],
)
def test_names_that_the_service_stores_otherwise_are_those_that_were_sent(remote, answers, stored):
    names = [f"Übermorgen & später {number}" for number in range(3)]
    file = [one | {"name": name} for one, name in zip(FILE, names, strict=True)]
    remote.file("campaigns.json", json.dumps(file))
    made = [one | {"name": stored(name)} for one, name in zip(records(), names, strict=True)]
    answers(BATCH, "POST", made)
    words = ("campaigns", "create", "-f", "campaigns.json", "-o", "ids")
    assert remote(*ACCOUNT, *words).stdout.split() == ["10", "11", "12"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"name": "North"}, "it names no new record"),
        ({"id": None, "name": "North"}, "it names no new record"),
        ({"id": 5, "name": "North"}, "it names no new record"),
        (MADE | {"name": "South"}, "1a has the name 'South', and 'North' was sent"),
        (MADE | {"name": "North 2"}, "1a has the name 'North 2', and 'North' was sent"),
        (MADE | {"name": "***"}, "1a has the name '***', and 'North' was sent"),
        (MADE | {"name": "Nor"}, "1a has the name 'Nor', and 'North' was sent"),
        ({"id": "8wku3", "name": "Hamburg knows us"}, "8wku3 has the name 'Hamburg knows us'"),
        (MADE | {"funding_instrument_id": "4a1n9"}, "1a has the funding_instrument_id '4a1n9'"),
        (MADE | {"entity_status": "ACTIVE"}, "1a has the entity_status 'ACTIVE', and 'PAUSED' was sent"),
        (MADE | {"daily_budget_amount_local_micro": None}, "1a has the daily_budget_amount_local_micro None"),
    ],
)
def test_a_creation_that_its_answer_contradicts_may_have_been_applied(remote, httpserver, answers, data, why):
    answers("/12/accounts/18ce54/campaigns", "POST", data)
    done = remote(*ACCOUNT, *NEW, "-o", "ids", code=8)
    assert why in done.stderr and "may have been applied" in done.stderr and not done.stdout
    assert sum(request.method == "POST" for request, _ in httpserver.log) == 1


CHANGE = (*ACCOUNT, "campaigns", "update", "1a", "--yes", "--max-attempts", "1")


@pytest.mark.parametrize("data", [None, {}, [], [MADE | {"id": "1b"}], "done"])
def test_a_change_whose_answer_lacks_the_record_is_not_confirmed(remote, answers, data):
    answers(CAMPAIGN, "PUT", data)
    done = remote(*CHANGE, "--entity-status", "PAUSED", code=8)
    assert (
        "not understood: it names another" in done.stderr or "it does not name the record 1a" in done.stderr
    )


@pytest.mark.parametrize(
    ("words", "answered", "why"),
    [
        (
            ("--entity-status", "PAUSED"),
            {"entity_status": "ACTIVE"},
            "the entity_status 'ACTIVE', and 'PAUSED'",
        ),
        (
            ("--daily-budget", "5"),
            {"daily_budget_amount_local_micro": 900_000_000},
            "the daily_budget_amount_local_micro 900000000, and",
        ),
    ],
)
def test_a_change_of_spending_that_its_answer_contradicts_is_told(remote, answers, words, answered, why):
    answers(CAMPAIGN, "PUT", MADE | answered)
    done = remote(*CHANGE, "-q", *words, code=8)
    assert why in done.stderr and "look what the service has" in done.stderr


def test_a_change_of_several_records_is_confirmed_by_each_of_them_in_any_order(remote, httpserver, answers):
    remote.file("changes.csv", "id,entity_status\n10,PAUSED\n11,PAUSED\n12,PAUSED\n")
    words = (*ACCOUNT, "campaigns", "update", "-f", "changes.csv", "--yes", "--max-attempts", "1")
    answers(BATCH, "POST", records()[::-1])
    assert "3 updated" in remote(*words).stderr
    httpserver.clear()
    answers(BATCH, "POST", [{"name": one["name"]} for one in records()])
    assert "it does not name the record 10" in remote(*words, code=8).stderr
    httpserver.clear()
    answers(BATCH, "POST", [*records()[:2], records()[2] | {"entity_status": "ACTIVE"}])
    assert "12 has the entity_status 'ACTIVE', and 'PAUSED' was sent" in remote(*words, code=8).stderr


@pytest.mark.parametrize("answer", [None, {}, {"id": "1a"}, {"id": "1a", "deleted": True}])
def test_a_deletion_may_be_answered_by_nothing(remote, answers, answer):
    answers(CAMPAIGN, "DELETE", answer)
    remote(*ACCOUNT, "campaigns", "delete", "1a", "--yes")


def test_a_card_is_changed_by_an_answer_that_is_a_list_of_it(remote, answers):
    answers("/12/accounts/18ce54/cards/1a", "PUT", [{"id": "1a", "name": "Mugs"}])
    assert remote(*ACCOUNT, "cards", "update", "1a", "--name", "Mugs", "-o", "ids").stdout.split() == ["1a"]
