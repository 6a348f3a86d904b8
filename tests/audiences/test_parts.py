"""A list in several files: each is sent as a whole before the next, and never again by the same job."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter

import pytest
from msgspec.structs import replace

from ads_cli.api.rates import AUDIENCE_USERS
from ads_cli.api.users import UpdateAudienceUsers
from tests.adsctl import MEASURED
from tests.effort import tries

from .conftest import digest
from .parts import PUSH, everybody, jobs, people, person, write_parts

MOST_MEGABYTES = 60


def sent_twice(audience) -> set[str]:
    sent = Counter(
        value
        for body in audience.bodies
        for one in body
        for user in one["params"]["users"]
        for value in user["email"]
    )
    return {value for value, count in sent.items() if count > 1}


@pytest.mark.parametrize("words", [["people/*.csv"], ["people/part-000.csv", "people/part-00[12].csv"]])
def test_files_and_patterns_are_sent_as_one_job_with_the_totals_of_all(shop, audience, words):
    write_parts(shop, 3)
    summary = json.loads(shop(*PUSH, *words).stdout)
    assert audience.users == everybody(3)
    keys = "job rows valid invalid batches parts users accepted failed requests retries seconds"
    assert list(summary) == keys.split()
    assert (summary["parts"], summary["batches"], summary["requests"]) == (3, 3, 3)
    assert summary["rows"] == summary["users"] == summary["accepted"] == 30
    (job,) = jobs(shop)
    assert (job["state"], job["parts"], job["parts_sent"], job["rows"], job["sent"]) == (
        "ended",
        3,
        3,
        30,
        30,
    )
    assert job["file"] == ", ".join(words)
    shown = json.loads(shop("jobs", "show", job["job"], "-o", "json").stdout)
    assert shown["counts"] == {"accepted": 30, "failed": 0}


def test_progress_names_the_file_that_is_sent(shop, audience, monkeypatch):
    monkeypatch.setattr("ads_cli.console.progress.LINE_INTERVAL_SECONDS", 0.01)
    write_parts(shop, 12)
    said = shop(*PUSH, "people/*.csv").stderr
    assert re.search(r"Pushing users, file \d+ of 12: \d+\n", said) and " of 12 rows" not in said


def test_a_do_not_reach_list_takes_several_files_too(shop, audience):
    write_parts(shop, 2)
    words = ("audiences", "do-not-reach", "push", "people/*.csv", "--list", "dnr", "-o", "json")
    assert json.loads(shop(*words).stdout)["accepted"] == 20
    assert audience.users == everybody(2)


def test_a_push_that_stops_resumes_in_the_file_where_it_stopped(shop, audience):
    write_parts(shop, 12)
    audience.fails_after = 7
    stopped = shop(*PUSH, "people/*.csv", code=8)
    assert "resume with: adsctl audiences push" in stopped.stderr
    (job,) = jobs(shop)
    assert (job["state"], job["parts"], job["parts_sent"]) == ("unfinished", 12, 7)
    audience.fails_after = None
    done = shop(*PUSH, "people/*.csv", "--resume")
    summary = json.loads(done.stdout)
    assert "7 of 12 files, and 7 batches, are acknowledged" in done.stderr
    assert audience.users == everybody(12) and sent_twice(audience) == set()
    assert (summary["accepted"], summary["rows"], summary["requests"]) == (120, 120, 5)


def test_who_was_sent_without_an_invalid_identifier_is_counted_in_a_resumed_push_too(shop, audience):
    (shop.home / "people").mkdir()
    for number in range(3):
        shop.file(f"people/{number}.csv", f"email,phone\na{number}@x.de,12\nb{number}@x.de,\n")
    audience.fails_after = 2
    shop(*PUSH, "people/*.csv", "--keep-partial", code=8)
    audience.fails_after = None
    done = shop(*PUSH, "people/*.csv", "--keep-partial", "--resume")
    assert (json.loads(done.stdout)["rows"], json.loads(done.stdout)["partial"]) == (6, 3)


def test_within_a_file_only_what_is_not_acknowledged_is_sent_again(shop, audience):
    write_parts(shop, 3, count=2600)
    words = (*PUSH, "people/*.csv", "--users-per-operation", "1")  # two requests for each file
    audience.fails_after = 3
    shop(*words, code=8)
    audience.fails_after = None
    summary = json.loads(shop(*words, "--resume").stdout)
    assert (summary["requests"], summary["batches"], summary["accepted"]) == (3, 6, 7800)
    assert audience.users == everybody(3, 2600) and sent_twice(audience) == set()


def test_a_killed_push_sends_no_file_again_that_was_acknowledged(shop, audience):
    write_parts(shop, 40, count=20)
    process = shop.beside(*PUSH, "people/*.csv")
    while len(audience.bodies) < 15:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.kill()
    process.wait()
    process.stdout.close(), process.stderr.close()
    (job,) = jobs(shop)
    before = len(audience.bodies)
    assert job["state"] == "unfinished" and 14 <= job["parts_sent"] <= before
    summary = json.loads(shop(*PUSH, "people/*.csv", "--resume").stdout)
    assert summary["accepted"] == 800 and audience.users == everybody(40, 20)
    assert summary["requests"] <= 40 - job["parts_sent"]


def test_files_that_changed_since_they_were_sent_are_named_and_not_sent_again(shop, audience):
    write_parts(shop, 4)
    audience.fails_after = 3
    shop(*PUSH, "people/*.csv", code=8)
    audience.fails_after = None
    shop.file("people/part-001.csv", people(99))
    os.utime(shop.home / "people/part-000.csv")  # touched, and the same
    done = shop(*PUSH, "people/*.csv", "--resume")
    assert "1 file changed after being sent" in done.stderr and "part-001.csv" in done.stderr
    assert "part-000.csv" not in done.stderr
    assert audience.users == everybody(4) and json.loads(done.stdout)["requests"] == 1


def test_a_file_that_changed_in_the_middle_is_sent_from_its_beginning(shop, audience):
    write_parts(shop, 2, count=2600)
    words = (*PUSH, "people/*.csv", "--users-per-operation", "1")
    audience.fails_after = 1
    shop(*words, code=8)
    audience.fails_after = None
    shop.file("people/part-000.csv", people(7, 100))
    summary = json.loads(shop(*words, "--resume").stdout)
    assert (summary["rows"], summary["accepted"], summary["batches"]) == (2700, 2700, 3)


def test_what_was_acknowledged_of_a_file_that_became_shorter_is_not_listed_as_sent(shop, audience):
    write_parts(shop, 2, count=5100)
    words = (*PUSH, "people/*.csv", "--users-per-operation", "1")  # three requests for each file
    audience.fails_after = 5
    shop(*words, code=8)
    audience.fails_after = None
    shop.file("people/part-001.csv", people(1, 100))
    summary = json.loads(shop(*words, "--resume").stdout)
    (job,) = jobs(shop)
    assert summary["accepted"] == job["sent"] == 5200 and summary["batches"] == job["acknowledged"] == 4


def test_a_file_that_appears_later_is_sent_with_the_rest(shop, audience):
    write_parts(shop, 2)
    audience.fails_after = 1
    shop(*PUSH, "people/*.csv", code=8)
    audience.fails_after = None
    write_parts(shop, 5)
    summary = json.loads(shop(*PUSH, "people/*.csv", "--resume").stdout)
    assert summary["requests"] == 4 and audience.users == everybody(5)


def test_the_rejections_of_a_list_are_its_own_where_another_appears_before_it(shop, audience):
    (shop.home / "people").mkdir()
    shop.file("people/part-000.csv", people(0))
    shop.file("people/part-002.csv", people(2, 6000))  # three requests
    audience.bad = {digest(person(2, 3000))}  # in the second
    words = (*PUSH, "people/*.csv", "--users-per-operation", "1", "--failed-out", "out.csv")
    audience.fails_after = 4
    shop(*words, code=8)
    audience.fails_after = None
    shop.file("people/part-001.csv", people(1))
    shop(*words, "--resume", code=9)
    assert person(2, 3000) in (shop.home / "out.csv").read_text()


def test_max_errors_leaves_the_other_files_for_a_later_run(shop, audience):
    audience.bad = {digest(person(0, 3))}
    write_parts(shop, 3)
    stopped = shop(*PUSH, "people/*.csv", "--max-errors", "1", code=9)
    assert "stopped early" in stopped.stderr and jobs(shop)[0]["state"] == "unfinished"
    audience.bad = set()
    summary = json.loads(shop(*PUSH, "people/*.csv", "--resume", code=9).stdout)
    assert (summary["accepted"], summary["failed"]) == (29, 1)


def test_something_else_that_is_sent_to_the_audience_ends_the_job(shop, audience):
    write_parts(shop, 3)
    audience.fails_after = 2
    shop(*PUSH, "people/*.csv", code=8)
    audience.fails_after = None
    shop.file("other.csv", people(9))
    shop(*PUSH, "other.csv")
    done = shop(*PUSH, "people/*.csv", "--resume")
    assert "something else may have been sent to the same place" in done.stderr
    assert json.loads(done.stdout)["requests"] == 3


def test_memory_does_not_grow_with_the_number_of_files(shop, audience):
    write_parts(shop, tries(120, 1000))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *PUSH, "people/*.csv", "-q"],
        capture_output=True,
        env=shop.environment,
        cwd=shop.home,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.splitlines()[-1]) / 1024 < MOST_MEGABYTES


def test_a_push_is_resumed_from_another_folder(shop, audience):
    write_parts(shop, 4)
    audience.fails_after = 2
    shop(*PUSH, "people/*.csv", code=8)
    audience.fails_after = None
    home, shop.home = shop.home, shop.home / "people"
    try:
        summary = json.loads(shop(*PUSH, "../people/*.csv", "--resume", **folders_of(home)).stdout)
    finally:
        shop.home = home
    assert (summary["requests"], summary["rows"]) == (2, 40) and audience.users == everybody(4)


def folders_of(home) -> dict[str, str]:
    return {"ADSCTL_STATE_DIR": str(home / "state"), "ADSCTL_CONFIG_DIR": str(home / "config")}


def test_a_damaged_note_of_a_file_costs_a_reading_and_no_request(shop, audience):
    write_parts(shop, 9)
    audience.fails_after = 6
    shop(*PUSH, "people/*.csv", code=8)
    (journal,) = (shop.home / "state" / "jobs").glob("*.jsonl")
    content = journal.read_bytes()
    assert content.count(b"part-002.csv") == 1
    journal.write_bytes(content.replace(b"part-002.csv", b"part-902.csv"))
    audience.fails_after = 8
    shop(*PUSH, "people/*.csv", "--resume", code=8)
    audience.fails_after = None
    summary = json.loads(shop(*PUSH, "people/*.csv", "--resume").stdout)
    assert audience.users == everybody(9) and sent_twice(audience) == set()
    assert (summary["rows"], summary["accepted"], summary["batches"]) == (90, 90, 9)
    assert jobs(shop)[0]["rows"] == 90


def test_the_limit_of_the_account_is_kept_over_all_files(shop, audience, monkeypatch):
    rate = replace(AUDIENCE_USERS, requests=4, seconds=0.3)
    monkeypatch.setitem(UpdateAudienceUsers.endpoint.rates, "generic", rate)
    times: list[float] = []
    audience.on_request = lambda: times.append(time.monotonic())
    write_parts(shop, 10)
    shop(*PUSH, "people/*.csv")
    assert len(times) == 10
    pairs = zip(times, times[rate.requests :], strict=False)
    assert all(last - first >= rate.seconds for first, last in pairs)


def test_files_that_differ_only_in_the_query_of_their_address_are_both_sent(shop, audience, httpserver):
    for part in "12":
        shown = httpserver.expect_request("/people.csv", method="GET", query_string=f"part={part}")
        shown.respond_with_data(f"email\np{part}@x.de\n")
    words = [httpserver.url_for(f"/people.csv?part={part}") for part in "12"]
    audience.fails_after = 1
    shop(*PUSH, *words, "--max-attempts", "1", code=8)
    assert audience.users == {digest("p1@x.de")}
    audience.fails_after = None
    summary = json.loads(shop(*PUSH, *words, "--resume").stdout)
    assert audience.users == {digest("p1@x.de"), digest("p2@x.de")} and summary["accepted"] == 2
    journals = [path.read_text(errors="replace") for path in (shop.home / "state" / "jobs").iterdir()]
    assert not any("part=1" in text for text in journals)
