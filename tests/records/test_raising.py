"""What serves may spend more only after a question: higher and lifted limits, later ends, and new ads."""

import json
import re

import pytest

from ads_cli.api.fields import fields_of
from ads_cli.api.registry import MODULES, requests_named, requests_of
from ads_cli.api.spending import raises
from ads_cli.client import spending as stored_records
from ads_cli.client.spending import SOURCES
from tests.effort import THOROUGH
from tests.emulator.seeded import PREROLLS, named

RUNNING, PAUSED, EXPIRED = "8wku3", "8wku4", "8wkt0"  # campaigns of 80, 15 and 40 EUR a day
BIDDING, OVER = "9d4c1", "9d4b1"  # line items: a TARGET bid of 0.45 EUR and 20 EUR a day; one that has ended
AUTO, UNDER_PAUSED = "9d4c2", "9d4c3"  # 35 EUR a day, no bid; paused in a paused campaign
POSTS = "1790415000000000010,1790415000000000011"
RAISE = ("campaigns", "update", RUNNING, "--daily-budget")
UPDATE = ("line-items", "update")
PROMOTE = ("promoted", "posts", "create", "--posts", POSTS, "--line-item")
FUTURE = "2099-01-01T00:00:00Z"

ASKED = {
    "daily budget": (
        (*RAISE, "100000"),
        f"campaign {named(RUNNING)}: daily budget from 80.00 EUR to 100,000.00 EUR",
    ),
    "a little over twice": ((*RAISE, "160.01"), "from 80.00 EUR to 160.01 EUR"),
    "micros": (
        (*RAISE[:3], "--daily-budget-amount-local-micro", "160000001"),
        "daily budget from 80.00 EUR to 160.000001 EUR",
    ),
    "a bid": ((*UPDATE, BIDDING, "--bid-amount", "0.91"), "bid from 0.45 EUR to 0.91 EUR"),
    "bid lifted": ((*UPDATE, BIDDING, "--bid-strategy", "AUTO"), "bid from 0.45 EUR to unlimited"),
    "bid ignored": (
        (*UPDATE, BIDDING, "--bid-strategy", "AUTO", "--bid-amount", "0.10"),
        "bid from 0.45 EUR to unlimited",
    ),
    "several": (
        (*UPDATE, BIDDING, "--daily-budget", "100", "--bid-amount", "2", "--total-budget", "500"),
        f"item {named(BIDDING)}: daily budget from 20.00 EUR to 100.00 EUR, bid from 0.45 EUR to 2.00 EUR (",
    ),
    "total budget": (
        (*UPDATE, BIDDING, "--total-budget", "1000.01"),
        "total budget from 500.00 EUR to 1,000.01 EUR",
    ),
    "active already": ((*RAISE, "161", "--active"), "daily budget from 80.00 EUR to 161.00 EUR"),
    "posts": (
        (*PROMOTE, AUTO),
        f"Add 2 ads to the line item {named(AUTO)}, which may spend up to 35.00 EUR a day",
    ),
    "a scheduled post": (
        ("promoted", "scheduled", "create", "--line-item", AUTO, "--scheduled-post-id", "1"),
        f"Add an ad to the line item {named(AUTO)}, which may spend up to 35.00 EUR a day",
    ),
    "media": (
        ("promoted", "media", "create", "--line-item", "9d4e1", "--account-media-id", "4k2b1"),
        f"Add an ad to the line item {named(PREROLLS)}, which may spend up to 30.00 EUR",  # of its campaign
    ),
    "a later end": (
        (*UPDATE, OVER, "--end-time", FUTURE),
        f"Let the line item {named(OVER)} serve again, which may spend up to 40.00 EUR a day",
    ),
}
UNASKED = {
    "exactly twice": (*RAISE, "160"),
    "the same": (*RAISE, "80"),
    "less": (*RAISE, "1"),
    "paused": ("campaigns", "update", PAUSED, "--daily-budget", "100000"),
    "paused by the same change": (*RAISE, "100000", "--entity-status", "PAUSED"),
    "of a paused campaign": (*UPDATE, UNDER_PAUSED, "--daily-budget", "10000"),
    "expired": ("campaigns", "update", EXPIRED, "--daily-budget", "100000"),
    "ended": (*UPDATE, OVER, "--daily-budget", "100000"),
    "from none to a limit": (*UPDATE, AUTO, "--total-budget", "100000"),
    "an end where there was none": (*UPDATE, AUTO, "--end-time", FUTURE),
    "ads of what is paused": (
        "promoted",
        "accounts",
        "create",
        "--line-item",
        UNDER_PAUSED,
        "--user-id",
        "1",
    ),
    "ads of what has ended": (*PROMOTE, OVER),
}


