"""Lists of people, pushed to a service that is as strict as the specification lets it be."""

import json
import time

import pytest
from werkzeug import Response

from ads_cli.audiences import operations, packing

from .conftest import USERS, digest


def people(count: int) -> str:
    return "email\n" + "".join(f"user{n}@x.de\n" for n in range(count))


PUSH = ("audiences", "push", "people.csv", "--audience", "aud", "-o", "json")


def test_a_list_needs_few_requests_and_every_user_is_sent(shop, audience, monkeypatch):
    """Of 50 kB, as `long_lists.py` has it of 5 MB."""
    for module in (operations, packing):
        monkeypatch.setattr(module, "MAX_BODY_BYTES", 50_000)
    require_two_requests(shop, audience, 690, 50_000)


def require_two_requests(shop, audience, count: int, max_body_bytes: int) -> None:
    shop.file("people.csv", people(count))
    summary = json.loads(shop(*PUSH).stdout)
    assert audience.users == {digest(f"user{n}@x.de") for n in range(count)}
    assert len(audience.bodies) == summary["requests"] == summary["batches"] == 2
    assert max(audience.sizes) <= max_body_bytes
    keys = "job rows valid invalid batches users accepted failed requests retries seconds"
    assert list(summary) == keys.split()
    assert summary["users"] == summary["accepted"] == count and summary["failed"] == 0


def test_users_per_operation_limits_the_users_of_an_operation(shop, audience):
    shop.file("people.csv", people(2501))
    shop(*PUSH, "--users-per-operation", "1")
    assert sorted(map(len, audience.bodies)) == [1, 2500]
    assert len(audience.users) == 2501


@pytest.mark.parametrize("flat", [False, True])
def test_rejected_users_are_found_and_all_others_are_accepted(shop, audience, flat):
    audience.flat = flat
    audience.bad = {digest("user7@x.de"), digest("user8@x.de"), digest("user400@x.de")}
    shop.file("people.csv", people(500))
    done = shop(*PUSH, "--failed-out", "failed.csv", code=9)
    summary = json.loads(done.stdout)
    assert (summary["accepted"], summary["failed"]) == (497, 3)
    assert audience.users == {digest(f"user{n}@x.de") for n in range(500)} - audience.bad
    failed = (shop.home / "failed.csv").read_text().splitlines()
    assert failed == [
        "email,_line,_error",
        *(f"user{n}@x.de,{n + 2},no such person" for n in (7, 8, 400)),
    ]
    assert (shop.home / "failed.csv").stat().st_mode & 0o777 == 0o644
    assert "others can read it too" in done.stderr and "lines 9, 10, 402" in done.stderr


@pytest.mark.parametrize("kind", ["message", "operation", "page", "long"])
def test_nobody_is_named_where_the_service_quotes_what_it_was_sent(shop, httpserver, kind):
    shop.file("people.csv", "email,no\nana@x.de,Ana-Müller-1\nbob@x.de,4711\n")
    padding = "x" * (280 if kind == "long" else 0)

    def quote(request):
        users = json.dumps(
            [operation["params"]["users"] for operation in json.loads(request.data)], ensure_ascii=False
        )
        error = {"code": "INVALID_PARAMETER", "message": f"{padding} bad ana@x.de: {users}"}
        if kind == "page":
            return Response(f"<html>{users}", 502, content_type="text/html")
        many = [[error] for _ in json.loads(request.data)] if kind == "operation" else []
        return Response(json.dumps({"errors": [error], "operation_errors": many}), 400)

    httpserver.expect_request(USERS, method="POST").respond_with_handler(quote)
    words = ("--map", "no=partner_user_id", "--max-attempts", "1", "--log-file", "log.txt", "--debug")
    done = shop(*PUSH, *words, code={"operation": 9, "page": 8}.get(kind, 6))
    assert "***" in done.stderr
    states = [path.read_text(errors="replace") for path in (shop.home / "state").glob("state.db*")]
    assert states
    for text in (done.stderr, done.stdout, (shop.home / "log.txt").read_text(), *states):
        for person in (
            "ana@",
            "Müller",
            "M\\u00fcller",
            "4711",
            digest("ana@x.de")[:12],
            digest("bob@x.de")[:12],
        ):
            assert person not in text


