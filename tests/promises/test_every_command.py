"""Claims about every command: its formats, dry run and exit codes."""

import csv
import json
import re
import shlex
from collections.abc import Iterable
from io import StringIO
from typing import Any

import pytest
import yaml

from ads_cli.output import FORMATS
from tests.effort import THOROUGH
from tests.promises.test_examples import BEFORE, DECLARED, EXAMPLES, SENDING, at_home, move_clock  # noqa: F401
from tests.workbooks import sheet_of

OTHER_FORMATS = [name for name in FORMATS if name != "json"]
CHANGING = [*SENDING, "products push", "products delete", "audiences push", "audiences do-not-reach push"]
MUTATIONS = [key for key in CHANGING if key not in DECLARED or DECLARED[key].mutates]

GIVEN = {
    "ADSCTL_ACCOUNT": "18ce54d4x5t",
    "ADSCTL_CATALOG": "7310248000000000001",
    "ADSCTL_BEARER_TOKEN": "AAAAAAAAofTheApp",
}


def words(command: str) -> list[str]:
    return shlex.split(EXAMPLES[command])[1:]


def read(output: str, text: str):
    """Parse the output in its format; raise if it is invalid."""
    if output == "json":
        return json.loads(text)
    if output == "yaml":
        return yaml.safe_load(text)
    if output == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if output in ("csv", "tsv"):
        table = list(csv.reader(StringIO(text), delimiter="," if output == "csv" else "\t"))
        assert len({len(row) for row in table}) <= 1
        return table
    return text.split()


def in_turn(command: str, cases: Iterable[str]) -> list[str]:
    """Choose a case, for each command the next one; with THOROUGH all."""
    every = list(cases)
    return every if THOROUGH else [every[SENDING.index(command) // 2 % len(every)]]


@pytest.mark.parametrize("command", SENDING)
def test_every_format_works(at_home, time_machine, command):  # noqa: F811
    move_clock(time_machine, command)
    shown = {}
    # Every second command is shown in one more format, the next one.
    others = in_turn(command, OTHER_FORMATS) if THOROUGH or SENDING.index(command) % 2 else ()
    for output in ("json", *others):
        for file in (at_home.home / "state").glob("emulator.db*"):
            file.unlink()
        at_home.copy_emulator()
        for line in filter(None, [BEFORE.get(command)]):
            at_home("--profile", "local", "--yes", *shlex.split(line)[1:])
        if output == "xlsx":
            at_home("--profile", "local", "--yes", *words(command), "-o", "xlsx", "--to", "result.xlsx")
            shown[output] = sheet_of(at_home.home / "result.xlsx")
            continue
        done = at_home("--profile", "local", "--yes", *words(command), "-o", output)
        assert done.stdout.strip() or output in ("none", "ids") or shown["json"] == []
        shown[output] = read(output, done.stdout)
    whole = shown.pop("json")
    key = DECLARED[command].data_key  # of documents only
    data = whole if isinstance(whole, list) else [whole.get(key, whole)]
    for output, result in shown.items():
        assert_agrees(output, result, whole, data)


def assert_agrees(output: str, shown: Any, whole: Any, data: list) -> None:
    """What a format shows has the records of the JSON."""
    has_fields = bool(data) and isinstance(data[0], dict)
    if output == "none":
        assert shown == []
    elif output == "yaml":
        assert type(shown) is type(whole)
    elif output == "jsonl":
        assert len(shown) == len(data)
    elif output in ("csv", "tsv") and has_fields:
        assert len(shown) == len(data) + 1 and all(name in data[0] for name in shown[0])
    elif output == "xlsx" and has_fields:
        assert len(shown) == len(data) + 1
        assert all({name, f"{name}_micro"} & {*data[0]} for name in shown[0])
    elif output == "ids" and has_fields and "id" in data[0]:
        assert len(shown) == len(data)


@pytest.mark.parametrize("command", MUTATIONS)
def test_a_dry_run_sends_nothing(at_home, remote, httpserver, time_machine, command):  # noqa: F811
    move_clock(time_machine, command)
    at_home.file("discontinued.csv", "product_key\npk1\n")
    at_home(*words(command), "--dry-run", **GIVEN)
    assert httpserver.log == []


RESPONSES = {  # status, body and the expected exit code
    "401": (401, '{"errors": [{"code": 89, "message": "Invalid or expired token."}]}', 4),
    "403": (403, '{"errors": [{"code": "FORBIDDEN", "message": "no"}]}', 4),
    "404": (404, '{"errors": [{"code": "NOT_FOUND", "message": "no"}]}', 5),
    "429": (429, '{"errors": [{"code": "TOO_MANY_REQUESTS", "message": "no"}]}', 7),
    "500": (500, '{"errors": [{"code": "INTERNAL_ERROR", "message": "no"}]}', 8),
    "garbage": (200, "<html><body>It works!</body></html>", 8),
}


@pytest.mark.parametrize("command", SENDING)
def test_every_answer_ends_in_its_exit_code(at_home, remote, httpserver, time_machine, command):  # noqa: F811
    move_clock(time_machine, command)
    for status, body, code in map(RESPONSES.__getitem__, in_turn(command, RESPONSES)):
        httpserver.clear()
        httpserver.expect_request(re.compile(".*")).respond_with_data(body, status)
        shape = ("--yes", "--max-attempts", "1", "-o", "json")
        done = at_home(*words(command), *shape, code=code, **GIVEN)
        error = json.loads(done.stderr.splitlines()[-1])["error"]
        assert error["exit_code"] == code and done.stdout == ""
        changes = [request for request, _ in httpserver.log if request.method != "GET"]
        assert len(changes) <= 1
        # An update reads what was before first. After a 404, records are looked for whose names may have been
        # taken for ids.
        assert status == 404 or len(changes or httpserver.log) == 1
