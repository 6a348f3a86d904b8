"""Names with every odd character are remembered as they are, in each table that has names of people's own."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.fleet.records import FleetState
from ads_cli.fleet.tasks import Task
from ads_cli.store.changes import ChangeBegun, ChangeLog
from ads_cli.store.epochs import UploadTarget, WriteEpochs
from ads_cli.store.notes import Notes
from tests.stored import stored

ODD = "'\"`;--%_\\\0\t\r\n\x1b\u202e\ufeff\U0001f600 \u00e9e\u0301"
TEXTS = st.text(st.characters(exclude_categories=("Cs",))) | st.just(ODD)


@pytest.fixture(scope="module")
def state_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("state")


@given(TEXTS, TEXTS)
def test_notes_changes_and_epochs_have_the_names_that_were_given(state_dir, one, other):
    Notes(state_dir, one).put(other, one)
    assert Notes(state_dir, one).find(other, str) == one
    target = UploadTarget(one, other, one)
    stamp = WriteEpochs(state_dir).begin(target)
    assert stamp and WriteEpochs(state_dir).current(target) == stamp
    log = ChangeLog(state_dir)
    texts = dict.fromkeys(("profile", "account", "user", "command", "path", "job"), one)
    entry = {"id": os.urandom(8).hex(), "time": "2026-03-01T09:00:00Z", "method": "PUT", **texts}
    log.begin(ChangeBegun(**entry, ids=[other], fields={one: other}))
    change = log.changes()[-1]
    assert {name: change[name] for name in entry} == entry
    assert change["ids"] == [other] and change["fields"] == {one: other}


@given(st.lists(TEXTS, min_size=1, max_size=3, unique=True), TEXTS)
def test_the_tasks_of_a_fleet_have_the_names_that_were_given(state_dir, names, profile):
    state = FleetState(state_dir, state_dir / "fleet.yaml")
    tasks = [Task(name, profile, ("products", "push", name)) for name in names]
    begun, _ = state.begin(tasks, resume=False, only=False, dry_run=False)
    assert state.last() == begun
    records = state.records(begun.run)
    for task in tasks:
        records.begin(task)
    assert all(map(records.has_begun, tasks)) and not any(map(records.find, tasks))


def test_a_file_whose_name_is_not_utf_8_is_a_fleet_and_a_feed(adsctl):
    fleet = {"tasks": [{"name": "a", "profile": "local", "run": "accounts list"}]}
    people = "email\nana@shop.example\n"
    for name, content in ((b"caf\xe9.yaml", json.dumps(fleet)), (b"p\xe9.csv", people)):
        (adsctl.home / os.fsdecode(name)).write_text(content)
    adsctl.local("audiences", "push", os.fsdecode(b"p\xe9.csv"), "--audience", "1nmth")
    (change,) = json.loads(adsctl("changes", "list", "-o", "json").stdout)
    assert change["outcome"] == "ok" and "audiences push" in change["command"]
    adsctl.local("fleet", "run", os.fsdecode(b"caf\xe9.yaml"))
    (run,) = json.loads(adsctl("fleet", "status", "-o", "json").stdout)
    assert run["state"] == "ok" and stored(adsctl, "SELECT exit_code FROM fleet_runs") == [0]
