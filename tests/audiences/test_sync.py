"""audiences sync and diff: a list in the account equals its file."""

import json
import threading
from array import array
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

import pytest

from ads_cli.api import users
from ads_cli.audiences import operations, packing
from ads_cli.audiences.comparison import is_deletion
from ads_cli.audiences.ledger import Ledger
from ads_cli.audiences.list_packer import ListPacker
from ads_cli.audiences.upload import UserUpload
from ads_cli.config.file_locks import try_lock
from ads_cli.console.invocation import Invocation
from ads_cli.emulator.core.responses import OperationsError
from ads_cli.emulator.resources import audience_users
from ads_cli.runs.jobs import job_lock
from ads_cli.store.epochs import UploadTarget
from tests.audiences.lists import List, as_csv, digest, people, person
from tests.stored import stored

PHONES = "+49151123450{:02}".format


@pytest.fixture
def customers(adsctl) -> List:
    return List(adsctl)


def test_who_leaves_the_file_leaves_the_list_and_who_is_new_is_added(customers):
    first = customers.sync(people(*range(10)))
    assert first["created"] == 10 and customers.equals(people(*range(10)))
    assert "has no ledger" in customers.said
    second = customers.sync(people(*range(1, 12)))
    counts = {name: second[name] for name in ("created", "updated", "deleted", "unchanged", "requests")}
    assert counts == {
        "created": 2,
        "updated": 0,
        "deleted": 1,
        "unchanged": 9,
        "requests": 2,
    }
    assert customers.equals(people(*range(1, 12))) and "has no ledger" not in customers.said
    third = customers.sync(people(*range(1, 12)))
    assert (third["unchanged"], third["requests"]) == (11, 0)


def test_without_prune_nobody_is_deleted(customers):
    customers.sync(people(1, 2))
    assert customers.run("sync", "people.csv", people=people(2, 3))["missing"] == 1
    assert customers.equals(people(1, 2, 3))
    words = ("audiences", "diff", "people.csv", "--audience", customers.audience, "-o", "table")
    assert "1 in no row, whom --prune deletes" in customers.adsctl.local(*words).stdout
    assert "in no row" not in customers.adsctl.local(*words, "--prune", code=10).stdout


def test_rejected_rows_are_not_to_be_synced_by_themselves(customers):
    customers.sync(people(1))
    words = ("--skip-invalid", "--failed-out", "failed.csv")
    customers.run("sync", "people.csv", *words, people=[*people(1, 2), {"email": "nobody"}], code=9)
    assert "correct these rows in the file that was read, and sync that again" in customers.said


def test_it_is_said_once_that_nobody_is_left_by_a_condition(customers):
    for command in ("diff", "sync"):
        words = ("people.csv", "--where", "email=nobody", "--allow-empty")
        customers.run(command, *words, people=people(1))
        assert customers.said.count("leaves out everybody") == 1


def test_ids_of_ones_own_in_any_script_are_added_and_deleted(customers, monkeypatch):
    for module in (operations, users):
        monkeypatch.setattr(module, "MAX_OPERATIONS", 1)
    monkeypatch.setattr(packing, "MAX_OPERATION_BYTES", 150)  # each person is a request
    first, second = (
        [{"id": f"Müller-Große-顧客-{number}"} for number in numbers] for numbers in ("123", "34")
    )
    assert customers.sync(first)["created"] == 3 and customers.equals(first)
    summary = customers.sync(second)
    assert (summary["created"], summary["deleted"], summary["unchanged"]) == (1, 2, 1)
    assert customers.equals(second)


def test_ids_are_those_of_records_that_have_one(customers):
    customers.sync(people(1))
    words = ("audiences", "diff", customers.adsctl.file("new.csv", as_csv(people(1, 2))))
    assert customers.adsctl.local(*words, "--audience", customers.audience, "-o", "ids", code=10).stdout == ""


