"""The life of what measures conversions: typed commands, under both services."""

import json
import re

import pytest

from ads_cli.api.ab_tests import ChangedGroup
from ads_cli.api.validation import check
from tests.emulator.seeded import (
    APP,
    CAFE,
    CLICKS,
    FILMS,
    PROVIDER,
    PURCHASES,
    SPRING,
    SPRING_TEST,
    SUMMER,
    TRAIL_APPS,
    VISITS,
)

WEB, APP_TAGS, LISTS = (
    ("measurement", f"{kind}s") for kind in ("web-event-tag", "app-event-tag", "app-list")
)
PROVIDERS = ("measurement", "app-event-provider-configurations")
TESTS = ("measurement", "ab-tests")
IOS_APP = "1066718842"  # which a line item advertises
START, END = "2098-01-01T00:00:00Z", "2098-01-15T00:00:00Z"


def ids(records) -> list[str]:
    return [record["id"] for record in records]


def test_a_web_event_tag_is_created_listed_changed_and_deleted(run):
    words = ("--name", "Checkout", "--type", "CHECKOUT_INITIATED", "--no-retargeting-enabled")
    made = run(*WEB, "create", *words, "--click-window", "30", "--view-through-window", "7")
    about = {"name": "Checkout", "status": "UNVERIFIED", "click_window": 30, "view_through_window": 7}
    assert made.items() >= (about | {"retargeting_enabled": False, "deleted": False}).items()
    assert made["id"] in made["embed_code"] and not {"created_at", "updated_at"} & made.keys()
    assert run(*WEB, "get", made["id"]) == made
    assert ids(run(*WEB, "list", "--sort-by", "name-asc")) == [made["id"], PURCHASES, VISITS]
    assert ids(run(*WEB, "list", "--web-event-tag-ids", f"{VISITS},{made['id']}")) == [VISITS, made["id"]]
    assert run(*WEB, "update", made["id"], "--click-window", "14")["click_window"] == 14
    refused = run(*WEB, "update", made["id"], "--click-window", "1", code=6)
    assert "view_through_window" in refused
    assert run(*WEB, "delete", made["id"])["deleted"] is True
    assert made["id"] not in ids(run(*WEB, "list"))
    assert made["id"] in ids(run(*WEB, "list", "--with-deleted"))


def test_views_do_not_count_longer_than_clicks(adsctl):
    words = ("--name", "a", "--type", "SEARCH", "--retargeting-enabled", "--click-window", "1")
    refused = adsctl.local(*WEB, "create", *words, "--view-through-window", "7", code=2)
    assert "--view-through-window: 7 is more than click_window, 1" in refused.stderr


def test_an_app_event_tag_is_created_listed_and_deleted(run):
    words = ("--app-store-identifier", IOS_APP, "--os-type", "IOS", "--conversion-type", "PURCHASE")
    made = run(
        *APP_TAGS, "create", *words, "--provider-app-event-id", "e1", "--provider-app-event-name", "buy"
    )
    about = {"post_view_attribution_window": 1, "post_engagement_attribution_window": 30}
    assert made.items() >= (about | {"retargeting_enabled": True, "provider_app_event_name": "buy"}).items()
    assert run(*APP_TAGS, "get", made["id"]) == made
    assert made["id"] in ids(run(*APP_TAGS, "list", "--with-total-count"))
    assert run(*APP_TAGS, "delete", made["id"])["deleted"] is True
    assert "does not exist" in run(*APP_TAGS, "get", made["id"], code=5)


def test_an_app_list_is_created_listed_and_deleted(run):
    made = run(*LISTS, "create", "--name", "Outdoor", "--app-store-identifiers", "1029384701,example.trails")
    assert made["apps"] == [
        {"app_store_identifier": "1029384701", "os_type": "IOS"},
        {"app_store_identifier": "example.trails", "os_type": "ANDROID"},
    ]
    assert run(*LISTS, "get", made["id"]) == made
    assert ids(run(*LISTS, "list", "--sort-by", "name-asc")) == [made["id"], TRAIL_APPS]
    assert run(*LISTS, "delete", made["id"])["deleted"] is True


