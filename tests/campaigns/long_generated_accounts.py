"""A pull of any account is no difference; after any edits and kills, the account is what the file says."""

import json
import random
import re
from collections.abc import Sequence
from datetime import datetime
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from ads_cli.api.line_items import Objective
from ads_cli.emulator.resources import campaigns, line_items
from tests.campaigns.kills import at_random_changes, run_until_it_ends
from tests.effort import tries
from tests.emulator.seeded import CAFE, LINE_ITEM_FIELDS
from tests.emulator_data import update_record

WORDS = (
    "Winter",
    "Küche ☕",
    "yes",
    "null",
    "1e5",
    "# no",
    "a: b",
    "- x",
    "'q'",
    '"d"',
    "日本",
    "\u2028",
    "{c}",
    " pad ",
)
ZONES = ("Pacific/Kiritimati", "Asia/Kolkata", "Europe/Berlin", "America/St_Johns", "Pacific/Marquesas")
MOMENTS = (None, "2031-06-01T10:30:00Z", "2027-03-28T01:00:00Z", "2030-12-31T23:59:59Z")
MOMENT = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z")
GOALS = {"WEBSITE_CLICKS": "LINK_CLICKS", "REACH": "MAX_REACH", "VIDEO_VIEWS": "VIDEO_VIEW"}
FUNDING = "4z0"
HAND = "daily_budget_amount_local_micro"


def generated(rng: random.Random, data, objectives: Sequence[str] = (*GOALS, "ENGAGEMENTS")) -> None:
    """Fill the account CAFE."""
    paid = {"currency": rng.choice(("EUR", "JPY", "KWD")), "funding_instrument_id": FUNDING}
    funding = {"id": FUNDING, "type": "CREDIT_CARD", "entity_status": "ACTIVE", "currency": paid["currency"]}
    funding |= {"account_id": CAFE, "start_time": "2024-03-01T00:00:00Z", "end_time": None}
    data.add_records("funding_instrument", [funding | {"credit_limit_local_micro": 10**12}], owner=CAFE)
    for number in range(rng.randint(1, 5)):
        campaign = {**campaigns.DEFAULTS, **paid, "id": f"c{number}", "name": f"{rng.choice(WORDS)} {number}"}
        campaign |= {
            "entity_status": rng.choice(("ACTIVE", "PAUSED", "DRAFT")),
            "deleted": rng.random() < 0.1,
        }
        campaign[HAND] = rng.choice((None, 5_000_000, 12_000_000))
        data.add_records("campaign", [campaign], owner=CAFE)
        objective = rng.choice(objectives)
        for inner in range(rng.randint(0, 3)):
            item = {**line_items.DEFAULTS, **LINE_ITEM_FIELDS, **paid, "id": f"i{number}{inner}"}
            item |= {
                "campaign_id": f"c{number}",
                "name": f"{rng.choice(WORDS)} {inner}",
                "objective": objective,
            }
            item |= {"goal": GOALS.get(objective, "ENGAGEMENT"), HAND: rng.choice((None, 3_000_000))}
            item |= {"end_time": rng.choice(MOMENTS), "deleted": rng.random() < 0.1}
            item["placements"] = rng.choice((["ALL_ON_PLATFORM"], ["PLATFORM_TIMELINE", "PLATFORM_SEARCH"]))
            data.add_records("line_item", [item], owner=CAFE)
            words = rng.sample(WORDS[:11], rng.randint(0, 4))
            criteria = [
                {
                    "id": f"t{number}{inner}{n}",
                    "line_item_id": item["id"],
                    "name": word,
                    "operator_type": "EQ",
                }
                | {"targeting_type": "BROAD_KEYWORD", "targeting_value": word}
                for n, word in enumerate(words)
            ]
            data.add_records("targeting_criterion", criteria, owner=CAFE)
            url = rng.choice(("https://example.com/?a=1&b=[timestamp]", "https://example.com/ü#x"))
            tag = {"tracking_tag_type": "CLICK_TRACKER", "tracking_tag_url": url, "deleted": inner == 2}
            tag |= {"id": f"g{number}{inner}", "line_item_id": item["id"]}
            data.add_records("tracking_tag", [tag], owner=CAFE)


def document(adsctl) -> dict:
    return json.loads(adsctl("-q", "campaigns", "pull", "-A", CAFE, "-o", "json").stdout)


