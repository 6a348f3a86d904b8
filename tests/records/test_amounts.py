"""Amounts are given in whole units of a currency, whose decimals are checked."""

import json
import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ads_cli.api.amounts import amount_names, micros_of

FUNDING, CAMPAIGN = "4a1n0", "8wku2"  # seeded, in EUR
CREATE = ("campaigns", "create", "--name", "Autumn", "--funding-instrument-id", FUNDING)
DRY = ("--dry-run", "-o", "json")


def sent(adsctl, *words: str) -> str:
    return json.loads(adsctl.local(*words, *DRY).stdout)["url"]


@pytest.mark.parametrize("option", ["--daily-budget", "--daily-budget-amount"])
def test_a_budget_is_given_in_whole_units(adsctl, option):
    assert "daily_budget_amount_local_micro=12500000" in sent(adsctl, *CREATE, option, "12.50")


def test_one_amount_is_given_once(adsctl):
    both = ("--daily-budget", "1", "--daily-budget-amount-local-micro", "1000000")
    refused = adsctl.local(*CREATE, *both, code=2)
    assert "--daily-budget: cannot be used with daily_budget_amount_local_micro" in refused.stderr


@pytest.mark.parametrize("option", ["--daily-budget", "--daily-budget-amount-local-micro"])
def test_a_budget_of_0_is_refused(adsctl, option):
    assert re.search(
        rf"{option}: '0' is not .*more than 0", adsctl.local(*CREATE, option, "0", code=2).stderr
    )


def test_a_currency_that_does_not_exist_is_refused(adsctl):
    refused = adsctl.local("lookup", "bidding-rules", "--currency", "XYZ", code=2)
    assert "--currency: XYZ is not a currency" in refused.stderr


def test_an_amount_counts_whatever_others_are_not_given_or_null(adsctl, tmp_path):
    for other in ("", "total_budget: null\n", "daily_budget: null\n"):
        name = "total" if "daily" in other else "daily"
        (tmp_path / "campaign.yaml").write_text(f"{other}{name}_budget: 5\n")
        update = ("campaigns", "update", CAMPAIGN, "-f", tmp_path / "campaign.yaml")
        assert f"{name}_budget_amount_local_micro=5000000" in sent(adsctl, *update)


def test_service_x_removes_an_amount_by_either_name(adsctl):
    change = ("line-items", "update", "9d4c1", "--service", "x")
    for option in ("--total-budget", "--total-budget-amount-local-micro"):
        assert sent(adsctl, *change, option, "").endswith("?total_budget_amount_local_micro=")
    both = ("--total-budget", "", "--total-budget-amount-local-micro", "1")
    assert "--total-budget: cannot be used with" in adsctl.local(*change, *both, code=2).stderr
    refused = adsctl.local(*change[:3], "--total-budget", "", code=2).stderr
    assert "--total-budget: '' is not an amount" in refused


@pytest.mark.parametrize(
    ("currency", "amount", "most"),
    [("EUR", "12.505", "2"), ("JPY", "12.5", "none"), ("VND", "0.5", "none"), ("KWD", "12.5055", "3")],
)
def test_too_many_decimals_for_a_currency_are_refused(adsctl, currency, amount, most):
    words = (*CREATE, "--daily-budget", amount, "--currency", currency)
    refused = adsctl.local(*words, code=2)
    assert f"--daily-budget: {amount} has too many decimals: {currency} has {most}" in refused.stderr


@pytest.mark.parametrize(
    ("currency", "amount"),
    [("EUR", "12.5"), ("JPY", "12"), ("JPY", "12.0"), ("KWD", "12.505"), ("eur", "1.99")],
)
def test_the_decimals_of_a_currency_are_taken(adsctl, currency, amount):
    assert "daily_budget" in sent(adsctl, *CREATE, "--daily-budget", amount, "--currency", currency)


@pytest.mark.parametrize(
    "words",
    [
        CREATE,
        ("campaigns", "update", CAMPAIGN),
        ("line-items", "update", "9d4c1"),
    ],
)
def test_the_currency_is_looked_up_where_decimals_need_it(adsctl, words):
    refused = adsctl.local(*words, "--daily-budget", "12.505", code=2)
    assert "--daily-budget: 12.505 has too many decimals: EUR has 2" in refused.stderr
    whole = adsctl.local(*words, "--daily-budget", "12", "--yes", "--debug")
    assert whole.stderr.count("> GET ") == ("update" in words)  # what it was before, for the log of changes


def test_amounts_of_a_file_are_checked_by_record(adsctl):
    lines = [
        "name,funding_instrument_id,daily_budget",
        f"A,{FUNDING},12.50",
        f"B,{FUNDING},12.505",
        f"C,{FUNDING},{'9' * 5000}",
        f"F,{FUNDING},-5",
    ]
    adsctl.file("campaigns.csv", "\n".join(lines))
    refused = adsctl.local("campaigns", "create", "-f", "campaigns.csv", code=3)
    assert "campaigns.csv:3: daily_budget: 12.505 has too many decimals: EUR has 2" in refused.stderr
    assert (
        "campaigns.csv:4: daily_budget: '9999" in refused.stderr and "...' is not an amount" in refused.stderr
    )
    assert "campaigns.csv:5: daily_budget: '-5' is not more than 0" in refused.stderr