def test_a_request_with_a_wrong_count_is_sent_again(shop, audience):
    audience.miscount = 2
    shop.file("people.csv", people(10))
    shop(*PUSH)
    assert len(audience.bodies) == 3
    audience.miscount = 10
    done = shop(*PUSH, "--max-attempts", "2", code=8)
    assert "counts 9 of 10" in done.stderr and "--resume" in done.stderr


def test_users_can_be_removed_and_times_are_validated(shop, audience):
    shop.file("people.csv", people(3))
    shop(*PUSH, "--effective-at", "2027-03-01T00:00:00+01:00", "--expires-at", "2027-04-01T00:00:00Z")
    params = audience.bodies[0][0]["params"]
    assert (params["effective_at"], params["expires_at"]) == ("2027-02-28T23:00:00Z", "2027-04-01T00:00:00Z")
    shop(*PUSH, "--operation", "delete")
    assert audience.bodies[1][0]["operation_type"] == "Delete" and not audience.users
    late = shop(
        *PUSH, "--effective-at", "2027-05-01T00:00:00Z", "--expires-at", "2027-04-01T00:00:00Z", code=2
    )
    assert "--expires-at: must be later than effective_at" in late.stderr
    moment = "2027-05-01T00:00:00Z"
    late = shop(*PUSH, "--effective-at", moment, "--expires-at", moment, code=2)
    assert "--expires-at: must be later than effective_at" in late.stderr
    past = ("--effective-at", "2020-03-01T00:00:00Z", "--expires-at", "2021-03-01T00:00:00Z")
    assert "--expires-at: must be later than now" in shop(*PUSH, *past, code=2).stderr
    assert "--effective-at: is not a time" in shop(*PUSH, "--effective-at", "tomorrow", code=2).stderr


def test_a_document_of_operations_may_mix_updates_and_deletes(shop, audience):
    audience.users = {digest("gone@x.de")}
    operations = [
        {"operation_type": "Update", "params": {"users": [{"email": ["New@x.de"]}, {"email": ["two@x.de"]}]}},
        {"operation_type": "Delete", "params": {"users": [{"email": [digest("gone@x.de")]}]}},
    ]
    shop.file("people.json", json.dumps(operations))
    shop("audiences", "push", "people.json", "--audience", "aud")
    assert audience.users == {digest("new@x.de"), digest("two@x.de")}
    shop.file(
        "people.yaml",
        "operations:\n- operation_type: Delete\n  params:\n    users:\n    - email: [new@x.de]\n",
    )
    shop("audiences", "push", "people.yaml", "--audience", "aud")
    assert audience.users == {digest("two@x.de")}


@pytest.mark.parametrize("name", ["operation_type", "effective_at", "expires_at"])
@pytest.mark.parametrize("value", [["2030-01-01T00:00:00Z"], {"at": 1}])
def test_a_parameter_that_is_no_text_makes_its_row_invalid(shop, name, value):
    rows = [{"email": "a@x.de", name: value}, {"email": "b@x.de"}]
    shop.file("people.json", json.dumps(rows))
    assert f"\n{name}\t1\tis not " in shop("audiences", "check", "people.json", code=3).stdout


def test_a_do_not_reach_list_takes_emails_and_phone_numbers_only(shop, audience):
    shop.file("people.csv", "email,phone,handle\na@x.de,+4917012345678,@a\n")
    done = shop("audiences", "do-not-reach", "push", "people.csv", "--list", "dnr", "-o", "json")
    assert json.loads(done.stdout)["accepted"] == 1 and "'handle'" in done.stderr
    (user,) = audience.bodies[0][0]["params"]["users"]
    assert set(user) == {"email", "phone_number"}
    words = ("audiences", "do-not-reach", "push", "people.csv", "--list", "dnr")
    shop.file("handles.csv", "email,phone,handle\n,,@a\n")
    nobody = shop(*words[:3], "handles.csv", *words[4:], code=3)
    assert "has no identifier: email, phone_number\n" in nobody.stderr
    past = shop(*words, "--expires-at", "2020-01-01T00:00:00Z", code=2)
    assert "--expires-at: must be later than now" in past.stderr


