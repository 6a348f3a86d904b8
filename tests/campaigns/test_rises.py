"""`campaigns apply` asks about whatever rises of what runs, and says it; every place says the same."""

import json
import random
import re
from decimal import Decimal
from itertools import product

import pytest

from tests.campaigns.files import apply, document, plan
from tests.campaigns.long_generated_accounts import CAFE, FUNDING, edited, generated
from tests.campaigns.long_generated_accounts import document as whole_account
from tests.campaigns.test_refused_changes import below, changing_lists
from tests.effort import tries
from tests.emulator.seeded import (
    ADVENT,
    CARD,
    CLICKS,
    FILMS,
    FOLLOWERS,
    HAMBURG,
    KNITTERS,
    REACH,
    SPRING,
    WINTER,
)
from tests.report.reading import Read

POSTS = [{"post": "1790415000000000001"}, {"post": "1790415000000000010"}]
NEW_ITEM = {"name": "Mugs", "objective": "REACH", "product_type": "PROMOTED_POSTS", "bid_strategy": "TARGET"}
NEW_ITEM |= {"placements": ["ALL_ON_PLATFORM"], "start_time": "2031-12-01", "entity_status": "ACTIVE"}
NEW_ITEM |= {"bid_amount": "0.50", "end_time": "2032-01-01T00:00:00Z"}
SUM = re.compile(r"daily budgets of what may serve: (.+?) → (.+?)(?: \(profile .*)?$", re.M)
NO_BUDGET = "unlimited (1 campaign without a daily budget)"


def of(campaign: str, **fields) -> dict:
    """Return a file with one campaign."""
    return {"campaigns": [{"id": campaign, **fields}]}


RISES = {
    "a total budget": (
        of(SPRING, total_budget="3500"),
        "total budget of the campaign Spring collection (8wku2): 2,400.00 → 3,500.00 EUR",
    ),
    "a total budget by a cent": (
        of(SPRING, total_budget="2400.01"),
        "total budget of the campaign Spring collection (8wku2): 2,400.00 → 2,400.01 EUR",
    ),
    "a total budget of what has no daily one": (
        of(ADVENT, total_budget="5000"),
        "total budget of the campaign Advent calendar (8wkt5): 3,000.00 → 5,000.00 EUR",
    ),
    "a bid": (
        below(SPRING, CLICKS, bid_amount="0.8"),
        "bid of the line item Visits to the shop (9d4c1): 0.45 → 0.80 EUR",
    ),
    "a bid that the service chooses": (
        below(SPRING, CLICKS, bid_strategy="AUTO"),
        "bid of the line item Visits to the shop (9d4c1): 0.45 EUR → unlimited",
    ),
    "a daily budget": (
        of(HAMBURG, daily_budget="2000"),
        "daily budget of the campaign Hamburg knows us (8wku3): 80.00 → 2,000.00 EUR",
    ),
    "a daily budget below that of the campaign": (
        below(SPRING, CLICKS, daily_budget="21"),
        "daily budget of the line item Visits to the shop (9d4c1): 20.00 → 21.00 EUR",
    ),
    "a rise beside a larger cut": (
        {"campaigns": [{"id": HAMBURG, "daily_budget": "9"}, {"id": SPRING, "daily_budget": "61"}]},
        "daily budget of the campaign Spring collection (8wku2): 60.00 → 61.00 EUR",
    ),
    "an end that has passed": (
        below(WINTER, "9d4b1", end_time="2099-01-01T00:00:00Z"),
        "end of the line item Wool and wax (9d4b1): 2026-01-15T23:00:00Z → 2099-01-01T00:00:00Z; "
        "the line item Wool and wax (9d4b1) begins to serve: "
        "daily budget 40.00 EUR, end 2099-01-01T00:00:00Z",
    ),
    "an ad": (below(HAMBURG, REACH, ads=POSTS), "a new ad of the line item All of Hamburg (9d4c2)"),
    "a line item": (
        of(HAMBURG, line_items=[NEW_ITEM]),
        "the new line item Mugs begins to serve: bid 0.50 EUR, end 2032-01-01T00:00:00Z",
    ),
    "a campaign": (
        {
            "campaigns": [
                {"name": "New", "funding_instrument_id": CARD, "daily_budget": "7", "entity_status": "ACTIVE"}
            ]
        },
        "the new campaign New begins to serve: daily budget 7.00 EUR",
    ),
    "what is raised and activated": (
        of(KNITTERS, entity_status="ACTIVE", daily_budget="16"),
        "daily budget of the campaign People who knit (8wku4): 15.00 → 16.00 EUR; "
        "the campaign People who knit (8wku4) begins to serve: daily budget 16.00 EUR",
    ),
    "a line item whose campaign is activated": (
        {
            "campaigns": [
                {
                    "id": KNITTERS,
                    "entity_status": "ACTIVE",
                    "line_items": [{"id": FOLLOWERS, "entity_status": "ACTIVE", "total_budget": "9"}],
                }
            ]
        },
        "the line item People who knit (9d4c3) begins to serve: total budget 9.00 EUR",
    ),
}
NO_RISES = {
    "a cut": of(HAMBURG, daily_budget="79"),
    "a lower bid": below(SPRING, CLICKS, bid_amount="0.4"),
    "a lower total budget": of(SPRING, total_budget="2399"),
    "a limit where there was none": below(HAMBURG, REACH, total_budget="5000"),
    "an end where there was none": below(SPRING, CLICKS, end_time="2099-01-01T00:00:00Z"),
    "a pause": of(HAMBURG, entity_status="PAUSED", daily_budget="9000"),
    "a name": of(HAMBURG, name="Hamburg"),
    "what is paused": of(KNITTERS, daily_budget="9000", total_budget="90000"),
    "a line item of what is paused": below(KNITTERS, FOLLOWERS, daily_budget="9000"),
    "what has ended": of(WINTER, daily_budget="9000"),
    "a paused line item": of(HAMBURG, line_items=[NEW_ITEM | {"entity_status": "PAUSED"}]),
}


