"""What a sync believes of a list: copied, damaged and killed runs, and clocks that were wrong."""

import json
import shutil
import threading
from datetime import UTC, datetime, timedelta

import pytest

from ads_cli.api import users
from ads_cli.audiences import operations, sealing, sync_plan
from ads_cli.audiences.ledger import LedgerRun
from ads_cli.audiences.upload import ListMemory, UserUpload
from ads_cli.errors import UnavailableError
from ads_cli.runs.journal import Journal
from tests.audiences.lists import digest, people, person
from tests.audiences.test_sync import PHONES, customers

__all__ = ["customers"]


def test_a_copied_state_folder_deletes_nobody_and_sends_everybody(customers):
    customers.sync(people(1, 2))
    state = customers.adsctl.home / "state"
    shutil.copytree(state, state.with_name("copy"))
    shutil.rmtree(state)
    state.with_name("copy").rename(state)
    summary = customers.sync(people(2, 3), "-q", code=9)
    assert (summary["deleted"], summary["unchanged"], summary["updated"], summary["created"]) == (0, 0, 1, 1)
    assert "copied" in customers.said and customers.equals(people(1, 2, 3))
    assert customers.sync(people(2, 3))["deleted"] == 1
    assert customers.equals(people(2, 3))


def test_a_restored_disk_deletes_nobody(customers, monkeypatch):
    customers.sync(people(1, 2))
    monkeypatch.setattr("ads_cli.store.epochs.boot_id", lambda: "another boot")
    summary = customers.sync(people(2, 3), "-q", code=9)
    assert summary["deleted"] == 0 and "restored" in customers.said
    assert customers.equals(people(1, 2, 3))


@pytest.mark.parametrize("how", ["another key", "key lost"])
def test_a_ledger_that_cannot_be_used_deletes_nobody(customers, how):
    customers.sync(people(1, 2))
    key = customers.adsctl.home / "state" / sealing.KEY_FILE
    key.write_bytes(bytes(sealing.KEY_BYTES)) if how == "another key" else key.unlink()
    summary = customers.sync(people(2, 3), "-q", code=9)
    assert summary["deleted"] == 0 and "key" in customers.said
    assert customers.equals(people(1, 2, 3))
    assert customers.sync(people(3))["deleted"] == 1


def test_a_request_by_hand_makes_what_is_known_uncertain(customers):
    customers.sync(people(1, 2))
    path = "/12/accounts/{account_id}/custom_audiences/" + customers.audience + "/users"
    body = json.dumps([{"operation_type": "Delete", "params": {"users": [{"email": ["0" * 64]}]}}])
    customers.adsctl.local("api", "POST", path, "--input", "-", input=body)
    assert customers.sync(people(2), code=9)["unchanged"] == 0
    assert customers.equals(people(1, 2))
    assert customers.sync(people(2))["deleted"] == 1


def test_who_may_be_kept_together_with_one_who_leaves_is_sent_again(customers):
    customers.sync(people(1, 2))
    path = "/12/accounts/{account_id}/custom_audiences/" + customers.audience + "/users"
    both = {"email": [digest("u1@x.de"), digest("u2@x.de")]}
    body = json.dumps([{"operation_type": "Update", "params": {"users": [both]}}])
    customers.adsctl.local("api", "POST", path, "--input", "-", input=body)
    customers.sync(people(1, 2), code=9)
    summary = customers.sync(people(2))
    assert (summary["deleted"], summary["updated"]) == (1, 1) and customers.equals(people(2))
    assert customers.sync(people(2))["requests"] == 0


def test_people_are_sent_again_before_the_service_forgets_them(customers, monkeypatch):
    customers.sync(people(1))
    later = datetime.now(UTC) + timedelta(days=370)
    monkeypatch.setattr("ads_cli.audiences.comparison.this_second", lambda: later)
    assert customers.sync(people(1))["updated"] == 1


@pytest.mark.parametrize(
    ("years", "ids"), [*((years, {"phone": PHONES(1)}) for years in (-50, -36, 0.2, 1.1, 14, 300)), (14, {})]
)
def test_people_whom_a_wrong_clock_has_sent_are_sent_again_once_it_is_right(
    customers, time_machine, years, ids
):
    now = datetime.now(UTC)
    members = [person(1, **ids), *people(2, 3)]
    time_machine.move_to(now + timedelta(days=365 * years))
    assert customers.sync(members)["created"] == 3
    assert customers.sync(members)["unchanged"] == 3  # as long as it stays wrong
    time_machine.move_to(now)
    again = customers.sync(members)
    assert (again["updated"], again["unchanged"]) == (3, 0)
    assert customers.sync(members)["unchanged"] == 3


