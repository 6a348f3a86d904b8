"""One record that a killed process was creating: told by jobs, and created once when it is planned again."""

import json
import os
import signal
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from tests.adsctl import TIMEOUT_SECONDS
from tests.commands.mcp.client import processes_with, raw, with_guard
from tests.conftest import Service
from tests.stored import stored

AT_SERVICE = ("-A", "18ce54d4x5t", "mcp", "--allow-writes")
NAME = "Only once"
CAMPAIGN = {"name": NAME, "funding_instrument_id": "4a1n0", "daily_budget": "10"}


@pytest.fixture
def guarded(adsctl):
    # The second limit looks up a currency before anything is sent.
    return with_guard(adsctl, "max_account_daily_budget: 500 EUR\nmax_daily_budget: 500 EUR")


class Held:
    """Holds the requests of a service that are chosen, before or after they are applied."""

    def __init__(self, service: Service) -> None:
        self.emulator = service.emulator
        self.chosen = lambda method, path: False
        self.applies = True  # what was held
        self.asked, self.answered = threading.Event(), threading.Event()
        self.posted = []

    def __getattr__(self, name):
        return getattr(self.emulator, name)

    def __call__(self, environ, start_response):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if not self.chosen(method, path):
            return self.emulator(environ, start_response)
        if method == "POST":
            self.posted.append(path)
        answer = None
        if method == "POST" and self.applies:
            answer = [*self.emulator(environ, start_response)]
        self.asked.set()
        self.answered.wait(TIMEOUT_SECONDS)
        if answer is None:
            start_response("503 Unavailable", [])
        return answer or []


@pytest.fixture
def held(service, guarded):
    found = Held(service)
    service.emulator = found
    yield found
    found.answered.set()
    service.emulator = found.emulator


def is_post(method, path):
    return method == "POST"


def planned(client, *, fails=False, command="campaigns create", **arguments):
    result = client.tool("plan_change", command=command, arguments=arguments or CAMPAIGN)
    assert result["isError"] == fails, result["structuredContent"]
    return result["structuredContent"]


def applied(client, plan):
    result = client.tool("apply_change", plan_id=plan["plan_id"])
    assert not result["isError"], result["structuredContent"]
    return result["structuredContent"]


def kill(adsctl):
    (process,) = processes_with(adsctl, b"\0__apply\0")
    os.kill(int(process.name), signal.SIGKILL)


@contextmanager
def killed(adsctl, held, chosen, command="campaigns create", **arguments):
    """A client, after the process of its change was killed at the first request that is chosen."""
    with raw(adsctl, *AT_SERVICE, is_forked=False) as client:
        client.initialize()
        plan = planned(client, command=command, **arguments)["plan_id"]
        held.chosen = chosen
        id = client.request("tools/call", name="apply_change", arguments={"plan_id": plan})
        assert held.asked.wait(TIMEOUT_SECONDS)
        kill(adsctl)
        error = client.response(id)["result"]
        held.answered.set()
        held.chosen = lambda method, path: False
        assert error["isError"]
        yield client, plan, error["structuredContent"]["error"]


def job(client, plan):
    return client.tool("jobs", job=plan)["structuredContent"]["data"]


def age(adsctl, plan):
    """Have a change begun a while ago, so that lists show what it has created."""
    begun = str(datetime.now(UTC) - timedelta(minutes=3))
    stored(adsctl, "UPDATE applied_plans SET started = ? WHERE job = ?", begun, plan)


def created(adsctl, name=NAME):
    found = json.loads(adsctl("-q", "-o", "json", "campaigns", "list", "--all", "-A", "18ce54d4x5t").stdout)
    return [each["id"] for each in found if each["name"] == name]


def test_what_was_killed_before_it_sent_anything_is_planned_again(guarded, held):
    def after_the_look(method, path, seen=[]):  # noqa: B006
        seen.append(path)
        return len(seen) > 1 and processes_with(guarded, b"\0__apply\0")

    with killed(guarded, held, after_the_look) as (client, plan, error):
        assert error["exit_code"] == 8 and "before it sent" in error["hint"]
        record = job(client, plan)
        assert record["state"] == "stopped" and record["outcome"] == "not sent"
        assert "no stopped run" in planned(client, fails=True, **CAMPAIGN, resume=True)["error"]["message"]
        applied(client, planned(client))
    assert held.posted == [] and len(created(guarded)) == 1


def test_what_was_killed_after_it_was_sent_and_was_applied_is_found(guarded, held):
    with killed(guarded, held, is_post) as (client, plan, error):
        assert error["exit_code"] == 8 and "resume" in error["hint"] and error["job"] == plan
        record = job(client, plan)
        assert record["state"] == "stopped" and record["outcome"] == "unknown" and "resume" in record["hint"]
        (change,) = client.tool("changes")["structuredContent"]["data"]
        assert change["outcome"] == "unknown" and change["job"] == plan
        refused = planned(client, fails=True)["error"]
        assert refused["exit_code"] == 11 and plan in refused["message"]
        found = planned(client, **dict(reversed(CAMPAIGN.items())), resume=True)
        assert found["is_applied"] and "plan_id" not in found and found["data"]["name"] == NAME
        # The log knows now what became of it.
        assert (record := job(client, plan))["outcome"] == "ok" and record["ids"] == [found["data"]["id"]]
        (change,) = client.tool("changes", id=found["data"]["id"])["structuredContent"]["data"]
        assert change["outcome"] == "ok" and change["job"] == plan
        another = applied(client, planned(client))  # it is known now, and another one is meant
    assert {*created(guarded)} == {found["data"]["id"], another["data"]["id"]}


