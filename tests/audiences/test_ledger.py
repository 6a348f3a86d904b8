"""The ledger of a list: what it holds of people, and what the notes of runs make of it."""

import json
import sqlite3

import pytest
import time_machine
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.audiences import ledger_merge
from ads_cli.audiences.ledger import Ledger, LedgerRun, Trust, stored_ledgers
from ads_cli.audiences.ledger_merge import BEFORE, Persons
from ads_cli.audiences.operations import Operations
from ads_cli.audiences.sealing import KEY_FILE, KINDS, Sealer
from ads_cli.config.file_locks import try_lock
from ads_cli.runs.jobs import job_lock
from ads_cli.runs.journal import NOT_ALONE
from ads_cli.store import close_stores
from ads_cli.store.epochs import UploadTarget, WriteEpochs
from tests.audiences.lists import digest
from tests.effort import tries

PLACE = UploadTarget("https://ads.example", "custom_audience", "1nmth")


@given(key=st.binary(min_size=32, max_size=32), value=st.binary(min_size=32, max_size=32), text=st.text())
def test_an_identifier_comes_back_under_the_key_only(key, value, text):
    sealer, other = Sealer(key), Sealer(bytes(byte ^ 1 for byte in key))
    for kind, plain in ((KINDS["email"], value.hex()), (KINDS["partner_user_id"], text)):
        (sealed,) = sealer.seal(kind, [plain])
        assert sealer.digests(kind, [plain]) == [sealed[0]]
        assert sealer.open(kind, *sealed) == plain
        assert other.digests(kind, [plain]) != [sealed[0]]
    assert sealer.digests(0, [value.hex()]) != sealer.digests(1, [value.hex()])


def operations(kind: str, *people: int) -> list[Operations]:
    return sent(kind, *({"email": [digest(f"u{number}@x.de")]} for number in people))


def own_ids(kind: str, *ids: str) -> list[Operations]:
    return sent(kind, *({"partner_user_id": [id_]} for id_ in ids))


def sent(kind: str, *users: dict[str, list[str]], **params: str) -> list[Operations]:
    body = {"operation_type": kind, "params": {"users": users} | params}
    return [Operations.single(json.dumps(body).encode(), list(range(len(users))))]


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    WriteEpochs(tmp_path / "state").begin(PLACE)
    return Ledger(tmp_path / "state", PLACE)


def begun(ledger: Ledger) -> LedgerRun:
    """Begin the run of a job that does not run any more."""
    epoch = WriteEpochs(ledger.state_dir).current(PLACE)
    return ledger.begin("lock", epoch, epoch)


def noted(ledger: Ledger, *batches: tuple[str, list[int], bool], rejected: tuple[int, ...] = ()) -> LedgerRun:
    """Note what batches do, to whom, and whether they are acknowledged."""
    run = begun(ledger)
    for number, (kind, people, is_acknowledged) in enumerate(batches):
        run.note_sent(number, operations(kind, *people))
        if is_acknowledged:
            run.note_acknowledged(number, operations(kind, *people), rejected)
    return run


def stored(ledger: Ledger, query: str) -> list[tuple]:
    return ledger.store.rows(query)


def known(ledger: Ledger) -> dict[int, bool]:
    """Return whom the ledger has, and whether they are uncertain."""
    assert ledger.open().trust is Trust.FULL
    numbers = {ledger.sealer.digests(0, [digest(f"u{number}@x.de")])[0]: number for number in range(10)}
    people = stored(ledger, "SELECT digest, is_certain FROM people")
    uncertain = {numbers[own]: not is_certain for own, is_certain in people}
    assert ledger.counts() == (len(uncertain), len(uncertain), sum(uncertain.values()))
    return uncertain


def test_what_is_acknowledged_is_certain_and_what_was_only_sent_is_not(ledger):
    noted(ledger, ("Update", [1, 2], True), ("Update", [3], False))
    assert known(ledger) == {1: False, 2: False, 3: True}
    noted(ledger, ("Delete", [1], True), ("Delete", [2], False), ("Update", [3], True))
    assert known(ledger) == {2: True, 3: False}


def test_whom_the_service_rejects_stays_as_they_were(ledger):
    noted(ledger, ("Update", [1], True))
    noted(ledger, ("Delete", [1], True), ("Update", [2], True))
    assert known(ledger) == {2: False}
    noted(ledger, ("Delete", [2], True), rejected=(0,))
    assert known(ledger) == {2: False}


