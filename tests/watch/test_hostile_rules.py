"""Files of rules that a hostile or a clumsy person writes."""

import pytest

from ads_cli.errors import ContentError
from ads_cli.watch.decide import decide
from ads_cli.watch.history import History
from ads_cli.watch.language import evaluate, parse
from ads_cli.watch.rules import parse_rules
from tests.checks.accounts import facts_of

RULE = "rules:\n- name: a\n  of: campaigns\n  do: {do}\n  when: {when}\n"


def mistakes(do="pause", when="spend > 1", more=""):
    with pytest.raises(ContentError) as caught:
        parse_rules((RULE.format(do=do, when=when) + more).encode(), "rules.yaml")
    return caught.value.message


@pytest.mark.parametrize(
    "when",
    [" + ".join(["1"] * 20_000) + " > 1", " and ".join(["spend > 1"] * 900), "1 + " * 200 + "1 > 0"],
    ids=["sum", "and", "short words"],
)
def test_a_long_condition_is_refused_where_it_would_be_too_deep(when):
    assert "longer than" in (said := mistakes(when=when)) or "more than" in said


@pytest.mark.parametrize(
    "pattern", ["(" * 500 + "a" + ")" * 500, "a{1,99999999999999999999}", "(a", "a" * 501]
)
def test_a_pattern_that_is_none_is_said(pattern):
    assert "rules.yaml:5:" in mistakes(when=f"name ~ '{pattern}'")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "a?" * 40 + "a" * 40 + "$", "^(a*a*a*a*a*)*$"])
def test_a_pattern_that_would_take_for_ever_is_unknown(pattern):
    assert evaluate(parse(f"name ~ '{pattern}'"), {"name": "a" * 60 + "!"}) in (None, False)


@pytest.mark.parametrize("key", ["where", "over", "fresh", "least", "floor", "ceiling", "at_most"])
def test_a_key_without_a_value_is_no_rule_without_it(key):
    assert f"rules.yaml:6:1: {key} has no value" in mistakes("set daily_budget=+10%", more=f"  {key}:\n")


@pytest.mark.parametrize(
    ("do", "more", "said"),
    [
        ("set daily_budget=+10%", "  floor: 9 EUR\n  ceiling: 5 EUR\n", "floor is above ceiling"),
        ("set daily_budget=+10%", "  floor: 9 EUR\n  ceiling: 50 USD\n", "different currencies"),
        ("set daily_budget=+10%", "  ceiling: 50 EUX\n", "EUX is not a currency"),
        ("set daily_budget=0 EUR", "", "is not set to 0"),
        ("set daily_budget=0", "", "is not set to 0"),
        (f"set daily_budget={'9' * 5000} EUR", "", "do: is pause"),
        ("pause", "  over: 999d\n", "at most 182d"),
    ],
)
def test_amounts_and_windows_that_cannot_be_meant_are_refused(do, more, said):
    assert said in mistakes(do, more=more)


def test_an_unknown_currency_and_a_list_of_another_unit_are_refused():
    assert "XYZ is not a currency" in mistakes(when="spend > 5 XYZ")
    assert "'in' does not take" in mistakes(when="campaign in [1, 2]")
    parse_rules(RULE.format(do="pause", when="campaign in ['A', 'B']").encode(), "rules.yaml")


@pytest.mark.parametrize("bound", ["floor: 1 EUR", "ceiling: 900 EUR"])
def test_a_bound_of_another_currency_is_unknown_and_sets_nothing(bound):
    rule = RULE.format(do="set daily_budget=+10%", when="spend > 1") + f"  {bound}\n"
    facts = facts_of({"campaigns": {"c1": {"currency": "USD"}}})
    decisions = decide(parse_rules(rule.encode(), "rules.yaml"), facts, History([]))
    assert not decisions.due and "its currency is USD" in decisions.unknown[0][2]


def test_a_time_of_a_record_that_cannot_be_read_is_unknown():
    rule = RULE.format(do="pause", when="spend > 1").encode()
    facts = facts_of({"campaigns": {"c1": {"created_at": "soon"}}})
    assert decide(parse_rules(rule, "rules.yaml"), facts, History([])).unknown


@pytest.mark.parametrize("do", ["set daily_budget=1.000 EUR", "set total_budget=25.000"])
def test_an_amount_that_may_be_meant_as_thousands_is_refused(do):
    assert "may be meant as" in mistakes(do)
    assert "may be meant as" in mistakes("set daily_budget=+10%", more="  ceiling: 1.000 EUR\n")
    assert "may be meant as 1000: write that, or 1" in mistakes(when="spend > 1.000 EUR")
    parse_rules(RULE.format(do="set daily_budget=1.125 KWD", when="spend > 0.125 EUR").encode(), "rules.yaml")
