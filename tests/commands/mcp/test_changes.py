"""Changes by an assistant: planned, limited by a guard, carried out once, and logged."""

import json

import pytest

from tests.commands.mcp.client import LOCAL, called, raw, session

WRITES = (*LOCAL, "mcp", "--allow-writes")
RAISE = {"command": "campaigns update", "arguments": {"campaign_id": "8wku2", "daily_budget": "70"}}


@pytest.fixture
def guarded(adsctl):
    guard = adsctl.file("guard.yaml", "max_account_daily_budget: 500 EUR\n")
    guard.chmod(0o600)
    adsctl.env["ADSCTL_GUARD"] = str(guard)
    return adsctl


def budget(adsctl) -> int:
    campaign = json.loads(adsctl.local("-q", "-o", "json", "campaigns", "get", "8wku2").stdout)
    return campaign["daily_budget_amount_local_micro"]


@pytest.mark.parametrize(
    ("guard", "code"),
    [
        (None, 11),
        ("max_daily_budget: 100 EUR", 11),
        ("max_bid: 1 EUR", 11),
        ("deny: [delete]", 11),
        ("read_only: false", 11),
        ("max_changes: 1", 11),
        ("read_only: true", 0),
        ("deny: [activate]", 0),
        ("max_account_daily_budget: 100 EUR", 0),
        ("{max_daily_budget: 100 EUR, max_total_budget: 1000 EUR}", 0),
    ],
)
def test_writes_need_a_guard_that_limits_money(adsctl, guard, code):
    if guard:
        adsctl.file("guard.yaml", guard).chmod(0o600)
        adsctl.env["ADSCTL_GUARD"] = str(adsctl.home / "guard.yaml")
    done = adsctl.process("-o", "json", *WRITES, code=code)
    if code:
        assert "guard" in json.loads(done.stderr.splitlines()[-1])["error"]["message"]


def test_a_change_is_planned_then_applied_once_and_logged(guarded):
    before = budget(guarded)

    async def use(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        plan = await called(client, "plan_change", **RAISE)
        assert budget(guarded) == before
        applied = await called(client, "apply_change", plan_id=plan["plan_id"])
        again = await called(client, "apply_change", fails=True, plan_id=plan["plan_id"])
        return tools, plan, applied, again, await called(client, "changes")

    tools, plan, applied, again, changes = session(guarded, use, *WRITES)
    hints = tools["apply_change"].annotations
    assert hints.destructive_hint and not hints.read_only_hint and not hints.idempotent_hint
    assert tools["plan_change"].annotations.read_only_hint
    assert plan["data"]["request"]["method"] == "PUT" and plan["is_allowed"] and not plan["destroys"]
    field = "daily_budget_amount_local_micro"
    assert plan["data"]["changes"] == [{"field": field, "before": before, "after": "70000000"}]
    spend = {"currency": "EUR", "daily_before_micro": before, "daily_after_micro": 70_000_000}
    assert plan["data"]["spend"] == spend
    assert applied["is_applied"] and budget(guarded) == 70_000_000
    assert again["error"]["exit_code"] == 5
    (change,) = changes["data"]
    assert change["outcome"] == "ok" and change["by"].startswith("mcp ") and change["ids"] == ["8wku2"]


def test_what_the_guard_refuses_has_no_plan(guarded):
    async def use(client):
        arguments = {"campaign_id": "8wku2", "daily_budget": "4500"}
        return await called(client, "plan_change", command="campaigns update", arguments=arguments)

    plan = session(guarded, use, *WRITES)
    assert not plan["is_allowed"] and "plan_id" not in plan
    assert "max_account_daily_budget" in plan["guard"]


def test_a_plan_is_not_applied_where_what_it_touches_has_changed(guarded):
    async def use(client):
        plan = await called(client, "plan_change", **RAISE)
        guarded.process(*LOCAL, "campaigns", "update", "8wku2", "--name", "Renamed meanwhile")
        return await called(client, "apply_change", fails=True, plan_id=plan["plan_id"])

    error = session(guarded, use, *WRITES)["error"]
    assert error["exit_code"] == 12 and "changed" in error["message"]
    assert budget(guarded) != 70_000_000


def test_a_plan_answers_the_questions_that_it_listed(guarded):
    async def use(client):
        plan = await called(
            client, "plan_change", command="campaigns delete", arguments={"campaign_id": "8wkt0"}
        )
        return plan, await called(client, "apply_change", plan_id=plan["plan_id"])

    plan, applied = session(guarded, use, *WRITES)
    assert plan["destroys"] and "Delete the campaign 8wkt0" in plan["questions"][0]
    assert applied["data"]["deleted"]


def test_a_question_of_money_is_told_with_its_amount(guarded):
    async def use(client):
        arguments = {
            "name": "New",
            "funding_instrument_id": "4a1n0",
            "daily_budget": "10",
            "active": True,
        }
        return await called(client, "plan_change", command="campaigns create", arguments=arguments)

    plan = session(guarded, use, *WRITES)
    assert "may spend" in plan["questions"][0] and "10.00 EUR" in plan["questions"][0]
    assert plan["data"]["spend"]["daily_after_micro"] == 10_000_000


def test_plans_are_of_one_server_and_change_nothing_by_themselves(guarded):
    async def use(client):
        return (await called(client, "plan_change", **RAISE))["plan_id"]

    plan_id = session(guarded, use, *WRITES)

    async def apply(client):
        return await called(client, "apply_change", fails=True, plan_id=plan_id)

    assert "earlier server" in session(guarded, apply, *WRITES)["error"]["message"]


@pytest.mark.parametrize(
    "command", ["auth logout", "profile set", "products push", "settings tax update", "api", "campaigns list"]
)
def test_only_named_changes_can_be_planned(guarded, command):
    with raw(guarded, *WRITES) as client:
        client.initialize()
        assert client.tool("plan_change", command=command)["isError"]


def test_a_plan_sends_nothing_whatever_else_its_command_line_says(adsctl):
    """The process of a plan is a dry run by itself."""
    adsctl.process("__plan", "mcp", *LOCAL, "-q", "campaigns", "delete", "8wku2")
    assert budget(adsctl)