def test_a_diff_counts_and_ends_with_10_and_changes_nothing(customers):
    assert customers.run("diff", "people.csv", people=people(1, 2), code=10)["created"] == 2
    customers.sync(people(1, 2))
    assert customers.run("diff", "people.csv", "--prune")["unchanged"] == 2
    summary = customers.run("diff", "people.csv", "--prune", people=people(2, 3), code=10)
    assert (summary["created"], summary["deleted"], summary["unchanged"]) == (1, 1, 1)
    assert customers.run("diff", "people.csv", code=10)["deleted"] == 0
    dry = customers.sync(people(2, 3), "--dry-run")
    assert (dry["created"], dry["deleted"], dry["unchanged"]) == (1, 1, 1)
    assert customers.equals(people(1, 2))


def test_what_pushes_add_and_delete_is_known(customers):
    customers.run("push", "people.csv", people=people(1, 2, 3))
    customers.run("push", "people.csv", "--operation", "delete", people=people(3))
    summary = customers.sync(people(2, 3))
    assert (summary["created"], summary["deleted"], summary["unchanged"]) == (1, 1, 1)
    assert customers.equals(people(2, 3))


def test_who_was_pushed_to_be_added_later_is_not_on_the_list_yet(customers):
    soon, past = (f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}" for days in (40, -1))
    customers.run("push", "people.csv", "--effective-at", past, people=people(1))
    customers.run("push", "people.csv", "--effective-at", soon, people=people(2, 3))
    summary = customers.sync(people(1, 2, 4))
    assert (summary["created"], summary["updated"], summary["deleted"], summary["unchanged"]) == (1, 1, 1, 1)
    assert customers.equals(people(1, 2, 4)) and customers.sync(people(1, 2, 4))["requests"] == 0


def test_one_who_changes_one_of_two_identifiers_keeps_the_other(customers):
    customers.sync([person(1, phone=PHONES(1)), person(2, phone=PHONES(2))])
    changed = [person(7, phone=PHONES(1)), person(2, phone=PHONES(2))]
    summary = customers.sync(changed)
    assert customers.equals(changed)
    assert (summary["updated"], summary["unchanged"], summary["deleted"]) == (1, 1, 1)


def test_one_who_shares_an_identifier_with_one_who_leaves_stays(customers):
    both = [person(1, phone=PHONES(1)), person(2, phone=PHONES(1)), person(3)]
    customers.sync(both)
    customers.sync(both[1:])
    assert customers.equals(both[1:])
    assert customers.sync(both[1:])["requests"] == 0


def test_one_who_shares_an_identifier_is_added_again_after_a_deletion_in_another_request_has_ended(
    customers, monkeypatch
):
    send, is_added = UserUpload.send, threading.Event()

    def delete_late(self, client, batch):
        if is_deletion(batch.items[0].rows[0]):
            is_added.wait(0.5)  # in vain: additions wait for this request
            return send(self, client, batch)
        ack = send(self, client, batch)
        is_added.set()
        return ack

    for module in (operations, users):
        monkeypatch.setattr(module, "MAX_OPERATIONS", 1)
    both = [person(1, phone=PHONES(1)), person(2, phone=PHONES(1))]
    customers.sync(both)
    monkeypatch.setattr(UserUpload, "send", delete_late)
    assert customers.sync(both[1:])["deleted"] == 1 and is_added.is_set()
    assert customers.equals(both[1:])


def test_one_who_is_joined_to_others_when_one_of_these_leaves_is_not_sent_again(customers):
    other = person(2, device_id="2x")
    customers.sync([person(1, phone=PHONES(1), id="a"), other, person(3)])
    joined = [person(1, id="a"), person(4, id="a", device_id="2x"), other, person(3)]
    assert customers.sync(joined)["deleted"] == 1 and customers.equals(joined)
    assert customers.sync(joined)["requests"] == 0


