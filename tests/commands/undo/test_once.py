"""Each change is taken back once, however an undo ends, and a second run does the rest."""

import json
import os
import signal
from collections import Counter
from queue import Queue

import pytest

from tests.effort import every

ITEM, CAMPAIGN = "9d4c1", "8wku2"
WRITES = 4  # of the undo below: targeting, a name, a bid, and an activation


def records(adsctl, *words):
    return json.loads(adsctl(*words, "-o", "json").stdout)


def state_of(adsctl):
    """Return what the changes below are about, as the service has it."""
    targeting = records(adsctl, "targeting", "list", "--line-items", ITEM)
    item = records(adsctl, "line-items", "get", ITEM)
    names = ("targeting_type", "operator_type", "targeting_value")
    return {
        "targeting": sorted(tuple(record[name] for name in names) for record in targeting),
        "bid": item["bid_amount_local_micro"],
        "name": records(adsctl, "audiences", "get", "1nmu0")["name"],
        "status": records(adsctl, "campaigns", "get", CAMPAIGN)["entity_status"],
    }


@pytest.fixture
def before(adsctl, service):
    """What stood before changes of four kinds."""
    found = state_of(adsctl)
    criterion = records(adsctl, "targeting", "list", "--line-items", ITEM)[0]["id"]
    adsctl("targeting", "delete", criterion, "--yes")
    adsctl("line-items", "update", ITEM, "--bid-amount", "0.11")
    adsctl("audiences", "update", "1nmu0", "--name", "Others")
    adsctl("campaigns", "pause", CAMPAIGN)
    assert all(found[name] != value for name, value in state_of(adsctl).items())
    return found


class Wire:
    """What reaches a service: the writes that it applies are counted, and one may go wrong."""

    def __init__(self, service):
        self.service, self.applied, self.seen = service, Counter(), 0
        self.before = self.after = lambda number: True  # whether the request, or its answer, arrives
        service.answer = self.answer

    def answer(self, environ, start_response):
        if environ["REQUEST_METHOD"] == "GET":
            return self.service.emulator(environ, start_response)
        number, self.seen = self.seen, self.seen + 1
        if not self.before(number):
            return self.lost(start_response)
        answered = []
        body = [*self.service.emulator(environ, lambda *words: answered.append(words))]
        if answered[0][0].startswith("20"):
            self.applied[environ["PATH_INFO"]] += 1
        if not self.after(number):
            return self.lost(start_response)
        start_response(*answered[0])
        return body

    def lost(self, start_response):
        start_response("502 Bad Gateway", [("Content-Length", "0")])
        return [b""]


@pytest.fixture
def wire(before, service):
    return Wire(service)


UNDO = ("changes", "undo", "--since", "1h", "--yes")


@pytest.mark.parametrize("number", every(3, range(WRITES)))
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_undo_that_is_killed_is_finished_by_a_second_one(adsctl, before, wire, number, when):
    processes = Queue()

    def kill(at):
        if at == number:
            process = processes.get()
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        return at != number

    setattr(wire, when, kill)
    undo = adsctl.popen(*UNDO)
    processes.put(undo)
    undo.communicate()
    assert undo.returncode == -signal.SIGKILL
    wire.service.settle()
    unknown = [change["outcome"] for change in records(adsctl, "changes", "list")].count("unknown")
    assert unknown == 1
    setattr(wire, when, lambda at: True)
    done = adsctl(*UNDO, code=None)
    assert done.returncode == (12 if (number, when) == (WRITES - 1, "after") else 0)
    assert state_of(adsctl) == before
    assert len(wire.applied) == WRITES and {*wire.applied.values()} == {1}


@pytest.mark.parametrize("number", range(WRITES))
def test_what_a_lost_answer_has_taken_back_is_not_taken_back_again(adsctl, before, wire, number):
    wire.after = lambda at: at != number
    first = adsctl(*UNDO, code=None)
    assert first.returncode == (8 if number == 0 else 0)  # only what creates is not repeated by itself
    if first.returncode:
        assert "run it again" in first.stderr
        wire.after = lambda at: True
        adsctl(*UNDO)
    assert state_of(adsctl) == before
    creations = [count for path, count in wire.applied.items() if "/batch/" in path]
    assert len(wire.applied) == WRITES and creations == [1]


def test_two_undos_at_once_take_each_change_back_once(adsctl, before, wire):
    both = [adsctl.popen(*UNDO) for _ in range(2)]
    said = [process.communicate()[1] for process in both]
    first, second = sorted(process.returncode for process in both)
    assert first == 0 and second in (11, 12), said  # it waits for the first, and for half a minute at most
    assert state_of(adsctl) == before
    assert len(wire.applied) == WRITES and {*wire.applied.values()} == {1}
    outcomes = Counter(change["outcome"] for change in records(adsctl, "changes", "list"))
    assert outcomes == {"ok": 4 + WRITES}


def test_what_changes_while_the_question_is_asked_is_left(adsctl, before, monkeypatch):
    from ads_cli.commands.requests import computed

    def asked(call, what, runs):
        adsctl.process("line-items", "update", ITEM, "--bid-amount", "0.12")
        adsctl.process("audiences", "update", "1nmu0", "--name", "Third")
        return what

    monkeypatch.setattr(computed, "question_of", asked)
    done = adsctl(*UNDO, "-o", "json", code=9)
    states = {record["id"]: record["state"] for record in json.loads(done.stdout)}
    assert states.pop(ITEM) == "left: it was changed since the plan was made: bid_amount 0.11 → 0.12"
    assert states.pop("1nmu0") == "left: it was changed since the plan was made: name Others → Third"
    assert {*states.values()} == {"undone"}
