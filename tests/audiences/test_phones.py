"""Phone numbers: spellings of one number are one person, and what cannot be a number is refused."""

import json
import re
import string

import phonenumbers
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, SUPPORTED_REGIONS, PhoneMetadata, PhoneNumberFormat

from ads_cli.audiences import phones
from ads_cli.audiences.identifiers import identifier_types
from tests.effort import tries

from .conftest import digest

REGIONS = sorted(SUPPORTED_REGIONS)
FULL_WIDTH = str.maketrans("0123456789+", "０１２３４５６７８９＋")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def read(text: str, region: str | None = None) -> str:
    return identifier_types(region)["phone_number"].read(text)


def refusal(text: str, region: str | None = None) -> str:
    with pytest.raises(ValueError) as refused:
        read(text, region)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "region", "number"),
    [
        ("+491511234567", None, "+491511234567"),
        ("+49 0151 1234567", None, "+491511234567"),
        ("+4901511234567", None, "+491511234567"),
        ("+49 (0) 151 123 45 67", None, "+491511234567"),
        ("00491511234567", None, "+491511234567"),
        ("00491511234567", "DE", "+491511234567"),
        ("00491511234567", "US", "+491511234567"),
        ("0044 7400 123456", "RU", "+447400123456"),
        ("810 44 7400 123456", "RU", "+447400123456"),  # as it is dialed there
        ("0011 44 7400 123456", "AU", "+447400123456"),
        ("0086 138 1234 5678", "HK", "+8613812345678"),  # 008 and a number that nobody has would do too
        ("0151/1234567", "DE", "+491511234567"),
        ("151 1234567", "DE", "+491511234567"),  # a spreadsheet dropped the zero
        ("4915112345678", "DE", "+4915112345678"),
        ("49 30 12345678", "DE", "+493012345678"),
        ("'+4915112345678", None, "+4915112345678"),
        ("tel:+49-151-12345678", None, "+4915112345678"),
        ("Tel. +49 151 12345678", None, "+4915112345678"),
        ("\u202a+49\u00a0151\u00a012345678\u202c", None, "+4915112345678"),
        ("(+49) 30 123456-12", None, "+493012345612"),
        ("0151 12345678 ext. 12", "DE", "+4915112345678"),
        ("+39 06 12345678", None, "+390612345678"),
        ("06 12345678", "IT", "+390612345678"),
        ("+39 (0)6 12345678", None, "+390612345678"),
        ("011 15 2345-6789", "AR", "+5491123456789"),
        ("+54 11 15 2345 6789", None, "+5491123456789"),
        ("0 15 11 98765-4321", "BR", "+5511987654321"),
        ("1 415 555 2671", "US", "+14155552671"),
        ("8 912 345-67-89", "RU", "+79123456789"),
        ("9198765432", "IN", "+919198765432"),  # begins like the country code, and is a mobile's
        ("919876543210", "IN", "+919876543210"),
        ("16041234567", "DE", "+4916041234567"),  # a mobile of the region first
        ("033612345678", "DE", "+4933612345678"),  # as it is dialed there
        ("3361234567", "DE", "+493361234567"),
        ("2079460958", "GB", "+442079460958"),
        ("3725 123450", "DE", "+493725123450"),  # ten digits, which a mobile of Estonia has too
        ("82 10 2000 0518", "KR", "+821020000518"),
        ("+7 800 555 35 35", None, "+78005553535"),  # its 8 is no trunk prefix: the number is assigned
        ("+49 30 12345678901", None, "+493012345678901"),  # 15 digits
    ],
)
def test_spellings_of_a_number_are_read_alike(text, region, number):
    assert read(text, region) == number
    assert read(text.translate(FULL_WIDTH), region) == read(text.translate(ARABIC), region) == number


