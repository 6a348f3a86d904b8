"""`watch` and `changes undo` as people and cron run them."""

import json

import pytest

RULES = """
rules:
- name: too expensive
  of: line_items
  when: spend > 1 and cost_per_result > 0.01
  fresh: yes
  do: pause
- name: more for what works
  of: campaigns
  when: spend > 1
  do: set daily_budget=+10%
  ceiling: 62 EUR
"""


def records(done):
    return json.loads(done.stdout)


@pytest.fixture
def rules(adsctl):
    adsctl.file("rules.yaml", RULES)
    return "rules.yaml"


def status_of(adsctl, group, id):
    return records(adsctl.local(group, "get", id, "-o", "json"))


def apply(adsctl, *words, code=0):
    return adsctl.local(
        "watch", "apply", "rules.yaml", "--max-changes", "20", *words, "-o", "json", code=code
    )


def test_a_file_is_checked_offline_and_every_mistake_said_with_its_place(adsctl):
    adsctl.file("rules.yaml", "rules:\n- name: a\n  of: campaigns\n  when: spnd > 1\n  do: stop\n  ovr: 3d\n")
    done = adsctl("watch", "check", "rules.yaml", code=3)
    assert "rules.yaml:4:9: when: 'spnd' is no metric, field or goal; did you mean 'spend'?" in done.stderr
    assert "rules.yaml:5:7: do: is pause, activate, tell" in done.stderr
    assert "rules.yaml:6:8: ovr: is not known; did you mean 'over'?" in done.stderr.replace(
        "ovr is", "ovr: is"
    )


@pytest.mark.parametrize(
    "content", ["", "[]", "rules: 3", "rules:\n- 3", "other: 1", "rules:\n- {}", "rules: []"]
)
def test_what_is_no_file_of_rules_is_refused(adsctl, content):
    adsctl.file("rules.yaml", content)
    assert "rules.yaml" in adsctl("watch", "check", "rules.yaml", code=3).stderr


def test_a_plan_shows_the_numbers_that_say_so_and_changes_nothing(adsctl, rules):
    planned = records(adsctl.local("watch", "plan", rules, "-o", "json", code=10))
    assert {record["state"] for record in planned} == {"due"}
    assert all(record["numbers"] for record in planned)
    paused = next(record for record in planned if record["rule"] == "too expensive")
    assert (paused["before"], paused["after"]) == ("ACTIVE", "PAUSED")
    assert status_of(adsctl, "line-items", paused["id"])["entity_status"] == "ACTIVE"


def test_more_changes_than_allowed_change_nothing(adsctl, rules):
    done = adsctl.local("watch", "apply", rules, "--yes", code=12)
    assert "nothing was changed" in done.stderr and "--max-changes" in done.stderr
    assert adsctl("changes", "list", "-o", "json").stdout == "[]\n"


def test_rules_are_carried_out_once_and_the_log_names_them(adsctl, rules):
    done = records(apply(adsctl, "--yes"))
    assert {record["state"] for record in done} == {"done"}
    by = {change["by"] for change in records(adsctl("changes", "list", "-o", "json"))}
    assert by == {"rule too expensive", "rule more for what works"}
    again = records(apply(adsctl, "--yes"))
    assert all(record["state"].startswith("held: it acted 1 times in 1 days") for record in again)


def test_an_apply_asks_and_a_script_needs_yes(adsctl, rules):
    assert "--yes" in apply(adsctl, code=12).stderr


def test_a_record_that_somebody_changed_today_keeps_its_amount(adsctl, rules):
    adsctl.local("campaigns", "update", "8wku2", "--daily-budget", "50")
    held = {r["id"]: r["state"] for r in records(apply(adsctl, "--yes"))}
    assert held["8wku2"].startswith("held: it was changed 0 hours ago")


