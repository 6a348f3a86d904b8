"""Conditions between fields: each is a rule, told with all others, and inherited."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.conditions import at_least_one, excludes, only_for, required_when, requires, together
from ads_cli.api.endpoint import Request
from ads_cli.api.problems import InvalidError
from ads_cli.api.validation import convert, rules_of


@requires("days", "cap", "kind")
@required_when("amount", bid=("MAX", "TARGET"))
@required_when("domain", places=("NETWORK",))
@required_when("tag", bid=("AUTO",), kind=("REACH",))
@together("tag", "ref")
@excludes("draft", "amount", "cap")
@only_for("cap", kind=("REACH", "VIEWS"))
@only_for("bid", "TARGET", kind=("REACH", "CLICKS"))
@at_least_one("ios", "android", "web")
@at_least_one("tag", "domain", kind=("VIEWS",))
class Ordered(Request):
    """A request with a condition of each kind."""

    ios: str | None = None
    android: str | None = None
    web: str | None = None
    days: int | None = None
    cap: int | None = None
    kind: Literal["REACH", "VIEWS", "CLICKS", "FOLLOWERS"] | None = None
    bid: Literal["AUTO", "MAX", "TARGET"] | None = None
    amount: int | None = None
    places: list[str] | None = None
    domain: str | None = None
    tag: str | None = None
    ref: str | None = None
    draft: bool | None = None


class Inherited(Ordered):
    """A request that inherits them."""

    more: str | None = None


def problems(struct: type[Request], **values) -> list[str]:
    try:
        convert(struct, values)
    except InvalidError as error:
        return sorted(map(str, error.problems))
    return []


CASES = [
    ({}, ["ios: is required unless android or web is set"]),
    ({"ios": "1"}, []),
    ({"web": ""}, ["ios: is required unless android or web is set"]),
    ({"ios": "1", "days": 7}, ["days: needs cap", "days: needs kind"]),
    ({"ios": "1", "days": 7, "cap": 0, "kind": "REACH"}, []),
    ({"ios": "1", "cap": 3}, []),
    ({"ios": "1", "cap": 3, "kind": "CLICKS"}, ["cap: is for kind REACH or VIEWS only"]),
    ({"ios": "1", "bid": "MAX"}, ["amount: is required when bid is MAX"]),
    ({"ios": "1", "bid": "MAX", "amount": 0}, []),
    ({"ios": "1", "bid": "AUTO"}, []),
    ({"ios": "1", "bid": "AUTO", "kind": "REACH"}, ["tag: is required when bid is AUTO and kind is REACH"]),
    ({"ios": "1", "places": ["A", "NETWORK"]}, ["domain: is required when places has NETWORK"]),
    ({"ios": "1", "places": ["A"]}, []),
    ({"ios": "1", "draft": True, "amount": 1, "cap": 2}, [
        "draft: cannot be used with amount", "draft: cannot be used with cap",
    ]),
    ({"ios": "1", "draft": False, "amount": 1}, []),
    ({"ios": "1", "bid": "TARGET", "amount": 1, "kind": "FOLLOWERS"}, [
        "bid: TARGET is for kind REACH or CLICKS only",
    ]),
    ({"ios": "1", "bid": "MAX", "amount": 1, "kind": "FOLLOWERS"}, []),
    ({"ios": "1", "kind": "VIEWS"}, ["tag: is required when kind is VIEWS unless domain is set"]),
    ({"ios": "1", "tag": "t"}, ["ref: is required when tag is set"]),
    ({"ios": "1", "ref": "r"}, ["ref: needs tag"]),
    ({"ios": "1", "tag": "t", "ref": "r"}, []),
    ({"ios": "1", "kind": "VIEWS", "domain": "shop.example"}, []),
]  # fmt: skip


@pytest.mark.parametrize("struct", [Ordered, Inherited])
@pytest.mark.parametrize(("values", "expected"), CASES)
def test_a_broken_condition_is_told_at_its_field(struct, values, expected):
    assert problems(struct, **values) == expected


def test_all_broken_conditions_are_told_at_once_and_beside_invalid_fields():
    messages = problems(Inherited, days=7, bid="MAX", places=["NETWORK"], draft="perhaps")
    assert messages == [
        "amount: is required when bid is MAX",
        "days: needs cap",
        "days: needs kind",
        "domain: is required when places has NETWORK",
        "draft: 'perhaps' is neither true nor false",
        "ios: is required unless android or web is set",
    ]


def test_a_condition_on_an_invalid_field_is_left_out():
    assert problems(Ordered, ios="1", bid="LOW")[0].startswith("bid: 'LOW' is not one of")
    assert len(problems(Ordered, ios="1", bid="LOW")) == 1


def test_a_condition_is_a_rule_with_a_name_of_its_own():
    names = [rule.__name__ for rule in rules_of(Inherited)]
    assert len(set(names)) == len(names) == 12


def test_a_condition_on_a_field_that_does_not_exist_is_a_mistake():
    with pytest.raises(TypeError, match="Ordered has no field nothing"):
        requires("days", "nothing")(Ordered)


@given(st.booleans(), st.booleans())
def test_fields_that_exclude_each_other_are_accepted_alone(draft, amount):
    values = {"ios": "1"} | ({"draft": True} if draft else {}) | ({"amount": 1} if amount else {})
    assert bool(problems(Ordered, **values)) == (draft and amount)


def test_a_condition_that_would_hide_another_one_is_no_declaration():
    class Bid(Request):
        bid: str | None = None
        amount: int | None = None

    twice = required_when("amount", bid=("MAX",)), required_when("amount", bid=("TARGET",))
    with pytest.raises(TypeError, match="Bid has two conditions amount_for_bid"):
        twice[0](twice[1](Bid))
