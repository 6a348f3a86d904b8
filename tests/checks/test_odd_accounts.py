"""Accounts that nobody expects: `accounts check` and `stats pace` end as they should, whatever they find."""

import json

import pytest

SET = "UPDATE records SET data = json_set(data, {}) WHERE kind = '{}'"
KEPT = ("8wku2", "9d4c1", "4a1n0")
ACCOUNTS = {
    "no campaigns": ["DELETE FROM records WHERE kind != 'account'"],
    "all deleted": ["UPDATE records SET deleted = 1 WHERE kind NOT LIKE 'account%'"],
    "one of everything": [
        "DELETE FROM records WHERE kind != 'account' AND id NOT IN ('8wku2', '9d4c1', '4a1n0')"
    ],
    "campaigns without line items": ["DELETE FROM records WHERE kind = 'line_item'"],
    "line items without campaigns": ["UPDATE records SET deleted = 1 WHERE kind = 'campaign'"],
    "several currencies": [
        "UPDATE records SET data = json_set(data, '$.currency', 'JPY') WHERE id = '8wku2'"
    ],
    "funding in another currency": [SET.format("'$.currency', 'KWD'", "funding_instrument")],
    "no currency": [
        SET.format("'$.currency', NULL", "campaign"),
        SET.format("'$.currency', NULL", "line_item"),
    ],
    "names with control characters": [
        SET.format("'$.name', 'a' || char(27, 93, 7, 10, 8238) || '[31m'", kind)
        for kind in ("campaign", "line_item", "audience")
    ],
    "empty names": [SET.format("'$.name', ''", kind) for kind in ("campaign", "line_item")],
    "budgets of nothing": [SET.format("'$.total_budget_amount_local_micro', 0", "campaign")],
    "ends before starts": [SET.format("'$.end_time', '2001-01-01T00:00:00Z'", "line_item")],
    "a time far away": [SET.format("'$.end_time', '9999-12-31T23:59:59Z'", "line_item")],
    "a start of the first year": [SET.format("'$.start_time', '0001-01-01T00:00:00Z'", "line_item")],
    "statuses of another time": [SET.format("'$.entity_status', 'FROZEN'", "campaign")],
}
GOALS = (
    "monthly_budget=0.000001EUR",
    "monthly_budget=999999999999EUR",
    "monthly_budget=5JPY",
    "goals.cost_per_result=0.000001EUR",
    "goals.roas=999999999999",
    "name_pattern=(",
    "name_pattern=(a*)*$",
    "check.ctr_days=1",
    "check.tag_days=8784",
    "check.silent_hours=8784",
    "check.gone_before_hour=0",
    "check.near_limit=0",
    "check.least_days=0",
)


def run(adsctl):
    """Run both commands in each form; return what the check found."""
    found = json.loads(adsctl("accounts", "check", "--unknown", "-o", "json", code=None).stdout)
    json.loads(adsctl("stats", "pace", "-o", "json").stdout)
    for command in (("accounts", "check", "--unknown"), ("stats", "pace")):
        done = adsctl(*command, "-o", "table", code=None)
        assert done.returncode in (0, 10) and "bug" not in done.stderr
        assert not {*"\x07\x08\u202e"} & {*done.stdout} and "\x1b]" not in done.stdout
    return found


@pytest.mark.parametrize("about", ACCOUNTS)
def test_an_odd_account_is_checked(adsctl, service, about):
    with service.emulator.store.transaction() as connection:
        for statement in ACCOUNTS[about]:
            connection.execute(statement)
    found = run(adsctl)
    odd = [record for record in found if "cannot read" in record["message"]]
    assert odd == []


@pytest.mark.parametrize("goal", GOALS)
def test_a_hostile_goal_is_refused_when_it_is_set_or_used(adsctl, service, goal):
    if adsctl("profile", "set", "shop", goal, code=None).returncode:
        return
    adsctl.env["ADSCTL_PROFILE"] = "shop"
    assert [record for record in run(adsctl) if "cannot read" in record["message"]] == []
