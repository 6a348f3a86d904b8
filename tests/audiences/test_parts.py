"""A list in several files: each is sent as a whole before the next, and never again by the same job."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.adsctl import MEASURED
from tests.effort import tries

from .conftest import digest

PUSH = ("audiences", "push", "--audience", "aud", "-o", "json", "--max-attempts", "1", "--concurrency", "1")

MOST_MEGABYTES = 60


def person(part: int, number: int) -> str:
    return f"user{number}.of{part}@x.de"


def people(part: int, count: int = 10, header: str = "email") -> str:
    return header + "\n" + "".join(f"{person(part, number)}\n" for number in range(count))


def everybody(parts: int, count: int = 10) -> set[str]:
    return {digest(person(part, number)) for part in range(parts) for number in range(count)}


def write_parts(shop, parts: int, count: int = 10) -> None:
    (shop.home / "people").mkdir(exist_ok=True)
    for part in range(parts):
        shop.file(f"people/part-{part:03}.csv", people(part, count))


def jobs(shop) -> list[dict]:
    return json.loads(shop("jobs", "list", "-o", "json").stdout)


def sent_twice(audience) -> set[str]:
    sent = [
        value
        for body in audience.bodies
        for one in body
        for user in one["params"]["users"]
        for value in user["email"]
    ]
    return {value for value in sent if sent.count(value) > 1}


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
    write_parts(shop, 30)
    said = shop(*PUSH, "people/*.csv").stderr
    assert re.search(r"Pushing users, file \d+ of 30: \d+\n", said) and " of 30 rows" not in said


def test_a_do_not_reach_list_takes_several_files_too(shop, audience):
    write_parts(shop, 2)
    words = ("audiences", "do-not-reach", "push", "people/*.csv", "--list", "dnr", "-o", "json")
    assert json.loads(shop(*words).stdout)["accepted"] == 20
    assert audience.users == everybody(2)


def test_a_push_that_stops_resumes_in_the_file_where_it_stopped(shop, audience):
    write_parts(shop, 40)
    audience.fails_after = 25
    stopped = shop(*PUSH, "people/*.csv", code=8)
    assert "resume with: adsctl audiences push" in stopped.stderr
    (job,) = jobs(shop)
    assert (job["state"], job["parts"], job["parts_sent"]) == ("unfinished", 40, 25)
    audience.fails_after = None
    done = shop(*PUSH, "people/*.csv", "--resume")
    summary = json.loads(done.stdout)
    assert "25 of 40 files, and 25 batches, are acknowledged" in done.stderr
    assert audience.users == everybody(40) and sent_twice(audience) == set()
    assert (summary["accepted"], summary["rows"], summary["requests"]) == (400, 400, 15)


def test_within_a_file_only_what_is_not_acknowledged_is_sent_again(shop, audience):
    write_parts(shop, 3, count=5000)
    words = (*PUSH, "people/*.csv", "--users-per-operation", "1")  # two requests for each file
    audience.fails_after = 3
    shop(*words, code=8)
    audience.fails_after = None
    summary = json.loads(shop(*words, "--resume").stdout)
    assert (summary["requests"], summary["batches"], summary["accepted"]) == (3, 6, 15_000)
    assert audience.users == everybody(3, 5000) and sent_twice(audience) == set()


def test_a_killed_push_sends_no_file_again_that_was_acknowledged(shop, audience):
    write_parts(shop, 200, count=100)
    process = shop.popen(*PUSH, "people/*.csv")
    while len(audience.bodies) < 60:
        assert process.poll() is None, process.stderr.read()
    process.kill()
    process.wait()
    process.stdout.close(), process.stderr.close()
    (job,) = jobs(shop)
    before = len(audience.bodies)
    assert job["state"] == "unfinished" and 59 <= job["parts_sent"] <= before
    summary = json.loads(shop(*PUSH, "people/*.csv", "--resume").stdout)
    assert summary["accepted"] == 20_000 and audience.users == everybody(200, 100)
    assert summary["requests"] <= 200 - job["parts_sent"]


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
    write_parts(shop, 2, count=5000)
    words = (*PUSH, "people/*.csv", "--users-per-operation", "1")
    audience.fails_after = 1
    shop(*words, code=8)
    audience.fails_after = None
    shop.file("people/part-000.csv", people(7, 100))
    summary = json.loads(shop(*words, "--resume").stdout)
    assert (summary["rows"], summary["accepted"], summary["batches"]) == (5100, 5100, 3)


def test_a_file_that_appears_later_is_sent_with_the_rest(shop, audience):
    write_parts(shop, 2)
    audience.fails_after = 1
    shop(*PUSH, "people/*.csv", code=8)
    audience.fails_after = None
    write_parts(shop, 5)
    summary = json.loads(shop(*PUSH, "people/*.csv", "--resume").stdout)
    assert summary["requests"] == 4 and audience.users == everybody(5)


@pytest.mark.parametrize("bad", ["name\nx\n", "user@x.de\nother@x.de\n", ""])
def test_the_columns_of_every_file_are_checked_before_the_first_request(shop, audience, bad):
    write_parts(shop, 20)
    shop.file("people/part-017.csv", bad)
    refused = shop(*PUSH, "people/*.csv", code=3)
    assert "people/part-017.csv" in refused.stderr and audience.bodies == [] and jobs(shop) == []


def test_an_option_that_names_no_column_of_one_file_is_refused_before_the_first_request(shop, audience):
    write_parts(shop, 3)
    shop.file("people/part-002.csv", people(2, header="Kontakt"))
    refused = shop(*PUSH, "people/*.csv", "--map", "Kontakt=email", code=2)
    assert "--map: people/part-000.csv has no column 'Kontakt'" in refused.stderr and audience.bodies == []


def test_invalid_rows_stop_before_their_file_and_a_corrected_one_is_resumed(shop, audience):
    write_parts(shop, 4)
    shop.file("people/part-002.csv", people(2) + "nobody\n")
    refused = shop(*PUSH, "people/*.csv", "--failed-out", "failed.csv", code=3)
    assert "people/part-002.csv:12: email" in refused.stderr and len(audience.bodies) == 2
    assert "nothing of people/part-002.csv was sent; correct it and resume with: adsctl" in refused.stderr
    assert (shop.home / "failed.csv").read_text().splitlines()[1].startswith("nobody,people/part-002.csv:12,")
    write_parts(shop, 4)
    summary = json.loads(shop(*PUSH, "people/*.csv", "--failed-out", "failed.csv", "--resume").stdout)
    assert summary["requests"] == 2 and audience.users == everybody(4)


def test_rejected_and_invalid_rows_of_all_files_are_in_one_file_that_names_them(shop, audience):
    audience.bad = {digest(person(0, 3)), digest(person(2, 5))}
    write_parts(shop, 4)
    shop.file("people/part-001.csv", people(1) + "nobody\n")
    done = shop(*PUSH, "people/*.csv", "--skip-invalid", "--failed-out", "failed.csv", code=9)
    summary = json.loads(done.stdout)
    assert (summary["accepted"], summary["failed"], summary["invalid"]) == (38, 2, 1)
    header, *failed = (shop.home / "failed.csv").read_text().splitlines()
    assert header == "email,_line,_error"
    assert [line.split(",")[:2] for line in failed] == [
        [person(0, 3), "people/part-000.csv:5"],
        ["nobody", "people/part-001.csv:12"],
        [person(2, 5), "people/part-002.csv:7"],
    ]
    assert "people/part-002.csv:7" in done.stderr


def test_rows_that_an_earlier_run_had_rejected_are_in_the_file_of_the_last(shop, audience):
    audience.bad = {digest(person(0, 3))}
    write_parts(shop, 4)
    audience.fails_after = 6  # halves of the first file, and the second
    shop(*PUSH, "people/*.csv", code=8)
    audience.fails_after = None
    shop(*PUSH, "people/*.csv", "--resume", "--failed-out", "failed.csv", code=9)
    assert (
        (shop.home / "failed.csv")
        .read_text()
        .splitlines()[1]
        .startswith(f"{person(0, 3)},people/part-000.csv:5,")
    )


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


def test_a_dry_run_reads_every_file_and_sends_nothing(shop, audience):
    write_parts(shop, 3)
    done = shop(*PUSH, "people/*.csv", "--dry-run")
    assert "dry run: would send 30 rows in 3 requests" in done.stderr and audience.bodies == []


def test_check_adds_up_all_files_and_names_the_rows_of_each(shop):
    write_parts(shop, 3)
    shop.file("people/part-001.csv", people(1) + "nobody\n")
    shop.file("people/part-002.csv", people(2) + "\nno one\n")
    done = shop("audiences", "check", "people/*.csv", "-o", "json", code=3)
    report = json.loads(done.stdout)
    assert (report["rows"], report["invalid"], report["file"]) == (32, 2, "people/*.csv")
    (finding,) = report["findings"]
    assert finding["places"] == ["people/part-001.csv:12", "people/part-002.csv:13"]
    assert "email: 30 to be hashed" in done.stderr


def test_hash_writes_all_files_to_one(shop):
    write_parts(shop, 3)
    shop("audiences", "hash", "people/part-000.csv", "people/part-00[12].csv", "hashed.csv")
    header, *lines = (shop.home / "hashed.csv").read_text().splitlines()
    assert header == "email" and set(lines) == everybody(3) and len(lines) == 30


def test_standard_input_and_pipes_are_pushed_by_themselves(shop, audience):
    write_parts(shop, 1)
    refused = shop(*PUSH, "people/part-000.csv", "-", "--format", "csv", input=people(3), code=2)
    assert "standard input cannot be one of several files" in refused.stderr and audience.bodies == []


def test_memory_does_not_grow_with_the_number_of_files(shop, audience):
    write_parts(shop, tries(200, 1000))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *PUSH, "people/*.csv", "-q"],
        capture_output=True,
        env=shop.environment,
        cwd=shop.home,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.splitlines()[-1]) / 1024 < MOST_MEGABYTES
