"""What applies remember is on the disk before its request is sent, or the request is not sent."""

import sqlite3
from contextlib import closing

import pytest

from ads_cli.campaigns.memory import ApplyMemory, Mark
from ads_cli.errors import StateError
from ads_cli.store import close_stores, database


def marks(name: str) -> list[Mark]:
    return [Mark("campaign", "", name)]


@pytest.fixture(autouse=True)
def closed():
    yield
    close_stores()


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
