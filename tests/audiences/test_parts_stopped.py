"""A push of several files that stops midway names the rows of every file, those that it did not reach too."""

import json

import pytest

from .conftest import OPERATIONS, digest
from .parts import PUSH, people, person

FILES, COUNT = 3, 5 * OPERATIONS  # each has more requests than are packed before the first is answered
NAMES = [f"part-{number}.csv" for number in range(FILES)]
OPTIONS = ("--users-per-operation", "1", "--skip-invalid", "--max-errors", "1")


def records(part: int) -> str:
    rows = [person(part, number) for number in range(COUNT)]
    return json.dumps([{"email": email} for email in ["nobody", *rows, "nobody"]])


def table(part: int) -> str:
    header, rows = people(part, COUNT).split("\n", 1)
    return f"{header}\nnobody\n{rows}nobody\n"


@pytest.mark.parametrize("options", [(), ("-q",), ("--failed-out", "failed.csv")], ids=str)
def test_invalid_rows_are_named_by_their_own_files(shop, audience, small_requests, options):
    audience.bad = {digest(person(0, 3))}
    for part, name in enumerate(NAMES):
        shop.file(name, table(part))
    done = shop(*PUSH, *NAMES, *OPTIONS, *options, code=9)
    assert "stopped early" in done.stderr and len(audience.users) < COUNT
    places = [f"{name}:{line}" for name in NAMES for line in (2, COUNT + 3)]
    assert f"6 rows: {', '.join(places[:5])}" in done.stderr and "part-0.csv:6" in done.stderr
    if "--failed-out" in options:
        _, *failed = (shop.home / "failed.csv").read_text().splitlines()
        assert [line.split(",")[1] for line in failed] == [places[0], "part-0.csv:6", *places[1:]]


def test_invalid_records_are_named_by_their_own_documents(shop, audience, small_requests):
    audience.bad = {digest(person(0, 3))}
    names = [f"part-{number}.json" for number in range(FILES)]
    for part, name in enumerate(names):
        shop.file(name, records(part))
    done = shop(*PUSH, *names, *OPTIONS, "-q", "--failed-out", "failed.csv", code=9)
    assert "stopped early" in done.stderr and len(audience.users) < COUNT
    places = [f"{name}:1, record {record}" for name in names for record in (1, COUNT + 2)]
    assert f"6 rows: {', '.join(places[:5])}" in done.stderr
    _, *failed = (shop.home / "failed.csv").read_text().splitlines()
    assert [line.split('"')[1] for line in failed] == [places[0], "part-0.json:1, record 5", *places[1:]]
