"""The life of audiences, permissions and do-not-reach lists: typed commands, under both services."""

import json

from ads_cli.api.audience_insights import PRIMARY_TYPES
from ads_cli.emulator.resources.audience_insights import PEOPLE as ADDED
from tests.emulator.seeded import (
    BASKETS,
    CAFE,
    CLICKS,
    CUSTOMERS,
    FAIR,
    INSTALLED,
    PARTNER,
    REACH,
    READERS,
    REGULARS,
    SHOP,
)

PEOPLE = "".join(f"user{number}@shop.example\n" for number in range(120))


def test_an_audience_is_created_filled_found_renamed_and_deleted(run):
    made = run("audiences", "create", "--name", "Mug lovers", "--description", "Bought a mug")
    audience = made["id"]
    assert (made["audience_size"], made["targetable"]) == (None, False)
    assert made["reasons_not_targetable"] == ["PROCESSING", "TOO_SMALL"]
    assert run("audiences", "get", audience) == made
    run("audiences", "push", run.file("all.csv", f"email\n{PEOPLE}"), "--audience", audience)
    filled = run("audiences", "get", audience)
    assert (filled["audience_size"], filled["targetable"]) == (120, True)
    assert run("audiences", "list", "--q", "mug") == [filled]
    renamed = run("audiences", "update", audience, "--name", "Mug people")
    assert (renamed["name"], renamed["description"]) == ("Mug people", "Bought a mug")
    assert run("audiences", "delete", audience)["deleted"] is True
    assert "does not exist" in run("audiences", "get", audience, code=5)
    assert run("audiences", "get", audience, "--with-deleted")["deleted"] is True
    assert audience not in [record["id"] for record in run("audiences", "list")]
    listed = run("audiences", "list", "--with-deleted", "--custom-audience-ids", audience)
    assert [record["id"] for record in listed] == [audience]


def test_the_size_follows_the_people_and_decides_what_can_be_targeted(run):
    words = ("targeting", "add", "--line-item", REACH, "--targeting-type", "CUSTOM_AUDIENCE")
    assert "cannot be targeted: TOO_SMALL" in run(*words, "--targeting-value", REGULARS, code=6)
    file = run.file("all.csv", f"email\n{PEOPLE}")
    run("audiences", "push", file, "--audience", REGULARS)
    assert run("audiences", "get", REGULARS)["audience_size"] == 64 + 120
    assert run(*words, "--targeting-value", REGULARS)["targeting_value"] == REGULARS
    run("audiences", "push", file, "--audience", REGULARS, "--operation", "delete")
    small = run("audiences", "get", REGULARS)
    assert (small["audience_size"], small["reasons_not_targetable"]) == (64, ["TOO_SMALL"])


def test_two_audiences_of_an_account_have_different_names(run):
    assert "has this name" in run("audiences", "create", "--name", "Customers", code=6)
    assert "has this name" in run("audiences", "update", READERS, "--name", "Customers", code=6)
    assert run("audiences", "update", CUSTOMERS, "--name", "Customers")["name"] == "Customers"
    run("audiences", "delete", READERS)
    assert run("audiences", "create", "--name", "Readers of the newsletter")["id"] != READERS
    elsewhere = run("audiences", "create", "--name", "Customers", "--account", CAFE)
    assert elsewhere["owner_account_id"] == CAFE


def test_a_deleted_audience_still_shows_what_targets_it_and_is_targeted_no_more(run):
    run("audiences", "delete", CUSTOMERS)
    targeted = run("audiences", "targeted", CUSTOMERS)
    assert CLICKS in [item["id"] for criterion in targeted for item in criterion["line_items"]]
    kept = run("targeting", "list", "--line-items", CLICKS)
    assert CUSTOMERS in [criterion["targeting_value"] for criterion in kept]
    words = ("--targeting-type", "CUSTOM_AUDIENCE", "--targeting-value", CUSTOMERS)
    assert "does not exist" in run("targeting", "add", "--line-item", REACH, *words, code=6)


def test_a_shared_audience_is_listed_and_shown_but_not_changed(run):
    (shared,) = run("audiences", "list", "--permission-scope", "SHARED")
    assert (shared["id"], shared["owner_account_id"]) == (FAIR, PARTNER)
    assert run("audiences", "list", "--permission-scope", "SHARED", "--custom-audience-ids", CUSTOMERS) == []
    assert shared["permission_level"] == "READ_ONLY" and run("audiences", "get", FAIR) == shared
    own = run("audiences", "list")
    assert {record["permission_level"] for record in own} == {"READ_WRITE"} and FAIR not in [
        o["id"] for o in own
    ]
    assert "does not own it" in run("audiences", "update", FAIR, "--name", "Mine", code=4)
    assert "does not own it" in run("audiences", "delete", FAIR, code=4)
    (lent,) = run("audiences", "list", "--permission-scope", "SHARED", "--account", CAFE)
    assert (lent["id"], lent["owner_account_id"]) == (CUSTOMERS, SHOP)


