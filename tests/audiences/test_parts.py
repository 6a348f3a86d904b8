"""A list in several files: they are read, checked and sent as one list."""

import json
from collections import Counter

import pytest

from .conftest import OPERATIONS, digest
from .parts import PUSH, everybody, jobs, people, person, write_parts

SINGLE = ("--users-per-operation", "1")


def sent_twice(audience) -> set[str]:
    sent = Counter(
        value
        for body in audience.bodies
        for operation in body
        for user in operation["params"]["users"]
        for value in user["email"]
    )
    return {value for value, count in sent.items() if count > 1}


@pytest.mark.parametrize("words", [["people/*.csv"], ["people/part-000.csv", "people/part-00[12].csv"]])
def test_files_and_patterns_are_sent_as_one_list_with_the_totals_of_all(shop, audience, words):
    write_parts(shop, 3)
    summary = json.loads(shop(*PUSH, *words).stdout)
    assert audience.users == everybody(3)
    keys = "job rows valid invalid batches users accepted failed requests retries seconds"
    assert list(summary) == keys.split()
    assert (summary["batches"], summary["requests"]) == (1, 1)
    assert summary["rows"] == summary["users"] == summary["accepted"] == 30
    (job,) = jobs(shop)
    assert (job["state"], job["rows"], job["sent"]) == ("ended", 30, 30)
    assert job["file"] == ", ".join(f"people/part-00{part}.csv" for part in range(3))
    shown = json.loads(shop("jobs", "show", job["job"], "-o", "json").stdout)
    assert shown["counts"] == {"accepted": 30, "failed": 0}


def test_a_do_not_reach_list_takes_several_files_too(shop, audience):
    write_parts(shop, 2)
    words = ("audiences", "do-not-reach", "push", "people/*.csv", "--list", "dnr", "-o", "json")
    assert json.loads(shop(*words).stdout)["accepted"] == 20
    assert audience.users == everybody(2)


def test_a_push_that_stops_resumes_with_what_is_not_acknowledged(shop, audience, small_requests):
    write_parts(shop, 3, count=OPERATIONS + 1)
    audience.fails_after = 2
    stopped = shop(*PUSH, "people/*.csv", *SINGLE, code=8)
    assert "resume with: adsctl audiences push" in stopped.stderr
    audience.fails_after = None
    done = shop(*PUSH, "people/*.csv", *SINGLE, "--resume")
    summary = json.loads(done.stdout)
    assert "2 of 4 batches are acknowledged" in done.stderr
    assert audience.users == everybody(3, OPERATIONS + 1) and sent_twice(audience) == set()
    assert (summary["accepted"], summary["rows"], summary["requests"]) == (
        3 * OPERATIONS + 3,
        3 * OPERATIONS + 3,
        2,
    )


@pytest.mark.parametrize("change", ["changed", "more files"])
def test_where_a_file_changes_the_list_is_sent_from_the_beginning(shop, audience, small_requests, change):
    write_parts(shop, 2, count=OPERATIONS + 1)
    audience.fails_after = 1
    shop(*PUSH, "people/*.csv", *SINGLE, code=8)
    audience.fails_after = None
    shop.file(
        "people/part-001.csv" if change == "changed" else "people/part-002.csv", people(2, OPERATIONS + 1)
    )
    done = shop(*PUSH, "people/*.csv", *SINGLE, "--resume")
    assert "nothing to resume, starting from the beginning" in done.stderr
    assert audience.users >= {digest(person(part, n)) for part in (0, 2) for n in range(OPERATIONS + 1)}


def test_files_that_differ_only_in_the_query_of_their_address_are_both_sent(shop, audience, httpserver):
    for part in "12":
        request = httpserver.expect_request("/people.csv", method="GET", query_string=f"part={part}")
        request.respond_with_data(f"email\np{part}@x.de\n")
    words = [httpserver.url_for(f"/people.csv?part={part}") for part in "12"]
    summary = json.loads(shop(*PUSH, *words).stdout)
    assert audience.users == {digest("p1@x.de"), digest("p2@x.de")} and summary["accepted"] == 2
    assert not [path for path in (shop.home / "state").rglob("*.db*") if b"part=1" in path.read_bytes()]
