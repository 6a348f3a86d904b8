"""Audiences: permissions, targeting campaigns, do-not-reach lists, keywords."""

import pytest

from tests.emulator.seeded import (
    APP,
    BASKETS,
    CAFE,
    CLICKS,
    CUSTOMERS,
    FOLLOWERS,
    INSTALLED,
    INSTALLS,
    KNITTERS,
    PARTNER,
    READERS,
    SPRING,
    UNSUBSCRIBED,
)

from .client import errors

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])

SEARCH = "/12/insights/keywords/search"


@pytest.fixture
def account(local):
    return local.emulator.account


@pytest.fixture
def permissions(account):
    return f"/5/accounts/{account}/tailored_audiences/{CUSTOMERS}/permissions"


@pytest.fixture
def targeted(local, account):
    def get(audience, **query):
        response = local.get(f"/12/accounts/{account}/custom_audiences/{audience}/targeted", **query)
        assert response.status_code == 200, response.text
        return response.json()

    return get


def grant(client, path, account, level="READ_ONLY"):
    return client.send("POST", path, granted_account_id=account, permission_level=level)


def test_a_permission_is_granted_listed_and_revoked(local, permissions):
    granted = grant(local, permissions, PARTNER, "READ_WRITE").json()["data"]
    assert granted == {
        "id": granted["id"],
        "tailored_audience_id": CUSTOMERS,
        "granted_account_id": PARTNER,
        "permission_level": "READ_WRITE",
        "created_at": granted["created_at"],
        "updated_at": granted["updated_at"],
        "deleted": False,
    }
    listed = local.get(permissions, sort_by="granted_account_id-asc").json()["data"]
    assert [record["granted_account_id"] for record in listed] == [CAFE, PARTNER]
    revoked = local.send("DELETE", f"{permissions}/{granted['id']}").json()["data"]
    assert revoked["deleted"] is True
    assert local.send("DELETE", f"{permissions}/{granted['id']}").status_code == 404
    assert len(local.get(permissions).json()["data"]) == 1


def test_a_second_grant_changes_the_level(local, permissions):
    first = grant(local, permissions, PARTNER).json()["data"]
    second = grant(local, permissions, PARTNER, "READ_WRITE").json()["data"]
    assert (second["id"], second["permission_level"]) == (first["id"], "READ_WRITE")
    assert local.get(permissions, with_total_count="true").json()["total_count"] == 2
    local.send("DELETE", f"{permissions}/{first['id']}")
    assert grant(local, permissions, PARTNER).json()["data"]["id"] != first["id"]


def test_permissions_are_filtered(local, permissions):
    made = grant(local, permissions, PARTNER).json()["data"]["id"]

    def granted(**query):
        return [record["granted_account_id"] for record in local.get(permissions, **query).json()["data"]]

    assert granted(granted_account_ids=f"{PARTNER},none") == [PARTNER]
    assert granted(tailored_audience_permission_ids=made) == [PARTNER]
    assert granted(tailored_audience_permission_ids=made, granted_account_ids=CAFE) == []
    page = local.get(permissions, count="1").json()
    assert granted(count="1", cursor=page["next_cursor"]) == [PARTNER]


def test_only_the_owner_manages_permissions(local, account):
    theirs = f"/5/accounts/{CAFE}/tailored_audiences/{CUSTOMERS}/permissions"
    for response in (grant(local, theirs, PARTNER), local.get(theirs), local.send("DELETE", f"{theirs}/x")):
        assert (response.status_code, errors(response)) == (403, [("FORBIDDEN", None)])
    unshared = theirs.replace(CUSTOMERS, READERS)
    assert grant(local, unshared, PARTNER).status_code == 404
    unknown = f"/5/accounts/{account}/tailored_audiences/none/permissions"
    assert grant(local, unknown, PARTNER).status_code == 404


def test_a_grant_to_an_unknown_account_is_rejected(local, permissions):
    assert errors(grant(local, permissions, "none")) == [("INVALID_PARAMETER", "granted_account_id")]