def reads(done) -> int:
    return done.stderr.count("> GET ")


def writes(done) -> int:
    return len(re.findall("> (?:PUT|POST|DELETE) ", done.stderr))


UNDER_X = ("micros", "bid lifted", "posts", "a later end")  # where names and values differ
BY_SERVICE = [("generic", case) for case in ASKED] + [
    ("x", case) for case in (ASKED if THOROUGH else UNDER_X)
]


@pytest.mark.parametrize(("service", "case"), BY_SERVICE)
def test_what_may_spend_more_is_confirmed(adsctl, case, service):
    words, question = ASKED[case]
    refused = adsctl.local("--service", service, *words, "--debug", code=12)
    assert question in refused.stderr and "--yes" in refused.stderr and not writes(refused)
    allowed = adsctl.local("--service", service, *words, "--debug", "--yes", code=None)
    assert writes(allowed) == 1 and reads(allowed) == ("update" in words or "." in "".join(words))


@pytest.mark.parametrize("case", UNASKED)
def test_what_may_not_spend_more_needs_no_question(adsctl, case):
    done = adsctl.local(*UNASKED[case], "--debug", code=None)
    assert "not confirmed" not in done.stderr and writes(done) == 1


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ((*RAISE, ""), "daily budget from 80.00 EUR to unlimited"),
        ((*UPDATE, BIDDING, "--bid-amount", ""), "bid from 0.45 EUR to unlimited"),
        (
            (*UPDATE, BIDDING, "--bid-strategy", ""),
            "bid from 0.45 EUR to unlimited",
        ),  # the service chooses one
        ((*UPDATE, BIDDING, "--bid-amount-local-micro", ""), "bid from 0.45 EUR to unlimited"),
        ((*UPDATE, OVER, "--end-time", ""), f"Let the line item {named(OVER)} serve again"),
    ],
)
def test_a_limit_that_service_x_removes_is_confirmed(adsctl, words, question):
    refused = adsctl.local("--service", "x", *words, "--debug", code=12)
    assert question in refused.stderr and not writes(refused)


def test_an_end_that_is_removed_is_confirmed(adsctl):
    adsctl.local(*UPDATE, AUTO, "--end-time", FUTURE)
    refused = adsctl.local("--service", "x", *UPDATE, AUTO, "--end-time", "", code=12)
    assert f"the line item {named(AUTO)}: end from {FUTURE} to unlimited" in refused.stderr


def test_an_end_that_is_put_off_needs_no_question(adsctl):
    for end in (FUTURE, "2099-06-01T00:00:00Z"):
        adsctl.local(*UPDATE, AUTO, "--end-time", end)


def test_a_limit_is_not_set_and_removed_at_once(adsctl):
    words = ("--daily-budget", "", "--daily-budget-amount-local-micro", "5000000")
    refused = adsctl.local("--service", "x", *UPDATE, AUTO, *words, code=2)
    assert "--daily-budget: cannot be used with" in refused.stderr


def test_a_status_cannot_be_removed(adsctl):
    words = ("--service", "x", "campaigns", "update", PAUSED, "--entity-status", "")
    assert "is not one of ACTIVE, PAUSED" in adsctl.local(*words, code=2).stderr


def test_a_line_item_of_a_campaign_that_is_paused_or_deleted_spends_nothing(adsctl):
    adsctl.local("campaigns", "update", RUNNING, "--entity-status", "PAUSED")
    adsctl.local(*UPDATE, AUTO, "--daily-budget", "1000")
    adsctl.local(*PROMOTE, AUTO)
    adsctl.local("campaigns", "delete", "8wku2", "--yes")
    done = adsctl.local(*UPDATE, BIDDING, "--daily-budget", "400", code=None)
    assert "not confirmed" not in done.stderr


def test_what_changes_no_limit_reads_what_was_before_alone(adsctl):
    for words in ((*RAISE[:3], "--name", "Hamburg"), (*UPDATE, BIDDING, "--audience-expansion", "BROAD")):
        done = adsctl.local(*words, "--debug")
        assert reads(done) == writes(done) == 1


