"""What identifies a person is masked in whatever form it is written."""

import html
import json
from base64 import b64encode, urlsafe_b64encode
from datetime import UTC, datetime
from hashlib import md5, sha1, sha256, sha512
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis.strategies import datetimes, just

from ads_cli.commands.mcp.privacy import without_private
from ads_cli.masking import MASK
from ads_cli.own_ids import new_change_id, new_job_id, random_letters
from ads_cli.people_masking import mask_people

ADDRESS, MOBILE = "anna.p@shop.example", "+49 171 5550114"


def base64(text):
    return b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def percent(text):
    return "".join(f"%{octet:02X}" for octet in text.encode())


def entities(text):
    return "".join(f"&#{ord(each)};" for each in text)


def json_escapes(text):
    return "".join(rf"\u{ord(each):04x}" for each in text)


def of_bytes(escape):
    """An encoder of the characters of Latin-1, which escapes others as JSON does."""
    return lambda text: "".join(
        escape.format(ord(each)) if ord(each) < 256 else json_escapes(each) for each in text
    )


ENCODERS = {
    "percent": percent,
    "percent of an address": lambda text: quote(text, safe=""),
    "HTML": entities,
    "JSON": json_escapes,
    "Python": of_bytes(r"\x{:02x}"),
    "octal": of_bytes(r"\{:03o}"),
    "JavaScript": lambda text: "".join(rf"\u{{{ord(each):x}}}" for each in text),
    "old JavaScript": lambda text: "".join(f"%u{ord(each):04X}" for each in text),
    "quoted-printable": of_bytes("={:02X}"),
    "base64": base64,
    "hexadecimal": lambda text: text.encode().hex(),
    "wide": lambda text: "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text),
    "invisible characters": "\u200b".join,
}
PRIVATE = {
    "an address": ADDRESS,
    "one with a plus": "anna+ads@shop.example.org",
    "one with an apostrophe": "anna.o'neil@shop.example",
    "one with other signs": "anna!#$&p~1@shop.example",
    "one in a query": "anna%40shop.example",
    "one with invisible characters": "an\u00adna\u200b@shop\u2060.example",
    "one of wide characters": "\uff41nna\uff20shop.example",
    "one with an accent of its own": "a\u0301nna@shop.example",
    "one that is quoted": '"anna p"@shop.example',
    "one at an address of the network": "anna@[192.0.2.7]",
    "one with blanks": "anna @ shop.example",
    "one with words": "anna [at] shop [dot] example",
    "one with other words": "anna(at)shop(dot)example",
    "one with names of HTML": "anna&commat;shop&period;example",
    "one with HTML that does not end": "anna&#64shop.example",
    "one with a sign of quoted-printable": "anna=40shop.example",
    "one on two lines of quoted-printable": "anna=40sh=\nop.example",
    "a telephone number": MOBILE,
    "one with a zero in brackets": "+49 (0) 171 555 0114",
    "one with spaces that do not break": "+49\u00a0171\u202f5550114",
    "one with dashes": "+49\u2013171\u20115550114",
    "one of wide characters too": "\uff0b\uff14\uff19 171 5550114",
    "one with zeros": "0049-171-5550114",
    "one in brackets": "+1 (555) 555-0114",
    "one of other digits": "+\u0664\u0669 \u0661\u0667\u0661 \u0665\u0665\u0665\u0660\u0661\u0661\u0664",
    "a digest": "ab12" * 16,
    "one in capitals": "AB12" * 16,
    "a shorter digest": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "the digest of a device": "8b1ab1a43f1cbeb1b1a0a2e7ac8a3a6b",
    "a longer digest": sha512(ADDRESS.encode()).hexdigest(),
    "a digest with a name": f"sha256:{sha256(ADDRESS.encode()).hexdigest()}",
    "one with another name": f"MD5={md5(ADDRESS.encode()).hexdigest().upper()}",
    "one with a name before it": f"sha1{sha1(ADDRESS.encode()).hexdigest()}",
    "one with a sign of numbers": f"0x{sha256(ADDRESS.encode()).hexdigest()}",
    "the base64 of a digest": base64(sha256(ADDRESS.encode()).digest()),
    "one without its end": base64(sha256(ADDRESS.encode()).digest()).rstrip("="),
    "one for addresses": urlsafe_b64encode(sha1(b"2").digest()).decode(),
    "one of MD5": base64(md5(ADDRESS.encode()).digest()),
    "one with a name": f"sha256-{base64(sha256(ADDRESS.encode()).digest())}",
    "a device": "38400000-8cf0-11bd-b23e-10b96e40000d",
    "the address of a device": "00:1a:2B:3c:4d:5e",
    "base64 of a text that has one": base64(f"Write to {ADDRESS}, please"),
    "base64 of UTF-16": base64(ADDRESS.encode("utf-16-le")),
    "base64 behind a name": f"user-{base64(ADDRESS)}",
    "base64 three times": base64(base64(base64(ADDRESS))),
}
NATIONAL = (
    *(
        "0171 5550114",
        "01715550114",
        "0171/5550114",
        "0171-555-01-14",
        "(0171) 5550114",
        "0 1 7 1 5 5 5 0 1 1 4",
    ),
    *(
        "030 1234567",
        "(555) 555-0114",
        "555-555-0114",
        "555.555.0114",
        "1-800-555-0114",
        "555 0114",
        "5550114",
    ),
    *(
        "06 12 34 56 78",
        "06.12.34.56.78",
        "612 345 678",
        "491715550114",
        "\u0660\u0661\u0667\u0661\u0665\u0665\u0665",
    ),
)
SHOWN = (
    *("8wku2", "1790415000000000001", "13_1790413002217308160", "18ce54d4x5t"),
    *(
        "2026-03-01T08:00:00Z",
        "2026-03-01T08:00:00.123456+01:00",
        "2026-03-01 08:00",
        "2026-03-01/2026-03-08",
    ),
    *("01.03.2026", "20260301", "2025/2026", "20261128-194955-bnrdhk", "127.0.0.1:8080"),
    *(
        "10 000 000",
        "100.000.000",
        "1,234,567.89",
        "1000000.00",
        "1000000 EUR",
        "\u20ac1000000",
        "50 000 - 100 000",
    ),
    *("daily_budget_amount_local_micro: 10000000", "--daily-budget-amount-local-micro=10000000"),
    *(
        '"account_id": "75620119"',
        "limit=1000000",
        "--user-id 1184672520",
        "Winterschlussverkauf SummerSaleCampaign",
    ),
    *("Preis @ 3.50", "danke @shop", "https://shop.example/red?utm_source=x&utm_medium=y"),
)
BESIDE_LETTERS = (
    *(
        "\u304a\u96fb\u8a71\u306f{}\u307e\u3067",
        "\u0e42\u0e17\u0e23{}\u0e04\u0e48\u0e30",
        "Gr\u00fc\u00dfe\u00e9{}\u00e9",
    ),
    *("{}x12", "{}ext4", "{} x12", "Tel{}", "{}mobil", "Telefon{}", "WhatsApp{}"),
)
AFTER_WORDS = (
    *("Reach us at: {}", "Info line: {}", "Any time: {}", "Jobs: {}", "Call till end: {}", "Best price: {}"),
    *("limit: {}", "at : {}", "Call at={}", "id: {}", '"time": "{}"'),
)
BETWEEN_GROUPS = ("\u2022", "|", ",", "*", ":", "~", "+", ";", "'", "#", "!", " - ", "  ", "\u30fb", " / ")
OTHER_FORMS = {
    "keycaps": "".join(f"{digit}\ufe0f\u20e3" if digit.isdigit() else digit for digit in "0171 5550114"),
    "tags": "anna@sh\U000e0001op.example",
    "struck": "a\u0336nna\u0336@shop.example",
    "the address of a device in thirds": "001a.2b3c.4d5e",
    "one without separators": "001A2B3C4D5E",
    "a device behind its kind": "idfa38400000-8cf0-11bd-b23e-10b96e40000d",
    "hexadecimal digits behind 0x": "0x" + b"anna@shop.example".hex(),
    "a digest in groups": " ".join(["ab12cd34"] * 8),
    "one with dashes": "-".join(["ab12cd34"] * 8),
    "one with colons": ":".join(["ab"] * 32),
    "base64 of other letters": base64("\u96fb\u8a7103-1234-5678\u307e\u3067"),
}
TYPED = {
    "id": "7562011901",
    "account_ids": ["7562011901", "8324519"],
    "user_id": "756201191",
    "daily_budget_amount_local_micro": "10000000",
    "created_at": "1790415000",
    "end_time": "20260301080000",
    "gtin": "4006381333931",
    "postCount": "1234567",
    "impressions": 1234567,
    "spend": [10000000, None],
}


