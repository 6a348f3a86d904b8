"""The language of conditions: what it takes, what it refuses, what is not known."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.watch.language import ConditionError, check, evaluate, parse

NAMES = {"spend": "money", "clicks": "number", "ctr": "number", "name": "text", "start": "date"}


def mistakes(text):
    return [mistake.message for mistake in check(parse(text), NAMES, lambda name: "")]


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("spend > 50", {"spend": Decimal(51)}, True),
        ("spend > 50 EUR and clicks < 3", {"spend": Decimal(51), "clicks": Decimal(3)}, False),
        ("ctr < 0.5%", {"ctr": Decimal("0.004")}, True),
        ("spend / clicks > 2", {"spend": Decimal(9), "clicks": Decimal(0)}, None),
        ("spend / clicks > 2 or clicks = 0", {"spend": Decimal(9), "clicks": Decimal(0)}, True),
        ("spend / clicks > 2 and spend > 100", {"spend": Decimal(9), "clicks": Decimal(0)}, False),
        ("not (spend > 50)", {"spend": Decimal(50)}, True),
        ("not spend > 50 or clicks > 1", {"clicks": Decimal(0)}, None),
        ("name ~ '^Shop'", {"name": "Shop DE"}, True),
        ("name in ['a', \"b\"]", {"name": "b"}, True),
        ("2 + 3 * 4 - -1 = 15", {}, True),
        ("(2 + 3) * 4 == 20", {}, True),
        ("6 / 3 / 2 = 1", {}, True),
        ("start < 2026-12-01", {"start": __import__("datetime").date(2026, 11, 30)}, True),
        ("spend > 50", {}, None),
        ("spend != 50", {"spend": Decimal("50.00")}, False),
    ],
)
def test_a_condition_holds_or_not_or_is_not_known(text, values, expected):
    assert mistakes(text) == []
    assert evaluate(parse(text), values) is expected


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("spend >", "a value is missing before the end", 7),
        ("spend > (1", "')' is missing", 10),
        ("spend 50", "'50' is one too many", 6),
        ("spend > 50 €", "'€' has no meaning here", 11),
        ("spend > 'x", '"\'" has no meaning here', 8),
        ("2026-02-30 < start", "2026-02-30 is no day", 0),
        ("1 < 2 < 3", "'<' is one too many", 6),
        ("and", "a value is missing before 'and'", 0),
        ("(" * 60 + "1", "is nested deeper than 50", 50),
        ("__import__('os')", "'(' is one too many", 10),
    ],
)
def test_what_is_no_condition_says_where(text, message, at):
    with pytest.raises(ConditionError, match=re.escape(message)) as refused:
        parse(text)
    assert (str(refused.value), refused.value.at) == (message, at)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spnd > 1", "'spnd' is no metric, field or goal"),
        ("spend > 'a'", "'>' does not take an amount and a text"),
        ("spend", "is no condition: compare it with something, as in spend > 50"),
        ("spend * spend > 1", "'*' does not take an amount and an amount"),
        ("clicks / spend > 1", "'/' does not take a number and an amount"),
        ("name ~ '('", "'(' is no regular expression: missing ) at position 1"),
        ("name ~ name", "'~' does not take a text and a text"),
        ("spend > 1 and clicks", "'and' does not take a condition and a number"),
        ("start > 3", "'>' does not take a day and a number"),
        ("clicks in 3", "'in' does not take a number and a number"),
    ],
)
def test_wrong_names_and_units_are_said_before_anything_is_read(text, message):
    assert mistakes(text) == [message]


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text):
    try:
        node = parse(text)
    except ConditionError as error:
        assert 0 <= error.at <= len(text)
    else:
        if not check(node, NAMES, lambda name: ""):
            assert evaluate(node, {}) in (True, False, None)


NUMBERS = st.integers(-9, 9)
SUMS = st.recursive(
    NUMBERS.map(lambda n: f"({n})"),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({' '.join(t)})"),
    max_leaves=8,
)


@given(SUMS, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), SUMS)
def test_arithmetic_and_comparison_are_those_of_numbers(left, sign, right):
    expected = eval(f"{left} {sign} {right}")
    assert evaluate(parse(f"{left} {sign} {right}"), {}) is expected
