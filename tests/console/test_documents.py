"""Nested values in files: -f, @FILE, and the example that each such command prints."""

import json

import pytest
import yaml

from ads_cli.api.accounts import GetAccount
from ads_cli.api.fields import fields_of
from ads_cli.api.registry import MODULES, document_of, requests_of
from ads_cli.api.validation import convert
from ads_cli.cli.command_index import CUSTOM_COMMANDS
from ads_cli.config.strict_yaml import load

NESTED = [
    request
    for module in MODULES
    for request in requests_of(module)
    if request.endpoint.command not in CUSTOM_COMMANDS
    and any(field.type.is_nested for field in fields_of(request))
]


@pytest.mark.parametrize("request_kind", NESTED, ids=lambda kind: kind.__name__)
def test_an_example_is_valid_and_names_every_field(adsctl, request_kind):
    text = document_of(request_kind)
    ids = dict.fromkeys(request_kind.endpoint.path_fields, "1")
    convert(request_kind, load(text, "example") | ids)
    for field in fields_of(request_kind):
        assert field.name in ids or f"{field.name}:" in text
    words = request_kind.endpoint.command.split()
    assert adsctl(*words, "--example").stdout == text


def test_a_request_without_an_example_is_named():
    with pytest.raises(LookupError, match="no example of accounts get"):
        document_of(GetAccount)


def test_a_printed_example_can_be_used_at_once(adsctl):
    example = adsctl("catalog", "sets", "create", "--example").stdout
    adsctl.file("set.yaml", example)
    made = json.loads(adsctl.local("catalog", "sets", "create", "-f", "set.yaml", "-o", "json").stdout)
    assert made["name"] == yaml.safe_load(example)["name"]
    piped = adsctl.local(
        "catalog", "sets", "create", "-f", "-", "--name", "Mine", "-o", "json", input=example
    )
    assert json.loads(piped.stdout)["name"] == "Mine"  # an option outranks the file


BAD = """\
name: x
type: FILTRED
filters: [{attribute: prize, operator: LESS_THAN}]
colour: red
"""


@pytest.mark.parametrize("text", ["name: x\nname: y\n", '{"name": "x",\n"name": "y"}'])
def test_a_field_that_is_there_twice_is_refused(adsctl, text):
    adsctl.file("set.yaml", text)
    said = adsctl.local("catalog", "sets", "create", "-f", "set.yaml", "--dry-run", code=3).stderr
    assert "set.yaml:2:1: neither YAML nor JSON: the key 'name' is repeated" in said


def test_all_problems_of_a_file_are_reported_with_their_paths(adsctl):
    adsctl.file("set.yaml", BAD)
    done = adsctl.local("catalog", "sets", "create", "-f", "set.yaml", code=3)
    assert "set.yaml: type: 'FILTRED' is not one of MANUAL, FILTERED; did you mean" in done.stderr
    assert "set.yaml: filters[0].attribute: 'prize'" in done.stderr
    assert "set.yaml: filters[0].value: is required" in done.stderr
    assert "set.yaml: colour: is not a known field" in done.stderr
    mixed = adsctl.local("catalog", "sets", "create", "-f", "set.yaml", "--type", "X", code=2)
    assert "--type: 'X'" in mixed.stderr and "set.yaml: colour" in mixed.stderr


def test_a_value_of_another_shape_is_told_in_plain_words(adsctl):
    message = adsctl.local("audiences", "estimate", "--targeting-criteria", '{"a": 1}', code=2).stderr
    assert "--targeting-criteria: must be a list, not an object" in message
    adsctl.file("f.yaml", "name: [a]\ntype: FILTERED\nfilters: 5\n")
    message = adsctl.local("catalog", "sets", "create", "-f", "f.yaml", code=3).stderr
    assert "name: must be text, not a list" in message and "filters: must be a list, not text" in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "f.yaml:1:2: neither YAML nor JSON: it ends where a value, a bracket or a quote is still open"),
        ("name: a\n\tb: c", "f.yaml:2:1: neither YAML nor JSON: a tab, where YAML is indented by spaces"),
        ("- a", "must be a mapping of fields"),
        ("", "is empty"),
    ],
)
def test_a_file_that_is_not_a_mapping_is_refused(adsctl, content, message):
    adsctl.file("f.yaml", content)
    assert message in adsctl.local("catalog", "sets", "create", "-f", "f.yaml", code=3).stderr


def test_all_missing_options_are_reported_at_once(adsctl):
    done = adsctl.local("catalog", "sets", "create", code=2)
    assert "--name: is required" in done.stderr and "--type: is required" in done.stderr
    assert "cannot be opened" in adsctl.local("catalog", "sets", "create", "-f", "nowhere", code=2).stderr


def test_a_choice_may_be_typed_in_any_case(adsctl):
    drafts = adsctl.local("posts", "list", "--post-type", "Draft", "-o", "ids").stdout
    assert drafts and drafts == adsctl.local("posts", "list", "--post-type", "DRAFT", "-o", "ids").stdout
    words = ("targeting", "search", "locations", "--q", "Hamburg", "--location-type", "postal-codes")
    assert len(adsctl.local(*words, "-o", "ids").stdout.split()) == 3
