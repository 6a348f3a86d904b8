"""Records that no documentation has: a field that is missing, null or of another type."""

import copy

import pytest

from ads_cli.checks.facts import Facts
from ads_cli.checks.registry import RULES
from ads_cli.checks.run import apply_rules
from ads_cli.config.goals import parse_wanted
from ads_cli.statistics.periods import Calendar

from .accounts import LISTS, NOW, MemorySource, changed

ODD = (None, "x", 12, [], {}, True, [None], "2026-13-45T00:00:00Z")
KINDS = sorted({*LISTS.values()} - {""})


def outcomes(account):
    calendar = Calendar("Europe/Berlin", NOW)
    wanted = parse_wanted({"name_pattern": "S.*", "buyers": "Customers"}, "profile shop")
    period = calendar.period("2026-11-11", None, "TOTAL")
    facts = Facts(account["account"]["account"], MemorySource(account), calendar, period, wanted)
    return [*apply_rules(RULES, facts)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_no_value_of_a_record_stops_the_other_rules(kind, odd):
    for id, record in changed({})[kind].items():
        for field in record:
            account = copy.deepcopy(changed({}))
            account[kind][id][field] = odd
            outcomes(account)


def test_a_time_that_cannot_be_read_is_unknown_and_named():
    account = changed({"line_items": {"i1": {"end_time": "soon"}}})
    said = {found.outcome.message for found in outcomes(account)}
    assert "end_time of i1 is no time: soon" in said


def test_a_pattern_of_names_that_takes_too_long_is_unknown():
    account = changed({"campaigns": {"c1": {"name": "a" * 60 + "!"}}})
    calendar = Calendar("Europe/Berlin", NOW)
    wanted = parse_wanted({"name_pattern": "(a|aa)+$"}, "profile shop")
    period = calendar.period("2026-11-11", None, "TOTAL")
    facts = Facts(account["account"]["account"], MemorySource(account), calendar, period, wanted)
    (rule,) = [rule for rule in RULES if rule.code == "N103"]
    assert "takes too long" in next(iter(apply_rules([rule], facts))).outcome.message