@pytest.mark.parametrize("text", NATIONAL)
def test_what_nothing_tells_from_a_telephone_number_is_masked_for_assistants(text):
    assert without_private(f"Call {text}, please") == f"Call {MASK}, please"
    assert without_private({"description": text}) == {"description": MASK}
    assert mask_people(f"Call {text}, please") == f"Call {text}, please"


@pytest.mark.parametrize("first", ENCODERS)
@pytest.mark.parametrize("second", ["", *ENCODERS])
@pytest.mark.parametrize("text", [ADDRESS, MOBILE, "0171 5550114"])
def test_a_person_is_masked_however_it_was_encoded_and_encoded_again(text, first, second):
    encoded = ENCODERS[first](text)
    if second:
        encoded = ENCODERS[second](encoded)
    shown = without_private(f"Write to <{encoded}>")
    assert MASK in shown and len(shown) < 20, shown


def test_what_is_encoded_in_more_layers_than_are_decoded_is_masked():
    assert without_private(f"to anna%{'25' * 14}40shop.example") == f"to {MASK}"


def test_one_masker_reads_what_json_and_html_have_quoted():
    for text in (
        json.dumps({"a": '"anna p"@shop.example'}),
        html.escape('<a href="mailto:anna@shop.example">'),
    ):
        assert "shop" not in without_private(text)


