"""The countries of a list, as people write them."""

import json

import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import SUPPORTED_REGIONS

from ads_cli.audiences import list_packer
from ads_cli.audiences.countries import find_region


def test_a_country_is_known_by_its_codes_and_its_english_name():
    for country in (known for known in pycountry.countries if known.alpha_2 in SUPPORTED_REGIONS):
        for text in (country.alpha_2, country.alpha_2.lower(), country.alpha_3, country.name):
            assert find_region(text) == country.alpha_2, text


@pytest.mark.parametrize(
    ("region", "names"),
    [
        ("DE", "Deutschland|Allemagne|Alemania|Germania|Niemcy|Tyskland|Германия|ドイツ|+49|0049|BRD"),
        ("AT", "Österreich|OESTERREICH|Autriche|Austria|Rakousko"),
        ("GB", "UK|U.K.|Great Britain|England|Royaume-Uni|Großbritannien"),
        ("US", "USA|U.S.A.|United States of America|États-Unis|Estados Unidos|1"),
        ("CI", "Côte d'Ivoire|COTE D’IVOIRE|Ivory Coast"),
        ("CZ", "Czechia|Czech Republic|Česko"),
        ("CH", "Schweiz|Suisse|Svizzera|Switzerland"),
        ("TR", "Türkiye|Turkey|Türkei"),
        ("NL", "Nederland|Holland|The Netherlands|Pays-Bas"),
        ("XK", "Kosovo"),
    ],
)
def test_a_country_is_known_in_many_languages(region, names):
    assert [find_region(name) for name in names.split("|")] == [region] * len(names.split("|"))


@pytest.mark.parametrize("together", [1, 2, 5000])
def test_the_country_of_a_record_does_not_depend_on_those_beside_it(adsctl, monkeypatch, together):
    monkeypatch.setattr(list_packer, "CHUNK_ROWS", together)
    records = [
        {"phone_number": "0151 12345678", "cc": "DE"},
        {"phone_number": "0171 1234567", "country": "Germany"},
        {"phone_number": "0171 1234567", "cc": "", "country": "Atlantis"},
    ]
    for order in (records, records[::-1]):
        adsctl.file("people.jsonl", "\n".join(map(json.dumps, order)))
        done = adsctl("audiences", "check", "people.jsonl", code=3)
        assert "1 of 3 rows invalid" in done.stderr
        assert done.stdout.splitlines()[1].split("\t")[3] == f"[{order.index(records[2]) + 1}]"
        assert "'cc', 'country' are read as the country" in done.stderr


@pytest.mark.parametrize("absent", ["N/A", "-", "null", "unknown", " ", "(not set)"])
def test_a_placeholder_is_no_country(adsctl, absent):
    adsctl.file("people.csv", f"phone,country code,country\n0151 12345678,{absent},DE\n")
    adsctl("audiences", "check", "people.csv")
    adsctl.file("people.csv", f"phone,country\n0151 12345678,{absent}\n")
    adsctl("audiences", "check", "people.csv", "--region", "DE")
    adsctl("audiences", "check", "people.csv", code=3)


@pytest.mark.parametrize("text", ["Atlantis", "XX", "999", "800", "ann@x.de", "0", "Europe", "9" * 5000])
def test_what_is_no_country_is_not_guessed(text):
    assert find_region(text) is None


@given(st.text(max_size=12))
def test_any_text_is_a_region_nothing_or_unknown(text):
    assert find_region(text) in {None, "", *SUPPORTED_REGIONS}