def test_an_extension_after_a_semicolon_is_a_part_of_its_number(adsctl):
    adsctl.file("people.csv", "phone\n+49 30 1234567;ext=12\n+49 30 1234567; +49 30 1234568;ext=3\n")
    assert "3 to be hashed" in adsctl("audiences", "check", "people.csv").stderr
    adsctl("audiences", "hash", "people.csv", "hashed.csv")
    hashed = (adsctl.home / "hashed.csv").read_text().split()[1:]
    digests = [digest(f"+4930123456{last}") for last in "78"]
    assert hashed == [digests[0], ";".join(digests)]


@pytest.mark.parametrize(
    ("text", "region", "what_to_do"),
    [
        ("+1234567", None, "check its country code and its length"),
        ("+1 234567", None, "check its country code and its length"),
        ("+999 123456789", None, "check its country code and its length"),
        ("+49 00 151 1234567", None, "check its country code and its length"),
        ("+330612345", None, "check its country code and its length"),  # its trunk prefix cannot be removed
        ("+34 (0)91 234 56 78", None, "check its country code and its length"),
        ("+7 887 971 79 77", None, "check its country code and its length"),  # its 8 may be a trunk prefix
        ("+49 1234 5678901234", None, "check its country code and its length"),  # 16 digits
        ("+49 1155", None, "check its country code and its length"),  # of a service
        ("81524509115", "BY", "check its country code and its length"),  # 8 0152 450911, and a digit more
        ("82123456789", "IR", "check its country code and its length"),  # of nobody there, without its +
        ("110", "DE", "check its country code and its length"),
        ("911", "US", "check its country code and its length"),
        ("0151 1234567", None, "--region"),
        ("4915112345678", None, "write it with +"),
        ("491511234567", "DE", "write it with +"),  # 0491 511234567 in Leer, or 0151 1234567
        ("33612345678", "DE", "write it with +"),  # of a mobile in France, or of Fürstenwalde
        ("447400123456", "DE", "write it with +"),
        ("393331234567", "AT", "write it with +"),
        ("00212 5288 12345", "HK", "write it with +"),  # of Morocco, or 002 and a number of America
        ("0011 64 9 123 4567", "AU", "write it with +"),
        ("4.91512E+12", "DE", "as text"),
        ("4915112345678.0", "DE", "as text"),
        ("٤٩١٥١١٢٣٤٥٦٧٨.٠", "DE", "as text"),  # the same in Arabic digits
        ("+4915112345678 / +4915112345679", None, "semicolons"),
        ("+4915112345678, +4915112345679", None, "semicolons"),
        ("1-800-FLOWERS", "US", "digits only"),
        ("call me", "DE", "digits only"),
        ("ann@x.de", "DE", "--map COLUMN=email"),
    ],
)
def test_what_cannot_be_one_number_is_refused_with_what_to_do(text, region, what_to_do):
    assert what_to_do in refusal(text, region)


def example(region: str, draw: st.DrawFn) -> phonenumbers.PhoneNumber:
    """An existing number of a region, or the same with other last digits."""
    kind = draw(
        st.sampled_from([phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE])
    )
    number = phonenumbers.example_number_for_type(region, kind) or phonenumbers.example_number(region)
    changed = phonenumbers.PhoneNumber()
    changed.merge_from(number)
    changed.national_number += draw(st.integers(0, 99)) - changed.national_number % 100
    return changed


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str | None, str]:
    """A number in E.164, and another spelling of it, with the region that this needs."""
    region = draw(st.sampled_from(REGIONS))
    number = example(region, draw)
    written = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    form = draw(st.sampled_from(["e164", "international", "rfc3966", "national", "00", "spaced"]))
    if form == "00":
        text = "00" + written[1:]
    elif form == "spaced":
        text = "".join(digit + draw(st.sampled_from(["", "", " ", "-", ".", "\u00a0"])) for digit in written)
    elif form == "national":
        text = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
    else:
        text = phonenumbers.format_number(
            number,
            {
                "e164": PhoneNumberFormat.E164,
                "international": PhoneNumberFormat.INTERNATIONAL,
                "rfc3966": PhoneNumberFormat.RFC3966,
            }[form],
        )
    text = text.translate(draw(st.sampled_from([{}, FULL_WIDTH, ARABIC])))
    return written, text, region if form == "national" else draw(st.sampled_from([None, region]))


