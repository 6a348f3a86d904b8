"""`pause` and `activate` of campaigns and line items: an update of the status, or a route of its own."""

import json

import pytest

from tests.auth.test_grants import served, served_once, sign_in  # noqa: F401 - fixtures
from tests.emulator.seeded import named

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
    assert f"Activate the {group[:-1].replace('-', ' ')} {named(id)}" in refused.stderr
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


def test_several_are_activated_at_one_question_and_a_wrong_id_changes_nothing(paused):
    refused = paused.local("campaigns", "activate", CAMPAIGN, "8wkv1", CAMPAIGN, code=12).stderr
    assert "Activate the campaign Spring collection (8wku2)" in refused  # the other one is active
    missing = paused.local("campaigns", "activate", CAMPAIGN, "none", "--yes", code=5).stderr
    assert "there is no campaign none" in missing and "nothing was changed" in missing
    assert status(paused, "campaigns", CAMPAIGN, "-p", "local") == "PAUSED"
    done = paused.local("campaigns", "activate", CAMPAIGN, "8wkv1", "-y", "-o", "ids")
    assert done.stdout.split() == [CAMPAIGN]
    assert "active already: Workshop films (8wkv1)" in done.stderr


def written(adsctl) -> int:
    return len(json.loads(adsctl("changes", "list", "--since", "1h", "-o", "json").stdout))


@pytest.mark.parametrize(("verb", "group", "id"), [("pause", *BOTH[0]), ("pause", *BOTH[1])])
def test_what_is_paused_already_is_said_and_nothing_is_sent(paused, verb, group, id):
    before = written(paused)
    again = paused.local(group, verb, id, "-o", "json")
    assert "paused already: " in again.stderr and f"({id})" in again.stderr
    assert json.loads(again.stdout)["id"] == id
    assert written(paused) == before


def test_records_found_by_where_are_paused_at_one_question(adsctl):
    adsctl.copy_emulator()
    where = ("--where", "name~^W")
    refused = adsctl.local("campaigns", "pause", *where, code=12).stderr
    assert "Change 2 campaigns: " in refused and "(8wkt0), " in refused and "(8wkv1)" in refused
    dry = adsctl.local("campaigns", "pause", *where, "--dry-run", "-o", "json").stdout
    assert dry.count("PAUSED") == 2 and status(adsctl, "campaigns", "8wkv1", "-p", "local") == "ACTIVE"
    adsctl.local("campaigns", "pause", *where, "--yes")
    assert status(adsctl, "campaigns", "8wkv1", "-p", "local") == "PAUSED"
    assert "no campaigns match, or none of them differs" in adsctl.local("campaigns", "pause", *where).stderr
    adsctl.local("line-items", "pause", "--where", "campaign_id=8wku2", "--yes")
    assert status(adsctl, "line-items", "9d4c4", "-p", "local") == "PAUSED"


def test_ids_and_where_exclude_each_other_and_one_is_needed(adsctl):
    for words in ((), (CAMPAIGN, "--where", "name~W")):
        assert "name records by their ids" in adsctl.local("campaigns", "pause", *words, code=2).stderr


def test_the_guard_lets_nothing_be_paused_where_it_is_read_only(adsctl):
    guard = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "read_only: true\n"))}
    adsctl.copy_emulator()
    assert "read_only" in adsctl.local("campaigns", "pause", CAMPAIGN, code=12, **guard).stderr
    assert status(adsctl, "campaigns", CAMPAIGN, "-p", "local") == "ACTIVE"


def test_the_route_takes_no_signature_of_oauth1(paused):
    path = f"/12/accounts/18ce54d4x5t/campaigns/{CAMPAIGN}/activate"
    assert "tokens of OAuth 2.0 only" in paused.local("api", "PUT", path, code=4).stderr
