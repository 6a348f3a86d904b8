"""`--where` and `--sort` of declared lists, over all pages and in every format."""

import json

import pytest

from ads_cli.api.registry import MODULES, requests_of
from tests.command_tree import COMMANDS
from tests.conftest import feed

LISTS = sorted(
    {
        request.endpoint.command
        for module in MODULES
        for request in requests_of(module)
        if request.endpoint.command.split()[-1] == "list"
    }
)
WITHOUT_RECORDS = {"accounts features list"}  # a list of words


def listed(adsctl, *words: str) -> list[dict]:
    return json.loads(adsctl.local(*words, "-o", "json").stdout)


@pytest.mark.parametrize("command", LISTS)
def test_every_declared_list_has_both(command):
    options = {name for option in COMMANDS[command].options for name in option.names}
    assert ({"--where", "--sort"} <= options) == (command not in WITHOUT_RECORDS)


def test_a_condition_holds_over_all_pages_and_leaves_records_as_they_are(adsctl):
    every = listed(adsctl, "campaigns", "list", "--all")
    expected = [record for record in every if record["name"].startswith("W")]
    assert len(expected) > 1
    for paging in ([], ["--count", "1"], ["--all"]):
        assert listed(adsctl, "campaigns", "list", "--where", "name~^W", *paging) == expected
    (first,) = listed(adsctl, "campaigns", "list", "--where", "name~^W", "--limit", "1", "--count", "1")
    assert first == expected[0]
    whole = listed(adsctl, "campaigns", "list", "--where", "name~^W", "--count", "1", "--envelope")
    assert whole["data"] == expected and whole["next_cursor"] is None
    ids = adsctl.local("campaigns", "list", "--where", "name~^W", "-o", "ids").stdout.split()
    assert ids == [record["id"] for record in expected]


def test_amounts_are_sorted_as_numbers_and_what_has_none_is_last(adsctl):
    amounts = [
        record["daily_budget_amount_local_micro"]
        for record in listed(adsctl, "campaigns", "list", "--sort", "-daily_budget", "--count", "2")
    ]
    given = [amount for amount in amounts if amount is not None]
    assert len({*given}) > 2 and given == sorted(given, reverse=True)
    assert amounts == [*given, *[None] * (len(amounts) - len(given))]
    rising = listed(adsctl, "campaigns", "list", "--sort", "daily_budget", "--limit", "1")
    assert rising[0]["daily_budget_amount_local_micro"] == min(given)


def test_a_list_without_pages_is_narrowed_too(adsctl):
    (catalog,) = listed(adsctl, "catalog", "list")
    assert listed(adsctl, "catalog", "list", "--where", f"name={catalog['name']}", "--sort", "id") == [
        catalog
    ]
    assert listed(adsctl, "catalog", "list", "--where", "name=none") == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sort", "nme"), "--sort: 'nme' is not a field of campaigns; did you mean 'name'?"),
        (("--where", "nme=x"), "--where: 'nme' is not a field of campaigns; did you mean 'name'?"),
        (("--where", "daily_budget>ten"), "--where: 'ten' is not an amount"),
    ],
)
def test_a_mistake_is_told_before_anything_is_read(adsctl, words, message):
    assert message in adsctl.local("campaigns", "list", *words, code=2).stderr


def test_jobs_are_narrowed_and_sorted_too(adsctl):
    for name, rows in (("a", 3), ("b", 11), ("c", 2)):
        adsctl.file(f"{name}.csv", feed(rows))
        adsctl.local("products", "push", f"{name}.csv")
    assert [job["rows"] for job in listed(adsctl, "jobs", "list", "--sort", "-rows")] == [11, 3, 2]
    assert [job["rows"] for job in listed(adsctl, "jobs", "list", "--where", "rows>2")] == [3, 11]
    assert "did you mean 'state'?" in adsctl.local("jobs", "list", "--where", "stat=x", code=2).stderr
