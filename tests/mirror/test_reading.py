"""`stats get` and `stats report` of a mirror: the numbers of the service, and no request."""

import csv
import io
import json
import re

import pytest

from tests.mirror.conftest import FILE
from tests.report.reading import Read, read

FROM = ("--from", f"sqlite:{FILE}")
WEEK = ("--since", "7d", "-o", "csv")


@pytest.fixture
def filled(mirror, requests):
    """adsctl beside a mirror, and the requests since it was filled."""
    mirror.run("--since", "14d")
    requests.clear()
    return mirror.adsctl


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    "words",
    [
        ("--active",),
        ("--active", "--entity", "LINE_ITEM", "--granularity", "TOTAL"),
        ("--all", "--entity", "PROMOTED_POST", "--metrics", "spend,clicks,cpc"),
        ("--ids", "Spring collection,8wku3", "--metrics", "VIDEO,spend"),
        ("--active", "--group-by", "campaign", "--totals", "--sort", "-spend", "--metrics", "spend,ctr"),
        ("--active", "--compare", "previous", "--metrics", "spend,impressions"),
    ],
    ids=" ".join,
)
def test_the_numbers_are_those_of_the_service_and_nothing_is_asked_for(filled, requests, words):
    own = filled("stats", "get", *FROM, *WEEK, *words)
    assert requests == []
    asked, there = (counted(done.stdout) for done in (filled("stats", "get", *WEEK, *words), own))
    assert there and there == asked


def counted(text: str) -> list[tuple[str, ...]]:
    """Return the rows that have numbers; in a mirror, what was not counted is 0."""
    found = rows(text)
    named = [name for name in found[0] if name in ("spend", "clicks", "impressions")]
    return sorted(
        tuple("" if value in ("0", "0.00") else value for value in row.values())
        for row in found
        if any(row[name] not in ("", "0", "0.00") for name in named)
    )


def test_nobody_need_be_signed_in(filled, requests):
    filled.env.clear()
    done = filled("stats", "get", *FROM, *WEEK, "--active", "--metrics", "clicks")
    assert rows(done.stdout) and requests == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--active", "--granularity", "HOUR"), 2, "a mirror has whole days only"),
        (("--active", "--metrics", "WEB_CONVERSION"), 2, "a mirror does not have conversion_"),
        (("--all", "--entity", "FUNDING_INSTRUMENT"), 2, "no statistics of FUNDING_INSTRUMENT"),
        (("--ids", "No such campaign"), 5, "has no campaign 'No such campaign'"),
        (("--active", "--raw"), 2, "--from cannot be used with --raw"),
        (("--active", "--account", "18zzz"), 5, "does not have the account 18zzz"),
    ],
)
def test_what_a_mirror_does_not_have_is_said(filled, requests, words, code, message):
    assert message in filled("stats", "get", *FROM, "--since", "7d", *words, code=code).stderr
    assert requests == []


def test_days_that_are_not_there_are_said(filled):
    done = filled("stats", "get", *FROM, "--since", "30d", "--active", "--metrics", "clicks", "-o", "csv")
    assert "has no numbers of 18ce54d4x5t for 2026-05-18, 2026-05-19, " in done.stderr
    assert len({row["start"] for row in rows(done.stdout) if row["clicks"]}) == 14


def test_an_account_of_a_mirror_is_chosen_by_its_name(mirror):
    mirror.run("--since", "7d", "--accounts", "Nordlicht Shop,18ce55gze09")
    words = ("stats", "get", *FROM, *WEEK, "--active", "--metrics", "clicks")
    named = mirror.adsctl(*words, "--account", "Nordlicht Shop").stdout
    assert rows(named) and named == mirror.adsctl(*words, "--account", "18ce54d4x5t").stdout
    assert "has several accounts" in mirror.adsctl(*words, code=2, ADSCTL_ACCOUNT="").stderr