TIME = "2030-01-01T00:00:00Z"
OPERATION = {"operation_type": "Update", "params": {"effective_at": TIME, "users": [{"email": ["a@x.de"]}]}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("people.csv", f"email,effective_at\na@x.de,{TIME}\n"),
        ("people.csv", f"email,Effective At\na@x.de,{TIME}\n"),
        ("people.json", json.dumps([{"email": "b@x.de"}, {"email": "a@x.de", "effective_at": TIME}])),
        ("people.json", json.dumps([OPERATION])),
    ],
)
def test_a_time_that_a_do_not_reach_list_cannot_keep_is_refused(shop, audience, name, content):
    shop.file(name, content)
    words = ("audiences", "do-not-reach", "push", name, "--list", "dnr")
    refused = shop(*words, code=3).stderr
    assert "effective_at: this list adds people at once" in refused and not audience.bodies
    shop(*words, "--ignore", "Effective At" if "Effective At" in content else "effective_at")
    assert audience.bodies


def test_a_column_of_times_that_is_empty_is_no_reason_to_refuse_a_list(shop, audience):
    shop.file("people.csv", "email,effective_at\na@x.de,\n")
    shop("audiences", "do-not-reach", "push", "people.csv", "--list", "dnr")
    assert audience.bodies


def test_headers_of_exports_are_known_and_reported(shop, audience):
    shop.file("people.csv", "E-mail;Mobile;Partner User ID;Town\na@x.de;+4917012345678;k1;Kiel\n")
    done = shop(*PUSH)
    (user,) = audience.bodies[0][0]["params"]["users"]
    assert set(user) == {"email", "phone_number", "partner_user_id"} and user["partner_user_id"] == ["k1"]
    assert "'E-mail' is read as email" in done.stderr and "'Town'" in done.stderr
    shop.file("people.csv", "Contact\na@x.de\n")
    shop(*PUSH, code=3)
    shop(*PUSH, "--map", "Contact=email")


SECRETS = ("geheim.person@example.com", "+491701234567", "kunde-4711")


def test_no_identifier_is_in_any_output(shop, audience):
    """Not by --debug, not in errors, not in the journal, and not where the header is missing."""
    audience.bad = {digest(SECRETS[0])}
    shop.file(
        "people.csv", "email,phone_number,partner_user_id\n" + ",".join(SECRETS) + "\nbad mail,,kunde-4711\n"
    )
    shop.file("headless.csv", f"{SECRETS[0]}\n{SECRETS[0]}\n")
    shop.file("latin.csv", f"email\n{SECRETS[0]} ü\n".encode("latin-1"))
    shop.file("broken.jsonl", f'{{"email": ["{SECRETS[0]}"]}}\n"{SECRETS[0]}"\n{SECRETS[0]}\n')
    written = ""
    for file in ("people.csv", "headless.csv", "latin.csv", "broken.jsonl"):
        for command in (("push", file, "--audience", "aud", "--skip-invalid"), ("check", file)):
            done = shop("audiences", *command, "-v", "--debug", "--log-file", "log", code=None)
            assert done.returncode in (3, 9), done.stderr
            written += done.stdout + done.stderr
    for path in shop.home.rglob("*"):
        if path.is_file() and path.suffix not in (".csv",) and path.name != "broken.jsonl":
            written += path.read_bytes().decode("utf-8", "replace")
    for secret in SECRETS:
        assert secret not in written