def test_activate_undoes_a_pause_by_a_rule_only(adsctl, rules):
    adsctl.local("line-items", "pause", "9d4c2")
    apply(adsctl, "--yes")
    adsctl.file("back.yaml", "rules:\n- {name: back, of: line_items, when: id != '', do: activate}\n")
    words = ("watch", "apply", "back.yaml", "--max-changes", "20", "--yes", "-o", "json")
    states = {record["id"]: record["state"] for record in records(adsctl.local(*words))}
    assert states["9d4c2"] == "held: it was not paused by a rule" and states["9d4c1"] == "done"


def test_the_first_rule_of_the_file_counts(adsctl):
    adsctl.file(
        "rules.yaml",
        "rules:\n- {name: stop, of: campaigns, when: spend > 1, do: pause}\n"
        "- {name: more, of: campaigns, when: spend > 1, do: set daily_budget=50 EUR}\n",
    )
    planned = records(adsctl.local("watch", "plan", "rules.yaml", "-o", "json", code=10))
    states = {(record["rule"], record["state"]) for record in planned}
    assert ("more", "held: the rule 'stop' comes first") in states


def test_the_guard_holds(adsctl, tmp_path):
    adsctl.file(
        "rules.yaml", "rules:\n- {name: m, of: campaigns, when: spend > 1, do: set daily_budget=900 EUR}\n"
    )
    adsctl.file("guard.yaml", "max_daily_budget: 100 EUR\n")
    adsctl.env["ADSCTL_GUARD"] = str(adsctl.home / "guard.yaml")
    done = apply(adsctl, "--yes", code=12)
    assert "max_daily_budget" in done.stderr


def test_what_is_only_told_ends_with_10(adsctl):
    adsctl.file("rules.yaml", "rules:\n- {name: hear, of: campaigns, when: spend > 1, do: tell}\n")
    assert records(apply(adsctl, "--yes", code=10))


def test_undo_gives_back_what_was_before_and_can_be_undone(adsctl, rules):
    before = adsctl.local("line-items", "list", "-o", "json").stdout
    apply(adsctl, "--yes")
    planned = records(adsctl.local("changes", "undo", "--since", "1h", "--dry-run", "-o", "json"))
    assert {record["state"] for record in planned} == {"to undo"}
    adsctl.local("changes", "undo", "--since", "1h", "--yes")
    now = records(adsctl.local("line-items", "list", "-o", "json"))
    for record, was in zip(now, json.loads(before), strict=True):
        assert record | {"updated_at": was["updated_at"]} == was
    undone = [change["id"] for change in records(adsctl("changes", "list", "-o", "json"))[-2:]]
    adsctl.local("changes", "undo", *undone, "--yes")
    assert status_of(adsctl, "campaigns", "8wku2")["daily_budget_amount_local_micro"] == 62_000_000


def test_what_was_changed_since_is_left_and_said(adsctl, rules):
    apply(adsctl, "--yes")
    adsctl.local("campaigns", "update", "8wku2", "--daily-budget", "40")
    ids = [c["id"] for c in records(adsctl("changes", "list", "-o", "json")) if c["by"]]
    done = adsctl.local("changes", "undo", *ids, "--yes", "-o", "json", code=9)
    states = {record["id"]: record["state"] for record in records(done)}
    assert states["8wku2"] == "left: daily_budget_amount_local_micro was changed since"
    assert status_of(adsctl, "campaigns", "8wku2")["daily_budget_amount_local_micro"] == 40_000_000


def test_what_was_created_is_paused_and_deleted_only_when_asked(adsctl):
    words = ("--funding-instrument-id", "4a1n0", "--name", "New", "--daily-budget", "5", "--yes")
    made = records(adsctl.local("campaigns", "create", *words, "--entity-status", "ACTIVE", "-o", "json"))
    adsctl.local("changes", "undo", "--since", "1h", "--yes")
    assert status_of(adsctl, "campaigns", made["id"])["entity_status"] == "PAUSED"
    (create,) = [c["id"] for c in records(adsctl("changes", "list", "-o", "json")) if c["method"] == "POST"]
    adsctl.local("changes", "undo", create, "--delete", "--yes")
    adsctl.local("campaigns", "get", made["id"], code=5)


