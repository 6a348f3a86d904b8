"""Changes by an assistant: planned, limited by a guard, carried out once, and logged."""

import itertools
import json
import os
import signal
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_MODERN_VERSION

from ads_cli.commands.mcp import applies, plans, results
from ads_cli.commands.mcp.child import Commands
from ads_cli.commands.mcp.files import NO_FILE
from ads_cli.config.mandate import Mandate
from ads_cli.errors import NotConfirmedError, NotFoundError
from ads_cli.store import store_in
from tests.adsctl import TIMEOUT_SECONDS
from tests.commands.mcp.client import LOCAL, call, called, processes_with, raw, session, with_guard
from tests.conftest import feed

WRITES = (*LOCAL, "mcp", "--allow-writes")
RAISE = {"command": "campaigns update", "arguments": {"campaign_id": "8wku2", "daily_budget": "70"}}


@pytest.fixture
def guarded(adsctl):
    return with_guard(adsctl, "max_account_daily_budget: 500 EUR")


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
        ("deny: [activate]", 11),
        ("deny: [activate, create, update, delete]", 11),
        ("{max_daily_budget: 100 EUR, max_total_budget: 1000 EUR}", 11),
        ("max_account_daily_budget: 100 USD", 11),
        ("{read_only: false, max_account_daily_budget: 100 JPY}", 11),
        ("read_only: true", 0),
        ("max_account_daily_budget: 100 EUR", 0),
        ("max_account_daily_budget: 0 EUR", 0),
    ],
)
def test_writes_need_a_guard_that_bounds_a_day(adsctl, guard, code):
    if guard:
        adsctl.file("guard.yaml", guard).chmod(0o600)
        adsctl.env["ADSCTL_GUARD"] = str(adsctl.home / "guard.yaml")
    done = adsctl("-o", "json", *WRITES, code=code)
    if code:
        message = json.loads(done.stderr.splitlines()[-1])["error"]["message"]
        assert (
            "currency of the account, EUR" if "account" in (guard or "") else "guard that bounds"
        ) in message
    else:
        assert f"an assistant may change what this guard allows: {guard.replace(':', '')} (" in done.stderr


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
    with raw(guarded, *WRITES) as client:
        about = client.initialize()["instructions"]
    assert "bounds what may be spent in a day: max_account_daily_budget 500 EUR" in about
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


def test_a_plan_says_what_a_field_was_in_groups_of_several_words_too(guarded):
    async def use(client):
        changed = {"media_key": "3_1790412874512007168", "name": "Summer table"}
        return await called(client, "plan_change", command="media library update", arguments=changed)

    changes = session(guarded, use, *WRITES)["data"]["changes"]
    assert {"field": "name", "before": "Spring table", "after": "Summer table"} in changes


def test_a_plan_says_that_what_has_ended_spends_nothing_before_it_serves_again(guarded):
    async def use(client):
        later = {"line_item_id": "9d4b1", "end_time": "2199-01-01T00:00:00Z"}
        return await called(client, "plan_change", command="line-items update", arguments=later)

    spend = session(guarded, use, *WRITES)["data"]["spend"]
    assert spend == {"currency": "EUR", "daily_before_micro": 0, "daily_after_micro": 40_000_000}


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
    assert plan["destroys"] and "Delete the campaign Winter sale (8wkt0)" in plan["questions"][0]
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


NOT_PLANNED = (
    *("auth logout", "auth login", "profile set", "guard check", "changes clean", "fleet run", "api"),
    *("settings tax update", "campaigns list", "campaigns copy", "media upload", "products delete"),
    *("audiences push", "audiences sync", "conversions push", "stats export", "products update"),
)


def test_only_named_changes_can_be_planned(guarded):
    with raw(guarded, *WRITES) as client:
        client.initialize()
        planned = [name for name in NOT_PLANNED if not client.tool("plan_change", command=name)["isError"]]
    assert not planned


def test_a_plan_sends_nothing_whatever_else_its_command_line_says(adsctl):
    """The process of a plan is a dry run by itself."""
    adsctl.process("__plan", "mcp", *LOCAL, "-q", "campaigns", "delete", "8wku2")
    assert budget(adsctl)


SENDS = (*WRITES, "--files", "open")


