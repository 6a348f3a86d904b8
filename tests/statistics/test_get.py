"""`stats get`: what ads cost and brought, at once."""

import json
from decimal import Decimal

import pytest

from tests.statistics.rows import BASE, OWNERS, number, total

LINE_ITEM, CAMPAIGN = "9d4c2", "8wku3"


def test_yesterday_has_a_row_for_each_campaign_with_its_name(stats):
    rows = stats.get("--since", "yesterday", "--all")
    assert [*rows[0]][:8] == BASE
    assert [*rows[0]][8:15] == [*OWNERS, "engagements", "impressions"]
    assert [*rows[0]][-2:] == ["billed_engagements", "billed_charge_local"]
    (row,) = (row for row in rows if row["entity_id"] == CAMPAIGN)
    assert (row["entity"], row["name"], row["campaign"]) == (
        "CAMPAIGN",
        "Hamburg knows us",
        "Hamburg knows us",
    )
    assert (row["start"], row["end"]) == ("2026-06-16T00:00:00+02:00", "2026-06-17T00:00:00+02:00")
    assert number(row["impressions"]) > number(row["clicks"]) > 0


def test_a_total_is_the_sum_of_its_days_and_hours(stats):
    chosen = ("--since", "10d", "--until", "today", "--ids", LINE_ITEM, "--entity", "LINE_ITEM")
    by_step = {name: stats.get(*chosen, "--granularity", name) for name in ("TOTAL", "DAY", "HOUR")}
    assert [len(rows) for rows in by_step.values()] == [1, 10, 240]
    for column in ("impressions", "clicks", "engagements"):
        assert len({total(rows, column) for rows in by_step.values()}) == 1
    assert total(by_step["TOTAL"], "impressions") > 1000


def test_rows_say_what_the_data_says(stats):
    chosen = ("--since", "9d", "--until", "4d", "--ids", LINE_ITEM, "--entity", "LINE_ITEM")
    (data,) = json.loads(stats.adsctl("stats", "get", *chosen, "--raw", "-o", "json").stdout)
    metrics = data["id_data"][0]["metrics"]
    rows = stats.get(*chosen)
    assert [int(row["impressions"]) for row in rows] == metrics["impressions"]
    charges = [Decimal(micros) / 10**6 for micros in metrics["billed_charge_local_micro"]]
    assert [Decimal(row["billed_charge_local"]) for row in rows] == charges


def test_campaigns_and_accounts_are_the_sums_of_their_line_items(stats):
    period = ("--since", "5d", "--metrics", "impressions", "--all")
    entities = ("LINE_ITEM", "CAMPAIGN", "FUNDING_INSTRUMENT", "ACCOUNT")
    sums = {total(stats.get(*period, "--entity", entity), "impressions") for entity in entities}
    assert len(sums) == 1 and sums.pop() > 0


def test_promoted_posts_are_the_parts_of_their_line_item(stats):
    period = ("--since", "5d", "--metrics", "clicks")
    posts = stats.get(*period, "--entity", "PROMOTED_POST", "--all")
    line_items = stats.get(*period, "--entity", "LINE_ITEM", "--all")
    of_campaign = [row for row in posts if row["campaign"] == "Shop app"]
    whole = [row for row in line_items if row["campaign"] == "Shop app"]
    assert total(of_campaign, "clicks") == total(whole, "clicks") > 0


def test_no_day_costs_more_than_its_budget(stats):
    budgets = {
        load["id"]: load["daily_budget_amount_local_micro"]
        for load in json.loads(stats.adsctl("line-items", "list", "--all", "-o", "json").stdout)
    }
    rows = stats.get("--since", "30d", "--entity", "LINE_ITEM", "--all", "--metrics", "BILLING")
    for row in rows:
        budget = budgets.get(row["entity_id"])
        assert budget is None or number(row["billed_charge_local"]) <= budget / 10**6


def test_campaigns_have_numbers_while_they_can_serve(stats):
    """Not after what pays for them has ended, for one."""
    listed = json.loads(stats.adsctl("campaigns", "list", "--with-draft", "-o", "json").stdout)
    reasons = {record["id"]: record["reasons_not_servable"] for record in listed}
    assert ["FUNDING_PROBLEM"] in reasons.values()
    rows = stats.get("--since", "2d", "--until", "today", "--all", "--metrics", "impressions")
    serving = {row["entity_id"] for row in rows if number(row["impressions"])}
    assert serving == {id for id, found in reasons.items() if not found}


def test_a_paused_line_item_has_numbers_up_to_its_pause(stats, noon):
    stats.adsctl("line-items", "update", LINE_ITEM, "--entity-status", "PAUSED", "--yes")
    noon.shift(3 * 24 * 3600)
    days = stats.get("--since", "4d", "--entity", "LINE_ITEM", "--ids", LINE_ITEM, "--metrics", "impressions")
    assert [number(row["impressions"]) > 0 for row in days] == [True, True, False, False]