def test_a_permission_is_granted_listed_and_revoked(run):
    words = ("--audience", READERS)
    grant = ("--granted-account-id", PARTNER, "--permission-level", "READ_ONLY")
    made = run("audiences", "permissions", "grant", *words, *grant)
    assert run("audiences", "permissions", "list", *words) == [made]
    assert run("audiences", "permissions", "revoke", made["id"], *words)["deleted"] is True
    assert run("audiences", "permissions", "list", *words) == []


def test_sharing_with_another_business_needs_a_feature(run):
    words = ("audiences", "permissions", "grant", "--audience", READERS, "--permission-level", "READ_ONLY")
    run("accounts", "features", "remove", "--feature-keys", "SHARE_AUDIENCE_OUTSIDE_BUSINESS")
    outside = run(*words, "--granted-account-id", PARTNER, code=6)
    assert "needs the feature SHARE_AUDIENCE_OUTSIDE_BUSINESS" in outside
    assert run(*words, "--granted-account-id", SHOP)["granted_account_id"] == SHOP


def test_an_account_has_one_do_not_reach_list(run):
    words = ("audiences", "do-not-reach")
    (records,) = run(*words, "list")
    assert (records["list_size"], records["targetable"]) == (1840, True)
    assert records["id"] in run(*words, "create", code=6)
    assert run(*words, "delete", records["id"])["deleted"] is True
    made = run(*words, "create", "--description", "Asked us to stop")
    assert made["reasons_not_targetable"] == ["PROCESSING", "TOO_SMALL"] and made["list_size"] is None
    run(*words, "push", run.file("all.csv", f"email\n{PEOPLE}"), "--list", made["id"])
    (filled,) = run(*words, "list")
    assert (filled["id"], filled["list_size"]) == (made["id"], 120)
    assert len(run(*words, "list", "--with-deleted")) == 2


def estimated(run, *criteria):
    size = run("audiences", "estimate", "--targeting-criteria", json.dumps(criteria))["audience_size"]
    assert 0 < size["min"] < size["max"]
    return size["min"]


def criterion(targeting_type, targeting_value, **more):
    return {"targeting_type": targeting_type, "targeting_value": targeting_value, **more}


def test_an_estimate_grows_with_what_adds_people_and_shrinks_with_what_limits_them(run):
    knitting, mugs = criterion("INTEREST", "8005"), criterion("BROAD_KEYWORD", "mugs")
    alone = estimated(run, knitting)
    assert estimated(run, knitting, mugs) > alone
    adults = criterion("AGE", "AGE_25_TO_54")
    assert estimated(run, knitting, adults) < alone
    assert estimated(run, knitting, adults, criterion("LANGUAGE", "de", operator_type="NE")) < alone
    app, basket = criterion("CUSTOM_AUDIENCE", INSTALLED), criterion("CUSTOM_AUDIENCE", BASKETS)
    assert 1000 < estimated(run, app) < estimated(run, app, basket) < 2010
    assert estimated(run, app, basket | {"operator_type": "NE"}) < estimated(run, app)


def test_an_estimate_needs_criteria_that_add_people_and_exist(run):
    words = ("audiences", "estimate", "--targeting-criteria")
    adults = criterion("AGE", "AGE_25_TO_54")
    without = run(*words, json.dumps([adults]), code=2)
    assert "needs one of followers, an audience, an interest, a keyword or a TV show" in without
    excluded = criterion("INTEREST", "8005", operator_type="NE")
    assert "needs one of followers" in run(*words, json.dumps([excluded]), code=2)
    wrong = [criterion("AGE", "old"), criterion("INTEREST", "8005", operator_type="LT")]
    error = run(*words, json.dumps(wrong), code=2)
    assert "targeting_criteria[0].targeting_value: 'old'" in error
    assert "targeting_criteria[1].operator_type: 'LT' is not one of EQ, NE" in error
    unknown = [criterion("CUSTOM_AUDIENCE", "nobody")]
    assert "the audience nobody does not exist" in run(*words, json.dumps(unknown), code=6)
    knitting = criterion("INTEREST", "8005")
    for limiting, error in (
        (criterion("LOCATION", "nonsense"), "'nonsense' names none of the locations"),
        (criterion("CUSTOM_AUDIENCE", "nobody", operator_type="NE"), "the audience nobody does not exist"),
    ):
        assert error in run(*words, json.dumps([knitting, limiting]), code=6)