def test_who_leaves_is_deleted_though_a_wrong_clock_has_sent_them(customers, time_machine):
    now = datetime.now(UTC)
    time_machine.move_to(datetime(2040, 1, 2, tzinfo=UTC))
    customers.sync(people(1, 2))
    time_machine.move_to(now)
    assert customers.sync(people(1))["deleted"] == 1
    assert customers.equals(people(1))


def test_a_clock_that_is_wrong_for_one_sync_sends_everybody_again(customers, time_machine):
    now = datetime.now(UTC)
    customers.sync(people(1, 2))
    for wrong in (datetime(1990, 1, 2, tzinfo=UTC), datetime(2040, 1, 2, tzinfo=UTC)):
        time_machine.move_to(wrong)
        assert customers.sync(people(1, 2, 3))["unchanged"] == 0
    time_machine.move_to(now)
    assert customers.sync(people(1, 2, 3))["updated"] == 3


@pytest.mark.parametrize("boundary", ["before it is sent", "before its answer", "before the end"])
def test_a_killed_sync_is_resumed(customers, monkeypatch, boundary):
    customers.sync(people(1, 2, 9))

    def die(*args, **options):
        raise UnavailableError("killed")

    with monkeypatch.context() as patch:
        if boundary == "before it is sent":
            patch.setattr(UserUpload, "send", die)
        elif boundary == "before its answer":
            patch.setattr(LedgerRun, "note_acknowledged", die)
        else:
            patch.setattr(ListMemory, "finish", die)
        customers.sync(people(2, 3), code=8)
    done = customers.sync(people(2, 3), "--resume")
    assert (done["created"] + done["updated"], done["deleted"]) == (1, 2)  # who is uncertain is sent again
    assert customers.equals(people(2, 3))
    assert customers.sync(people(2, 3))["requests"] == 0


def test_everybody_is_sent_once_where_it_is_not_known_who_is_one_person(customers):
    customers.sync(people(1, 2, 3, 4))
    path = f"/12/accounts/18ce54d4x5t/custom_audiences/{customers.audience}/users"
    body = json.dumps([{"operation_type": "Update", "params": {"users": [{"email": [digest("u3@x.de")]}]}}])
    customers.adsctl.local("api", "POST", path, "--input", "-", input=body)
    customers.run("push", "people.csv")
    assert customers.sync(people(2, 3, 4))["updated"] == 3
    done = customers.sync(people(3, 4))
    assert (done["updated"], done["deleted"]) == (0, 1) and customers.equals(people(3, 4))


def test_a_sync_that_may_delete_is_not_resumed_by_one_that_may_not(customers, monkeypatch):
    customers.sync(people(1, 2))

    def die(*args, **options):
        raise UnavailableError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(UserUpload, "send", die)
        customers.sync(people(2, 3), code=8)
    jobs = customers.adsctl.local("jobs", "list", "-o", "ids").stdout.split()
    done = customers.run("sync", "people.csv", "--resume")
    assert done["job"] not in jobs and customers.equals(people(1, 2, 3))


def test_all_requests_of_a_sync_are_counted_though_one_fails_before_a_later_one_is_acknowledged(
    customers, monkeypatch
):
    send, append, fill = UserUpload.send, Journal.append, sync_plan.fill_operations
    is_later_acknowledged = threading.Event()

    def fail_first(self, client, batch):
        if batch.number == 0:
            assert is_later_acknowledged.wait(30)
            raise UnavailableError("killed")
        return send(self, client, batch)

    def append_and_tell(self, entry):
        append(self, entry)
        is_later_acknowledged.set()

    def fill_with_one(params, users, rows, options):
        return fill(params, users, rows, options._replace(users_per_operation=1))

    def die(*args, **options):
        raise UnavailableError("killed")

    for module in (operations, users):
        monkeypatch.setattr(module, "MAX_OPERATIONS", 1)
    monkeypatch.setattr(sync_plan, "fill_operations", fill_with_one)
    with monkeypatch.context() as patch:
        patch.setattr(UserUpload, "send", fail_first)
        patch.setattr(Journal, "append", append_and_tell)
        customers.sync(people(*range(5)), code=8)
    with monkeypatch.context() as patch:
        patch.setattr(ListMemory, "finish", die)
        customers.sync(people(*range(5)), "--resume", code=8)
    done = customers.sync(people(*range(5)), "--resume")
    assert done["created"] + done["updated"] == 5 and customers.equals(people(*range(5)))