def test_who_may_be_one_person_at_the_service_is_so_still_after_one_of_them_was_deleted(
    customers, monkeypatch
):
    customers.sync([person(1, handle="1x"), {"phone": PHONES(1), "id": "a"}, person(3)])
    with monkeypatch.context() as patch:
        patch.setattr(UserUpload, "send", lambda *args: 1 / 0)
        customers.sync([{"phone": PHONES(1), "handle": "1x"}, person(3)], code=1)  # they may be one now
    apart = [person(1), {"handle": "1x", "device_id": "2x"}, {"phone": PHONES(1)}, person(3)]
    customers.sync(apart)
    assert customers.equals(apart)
    assert customers.sync(apart)["requests"] == 0
    left = [user for user in apart if "handle" not in user]
    customers.sync(left)
    assert customers.equals(left)
    assert customers.sync(left)["requests"] == 0


def test_ids_of_ones_own_are_deleted_too(customers):
    customers.sync([{"id": f"customer-{n:030}"} for n in range(4)])
    left = [{"id": f"customer-{n:030}"} for n in range(1, 4)]
    assert customers.sync(left)["deleted"] == 1
    assert customers.equals(left)


def test_ids_of_ones_own_may_hold_quotes_and_commas(customers):
    for cells in (['x",', "y"], ['x",', "y", 'x",;y"z'], ["y", 'x",;x",;y"z']):
        quoted = [f'"{cell.replace(chr(34), 2 * chr(34))}"' for cell in cells]
        customers.adsctl.file("people.csv", "\n".join(["id", *quoted]) + "\n")
        customers.run("sync", "people.csv", "--prune", "--max-delete", "100%")
        assert customers.equals({"id": value} for cell in cells for value in cell.split(";"))


@pytest.fixture
def refused(monkeypatch) -> set[str]:
    """Hold hashes of addresses: the service refuses each operation with one of them, and its request."""
    bad = set[str]()
    read = audience_users._read_operations

    def refusing(context, request):
        found_operations = read(context, request)
        errors = [
            [{"code": "INVALID_PARAMETER", "index": number, "message": "is not accepted"}]
            if any(bad & {*(user.email or ())} for user in operation.params.users)
            else []
            for number, operation in enumerate(found_operations)
        ]
        if any(errors):
            raise OperationsError(errors, {"params": context.path_params})
        return found_operations

    monkeypatch.setattr(audience_users, "_read_operations", refusing)
    return bad


@pytest.mark.parametrize("is_last", [True, False])
def test_who_is_removed_with_one_who_leaves_is_added_again_though_others_are_refused(
    customers, refused, is_last
):
    customers.sync([person(1, phone="+4915112345001"), *people(2)])
    bad, ana = person(3), person(1, phone="+4915112345002")
    refused.add(digest("u3@x.de"))
    now = [ana, *people(2), bad] if is_last else [bad, *people(2), ana]
    customers.sync(now, code=9)
    assert customers.equals([ana, *people(2)])
    assert customers.sync([ana, *people(2)])["requests"] == 0


def test_who_is_removed_with_one_who_leaves_is_added_again_though_a_removal_is_refused(customers, refused):
    customers.sync([person(1, phone=PHONES(1)), *people(2, 3)])
    refused.add(digest("u3@x.de"))
    ana = person(1, phone=PHONES(2))
    customers.sync([ana, *people(2)], code=9)
    assert "1 user not deleted" in customers.said
    assert customers.equals([ana, *people(2, 3)])


def test_one_whom_several_rows_have_stays_until_the_last_of_them_leaves(customers):
    customers.sync([*people(1, 2, 3), person(4), person(4)])
    assert customers.sync([*people(1, 2, 3), person(4)])["deleted"] == 0
    assert customers.sync(people(1, 2, 3))["deleted"] == 1 and customers.equals(people(1, 2, 3))


def test_two_people_who_become_one_are_sent_as_one(customers):
    customers.sync([person(1), {"phone": PHONES(1)}, *people(2)])
    summary = customers.sync([person(1, phone=PHONES(1)), *people(2)])
    assert (summary["updated"], summary["unchanged"]) == (1, 1)


def test_who_was_refused_is_sent_again_though_the_list_has_all_their_identifiers(customers, refused):
    customers.sync([person(1), {"phone": PHONES(1)}])
    refused.add(digest("u1@x.de"))
    both = person(1, phone=PHONES(1))
    customers.sync([both], code=9)
    refused.clear()
    assert customers.sync([both])["updated"] == 1


