"""What applies remember is on the disk before its request is sent, or the request is not sent."""

import sqlite3
from contextlib import closing

import pytest

from ads_cli.campaigns.memory import ApplyMemory, CreationAttempt, Mark
from ads_cli.errors import RefusedError, StateError
from ads_cli.store import close_stores, database
from ads_cli.uploads.upload import noted


def marks(name: str) -> list[Mark]:
    return [Mark("campaign", "", name)]


pytestmark = pytest.mark.usefixtures("closed_stores")


def test_what_cannot_be_noted_is_not_remembered_either(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    memory = ApplyMemory(tmp_path, "generic", "acc")
    memory.remember({marks("known")[0]: "1"})
    with closing(sqlite3.connect(tmp_path / database.FILE)) as other, pytest.raises(StateError):
        other.execute("BEGIN IMMEDIATE")
        memory.begin_attempt(marks("lost"))
    memory.begin_attempt(marks("begun"))
    close_stores()
    again = ApplyMemory(tmp_path, "generic", "acc")
    assert again.ids == memory.ids and again.ids.keys() == {*marks("known")}
    assert again.lost.keys() == memory.lost.keys() == {*marks("begun")}


def test_whose_id_is_known_is_lost_no_more(tmp_path):
    memory = ApplyMemory(tmp_path, "generic", "acc")
    first = memory.begin_attempt([*marks("one"), *marks("two")])
    second = memory.begin_attempt(marks("three"))
    memory.remember({marks("one")[0]: "1"})
    memory.end_attempt(second, {})
    for read in (memory, ApplyMemory(tmp_path, "generic", "acc")):
        assert read.lost == {marks("two")[0]: first} and read.ids == {marks("one")[0]: "1"}
    assert not ApplyMemory(tmp_path, "generic", "other").ids


def test_each_attempt_is_one_of_its_own_in_several_runs(tmp_path):
    memory = ApplyMemory(tmp_path, "generic", "acc")
    memory.begin_attempt(marks("begun"))
    ApplyMemory(tmp_path, "generic", "acc").begin_attempt(marks("also"))
    assert ApplyMemory(tmp_path, "generic", "acc").lost == {marks("begun")[0]: 1, marks("also")[0]: 2}


@pytest.mark.parametrize("may_be_applied", [False, True])
def test_a_refused_request_is_not_looked_for_and_one_that_may_be_applied_is(tmp_path, may_be_applied):
    memory = ApplyMemory(tmp_path, "generic", "acc")
    error = RefusedError("no")
    error.may_be_applied = may_be_applied
    attempt = CreationAttempt(memory, marks("new"))
    with pytest.raises(RefusedError), noted(attempt, 0, []) as on_send:
        on_send()
        raise error
    for read in (memory, ApplyMemory(tmp_path, "generic", "acc")):
        assert bool(read.lost) is may_be_applied
