"""Commands whose requests differ by service: one command, the line of the service that is spoken to."""

import json

import pytest

from ads_cli.api.endpoint import requests_for
from ads_cli.api.names import SERVICES
from ads_cli.cli.tree import root
from ads_cli.reference.tree import describe_commands

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
    (command,) = (each for each in describe_commands(root()) if each.key == "audiences permissions list")
    options = {name: option.help for option in command.options for name in option.names}
    assert "(service x only)" in options["--custom-audience-permission-ids"]
    assert "only)" not in options["--audience"] + options["--count"]
    (revoke,) = (each for each in describe_commands(root()) if each.key == "audiences permissions revoke")
    assert len(revoke.arguments) == 1