def test_targeting_line_items_are_grouped_by_campaign(targeted):
    clicks = {"id": CLICKS, "name": "Visits to the shop", "servable": True}
    knit = {
        "campaign_id": KNITTERS,
        "campaign_name": "People who knit",
        "line_items": [{"id": FOLLOWERS, "name": "People who knit", "servable": False}],
    }
    app = {
        "campaign_id": APP,
        "campaign_name": "Shop app",
        "line_items": [{"id": INSTALLS, "name": "Install the shop app", "servable": True}],
    }
    spring = {"campaign_id": SPRING, "campaign_name": "Spring collection"}
    assert targeted(CUSTOMERS)["data"] == [spring | {"line_items": [clicks]}, app]
    assert targeted(CUSTOMERS, with_active="true")["data"] == [spring | {"line_items": [clicks]}, app]
    assert targeted(CUSTOMERS, with_active="false")["data"] == [spring | {"line_items": [clicks]}, knit, app]
    assert targeted(READERS) == targeted(READERS) | {"data": [], "next_cursor": None}


def test_paused_ended_and_deleted_line_items_are_not_servable(local, account, targeted):
    path = f"/12/accounts/{account}/line_items"
    local.send("PUT", f"{path}/{CLICKS}", end_time="2026-03-02T00:00:00Z")
    assert [record["campaign_id"] for record in targeted(CUSTOMERS)["data"]] == [APP]
    local.send("PUT", f"{path}/{INSTALLS}", entity_status="PAUSED")
    assert targeted(CUSTOMERS)["data"] == []
    local.send("DELETE", f"{path}/{INSTALLS}")
    assert [record["campaign_id"] for record in targeted(CUSTOMERS, with_active="false")["data"]] == [
        SPRING,
        KNITTERS,
    ]


def test_targeting_campaigns_are_paged(local, account, targeted, monkeypatch):
    monkeypatch.setattr("ads_cli.emulator.resources.audiences.CAMPAIGNS_PER_PAGE", 1)
    first = targeted(CUSTOMERS)
    second = targeted(CUSTOMERS, cursor=first["next_cursor"])
    assert [first["data"][0]["campaign_id"], second["data"][0]["campaign_id"]] == [SPRING, APP]
    assert second["next_cursor"] is None
    path = f"/12/accounts/{account}/custom_audiences/{CUSTOMERS}/targeted"
    assert errors(local.get(path, cursor="nonsense")) == [("INVALID_PARAMETER", "cursor")]


def test_a_do_not_reach_list_is_deleted_once(local, account):
    path = f"/12/accounts/{account}/do_not_reach_lists"
    assert local.send("DELETE", f"/12/accounts/{CAFE}/do_not_reach_lists/{UNSUBSCRIBED}").status_code == 404
    deleted = local.send("DELETE", f"{path}/{UNSUBSCRIBED}").json()["data"]
    assert (deleted["deleted"], deleted["targetable"], deleted["list_size"]) == (True, True, 1840)
    assert local.send("DELETE", f"{path}/{UNSUBSCRIBED}").status_code == 404


def search(client, **query):
    given = {"keywords": "mug", "granularity": "DAY", "start_time": "2026-03-01T00:00:00Z"}
    response = client.get(SEARCH, **given | {"end_time": "2026-03-08T00:00:00Z"} | query)
    assert response.status_code == 200, response.text
    return response.json()["data"]


@both_services
def test_keywords_have_30_related_ones_and_a_volume_per_step(local):
    records = search(local)
    assert len(set(records["related_keywords"])) == 30 and len(records["post_volume"]) == 7
    hours = search(local, granularity="HOUR")["post_volume"]
    assert len(hours) == 7 * 24
    assert [sum(hours[day * 24 : day * 24 + 24]) for day in range(7)] == records["post_volume"]
    assert search(local) == records


@both_services
def test_volumes_depend_on_the_keywords(local):
    mug, cup = search(local)["post_volume"], search(local, keywords="cup")["post_volume"]
    both = search(local, keywords="mug,cup")["post_volume"]
    assert both == [a + b for a, b in zip(mug, cup, strict=True)]
    fewer = search(local, negative_keywords="beer")["post_volume"]
    assert all(0 < less < more for less, more in zip(fewer, mug, strict=True))
    assert search(local, location="0fc2e8f588955000")["post_volume"] != mug


