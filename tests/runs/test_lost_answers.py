"""Whatever becomes of an answer, the account has what was asked for: nothing twice, and nothing lost."""

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from ads_cli.api import users
from ads_cli.audiences import operations, packing
from ads_cli.emulator.resources import media_uploads
from ads_cli.emulator.server import ClientConnection
from ads_cli.media import responses
from ads_cli.runs.lost import LISTED_AFTER_SECONDS
from tests.adsctl import ROOT, Adsctl
from tests.campaigns.conftest import Waits, waits  # noqa: F401
from tests.commands.mcp.client import raw, with_guard
from tests.conftest import Service
from tests.effort import every
from tests.emulator.seeded import CARD, SHOP, SPRING
from tests.runs.changes import (
    BY_ASSISTANT,
    CHANGED_BY_ASSISTANT,
    CHANGES,
    LOOKED_UP,
    REFUSED,
    REPEATED,
    SEND,
    Change,
    prepare,
)
from tests.runs.unreliable import FAULTS, UnreliableService, account_of, ids_in
from tests.service_in_process import without_socket

EXPECTED: dict[str, Counter[str]] = {}  # by the name of a change, what the account has after it


@pytest.fixture(autouse=True)
def small_and_quick(monkeypatch) -> None:
    """Let a list of sixty people need several requests, and the processing of a video take no time."""
    for module in (operations, users):
        monkeypatch.setattr(module, "MAX_OPERATIONS", 1)
    monkeypatch.setattr(packing, "MAX_OPERATION_BYTES", 2000)
    monkeypatch.setattr(media_uploads, "PROCESSING_SECONDS", 0.05)
    for module in (media_uploads, responses):
        monkeypatch.setattr(module, "CHECK_AFTER_SECONDS", 0.1)


@pytest.fixture
def unreliable(service: Service, waits: Waits) -> UnreliableService:  # noqa: F811
    return UnreliableService(service, lambda: waits.total)


@pytest.fixture
def in_process(service: Service, monkeypatch) -> None:
    without_socket(service, monkeypatch)


def expected(name: str, tmp_path: Path, seeded_database: Path) -> Counter[str]:
    """Return what the account has where every request is answered."""
    if name not in EXPECTED:
        home = tmp_path / "undisturbed"
        home.mkdir()
        adsctl = Adsctl(home, emulator_database=seeded_database)
        prepare(adsctl, CHANGES[name], "--profile", "local")
        adsctl.local(*CHANGES[name].words)
        EXPECTED[name] = account_of(home / "state" / "emulator.db", ids_in(seeded_database))
    return EXPECTED[name]


@pytest.fixture
def settled(service, unreliable, tmp_path, seeded_database):
    """Assert that the account has what was asked for, once."""

    def check(name: str) -> None:
        held = account_of(service.emulator.database, ids_in(seeded_database))
        wanted = expected(name, tmp_path, seeded_database)
        assert held - wanted == Counter(), "what was not asked for, or twice"
        assert wanted - held == Counter(), "what was lost"
        assert {*unreliable.conversions.values()} <= {1}
        assert len(unreliable.conversions) == (1200 if CHANGES[name].words == SEND else 0)

    return check


def disturbed(fault: str, name: str) -> bool:
    """Tell whether a fault means anything to a change."""
    change = CHANGES[name]
    return change.creates or not FAULTS[fault].seconds


CASES = [(fault, name) for fault in FAULTS for name in CHANGES if disturbed(fault, name)]


@pytest.mark.parametrize(("fault", "name"), every(5, CASES))
def test_a_change_one_request_of_which(adsctl, in_process, unreliable, settled, waits, fault, name):  # noqa: F811
    change = CHANGES[name]
    prepare(adsctl, change)
    unreliable.misbehave(change, FAULTS[fault])
    done = adsctl(*change.words, "--max-attempts", "1", code=None)
    assert unreliable.is_done, "no request was answered badly"
    if done.returncode:
        assert done.returncode in change.codes, done.stderr
        resume(adsctl, change, is_applied=FAULTS[fault].is_applied)
    assert waits.total <= (LISTED_AFTER_SECONDS if change.answer == LOOKED_UP else 0)
    settled(name)


def resume(adsctl: Adsctl, change: Change, *, is_applied: bool) -> None:
    words = (*change.words, *change.resume)
    if change.answer == REFUSED:
        assert "--uncertain" in adsctl(*words, code=12).stderr
        words = (*words, "--uncertain", "skip" if is_applied else "resend")
    adsctl(*words)


REPEATABLE = [name for name, change in CHANGES.items() if change.answer == REPEATED]


@pytest.mark.parametrize("name", every(3, REPEATABLE))
def test_what_is_repeated_needs_nobody_where_an_answer_is_lost(adsctl, in_process, unreliable, settled, name):
    change = CHANGES[name]
    prepare(adsctl, change)
    unreliable.misbehave(change, FAULTS["is applied, and not answered"])
    adsctl(*change.words)
    assert unreliable.is_done
    settled(name)


