"""Prices as people write them; what can be read in two ways stays as it is, with the reason."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.products.feeds.fixes.money import Price, PriceError, read_price


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("44,90 EUR", "44.90 EUR"),
        ("EUR 44.90", "44.90 EUR"),
        ("44.90eur", "44.90 EUR"),
        ("€44.90", "44.90 EUR"),
        ("44,90 €", "44.90 EUR"),
        ("44.90\xa0EUR", "44.90 EUR"),
        ("1.234,56 €", "1234.56 EUR"),
        ("1,234.56 EUR", "1234.56 EUR"),
        ("CHF 1'234.50", "1234.50 CHF"),
        ("1’234 CHF", "1234 CHF"),
        ("1 234,50 €", "1234.50 EUR"),
        ("1\u202f234,50 €", "1234.50 EUR"),
        ("1.234.567 €", "1234567 EUR"),
        ("12.345.678,9 EUR", "12345678.9 EUR"),
        ("₹1,23,456.50", "123456.50 INR"),
        ("1234,567 EUR", "1234.567 EUR"),
        ("0,123 EUR", "0.123 EUR"),
        (".99 EUR", "0.99 EUR"),
        ("44,- €", "44 EUR"),
        ("AED 25.00", "25.00 AED"),
        ("US$5", "5 USD"),
        ("$5.00 USD", "5.00 USD"),
        ("199 zł", "199 PLN"),
        ("£5", "5 GBP"),
    ],
)
def test_a_price_is_read_as_it_is_meant(text, price):
    assert read_price(text) == price
    values = {"price": text, "sale_price": text}
    assert [edit[2] for edit in Price().apply(values)] == [price, price]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1.234 €", "it may be 1234 or 1.234: write it without a separator of thousands"),
        ("1,234 EUR", "it may be 1234 or 1.234: write it without a separator of thousands"),
        ("EUR 12.345", "it may be 12345 or 12.345: write it without a separator of thousands"),
        ("$5", "it may be in USD, CAD, AUD, …: --currency says in which"),
        ("100 kr", "it may be in SEK, NOK, DKK, …: --currency says in which"),
        ("¥500", "it may be in JPY, CNY: --currency says in which"),
        ("44,90", "it names no currency: --currency adds it, as in --currency EUR"),
        ("€5 USD", ""),
        ("5 XXQ", ""),
        ("from 5 EUR", ""),
        ("-5 EUR", ""),
        ("5-10 EUR", ""),
        ("5 00 EUR", ""),
        ("12.50 12 EUR", ""),
        ("1,2,3 EUR", ""),
        ("1.23,456.7 EUR", ""),
        ("EUR 18750;EUR 12295 b2b", ""),
        ("cheap", ""),
    ],
)
def test_a_price_that_cannot_be_read_in_one_way_stays_and_the_ways_are_told(text, reason):
    values = {"price": text}
    assert not Price().apply(values) and values == {"price": text}
    assert Price().objection("price", values) == reason


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("44,90", "44.90 EUR"),
        ("44", "44 EUR"),
        ("44.9 USD", "44.9 USD"),
        ("US$ 1,50", "1.50 USD"),
    ],
)
def test_a_currency_completes_prices_that_name_none(text, price):
    values = {"price": text}
    Price("EUR").apply(values)
    assert values["price"] == price


def test_a_currency_says_which_of_several_a_symbol_means_and_no_other():
    values = {"price": "$5"}
    Price("CAD").apply(values)
    assert values["price"] == "5 CAD"
    assert not Price("EUR").apply({"price": "$5"})
    assert not Price("EUR").apply({"price": "1,234"})


@given(
    st.integers(0, 10**9),
    st.integers(0, 99),
    st.sampled_from([(".", ","), (",", "."), (" ", ","), ("'", "."), ("’", ","), ("", ","), ("", ".")]),
    st.sampled_from(["{} EUR", "EUR {}", "€{}", "{}€", "{} eur", "€ {} EUR"]),
)
def test_an_amount_in_any_way_of_writing_keeps_its_value(whole, cents, signs, words):
    thousands, point = signs
    number = f"{whole:,}".replace(",", thousands) + f"{point}{cents:02}"
    assert read_price(words.format(number)) == f"{whole}.{cents:02} EUR"


@given(st.text("0123456789.,'’ -€$EURchf", max_size=16) | st.text())
def test_any_text_gives_a_valid_price_or_none(text):
    try:
        price = read_price(text, "EUR")
    except PriceError:
        return
    assert re.fullmatch(r"[0-9]+(\.[0-9]+)? [A-Z]{3}", price)
    digits = re.sub("[^0-9]", "", text)
    assert re.sub("[^0-9]", "", price) in (digits, f"0{digits}")
