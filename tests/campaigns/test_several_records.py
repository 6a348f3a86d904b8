"""Several records by one command: ids, --where, and amounts that --set changes by a share."""

import json

import pytest

from tests.emulator.seeded import HAMBURG, KNITTERS, SPRING, WINTER, named

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])
DAY = "daily_budget_amount_local_micro"


def called(writes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(method, url.partition("?")[0].rpartition("/")[2]) for method, url in writes]


def records(adsctl, *words: str, code: int = 0) -> list[dict]:
    return json.loads(adsctl("-q", *words, "-o", "json", code=code).stdout)


def budgets(adsctl, *ids: str) -> list[int]:
    return [record[DAY] for record in records(adsctl, "campaigns", "get", *ids)]


@both_services
def test_several_ids_are_changed_by_one_request_and_shown_as_a_list(adsctl, service, service_name, writes):
    changed = records(adsctl, "campaigns", "update", HAMBURG, SPRING, "--entity-status", "PAUSED")
    assert [(record["id"], record["entity_status"]) for record in changed] == [
        (HAMBURG, "PAUSED"),
        (SPRING, "PAUSED"),
    ]
    assert called(writes) == [("POST", "campaigns")]
    record = records(adsctl, "campaigns", "get", SPRING)
    assert isinstance(record, dict) and record["entity_status"] == "PAUSED"
    assert isinstance(records(adsctl, "campaigns", "update", SPRING, "--name", "Spring"), dict)
    assert "request" in records(adsctl, "campaigns", "update", SPRING, "--set", "name=Spring", "--envelope")
    listed = records(adsctl, "campaigns", "get", SPRING, HAMBURG, SPRING)
    assert [record["id"] for record in listed] == [SPRING, HAMBURG] and listed[0] == record | {
        "name": "Spring",
        "updated_at": listed[0]["updated_at"],
    }


@both_services
def test_what_is_refused_is_named_and_the_others_are_changed(adsctl, service, service_name):
    done = adsctl(
        *("campaigns", "update", SPRING, "nope", HAMBURG, "--daily-budget", "5", "-y", "-o", "json"), code=9
    )
    assert [record["id"] for record in json.loads(done.stdout)] == [SPRING, HAMBURG]
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["exit_code"] == 9 and "nope: " in error["message"] and "2 of 3" in error["message"]
    shown = adsctl("campaigns", "get", SPRING, "nope", "-o", "ids", code=9)
    assert shown.stdout.split() == [SPRING] and "nope" in shown.stderr
    assert "nope" in adsctl("campaigns", "get", "nope", "no", code=5).stderr
    ads = [record["id"] for record in records(adsctl, "promoted", "posts", "list")]
    done = adsctl("promoted", "posts", "delete", *ads[:2], "nope", "-y", code=9)
    assert "nope: " in done.stderr
    left = [record["id"] for record in records(adsctl, "promoted", "posts", "list")]
    assert left == ads[2:]


def test_records_are_deleted_after_one_question_that_counts_them(adsctl, service, writes):
    message = adsctl("line-items", "delete", "9d4c1", "9d4c2", code=12).stderr
    assert (
        "Delete 2 line items: Visits to the shop (9d4c1), All of Hamburg (9d4c2); this cannot be undone"
        in message
        and not writes
    )
    gone = records(adsctl, "line-items", "delete", "9d4c1", "9d4c2", "-y")
    assert [record["deleted"] for record in gone] == [True, True] and called(writes) == [
        ("POST", "line_items")
    ]
    message = adsctl("campaigns", "update", KNITTERS, SPRING, "--entity-status", "ACTIVE", code=12).stderr
    assert "Activate the campaign People who knit (8wku4), which may spend up to 15.00 EUR a day" in message


def test_the_guard_judges_all_before_the_first_is_changed(adsctl, service, writes):
    guard = adsctl.file("guard.yaml", "max_daily_budget: 70 EUR\n")
    guard.chmod(0o600)
    words = ("campaigns", "update", KNITTERS, SPRING, HAMBURG, "--set", "daily_budget=+10%", "-y")
    assert HAMBURG in adsctl(*words, code=12, ADSCTL_GUARD=str(guard)).stderr
    assert not writes
    adsctl(*words[:4], *words[5:], ADSCTL_GUARD=str(guard))
    assert budgets(adsctl, KNITTERS, SPRING, HAMBURG) == [16_500_000, 66_000_000, 80_000_000]
    writes.clear()
    guard.write_text("max_changes: 1\n")
    ads = [record["id"] for record in records(adsctl, "promoted", "posts", "list")]
    adsctl("promoted", "posts", "delete", *ads[:2], "-y", code=12, ADSCTL_GUARD=str(guard))
    assert not writes, "each is a request of its own"


