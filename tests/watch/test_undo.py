"""`changes undo` against odd logs: several runs, refusals, what was created, what cannot be emptied."""

import json

import pytest


def records(done):
    return json.loads(done.stdout)


def campaign(adsctl, id):
    return records(adsctl.local("campaigns", "get", id, "-o", "json"))


def log_of(adsctl):
    return records(adsctl("changes", "list", "-o", "json"))


def test_a_run_is_undone_by_the_id_that_the_list_of_runs_shows(adsctl):
    adsctl.local("campaigns", "update", "8wku2", "8wku4", "--daily-budget", "33", "--yes")
    adsctl.local("campaigns", "update", "8wku7", "--name", "Other")
    jobs = records(adsctl("jobs", "list", "-o", "json"))
    (run,) = [job["job"] for job in jobs if job["rows"] == 2]
    undone = records(adsctl.local("changes", "undo", "--run", run, "--yes", "-o", "json"))
    assert {record["id"] for record in undone} == {"8wku2", "8wku4"}
    assert campaign(adsctl, "8wku7")["name"] == "Other"


def test_each_rule_of_a_watch_is_a_run_that_can_be_undone(adsctl):
    adsctl.file(
        "rules.yaml",
        "rules:\n- {name: a, of: campaigns, when: id = '8wku2', do: pause}\n"
        "- {name: b, of: campaigns, when: id = '8wku4', do: set daily_budget=9 EUR}\n",
    )
    adsctl.local("watch", "apply", "rules.yaml", "--max-changes", "9", "--yes")
    jobs = {change["by"]: change["job"] for change in log_of(adsctl)}
    assert len(set(jobs.values())) == 2 and all(jobs.values())
    (undone,) = records(adsctl.local("changes", "undo", "--run", jobs["rule a"], "--yes", "-o", "json"))
    assert undone["id"] == "8wku2" and campaign(adsctl, "8wku2")["entity_status"] == "ACTIVE"


def test_an_applied_file_is_a_run_that_can_be_undone(adsctl):
    adsctl.local("campaigns", "pull", "c.yaml")
    adsctl.local("campaigns", "pull", "before.yaml")
    file = adsctl.home / "c.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("60.00", "55.00"), encoding="utf-8")
    adsctl.local("campaigns", "apply", "c.yaml", "--yes")
    (job,) = records(adsctl("jobs", "list", "-o", "json"))
    (undone,) = records(adsctl.local("changes", "undo", "--run", job["job"], "--yes", "-o", "json"))
    assert undone["id"] == "8wku2"
    adsctl.local("campaigns", "plan", "before.yaml")  # ends with 0: nothing differs


def test_the_short_id_that_a_terminal_shows_is_known(adsctl):
    adsctl.local("campaigns", "pause", "8wku2")
    (change,) = log_of(adsctl)
    adsctl.local("changes", "undo", change["id"].rpartition("-")[2], "--yes")
    assert campaign(adsctl, "8wku2")["entity_status"] == "ACTIVE"


def test_what_spends_again_is_asked_for_with_the_amount(adsctl):
    adsctl.local("campaigns", "pause", "8wku2")
    done = adsctl.local("changes", "undo", "--since", "1h", code=12)
    assert "Activate" in done.stderr and "which may spend" in done.stderr
    assert campaign(adsctl, "8wku2")["entity_status"] == "PAUSED"


def test_a_rule_that_spends_more_is_asked_for_with_the_amount(adsctl):
    adsctl.file(
        "rules.yaml", "rules:\n- {name: a, of: campaigns, when: id = '8wku2', do: set daily_budget=500 EUR}\n"
    )
    done = adsctl.local("watch", "apply", "rules.yaml", code=12)
    assert "Raise" in done.stderr and "500.00 EUR" in done.stderr


def test_what_was_created_is_never_activated_by_undoing_a_later_pause(adsctl):
    words = ("--funding-instrument-id", "4a1n0", "--name", "New", "--daily-budget", "5", "--yes")
    made = records(adsctl.local("campaigns", "create", *words, "--entity-status", "ACTIVE", "-o", "json"))
    adsctl.local("campaigns", "pause", made["id"])
    (undone,) = records(adsctl.local("changes", "undo", "--since", "1h", "--yes", "-o", "json"))
    assert undone["change"].endswith("PAUSED")
    assert campaign(adsctl, made["id"])["entity_status"] == "PAUSED"