def test_a_page_has_the_sums_of_all_accounts(mirror, requests):
    mirror.run("--since", "21d", "--all-accounts")
    requests.clear()
    words = ("--metrics", "BILLING,ENGAGEMENT", "--since", "7d")
    mirror.adsctl("stats", "report", *FROM, "--report", "all.html", *words)
    assert requests == []
    page = read(mirror.adsctl.home / "all.html")
    totals = ("--active", "--group-by", "account", "--account", "18ce54d4x5t", "-o", "csv")
    (expected,) = rows(mirror.adsctl("stats", "get", *FROM, "--since", "7d", *totals).stdout)
    assert f"{int(expected['impressions']):,}" in page.text
    assert "18ce54d4x5t" in page.text and "18ce55gze09" in page.text
    assert "the week before" in page.text


@pytest.mark.parametrize("words", [(), ("a.csv",), ("a.jsonl", "b.jsonl", *FROM)], ids=" ".join)
def test_files_of_rows_are_no_longer_taken(adsctl, words):
    refused = adsctl("stats", "report", *words, "--report", "p.html", code=2).stderr
    assert "mirror run --into sqlite:ads.db" in refused and "--from sqlite:ads.db" in refused
    assert not (adsctl.home / "p.html").exists()


def page(mirror, *words: str) -> Read:
    mirror.adsctl("stats", "report", *FROM, "--report", "o.html", "--force", "--since", "7d", *words)
    return read(mirror.adsctl.home / "o.html")


NUMBERS = ("impressions", "clicks", "billed_charge_local_micro")
METRICS = ("--metrics", "impressions,clicks,spend")


def set_numbers(mirror, since: str, *numbers: int | str, where: str = "1") -> None:
    """Set the numbers of all campaigns on each day of a week."""
    columns = ", ".join(f"{name} = {number}" for name, number in zip(NUMBERS, numbers, strict=True))
    mirror.rows(
        f"UPDATE campaign_report SET {columns} WHERE {where} AND date >= ? AND date < date(?, '+7 days')",
        since,
        since,
    )


NOW, BEFORE = "2026-06-10", "2026-06-03"


@pytest.fixture
def two(mirror):
    """A mirror of two accounts, whose campaigns have the same numbers each day, and half of them before."""
    mirror.run("--since", "21d", "--all-accounts")
    for table, id in (("campaign_history", "id"), ("campaign_report", "campaign_id")):
        mirror.rows(f"UPDATE {table} SET account_id = '18ce55gze09' WHERE {id} = '8wku3'")
    set_numbers(mirror, BEFORE, 50, 5, 250_000)
    set_numbers(mirror, NOW, 100, 10, 500_000)
    return mirror


def days_of(mirror, account: str) -> int:
    """Count the rows of an account in the week."""
    words = "account_id = ? AND date >= ? AND placement IN ('ALL_ON_TWITTER', 'ALL_ON_PLATFORM')"
    ((count,),) = mirror.rows(f"SELECT count(*) FROM campaign_report WHERE {words}", account, NOW)
    return count


def test_amounts_of_accounts_are_added_up_by_currency(two):
    own, other = (days_of(two, id) for id in ("18ce54d4x5t", "18ce55gze09"))
    assert own and other
    two.rows("UPDATE campaign_history SET currency = 'JPY' WHERE account_id = '18ce55gze09'")
    shown = page(two, *METRICS, "--title", "All shops")
    assert "All shops" in shown.text and "Statistics of" not in shown.text
    assert f"Spend {own / 2:,.2f} EUR" in shown.text and f"Spend {other / 2:,.0f} JPY" in shown.text
    assert f"Clicks {10 * (own + other):,} +100.0 % (was {5 * (own + other):,})" in shown.text
    charts = [json.loads(data) for data in shown.attributes("data-lines")]
    assert {chart["title"] for chart in charts} == {"Spend, EUR", "Spend, JPY", "Impressions", "Clicks"}
    assert all(len(chart["times"]) == 7 for chart in charts)  # days of each account, side by side


