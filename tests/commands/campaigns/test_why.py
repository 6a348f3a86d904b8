"""`campaigns why`, and where else it is said why something does not deliver, with a next command."""

import json
import shlex

import pytest

from ads_cli.api.delivery import CAMPAIGN, FUNDING, LINE_ITEM, REASONS, reason_of
from tests.emulator.seeded import ADVENT, AUTUMN, CARD, CLICKS, ENDED_ORDER, KNITTERS, SPRING, SUMMER, WINTER

VALUES = {
    "campaign_id": ADVENT,
    "line_item_id": CLICKS,
    "funding_instrument_id": ENDED_ORDER,
    "other_id": CARD,
    "now": "2026-11-30T08:00:00Z",
    "later": "2031-12-30T08:00:00Z",
}
ENTRIES = [(kind, code) for kind, reasons in REASONS.items() for code in reasons]


def why(adsctl, *campaigns: str) -> list[dict]:
    return json.loads(adsctl.local("campaigns", "why", *campaigns, "-o", "json").stdout)


def run_command(adsctl, text: str, *options: str) -> None:
    program, *words = shlex.split(text)
    assert program == "adsctl"
    adsctl(*words, *options)


@pytest.mark.parametrize(("kind", "code"), ENTRIES)
def test_each_reason_has_words_and_a_next_command_that_works(adsctl, kind, code):
    reason = REASONS[kind][code]
    assert reason.words.format(**VALUES, detail="then")
    words = [word.format(**VALUES) for word in shlex.split(reason.command)]
    adsctl.local(*words, "--dry-run")


def test_every_reason_that_the_service_states_is_in_the_table():
    assert {"PAUSED_BY_ADVERTISER", "INCOMPLETE", "EXPIRED", "FUNDING_PROBLEM"} <= REASONS[CAMPAIGN].keys()
    assert {"DELETED", "EXPIRED"} <= REASONS[FUNDING].keys()


def test_a_reason_that_is_not_known_is_shown_as_the_service_names_it():
    assert reason_of(CAMPAIGN, "UNDER_REVIEW").words == "does not deliver: under review"
    assert "{campaign_id}" in reason_of(CAMPAIGN, "UNDER_REVIEW").command


def test_each_campaign_that_does_not_deliver_is_told_with_the_reasons_of_the_service(adsctl):
    found = why(adsctl)
    by_campaign = {record["campaign_id"]: record for record in reversed(found)}
    assert {WINTER, ADVENT, KNITTERS, AUTUMN} == by_campaign.keys()
    assert by_campaign[WINTER]["reason"] == "EXPIRED"
    assert by_campaign[ADVENT]["reason"] == "FUNDING_PROBLEM"
    assert "Order 2025-081, Advent, which ended on 2026-02-01 00:00 CET" in by_campaign[ADVENT]["why"]
    assert by_campaign[KNITTERS]["reason"] == "PAUSED_BY_ADVERTISER"
    for record in found:
        run_command(adsctl, record["command"], "--dry-run")


def test_the_next_commands_put_a_campaign_right(adsctl):
    adsctl.copy_emulator()
    for line_item in (CLICKS, SUMMER):
        adsctl.local("line-items", "update", line_item, "--entity-status", "PAUSED")
    adsctl.local("campaigns", "update", SPRING, "--entity-status", "PAUSED")
    steps = ["PAUSED_BY_ADVERTISER", "NO_ACTIVE_LINE_ITEM"]
    for step in steps:
        assert [record["reason"] for record in why(adsctl, SPRING)] == steps[steps.index(step) :]
        run_command(adsctl, why(adsctl, SPRING)[0]["command"], "--yes")
    shown = adsctl.local("campaigns", "why", SPRING)
    assert shown.stdout.strip() in ("", "campaign\tkind\tname\treason\twhy\tcommand\tcampaign_id\tid")
    assert f"Spring collection ({SPRING}) is RUNNING: nothing is in the way of its delivery" in shown.stderr


def test_a_line_item_in_searches_is_told_to_lack_keywords_and_ads(adsctl):
    adsctl.copy_emulator()
    made = json.loads(
        adsctl.local(
            *("campaigns", "create", "--funding-instrument-id", CARD, "--name", "Autumn mugs"),
            *("--daily-budget", "25", "--active", "--yes", "-o", "json"),
        ).stdout
    )["id"]
    assert [record["reason"] for record in why(adsctl, made)] == ["NO_LINE_ITEM"]
    create = why(adsctl, made)[0]["command"]
    run_command(adsctl, create, "--placements", "PLATFORM_SEARCH", "--active", "--yes")
    found = {record["reason"]: record for record in why(adsctl, made)}
    assert found.keys() == {"NO_KEYWORDS", "NO_ADS"} and found["NO_ADS"]["kind"] == LINE_ITEM
    run_command(adsctl, found["NO_KEYWORDS"]["command"])
    assert [record["reason"] for record in why(adsctl, made)] == ["NO_ADS"]


def test_people_read_names_words_and_the_next_command(adsctl):
    text = adsctl.local("campaigns", "why", KNITTERS, "-o", "table").stdout
    assert text.splitlines()[:3] == [
        f"People who knit  {KNITTERS}",
        "  is paused",
        f"    adsctl --profile=local campaigns activate {KNITTERS}",
    ]


def test_a_tree_has_why_each_record_does_not_deliver(adsctl):
    drawn = adsctl.local("campaigns", "tree", KNITTERS, "-o", "table").stdout
    assert f"why  is paused  adsctl --profile=local campaigns activate {KNITTERS}" in drawn
    nodes = json.loads(adsctl.local("campaigns", "tree", WINTER, "-o", "json").stdout)
    assert [node["why"] for node in nodes if node["kind"] == "campaign"] == ["ended"]


def test_tables_say_why_a_funding_instrument_cannot_pay_and_a_line_item_has_ended(adsctl):
    funding = adsctl.local("funding-instruments", "list", "-o", "table").stdout
    assert "false: ended" in next(line for line in funding.splitlines() if ENDED_ORDER in line)
    assert "INCOMPLETE" not in (campaigns := adsctl.local("campaigns", "list", "-o", "table").stdout)
    assert "paused, incomplete" in campaigns and "WHY_NOT" in campaigns
    items = adsctl.local("line-items", "list", "--campaign-ids", WINTER, "-o", "table").stdout
    assert "ACTIVE: ended" in items
    assert "EXPIRED" in adsctl.local("campaigns", "list", "-o", "tsv").stdout  # programs read the codes
