"""`accounts check` and `watch replay` of a mirror: what the service says, and no request."""

import json
from datetime import datetime, timedelta

import pytest

from ads_cli.commands.checking.mirrored import MirrorSource
from tests.mirror.conftest import FILE, mirror, requests  # noqa: F401
from tests.service_in_process import service  # noqa: F401
from tests.statistics.conftest import NOON, noon, stats  # noqa: F401

FROM = ("--from", f"sqlite:{FILE}")
CHECK = ("accounts", "check", "--unknown", "-o", "json")
# What a mirror does not have: bidding rules, estimates, the reach, event tags, product sets.
NOT_THERE = {"B107", "A109", "C102", "C103", "M102", "M103", "M104", "N106"}
RULES = """
rules:
- {name: pays, of: campaigns, when: roas > 1 and cost_per_conversion > 1, over: 7d, fresh: yes, do: tell}
- {name: dear, of: line_items, when: spend > 10 and cpc > 0.1, over: 3d, do: pause}
"""


def records(done):
    return json.loads(done.stdout)


def unknown(found):
    return {record["code"] for record in found if record["severity"] == "unknown"}


def known(found, without):
    return sorted((own for own in found if own["code"] not in without), key=json.dumps)


def test_the_findings_are_those_of_the_service_and_nothing_is_asked_for(mirror, requests):  # noqa: F811
    mirror.run("--since", "182d")
    asked = records(mirror.adsctl(*CHECK, code=10))
    requests.clear()
    done = mirror.adsctl(*CHECK, *FROM, code=10)
    own = records(done)
    assert requests == []
    assert unknown(own) - unknown(asked) == NOT_THERE - unknown(asked)
    assert known(own, NOT_THERE) == known(asked, NOT_THERE) and len(known(own, NOT_THERE)) > 20
    assert "as of 2026-06-17T12:30:00Z, numbers of 2025-12-17 to 2026-06-16" in done.stderr


def test_nobody_need_be_signed_in_and_the_only_account_is_taken(mirror, requests):  # noqa: F811
    mirror.run("--since", "8d")
    requests.clear()
    mirror.adsctl.env.clear()
    found = records(mirror.adsctl(*CHECK, *FROM, "--report", "check.html", code=10))
    assert {record["account"] for record in found} == {"18ce54d4x5t"} and requests == []
    assert "--account=18ce54d4x5t" in next(r["command"] for r in found if r["command"])


def test_a_table_that_has_rows_of_other_accounts_alone_is_unknown(mirror):  # noqa: F811
    mirror.run("--since", "8d", "--accounts", "18ce55gze09")
    tables = "account_history,campaign_history,line_item_history"
    for some in (tables, "line_item_report"):  # what an earlier run has written stays known
        mirror.run("--since", "8d", "--tables", some)
    words = ("--account", "18ce54d4x5t", "--select", "D106,A108")
    found = records(mirror.adsctl(*CHECK, *FROM, *words, code=None))
    assert {record["severity"] for record in found} == {"unknown"}
    mirror.run("--since", "8d")
    found = records(mirror.adsctl(*CHECK, *FROM, *words, code=None))
    assert unknown(found) == set()


@pytest.mark.parametrize("later", [0, 2])
def test_days_and_tables_that_are_not_there_are_unknown(mirror, noon, later):  # noqa: F811
    tables = ("account_history", "campaign_history", "line_item_history", "line_item_report")
    mirror.run("--since", "8d", "--tables", ",".join(tables))
    noon.move_to(datetime.fromisoformat(NOON) + timedelta(days=later), tick=False)
    found = records(mirror.adsctl(*CHECK, *FROM, "--select", "D104,D106", code=None))
    codes = {record["code"] for record in found}
    assert unknown(found) == ({"D104", "D106"} if later else {"D106"}) and codes <= {"D104", "D106"}


def test_a_replay_decides_as_with_the_numbers_of_the_service(mirror, requests):  # noqa: F811
    mirror.run("--since", "40d")
    mirror.adsctl.file("rules.yaml", RULES)
    words = ("watch", "replay", "rules.yaml", "-o", "json", "--since")
    asked = records(mirror.adsctl(*words, "30d"))
    requests.clear()
    replayed = records(mirror.adsctl(*words, "30d", *FROM))
    assert [own | {"asked_at": None} for own in replayed] == asked
    assert requests == [] and {record["rule"] for record in asked} == {"pays", "dear"}
    early = records(mirror.adsctl(*words, "60d", *FROM))
    assert min(record["day"] for record in early) >= "2026-05-08"


def test_a_replay_says_which_numbers_are_of_a_later_day(mirror):  # noqa: F811
    mirror.run("--since", "40d")
    mirror.adsctl.file("rules.yaml", RULES)
    words = ("watch", "replay", "rules.yaml", "--since", "10d", "-o", "json")
    done = mirror.adsctl(*words, *FROM)
    days = records(done)
    assert {own["asked_at"][:10] for own in days} == {NOON[:10]}
    later = sum(own["day"] < own["asked_at"][:10] for own in days)
    assert 0 < later < len(days)
    assert f"{later} of {len(days)} decisions rest on numbers asked for after that day" in done.stderr
    assert "all numbers are those of today" in mirror.adsctl(*words).stderr


def test_what_is_derived_is_what_statistics_show(mirror):  # noqa: F811
    mirror.adsctl.file("rules.yaml", RULES)
    (told,) = [
        r
        for r in records(mirror.adsctl("watch", "plan", "rules.yaml", "-o", "json", code=10))
        if r["rule"] == "pays"
    ]
    words = ("--since", "7d", "--granularity", "TOTAL", "--metrics", "roas,cost_per_conversion", "-o", "json")
    (row,) = records(mirror.adsctl("stats", "get", "--ids", told["id"], *words))
    assert told["numbers"] == {name: str(row[name]) for name in ("roas", "cost_per_conversion")}


def test_rules_of_a_month_are_unknown_and_say_what_to_do_until_the_mirror_has_its_days(mirror):  # noqa: F811
    mirror.adsctl("profile", "set", "shop", "monthly_budget=5000EUR")
    mirror.adsctl.env["ADSCTL_PROFILE"] = "shop"
    words = (*CHECK, *FROM, "--select", "B101,B102,B112")
    mirror.run()
    told = records(mirror.adsctl(*words, code=0))
    assert unknown(told) == {"B101", "B102", "B112"}
    (message,) = {record["message"] for record in told}
    assert "has no numbers of 2026-05-13" in message
    since = message.partition("'adsctl mirror run --since ")[2].partition("'")[0]
    mirror.run("--since", since)
    asked = records(mirror.adsctl(*words[:-2], "--select", "B101,B102,B112", code=None))
    assert all("numbers of" not in record["message"] for record in asked)
    assert asked == records(mirror.adsctl(*CHECK, "--select", "B101,B102,B112", code=None))


def test_the_days_of_line_items_are_added_up_while_they_are_read(mirror, monkeypatch):  # noqa: F811
    asked, numbers = set(), MirrorSource.numbers

    def noted(self, entity, period, granularity, metrics, currencies):
        asked.add((entity, granularity, len(metrics) > 2))
        return numbers(self, entity, period, granularity, metrics, currencies)

    mirror.run("--since", "40d")
    monkeypatch.setattr(MirrorSource, "numbers", noted)
    mirror.adsctl(*CHECK, *FROM, code=10)
    # Only what was spent is kept by day, and of campaigns alone.
    assert asked == {("LINE_ITEM", "TOTAL", True), ("CAMPAIGN", "TOTAL", True), ("CAMPAIGN", "DAY", False)}