def test_many_refused_operations_are_sent_in_requests_within_the_limits(customers, refused, monkeypatch):
    for module in (operations, users):
        monkeypatch.setattr(module, "MAX_OPERATIONS", 4)
    refused |= {digest(f"u{number}@x.de") for number in range(0, 40, 2)}
    words = ("push", "people.csv", "--users-per-operation", "10")
    customers.run(*words, code=9, people=people(*range(40)))
    assert customers.equals(people(*range(1, 40, 2)))


def test_blank_rows_are_no_rows_in_a_later_sync_either(customers, refused):
    def sync(*rows: str, code: int) -> dict:
        customers.adsctl.file("people.csv", "\n".join(["email,newsletter", *rows]) + "\n")
        words = ("--prune", "--max-delete", "100%", "--where", "newsletter=yes", "--failed-out", "failed.csv")
        return customers.run("sync", "people.csv", *words, "--force", code=code)

    rows = ["a@x.de,yes", *[","] * 5, "b@x.de,no", *[","] * 5, "c@x.de,yes"]
    assert (sync(*rows, code=0)["rows"], sync(*rows, code=0)["rows"]) == (3, 3)
    refused.add(digest("bad@x.de"))
    sync(*rows, "bad@x.de,yes", code=9)
    assert "people.csv:15" in customers.said
    assert (customers.adsctl.home / "failed.csv").read_text().splitlines()[1].startswith("bad@x.de,")


def test_nobody_of_an_invalid_row_is_deleted(customers):
    customers.sync([person(1, phone=PHONES(1)), person(2, phone=PHONES(2)), person(3)])
    broken = [person(1, phone="12"), person(3)]
    customers.sync(broken, code=3)
    assert customers.sync(broken, "--skip-invalid", code=9)["deleted"] == 1
    assert customers.equals([person(1, phone=PHONES(1)), person(3)])


def test_who_is_sent_without_a_wrong_identifier_loses_the_earlier_one(customers):
    customers.sync([person(1, phone=PHONES(1)), person(3)])
    summary = customers.sync([person(1, phone="12"), person(3)], "--keep-partial")
    assert (summary["deleted"], summary["updated"]) == (1, 1) and customers.equals(people(1, 3))


def test_nobody_is_deleted_where_a_row_may_be_anybodys(customers):
    customers.sync(people(1, 2))
    customers.sync([{"email": "u1@"}, person(2)], "--skip-invalid", code=9)
    assert customers.equals(people(1, 2)) and "not deleted" in customers.said
    customers.sync([person(9, phone="12"), person(2)], "--keep-partial", code=9)
    assert customers.equals(people(1, 2, 9)) and "not deleted" in customers.said


@pytest.mark.parametrize(
    ("row", "deleted"),
    [("u1@", 0), ("u4@x.de,,x", 0), ("u1@x.de,12", 1), (" ,", 2), (",,", 2)],
)
def test_the_file_is_not_read_again_for_whom_an_invalid_row_may_be_of(customers, monkeypatch, row, deleted):
    words = ("sync", "people.csv", "--prune", "--max-delete", "100%", "--skip-invalid")
    customers.run(*words, people=people(1, 2, 3))
    monkeypatch.setattr(ListPacker, "checked_rows", lambda *args: 1 / 0)
    customers.adsctl.file("people.csv", f"email,phone\nu3@x.de,\n{row}\n")
    assert customers.run(*words, code=0 if deleted == 2 else 9)["deleted"] == deleted


@pytest.mark.parametrize("left", [people(2), people(1, 2)])
def test_whom_a_push_removes_later_stays_in_the_ledger_until_then(customers, left):
    customers.sync(people(1, 2))
    later = f"{datetime.now(UTC) + timedelta(days=3):%Y-%m-%dT%H:%M:%SZ}"
    words = ("push", "people.csv", "--operation", "delete", "--effective-at", later)
    customers.run(*words, people=people(1))
    (ledger,) = json.loads(customers.adsctl.local("audiences", "remembered", "-o", "json").stdout)
    assert (ledger["people"], ledger["uncertain"], ledger["state"]) == (2, 1, "current")
    summary = customers.sync(left)
    assert (summary["deleted"], summary["updated"]) == ((0, 1) if len(left) == 2 else (1, 0))
    assert summary["created"] == 0 and customers.equals(left)


