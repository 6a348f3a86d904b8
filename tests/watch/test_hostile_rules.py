"""Files of rules that a hostile or a clumsy person writes."""

from collections import Counter

import pytest

from ads_cli import patterns
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
        ("set daily_budget=50 EUR", "  floor: 90\n", "floor is above the amount that is set"),
        ("set daily_budget=50 EUR", "  ceiling: 9\n", "ceiling is below the amount that is set"),
        ("set daily_budget=+10%", "  ceiling: 0\n", "ceiling is 0"),
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


@pytest.mark.parametrize(
    "when", ["clicks > 1 EUR", "spend > 5%", "ctr < 2 EUR", "spend - 5 * clicks > 0", "cpc in [1%]"]
)
def test_a_count_or_a_share_is_not_compared_with_an_amount(when):
    assert "does not take" in mistakes(when=when)


@pytest.mark.parametrize(
    "when", ["spend > 5", "spend > 2 EUR * clicks", "spend / clicks > 0.5", "ctr * 100 < 3"]
)
def test_a_plain_number_is_of_the_unit_beside_it(when):
    parse_rules(RULE.format(do="pause", when=when).encode(), "rules.yaml")


def test_a_list_without_rules_is_refused_since_it_would_do_nothing_each_night():
    with pytest.raises(ContentError, match="has no rules"):
        parse_rules(b"rules: []\n", "rules.yaml")


def test_of_many_rules_each_name_that_is_repeated_is_said():
    rule = "- {{name: r{}, of: campaigns, when: spend > 1, do: tell}}\n"
    text = "rules:\n" + "".join(rule.format(number % 1999) for number in range(2000))
    with pytest.raises(ContentError) as caught:
        parse_rules(text.encode(), "rules.yaml")
    assert caught.value.message == "rules.yaml:2001:1: the name 'r0' is that of another rule"


@pytest.mark.parametrize(
    ("do", "bounds", "outcome"),
    [
        ("+10%", "floor: 60", "daily_budget would be 27.50, below the floor of 60"),
        ("-20%", "ceiling: 5", "daily_budget would be 20.00, above the ceiling of 5"),
        ("+10%", "ceiling: 26", "26.00"),
        ("-20%", "floor: 24", "24.00"),
        ("+10%", "ceiling: 20", None),
        ("-20%", "floor: 30", None),
    ],
)
def test_a_bound_never_makes_a_change_larger_than_its_share(do, bounds, outcome):
    rule = RULE.format(do=f"set daily_budget={do}", when="spend > 1") + f"  {bounds}\n"
    decisions = decide(parse_rules(rule.encode(), "rules.yaml"), facts_of({}), History([]))
    (said,) = [own.after for own in decisions.due] + [why for _, _, why in decisions.unknown] or [None]
    assert said == outcome


def test_a_pattern_that_takes_too_long_is_given_up_and_not_searched_in_each_record(monkeypatch):
    monkeypatch.setattr(patterns, "_timeouts", Counter())
    searched = []

    class Slow:
        def search(self, within, timeout):
            searched.append(within)
            raise TimeoutError

    monkeypatch.setattr(patterns, "compile_pattern", lambda text: Slow())
    assert {patterns.is_found("(a+)+$", f"name {number}") for number in range(100)} == {None}
    assert len(searched) == patterns.MAX_TIMEOUTS


@pytest.mark.parametrize(
    ("when", "where", "status", "warnings"),
    [
        ("spend > 1 USD", "id != ''", "ACTIVE", ["the rule 'a' could not judge any of 1 record"]),
        ("spend > 1", "name ~ '^Autumn'", "ACTIVE", ["the rule 'a' is about no record of the account"]),
        ("spend > 1", "name ~ '^Spring'", "PAUSED", []),  # it did what it should
        ("spend > 1", "id != ''", "ACTIVE", []),
    ],
)
def test_a_rule_that_is_about_nothing_or_could_judge_nothing_is_named(when, where, status, warnings):
    rules = RULE.format(do="pause", when=when) + f"  where: {where}\n"
    facts = facts_of({"campaigns": {"c1": {"entity_status": status}}})
    assert decide(parse_rules(rules.encode(), "rules.yaml"), facts, History([])).warnings == warnings