@pytest.fixture
def opened(guarded):
    (guarded.home / "open").mkdir()
    return guarded


def campaigns_named(adsctl, name: str) -> list[dict]:
    found = json.loads(adsctl.local("-q", "-o", "json", "campaigns", "list", "--all").stdout)
    return [campaign for campaign in found if campaign["name"] == name]


def test_a_file_of_campaigns_is_planned_and_applied_as_planned(opened):
    winter = {"name": "Winter", "funding_instrument_id": "4a1n0", "daily_budget": 10}
    winter["entity_status"] = "ACTIVE"
    opened.file("open/winter.yaml", json.dumps({"campaigns": [winter]}))
    arguments = {"file": "winter.yaml"}

    async def use(client):
        plan = await called(client, "plan_change", command="campaigns apply", arguments=arguments)
        nothing = campaigns_named(opened, "Winter")
        applied = await called(client, "apply_change", plan_id=plan["plan_id"])
        again = await called(client, "plan_change", command="campaigns apply", arguments=arguments)
        return plan, nothing, applied, again, await called(client, "changes")

    plan, nothing, applied, again, changes = session(opened, use, *SENDS)
    assert plan["counts"] == {"create": 1} and not plan["destroys"] and nothing == []
    assert "active" in plan["questions"][0] and "daily budgets" in plan["notes"][0]
    (made,) = campaigns_named(opened, "Winter")
    assert applied["data"][0]["id"] == made["id"] and made["entity_status"] == "ACTIVE"
    assert again["data"] == [] and again["questions"] == []
    assert {change["by"].split()[0] for change in changes["data"]} == {"mcp"}


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("campaigns update", {"campaign_id": "8wku2", "name": "Call *** today"}),
        ("campaigns update", {"campaign_id": ["8wku2", "8wkt0"], "set": ["daily_budget=70", "name=***"]}),
        ("cards create", {"name": "x", "components": [{"type": "DETAILS", "title": "by ***"}]}),
    ],
)
def test_what_an_assistant_was_not_shown_is_not_written_over_what_the_customer_has(
    guarded, command, arguments
):
    result = call(guarded, "plan_change", *WRITES, fails=True, command=command, arguments=arguments)
    assert result["error"]["exit_code"] == 2
    assert "*** is no value, but stands for what is not shown here" in result["error"]["message"]


@pytest.mark.parametrize("campaign", [{"id": "8wku2"}, {"funding_instrument_id": "4a1n0"}])
def test_a_file_of_campaigns_with_what_is_not_shown_to_assistants_is_not_planned(opened, campaign):
    campaigns = [campaign | {"name": "Call *** now", "daily_budget": 10}]
    opened.file("open/shown.yaml", json.dumps({"campaigns": campaigns}))
    arguments = {"file": "shown.yaml"}
    options = {"command": "campaigns apply", "arguments": arguments}
    result = call(opened, "plan_change", *SENDS, fails=True, **options)
    assert "campaigns[0]: *** is no value" in result["error"]["message"]
    opened.file("open/shown.yaml", json.dumps({"campaigns": [campaign | {"name": "*", "daily_budget": 10}]}))
    assert call(opened, "plan_change", *SENDS, **options)["plan_id"]


def test_a_feed_is_pushed_and_synced_as_planned(opened):
    opened.file("open/feed.csv", feed(3))
    opened.file("open/less.csv", feed(2))

    async def use(client):
        push = await called(client, "plan_change", command="products push", arguments={"file": "feed.csv"})
        pushed = await called(client, "apply_change", plan_id=push["plan_id"])
        less = {"file": "less.csv", "prune": True, "max_delete": "50%"}
        sync = await called(client, "plan_change", command="products sync", arguments=less)
        synced = await called(client, "apply_change", plan_id=sync["plan_id"])
        few = {"file": "less.csv", "prune": True, "min_rows": 10}
        refused = await called(client, "plan_change", fails=True, command="products sync", arguments=few)
        return push, pushed, sync, synced, refused, await called(client, "jobs")

    push, pushed, sync, synced, refused, jobs = session(opened, use, *SENDS)
    assert push["counts"]["valid"] == 3 and not push["destroys"] and pushed["data"]["created"] == 3
    assert sync["counts"] == {"delete": 1} and sync["destroys"] and sync["questions"]
    assert synced["data"]["deleted"] == 1 and synced["is_applied"]
    assert refused["error"]["exit_code"] in (3, 12)
    assert [job["state"] for job in jobs["data"]] == ["ended"] * 4  # two pushes, and two plans