def test_one_change_reads_its_record_and_the_campaign_of_it_where_that_matters(adsctl):
    assert reads(adsctl.local(*RAISE, "100000", "--debug", code=12)) == 1
    assert reads(adsctl.local(*UPDATE, AUTO, "--daily-budget", "70", "--debug")) == 1
    assert reads(adsctl.local(*UPDATE, AUTO, "--daily-budget", "1000", "--debug", code=12)) == 2


def test_a_dry_run_sends_and_asks_nothing(remote, httpserver):
    for words in ((*RAISE, "100000"), (*PROMOTE, AUTO)):
        remote("--account", "18ce54", *words, "--dry-run")
    assert httpserver.log == []


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_terminal_asks(adsctl, answer):
    child = adsctl.terminal("-p", "local", "-q", *RAISE, "100000", "-o", "none", width=200)
    child.expect(r"from 80.00 EUR to 100,000.00 EUR \(profile local\)\? \[y/N\]")
    child.sendline(answer)
    child.expect(r"\Z" if answer == "y" else "nothing was changed")
    child.wait()
    campaign = json.loads(adsctl.local("-q", "campaigns", "get", RUNNING, "-o", "json").stdout)
    assert campaign["daily_budget_amount_local_micro"] == (100_000 if answer == "y" else 80) * 10**6


# Batches.


def new_campaigns(run, adsctl, count: int) -> list[str]:
    """Create active campaigns of 10 EUR a day."""
    rows = ["name,funding_instrument_id,daily_budget", *(f"N {number},4a1n0,10" for number in range(count))]
    adsctl.file("new.csv", "\n".join(rows))
    return run("-q", "campaigns", "create", "-f", "new.csv", "--active", "--yes", "-o", "ids").stdout.split()


@pytest.mark.parametrize("format", ["csv", "yaml", "operations"])
def test_a_batch_reads_what_it_changes_by_one_list_request(adsctl, format):
    ids = new_campaigns(adsctl.local, adsctl, 40)
    amounts = {id: 20 + number for number, id in enumerate(ids)}  # twice as much only for the first
    if format == "csv":
        adsctl.file("raise.csv", "\n".join(["id,daily_budget", *(f"{id},{amounts[id]}" for id in ids)]))
    elif format == "yaml":
        adsctl.file("raise.yaml", "".join(f"- {{id: {id}, daily_budget: {amounts[id]}}}\n" for id in ids))
    else:
        params = [{"campaign_id": id, "daily_budget_amount_local_micro": amounts[id] * 10**6} for id in ids]
        operations = [{"operation_type": "Update", "params": param} for param in params]
        adsctl.file("raise.json", json.dumps(operations))
    file = {"csv": "raise.csv", "yaml": "raise.yaml", "operations": "raise.json"}[format]
    refused = adsctl.local("campaigns", "update", "-f", file, "--debug", code=12)
    assert reads(refused) == 1 and not writes(refused)
    assert "Raise 39 campaigns: " in refused.stderr
    assert f" ({ids[-1]}) daily budget from 10.00 EUR to 59.00 EUR; " in refused.stderr
    assert "; and 34 more (profile local)" in refused.stderr
    done = adsctl.local("campaigns", "update", "-f", file, "--debug", "--yes")
    assert reads(done) == 1 and "40 updated" in done.stderr


def test_a_file_of_many_records_is_read_as_many_at_a_time_as_a_list_takes(adsctl, monkeypatch):
    monkeypatch.setattr(stored_records, "MOST_IDS", 2)
    adsctl.file("raise.csv", "id,daily_budget\n8wku2,500\n8wku3,500\n8wkv1,500\n")
    refused = adsctl.local("campaigns", "update", "-f", "raise.csv", "--debug", code=12)
    assert (
        reads(refused) == 2
        and "Raise 3 campaigns: Workshop films (8wkv1) daily budget from 30.00 EUR" in refused.stderr
    )


def test_line_items_of_a_batch_are_read_by_one_list_and_their_campaigns_by_another(adsctl):
    rows = [f"{AUTO},1000", f"{BIDDING},400", f"{UNDER_PAUSED},1000", f"{OVER},1000"]
    adsctl.file("raise.csv", "\n".join(["line_item_id,daily_budget", *rows]))
    refused = adsctl.local(*UPDATE, "-f", "raise.csv", "--debug", code=12)
    assert reads(refused) == 2
    first = f"{named(AUTO)} daily budget from 35.00 EUR to 1,000.00 EUR"
    raised = f"{first}; {named(BIDDING)} daily budget from 20.00 EUR"
    assert f"Raise 2 line items: {raised}" in refused.stderr