def test_more_than_max_delete_is_refused_and_so_are_fewer_than_min_rows(customers):
    customers.sync(people(*range(20)))
    customers.run("sync", "people.csv", "--prune", people=people(*range(3, 21)), code=12)
    assert "3 of 20 acknowledged people" in customers.said and customers.equals(people(*range(20)))
    customers.run("sync", "people.csv", "--prune", people=people(*range(2, 20)))
    assert customers.equals(people(*range(2, 20)))
    customers.sync(people(2), "--min-rows", "50%", code=12)
    assert customers.equals(people(*range(2, 20)))


def test_a_file_that_a_pattern_no_longer_matches_is_a_loss_for_min_rows(customers):
    folder = customers.adsctl.home / "parts"
    folder.mkdir()
    for number in range(3):
        rows = (f"u{person}@x.de\n" for person in range(10 * number, 10 * number + 10))
        (folder / f"{number}.csv").write_text("email\n" + "".join(rows))
    sync = ("audiences", "sync", "parts/*.csv", "--audience", customers.audience, "--prune", "--yes")
    limits = ("--max-delete", "100%", "--min-rows", "70%")
    assert "no last push of parts" in customers.adsctl.local(*sync, *limits).stderr
    for missing, rows in ((2, 20), (1, 10)):  # of the last file that is left too
        (folder / f"{missing}.csv").unlink()
        said = customers.adsctl.local(*sync, *limits, code=12).stderr
        assert f"{rows} rows" in said and "of the 30 of the last sync with --prune" in said
    assert customers.equals(people(*range(30)))


def test_deleting_needs_yes(customers):
    customers.sync(people(1, 2))
    customers.write(people(1))
    words = ("audiences", "sync", "people.csv", "--audience", customers.audience, "--prune")
    customers.adsctl.local(*words, "--max-delete", "100%", code=12)
    assert customers.equals(people(1, 2))


def test_who_withdraws_consent_is_deleted(customers):
    rows = "email,Newsletter\nu1@x.de,{}\nu2@x.de,yes\n"
    words = ("sync", "people.csv", "--prune", "--max-delete", "100%", "--where", "Newsletter=yes")
    customers.adsctl.file("people.csv", rows.format("yes"))
    customers.run(*words)
    assert customers.equals(people(1, 2))
    customers.adsctl.file("people.csv", rows.format("no"))
    customers.run(*words)
    assert customers.equals(people(2))


def test_several_files_are_one_list(customers):
    customers.write(people(1, 2), "a.csv")
    customers.write(people(3), "b.csv")
    words = ("--prune", "--max-delete", "100%")
    assert customers.run("sync", "a.csv", "b.csv", *words)["created"] == 3
    customers.write(people(4), "b.csv")
    summary = customers.run("sync", "a.csv", "b.csv", *words)
    assert (summary["created"], summary["deleted"], summary["unchanged"]) == (1, 1, 2)
    assert customers.equals(people(1, 2, 4))


def test_a_column_that_says_what_to_do_with_each_person_is_refused(customers):
    customers.adsctl.file("people.csv", "email,operation_type\nu1@x.de,Delete\n")
    customers.run("sync", "people.csv", code=3)
    customers.run("diff", "people.csv", code=3)
    assert "--ignore" in customers.said and not customers.members


def test_a_do_not_reach_list_is_synced_too(adsctl):
    adsctl.file("people.csv", "email\nu1@x.de\nu2@x.de\n")
    words = (
        "audiences",
        "do-not-reach",
        "sync",
        "people.csv",
        "--list",
        "3k1a7",
        "--prune",
        "-y",
        "-o",
        "json",
    )
    assert json.loads(adsctl.local(*words).stdout)["created"] == 2
    adsctl.file("people.csv", "email\nu2@x.de\n")
    diff = adsctl.local(
        "audiences", "do-not-reach", "diff", "people.csv", "--list", "3k1a7", "--prune", code=10
    )
    assert "1" in diff.stdout
    assert json.loads(adsctl.local(*words, "--max-delete", "1").stdout)["deleted"] == 1