def test_a_file_or_an_account_that_has_changed_since_its_plan_is_not_sent(opened):
    opened.file("open/feed.csv", feed(2))
    opened.local("campaigns", "pull", "open/shop.yaml")
    pulled = (opened.home / "open/shop.yaml").read_text()
    opened.file("open/shop.yaml", pulled.replace("Spring collection", "Planned"))

    async def use(client):
        errors = []
        push = await called(client, "plan_change", command="products push", arguments={"file": "feed.csv"})
        opened.file("open/feed.csv", feed(2, title="Changed"))
        errors.append(await called(client, "apply_change", fails=True, plan_id=push["plan_id"]))
        named = {"file": "shop.yaml"}
        shop = await called(client, "plan_change", command="campaigns apply", arguments=named)
        opened.process(*LOCAL, "campaigns", "update", "8wku2", "--name", "Meanwhile")
        errors.append(await called(client, "apply_change", fails=True, plan_id=shop["plan_id"]))
        return errors, await called(client, "jobs", job=push["plan_id"])

    errors, refused = session(opened, use, *SENDS)
    for each in errors:
        assert each["error"]["exit_code"] == 12 and "changed since" in each["error"]["message"]
    shown = refused["data"]
    assert shown["state"] == "failed" and shown["error"] == errors[0]["error"] and "result" not in shown
    assert campaigns_named(opened, "Meanwhile") and not campaigns_named(opened, "Planned")


def test_only_files_below_the_open_folders_are_sent(opened):
    opened.file("feed.csv", feed(1))
    opened.file("plan.json", "")
    opened.local("campaigns", "pull", "open/shop.yaml")
    opened.local("campaigns", "plan", "open/shop.yaml", "--out", "open/stored.plan")
    hostile = [
        *(("products push", {"file": name}) for name in ("../feed.csv", "-", "@HOME", "/etc/passwd")),
        *(("products push", {"file": name}) for name in ("a" * 5000, "~/feed.csv", "feed.csv\n")),
        ("products push", {"file": "https://shop.example/feed.csv"}),
        ("products push", {"file": ["shop.yaml", "../feed.csv"]}),
        ("products push", {"files": "shop.yaml", "file": "../feed.csv"}),
        ("products push", {}),
        ("products sync", {"file": "shop.yaml", "report": "x.html"}),
        ("products sync", {"file": "shop.yaml", "on_failure": "sh"}),
        ("products sync", {"file": "shop.yaml", "recipe": "shop.yaml"}),
        ("campaigns apply", {"file": "stored.plan"}),
        ("campaigns apply", {"file": "shop.yaml", "write_ids": True}),
    ]
    with raw(opened, *SENDS, "--allow-urls") as client:
        client.initialize()
        for command, arguments in hostile:
            error = client.tool("plan_change", command=command, arguments=arguments)
            assert error["isError"] and error["structuredContent"]["error"]["exit_code"] == 2, arguments


@pytest.fixture
def held(service, opened):
    """A service that answers no product until it is told to; what is asked, and what lets it answer."""
    asked, answered = threading.Event(), threading.Event()

    def wait(put):
        asked.set()
        answered.wait(TIMEOUT_SECONDS)

    service.before = wait
    opened.file("open/feed.csv", feed(2))
    yield asked, answered
    answered.set()


AT_SERVICE = ("-A", "18ce54d4x5t", "mcp", "--allow-writes", "--files", "open")
PUSH = {"command": "products push", "arguments": {"file": "feed.csv"}}


def state_of(client, job: str) -> str:
    """The state of a job, once it does not run any more."""
    while True:
        state = client.tool("jobs", job=job)["structuredContent"]["data"]["state"]
        if state != "running":
            return state