@pytest.mark.parametrize("service_name", ["x"])
def test_whatever_rises_is_asked_about_and_said(adsctl, service, service_name):
    before = document(adsctl)
    for case, (file, words) in RISES.items():
        assert f"; {words}; " in apply_unasked(adsctl, file), case
    assert document(adsctl) == before


def spending_of(text: str) -> list[str]:
    """Return the sentences about spending: each rise, and the sum."""
    lines = re.sub(r" \(profile .*", "", text).splitlines()
    return [
        sentence
        for sentence in dict.fromkeys(sentence for line in lines for sentence in line.split("; "))
        if " → " in sentence or "begins to serve" in sentence or "new ad" in sentence
    ]


def apply_unasked(adsctl, file: dict, *words: str) -> str:
    """Return the question, which nobody answers."""
    message = adsctl("-q", "campaigns", "apply", "-", *words, input=json.dumps(file), code=12).stderr
    return " ".join(message.partition("not confirmed: ")[2].split())


@pytest.mark.parametrize("case", NO_RISES)
def test_what_does_not_rise_is_not_asked_about(adsctl, service, case):
    adsctl("-q", "campaigns", "apply", "-", input=json.dumps(NO_RISES[case]))
    assert plan(adsctl, NO_RISES[case], code=0) == []


def test_an_end_that_is_put_off_or_removed_is_asked_about(adsctl, service):
    old, new = "2031-01-01T00:00:00Z", "2031-01-01T00:00:01Z"
    apply(adsctl, below(SPRING, CLICKS, end_time=old))
    words = f"end of the line item Visits to the shop (9d4c1): {old} → {new};"
    assert words in apply_unasked(adsctl, below(SPRING, CLICKS, end_time=new))
    adsctl(
        "-q",
        "campaigns",
        "apply",
        "-",
        input=json.dumps(below(SPRING, CLICKS, end_time="2030-12-31T23:00:00Z")),
    )


@pytest.mark.parametrize("service_name", ["x"])
@pytest.mark.parametrize(
    ("file", "rise", "spent"),
    [
        (
            of(FILMS, daily_budget=None),
            "daily budget of the campaign Workshop films (8wkv1): 30.00 EUR",
            NO_BUDGET,
        ),
        (
            of(HAMBURG, daily_budget=None),
            "daily budget of the campaign Hamburg knows us (8wku3): 80.00 EUR",
            "35.00 EUR",
        ),
        (
            of(SPRING, total_budget=None),
            "total budget of the campaign Spring collection (8wku2): 2,400.00 EUR",
            "60.00 EUR",
        ),
        (
            below(SPRING, CLICKS, bid_strategy=None),
            "bid of the line item Visits to the shop (9d4c1): 0.45 EUR",
            "60.00 EUR",
        ),
    ],
)
def test_a_limit_that_is_removed_is_said_to_be_unlimited(adsctl, service, service_name, file, rise, spent):
    asked = apply_unasked(adsctl, file)
    assert f"; {rise} → unlimited; " in asked and SUM.search(asked)[2] == spent


@pytest.mark.parametrize("value", ["much", -1, True])
def test_a_limit_that_cannot_be_read_is_asked_about(adsctl, service, value):
    def lie(name: str, records: list[dict]) -> None:
        for record in records:
            if record["id"] == SPRING:
                record["total_budget_amount_local_micro"] = value

    changing_lists(service, lie)
    rise = "total budget of the campaign Spring collection (8wku2): an unknown value → 2.00 EUR"
    assert rise in apply_unasked(adsctl, of(SPRING, total_budget="2"))


