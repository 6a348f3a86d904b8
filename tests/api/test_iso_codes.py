"""The generated sets of currency and country codes."""

import pycountry

from ads_cli.api.iso_codes import COUNTRIES, CURRENCIES
from tools.iso_codes import TARGET, module


def test_the_sets_hold_the_codes_of_pycountry():
    assert {currency.alpha_3 for currency in pycountry.currencies} == CURRENCIES
    assert {country.alpha_2 for country in pycountry.countries} == COUNTRIES


def test_make_data_writes_the_committed_module():
    assert TARGET.read_text(encoding="utf-8") == module()
