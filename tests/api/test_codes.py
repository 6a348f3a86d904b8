"""The codes of currencies and countries."""

import pycountry

from ads_cli.api.iso_codes import countries, currencies


def test_they_are_those_that_pycountry_gives():
    assert currencies() == {currency.alpha_3 for currency in pycountry.currencies}
    assert countries() == {country.alpha_2 for country in pycountry.countries}