def test_one_question_names_what_is_activated_and_what_rises(adsctl):
    rows = [f"{PAUSED},100,ACTIVE", f"{RUNNING},200,ACTIVE", f"{EXPIRED},9000,ACTIVE"]
    adsctl.file("both.csv", "\n".join(["id,daily_budget,entity_status", *rows]))
    refused = adsctl.local("campaigns", "update", "-f", "both.csv", code=12)
    assert f"Activate the campaign {named(PAUSED)}, which may spend up to 100.00 EUR" in refused.stderr
    assert f"Raise the campaign {named(RUNNING)}: daily budget from 80.00 EUR to 200.00" in refused.stderr


def test_an_activation_in_a_batch_is_told_though_its_campaign_is_paused(adsctl):
    adsctl.local(*UPDATE, AUTO, "--entity-status", "PAUSED")
    adsctl.local("campaigns", "update", RUNNING, "--entity-status", "PAUSED")
    adsctl.file("both.yaml", f"- {{id: {AUTO}, entity_status: ACTIVE}}\n- {{id: {BIDDING}, bid_amount: 3}}\n")
    refused = adsctl.local(*UPDATE, "-f", "both.yaml", code=12)
    assert f"Activate the line item {named(AUTO)}, which may spend up to 35.00 EUR a day" in refused.stderr
    assert f"Raise the line item {named(BIDDING)}: bid from 0.45 EUR to 3.00 EUR" in refused.stderr


def test_a_line_item_without_a_budget_spends_by_its_campaign_though_that_is_paused(adsctl):
    refused = adsctl.local("line-items", "activate", UNDER_PAUSED, code=12)
    assert (
        f"Activate the line item {named(UNDER_PAUSED)}, which may spend up to 15.00 EUR a day"
        in refused.stderr
    )


def test_a_run_that_is_resumed_asks_about_what_it_has_not_sent(adsctl, batches):
    ids = new_campaigns(adsctl, adsctl, 41)
    adsctl.file("raise.csv", "\n".join(["id,daily_budget", *(f"{id},100" for id in ids)]))
    words = ("campaigns", "update", "-f", "raise.csv", "-o", "none")
    batches.fail_batch(len(batches.sent) + 1, "status=403")
    adsctl(*words, "--yes", code=4)
    batches.before = lambda number: batches.fail()
    refused = adsctl(*words, "--resume", code=12)
    assert f" ({ids[-1]}): daily budget from 10.00 EUR to 100.00 EUR" in refused.stderr
    assert "41 updated" in adsctl(*words, "--resume", "--yes").stderr


# The wire, and services that lie.

CAMPAIGNS, ITEMS = "/12/accounts/18ce54/campaigns", "/12/accounts/18ce54/line_items"
SERVES = {
    "id": "8wku2",
    "entity_status": "ACTIVE",
    "daily_budget_amount_local_micro": 80_000_000,
    "total_budget_amount_local_micro": None,
    "currency": "EUR",
    "deleted": False,
}
CHANGE = ("--account", "18ce54", "--max-attempts", "1", "campaigns", "update")
UNKNOWN = "Raise the campaign 8wku2: daily budget from an unknown value to 1"
LIES = {
    "an amount as text": SERVES | {"daily_budget_amount_local_micro": "80000000"},
    "an amount as a fraction": SERVES | {"daily_budget_amount_local_micro": 80_000_000.5},
    "an amount that is true": SERVES | {"daily_budget_amount_local_micro": True},
    "an amount below nothing": SERVES | {"daily_budget_amount_local_micro": -1},
    "an amount beyond all": SERVES | {"daily_budget_amount_local_micro": 10**400},
    "no amount": {key: value for key, value in SERVES.items() if not key.startswith("daily")},
    "another record": SERVES | {"id": "8wku9"},
    "no record": [],
    "nothing": None,
    "only an id": {"id": "8wku2"},
}


