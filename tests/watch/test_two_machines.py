"""Rules that two machines apply to one account at once, each with a state folder of its own."""

import json

import pytest

from tests.adsctl import Adsctl

DAILY = "daily_budget_amount_local_micro"
RULES = """
rules:
- {name: more, of: campaigns, when: id = '8wku2', do: set daily_budget=+10%}
- {name: stop, of: line_items, when: id = '9d4c1', do: pause}
"""
APPLY = ("watch", "apply", "rules.yaml", "--max-changes", "9", "--yes", "-o", "json")


@pytest.fixture
def other(adsctl, service, tmp_path):
    """Another machine with the same rules."""
    home = tmp_path / "other"
    home.mkdir()
    other = Adsctl(home, env=dict(adsctl.env))
    for machine in (adsctl, other):
        machine.file("rules.yaml", RULES)
    return other


def records(done):
    return json.loads(done.stdout)


def states(done):
    return {record["id"]: record["state"] for record in records(done)}


def campaign(adsctl):
    return records(adsctl("campaigns", "get", "8wku2", "-o", "json"))


def before_it_sends(monkeypatch, act):
    """Act once between the decisions of a command and what it sends."""
    from ads_cli.commands.watch import applying

    decided = applying.decided

    def decided_then(call, rules):
        decisions = decided(call, rules)
        monkeypatch.setattr(applying, "decided", decided)
        act()
        return decisions

    monkeypatch.setattr(applying, "decided", decided_then)


def test_what_another_machine_has_done_meanwhile_is_not_done_again(adsctl, other, monkeypatch):
    before = campaign(adsctl)[DAILY]
    done = []
    before_it_sends(monkeypatch, lambda: done.append(other.process(*APPLY)))
    own = adsctl(*APPLY, code=9)
    assert set(states(done[0]).values()) == {"done"}
    assert campaign(adsctl)[DAILY] == before * 11 // 10
    said = states(own)
    assert said["8wku2"] == "left: it was changed since the plan was made: daily_budget 60.00 → 66.00"
    assert said["9d4c1"] == "left: it was changed since the plan was made: entity_status ACTIVE → PAUSED"
    assert "8wku2: it was changed since the plan was made" in own.stderr
    assert json.loads(adsctl("changes", "list", "-o", "json").stdout) == []


def test_a_machine_that_comes_later_in_the_night_changes_nothing(adsctl, other):
    adsctl(*APPLY)
    held = states(other(*APPLY))
    assert held["8wku2"].startswith("held: it was changed 0 hours ago")
    assert "9d4c1" not in held  # it is paused already


def test_the_amount_that_is_sent_is_the_one_of_the_plan(adsctl, other, monkeypatch, writes):
    before_it_sends(monkeypatch, lambda: None)
    adsctl(*APPLY)
    assert f"{DAILY}=66000000" in "".join(url for _, url in writes)


def test_many_records_are_looked_at_again_right_before_each_request(adsctl, service, other, monkeypatch):
    text = "rules:\n- {name: more, of: campaigns, when: id != '', do: set daily_budget=+10%}\n"
    adsctl.file("rules.yaml", text)
    act = lambda: other.process("campaigns", "update", "8wku4", "--daily-budget", "41", "--yes")  # noqa: E731
    before_it_sends(monkeypatch, act)
    said = states(adsctl(*APPLY, code=9))
    assert said.pop("8wku4").startswith("left: it was changed since the plan was made: daily_budget")
    assert "done" in said.values()
    (change,) = json.loads(adsctl("changes", "list", "-o", "json").stdout)
    assert "8wku4" not in change["ids"]


def test_a_record_that_is_gone_is_left(adsctl, service, other, monkeypatch):
    before_it_sends(monkeypatch, lambda: other.process("line-items", "delete", "9d4c1", "--yes"))
    assert (
        states(adsctl(*APPLY, code=9))["9d4c1"] == "left: it was changed since the plan was made: it is gone"
    )