def test_a_change_whose_process_was_killed_too_is_told_and_resumed(service, held, opened):
    asked, answered = held
    with raw(opened, *AT_SERVICE, is_forked=False) as client:
        client.initialize()
        plan = client.tool("plan_change", **PUSH)["structuredContent"]["plan_id"]
        id = client.request("tools/call", name="apply_change", arguments={"plan_id": plan})
        assert asked.wait(TIMEOUT_SECONDS)
        for process in sending(opened):
            os.kill(int(process.name), signal.SIGKILL)
        assert client.response(id)["result"]["isError"]
        answered.set()
        record = client.tool("jobs", job=plan)["structuredContent"]["data"]
        assert record["state"] == "stopped" and "resume" in record["hint"]
        jobs = client.tool("jobs")["structuredContent"]["data"]
        assert {job["state"] for job in jobs} == {"unfinished", "stopped"}
        resume = {"file": "feed.csv", "resume": True}
        plan = client.tool("plan_change", command="products push", arguments=resume)["structuredContent"]
        done = client.tool("apply_change", plan_id=plan["plan_id"])["structuredContent"]
        assert done["data"]["job"] == next(job["job"] for job in jobs if job["state"] == "unfinished")
        assert done["data"]["created"] + done["data"]["updated"] + done["data"]["unchanged"] == 2


def test_a_long_change_is_answered_with_its_id_and_jobs_follows_it(held, opened):
    _, answered = held
    with raw(opened, "--max-wait", "1s", *AT_SERVICE) as client:
        client.initialize()
        plan = client.tool("plan_change", **PUSH)["structuredContent"]["plan_id"]
        running = client.tool("apply_change", plan_id=plan)["structuredContent"]
        assert running["is_running"] and not running["is_applied"] and running["job"] == plan
        assert client.tool("jobs", job=plan)["structuredContent"]["data"]["state"] == "running"
        assert client.tool("apply_change", plan_id=plan)["isError"]
        answered.set()
        assert state_of(client, plan) == "ended"


def test_a_change_that_ends_while_it_is_looked_at_has_not_stopped(tmp_path, monkeypatch):
    """Its lock is held at the first look, and released before a second."""
    folder = tmp_path / results.FOLDER / applies.APPLIED
    folder.mkdir(parents=True)
    with store_in(tmp_path).writing() as db:
        db.execute("INSERT INTO applied_plans (job, words, started, creation) VALUES ('p', '[]', '', '')")
    for kind, text in (("out", "{}"), ("err", "")):
        (folder / f"p.{kind}").write_text(text)
    looks = itertools.chain([True], itertools.repeat(False))
    monkeypatch.setattr(applies, "_is_locked", lambda _: next(looks))
    kept = applies.AppliedPlans(None, tmp_path, 1)
    assert [kept.find("p")["state"], kept.find("p")["state"]] == ["running", "ended"]


def test_what_was_applied_a_week_ago_is_forgotten_but_not_what_a_clock_ahead_has_noted(tmp_path):
    folder = tmp_path / results.FOLDER / applies.APPLIED
    folder.mkdir(parents=True)
    now = datetime.now(UTC)
    for name, days in (("old", -8), ("new", -6), ("ahead", 400)):
        started = (now + timedelta(days=days)).isoformat(timespec="seconds")
        row = name, "[]", started, "digest"
        with store_in(tmp_path).writing() as db:
            db.execute("INSERT INTO applied_plans (job, words, started, creation) VALUES (?, ?, ?, ?)", row)
        for kind in ("out", "err"):
            (folder / f"{name}.{kind}").touch()
    kept = applies.AppliedPlans(None, tmp_path, 1)
    kept._remove_old()
    assert [record["job"] for record in kept.records()] == ["new", "ahead"]
    assert {path.stem for path in folder.iterdir()} == {"new", "ahead"}


def test_a_cancelled_change_ends_and_is_resumable(held, opened):
    asked, answered = held
    with raw(opened, *AT_SERVICE) as client:
        client.initialize()
        plan = client.tool("plan_change", **PUSH)["structuredContent"]["plan_id"]
        id = client.request("tools/call", name="apply_change", arguments={"plan_id": plan})
        assert asked.wait(TIMEOUT_SECONDS)
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
        answered.set()
        assert state_of(client, plan) in ("failed", "ended", "stopped")
        assert not sending(opened)


def sending(adsctl) -> list[Path]:
    """The processes in the home folder that push products."""
    return processes_with(adsctl, b"\0products\0push\0")