def test_a_field_that_cannot_be_emptied_leaves_its_record_alone(adsctl):
    adsctl.local("line-items", "update", "9d4c1", "--end-time", "2027-01-01T00:00:00Z", "--yes")
    adsctl.local("campaigns", "update", "8wku2", "--name", "Other")
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", "-o", "json", code=9)
    states = {record["id"]: record["state"] for record in records(done)}
    assert states["8wku2"] == "undone" and states["9d4c1"].startswith("left: end_time had no value before")
    assert "line item Visits to the shop: end_time had no value" in done.stderr


def test_a_record_that_is_gone_is_left_and_said_in_a_line(adsctl):
    adsctl.local("campaigns", "update", "8wku4", "--name", "Gone")
    adsctl.local("campaigns", "update", "8wku2", "--name", "Other")
    adsctl.local("campaigns", "delete", "8wku4", "--yes")
    ids = [change["id"] for change in log_of(adsctl) if change["method"] == "PUT"]
    done = adsctl.local("changes", "undo", *ids, "--yes", code=9)
    assert ": the campaign 8wku4 does not exist" in done.stderr and "\nc\na\nm" not in done.stderr
    assert campaign(adsctl, "8wku2")["name"] != "Other"


def test_what_the_guard_refuses_is_said_of_its_records_and_the_others_are_undone(adsctl):
    adsctl.local("campaigns", "pause", "8wku2")
    adsctl.local("line-items", "update", "9d4c1", "--name", "Other")
    adsctl.file("guard.yaml", "deny: [activate]\n")
    adsctl.env["ADSCTL_GUARD"] = str(adsctl.home / "guard.yaml")
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", "-o", "json", code=9)
    states = {record["id"]: record["state"] for record in records(done)}
    assert states["8wku2"].startswith("refused: the guard refuses") and states["9d4c1"] == "undone"
    assert "the guard refuses" in adsctl.local("changes", "undo", "--since", "1h", "--yes", code=12).stderr


@pytest.mark.parametrize("words", [("changes", "undo", "--since", "1h"), ("watch", "apply", "rules.yaml")])
def test_a_run_that_was_stopped_is_run_again_and_has_no_resume(adsctl, words):
    from ads_cli.commands.runs.reports import resume_command

    assert "--resume" not in resume_command(["--profile", "shop", *words])


def test_an_amount_that_there_was_not_is_left_and_said_where_it_cannot_be_removed(adsctl):
    adsctl.local("campaigns", "update", "8wkt5", "--daily-budget", "5", "--yes")
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", code=12)
    assert "Advent calendar: daily_budget had no value before, and cannot be emptied" in done.stderr


def test_a_single_field_that_cannot_be_emptied_is_left_and_said(adsctl):
    adsctl.local("line-items", "update", "9d4c1", "--advertiser-domain", "shop.example", "--yes")
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", code=12)
    assert "Visits to the shop: advertiser_domain had no value before, and cannot be emptied" in done.stderr


def test_a_change_too_large_for_the_log_is_left_and_said(adsctl, monkeypatch):
    monkeypatch.setattr("ads_cli.console.logged_changes.MAX_BYTES", 20)
    adsctl.local("campaigns", "update", "8wku2", "8wku4", "--daily-budget", "33", "--yes")
    done = adsctl.local("changes", "undo", "--since", "1h", "--yes", code=12)
    assert done.stderr.count("what it was before is not known") >= 2


@pytest.mark.parametrize(
    "name", ["Mail anna@example.com", "See https://shop.example/?token=abc", "+49 170 1234567"]
)
@pytest.mark.parametrize("names", [("{}", "Plain"), ("Plain", "{}")])
def test_a_text_of_which_the_log_has_a_part_only_is_left(adsctl, name, names):
    for new in names:
        adsctl.local("campaigns", "update", "8wku2", "--name", new.format(name))
    last = log_of(adsctl)[-1]["id"]
    done = adsctl.local("changes", "undo", last, "--yes", code=12)
    assert "the log does not keep such values" in done.stderr
    assert campaign(adsctl, "8wku2")["name"] == names[1].format(name)
