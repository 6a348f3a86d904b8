"""A dry run tells a person in sentences what it would do, and a program which request it would send."""

import json
import re

import pexpect
import pytest

SENTENCES = {
    "a pause": (
        ["campaigns", "update", "8wku2", "--entity-status", "PAUSED"],
        ["would pause the campaign Spring collection (8wku2)"],
    ),
    "an activation": (
        ["campaigns", "update", "8wku4", "--active"],
        ["would activate the campaign People who knit (8wku4)"],
    ),
    "several": (
        ["line-items", "update", "--where", "campaign_id=8wku2", "--set", "daily_budget=+10%"],
        [
            "would update the line item Visits to the shop (9d4c1): daily_budget 20.00 → 22.00 EUR",
            "would update the line item Garden and balcony (9d4c4): daily_budget 25.00 → 27.50 EUR",
        ],
    ),
    "a deletion": (
        ["campaigns", "delete", "8wku2", "8wku3"],
        [
            "would delete the campaign Spring collection (8wku2)",
            "would delete the campaign Hamburg knows us (8wku3)",
        ],
    ),
    "a creation": (
        ["campaigns", "create", "--name", "New", "--funding-instrument-id", "4a1n0", "--daily-budget", "7"],
        [
            "would create the campaign New: daily_budget 7.00 EUR, funding_instrument_id 4a1n0, "
            "entity_status PAUSED"
        ],
    ),
}


def shown(adsctl, *words: str) -> str:
    terminal = adsctl.terminal("--profile", "local", *words, "--dry-run", width=200)
    terminal.expect(pexpect.EOF)
    return re.sub(r"\x1b\[[0-9;]*m", "", terminal.before)


@pytest.mark.parametrize("case", SENTENCES)
def test_a_person_is_told_in_sentences(adsctl, case):
    words, sentences = SENTENCES[case]
    text = shown(adsctl, *words)
    assert [line for line in text.splitlines() if "would" in line] == [
        f"dry run: {each}" for each in sentences
    ]
    assert "http://" not in text and "~ " not in text
    verbose = shown(adsctl, *words, "-v")
    assert f"dry run: {sentences[0]}" in verbose and "http://" in verbose


def test_a_program_gets_the_request_and_so_does_who_writes_one(adsctl):
    words, _ = SENTENCES["a pause"]
    document = json.loads(adsctl.local(*words, "--dry-run", "-o", "json").stdout)
    assert document["method"] == "PUT" and "would" not in adsctl.local(*words, "--dry-run").stdout
    raw = shown(adsctl, "api", "DELETE", "/12/accounts/{account_id}/campaigns/8wku2")
    assert "DELETE http://" in raw and "would" not in raw


def test_a_dry_run_needs_no_service(remote):
    terminal = remote.terminal(
        *("--account", "18ce54", "campaigns", "delete", "8wku2", "--dry-run"),
        ADSCTL_ADS_URL="http://127.0.0.1:1",
        ADSCTL_BASE_URL="http://127.0.0.1:1",
    )
    terminal.expect(pexpect.EOF)
    assert "dry run: would delete the campaign 8wku2" in terminal.before
