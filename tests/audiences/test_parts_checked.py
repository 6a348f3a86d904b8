"""What is wrong in one of several files is said before the first request."""

import json
from gzip import compress

import pytest

from .conftest import digest
from .parts import PUSH, everybody, jobs, people, person, write_parts

FILES = "people/part-000.csv, people/part-001.csv, people/part-002.csv"


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


def test_invalid_rows_of_any_file_stop_before_the_first_request(shop, audience):
    write_parts(shop, 4)
    shop.file("people/part-002.csv", people(2) + "nobody\n")
    refused = shop(*PUSH, "people/*.csv", "--failed-out", "failed.csv", code=3)
    assert "people/part-002.csv:12: email" in refused.stderr and audience.bodies == []
    assert "nothing was sent; correct the file" in refused.stderr
    assert (shop.home / "failed.csv").read_text().splitlines()[1].startswith("nobody,people/part-002.csv:12,")
    write_parts(shop, 4)
    shop(*PUSH, "people/*.csv", "--failed-out", "failed.csv")
    assert audience.users == everybody(4)


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


def test_a_dry_run_reads_every_file_and_sends_nothing(shop, audience):
    write_parts(shop, 3)
    done = shop(*PUSH, "people/*.csv", "--dry-run")
    assert "dry run: would send 30 rows in 1 request" in done.stderr and audience.bodies == []


def test_check_adds_up_all_files_and_names_the_rows_of_each(shop):
    write_parts(shop, 3)
    shop.file("people/part-001.csv", people(1) + "nobody\n")
    shop.file("people/part-002.csv", people(2) + "\nno one\n")
    done = shop("audiences", "check", "people/*.csv", "-o", "json", code=3)
    report = json.loads(done.stdout)
    assert (report["rows"], report["invalid"], report["file"]) == (32, 2, FILES)
    (finding,) = report["findings"]
    assert finding["places"] == ["people/part-001.csv:12", "people/part-002.csv:13"]
    assert "email: 30 to be hashed" in done.stderr


def test_hash_writes_all_files_to_one(shop):
    write_parts(shop, 3)
    shop("audiences", "hash", "people/part-000.csv", "people/part-00[12].csv", "hashed.csv")
    header, *lines = (shop.home / "hashed.csv").read_text().splitlines()
    assert header == "email" and set(lines) == everybody(3) and len(lines) == 30


@pytest.mark.parametrize("words", [(), ("--skip-invalid",)])
@pytest.mark.parametrize("name", ["part-002.csv", "part-002.csv.gz"])
def test_a_file_that_cannot_be_read_stops_before_the_first_request(shop, audience, words, name):
    write_parts(shop, 2)
    unclosed, cut = (people(2) + '"nobody\n').encode(), compress(people(2, 50_000).encode())[:-9]
    content = cut if name.endswith(".gz") else unclosed
    (shop.home / "people" / name).write_bytes(content)
    refused = shop(*PUSH, "people/*", *words, code=3)
    assert f"people/{name}" in refused.stderr and audience.bodies == []


def test_a_file_that_is_named_by_a_link_too_is_refused(shop, audience):
    write_parts(shop, 1)
    (shop.home / "link.csv").symlink_to("people/part-000.csv")
    for other in ("link.csv", "./people/part-000.csv"):
        refused = shop(*PUSH, "people/part-000.csv", other, code=2)
        assert f"{other} is named twice, as people/part-000.csv too" in refused.stderr
    assert audience.bodies == []
