"""An undo is never sent to another service than the change."""

import json
import shutil

import pytest

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running


def log_of(adsctl):
    return json.loads(adsctl("changes", "list", "-o", "json").stdout)


@pytest.fixture
def elsewhere(adsctl, service, seeded_database, tmp_path):
    """The variables of another service that has the same account."""
    emulator = Emulator(shutil.copyfile(seeded_database, tmp_path / "elsewhere.db"))
    with running(emulator) as address:
        there = variables(emulator, address)
        yield there | {"ADSCTL_EMULATOR": f"{there['ADSCTL_EMULATOR']}-2"}  # the copy names its original
    emulator.close()


def test_the_log_has_the_service_and_what_kind_it_is(adsctl, service):
    adsctl("campaigns", "pause", "8wku2")
    adsctl.local("campaigns", "pause", "8wku2")
    served, local = log_of(adsctl)
    assert served["service"] != local["service"]
    assert {served["environment"], local["environment"]} == {"emulator"}
    shown = json.loads(adsctl("changes", "show", local["id"], "-o", "json").stdout)
    assert shown["service"] == local["service"]


def test_the_log_knows_a_sandbox_and_production(remote, httpserver):
    answer = {"data": {"id": "1", "entity_status": "PAUSED"}}
    httpserver.expect_request("/12/accounts/a1/campaigns/1", method="PUT").respond_with_json(answer)
    httpserver.expect_request("/12/accounts/a1/campaigns").respond_with_json({"data": []})
    words = ("--account", "a1", "campaigns", "update", "1", "--entity-status", "PAUSED")
    remote(*words)
    remote("--sandbox", *words)
    production, sandbox = log_of(remote)
    assert (production["environment"], sandbox["environment"]) == ("production", "sandbox")
    assert production["service"] == sandbox["service"] == httpserver.url_for("").rstrip("/")


@pytest.mark.parametrize("how", ["id", "run", "since"])
def test_an_undo_for_another_service_is_refused_and_says_where_to(adsctl, service, elsewhere, writes, how):
    adsctl("campaigns", "pause", "8wku2", "8wku4")
    (change,) = log_of(adsctl)
    words = {"id": [change["id"]], "run": ["--run", change["job"]], "since": ["--since", "1h"]}[how]
    writes.clear()
    done = adsctl("changes", "undo", *words, "--yes", code=2, **elsewhere)
    assert f"was sent to {change['service']} (emulator), and this command speaks to" in done.stderr
    assert "--profile" in done.stderr and writes == []
    adsctl("changes", "undo", *words, "--yes")


def test_what_was_sent_elsewhere_is_left_out_of_a_time(adsctl, service, elsewhere):
    adsctl("campaigns", "pause", "8wku2")
    adsctl("campaigns", "update", "8wku2", "--name", "There", **elsewhere)
    done = adsctl("changes", "undo", "--since", "1h", "--yes")
    assert "1 change of another service: left out" in done.stderr
    assert "There" in adsctl("campaigns", "get", "8wku2", "-o", "json", **elsewhere).stdout


def test_a_sandbox_says_how_it_is_named(remote, httpserver):
    httpserver.expect_request("/12/accounts/a1/campaigns/1", method="PUT").respond_with_json(
        {"data": {"id": "1", "entity_status": "PAUSED"}}
    )
    httpserver.expect_request("/12/accounts/a1/campaigns").respond_with_json({"data": []})
    remote.env["ADSCTL_ADS_URL"] = "http://127.0.0.1:9"
    remote("--account", "a1", "--sandbox", "campaigns", "update", "1", "--entity-status", "PAUSED")
    (change,) = log_of(remote)
    done = remote("--account", "a1", "changes", "undo", change["id"], "--yes", code=2)
    assert "(sandbox)" in done.stderr and f"--profile {change['profile']} --sandbox" in done.stderr


def test_rules_count_only_what_was_done_at_their_service(adsctl, service, elsewhere):
    adsctl.file(
        "rules.yaml", "rules:\n- {name: a, of: campaigns, when: id = '8wku2', do: set daily_budget=+1%}\n"
    )
    words = ("watch", "apply", "rules.yaml", "--yes", "-o", "json")
    for env in ({}, elsewhere):
        (done,) = json.loads(adsctl(*words, **env).stdout)
        assert done["state"] == "done"
