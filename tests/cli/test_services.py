"""Commands whose requests differ by service: one command, the line of the service that is spoken to."""

import json
import shlex

import pytest

from ads_cli.api.names import SERVICES
from ads_cli.api.registry import requests_for
from tests.command_tree import COMMANDS

AUDIENCE = ("--audience", "1nmth")
X = ("--service", "x")


def sent(adsctl, *words: str) -> str:
    return adsctl.local(*words, "--dry-run", "-o", "table").stdout.splitlines()[0]


def shared(adsctl, *words: str) -> list[dict]:
    return json.loads(adsctl.local("audiences", "permissions", *words, *AUDIENCE, "-o", "json").stdout)


def test_both_services_have_the_same_commands():
    commands = [{request.endpoint.command for request in requests_for(service)} for service in SERVICES]
    assert commands[0] == commands[1]
    declared = [(r.endpoint.command, r.endpoint.service) for s in SERVICES for r in requests_for(s)]
    for command, service in declared:
        assert not service or {other for name, other in declared if name == command} == set(SERVICES)


def test_permissions_of_an_audience_have_the_path_of_their_service(adsctl):
    grant = ("audiences", "permissions", "grant", *AUDIENCE, "--granted-account-id", "18ce56pq1rw")
    revoke = ("audiences", "permissions", "revoke", "2p4x9", *AUDIENCE)
    level = ("--permission-level", "READ_ONLY")
    at = "http://emulator.localhost/{}/accounts/18ce54d4x5t/{}_audiences/1nmth/permissions"
    for service, version, kind in (("generic", 5, "tailored"), ("x", 12, "custom")):
        path = at.format(version, kind)
        query = "?granted_account_id=18ce56pq1rw&permission_level=READ_ONLY"
        assert sent(adsctl, *grant, *level, "--service", service) == f"POST {path}{query}"
        assert sent(adsctl, *revoke, "--service", service) == f"DELETE {path}/2p4x9"


@pytest.mark.parametrize(("service", "kind"), [("generic", "tailored"), ("x", "custom")])
def test_permissions_are_filtered_and_shown_under_the_names_of_their_service(adsctl, service, kind):
    option = f"--{kind}-audience-permission-ids"
    (one,) = shared(adsctl, "list", option, "2p4x9", "--service", service)
    assert one["id"] == "2p4x9" and one[f"{kind}_audience_id"] == "1nmth"
    assert shared(adsctl, "list", option, "other", "--service", service) == []
    words = ("audiences", "permissions", "list", *AUDIENCE, "-o", "tsv", "--service", service)
    header, row = adsctl.local(*words).stdout.splitlines()
    assert header.split("\t")[1] == f"{kind}_audience_id" and row.split("\t")[1] == "1nmth"
    changed = shared(
        adsctl,
        "grant",
        "--granted-account-id",
        one["granted_account_id"],
        "--permission-level",
        "READ_WRITE",
        "--service",
        service,
    )
    assert changed["id"] == "2p4x9" and changed["permission_level"] == "READ_WRITE"
    assert shared(adsctl, "revoke", "2p4x9", "--yes", "--service", service)["deleted"] is True
    assert shared(adsctl, "list", "--service", service) == []


def test_an_option_of_the_other_service_is_refused_with_words(adsctl):
    words = ("audiences", "permissions", "list", *AUDIENCE)
    for service, kind in (("x", "tailored"), ("generic", "custom")):
        option = f"--{kind}-audience-permission-ids"
        done = adsctl.local(*words, option, "2p4x9", "--service", service, code=2)
        assert f"error: {option}: the service {service} has no such parameter" in done.stderr


def test_the_reference_shows_the_options_of_both_services_once():
    command = COMMANDS["audiences permissions list"]
    options = {name: option.help for option in command.options for name in option.names}
    assert "(service x only)" in options["--custom-audience-permission-ids"]
    assert "only)" not in options["--audience"] + options["--count"]
    revoke = COMMANDS["audiences permissions revoke"]
    assert len(revoke.arguments) == 1


def answered(adsctl, *words: str):
    return json.loads(adsctl.local(*words, "--yes", "-o", "json").stdout)


@pytest.mark.parametrize("service", SERVICES)
def test_features_are_removed_and_those_that_remain_are_shown(adsctl, service):
    at = ("--service", service)
    before = answered(adsctl, "accounts", "features", "list", *at)
    removed = ("--feature-keys", f"{before[0]},AGE_TARGETING")
    line = adsctl.local("accounts", "features", "remove", *removed, *at, "--dry-run", "-o", "table").stdout
    assert line.startswith("DELETE ") and f"/features?feature_keys={before[0]}%2CAGE_TARGETING" in line
    assert "Remove the features" in adsctl.local("accounts", "features", "remove", *removed, code=12).stderr
    assert answered(adsctl, "accounts", "features", "remove", *removed, *at) == before[1:]
    assert answered(adsctl, "accounts", "features", "list", *at) == before[1:]


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("group", "card", "is_permanent"),
    [("cards", "7cqs1", False), ("cards poll", "7cqt1", True), ("cards video-conversation", "7cqt8", True)],
)
def test_cards_of_each_kind_are_deleted(adsctl, service, group, card, is_permanent):
    at = ("--service", service)
    deleted = answered(adsctl, *group.split(), "delete", card, *at)
    (record,) = deleted if isinstance(deleted, list) else [deleted]
    assert record["id"] == card and record["deleted"] is True
    adsctl.local(*group.split(), "get", card, *at, code=5)
    code = 5 if is_permanent else 0
    adsctl.local(*group.split(), "get", card, "--with-deleted", *at, code=code)
    assert "undone" in adsctl.local(*group.split(), "delete", card, *at, code=12).stderr or not is_permanent


