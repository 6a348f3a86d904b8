"""`campaigns activate` and `line-items activate`: a route of their own, or an update of the status."""

import json

import pytest

from tests.auth.test_grants import served, served_once, sign_in  # noqa: F401 - fixtures

CAMPAIGN, LINE_ITEM = "8wku2", "9d4c1"
BOTH = [("campaigns", CAMPAIGN), ("line-items", LINE_ITEM)]


def status(adsctl, group: str, id: str, *profile: str) -> str:
    shown = adsctl(*profile, group, "get", id, "--query", "entity_status", "-o", "json").stdout
    return json.loads(shown)


@pytest.fixture
def paused(adsctl):
    adsctl.copy_emulator()
    for group, id in BOTH:
        adsctl.local(group, "update", id, "--entity-status", "PAUSED")
    return adsctl


@pytest.mark.parametrize(("group", "id"), BOTH)
def test_an_activation_asks_and_names_the_budget(paused, group, id):
    refused = paused.local(group, "activate", id, code=12)
    assert f"Activate the {group[:-1].replace('-', ' ')} {id}" in refused.stderr
    if group == "campaigns":
        assert "up to 60.00 EUR a day" in refused.stderr
    assert status(paused, group, id, "-p", "local") == "PAUSED"
    shown = json.loads(paused.local(group, "activate", id, "--yes", "-o", "json").stdout)
    assert shown["entity_status"] == status(paused, group, id, "-p", "local") == "ACTIVE"


@pytest.mark.parametrize("service", ["generic", "x"])
def test_without_a_token_of_oauth2_the_status_is_updated(paused, service):
    dry = paused.local("--service", service, "campaigns", "activate", CAMPAIGN, "--dry-run").stdout
    assert dry.strip().endswith(f"/campaigns/{CAMPAIGN}?entity_status=ACTIVE")


def test_with_a_token_of_oauth2_the_route_of_its_own_is_used(adsctl, served):  # noqa: F811
    sign_in(adsctl)
    shop = ("-p", "shop")
    for group, id in BOTH:
        adsctl(*shop, group, "update", id, "--entity-status", "PAUSED")
        path = f"/{group.replace('-', '_')}/{id}/activate"
        dry = adsctl(*shop, group, "activate", id, "--dry-run").stdout
        assert dry.split()[0] == "PUT" and dry.strip().endswith(path)
        adsctl(*shop, group, "activate", id, code=12)
        adsctl(*shop, group, "activate", id, "--yes")
        assert status(adsctl, group, id, *shop) == "ACTIVE"
        logged = json.loads(adsctl("changes", "list", "--since", "1h", "-o", "json").stdout)
        fields = {record["path"].rpartition("/18ce54d4x5t")[2]: record["fields"] for record in logged}
        assert fields[path] == {"entity_status": "ACTIVE"}


def test_the_guard_judges_the_route_as_an_activation(adsctl, served_once):  # noqa: F811
    sign_in(adsctl)
    shop = ("-p", "shop")
    adsctl(*shop, "campaigns", "update", CAMPAIGN, "--entity-status", "PAUSED")
    raw = f"/12/accounts/18ce54d4x5t/campaigns/{CAMPAIGN}/activate"
    for limit in ("deny: activate", "max_daily_budget: 50 EUR", "max_account_daily_budget: 10 EUR"):
        guard = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", f"{limit}\n"))}
        message = adsctl(*shop, "campaigns", "activate", CAMPAIGN, "--yes", code=12, **guard).stderr
        assert f"{limit.partition(':')[0]} is" in message
        assert "the guard refuses" in adsctl(*shop, "api", "PUT", raw, "--yes", code=12, **guard).stderr
    assert status(adsctl, "campaigns", CAMPAIGN, *shop) == "PAUSED"


def test_several_are_activated_at_one_question_and_what_was_done_is_told(paused):
    refused = paused.local("campaigns", "activate", CAMPAIGN, "8wkv1", CAMPAIGN, code=12).stderr
    assert "Activate the campaign 8wku2" in refused  # the other one is active
    message = paused.local("campaigns", "activate", CAMPAIGN, "none", "--yes", code=5).stderr
    assert "the campaign none does not exist" in message and f"activated: {CAMPAIGN}" in message
    shown = json.loads(paused.local("campaigns", "activate", CAMPAIGN, "8wkv1", "-y", "-o", "json").stdout)
    assert [record["id"] for record in shown] == [CAMPAIGN, "8wkv1"]


def test_the_route_takes_no_signature_of_oauth1(paused):
    path = f"/12/accounts/18ce54d4x5t/campaigns/{CAMPAIGN}/activate"
    assert "tokens of OAuth 2.0 only" in paused.local("api", "PUT", path, code=4).stderr