def test_what_was_changed_since_is_found(guarded, held):
    with killed(guarded, held, is_post) as (client, _, _):
        (id,) = created(guarded)
        guarded("campaigns", "update", id, "--purchase-order-number", "7", "-A", "18ce54d4x5t", "--yes")
        found = planned(client, **CAMPAIGN, resume=True)
        assert found["is_applied"] and found["data"]["id"] == id


def test_what_was_cancelled_while_its_answer_was_awaited_is_created_once(guarded, held):
    with raw(guarded, *AT_SERVICE) as client:
        client.initialize()
        plan = planned(client)["plan_id"]
        held.chosen = is_post
        id = client.request("tools/call", name="apply_change", arguments={"plan_id": plan})
        assert held.asked.wait(TIMEOUT_SECONDS)
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
        while job(client, plan)["state"] == "running":
            pass
        held.answered.set()
        held.chosen = lambda method, path: False
        assert job(client, plan)["outcome"] == "unknown"
        refused = planned(client, fails=True)["error"]
        assert refused["exit_code"] == 11 and plan in refused["message"]
        assert planned(client, **CAMPAIGN, resume=True)["data"]["id"] == created(guarded)[0]
    assert len(created(guarded)) == 1


def test_what_was_killed_after_it_was_sent_and_was_lost_is_created_once(guarded, held):
    held.applies = False
    with killed(guarded, held, is_post) as (client, plan, _):
        (question,) = planned(client, **CAMPAIGN, resume="true")["questions"]
        assert question == "lists may not show yet what was created less than 120 s ago: create another one?"
        age(guarded, plan)
        again = planned(client, **CAMPAIGN, resume="true")
        assert again["questions"] == []
        assert applied(client, again)["data"]["name"] == NAME
        assert "later plan" in job(client, plan)["hint"]
        planned(client)  # nothing is unanswered now
    assert len(created(guarded)) == 1


def test_what_arrives_between_a_resumed_plan_and_its_apply_is_not_created_again(guarded, held):
    held.applies = False
    with killed(guarded, held, is_post) as (client, plan, _):
        age(guarded, plan)
        again = planned(client, **CAMPAIGN, resume=True)
        words = ("campaigns", "create", "--name", NAME, "--funding-instrument-id", "4a1n0")
        guarded(
            *words, "--daily-budget", "10", "-A", "18ce54d4x5t", ADSCTL_STATE_DIR=str(guarded.home / "other")
        )
        found = applied(client, again)
        assert "nothing more was sent" in found["hint"]
    assert created(guarded) == [found["data"]["id"]]


def test_what_was_killed_after_its_answer_is_told_with_its_id(guarded, service):
    with raw(guarded, *AT_SERVICE) as client:
        client.initialize()
        plan = planned(client)["plan_id"]
        id = applied(client, {"plan_id": plan})["data"]["id"]
        (output,) = guarded.home.rglob(f"{plan}.out")
        output.write_text("")  # it was not printed yet
        record = job(client, plan)
        assert record["state"] == "stopped" and record["outcome"] == "ok" and record["ids"] == [id]
        planned(client, fails=True)
        assert planned(client, **CAMPAIGN, resume=True)["data"] == {"id": id}
    assert created(guarded) == [id]


def test_a_lost_answer_is_looked_for_as_well(guarded, service):
    with raw(guarded, *AT_SERVICE) as client:
        client.initialize()
        plan = planned(client)
        service.fail("POST * reset-after times=1")
        failed = client.tool("apply_change", plan_id=plan["plan_id"])
        assert failed["isError"] and failed["structuredContent"]["error"]["exit_code"] == 8
        assert job(client, plan["plan_id"])["outcome"] == "unknown"
        planned(client, fails=True)
        assert planned(client, **CAMPAIGN, resume=True)["data"]["name"] == NAME
    assert len(created(guarded)) == 1


def test_where_no_list_tells_the_plan_asks(guarded, held):
    command = "catalog sets create"
    arguments = {
        "name": "Shoes",
        "type": "MANUAL",
        "product_keys": ["1z4zdm4jwyln3271"],
        "catalog": "7310248000000000001",
    }
    with raw(guarded, *AT_SERVICE) as client:
        client.initialize()
        described = client.tool("describe_command", command=command)["structuredContent"]["data"]
    assert "resume" in described["input"]["properties"]
    with killed(guarded, held, is_post, command, **arguments) as (client, _, _):
        again = planned(client, command=command, **arguments, resume=True)
        assert "create another one?" in again["questions"][0] and again["plan_id"]