def test_a_plan_expires_after_ten_minutes(monkeypatch):
    """The clock of the server is moved: it is asked in this process."""
    now = [1000.0]
    monkeypatch.setattr(plans.time, "monotonic", lambda: now[0])
    kept = plans.Plans(*[None] * 6)
    kept._plans["old"] = plans.PlannedChange([], [], [], now[0], NO_FILE)
    now[0] += 599
    kept._forget_old()
    assert kept._plans
    now[0] += 1

    async def apply():
        await kept.apply("old")

    with pytest.raises(NotFoundError, match="older than ten minutes"):
        anyio.run(apply)


def test_who_changed_something_cannot_be_forged_by_arguments(guarded):
    arguments = RAISE["arguments"]
    with raw(guarded, *WRITES) as client:
        client.initialize(client="evil --by=ana\n\u202e" + "x" * 500)
        for forged in ("by", "__by", "user", "profile"):
            plan = client.tool(
                "plan_change", command=RAISE["command"], arguments={**arguments, forged: "ana"}
            )
            assert plan["isError"]
        plan_id = client.tool("plan_change", **RAISE)["structuredContent"]["plan_id"]
        assert client.asked("tools/call", name="apply_change", arguments={"plan_id": plan_id, "by": "ana"})[
            "result"
        ]["isError"]
        client.tool("apply_change", plan_id=plan_id)
        (change,) = client.tool("changes")["structuredContent"]["data"]
    assert change["by"].startswith("mcp evil --by=ana") and len(change["by"]) < 80
    assert "\n" not in change["by"] and "\u202e" not in change["by"]


def test_changes_at_once_are_logged_by_the_client_that_asked_for_each(guarded):
    """Without a handshake, each request names its client."""
    campaigns = {"ana": "8wku2", "bo": "8wkt0"}

    def request(client, name: str, tool: str, **arguments) -> int:
        version = {PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION, CLIENT_CAPABILITIES_META_KEY: {}}
        by = {CLIENT_INFO_META_KEY: {"name": name, "version": "1"}}
        return client.request("tools/call", name=tool, arguments=arguments, _meta=version | by)

    with raw(guarded, *WRITES) as client:
        plans_of = {}
        for name, campaign in campaigns.items():
            change = {"campaign_id": campaign, "name": f"By {name}"}
            id = request(client, name, "plan_change", command="campaigns update", arguments=change)
            plans_of[name] = client.response(id)["result"]["structuredContent"]["plan_id"]
        asked = {request(client, name, "apply_change", plan_id=plan) for name, plan in plans_of.items()}
        while asked:
            asked.remove(client.response()["id"])
        id = request(client, "ana", "changes")
        changes = client.response(id)["result"]["structuredContent"]["data"]
    assert {change["ids"][0]: change["by"] for change in changes} == {
        campaign: f"mcp {name}" for name, campaign in campaigns.items()
    }


def test_the_oldest_of_all_kept_plans_is_applied(monkeypatch):
    """Plans that are made later replace it, one that is applied does not."""

    class Applied:
        async def run(self, name, words, creation, **facts):
            raise NotConfirmedError(f"{name} is carried out")

    kept = plans.Plans(Commands([], Mandate()), *[None] * 3, Applied(), None)
    made_at = plans.time.monotonic()
    ids = [kept._keep(plans.PlannedChange([], [], [], made_at, NO_FILE)) for _ in range(51)]
    with pytest.raises(NotFoundError):
        anyio.run(kept.apply, ids[0])
    with pytest.raises(NotConfirmedError, match=f"{ids[1]} is carried out"):
        anyio.run(kept.apply, ids[1])


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("campaigns update", {"campaign_id": "8wku3", "daily_budget": "1000000"}),
        ("campaigns update", {"campaign_id": "8wku2", "total_budget": "1000000"}),
        ("promoted posts create", {"line_item_id": "9d4c2", "post_ids": ["1790415000000000010"]}),
    ],
)
def test_an_assistant_raises_nothing_beside_what_has_no_bound(guarded, command, arguments):
    guarded.local("campaigns", "activate", "8wku7", "--yes", ADSCTL_GUARD="")  # of a total budget only

    async def use(client):
        return await called(client, "plan_change", command=command, arguments=arguments)

    plan = session(guarded, use, *WRITES)
    assert not plan["is_allowed"] and "Shop app (8wku7), whose daily spend has no bound" in plan["guard"]