def remembered(customers: List) -> list[dict]:
    return json.loads(customers.adsctl.local("audiences", "remembered", "-o", "json").stdout)


def test_remembered_counts_people_and_forget_removes_them(customers):
    assert remembered(customers) == []
    customers.sync([person(1, phone=PHONES(1)), person(2)])
    (ledger,) = remembered(customers)
    assert (ledger["target"], ledger["people"], ledger["identifiers"]) == (customers.audience, 2, 3)
    assert ledger["uncertain"] == 0 and ledger["state"] == "current" and ledger["changed"]
    customers.adsctl.local("audiences", "forget", "--audience", customers.audience, code=12)
    customers.adsctl.local("audiences", "forget", "--audience", customers.audience, "-y")
    assert remembered(customers) == [] and len(customers.members) == 3
    customers.adsctl.local("audiences", "forget", "--audience", customers.audience, "-y", code=5)
    assert customers.sync(people(1))["created"] == 1


def test_jobs_clean_names_ledgers_that_are_outdated(customers, monkeypatch):
    customers.sync(people(1))
    assert customers.audience not in customers.adsctl.local("jobs", "clean").stderr
    monkeypatch.setattr("ads_cli.commands.runs.jobs.FORGOTTEN_DAYS", -1)
    assert (
        f"({customers.audience}); adsctl audiences forget" in customers.adsctl.local("jobs", "clean").stderr
    )


def test_jobs_clean_names_no_list_whose_first_job_is_running(customers):
    state = customers.adsctl.home / "state"
    place = UploadTarget("local", "custom_audience", customers.audience)
    lock = try_lock(job_lock(state, "job"))
    Ledger(state, place).begin("job", "", "")
    assert customers.audience not in customers.adsctl.local("jobs", "clean").stderr
    lock.release()


def test_a_list_to_which_people_are_being_sent_is_not_forgotten(customers, monkeypatch):
    customers.sync(people(1))
    state, confirm = customers.adsctl.home / "state", Invocation.confirm
    (service,) = stored(customers.adsctl, "SELECT service FROM lists")
    ledger = Ledger(state, UploadTarget(service, "custom_audience", customers.audience))
    lock = try_lock(job_lock(state, "job"))

    def begin_meanwhile(call, *args, **options):
        ledger.begin("job", "", "")
        confirm(call, *args, **options)

    monkeypatch.setattr(Invocation, "confirm", begin_meanwhile)
    words = ("audiences", "forget", "--audience", customers.audience, "-y")
    for _ in range(2):
        assert "is being changed" in customers.adsctl.local(*words, code=11).stderr
        assert remembered(customers)[0]["people"] == 1
    lock.release()
    customers.adsctl.local(*words)
    assert remembered(customers) == []


def test_nothing_in_the_state_folder_tells_of_somebody_without_the_key(customers):
    """A batch of one person has one digest in the journal, which anybody could compute without a key."""
    body = {"operation_type": "Update", "params": {"users": [{"email": [digest("u1@x.de")]}]}}
    plain = blake2b(array("q", [1]), digest_size=8)
    plain.update(json.dumps([body], separators=(",", ":")).encode())
    customers.run("push", "people.csv", people=people(1))
    customers.sync(people(1, 2))
    stored = b"".join(
        path.read_bytes()
        for path in (customers.adsctl.home / "state").rglob("*")
        if path.is_file() and not path.name.startswith("emulator")
    )
    known = (digest("u1@x.de"), plain.hexdigest(), "u1@x.de")
    known += tuple(digest(as_csv(people(*text))) for text in ([1], [1, 2]))
    assert customers.members and not any(text.encode() in stored for text in known)
    assert bytes.fromhex(known[0]) not in stored