@settings(max_examples=tries(80, 300))
@given(spellings())
def test_every_spelling_of_a_number_of_any_region_is_read_alike_or_refused(spelling):
    written, text, region = spelling
    try:
        number_read = read(text, region)
    except ValueError as reason:
        assert text not in str(reason)
        is_valid = phonenumbers.is_valid_number(phonenumbers.parse(written))
        assert not is_valid or (region and "country code or not" in str(reason))
    else:
        assert number_read == written


@given(st.sampled_from(REGIONS), st.data())
def test_a_number_that_begins_with_00_is_read_alike_in_every_region_or_refused(region, data):
    number = example(region, data.draw)
    assume(phonenumbers.is_valid_number(number))
    written = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    for home in REGIONS:
        try:
            assert read(f"00{written[1:]}", home) == written, home
        except ValueError as reason:
            assert "write it with +" in str(reason)
            assert PhoneMetadata.metadata_for_region(home).international_prefix != "00", home


DIGITS = st.text(string.digits, min_size=1, max_size=14)
PREFIXES = st.sampled_from(["", "0", "00", "1", "8", "9", "15", "011", "0015"])


@st.composite
def generated(draw: st.DrawFn) -> tuple[str, str]:
    """Digits as they may be dialed in a region, and that region."""
    region = draw(st.sampled_from(REGIONS))
    metadata = PhoneMetadata.metadata_for_region(region)
    start = draw(PREFIXES | st.sampled_from([metadata.national_prefix or "", str(metadata.country_code)]))
    number = phonenumbers.national_significant_number(example(region, draw))
    return start + draw(DIGITS | st.just(number)), region


@settings(max_examples=tries(50, 500))
@given(generated())
def test_patterns_agree_with_the_library_on_numbers_of_every_region(dialed):
    digits, region = dialed
    for code in (phonenumbers.country_code_for_region(region), 1, 39, 800):
        text = f"+{code}{digits}"
        if re.fullmatch(phones.normal_form([text]), text):
            assert phones._parse(text) == text
    code, pattern = phones._plain_national(region)
    if plain := pattern.fullmatch(digits):
        written = f"+{code}{plain['rest']}"
        if re.fullmatch(phones.normal_form([written]), written):
            assert phones._parse(digits, region) == written


def test_the_pattern_of_each_country_knows_its_usual_numbers():
    for code, (region, *_) in COUNTRY_CODE_TO_REGION_CODE.items():
        if region == "001":
            number = phonenumbers.example_number_for_non_geo_entity(code)
        else:
            number = phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE)
            number = number or phonenumbers.example_number(region)
        written = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        assert re.fullmatch(phones.normal_form([written]), written), code


@settings(max_examples=tries(80, 300))
@given(
    st.sampled_from([None, *REGIONS]),
    generated().map(lambda dialed: dialed[0])
    | st.text("+0123456789 ()-.x,e'", max_size=20)
    | st.text(max_size=12),
)
def test_reading_a_number_again_changes_nothing(region, text):
    try:
        number = read(text, region)
    except ValueError as reason:
        assert len(text) < 3 or text not in str(reason)
    else:
        assert not number or read(number, region) == read(number) == number


SPELLINGS = (
    "+491511234567",
    "+49 0151 1234567",
    "+4901511234567",
    "+49 (0)151 1234567",
    "0049151 1234567",
    "0151 1234567",
)
IMPOSSIBLE = ("+1234567", "+1 234567", "491511234567", "call me", "+a4915112345678")