def plan(adsctl, text: str, *words: str) -> list[dict]:
    words = ("-q", "-A", CAFE, "campaigns", "plan", "-", "-o", "json", *words)
    return json.loads(adsctl(*words, input=text, code=None).stdout)


@pytest.mark.parametrize("service_name", ["generic", "x"])
@pytest.mark.parametrize("seed", range(tries(2, 100)))
def test_a_pull_of_any_account_is_stable_and_no_difference(adsctl, service, service_name, seed):
    generated(random.Random(seed), service.emulator.data, get_args(Objective))
    pulled = adsctl("-q", "campaigns", "pull", "-A", CAFE).stdout
    assert adsctl("-q", "campaigns", "pull", "-A", CAFE).stdout == pulled
    assert plan(adsctl, pulled, "--prune") == []
    assert plan(adsctl, json.dumps(document(adsctl)), "--prune") == []
    zone = ZoneInfo(ZONES[seed % len(ZONES)])
    in_zone = MOMENT.sub(lambda found: datetime.fromisoformat(found[0]).astimezone(zone).isoformat(), pulled)
    assert plan(adsctl, in_zone, "--prune") == []
    adsctl("-q", "campaigns", "pull", "-A", CAFE, "all.xlsx")
    assert adsctl("-q", "campaigns", "plan", "-A", CAFE, "all.xlsx", "-o", "ids", "--prune").stdout == ""


def edited(rng: random.Random, file: dict) -> None:
    """Change a file at random, in ways that the service takes."""
    for campaign in file["campaigns"]:
        if rng.random() < 0.5:
            campaign["name"] += "!"
        if rng.random() < 0.5:
            campaign["daily_budget"] = str(rng.randint(13, 40))
        if campaign["entity_status"] != "DRAFT" and rng.random() < 0.5:
            campaign["entity_status"] = rng.choice(("ACTIVE", "PAUSED"))
        for item in campaign["line_items"]:
            if rng.random() < 0.3:
                item["targeting"] = [*item["targeting"][1:], {"EXCLUDE BROAD_KEYWORD": "new"}]
            if rng.random() < 0.3:
                item["daily_budget"] = "4"
        if campaign["line_items"] and rng.random() < 0.5:
            twin = json.loads(json.dumps(campaign["line_items"][0])) | {
                "name": "Twin",
                "entity_status": "ACTIVE",
            }
            del twin["id"], twin["pay_by"]
            for tag in twin["tracking_tags"]:
                del tag["id"]
            campaign["line_items"] = [*campaign["line_items"][1:], twin]
    for number in range(rng.randint(0, 2)):
        new = {"name": f"New {number}", "funding_instrument_id": FUNDING, "entity_status": "ACTIVE"}
        file["campaigns"].append(new | {"daily_budget": "9", "line_items": []})


@pytest.mark.parametrize("seed", range(tries(2, 100)))
def test_after_any_edits_and_kills_the_account_is_the_file(adsctl, service, seed, monkeypatch):
    rng = random.Random(seed)
    generated(rng, service.emulator.data)
    file = document(adsctl)
    edited(rng, file)
    for campaign in file["campaigns"]:
        if "id" in campaign and rng.random() < 0.3:  # somebody else, by hand
            update_record(service.emulator, "campaign", campaign["id"], {HAND: 12_000_000}, owner=CAFE)
            campaign["daily_budget"] = "11"
    text = json.dumps(file)

    words = ("-q", "-A", CAFE, "campaigns", "apply", "-", "--prune", "--max-delete", "100%", "--yes")
    run_until_it_ends(
        monkeypatch, lambda: adsctl(*words, "--resume", input=text), at_random_changes(rng, 0.4)
    )
    assert plan(adsctl, text, "--prune") == []
    names = [record["name"] for record in document(adsctl)["campaigns"]]
    assert sorted(names) == sorted(record["name"] for record in file["campaigns"])
    for campaign, wanted in zip(by_name(document(adsctl)), by_name(file), strict=True):
        assert campaign["entity_status"] == wanted["entity_status"]
        counts = [
            [len(item["targeting"]) for item in items] for items in (items_of(campaign), items_of(wanted))
        ]
        assert counts[0] == counts[1]


def by_name(file: dict) -> list[dict]:
    return sorted(file["campaigns"], key=lambda record: record["name"])


def items_of(campaign: dict) -> list[dict]:
    return sorted(campaign["line_items"], key=lambda record: (record["name"], record.get("id", "")))
