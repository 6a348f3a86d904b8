"""What a profile states of its account, mistyped: nothing is taken for something else."""

import pytest

from ads_cli.checks.registry import RULES
from ads_cli.checks.run import apply_rules
from ads_cli.config.goals import THRESHOLDS, check_goal, parse_wanted
from ads_cli.errors import StateError, UsageError
from tests.checks.accounts import facts_of


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("monthly_budget", "5.000 EUR", "may be meant as 5000"),
        ("monthly_budget", "0 EUR", "is more than 0"),
        ("goals.cost_per_result", "0 EUR", "is more than 0"),
        ("goals.cost_per_result", "12 EUX", "EUX is not a currency"),
        ("goals.roas", "0", "is more than 0"),
        ("check.silent_hours", "0", "is not from 1"),
        ("check.ctr_days", "999999999999", "is not from 1"),
        ("name_pattern", "(", "is no regular expression"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(name, value, said):
    with pytest.raises(UsageError, match=said):
        check_goal(name, value)


@pytest.mark.parametrize("wanted", [{"utm": {"a": 1}}, {"buyers": {"a": 1}}, {"check": {"select": {"a": 1}}}])
def test_a_mapping_is_no_list_of_words(wanted):
    with pytest.raises(StateError, match="no list of words"):
        parse_wanted(wanted, "profile shop")


@pytest.mark.parametrize("value", ["1", "0.5", "8784", "100%", "999999999999"])
@pytest.mark.parametrize("name", THRESHOLDS)
def test_no_threshold_stops_a_rule(name, value):
    try:
        check_goal(f"check.{name}", value)
    except UsageError:
        return
    section = {"wanted": {"check": {name: value}}}
    unknown = [found.outcome.message for found in apply_rules(RULES, facts_of(section))]
    assert not [message for message in unknown if "the rule cannot read" in message]
