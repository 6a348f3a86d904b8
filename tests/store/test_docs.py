"""The queries on `state.db` that the documentation shows are worth having."""

import json
import re
from datetime import UTC, datetime

from tests.adsctl import ROOT
from tests.stored import stored

PAGE = (ROOT / "docs" / "automation.md").read_text()
CHANGED, OF_A_LIST, FAILED_TASKS = re.findall("```sql\n(.*?)```", PAGE, re.DOTALL)


def test_what_was_changed_is_counted_by_command_without_what_is_long_past(adsctl):
    for name in ("Spring", "Summer", "Autumn"):
        adsctl.local("campaigns", "update", "8wku2", "--name", name)
    adsctl.local("campaigns", "delete", "8wkt0", "--yes")
    stored(adsctl, "UPDATE changes SET time = '2026-01-01T00:00:00Z' WHERE command LIKE '%Autumn'")
    stored(adsctl, "UPDATE changes SET outcome = NULL WHERE command LIKE '%Summer'")
    rows = {command.rpartition(" ")[2]: numbers for command, *numbers in stored(adsctl, CHANGED)}
    assert rows == {"Spring": [1, 0], "Summer": [1, 1], "--yes": [1, 0]}


def test_what_was_sent_to_a_list_is_shown_with_its_counts(adsctl):
    people = adsctl.file("people.csv", "email\nana@shop.example\nbo@shop.example\n")
    adsctl.local("audiences", "push", people, "--audience", "1nmth")
    ((time, command, outcome, counts),) = stored(adsctl, OF_A_LIST)
    assert time[:10] == f"{datetime.now(UTC):%Y-%m-%d}" and "audiences push" in command
    assert outcome == "ok" and json.loads(counts) == {"accepted": 2, "failed": 0}


def test_the_failed_tasks_of_a_fleet_are_shown_with_the_reason(adsctl):
    adsctl.file("bad.csv", "id,title\n1,Mug\n")
    runs = {"bad": "products check bad.csv", "fine": "accounts list"}
    tasks = [{"name": name, "profile": "local", "run": run} for name, run in runs.items()]
    adsctl.file("fleet.yaml", json.dumps({"tasks": tasks}))
    adsctl("fleet", "run", "fleet.yaml", code=3)
    ((file, task, why),) = stored(adsctl, FAILED_TASKS)
    assert file == str(adsctl.home / "fleet.yaml") and task == "bad" and "1 of 1 row invalid" in why
