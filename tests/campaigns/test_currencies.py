"""Amounts of new campaigns are in the currency of what pays for them: shown, asked about and copied so."""

import json

import pytest

from tests.campaigns.files import apply
from tests.campaigns.test_campaign_copies import pulled
from tests.emulator.seeded import CAFE, KNITTERS

ITEM = {"name": "Hats", "objective": "WEBSITE_CLICKS", "product_type": "PROMOTED_POSTS"}
ITEM |= {"placements": ["ALL_ON_PLATFORM"], "bid_strategy": "MAX", "bid_amount": "1.50"}
ITEM |= {"start_time": "2026-01-01", "entity_status": "ACTIVE"}


def funding(adsctl, currency: str, *words: str) -> str:
    """A card that pays in a currency."""
    create = ("funding-instruments", "create", "--type", "CREDIT_CARD", "--currency", currency)
    rest = ("--start-time", "2026-01-01T00:00:00Z", "--sandbox", "-o", "json")
    return json.loads(adsctl(*create, *rest, *words).stdout)["id"]


def test_what_is_asked_names_the_currency_of_what_pays(adsctl, service):
    hats = {"name": "Hats", "funding_instrument_id": funding(adsctl, "JPY"), "daily_budget": "5000"}
    hats |= {"entity_status": "ACTIVE", "line_items": [ITEM | {"bid_amount": "150"}]}
    text = json.dumps({"campaigns": [hats]})
    message = adsctl("campaigns", "apply", "-", input=text, code=12).stderr
    assert "daily budgets of what may serve: 0 → 5,000 JPY" in message
    shown = adsctl("campaigns", "plan", "-", "-o", "table", input=text, code=10).stdout
    assert "daily_budget: 5,000 JPY" in shown and "bid_amount: 150 JPY" in shown


@pytest.mark.parametrize(("currency", "has"), [("EUR", "2"), ("JPY", "none")])
def test_an_amount_has_no_more_decimals_than_its_currency(adsctl, service, currency, has):
    hats = {"name": "Hats", "funding_instrument_id": funding(adsctl, currency), "daily_budget": "12.505"}
    done = apply(adsctl, {"campaigns": [hats | {"line_items": [ITEM | {"bid_amount": "1.505"}]}]}, code=3)
    assert f"daily_budget: 12.505 has too many decimals: {currency} has {has}" in done.stderr
    assert f"bid_amount: 1.505 has too many decimals: {currency} has {has}" in done.stderr
    assert "Hats" not in pulled(adsctl)


def test_a_change_has_no_more_decimals_than_its_currency(adsctl, service):
    done = apply(adsctl, {"campaigns": [{"id": KNITTERS, "daily_budget": "12.505"}]}, code=3)
    assert "daily_budget: 12.505 has too many decimals: EUR has 2" in done.stderr


def test_a_copy_that_is_paid_in_another_currency_needs_amounts_of_its_own(adsctl, service):
    hats = {"name": "Hats", "funding_instrument_id": funding(adsctl, "JPY"), "daily_budget": "5000"}
    apply(adsctl, {"campaigns": [hats | {"line_items": [ITEM | {"bid_amount": "150"}]}]})
    id, euros = pulled(adsctl)["Hats"]["id"], funding(adsctl, "EUR", "-A", CAFE)
    words = ("campaigns", "copy", id, "--to-account", CAFE, "--map")
    words += (f"{hats['funding_instrument_id']}={euros}",)
    message = adsctl(*words, "--set", "daily_budget=+10%", code=3).stderr
    assert (
        "daily_budget: is in JPY, and the copy is paid in EUR: --set daily_budget=AMOUNT names the" in message
    )
    assert "--set line_items.bid_amount=AMOUNT names the amount" in message
    assert pulled(adsctl, "-A", CAFE) == {}
    adsctl(*words, "--set", "daily_budget=30", "--set", "line_items.bid_amount=1")
    made = pulled(adsctl, "-A", CAFE)["Hats"]
    assert (made["daily_budget"], made["line_items"][0]["bid_amount"]) == ("30.00", "1.00")
    assert (
        "copied before"
        in adsctl(*words, "--set", "daily_budget=30", "--set", "line_items.bid_amount=1").stderr
    )


def test_a_copy_within_an_account_that_another_card_pays_needs_amounts_of_its_own(adsctl, service):
    card = pulled(adsctl)["People who knit"]["funding_instrument_id"]
    words = ("campaigns", "copy", KNITTERS, "--map", f"{card}={funding(adsctl, 'JPY')}")
    assert "is in EUR, and the copy is paid in JPY" in adsctl(*words, code=3).stderr
    assert "Copy of People who knit" not in pulled(adsctl)