@both_services
def test_records_that_a_condition_finds_are_shown_and_asked_for_before_they_change(
    adsctl, service, service_name, writes
):
    words = ("campaigns", "update", "--where", "name~^Winter", "--daily-budget", "50")
    message = adsctl(*words, code=12).stderr
    assert f"~ campaign Winter sale ({WINTER})" in message and "daily_budget: 40.00 → 50.00 EUR" in message
    assert f"Change 1 campaign: {named(WINTER)}" in message and not writes
    assert [record["id"] for record in records(adsctl, *words, "-y")] == [WINTER]
    writes.clear()
    assert records(adsctl, *words) == [] and not writes, "nothing differs any more"
    both = ("--where", "daily-budget>=50", "--where", "entity_status=ACTIVE")
    names = [record["name"] for record in records(adsctl, "campaigns", "get", *both)]
    assert names == ["Winter sale", "Spring collection", "Hamburg knows us"]
    assert f"- campaign Winter sale ({WINTER})" in adsctl("campaigns", "delete", *both[:2], code=12).stderr
    for heading in ("status=PAUSED", "STATUS=PAUSED"):
        assert [record["id"] for record in records(adsctl, "campaigns", "get", "--where", heading)] == [
            KNITTERS
        ]
    message = adsctl("line-items", "get", "--where", "status=ACTIVE", code=2).stderr
    assert "'status' is not a field of line items" in message and "entity_status" in message
    for bad in ("nmae~^W", "name"):
        assert "--where" in adsctl("campaigns", "get", "--where", bad, code=2).stderr
    adsctl("campaigns", "get", SPRING, "--where", "name~x", code=2)
    for words in (("campaigns", "get"), ("line-items", "delete"), ("promoted", "posts", "delete")):
        message = adsctl(*words, code=2).stderr
        assert "_ID: is required" in message and "name one or several, or find them: --where" in message


@both_services
def test_a_condition_on_the_id_of_a_record_is_one_on_its_own_id(adsctl, service, service_name, writes):
    matching = records(adsctl, "campaigns", "get", "--where", f"campaign_id={SPRING}")
    assert [record["id"] for record in matching] == [SPRING]
    assert [
        record["id"] for record in records(adsctl, "line-items", "get", "--where", "line_item_id=9d4c1")
    ] == ["9d4c1"]
    ads = [record["id"] for record in records(adsctl, "promoted", "posts", "list")]
    for name in ("promoted_post_id", "promoted_tweet_id", "id"):
        words = ("promoted", "posts", "get", "--where", f"{name}={ads[0]}")
        assert [record["id"] for record in records(adsctl, *words)] == ads[:1]
    words = ("campaigns", "delete", "--where", f"campaign_id!={SPRING}")
    assert SPRING not in adsctl(*words, code=12).stderr and not writes
    adsctl(*words, "-y")
    assert [record["id"] for record in records(adsctl, "campaigns", "list", "--all")] == [SPRING]


def test_a_condition_on_what_no_record_has_is_refused_before_anything_is_sent(adsctl, service):
    service.fail("* * status=500")
    for words in (
        ("campaigns", "delete", "--where", "account_id!=x", "-y"),
        ("campaigns", "get", "--where", "with_deleted="),
        ("line-items", "get", "--where", "account-id="),
        ("promoted", "posts", "delete", "--where", "account_id=", "-y"),
    ):
        assert "is not a field of" in adsctl(*words, code=2).stderr
    service.fail()
    words = ("line-items", "update", "--where", "audience_expansion=DEFINED", "--entity-status", "PAUSED")
    assert "9d4c1" in [record["id"] for record in records(adsctl, *words, "-y")]