@pytest.mark.parametrize("times", [1, 200])
def test_spellings_of_a_number_are_one_hash_on_the_wire_and_others_are_not_sent(shop, audience, times):
    shop.file("people.csv", "\n".join(["phone", *SPELLINGS * times, *IMPOSSIBLE]))
    words = ("audiences", "push", "people.csv", "--audience", "aud", "--region", "DE", "--debug")
    refused = shop(*words, code=3)
    assert not audience.bodies
    done = shop(*words, "--skip-invalid", "--log-file", "log", code=9)
    users = [user for body in audience.bodies for operation in body for user in operation["params"]["users"]]
    assert users == [{"phone_number": [digest(SPELLINGS[0])]}] * len(SPELLINGS) * times
    written = refused.stderr + done.stderr + done.stdout + (shop.home / "log").read_text()
    assert not [number for number in (*SPELLINGS, *IMPOSSIBLE[:3]) if number in written]


def test_numbers_of_a_document_are_read_like_those_of_a_table(shop, audience):
    """A number may be a JSON number, but not one with decimals, which may have lost digits."""
    people = [{"phone": [number]} for number in SPELLINGS] + [{"phone": 4915112345678}, {"phone": 4.915e12}]
    shop.file("people.json", json.dumps(people))
    words = ("audiences", "push", "people.json", "--audience", "aud", "--region", "DE", "--skip-invalid")
    assert "changed by a spreadsheet" in shop(*words, code=9).stderr
    users = [user for body in audience.bodies for operation in body for user in operation["params"]["users"]]
    digests = [digest(SPELLINGS[0])] * len(SPELLINGS) + [digest("+4915112345678")]
    assert users == [{"phone_number": [hashed]} for hashed in digests]


DOUBT = "phone_number: is a possible phone number, but its country has no such numbers: check it"


@pytest.mark.parametrize(
    ("text", "region"),
    [("09 1234 5678", "CL"), ("+560912345678", "DE"), ("+1 200 555 0123", "US"), ("+56 0912345678", "DE")],
)
@pytest.mark.parametrize("name", ["people.csv", "people/*.csv"])
def test_a_number_that_is_possible_and_not_assigned_is_sent_with_a_warning(
    shop, audience, text, region, name
):
    (shop.home / "people").mkdir()
    for file in ("people.csv", "people/1.csv", "people/2.csv"):
        shop.file(file, f"phone,name\n+4915112345678,a\n{text},b\n")
    done = shop("audiences", "push", name, "--audience", "aud", "--region", region)
    files = ["people.csv"] if name == "people.csv" else ["people/1.csv", "people/2.csv"]
    assert f"warning: {files[0]}:3: {DOUBT}\n" in done.stderr
    assert ", ".join(f"{file}:3" for file in files) in done.stderr
    assert "12345678" not in done.stderr and len(audience.bodies[0][0]["params"]["users"]) == 2
    assert DOUBT.partition(": ")[2] in shop("audiences", "check", name, "--region", region).stdout


def test_numbers_that_are_assigned_have_no_warning(shop, audience):
    rows = "".join(
        f"{phonenumbers.format_number(example, PhoneNumberFormat.E164)}\n"
        for region in REGIONS
        if (example := phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE))
    )
    shop.file("people.csv", f"phone\n{rows}")
    done = shop("audiences", "push", "people.csv", "--audience", "aud")
    assert "possible" not in done.stderr


@settings(max_examples=tries(60, 5000))
@given(
    region=st.sampled_from(REGIONS),
    changes=st.lists(st.tuples(st.integers(0, 14), st.integers(0, 9)), max_size=5),
)
def test_a_number_raises_doubt_exactly_where_phonenumbers_does_not_know_it(region, changes):
    digits = list(phonenumbers.format_number(phonenumbers.example_number(region), PhoneNumberFormat.E164)[1:])
    code = len(str(phonenumbers.country_code_for_region(region)))
    for place, digit in changes:
        if code <= place < len(digits):
            digits[place] = str(digit)
    text = f"+{''.join(digits)}"
    number = phonenumbers.parse(text)
    if phonenumbers.format_number(number, PhoneNumberFormat.E164) == text:
        kind = identifier_types()["phone_number"]
        assert kind.raises_doubt(text) != phonenumbers.is_valid_number(number)