def test_every_type_that_adds_people_has_a_number_of_them():
    assert {*PRIMARY_TYPES} == {*ADDED, "CUSTOM_AUDIENCE", "CUSTOM_AUDIENCE_EXPANDED"}


def test_a_combined_audience_is_estimated_as_those_that_it_is_made_of(run):
    (either,) = run("audiences", "combine", "--name", "Users", "--any-of", f"{INSTALLED},{BASKETS}")
    parts = [criterion("CUSTOM_AUDIENCE", audience) for audience in (INSTALLED, BASKETS)]
    assert estimated(run, criterion("CUSTOM_AUDIENCE", either["id"])) == estimated(run, *parts)


def test_audiences_are_combined_and_the_result_is_not_changed(run):
    words = ("audiences", "combine", "--name")
    (either,) = run(*words, "Users of the app", "--any-of", f"{INSTALLED},{BASKETS}")
    assert (either["audience_type"], either["audience_size"]) == ("FLEXIBLE", 1280 + 730)
    tree = either["metadata"][0]["segments"]
    assert tree["boolean_operator"] == "OR" and len(tree["child_segments"]) == 2
    (both,) = run(*words, "Users with a basket", "--all-of", f"{INSTALLED},{BASKETS}")
    assert both["audience_size"] == 730 and both["targetable_types"] == ["FLEXIBLE", "EXCLUDED_FLEXIBLE"]
    shown = run("audiences", "get", either["id"])
    assert shown == {name: value for name, value in either.items() if name != "metadata"}
    assert "cannot be changed" in run("audiences", "update", either["id"], "--name", "Users", code=6)
    assert run("audiences", "delete", either["id"])["deleted"] is True


def test_combinations_of_a_file_are_made_ten_at_a_time(run):
    """Records as the service has them; all of one request or none, so that what it refuses is left out."""
    leaves = [
        {"custom_audience_id": audience, "negate": False, "child_segments": []}
        for audience in (INSTALLED, BASKETS)
    ]
    segments = {"boolean_operator": "OR", "child_segments": leaves}
    rows = [{"name": f"Users {n}", "audience_type": "FLEXIBLE", "segments": segments} for n in range(12)]
    foreign = {"custom_audience_id": CUSTOMERS, "child_segments": []}
    rows[3] = rows[3] | {"segments": segments | {"child_segments": [foreign]}}
    file = run.file("many.json", json.dumps(rows))
    words = ("audiences", "combine", "-f", file)
    shown = run(*words, "--dry-run")
    assert [len(record["body"]) for record in shown] == [10, 2]
    assert shown[0]["body"][0] == {"operation_type": "Create", "params": rows[0]}
    error = run(*words, "--failed-out", "failed.jsonl", code=9)
    assert "no mobile audience" in error and "11 created, 1 failed" in error
    made = [record["name"] for record in run("audiences", "list", "--q", "Users ")]
    assert made == [row["name"] for row in rows if row is not rows[3]]
    bad = run.file("bad.json", json.dumps([rows[0] | {"segments": None}, {"name": ""}]))
    error = run("audiences", "combine", "-f", bad, code=3)
    for problem in ("segments: is required when audience_type is FLEXIBLE", "audience_type: is required"):
        assert problem in error
    assert "--resume: is for a file of several records" in run("audiences", "combine", "--resume", code=2)


def test_a_combination_is_checked_before_it_is_sent_and_by_the_service(run):
    words = ("audiences", "combine", "--name", "Users")
    assert "give one of --any-of, --all-of and --segments" in run(*words, code=2)
    assert "--all-of: names no audience" in run(*words, "--all-of", ",", code=2)
    both = run(*words, "--any-of", INSTALLED, "--segments", "{}", code=2)
    assert "give one of --any-of, --all-of and --segments" in both
    leaf = {"custom_audience_id": INSTALLED, "child_segments": []}
    wrong = {"child_segments": [leaf | {"lookback_window": 2}, {"child_segments": []}, leaf]}
    error = run(*words, "--segments", json.dumps(wrong), code=2)
    assert "--segments segments.child_segments[0].lookback_window: '2' is not one of 1, 7, 14, 30" in error
    assert (
        "--segments segments.child_segments[1].custom_audience_id: is required unless child_segments is set"
        in error
    )
    no_operator = run(*words, "--segments", json.dumps({"child_segments": [leaf]}), code=2)
    assert "--segments segments.child_segments: needs boolean_operator" in no_operator
    many = run(*words, "--any-of", ",".join([INSTALLED] * 11), code=2)
    assert "--segments: name 11 audiences, at most 10 are allowed" in many
    assert f"no mobile audience {CUSTOMERS}" in run(*words, "--any-of", CUSTOMERS, code=6)
    assert "has this name" in run("audiences", "combine", "--name", "Customers", "--any-of", BASKETS, code=6)