def test_an_account_has_one_provider(run):
    assert ids(run(*PROVIDERS, "list")) == [PROVIDER]
    refused = run(*PROVIDERS, "create", "--provider-advertiser-id", "a", code=6)
    assert "the account has a provider already" in refused
    made = run(*PROVIDERS, "create", "--provider-advertiser-id", "a", "--account", CAFE)
    assert run(*PROVIDERS, "get", made["id"], "--account", CAFE) == made
    assert run(*PROVIDERS, "delete", PROVIDER)["deleted"] is True
    assert run(*PROVIDERS, "create", "--provider-advertiser-id", "b")["provider_advertiser_id"] == "b"


def groups(*entities: str, sizes=("50.00", "50")) -> str:
    return json.dumps([{"size": size, "entity_ids": [id]} for size, id in zip(sizes, entities, strict=False)])


def test_an_ab_test_is_created_listed_changed_and_deleted(run):
    create = (*TESTS, "create", "--entity-type", "CAMPAIGN", "--start-time", START, "--end-time", END)
    taken = run(*create, "--user-groups", groups(SPRING, APP), code=6)
    assert f"{SPRING} is in a test already" in taken
    run(*TESTS, "delete", SPRING_TEST)
    made = run(*create, "--name", "Which", "--user-groups", groups(SPRING, APP))
    assert (made["status"], made["name"]) == ("SCHEDULED", "Which")
    assert ids(made["entities"]) == [SPRING, APP]
    assert run(*TESTS, "list", "--status", "SCHEDULED", "--q", "wh") == [made]
    assert run(*TESTS, "list", "--status", "LIVE") == []
    assert run(*TESTS, "list", "--live-during", f"{START},{END}") == [made]
    assert run(*TESTS, "list", "--live-during", "2090-01-01T00:00:00Z,2091-01-01T00:00:00Z") == []
    first, second = ids(made["user_groups"])
    sizes = [{"id": first, "size": "30.00"}, {"id": second, "size": "70.00"}]
    changed = run(*TESTS, "update", made["id"], "--name", "Sizes", "--user-groups", json.dumps(sizes))
    assert [group["size"] for group in changed["user_groups"]] == ["30.00", "70.00"]
    assert [group["entity_ids"] for group in changed["user_groups"]] == [[SPRING], [APP]]
    assert run(*TESTS, "delete", made["id"])["deleted"] is True
    assert "does not exist" in run(*TESTS, "delete", made["id"], code=5)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--user-groups", groups(APP, FILMS, sizes=("50", "49.99"))), "sizes of 99.99 percent together"),
        (("--user-groups", groups(APP)), "has 1 item, at least 2 are needed"),
        (("--user-groups", groups(APP, FILMS), "--end-time", START), "is not after start_time"),
        (
            ("--user-groups", groups(APP, FILMS), "--end-time", START.replace("T00", "T12")),
            "--end-time: is not a day after start_time",
        ),
        (("--user-groups", groups(APP, FILMS, sizes=("0.5", "99.5"))), "user_groups[0].size"),
        (("--user-groups", groups(APP, FILMS, sizes=("50", "99.01"))), "user_groups[1].size"),
        (("--user-groups", groups(APP, APP)), f"--user-groups: names {APP} more than once"),
    ],
)
def test_an_ab_test_that_cannot_be_is_refused_before_it_is_sent(adsctl, words, reason):
    times = ("--start-time", START) + (() if "--end-time" in words else ("--end-time", END))
    refused = adsctl.local(*TESTS, "create", "--entity-type", "CAMPAIGN", *times, *words, code=2)
    assert reason in refused.stderr


