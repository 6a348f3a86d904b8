"""`stats get` and `stats report` of a mirror: the numbers of the service, and no request."""

import csv
import io

import pytest

from tests.mirror.conftest import FILE
from tests.report.reading import read

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
    assert "others are empty" in done.stderr
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


def test_files_or_a_mirror_are_given(adsctl):
    for words in ((), (*FROM, "a.csv")):
        refused = adsctl("stats", "report", *words, "--report", "p.html", code=2)
        assert "give FILE... or --from" in refused.stderr