def test_an_identifier_of_somebody_whom_the_service_rejects_stays_where_another_has_it(ledger):
    run = begun(ledger)
    items = sent("Update", *({"email": [digest(f"u{number}@x.de"), digest("u9@x.de")]} for number in (1, 2)))
    run.note_sent(0, items)
    run.note_acknowledged(0, items, {1})
    ledger.open()
    digests = ledger.sealer.digests(0, [digest(f"u{number}@x.de") for number in (1, 9)])
    assert {own for (own,) in stored(ledger, "SELECT digest FROM people")} == {*digests}


@pytest.mark.parametrize("is_acknowledged", [True, False])
def test_an_id_of_ones_own_that_is_removed_and_added_again_comes_back(ledger, is_acknowledged):
    run = begun(ledger)
    for number, (kind, ids) in enumerate([("Update", "ab"), ("Delete", "ab"), ("Update", "a")]):
        run.note_sent(number, own_ids(kind, *ids))
        if is_acknowledged:
            run.note_acknowledged(number, own_ids(kind, *ids), ())
    ledger.open()
    people = stored(ledger, "SELECT kind, digest, rest FROM people")
    assert {ledger.sealer.open(*own) for own in people} == ({"a"} if is_acknowledged else {"a", "b"})


def test_nothing_is_kept_of_an_id_of_ones_own_that_the_service_rejects(ledger):
    run = begun(ledger)
    run.note_sent(0, own_ids("Update", "a", "b"))
    run.note_acknowledged(0, own_ids("Update", "a", "b"), (1,))
    assert stored(ledger, "SELECT count(*) FROM people_sent") == [(1,)]
    ledger.open()
    assert ledger.counts().identifiers == 1


def test_of_requests_at_the_same_time_nobody_knows_the_order(ledger):
    run = begun(ledger)
    run.note_sent(0, operations("Update", 1))
    run.note_sent(1, operations("Delete", 1))
    run.note_acknowledged(0, [], ())
    run.note_acknowledged(1, [], ())
    assert known(ledger) == {1: True}


def test_whom_one_request_adds_and_removes_is_uncertain(ledger):
    run, both = begun(ledger), [*operations("Update", 1), *operations("Delete", 1)]
    run.note_sent(0, both)
    run.note_acknowledged(0, both, ())
    assert known(ledger) == {1: True}


@pytest.mark.parametrize("at_once", [False, True])
def test_two_jobs_that_were_not_alone_do_not_follow_one_another(ledger, at_once):
    noted(ledger, ("Update", [1], True))
    assert known(ledger) == {1: False}
    epoch = WriteEpochs(ledger.state_dir).current(PLACE)
    for number, previous in ((2, epoch), (3, "an epoch that the ledger does not know")):
        run = ledger.begin("lock", previous, NOT_ALONE)
        run.note_sent(0, operations("Update", number))
        run.note_acknowledged(0, [], ())
        if not at_once:
            ledger.open()
    assert ledger.open().trust is Trust.CHANGED
    assert ledger.counts() == (3, 3, 1 if at_once else 2)


def test_a_ledger_is_not_trusted_where_something_else_changed_the_list_between_two_killed_jobs(ledger):
    noted(ledger, ("Update", [1], True))
    WriteEpochs(ledger.state_dir).begin(PLACE)  # by something else, which notes nothing
    noted(ledger, ("Update", [2], True))
    assert ledger.open().trust is Trust.CHANGED


def test_a_ledger_is_not_trusted_that_lacks_whom_notes_under_a_lost_key_name(ledger):
    noted(ledger, ("Update", [1], True))
    (ledger.state_dir / KEY_FILE).unlink()
    assert Ledger(ledger.state_dir, PLACE).open().trust is Trust.CHANGED


def test_a_ledger_under_a_lost_key_is_told_though_the_notes_of_a_killed_job_replace_it(ledger):
    noted(ledger, ("Update", [1, 2], True))
    known(ledger)
    (ledger.state_dir / KEY_FILE).unlink()
    again = Ledger(ledger.state_dir, PLACE)
    noted(again, ("Update", [3], True))
    opened = again.open()
    assert opened.trust is Trust.LOST and "another key" in opened.reason
    assert known(again) == {3: False}