def test_a_deletion_cannot_be_undone(adsctl):
    adsctl.local("campaigns", "delete", "8wku4", "--yes")
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", code=12)
    assert "a deletion cannot be undone" in done.stderr


def test_undo_needs_to_know_what(adsctl):
    assert "name changes by their ids" in adsctl.local("changes", "undo", code=2).stderr
    assert "there is no change 'nope'" in adsctl.local("changes", "undo", "nope", code=5).stderr


def test_a_record_that_the_service_refuses_is_said_and_the_other_rules_are_carried_out(adsctl, service):
    adsctl.file(
        "rules.yaml",
        "rules:\n- {name: a, of: line_items, when: id = '9d4c1', do: pause}\n"
        "- {name: b, of: campaigns, when: id = '8wku2', do: pause}\n",
    )
    service.fail("PUT */line_items/* status=400")
    done = adsctl("watch", "apply", "rules.yaml", "--yes", "--max-changes", "9", "-o", "json", code=9)
    states = {record["id"]: record["state"] for record in records(done)}
    assert states["9d4c1"].startswith("refused: ") and states["8wku2"] == "done"


def test_no_change_at_all_is_a_limit_too(adsctl, rules):
    done = adsctl.local("watch", "apply", rules, "--max-changes", "0", "--yes", code=12)
    assert "more than 0; nothing was changed" in done.stderr
    assert adsctl("changes", "list", "-o", "json").stdout == "[]\n"


def test_a_guard_below_the_ceiling_of_a_rule_is_said_before_anything_is_sent(adsctl, rules):
    adsctl.file("guard.yaml", "max_daily_budget: 61 EUR\n")
    adsctl.env["ADSCTL_GUARD"] = str(adsctl.home / "guard.yaml")
    words = ("watch", "apply", rules, "--max-changes", "20")
    assert "the rule 'more for what works' would change nothing: the guard" in (
        adsctl.local("watch", "plan", rules, code=10).stderr
    )
    assert "max_daily_budget" in adsctl.local("guard", "check", "--", *words, code=12).stderr
    states = {record["rule"]: record["state"] for record in records(apply(adsctl, "--yes", code=9))}
    assert (
        states["more for what works"].startswith("refused: the guard") and states["too expensive"] == "done"
    )


def test_the_guard_is_asked_about_an_undo_that_is_not_carried_out(adsctl):
    adsctl.local("campaigns", "update", "8wku2", "--daily-budget", "20")
    adsctl.file("guard.yaml", "max_increase: 10%\n")
    adsctl.env["ADSCTL_GUARD"] = str(adsctl.home / "guard.yaml")
    words = ("changes", "undo", "--since", "1h")
    assert "max_increase" in adsctl.local("guard", "check", "--", *words, code=12).stderr
    assert "without --dry-run, the guard refuses" in adsctl.local(*words, "--dry-run").stderr


def test_a_rule_in_another_currency_warns_that_it_judges_nothing(adsctl):
    adsctl.file("rules.yaml", "rules:\n- {name: a, of: campaigns, when: spend > 1 USD, do: pause}\n")
    done = adsctl.local("watch", "apply", "rules.yaml", "--yes", "-q")
    assert "warning: the rule 'a' could not judge any of 6 records" in done.stderr


def test_what_is_not_asked_for_is_not_known_and_never_no_result(adsctl):
    adsctl.file(
        "rules.yaml",
        "rules:\n- {name: idle, of: line_items, when: spend > 1 and results < 1, fresh: yes, do: pause}\n",
    )
    done = adsctl.local("watch", "plan", "rules.yaml", "-o", "json", code=None)
    objectives = {
        item["id"]: item["objective"] for item in records(adsctl.local("line-items", "list", "-o", "json"))
    }
    due = {objectives[record["id"]] for record in records(done) if record["state"] == "due"}
    assert not due & {"APP_INSTALLS", "PREROLL_VIEWS", "VIDEO_VIEWS"}
    assert "results is not known" in done.stderr + done.stdout