def test_an_image_conversation_is_gone_for_good_only_under_x(adsctl):
    words = ("cards", "get", "7cp02", "--with-deleted")
    answered(adsctl, "cards", "image-conversation", "delete", "7cp02")
    assert adsctl.local(*words).returncode == 0
    adsctl.local("emulator", "reset", "--yes")
    answered(adsctl, "cards", "image-conversation", "delete", "7cp02", *X)
    adsctl.local(*words, *X, code=5)


def test_curated_categories_are_those_of_the_countries_that_x_requires(adsctl):
    words = ("accounts", "curated-categories", "list")
    assert "--country-codes: is required" in adsctl.local(*words, *X, code=2).stderr
    bad = adsctl.local(*words, *X, "--country-codes", "us", code=2).stderr
    assert "'us' is not allowed: two capital letters, as in US" in bad
    assert "the service generic has no" in adsctl.local(*words, "--country-codes", "US", code=2).stderr
    found = answered(adsctl, *words, *X, "--country-codes", "GB,AT", "--all")
    assert [one["name"] for one in found] == ["Makers", "Home cooking"]
    assert len(answered(adsctl, *words)) == 3


def test_the_period_of_a_history_and_the_author_of_a_post_may_be_left_out_under_x_only(adsctl):
    history = ("accounts", "history", "--entity-type", "LINE_ITEM", "--entity-id", "9d4c1")
    assert answered(adsctl, *history, *X)
    assert "--start-time: is required" in adsctl.local(*history, code=2).stderr
    since = ("--start-time", "2030-01-01T00:00Z")
    assert answered(adsctl, *history, *X, *since) == []
    assert "not a whole hour" in adsctl.local(*history, *X, "--end-time", "2026-01-01T00:30Z", code=2).stderr
    post = ("posts", "create", "--text", "Mugs")
    assert "--as-user-id: is required" in adsctl.local(*post, code=2).stderr
    assert answered(adsctl, *post, *X)["user"]["id_str"] == "1184672519"


def test_keyword_insights_take_plain_dates(adsctl):
    words = shlex.split(
        "audiences keywords --keywords mug --granularity DAY --end-time 2026-03-03 --start-time"
    )
    for service in SERVICES:
        body = answered(adsctl, *words, "2026-03-01", "--envelope", "--service", service)
        assert body["request"]["params"]["start_time"] == "2026-03-01T00:00:00Z"
        (volume,) = [value for name, value in body["data"].items() if name.endswith("_volume")]
        assert len(volume) == 2
    refused = adsctl.local(*words, "2026-3-1", code=2).stderr
    assert "or a day in UTC, such as 2026-03-01" in refused  # they are about no account


OF_X = [request.endpoint for request in requests_for("x") if request.endpoint.service == "x"]


@pytest.mark.parametrize("endpoint", OF_X, ids=lambda endpoint: endpoint.command)
def test_the_example_of_each_request_of_x_works(adsctl, endpoint):
    words = shlex.split(f"{endpoint.command} {endpoint.example}")
    assert adsctl.local(*words, "--yes", *X).stdout.strip()


def test_an_empty_value_removes_an_optional_one_under_x_only(adsctl):
    change = ("line-items", "update", "9d4c1")
    at = ("-o", "json", *X)
    line = sent(adsctl, *change, "--end-time", "", "--categories", "", *X)
    assert line.endswith("/line_items/9d4c1?categories=&end_time=")
    answered(adsctl, *change, "--end-time", "2030-01-01T00:00Z", "--advertiser-domain", "shop.example", *X)
    emptied = json.loads(adsctl.local(*change, "--end-time", "", "--yes", *at).stdout)
    assert emptied["end_time"] is None and emptied["advertiser_domain"] == "shop.example"
    assert "--name: is empty" in adsctl.local(*change, "--name", "", *X, code=2).stderr
    talk = ("cards", "video-conversation", "update", "7cqt8")
    answered(adsctl, *talk, "--thank-you-url", "https://shop.example/thanks", *X)
    assert "thank_you_url" not in answered(adsctl, *talk, "--thank-you-url", "", *X)
    needed = adsctl.local(*talk, "--thank-you-text", "", *X, code=6).stderr
    assert "thank_you_text: is required" in needed
    assert "--end-time" in adsctl.local(*change, "--end-time", "", code=2).stderr


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("accounts history", ("--start-time", "--end-time")),
        ("posts create", ("--as-user-id",)),
    ],
)
def test_help_says_of_what_one_service_needs_that_it_may_be_left_out_with_the_other(adsctl, command, options):
    shown = " ".join(adsctl(*command.split(), "--help").stdout.split())
    for option in options:
        described = shown.partition(f" {option} ")[2].partition(" --")[0]
        assert "(may be left out with service x only)" in described
        assert "required" not in described
