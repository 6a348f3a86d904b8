"""Whatever can be updated: an undo gives a record what it had, and an undo of the undo the change again."""

import json
import shlex
import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.api.fields import fields_of
from ads_cli.api.parts import as_text
from ads_cli.api.registry import MODULES, requests_of
from tests.api.strategies import values_of_field
from tests.commands.test_before_updates import FEED, NO_FIELDS, OTHERS, UPDATES
from tests.effort import tries

EACH = [command for command in UPDATES if command not in NO_FIELDS]
KINDS = {
    kind.endpoint.command: kind
    for module in MODULES
    for kind in requests_of(module)
    if kind.endpoint.command in EACH
}
# Why an update is left: what is of a person, or in the query of an address, is not in the log.
REASONS = (
    "it has these values already",  # as when a name is set that it has
    "the log does not keep such values",
    "had no value before, and cannot be emptied",
    "what it was before is not known",
    "start_time: is not",  # the time of the record has passed
)


def records_of(adsctl):
    """Return all that the emulator has stored."""
    with closing(sqlite3.connect(adsctl.home / "state" / "emulator.db")) as db:
        rows = db.execute("SELECT kind, id, deleted, data FROM records").fetchall()
    return {
        (kind, id): (deleted, json.loads(data))
        for kind, id, deleted, data in rows
        if not kind.endswith("_history")
    }


def last_change(adsctl):
    return json.loads(adsctl("changes", "list", "-o", "json").stdout)[-1]


def words_of(adsctl, command):
    """Return the words of the example in the help of a command."""
    words = [*command.split(), *shlex.split(OTHERS.get(command, UPDATES[command]))]
    if command == "catalog feeds update":  # a new emulator has none
        created = [*FEED.split(), "--start-time", "03:10", "--time-zone", "Europe/Berlin", "-o", "ids"]
        words[3] = adsctl.local(*created).stdout.strip()
    return words


def check_undo(adsctl, before, after):
    """Undo the last change, and then the undo; or see that what is left is named, and was left."""
    done = adsctl.local("changes", "undo", last_change(adsctl)["id"], "--yes", "-o", "json", code=None)
    if done.returncode:
        assert any(reason in done.stderr for reason in REASONS), done.stderr
        assert records_of(adsctl) == after
        return
    (record,) = json.loads(done.stdout)
    assert record["state"] == "undone"
    assert records_of(adsctl) == before
    adsctl.local("changes", "undo", last_change(adsctl)["id"], "--yes")
    assert records_of(adsctl) == after


def word_of(field, value):
    """Return the option that sets a field; "" for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return field.option if value else field.option.replace("--", "--no-", 1)
    return f"{field.option}={json.dumps(value) if field.type.is_nested else as_text(value)}"


@pytest.mark.parametrize("command", EACH)
def test_an_update_is_undone_and_its_undo_too(adsctl, command):
    words = words_of(adsctl, command)
    adsctl.local("overview")  # the emulator is made
    before = records_of(adsctl)
    adsctl.local(*words, "--yes")
    check_undo(adsctl, before, records_of(adsctl))


@pytest.mark.parametrize("command", [command for command in EACH if not command.endswith("activate")])
def test_a_random_change_is_undone_and_its_undo_too(adsctl, command):
    kind, words = KINDS[command], words_of(adsctl, command)
    ids = words[: len(command.split()) + bool(kind.endpoint.id_field)]
    own = [field for field in fields_of(kind) if field.name not in kind.endpoint.path_fields]
    some = st.lists(st.sampled_from(own), min_size=1, max_size=3, unique_by=lambda field: field.name)
    values = some.flatmap(
        lambda some: st.fixed_dictionaries({field.name: values_of_field(field) for field in some})
    )

    @settings(
        max_examples=tries(5, 60),
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(values)
    def holds(values):
        adsctl.local("overview")
        before = records_of(adsctl)
        words = [*ids, *map(word_of, own, map(values.get, [field.name for field in own]))]
        if adsctl.local(*filter(None, words), "--yes", code=None).returncode == 0:
            after = records_of(adsctl)
            if after != before:
                check_undo(adsctl, before, after)

    holds()
