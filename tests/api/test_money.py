"""Amounts are written with the decimals of their currency, and none is lost."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.amounts import as_amount, decimals_of

# Transcribed from the facts of the service.
TWO = (
    "AED VEF PKR IDR HKD QAR PHP NZD INR EUR ARS THB MXN EGP DZD SAR LBP COP TRY SGD MAD AUD USD MYR CAD "
    "BRL GBP"
)


@pytest.mark.parametrize(
    ("currencies", "decimals"), [("VND KRW CLP JPY", 0), ("KWD IQD BHD TND", 3), (TWO, 2)]
)
def test_a_currency_has_its_decimals(currencies, decimals):
    assert {decimals_of(currency) for currency in currencies.split()} == {decimals}


@pytest.mark.parametrize(
    ("micros", "currency", "shown"),
    [
        (12_500_000, "EUR", "12.50"),
        (20_000_000, "EUR", "20.00"),
        (455_000, "EUR", "0.455"),
        (1, "EUR", "0.000001"),
        (0, "EUR", "0.00"),
        (-1_500_000, "EUR", "-1.50"),
        (1_234_567_000_000, "USD", "1,234,567.00"),
        (12_000_000, "JPY", "12"),
        (50_000_000_000, "VND", "50,000"),
        (12_500_000, "JPY", "12.5"),
        (12_500_000, "KWD", "12.500"),
    ],
)
def test_an_amount_is_written_for_people(micros, currency, shown):
    assert as_amount(micros, currency) == shown


@given(st.integers(-(10**24), 10**24), st.sampled_from(["EUR", "JPY", "KWD"]))
def test_no_part_of_an_amount_is_lost(micros, currency):
    written = as_amount(micros, currency).replace(",", "")
    assert Decimal(written) * 1_000_000 == micros
    assert len(written.partition(".")[2]) >= decimals_of(currency)


def test_an_amount_of_null_is_not_given(adsctl, tmp_path):
    for name in ("daily_budget", "daily_budget_amount_local_micro"):
        (tmp_path / "campaign.yaml").write_text(f"{name}: null\nname: Winter\n")
        shown = adsctl.local("campaigns", "update", "8wku2", "-f", tmp_path / "campaign.yaml", "--dry-run")
        assert "budget" not in shown.stdout + shown.stderr