def test_who_is_one_person_stays_unknown_until_a_job_has_sent_everybody(ledger):
    noted(ledger, ("Update", [1], True))
    assert not ledger.open().links_unknown
    epoch = WriteEpochs(ledger.state_dir).begin(PLACE)
    for number in (2, 3):
        noted(ledger, ("Update", [number], True))
        assert ledger.open().links_unknown
    ledger.begin("lock", epoch, epoch).end(sent_all=True)
    assert not ledger.open().links_unknown


def test_a_removal_makes_everybody_uncertain_where_nobody_knows_who_is_one_person(ledger):
    noted(ledger, ("Update", [1, 2, 3], True))
    assert not ledger.open().links_unknown
    noted(ledger, ("Delete", [1], True))
    assert known(ledger) == {2: False, 3: False}
    WriteEpochs(ledger.state_dir).begin(PLACE)  # something else may have sent any of them together
    noted(ledger, ("Update", [2, 3, 4], True))
    assert ledger.open().links_unknown and known(ledger) == {2: False, 3: False, 4: False}
    noted(ledger, ("Update", [5, 6], True), ("Delete", [2], True), ("Update", [5], True))
    assert known(ledger) == {3: True, 4: True, 5: False, 6: True}


def test_what_two_runs_send_at_the_same_time_is_merged_once_both_have_ended(ledger):
    noted(ledger, ("Update", [1], True))
    epochs, state = WriteEpochs(ledger.state_dir), ledger.state_dir
    previous, locks = epochs.current(PLACE), [try_lock(job_lock(state, name)) for name in "ab"]
    removal = ledger.begin("a", previous, epochs.begin(PLACE))
    removal.note_sent(0, operations("Delete", 1))
    addition = ledger.begin("b", epochs.current(PLACE), NOT_ALONE)
    addition.note_sent(0, operations("Update", 1))
    for run, lock in zip((addition, removal), reversed(locks), strict=True):
        run.note_acknowledged(0, [], ())
        run.end()
        lock.release()
    assert ledger.open().trust is Trust.CHANGED and ledger.counts() == (1, 1, 1)


def test_the_notes_of_a_killed_run_are_merged_with_those_of_the_run_that_resumes_it(ledger):
    noted(ledger, ("Update", [1], True))
    noted(ledger, ("Delete", [1], False))
    resumed = noted(ledger, ("Delete", [1], True))
    lock = try_lock(job_lock(ledger.state_dir, "lock"))
    resumed.end()
    lock.release()
    assert known(ledger) == {}


@pytest.mark.parametrize(
    ("expires_at", "until"), [("2001-06-01T00:00:00Z", 17), ("2099-06-01T00:00:00Z", 300)]
)
@time_machine.travel("2024-01-15T00:00:00Z", tick=False)
def test_nobody_is_remembered_longer_than_the_service_keeps_them(ledger, expires_at, until):
    user = {"email": [digest("u1@x.de")]}
    begun(ledger).note_sent(0, sent("Update", user, expires_at=expires_at))
    ledger.open()
    assert stored(ledger, "SELECT until FROM people") == [(until,)]


def test_a_list_with_the_notes_of_killed_jobs_is_current(ledger):
    for numbers in ([1, 2], [3]):
        noted(ledger, ("Update", numbers, True))
        noted(ledger, ("Update", [4], True))
        (own,) = stored_ledgers(ledger.state_dir)
        assert (own.target, own.state) == (PLACE.id, "current") and own.changed


def test_what_is_noted_is_removed_once_it_is_merged_or_forgotten(ledger):
    noted(ledger, ("Update", [1, 2], True)).end()
    noted(ledger, ("Update", [3], False))
    another = Ledger(ledger.state_dir, UploadTarget(PLACE.service, PLACE.kind, "8wku2"))
    noted(another, ("Update", [1], True)).end()
    ledger.remove()
    assert not ledger.exists() and another.exists()
    tables = ("people", "lists", "list_logs", "list_requests", "people_sent")
    assert [stored(ledger, f"SELECT count(*) FROM {table}")[0][0] for table in tables] == [1, 1, 0, 0, 0]