@pytest.mark.parametrize("name", ["field", "column"])
def test_the_values_of_a_record_about_a_field_are_those_of_that_field(name):
    about = {name: "daily_budget_amount_local_micro", "before": "60000000", "after": "70000000"}
    assert without_private(about) == about
    assert without_private({name: "email", "value": "Anna"}) == {name: "email", "value": MASK}
    assert without_private({name: "title", "value": "0171 5550114"}) == {name: "title", "value": MASK}


def test_ids_amounts_times_and_counts_of_typed_fields_are_shown():
    assert without_private([TYPED]) == [TYPED]
    assert without_private({"id": "0171 5550114", "count": "+491715550114"}) == {"id": MASK, "count": MASK}


@pytest.mark.parametrize("text", PRIVATE.values(), ids=[*PRIVATE])
def test_every_form_is_masked_in_texts_names_and_lists(text):
    shown = without_private({"name": f"Write to {text}, please", text: [[f"({text})"]]})
    assert shown == {"name": f"Write to {MASK}, please", MASK: [[f"({MASK})"]]}


@pytest.mark.parametrize("text", [*SHOWN, "Grüße an alle \U0001f600\ufe0f", "-50 % ab 10 000 000"])
def test_ids_times_and_other_texts_are_shown(text):
    assert without_private(text) == text
    assert without_private(f"It is {text}, ok") == f"It is {text}, ok"


@given(now=datetimes(datetime(2026, 1, 1), datetime(2100, 1, 1), timezones=just(UTC)))
def test_the_ids_that_adsctl_gives_are_shown_whatever_is_random_in_them(now):
    """One that looked like a telephone number would be masked, and no assistant could use it."""
    run = f"{now:%Y%m%dT%H%M%S.%f}-{random_letters(8)}"  # of a fleet
    for own in (random_letters(16), new_job_id(now), new_change_id(now), run):
        for shown in (own, {"plan_id": own}, {"other": own}, f"it may have been created (job {own})"):
            assert without_private(shown) == shown


@pytest.mark.parametrize(
    "name",
    [
        *("email", "emails", "userEmail", "contact_phone", "phoneNumber", "address_postal_code", "zip"),
        *("street1", "last_name", "handle", "handles", "device_ids", "idfa", "hashed_email"),
        *("consumer_key", "access_token", "client_secret", "password", "authorization"),
    ],
)
def test_a_field_that_holds_a_person_or_a_secret_by_its_name_is_masked(name):
    assert without_private([{name: "0171 5550114"}, {name: ["Anna"]}]) == [{name: MASK}, {name: MASK}]
    assert without_private({name: None}) == {name: None}


@pytest.mark.parametrize(
    "name", ["user_id", "name", "description", "contents", "loadid", "event_id", "emailing", "tokenized"]
)
def test_a_field_with_another_name_is_shown(name):
    assert without_private({name: "Anna"}) == {name: "Anna"}


@pytest.mark.parametrize("around", BESIDE_LETTERS)
@pytest.mark.parametrize("number", ["03-1234-5678", "(555) 555-0114", "01715550114", "+81-3-1234-5678"])
def test_letters_beside_a_telephone_number_do_not_make_it_an_id(around, number):
    shown = without_private({"name": around.format(number)})["name"]
    assert MASK in shown and sum(each.isdigit() for each in shown) <= 2, shown


@pytest.mark.parametrize("text", AFTER_WORDS)
@pytest.mark.parametrize(
    "number", ["0171 5550114", "030 1234567", "0171-555-0114", "555-555-0114", "01715550114"]
)
def test_a_word_before_a_telephone_number_does_not_make_it_an_amount(text, number):
    assert without_private(text.format(number)) == text.format(MASK)


@pytest.mark.parametrize("between", BETWEEN_GROUPS)
@pytest.mark.parametrize("groups", ["0171 555 0114", "030 123 45 67", "555 555 0114", "+49 171 555 0114"])
def test_signs_between_the_digits_of_a_telephone_number_do_not_show_it(groups, between):
    assert without_private(f"Call {groups.replace(' ', between)} now") == f"Call {MASK} now"


@pytest.mark.parametrize("text", OTHER_FORMS.values(), ids=[*OTHER_FORMS])
def test_other_forms_of_a_person_are_masked(text):
    shown = without_private(f"Write to {text}, please")
    assert MASK in shown and "shop" not in shown and not any(map(str.isdigit, shown)), shown


def test_times_lists_and_addresses_of_machines_are_shown():
    for text in (
        *("open 08:00-20:00, 10:00-18:00", "rows 12, 15, 27, 31", "http://127.0.0.1:45555/12/accounts"),
        *(
            "\u958b\u59cb2026-03-01\u304b\u3089",
            "1000000\u5186",
            "abc12345678",
            "12345678abc",
        ),
    ):
        assert without_private(text) == text


def test_no_member_is_lost_whose_name_is_masked():
    people = {"anna@shop.example": 1, "bob@shop.example": 2, "01715550114": 3, f"{MASK} 2": 4}
    assert without_private(people) == {MASK: 1, f"{MASK} 2": 2, f"{MASK} 3": 3, f"{MASK} 2 2": 4}