OF_LINE_ITEMS = (*TESTS, "create", "--entity-type", "LINE_ITEM", "--start-time", START, "--end-time", END)


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        (("17", "17", "17", "17", "16", "16"), "has 6 groups, at most 5 are allowed"),
        (("40", "60"), "has sizes from 40 to 60, equal ones are needed"),
        (("33.32", "33.34", "33.34"), "has sizes from 33.32 to 33.34, equal ones are needed"),
    ],
)
def test_a_test_of_line_items_has_five_groups_of_one_size_at_most(adsctl, sizes, reason):
    parts = groups(*(f"9d4c{number}" for number, _ in enumerate(sizes)), sizes=sizes)
    refused = adsctl.local(*OF_LINE_ITEMS, "--user-groups", parts, code=2)
    assert f"--user-groups: {reason} where entity_type is LINE_ITEM" in refused.stderr


@pytest.mark.parametrize("sizes", [("33.33", "33.33", "33.34"), ("20",) * 5])
def test_a_test_of_line_items_has_parts_that_are_as_equal_as_can_be(adsctl, sizes):
    parts = groups(*(f"9d4c{number}" for number, _ in enumerate(sizes)), sizes=sizes)
    adsctl.local(*OF_LINE_ITEMS, "--user-groups", parts, "--dry-run")


def test_a_test_of_line_items_has_one_in_each_group(adsctl):
    pair = [{"size": "50", "entity_ids": [CLICKS, "9d4c2"]}, {"size": "50", "entity_ids": ["9d4d1"]}]
    refused = adsctl.local(*OF_LINE_ITEMS, "--user-groups", json.dumps(pair), code=2)
    assert "--user-groups: has a group of 2 line items, at most 1 is allowed in each" in refused.stderr


def test_a_help_speaks_of_an_ab_test_and_of_exactly_two_times(adsctl):
    assert "AB_TEST_ID  The A/B test" in adsctl(*TESTS, "delete", "--help").stdout
    assert "(exactly 2 items)" in " ".join(adsctl(*TESTS, "list", "--help").stdout.split())


def test_unknown_fields_are_named_in_their_order(adsctl):
    names = ["zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"]
    parts = json.loads(groups(APP, FILMS))
    parts[0] |= dict.fromkeys(names, "x")
    words = ("--entity-type", "CAMPAIGN", "--start-time", START, "--end-time", END)
    stderr = adsctl.local(*TESTS, "create", *words, "--user-groups", json.dumps(parts), code=2).stderr
    assert re.findall(r"user_groups\[0\]\.(\w+): is not a known field", stderr) == names


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ("--start-time", START, "--end-time", START.replace("T00", "T02")),
            "--end-time: is not a day after",
        ),
        (("--user-groups", '[{"id": "u4e91-1"}, {"size": "50"}]'), "[1].entity_ids: is required unless id"),
        (
            ("--user-groups", f'[{{"id": "u4e91-1"}}, {{"entity_ids": ["{APP}"]}}]'),
            "[1].size: is required unless id",
        ),
        (
            (
                "--user-groups",
                f'[{{"id": "u4e91-1", "entity_ids": ["{APP}", "{APP}"]}}, {{"id": "u4e91-2"}}]',
            ),
            f"names {APP} more than once",
        ),
    ],
)
def test_a_change_that_cannot_be_is_refused_before_it_is_sent(adsctl, words, reason):
    assert reason in adsctl.local(*TESTS, "update", SPRING_TEST, *words, code=2).stderr


SAME, ADDED = {"id": "u4e91-1", "size": "50"}, {"size": "50", "entity_ids": [APP]}