def test_a_merge_that_fails_leaves_the_notes_to_the_next(ledger, monkeypatch):
    noted(ledger, ("Update", [1], True))
    known(ledger)
    noted(ledger, ("Delete", [1], True), ("Update", [2], True))
    with monkeypatch.context() as patch:
        settle = ledger_merge.SETTLE
        patch.setattr(ledger_merge, "SETTLE", (*settle[:2], "SELECT * FROM nowhere"))
        with pytest.raises(sqlite3.OperationalError):
            ledger.open()
    assert known(ledger) == {2: False}


PERSONS = (1, 2, 3, 4, 5)
EVENTS = st.lists(st.tuples(st.booleans(), st.sampled_from(PERSONS), st.sampled_from(PERSONS)), max_size=12)


@settings(max_examples=tries(60, 500))
@given(EVENTS)
def test_a_removal_is_of_those_who_were_one_person_before_it(events):
    persons, people = Persons(), {person: {person} for person in PERSONS}
    removed = dict.fromkeys(PERSONS, BEFORE)
    last = {first: step for step, (is_join, first, _) in enumerate(events, 1) if not is_join}
    for step, (is_join, first, other) in enumerate(events, 1):
        if is_join:
            persons.join(first, other, step)
            both = people[first] | people[other]
            people |= dict.fromkeys(both, both)
        else:
            persons.remove(first, step)
            if last[first] == step:  # the last one by an identifier counts
                removed |= dict.fromkeys(people[first], step)
    settled = {person: (name, removal) for person, name, removal in persons.settled()}
    settled = {person: settled.get(person, (person, BEFORE)) for person in PERSONS}
    assert {person: removal for person, (_, removal) in settled.items()} == removed
    for person in PERSONS:
        assert {other for other in PERSONS if settled[other][0] == settled[person][0]} == people[person]


def test_a_removal_of_the_request_that_joins_two_is_of_the_one_it_names():
    persons = Persons()
    persons.join(1, 2, 5)
    persons.remove(2, 5)
    assert sorted(persons.settled()) == [(1, 2, BEFORE), (2, 2, 5)]


def test_two_are_one_person_from_their_first_request_on_whichever_is_read_first():
    persons = Persons()
    for step in (3, 1):
        persons.join(1, 2, step)
    persons.remove(1, 2)
    assert sorted(persons.settled()) == [(1, 2, 2), (2, 2, 2)]


USER = st.sets(st.integers(0, 6), min_size=1, max_size=3)
REQUEST = st.tuples(
    st.sampled_from(("Update", "Update", "Delete")),
    st.lists(USER, min_size=1, max_size=3),
    st.sampled_from(("acknowledged", "acknowledged", "applied", "lost")),
)


@settings(max_examples=tries(60, 400), deadline=None)
@given(runs=st.lists(st.lists(REQUEST, max_size=5), min_size=1, max_size=4))
def test_the_ledger_has_everybody_on_the_list_and_is_certain_of_nobody_else(tmp_path_factory, runs):
    ledger = Ledger(tmp_path_factory.mktemp("state"), PLACE)
    WriteEpochs(ledger.state_dir).begin(PLACE)
    service: list[set[int]] = []  # people, who are kept under all identifiers that were sent together
    hashes = {number: digest(str(number)) for number in range(7)}
    numbers = {value: number for number, value in hashes.items()}
    for requests in runs:
        run = begun(ledger)
        for batch, (kind, users, outcome) in enumerate(requests):
            items = sent(kind, *({"email": [hashes[number] for number in sorted(user)]} for user in users))
            run.note_sent(batch, items)
            for user in users if outcome != "lost" else ():
                same = [own for own in service if own & user]
                service = [own for own in service if not own & user]
                if kind == "Update":
                    service.append(user.union(*same))
            if outcome == "acknowledged":
                run.note_acknowledged(batch, items, ())
        run.end()
        people = stored(ledger, "SELECT kind, digest, rest, is_certain, person FROM people")
        opened = {numbers[ledger.sealer.open(*own[:3])]: own[3:] for own in people}
        there = {number for own in service for number in own}
        assert there <= opened.keys()
        assert {number for number, (is_certain, _) in opened.items() if is_certain} <= there
        for own in service:
            assert len(own) == 1 or len({opened[number][1] for number in own}) == 1
    close_stores()