@both_services
def test_relative_amounts_change_what_each_record_has(adsctl, service, service_name):
    before = budgets(adsctl, SPRING, KNITTERS)
    adsctl("campaigns", "update", SPRING, KNITTERS, "--set", "daily_budget=+10%")
    assert budgets(adsctl, SPRING, KNITTERS) == [value * 11 // 10 for value in before]
    record = records(
        adsctl, "campaigns", "update", SPRING, "--set", "daily_budget=-6.00", "--set", "name=New"
    )
    assert (record[DAY], record["name"]) == (60_000_000, "New")
    item = records(adsctl, "line-items", "update", "9d4c1", "--set", "bid_amount=-10%")
    assert item["bid_amount_local_micro"] == 410_000, "rounded to the cent"
    words = ("campaigns", "update", SPRING, "8wkt5", "--set", "daily_budget=+5")
    assert "8wkt5" in adsctl(*words, code=2).stderr, "it has no daily budget"
    assert records(adsctl, "campaigns", "get", SPRING)[DAY] == 60_000_000
    for bad in ("dayly_budget=5", "daily_budget", "campaign_id=5"):
        assert "--set" in adsctl("campaigns", "update", SPRING, "--set", bad, code=2).stderr
    adsctl("campaigns", "update", SPRING, "--set", "daily_budget=5", "--daily-budget", "6", code=2)
    adsctl("campaigns", "update", "nope", "--set", "daily_budget=+5", code=5)


def test_all_records_without_an_amount_are_told_at_once_with_what_finds_the_others(adsctl, service, writes):
    campaigns = records(adsctl, "campaigns", "list", "--all")
    without = [record["id"] for record in campaigns if record[DAY] is None]
    words = ("campaigns", "update", "--where", "name!=", "--set", "daily_budget=+10%")
    message = adsctl(*words, "-y", "-o", "json", code=2).stderr.splitlines()[-1]
    error = json.loads(message)["error"]
    assert len(without) > 1 and all(id in error["message"] for id in without)
    assert "Shop app (8wku7)" in error["message"]
    assert all(text in error["hint"] for text in ("nothing was changed", "--where 'daily_budget>0'"))
    assert not writes
    changed = records(adsctl, *words, "--where", "daily_budget>0", "-y")
    assert {record["id"] for record in changed} == {record["id"] for record in campaigns} - {*without}
    message = adsctl(
        "campaigns", "copy", *without, "--name", "{name} 2", "--set", "daily_budget=+10%", code=2
    )
    assert all(f"campaign {id}" in message.stderr for id in without)
    words = ("campaigns", "update", SPRING, KNITTERS, HAMBURG, "--set", "daily_budget=-70", "-y")
    message = adsctl(*words, code=2).stderr
    assert SPRING in message and KNITTERS in message and HAMBURG not in message, "what becomes negative"


def test_a_dry_run_shows_the_requests_and_sends_none(adsctl, service, writes):
    (request,) = records(adsctl, "campaigns", "update", SPRING, HAMBURG, "--daily-budget", "9", "--dry-run")
    assert [record["params"]["campaign_id"] for record in request["body"]] == [SPRING, HAMBURG]
    shown = records(adsctl, "campaigns", "update", SPRING, "--set", "daily_budget=+10%", "--dry-run")
    assert isinstance(shown, dict) and "66000000" in json.dumps(shown) and not writes


def test_several_ids_and_a_file_are_refused_together(adsctl, service, writes):
    file = adsctl.file("change.yaml", "daily_budget: 5\n")
    for words in ((SPRING, HAMBURG), ("--where", "name~x"), (SPRING, "--set", "daily_budget=+5")):
        assert "--file" in adsctl("campaigns", "update", *words, "-f", file, code=2).stderr
    assert "--failed-out" in adsctl("campaigns", "update", "a", "b", "--failed-out", "x", code=2).stderr
    assert not writes


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("daily_budget>9,5", "'9,5' is not an amount, as in 9.50"),
        ("daily_budget>050", "'050' is not an amount, as in 9.50"),
        ("daily_budget>50 EUR", "'50 EUR' is not an amount, as in 9.50"),
        ("daily_budget_amount_local_micro>5e7", "'5e7' is not an amount, as in 9.50"),
        ("created_at<yesterday", "'yesterday' is not a time, as in 2031-12-01 or 2031-12-01T08:00:00Z"),
        ("created_at>2025", "'2025' is not a time"),
        ("created_at>=2026-13-01", "'2026-13-01' is not a time"),
        ("entity_status!=active", "'active' is not one of ACTIVE, PAUSED, DRAFT"),
        ("effective_status!=running", "'running' is not a status, as in RUNNING"),
        ("deleted!=yes", "'yes' is neither true nor false"),
    ],
)
def test_a_condition_that_no_value_can_meet_finds_nothing_and_deletes_nothing(
    adsctl, service, where, message
):
    error = adsctl("campaigns", "delete", "--where", where, "--yes", code=2).stderr
    assert f"--where: {message}" in error
    assert len(records(adsctl, "campaigns", "list")) == 7


def test_a_time_of_a_condition_may_have_any_offset(adsctl, service):
    words = ("line-items", "get", "--where")
    at_eight = [record["id"] for record in records(adsctl, *words, "start_time=2026-03-01T08:00:00Z")]
    assert at_eight and at_eight == [
        record["id"] for record in records(adsctl, *words, "start_time=2026-03-01T09:00:00+01:00")
    ]
    later = ("--where", "start_time>2026-03-01T00:00:00Z", "--where", "start_time<2026-03-02")
    assert [record["id"] for record in records(adsctl, "line-items", "get", *later)] == at_eight