def test_what_people_did_is_final_after_a_day_and_charges_after_three(stats, noon):
    chosen = ("--since", "2026-06-16", "--until", "2026-06-17", "--ids", LINE_ITEM, "--entity", "LINE_ITEM")
    totals = []
    for _ in range(5):
        totals.append(stats.get(*chosen)[0])
        noon.shift(24 * 3600)
    impressions = [number(row["impressions"]) for row in totals]
    charges = [number(row["billed_charge_local"]) for row in totals]
    assert impressions[0] < impressions[1] == impressions[4]
    assert charges[0] > charges[3] == charges[4]


def test_more_entities_and_days_than_a_request_may_have_are_cut(stats, service, monkeypatch):
    monkeypatch.setattr("ads_cli.statistics.query.MAX_ENTITIES", 2)
    respond, asked = service.answer, list[str]()

    def note(environ, start_response):
        if environ["PATH_INFO"].startswith("/12/stats/accounts/"):
            asked.append(environ["QUERY_STRING"])
        return respond(environ, start_response)

    monkeypatch.setattr(service, "answer", note)
    ids = ",".join([LINE_ITEM, "9d4c1", "9d4c3"])
    whole = stats.get("--since", "20d", "--ids", ids, "--entity", "LINE_ITEM", "--metrics", "clicks")
    assert len(asked) == 2 * 3  # two groups of entities, three weeks
    assert [row["entity_id"] for row in whole[::20]] == ids.split(",") and len(whole) == 60
    starts = [row["start"] for row in whole[:20]]
    assert starts == sorted(starts) and len({*starts}) == 20


def test_active_asks_for_those_that_were_active(stats):
    rows = stats.get("--since", "2d", "--entity", "LINE_ITEM", "--active", "--metrics", "impressions")
    every = stats.get("--since", "2d", "--entity", "LINE_ITEM", "--all", "--metrics", "impressions")
    assert {row["entity_id"] for row in rows} == {
        row["entity_id"] for row in every if number(row["impressions"])
    }


def test_rows_are_added_up(stats):
    chosen = ("--since", "3d", "--entity", "LINE_ITEM", "--all", "--metrics", "clicks")
    rows = stats.get(*chosen)
    by_day = stats.get(*chosen, "--group-by", "start")
    assert len(by_day) == 3 and total(by_day, "clicks") == total(rows, "clicks")
    *_, last = stats.get(*chosen, "--totals")
    assert last["entity"] == "TOTAL" and number(last["clicks"]) == total(rows, "clicks")


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_both_services_use_their_own_names(stats, service_name):
    rows = stats.get(
        *("--since", "yesterday", "--all", "--entity", "PROMOTED_POST", "--metrics", "impressions,reposts")
    )
    x = service_name == "x"
    assert [*rows[0]][13:] == ["impressions", "retweets" if x else "reposts"]
    assert rows[0]["entity"] == ("PROMOTED_TWEET" if x else "PROMOTED_POST")
    assert any(row["impressions"] for row in rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--ids, --all, --active: give one of them"),
        (("--all", "--active"), "--ids, --all, --active: give one of them"),
        (
            ("--all", "--metrics", "impresions"),
            "'impresions' is not a known group or metric; did you mean 'impressions'?",
        ),
        (("--all", "--entity", "ACCOUNT", "--metrics", "BILLING"), "ACCOUNT has no BILLING"),
        (("--all", "--entity", "AD"), "--entity: 'AD' is not a kind of entity"),
        (("--all", "--group-by", "day"), "--group-by: 'day' is not a column to group by"),
        (("--all", "--totals", "--into", "sqlite:x.db"), "--totals cannot be used with --into"),
        (("--all", "--into", "postgres:x"), "'postgres:x' is not sqlite:FILE"),
        (("--all", "--entity", "MEDIA_CREATIVE"), "come by jobs only"),
        (("--ids", ","), "--ids: names no entity"),
        (("--ids", "8wku3,a/b"), "--ids: 'a/b' is not a valid id"),
    ],
)
def test_what_cannot_be_asked_is_refused(stats, words, message):
    done = stats.adsctl("stats", "get", "--since", "yesterday", *words, code=2)
    assert message in done.stderr and "hint:" in done.stderr


def test_an_entity_that_does_not_exist_is_not_found(stats):
    done = stats.adsctl("stats", "get", "--since", "1d", "--ids", "nosuch", code=5)
    assert "nosuch does not exist" in done.stderr


def test_a_period_that_is_empty_in_the_time_zone_of_the_account_is_refused(adsctl):
    """In Berlin, 2026-03-01 begins when it is 23:00 in UTC, or 22:00 by the offset of a summer."""
    words = ("stats", "reach", "campaigns", "--campaign-ids", "8wku2", "--start-time", "2026-02-28T23:00Z")
    refused = adsctl.local(*words, "--end-time", "2026-03-01", code=6)
    assert "end_time: is not after start_time in Europe/Berlin" in refused.stderr