@pytest.mark.parametrize("value", ["much", -1, None, True])
def test_a_campaign_whose_daily_budget_cannot_be_read_is_unlimited(adsctl, service, value):
    def lie(name: str, records: list[dict]) -> None:
        for record in records:
            if record["id"] in (FILMS, "9d4e1"):
                record["daily_budget_amount_local_micro"] = value

    changing_lists(service, lie)
    asked = apply_unasked(adsctl, of(FILMS, total_budget="1000"))
    assert SUM.search(asked).groups() == (NO_BUDGET, NO_BUDGET)


@pytest.mark.parametrize("currency", ["EUR? [y/N] no matter", "\x1b[2J", "", None, 5])
def test_a_currency_that_is_none_is_not_shown(adsctl, service, currency):
    changing_lists(service, lambda name, records: [record.update(currency=currency) for record in records])
    asked = apply_unasked(adsctl, of(SPRING, total_budget="3500"))
    rise = "total budget of the campaign Spring collection (8wku2): 2,400.00 → 3,500.00"
    assert f"; {rise}; daily budgets of what may serve: 60.00 → 60.00 (profile" in asked


def test_a_stored_plan_and_a_copy_are_asked_about_like_their_file(adsctl, service):
    file = of(SPRING, total_budget="3500")
    adsctl("campaigns", "plan", adsctl.file("rise.json", json.dumps(file)), "--out", "rise.plan", code=10)
    stored = " ".join(adsctl("-q", "campaigns", "apply", "rise.plan", code=12).stderr.split())
    assert RISES["a total budget"][1] in stored
    adsctl("campaigns", "apply", "rise.plan", "--yes")
    asked = " ".join(adsctl("-q", "campaigns", "copy", HAMBURG, "--active", code=12).stderr.split())
    assert "the new campaign Copy of Hamburg knows us begins to serve: daily budget 80.00 EUR" in asked


def test_of_many_rises_those_that_rise_most_are_named(adsctl, service):
    active = {"funding_instrument_id": CARD, "entity_status": "ACTIVE"}
    new = [{"name": f"N{number}", "daily_budget": "10", **active} for number in range(30)]
    apply(adsctl, {"campaigns": new})
    raised = [record | {"daily_budget": str(11 + number)} for number, record in enumerate(new)]
    asked = apply_unasked(adsctl, {"campaigns": raised})
    named = re.findall(r"daily budget of the campaign N(\d+) \(", asked)
    assert named == [str(number) for number in range(29, 9, -1)] and "; and 10 more; " in asked


# Every place says the same: the plan, its records, its page, the question, assistants, and the guard.


def in_json(records: str) -> set[str]:
    """Return the limits that records of a plan change, as sentences."""
    keys = {"daily budget": "daily_budget", "total budget": "total_budget", "bid": "bid_amount"}
    return {
        f"{limit} of the {record['kind'].replace('_', ' ')} {record['name']} ({record['id']}): "
        f"{Decimal(record['before'][key]):,} → {Decimal(record['after'][key]):,}"
        for record, (limit, key) in product(json.loads(records), keys.items())
        if record["action"] == "update" and record["before"].get(key) and record["after"].get(key)
    }


@pytest.mark.parametrize("seed", range(tries(1, 200)))
def test_the_plan_its_page_the_question_assistants_and_the_guard_say_the_same_amounts(adsctl, service, seed):
    rng = random.Random(seed)
    generated(rng, service.emulator.data)
    file = whole_account(adsctl)
    edited(rng, file)
    path, account = adsctl.file("file.json", json.dumps(file)), ("-A", CAFE, "campaigns")
    planned = adsctl(*account, "plan", path, "-o", "json", "--report", "page.html", code=None)
    message = spending_of(planned.stderr)
    assert message == spending_of(adsctl("__plan", "mcp", "-q", *account, "apply", path).stderr)
    asked = adsctl("-q", *account, "apply", path, code=None).stderr
    assert "not confirmed" not in asked or message == spending_of(asked)
    page = " ".join(Read((adsctl.home / "page.html").read_text()).texts).split()
    assert all(" ".join(record.split()) in " ".join(page) for record in message)
    raised = {
        record.rpartition(" ")[0] for record in message if re.match("(daily|total) budget of|bid of", record)
    }
    assert raised <= in_json(planned.stdout)
    after = SUM.search(message[-1])[2]
    listed = json.loads(adsctl("-A", CAFE, "funding-instruments", "list", "-o", "json").stdout)
    (currency,) = [record["currency"] for record in listed if record["id"] == FUNDING]
    guard = adsctl.file("guard.yaml", f"max_account_daily_budget: 1 {currency}\n")
    dry = adsctl(*account, "apply", path, "--yes", "--dry-run", ADSCTL_GUARD=str(guard)).stderr
    judged = " ".join(dry.split())
    assert "has no bound" not in judged or "unlimited" in after
    for amount in re.findall(r"up to (\S+ [A-Z]{3}) a day in the account", judged):
        assert amount == re.sub(r"\.00(?= )", "", after.replace(",", ""))
