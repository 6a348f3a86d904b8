"""Schemas of commands and of the files that they read."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ads_cli.cli.command_index import CUSTOM_COMMANDS
from ads_cli.cli.tree import root
from ads_cli.commands.schema.documents import document_of, schema_files
from ads_cli.commands.schema.effects import EFFECTS, EVERYTHING, MACHINE, Effects
from ads_cli.errors import EXIT_CODES
from ads_cli.fleet.commands import COMMANDS as OF_FLEETS
from tests.commands.schema.examples import as_editors_read, request_examples, shown_files

EXAMPLES = [pytest.param(kind, text, id=name) for name, kind, text in shown_files()]
CAMPAIGNS = """
account: 18ce54d4x5t
campaigns:
- name: Spring
  funding_instrument_id: 4a1n0
  daily_budget: 50
  line_items:
  - name: Mugs
    objective: WEBSITE_CLICKS
    start_time: 2031-12-01
    targeting:
    - LOCATION: Germany
    - EXCLUDE BROAD_KEYWORD: plastic
    ads:
    - post: "1790415000000000001"
    - text: The mugs of spring
      media: [mugs.jpg]
      card: {website: https://shop.example/mugs, title: Mugs}
"""
SETTINGS = """
profile: shop
profiles:
  shop:
    service: x
    account: 18ce54d4x5t
    recipes: {"*.csv": shop.yaml}
    guard: {max_daily_budget: 100 EUR, deny: [delete, activate], read_only: false}
"""
GUARD = "max_account_daily_budget: 500 EUR\nmax_changes: 200\ndeny: delete,api\n"
FILES = [("campaigns", CAMPAIGNS), ("config", SETTINGS), ("guard", GUARD)]


@cache
def files() -> dict[str, Any]:
    return schema_files(root(), "generic")


def problems(kind: str, document: object) -> list[str]:
    schema = files()[f"{kind}.schema.json"]
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


def described(adsctl, *words: str) -> dict[str, Any]:
    return json.loads(adsctl("schema", *words).stdout)


def test_a_command_says_what_it_takes_gives_and_may_do(adsctl):
    schema = described(adsctl, "line-items", "create")
    Draft202012Validator.check_schema(schema)
    assert schema == described(adsctl, "line-items create")
    assert schema["changes"] == ["create", "activate"] and not schema["destructive"]
    assert schema["cost"] == {"may_spend": True, "charges": None}
    assert schema["exit_codes"]["12"] == EXIT_CODES[12]
    assert schema["input"]["properties"]["bid_amount"]["x-typed"] == "--bid-amount"
    assert {"json", "jsonl", "csv", "ids"} <= schema["output"].keys() and schema["files"].keys() == {"file"}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("campaigns list", ([], False, False)),
        ("campaigns delete", (["delete"], True, False)),
        ("products push", (["create", "update", "products"], False, False)),
        ("products sync", (["create", "update", "delete", "products"], True, False)),
        ("campaigns update", (["update", "activate"], False, True)),
        ("promoted posts create", (["create"], False, True)),
        ("jobs clean", (["machine"], True, False)),
        ("jobs list", ([], False, False)),
    ],
)
def test_a_command_says_what_it_changes_destroys_and_may_spend(adsctl, command, expected):
    schema = described(adsctl, command)
    assert (schema["changes"], schema["destructive"], schema["cost"]["may_spend"]) == expected


def test_what_the_service_charges_for_events_is_said(adsctl):
    charges = described(adsctl, "events subscribe")["cost"]["charges"]
    assert charges["by_kind"]["post.create"] == 0.005 and "August 2026" in charges["description"]


def test_options_are_held_against_the_input(adsctl):
    schema = described(adsctl, "campaigns create")
    holds = Draft202012Validator({**schema["input"], "$defs": schema["$defs"]})
    assert holds.is_valid({"name": "Spring", "daily_budget": 25, "account": "18ce54d4x5t", "file": "a.yaml"})
    for wrong in ({"colour": "red"}, {"name": ["Spring"]}, {"standard_delivery": "no"}, {"output": "xls"}):
        assert not holds.is_valid(wrong), wrong


def test_one_document_has_all_commands_with_shared_parts(adsctl):
    every = described(adsctl)
    assert len(every["commands"]) > 280 and set(CUSTOM_COMMANDS) <= every["commands"].keys()
    whole = document_of(root(), "generic", ("jobs", "list"))
    assert every["commands"]["jobs list"].items() <= whole.items()
    for name, part in whole["$defs"].items():
        assert every["$defs"][name] == part
    group = described(adsctl, "catalog", "sets")["commands"]
    assert group == {name: of for name, of in every["commands"].items() if name.startswith("catalog sets ")}
    refs = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(every)))
    assert refs == every["$defs"].keys()


def test_a_service_has_its_own_names(adsctl):
    record = described(adsctl, "promoted", "posts", "list", "--service", "x")["$defs"][
        "promoted-posts-record"
    ]
    assert "tweet_id" in record["properties"] and "post_id" not in record["properties"]


def test_other_formats_and_queries_show_the_document_too(adsctl):
    assert adsctl("schema", "jobs list", "-o", "yaml").stdout.startswith("$schema: https://json-schema.org")
    assert json.loads(adsctl("schema", "jobs list", "-o", "json", "--query", "destructive").stdout) is False


def test_a_wrong_name_is_refused_with_the_nearest(adsctl):
    assert "did you mean 'create'?" in adsctl("schema", "campaigns", "creat", code=2).stderr
    assert "did you mean 'campaigns'?" in adsctl("schema", "campaign create", code=2).stderr
    assert "'adsctl jobs list' has no command 'more'" in adsctl("schema", "jobs list more", code=2).stderr


def test_no_secret_and_no_sign_in_is_needed(adsctl):
    adsctl.env |= {"ADSCTL_ACCESS_TOKEN": "nnch734d00sl2jdk"}
    assert "nnch734d00sl2jdk" not in adsctl("schema").stdout


def test_schema_files_are_valid_and_written_for_editors(adsctl):
    assert "schemas" in adsctl("schema", "--write", "schemas").stderr
    written = {path.name: json.loads(path.read_text()) for path in (adsctl.home / "schemas").iterdir()}
    assert written == files() and {"campaigns.schema.json", "cards-create.schema.json"} <= written.keys()
    for schema in written.values():
        Draft202012Validator.check_schema(schema)
    assert "cannot be used" in adsctl("schema", "--write", "schemas", "jobs list", code=2).stderr
    adsctl("schema", "--write", "others", "--dry-run")
    assert not (adsctl.home / "others").exists()


def test_schema_files_replace_their_own_and_no_other_file(adsctl):
    adsctl("schema", "--write", ".")
    adsctl("schema", "--write", ".", "--service", "x")
    own = adsctl.file("recipe.schema.json", "{}")
    assert "is no schema of adsctl" in adsctl("schema", "--write", ".", code=2).stderr
    assert own.read_text() == "{}"
    assert "cannot be created" in adsctl("schema", "--write", "recipe.schema.json", code=2).stderr


def test_patterns_are_of_every_dialect():
    text = json.dumps([files(), document_of(root(), "x", ())])
    patterns = re.findall(r'"pattern": "((?:[^"\\]|\\.)*)"', text)
    assert patterns
    for pattern in map(json.loads, {f'"{pattern}"' for pattern in patterns}):
        assert not re.search(r"\\[AZz]|\(\?[a-zP]|\+\+|\*\+|\(\?>", pattern), pattern


@pytest.mark.parametrize(("kind", "text"), [*EXAMPLES, *FILES])
def test_what_the_pages_show_is_valid(kind, text):
    assert problems(kind, as_editors_read(text)) == []


def test_the_pages_show_each_kind():
    assert {kind for _, kind, _ in shown_files()} >= {"campaigns", "fleet", "recipe"}


@pytest.mark.parametrize("path", request_examples(), ids=lambda path: path.stem)
def test_examples_of_requests_are_valid(path):
    kind = path.stem if path.stem.rpartition("-")[2] in ("update", "estimate") else f"{path.stem}-create"
    document = as_editors_read(path.read_text(encoding="utf-8"))
    assert problems(kind, document) == []
    assert [place for place, wrong in _mutated(document, document) if not problems(kind, wrong)] == []


def test_what_pull_writes_is_valid(adsctl):
    adsctl.local("campaigns", "pull", "whole.yaml")
    adsctl.local("campaigns", "pull", "whole.json")
    whole = as_editors_read((adsctl.home / "whole.yaml").read_text())
    example = as_editors_read(adsctl("campaigns", "pull", "--example").stdout)
    for document in (whole, json.loads((adsctl.home / "whole.json").read_text()), example):
        assert problems("campaigns", document) == []


def _mutated(value: Any, document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield documents that have a wrong key, or a value of a wrong type."""

    def with_value(new: Any) -> Any:
        if not path:
            return new
        copy = deepcopy(document)
        place = copy
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = new
        return copy

    if isinstance(value, dict):
        yield (*path, "colour"), with_value({**value, "colour": {"a": [1]}})
        for key, inner in value.items():
            yield from _mutated(inner, document, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _mutated(inner, document, (*path, number))
    else:
        yield path, with_value({"a": [1]})


@pytest.mark.parametrize(("kind", "text"), [*EXAMPLES, *FILES])
def test_what_is_wrong_is_refused(kind, text):
    document = as_editors_read(text)
    accepted = [path for path, wrong in _mutated(document, document) if not problems(kind, wrong)]
    assert accepted == []


def test_a_pulled_file_names_its_schema_where_that_is_beside_it(adsctl):
    adsctl.local("campaigns", "pull", "plain.yaml")
    adsctl("schema", "--write", ".")
    for name in ("one.yaml", "two.yaml"):
        adsctl.local("campaigns", "pull", name)
    plain, one, two = ((adsctl.home / f"{name}.yaml").read_text() for name in ("plain", "one", "two"))
    line, _, rest = one.partition("\n")
    assert line == "# yaml-language-server: $schema=./campaigns.schema.json"
    assert one == two and rest == plain
    adsctl.local("campaigns", "plan", "one.yaml")  # which ends with 0: nothing differs
    adsctl.local("campaigns", "pull", "one.json")
    assert json.loads((adsctl.home / "one.json").read_text())


def test_a_written_recipe_is_valid_and_names_its_schema(adsctl):
    adsctl("schema", "--write", ".")
    adsctl.file("feed.csv", "id,title,price,Marke\n1,Mug,9.90,Nordlicht\n")
    adsctl("products", "check", "feed.csv", "--map", "Marke=brand", "--write-recipe", "shop.yaml", code=None)
    text = (adsctl.home / "shop.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=./recipe.schema.json\n")
    assert problems("recipe", as_editors_read(text)) == []


def test_effects_are_stated_of_every_custom_command_that_changes_anything():
    assert set(EFFECTS) <= set(CUSTOM_COMMANDS)
    assert {word for effects in EFFECTS.values() for word in effects.changes} <= {*EVERYTHING}
    for name, of_fleet in OF_FLEETS.items():
        changes = {*EFFECTS.get(name, Effects()).changes}
        assert bool(changes) if of_fleet.is_write else changes <= {MACHINE}, name


def test_a_record_that_no_schema_describes_fails_the_test(adsctl, monkeypatch):
    from ads_cli.commands import doctor

    checked = doctor.CHECKS
    monkeypatch.setattr(doctor, "CHECKS", checked._replace(named=("check", "colour")))
    monkeypatch.setattr(doctor.Doctor, "checks", lambda self, offline: iter([("a", lambda: doctor.ok(1))]))
    with pytest.raises(AssertionError, match="prints what its schema lacks"):
        adsctl("doctor", "--offline", "-o", "json")