def test_accounts_are_called_by_their_names(two):
    text = page(two, *METRICS).text
    assert "Statistics of 2 accounts" in text
    accounts = text.partition("By account")[2].partition("By campaign")[0]
    assert "Nordlicht Shop" in accounts and "18ce54d4x5t" in accounts and "18ce55gze09" in accounts
    two.rows("DELETE FROM mirror_accounts WHERE account_id = '18ce55gze09'")
    assert "Statistics of Nordlicht Shop (18ce54d4x5t)" in page(two, *METRICS).text


def test_an_account_without_numbers_is_listed(two):
    two.rows("DELETE FROM campaign_report WHERE account_id = '18ce55gze09'")
    accounts = page(two, *METRICS).text.partition("By account")[2].partition("By campaign")[0]
    assert "Café Kastanie (managed by Kontor Acht) no numbers" in accounts


def test_days_that_are_not_there_are_said_on_the_page(mirror):
    mirror.run("--since", "10d")
    said = "ads.db has no numbers of 18ce54d4x5t for 2026-06-03, 2026-06-04, 2026-06-05, 2026-06-06"
    assert said in page(mirror).text
    assert "has no numbers of" not in page(mirror, "--since", "3d").text


def test_periods_of_which_days_are_missing_are_not_compared(mirror):
    mirror.run("--since", "10d")
    assert "nothing is compared" in page(mirror).text
    assert "(was " not in page(mirror).text
    words = ("stats", "get", *FROM, "--since", "7d", "--active", "--group-by", "campaign")
    done = mirror.adsctl(*words, "--metrics", "clicks", "--compare", "previous", "-o", "csv")
    assert "nothing is compared" in done.stderr
    shown = rows(done.stdout)
    assert shown and all(row["clicks"] for row in shown)
    assert not any(row["clicks_before"] or row["clicks_change"] for row in shown)


def test_a_report_that_was_not_mirrored_is_said(mirror):
    mirror.run("--since", "10d", "--tables", "account_history,campaign_history,line_item_report")
    words = ("stats", "get", *FROM, "--since", "3d", "--metrics", "clicks")
    done = mirror.adsctl(*words, "--ids", "8wku3")
    assert "has no numbers of 18ce54d4x5t for 2026-06-14, 2026-06-15, 2026-06-16" in done.stderr
    there = mirror.adsctl(*words, "--entity", "LINE_ITEM", "--active")
    assert "has no numbers" not in there.stderr


def test_what_fell_to_nothing_is_on_the_page(two):
    set_numbers(two, NOW, 0, 0, 0)
    text = page(two, *METRICS).text
    assert "Nothing was spent" not in text and "Share by" not in text
    assert "Impressions 0 −100.0 % (was " in text
    assert "Spend 0.00 EUR −100.0 % (was " in text


def test_what_was_not_counted_before_is_compared_with_nothing(two):
    set_numbers(two, BEFORE, 0, 0, 0)
    assert re.search(r"Impressions [0-9,]+ was 0 ", page(two, *METRICS).text)


def test_ratios_are_compared_and_what_leads_is_first(two):
    set_numbers(two, NOW, 100, 40, "500000 * (1 + (campaign_id = '8wku3'))")
    text = page(two, *METRICS).text
    assert "Click rate 40.00 % +300.0 % (was 10.00 %)" in text
    _, _, campaigns = text.partition("By campaign")
    assert campaigns.index("Hamburg knows us") < campaigns.index("Spring collection")


def test_a_post_in_several_campaigns_is_counted_once(two):
    words = ("--entity", "PROMOTED_POST", "--metrics", "clicks", "--granularity", "TOTAL")
    rows_of = rows(two.adsctl("stats", "get", *FROM, *WEEK, *words, "--ids", "7pt03,7pt05").stdout)
    assert rows_of[0]["clicks"] == rows_of[1]["clicks"] != "0"
    two.rows("UPDATE promoted_tweet_report SET clicks = 0 WHERE promoted_tweet_id NOT IN ('7pt03', '7pt05')")
    text = page(two, "--entity", "PROMOTED_POST", "--metrics", "clicks").text
    assert f"Clicks {int(rows_of[0]['clicks']):,} " in text
    assert "A post in several campaigns is a part of each, and counts once in the whole." in text