def test_check_and_hash_work_offline(adsctl):
    adsctl.file("people.csv", people(3) + f"{digest('x')}\nnobody\n")
    done = adsctl("audiences", "check", "people.csv", code=3)
    assert "people.csv: email: 1 value came hashed and 3 did not" in done.stderr
    adsctl.file("people.csv", people(3))
    adsctl("audiences", "hash", "people.csv", "hashed.csv")
    assert (adsctl.home / "hashed.csv").read_text().splitlines() == [
        "email",
        *(digest(f"user{n}@x.de") for n in range(3)),
    ]
    assert adsctl("audiences", "hash", "hashed.csv").stdout == (adsctl.home / "hashed.csv").read_text()


def test_a_list_with_mistakes_is_hashed_only_with_skip_invalid(adsctl):
    adsctl.file("people.csv", people(2) + "nobody\n")
    hashing = ("audiences", "hash", "people.csv", "hashed.csv")
    assert "--skip-invalid" in adsctl(*hashing, code=3).stderr
    assert not (adsctl.home / "hashed.csv").exists()
    done = adsctl(*hashing, "--skip-invalid", "--failed-out", "failed.csv", code=9)
    assert "hashed.csv: 2 people" in done.stderr and "1 of 3 rows invalid and not written" in done.stderr
    assert "not sent" not in done.stderr
    hashed = [digest(f"user{n}@x.de") for n in range(2)]
    assert (adsctl.home / "hashed.csv").read_text().splitlines() == ["email", *hashed]
    failed = adsctl.home / "failed.csv"
    assert "nobody" in failed.read_text() and failed.stat().st_mode & 0o777 == 0o644


def test_a_killed_push_resumes_and_the_audience_equals_the_file(adsctl, service):
    """Against the emulator, which counts distinct people."""
    adsctl.file("people.csv", people(5001))

    def held() -> int:
        return next(
            record["users"] for record in service.emulator.data.audiences() if record["id"] == "1nmth"
        )

    before = held()
    words = ("audiences", "push", "people.csv", "--audience", "1nmth", "--users-per-operation", "1")
    process = adsctl.beside(*words)
    while held() == before and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    done = json.loads(adsctl(*words, "--resume", "-o", "json").stdout)
    assert held() == before + 5001
    assert done["accepted"] == 5001 and done["batches"] == 3


def test_hashing_never_overwrites_the_list_and_says_what_stays_as_it_is(adsctl):
    adsctl.file("people.csv", "email,partner_user_id\na@x.de,K-1\n")
    refused = adsctl("audiences", "hash", "people.csv", "./people.csv", code=2).stderr
    assert "is the input file" in refused and "K-1" in (adsctl.home / "people.csv").read_text()
    said = adsctl("audiences", "hash", "people.csv", "hashed.csv").stderr
    assert "every identifier hashed but partner_user_id" in said
    assert "K-1" in (adsctl.home / "hashed.csv").read_text()
    said = adsctl("audiences", "check", "people.csv").stderr
    assert "partner_user_id: 1 sent as they are" in said and "email: 1 to be hashed, 0 hashed already" in said


def test_a_country_that_there_is_not_is_refused(adsctl):
    adsctl.file("people.csv", "phone\n0170 1234567\n")
    assert (
        "--region: XX is not a country code"
        in adsctl("audiences", "check", "people.csv", "--region", "xx", code=2).stderr
    )
    adsctl("audiences", "check", "people.csv", "--region", "de")


def test_a_missing_audience_is_reported_without_a_resume_command(adsctl):
    adsctl.file("people.csv", people(3))
    refused = adsctl.local("audiences", "push", "people.csv", "--audience", "nonesuch", code=5).stderr
    assert "--resume" not in refused


def test_an_answer_that_rejects_an_operation_that_was_not_sent_is_not_understood(shop, audience):
    audience.bad, audience.shift = {digest("user1@x.de")}, 5
    audience.flat = True
    shop.file("people.csv", people(3))
    done = shop(*PUSH, code=8)
    assert "it rejects operation 5, counted from 0, of 1" in done.stderr and len(audience.bodies) == 1