@pytest.mark.parametrize("lie", LIES)
def test_an_amount_that_cannot_be_read_counts_as_raised(remote, httpserver, lie):
    httpserver.expect_request(f"{CAMPAIGNS}/8wku2", "GET").respond_with_json({"data": LIES[lie]})
    assert UNKNOWN in remote(*CHANGE, "8wku2", "--daily-budget", "1", code=12).stderr
    assert len(httpserver.log) == 1


def test_an_amount_of_nothing_is_raised_by_anything(remote, httpserver):
    nothing = SERVES | {"daily_budget_amount_local_micro": 0}
    httpserver.expect_request(f"{CAMPAIGNS}/8wku2", "GET").respond_with_json({"data": nothing})
    asked = remote(*CHANGE, "8wku2", "--daily-budget", "1", code=12).stderr
    assert "Raise the campaign 8wku2: daily budget from 0.00 EUR to 1.00 EUR" in asked


@pytest.mark.parametrize("lie", LIES)
def test_an_activation_of_what_cannot_be_read_says_so(remote, httpserver, lie):
    record = LIES[lie] | {"entity_status": "PAUSED"} if isinstance(LIES[lie], dict) else LIES[lie]
    httpserver.expect_request(f"{CAMPAIGNS}/8wku2", "GET").respond_with_json({"data": record})
    httpserver.expect_request(ITEMS, "GET").respond_with_json({"data": []})
    asked = remote(*CHANGE, "8wku2", "--entity-status", "ACTIVE", code=12).stderr
    if lie == "an amount as text":
        assert "which may spend up to 80.00 EUR a day" in asked
    else:
        assert "which may spend without a daily budget that can be read (unlimited)" in asked


@pytest.mark.parametrize("amount", [2**63, 10**30, "much", True])
def test_a_new_value_that_cannot_be_read_counts_as_raised(amount):
    (kind,) = requests_named(("campaigns", "update"))
    request = kind(account_id="18ce54", campaign_id="8wku2", daily_budget_amount_local_micro=amount)
    (raised,) = raises(request, SERVES)
    assert raised == ("daily budget", 80_000_000, "an unknown value") and raised.factor == float("inf")


@pytest.mark.parametrize("status", ["ACTIVE", "active", "RUNNING", None, 7, "absent"])
def test_a_status_that_cannot_be_read_counts_as_serving(remote, httpserver, status):
    record = {key: value for key, value in SERVES.items() if key != "entity_status"}
    record |= {} if status == "absent" else {"entity_status": status}
    httpserver.expect_request(f"{CAMPAIGNS}/8wku2", "GET").respond_with_json({"data": record})
    asked = remote(*CHANGE, "8wku2", "--daily-budget", "1000", code=12).stderr
    assert "daily budget from 80.00 EUR to 1,000.00 EUR (profile default, account 18ce54)" in asked


@pytest.mark.parametrize("currency", ["EUR? [y/N] no matter", "\x1b[2J", "", None, 5, ["EUR"]])
def test_a_currency_that_is_none_is_not_shown(remote, httpserver, currency):
    record = SERVES | {"currency": currency}
    httpserver.expect_request(f"{CAMPAIGNS}/8wku2", "GET").respond_with_json({"data": record})
    asked = remote(*CHANGE, "8wku2", "--daily-budget", "1000", code=12).stderr
    assert "daily budget from 80.00 to 1,000.00 (profile default" in asked and len(httpserver.log) == 1


@pytest.mark.parametrize(("status", "code"), [(500, 12), (400, 12), (200, 12), (404, 5), (403, 4)])
def test_an_answer_that_tells_no_record_counts_as_raised_unless_the_change_would_fail_too(
    remote, httpserver, status, code
):
    httpserver.expect_request(f"{CAMPAIGNS}/8wku2", "GET").respond_with_data("<html>", status)
    refused = remote(*CHANGE, "8wku2", "--daily-budget", "1", code=code)
    looked = 2 * (code == 5)  # for a campaign, and for an account, with that name
    assert (UNKNOWN in refused.stderr) == (code == 12) and len(httpserver.log) == 1 + looked


def test_where_nobody_answers_that_is_the_error(remote):
    address = "http://127.0.0.1:9"
    words = (*CHANGE, "8wku2", "--daily-budget", "1")
    remote(*words, code=8, ADSCTL_BASE_URL=address, ADSCTL_ADS_URL=address)