def test_an_amount_of_an_option_is_not_a_problem_of_the_rows(adsctl):
    adsctl.file("c.csv", f"name,funding_instrument_id,daily_budget\nA,{FUNDING},5.505\nB,{FUNDING},6\n")
    create = ("campaigns", "create", "-f", "c.csv", "--dry-run")
    refused = adsctl.local(*create, "--daily-budget", "12.345", code=2).stderr
    assert "--daily-budget: 12.345 has too many decimals: EUR has 2" in refused and "c.csv" not in refused
    adsctl.local(*create, "--daily-budget-amount-local-micro", "12345000")  # the amounts of rows do not count
    adsctl.file("c.csv", f"name,funding_instrument_id,total_budget\nA,{FUNDING},5\nB,{FUNDING},6\n")
    refused = adsctl.local(*create, "--daily-budget", "12.00", code=2).stderr
    assert "--daily-budget: 12 is more than total_budget_amount_local_micro, 5000000" in refused


def test_a_document_has_amounts_too(adsctl):
    adsctl.file("one.yaml", "total_budget: 500\ndaily_budget: 12.50\n")
    url = sent(adsctl, *CREATE, "-f", "one.yaml")
    assert "daily_budget_amount_local_micro=12500000" in url
    assert "total_budget_amount_local_micro=500000000" in url
    adsctl.file("bad.yaml", "daily_budget: 12,50\n")
    message = adsctl.local(*CREATE, "-f", "bad.yaml", code=3).stderr
    assert "is not an amount of at most six decimals; did you mean 12.50?" in message
    adsctl.file("bad.yaml", "daily_budget: +10%\n")  # a budget of 10 would be another one
    assert "decimals, as in 1.50" in adsctl.local(*CREATE, "-f", "bad.yaml", code=3).stderr
    adsctl.file("bad.yaml", "daily_budget: much\n")
    refused = adsctl.local(*CREATE, "-f", "bad.yaml", code=3)
    assert "bad.yaml: daily_budget: 'much' is not an amount" in refused.stderr


def test_an_amount_that_no_service_can_store_is_refused(adsctl):
    change = ("line-items", "update", "9d4c2")
    message = adsctl.local(*change, "--daily-budget", "9223372036855", code=2).stderr
    assert "--daily-budget: '9223372036855' is more than 9,223,372,036,854" in message
    for option in ("--daily-budget-amount-local-micro", "--bid-amount-local-micro"):
        message = adsctl.local(*change, option, 2**63, code=2).stderr
        assert f"{option}: " in message and "is more than 9,223,372,036,854,775,807" in message
    for name, amount in (("daily_budget", 9223372036855), ("daily_budget_amount_local_micro", 2**63)):
        adsctl.file("raise.csv", f"id,{name}\n9d4c1,{amount}\n9d4c2,{amount}\n")
        assert f"raise.csv:2: {name}: " in adsctl.local(*change[:2], "-f", "raise.csv", code=3).stderr
        adsctl.file("one.yaml", f"{name}: {amount}\n")
        assert f"one.yaml: {name}: " in adsctl.local(*change, "-f", "one.yaml", code=3).stderr
        adsctl.file("shop.yaml", f"campaigns: [{{name: a, {name}: {amount}}}]\n")
        adsctl.local("campaigns", "plan", "shop.yaml", code=3)
    adsctl.local(*change, "--daily-budget-amount-local-micro", 2**63 - 1, code=12)


@pytest.mark.parametrize(
    "amount", ["10 USD", "12.50 EUR", "€ 12", "$10", "10 US$", "JPY 500", "10 Kč", "12zł"]
)
def test_an_amount_of_a_currency_is_not_advised_as_one_of_the_account(adsctl, amount):
    """The account is in EUR: 10 USD are no 10 EUR."""
    adsctl.file("one.yaml", f"daily_budget: {amount}\n")
    adsctl.file("shop.yaml", f"campaigns: [{{name: a, daily_budget: {amount}}}]\n")
    for words in ((*CREATE, "-f", "one.yaml"), ("campaigns", "plan", "shop.yaml")):
        message = adsctl.local(*words, code=3).stderr
        assert (
            "write a number alone, of the currency of the account" in message
            and "did you mean" not in message
        )


def test_names_of_amounts():
    assert amount_names("daily_budget_amount_local_micro") == ["daily_budget", "daily_budget_amount"]
    assert amount_names("bid_amount_local_micro") == ["bid_amount"]


@pytest.mark.parametrize(("amount", "meant"), [("1e3", "1000"), ("1.5E+2", "150"), ("2e-1", "0.2")])
def test_an_amount_is_written_in_digits_alone(adsctl, amount, meant):
    message = adsctl.local(*CREATE, "--daily-budget", amount, code=2).stderr
    assert (
        f"--daily-budget: '{amount}' is not an amount of at most six decimals; did you mean {meant}?"
        in message
    )
    adsctl.file("one.yaml", f"daily_budget: {amount}\n")
    assert f"did you mean {meant}?" in adsctl.local(*CREATE, "-f", "one.yaml", code=3).stderr
    adsctl.file("many.csv", f"name,daily_budget\na,{amount}\nb,5\n")
    assert f"did you mean {meant}?" in adsctl.local(*CREATE, "-f", "many.csv", code=3).stderr
    adsctl.file("shop.yaml", f"campaigns: [{{name: a, daily_budget: {amount}}}]\n")
    assert f"did you mean {meant}?" in adsctl.local("campaigns", "plan", "shop.yaml", code=3).stderr


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9))
def test_an_amount_of_six_decimals_is_exact(amount):
    assert micros_of(format(amount, "f")) == amount * 1_000_000


@given(st.text() | st.from_regex(r"[+-]?[0-9_ ]{1,40}([.,][0-9]{0,40})?([eE][+-]?[0-9]{1,9})?"))
@example("1e999999")
@example("1_000")
@example("１２")
def test_any_text_is_an_exact_amount_or_none(text):
    found = micros_of(text)
    assert found is None or (
        text.isascii() and "_" not in text and Fraction(found, 1_000_000) == Fraction(text)
    )