def test_groups_are_changed_by_their_ids_or_replaced_without_them(adsctl):
    """As the service states: an id never where groups are added or removed."""
    update = (*TESTS, "update", SPRING_TEST, "--user-groups")
    stderr = adsctl.local(*update, json.dumps([SAME, ADDED]), code=2).stderr
    assert "has groups with and without id: where some are added or removed, none may have one" in stderr
    document = adsctl.file("ab-test.json", json.dumps({"user_groups": [SAME, ADDED]}))
    assert "with and without id" in adsctl.local(*TESTS, "update", SPRING_TEST, "-f", document, code=3).stderr
    added = [{"id": "u4e91-1"}, {"id": "u4e91-2"}, {"id": "u4e91-3", "size": "1", "entity_ids": [APP]}]
    stderr = adsctl.local(*update, json.dumps(added), code=6).stderr
    assert "the user group u4e91-3 does not exist" in stderr
    new = [ADDED, ADDED | {"entity_ids": [FILMS]}]
    changed = json.loads(adsctl.local("-o", "json", *update, json.dumps(new)).stdout)
    assert [group["entity_ids"] for group in changed["user_groups"]] == [[APP], [FILMS]]


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ([SAME, ADDED], "has groups with and without id"),
        ([SAME, SAME | {"entity_ids": [APP]}], "must have no id where groups are added or removed"),
    ],
)
def test_the_emulator_takes_ids_of_groups_only_where_all_stay(adsctl, sent, reason):
    body = adsctl.file("body.json", json.dumps({"user_groups": sent}))
    path = f"/12/accounts/{{account_id}}/ab_tests/{SPRING_TEST}"
    assert reason in adsctl.local("api", "PUT", path, "--input", body, code=6).stderr


def test_a_change_after_which_sizes_do_not_add_up_is_refused(adsctl):
    resized = '[{"id": "u4e91-1", "size": "60"}, {"id": "u4e91-2"}]'
    refused = adsctl.local(*TESTS, "update", SPRING_TEST, "--user-groups", resized, code=6)
    assert "user_groups: has sizes of 110.00 percent together, not 100.00" in refused.stderr


@pytest.mark.parametrize("size", ["1", "1.00", "9.5", "10", "89.99", "98.99", "99", "99.0", "99.00"])
def test_a_size_is_from_one_to_99_percent(size):
    assert check(ChangedGroup, {"id": "a", "size": size})[1] == []


@pytest.mark.parametrize("size", ["0.99", "01", "99.01", "99.99", "100", "5.555", "5.", "99.001", "50\n"])
def test_another_size_is_refused(size):
    assert [problem.path for problem in check(ChangedGroup, {"id": "a", "size": size})[1]] == ["size"]


def test_a_test_fits_the_campaigns_that_it_is_about(adsctl):
    create = (*TESTS, "create", "--start-time", START, "--user-groups")
    words = (groups(CLICKS, "9d4c2"), "--entity-type", "LINE_ITEM", "--end-time", END)
    refused = adsctl.local(*create, *words, code=6)
    assert "user_groups: must be all line items of one campaign" in refused.stderr
    words = (groups(APP, FILMS), "--entity-type", "CAMPAIGN", "--end-time", START.replace("-01T", "-03T"))
    adsctl.local(*TESTS, "delete", SPRING_TEST, "--yes")
    refused = adsctl.local(*create, *words, code=6)
    assert "end_time: must be 5 days or more after start_time, for a test of apps" in refused.stderr
    adsctl.local(*create, groups(CLICKS, SUMMER), "--entity-type", "LINE_ITEM", "--end-time", END)


def test_a_test_whose_campaign_is_gone_can_still_be_renamed(run):
    run("campaigns", "delete", FILMS)
    assert run(*TESTS, "update", SPRING_TEST, "--name", "Spring alone")["name"] == "Spring alone"


def test_conversions_of_an_app_are_attributed(run):
    words = ("--app-id", IOS_APP, "--os-type", "IOS", "--conversion-type", "INSTALL")
    words += ("--conversion-time", "2026-03-01T09:00:00+01:00")
    shown = {}
    for device in ("a", "b", "c", "d"):
        event = run("measurement", "conversion-events", "create", *words, "--hashed-device-id", device)
        same = run("measurement", "conversion-attribution", "get", *words, "--hashed-device-id", device)
        assert event["platform_attribution"] == same["platform_attribution"]
        assert event["conversion_time"] == "2026-03-01T08:00:00.000Z"
        assert (event["click_window"], event["view_through_window"]) == (14, 1)
        shown[device] = event["platform_attribution"]
    assert None in shown.values()
    attributed = next(record for record in shown.values() if record)
    assert attributed["promoted_properties"]["line_item_objective"] == "APP_INSTALLS"
    assert attributed["post_id"]