LISTS = {
    "one is missing": [SERVES],
    "one twice": [SERVES, SERVES | {"id": "8wku3"}, SERVES | {"id": "8wku3", "daily_budget": 1}],
    "one of another type": [SERVES, SERVES | {"id": 83}],
}


@pytest.mark.parametrize("lie", LISTS)
def test_what_a_list_does_not_tell_counts_as_raised(remote, httpserver, lie):
    query = {"with_draft": "true", "count": "200", "with_deleted": "true", "campaign_ids": "8wku2,8wku3"}
    listed = httpserver.expect_oneshot_request(CAMPAIGNS, "GET", query_string=query)
    listed.respond_with_json({"data": LISTS[lie], "next_cursor": None})
    remote.file("raise.csv", "id,daily_budget\n8wku2,90\n8wku3,90\n")
    refused = remote(*CHANGE, "-f", "raise.csv", code=12)
    assert "Raise the campaign 8wku3: daily budget from an unknown value to 90.00" in refused.stderr
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("service", ["generic", "x"])
def test_a_new_ad_reads_the_line_item_and_its_campaign_by_the_names_of_the_service(
    remote, httpserver, service
):
    item = SERVES | {"id": "9d4c1", "campaign_id": "8wku2", "end_time": None}
    httpserver.expect_oneshot_request(f"{ITEMS}/9d4c1", "GET").respond_with_json({"data": item})
    query = {"with_draft": "true", "count": "200", "with_deleted": "true", "campaign_ids": "8wku2"}
    campaign = httpserver.expect_oneshot_request(CAMPAIGNS, "GET", query_string=query)
    campaign.respond_with_json({"data": [SERVES | {"entity_status": "PAUSED"}], "next_cursor": None})
    path = "promoted_tweets" if service == "x" else "promoted_posts"
    created = httpserver.expect_oneshot_request(f"/12/accounts/18ce54/{path}", "POST")
    created.respond_with_json({"data": [{"id": "7pt99"}]})
    words = ("--account", "18ce54", "--service", service, "promoted", "posts", "create")
    remote(*words, "--line-item", "9d4c1", "--posts", "1")
    assert [request.method for request, _ in httpserver.log] == ["GET", "GET", "POST"]


@pytest.mark.parametrize(
    ("end", "code"), [("2001-01-01T00:00:00Z", 0), ("soon", 12), (5, 12), (None, 12), ("2001-01-01", 12)]
)
def test_an_end_that_cannot_be_read_has_not_passed(remote, httpserver, end, code):
    item = SERVES | {"id": "9d4c1", "campaign_id": "8wku2", "end_time": end}
    changed = item | {"daily_budget_amount_local_micro": 1_000_000_000}
    httpserver.expect_request(f"{ITEMS}/9d4c1", method="PUT").respond_with_json({"data": changed})
    httpserver.expect_request(f"{ITEMS}/9d4c1").respond_with_json({"data": item})
    httpserver.expect_request(CAMPAIGNS).respond_with_json({"data": [SERVES]})
    words = ("--account", "18ce54", "line-items", "update", "9d4c1", "--daily-budget", "1000")
    remote(*words, code=code)


def test_every_limit_is_of_a_record_that_can_be_read_by_one_list_request():
    limited = {}
    for request in (request for module in MODULES for request in requests_of(module)):
        for field in fields_of(request):
            if field.type.extra("limit") and request.endpoint.method == "PUT":
                limited.setdefault(request.endpoint.id_field, set()).add(field.name)
            if field.type.extra("new_ad"):
                limited.setdefault(field.name, set())
    assert limited.keys() == {"campaign_id", "line_item_id"} <= SOURCES.keys()
    assert limited["campaign_id"] < limited["line_item_id"]
    for field in limited:
        (kind,) = requests_named((SOURCES[field], "list"))
        assert {f"{field}s", "count", "with_deleted"} <= {*kind.__struct_fields__}
        assert limited[field] <= {*kind.endpoint.record_fields}


def test_every_field_of_micros_in_an_update_and_every_ad_of_a_line_item_is_declared():
    for request in (request for module in MODULES for request in requests_of(module)):
        endpoint, fields = request.endpoint, fields_of(request)
        if endpoint.method == "PUT":
            assert all(field.type.extra("limit") for field in fields if field.type.extra("money"))
        if endpoint.method == "POST" and "approval_status" in endpoint.columns:
            assert any(field.type.extra("new_ad") for field in fields) == ("line_item_id" in endpoint.columns)