@pytest.mark.parametrize("name", every(3, CHANGES))
def test_what_is_answered_twice_is_the_answer_to_one_request(adsctl, unreliable, settled, monkeypatch, name):
    send = ClientConnection._send

    def twice(self: ClientConnection, *values) -> bool:
        real = self._socket
        self._socket = Twice(real)
        try:
            return send(self, *values)
        finally:
            self._socket = real

    prepare(adsctl, CHANGES[name])
    monkeypatch.setattr(ClientConnection, "_send", twice)
    adsctl(*CHANGES[name].words)
    settled(name)


class Twice:
    """A socket that sends everything twice."""

    def __init__(self, socket) -> None:
        self._socket = socket

    def __getattr__(self, name):
        return getattr(self._socket, name)

    def sendall(self, content: bytes) -> None:
        self._socket.sendall(content * 2)


class Assistant:
    """Plans a change and applies it, through a server of its own."""

    def __init__(self, client) -> None:
        self._client = client
        client.initialize()

    def plan(self, command: str, arguments: dict, *, fails: bool = False, **more: bool) -> dict:
        return self._call("plan_change", fails, command=command, arguments=arguments | more)

    def apply(self, plan: dict, *, fails: bool | None = False) -> dict:
        return self._call("apply_change", fails, plan_id=plan["plan_id"])

    def _call(self, tool: str, fails: bool | None, **arguments) -> dict:
        result = self._client.tool(tool, **arguments)
        assert fails is None or result["isError"] == fails, result
        return result["structuredContent"]


@pytest.fixture
def assistant(adsctl, service):
    guarded = with_guard(adsctl, "max_account_daily_budget: 50000 EUR")
    with raw(guarded, "-A", SHOP, "mcp", "--allow-writes") as client:
        yield Assistant(client)


NEW = {"name": "Only once", "funding_instrument_id": CARD, "daily_budget": "10"}
CREATION = Change(LOOKED_UP, ("campaigns", "create"), "POST */campaigns", {}, row=BY_ASSISTANT)
CHANGE = Change(REPEATED, ("campaigns", "update"), "PUT */campaigns/*", {}, row=CHANGED_BY_ASSISTANT)


def values_of(service: Service, field: str, id: str | None = None) -> list[object]:
    """Return a field of the campaigns of the account, or of one of them."""
    query = "SELECT id, data FROM records WHERE kind = 'campaign' AND NOT deleted"
    with closing(sqlite3.connect(service.emulator.database)) as db:
        return [json.loads(data)[field] for own, data in db.execute(query) if id in (None, own)]


# A served emulator breaks the connection of what would be answered too late, as it does of what is lost.
SERVED = [name for name in FAULTS if FAULTS[name].header != "timeout"]


@pytest.mark.parametrize("fault", every(2, SERVED))
def test_a_creation_of_an_assistant_one_request_of_which(assistant, service, unreliable, waits, fault):  # noqa: F811
    plan = assistant.plan("campaigns create", NEW)
    unreliable.misbehave(CREATION, FAULTS[fault])
    assert assistant.apply(plan, fails=True)["error"]["exit_code"] == 8
    assert assistant.plan("campaigns create", NEW, fails=True)["error"]["exit_code"] == 11
    again = assistant.plan("campaigns create", NEW, resume=True)
    if FAULTS[fault].seconds:
        assert "lists may not show yet" in again["questions"][0]
        waits.waited.append(FAULTS[fault].seconds)
        again = assistant.plan("campaigns create", NEW, resume=True)
    if FAULTS[fault].is_applied:
        assert again["is_applied"] and again["data"]["name"] == NEW["name"]
    else:
        assistant.apply(again)
    assert values_of(service, "name").count(NEW["name"]) == 1


@pytest.mark.parametrize("fault", every(2, [name for name in SERVED if not FAULTS[name].seconds]))
def test_a_change_of_an_assistant_one_request_of_which(assistant, service, unreliable, fault):
    plan = assistant.plan("campaigns update", {"campaign_id": SPRING, "name": "Summer"})
    unreliable.misbehave(CHANGE, FAULTS[fault])
    assistant.apply(plan)
    assert unreliable.is_done and values_of(service, "name", SPRING) == ["Summer"]


def test_the_docs_say_of_each_kind_of_change_what_is_done_about_a_lost_answer():
    text = (ROOT / "docs" / "automation.md").read_text()
    section = text.partition("\n## Lost answers\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
    documented = {change.replace("`", ""): answer for change, answer in rows[1:]}
    assert documented == {change.row: change.answer for change in [*CHANGES.values(), CREATION, CHANGE]}
