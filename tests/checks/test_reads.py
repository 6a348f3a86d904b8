"""What `accounts check` asks of the service: each list once, refused or not, and few requests for numbers."""

import json
from collections import Counter
from datetime import timedelta

import pytest

from ads_cli.checks.facts import DAY, LINE_ITEM, Facts, added
from ads_cli.checks.registry import RULES
from ads_cli.checks.run import apply_rules
from tests.mirror.conftest import requests  # noqa: F401
from tests.service_in_process import service  # noqa: F401

from .accounts import CLEAN, MADE, NOW, facts_of

CHECK = ("accounts", "check", "--unknown", "-o", "json")
REFUSED = (
    "campaigns",
    "line_items",
    "funding_instruments",
    "promoted_posts",
    "posts",
    "cards",
    "custom_audiences",
    "targeting_criteria",
    "web_event_tags",
    "audience_estimate",
    "reach/campaigns",
    "active_entities",
)


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_refused_is_asked_for_once_and_every_rule_says_why(adsctl, service, requests, path):  # noqa: F811
    service.fail(f"* */{path} status=403")
    done = adsctl(*CHECK, code=10)
    asked = [own for own, _ in requests if own.endswith(f"/{path}")]
    assert len(asked) == 1
    unknown = [r for r in json.loads(done.stdout) if r["severity"] == "unknown" and "403" in r["message"]]
    assert unknown and len({record["message"] for record in unknown}) == 1
    counts = Counter(record["code"] for record in unknown)
    assert set(counts.values()) == {1}
    told = adsctl(*CHECK[:2], "-o", "none", code=10).stderr
    if len(counts) > 1:
        (line,) = [line for line in told.splitlines() if "403" in line]
        assert all(code in line for code in counts)


def many(count, running):
    """Return the changes that make so many line items, of which some run and the others have ended."""
    ended = {"end_time": (NOW - timedelta(hours=20)).isoformat()}
    numbers = CLEAN["numbers"]["i1"]
    return {
        "line_items": {f"n{at}": {} if at < running else ended for at in range(count)},
        "numbers": {f"n{at}": {**numbers, "spend": at % 7} for at in range(count)},
    }


def test_numbers_are_asked_of_what_rules_look_at_alone():
    facts = facts_of(many(60, 25))
    asked = Counter()
    numbers = facts.source.numbers

    def counted(entity, period, granularity, metrics, currencies):
        assert period.end - period.start <= 7 * DAY  # as many as a request has
        asked[entity] += -(-len(currencies) // 20)
        return numbers(entity, period, granularity, metrics, currencies)

    facts.source.numbers = counted
    list(apply_rules(RULES, facts))
    assert asked == {
        "LINE_ITEM": 2 * 2,
        "CAMPAIGN": 5,
    }  # 26 line items run: two requests for each of two weeks


@pytest.mark.parametrize("days", [1, 2, 7, 8, 14, 15, 34, 35, 36, 60])
@pytest.mark.parametrize("ago", [0, 1, 7])
def test_sums_of_shared_weeks_are_those_of_the_period(days, ago):
    facts = facts_of({**many(5, 3), "campaigns": {"c1": {"created_at": MADE}}})
    end = facts.calendar.today - ago * DAY
    period = facts.last_days(1)._replace(start=end - days * DAY, end=end)
    shared = facts.sums(LINE_ITEM, period)
    whole = Facts(facts.account, facts.source, facts.calendar, period, facts.wanted)
    rows = whole.rows(LINE_ITEM, period, "TOTAL", facts.running_items)
    names = ("spend", "impressions", "clicks", "url_clicks")
    for id in ("i1", "n0", "n2"):
        assert [shared[id][name] for name in names] == [added(rows[id])[name] for name in names]
    assert "n4" not in shared  # it has ended