def test_keyword_limits_are_enforced(local):
    window = {"start_time": "2026-03-01T00:00:00Z", "end_time": "2026-03-08T00:00:01Z"}
    response = local.get(SEARCH, keywords="a,b,c,d,e,f", negative_keywords="g,h,i,j,k", **window)
    assert sorted(errors(response)) == [
        ("INVALID_PARAMETER", "end_time"),
        ("INVALID_PARAMETER", "keywords"),
        ("MISSING_PARAMETER", "granularity"),
    ]


@both_services
def test_keyword_volumes_end_now_by_default(local, time_machine):
    time_machine.move_to("2026-03-08T12:30:00Z", tick=False)
    response = local.get(SEARCH, keywords="mug", granularity="HOUR", start_time="2026-03-08T10:00:00Z")
    assert len(response.json()["data"]["post_volume"]) == 3


def test_permission_commands(adsctl):
    words = ("audiences", "permissions")
    made = adsctl.local(
        *(*words, "grant", "--audience", CUSTOMERS, "--granted-account-id", PARTNER),
        *("--permission-level", "READ_ONLY", "-o", "ids"),
    ).stdout.strip()
    listed = adsctl.local(*words, "list", "--audience", CUSTOMERS, "-o", "ids").stdout.split()
    assert listed[-1] == made
    assert (
        "new campaigns of that account cannot use the audience"
        in adsctl.local(*words, "revoke", made, "--audience", CUSTOMERS, code=12).stderr
    )
    adsctl.local(*words, "revoke", made, "--audience", CUSTOMERS, "--yes")
    adsctl.local(*words, "revoke", made, "--audience", CUSTOMERS, "--yes", code=5)


def test_targeting_and_do_not_reach_commands(adsctl):
    shown = adsctl.local(
        "audiences", "targeted", CUSTOMERS, "--no-with-active", "--query", "[].line_items[].id"
    )
    assert shown.stdout.split() == [CLICKS, FOLLOWERS, INSTALLS]
    adsctl.local("audiences", "do-not-reach", "delete", UNSUBSCRIBED, "--yes")
    adsctl.local("audiences", "do-not-reach", "delete", UNSUBSCRIBED, "--yes", code=5)


def combination(name, *audiences, **more):
    leaves = [{"custom_audience_id": audience, "child_segments": []} for audience in audiences]
    segments = {"boolean_operator": "OR", "child_segments": leaves}
    params = {"name": name, "audience_type": "FLEXIBLE", "segments": segments}
    return {"operation_type": "Create", "params": params | more}


@both_services
def test_combinations_are_made_all_or_none(local, account):
    path, listed = (f"/12/{batch}accounts/{account}/custom_audiences" for batch in ("batch/", ""))
    before = local.get(listed).json()["data"]
    wrong = [combination("A", INSTALLED), combination("B", READERS), combination("C", segments=None)]
    refused = local.send("POST", path, json_body=wrong)
    assert refused.status_code == 400 and refused.json()["errors"] == []
    codes = [[error["parameter"] for error in failures] for failures in refused.json()["operation_errors"]]
    assert codes == [[], ["segments"], ["segments"]]
    assert local.get(listed).json()["data"] == before
    made = local.send(
        "POST", path, json_body=[combination("B", INSTALLED.upper()), combination("A", BASKETS)]
    )
    assert [record["name"] for record in made.json()["data"]] == ["B", "A"]
    assert errors(local.send("POST", path, json_body=wrong * 4)) == [("INVALID_PARAMETER", None)]
    assert errors(local.send("POST", path, json_body={"name": "A"})) == [("BAD_REQUEST", None)]


@pytest.mark.parametrize(("service_name", "owner"), [("generic", "owner_account_id"), ("x", "is_owner")])
def test_an_update_answers_the_owner_as_the_service_does(local, account, owner):
    path = f"/12/accounts/{account}/custom_audiences/{READERS}"
    changed = local.send("PUT", path, description="Hamburg").json()["data"]
    assert changed.keys() & {"owner_account_id", "is_owner"} == {owner}
    assert changed[owner] == (account if owner == "owner_account_id" else True)
    assert local.get(path).json()["data"]["owner_account_id"] == account
