"""Secrets are masked in every encoding, in time linear in the text, whatever text and secrets are."""

import html
import json
import re
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ads_cli.masking import Mask, address_passwords, address_secrets, mask_address
from ads_cli.people_masking import mask_people
from tests.effort import tries
from tests.growth import assert_linear

FIRST_LENGTH = tries(1_000, 100_000)  # it is made longer until it takes a measurable time

ENCODERS = {
    "literal": str,
    "percent": lambda text: quote(text, safe=""),
    "percent in lower case": lambda text: re.sub("%..", lambda code: code[0].lower(), quote(text, safe="")),
    "json": lambda text: json.dumps(text)[1:-1],
    "repr": lambda text: repr(text)[1:-1],
    "html": html.escape,
    "every character as JSON": lambda text: "".join(rf"\u{ord(letter):04x}" for letter in text),
    "every character as HTML": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "every character as hexadecimal HTML": lambda text: "".join(f"&#x{ord(letter):X};" for letter in text),
}
BACKSLASH = r"\\|\\+u005c|%5C|%5c|&#92;|&#x5C;|\\+x5c"
# Printable, with what encodings change; a backslash at an end is one of those that quoting adds.
secrets = (
    st.text(
        st.characters(min_codepoint=0x20, max_codepoint=0xFFFF, exclude_categories=["Cc", "Cs"]), min_size=8
    )
    | st.text("aB3%\\/\"'&<+ €", min_size=8, max_size=20)
).filter(lambda text: text.strip("\\") == text and len(text.replace("\\", "")) >= 8 and text.strip(" *"))


def masked(text: str, *secrets: str) -> str:
    mask = Mask()
    mask.add(*secrets)
    return mask(text)


@given(secrets, st.sampled_from(sorted(ENCODERS)), st.sampled_from(sorted(ENCODERS)))
@example("x%41y%zz&amp;q", "html", "literal")
@example("x%41y%zz&amp;q", "percent", "html")
@example("tr0ub4dor&3'\"/\\x", "json", "json")
@example("pä$$wörd€", "json", "percent")
def test_a_secret_is_found_however_it_was_encoded_and_encoded_again(secret, first, second):
    text = ENCODERS[second](ENCODERS[first](secret))
    # A backslash may stay that quoting put before the first character.
    assert re.fullmatch(rf"before=(?:{BACKSLASH})*\*\*\*;after", masked(f"before={text};after", secret))


@given(st.binary(max_size=5), secrets, st.binary(max_size=5))
def test_a_secret_is_found_in_the_base64_of_what_holds_it(before, secret, after):
    text = b64encode(before + secret.encode() + after).decode()
    rest = masked(text, secret)
    assert "***" in rest and len(rest) <= len(b64encode(before)) + len(b64encode(after)) + 7


@given(st.text(), st.lists(secrets, max_size=3))
def test_text_without_a_secret_stays_as_it_is(text, secrets):
    mask = Mask()
    mask.add(*(f"\ue000{secret}" for secret in secrets))
    if "\ue000" not in text and "token" not in text and "verifier" not in text:
        assert mask(text) == text


def test_secrets_that_overlap_leave_nothing_between_them():
    assert masked("<abcdefghijkl>", "abcdefgh", "efghijkl") == "<***>"


def test_a_short_secret_is_masked_where_it_is_a_word():
    shown = masked('a cat, "cat", concat, %22cat%22, \\ncat', "cat")
    assert shown == 'a ***, "***", concat, %22***%22, \\n***'


HOSTILE = (
    "\\",
    "%41",
    "%25",
    "&#",
    "&#0",
    "&amp;",
    "&",
    "\\u00",
    '"',
    "a",
    "oauth_token",
    "oauth_token ",
    "secret",
)
GREEDY = ("\\" * 40 + "password", "secretsecret", '"' * 40 + "x" * 8, "&amp;" * 10, "%25" * 10)


@pytest.mark.parametrize("unit", HOSTILE)
def test_masking_takes_time_linear_in_the_text(unit):
    mask = Mask()
    mask.add(*GREEDY)
    assert_linear(mask, lambda length: (unit * length)[:length], FIRST_LENGTH)


def test_adding_a_secret_takes_time_linear_in_it():
    assert_linear(
        lambda secret: masked(secret, secret), lambda length: "\\" * length + "password", FIRST_LENGTH
    )


@pytest.mark.parametrize(
    ("text", "shown", "passwords"),
    [
        ("https://u:PW@h/a b?c d", "https://***@h/a b?***", ["PW"]),
        ("--on-failure=https://u:P W@h", "--on-failure=https://***@h", ["P W"]),
        ("true https://u:PW@h/x", "true https://***@h/x", ["PW"]),
        ("link=https://u:PW@h/{id}?k=v end", "link=https://***@h/{id}?k=v end", ["PW"]),
        ("link!=https://PW@h", "link!=https://***@h", ["PW"]),
        ("--set=link=https://h/?k=v", "--set=link=https://h/?k=v", []),
        ("--on-failure=true https://h/?k=v", "--on-failure=true https://h/?***", []),
        ("https://h/to/https://u:PW@h", "https://h/to/https://***@h", ["PW"]),
        ("https://h/?to=https://u:PW@h", "https://h/?***", ["PW"]),
        ("a://b:c@d 'https://e:f@g'", "a://***@d 'https://***@g'", ["c", "f"]),
        ("get sftp://me@h/x and sftp://me:PW@h", "get sftp://me@h/x and sftp://***@h", ["PW"]),
        ("postgresql://me@h/ads", "postgresql://me@h/ads", []),
        ("postgresql://me:PW@h/ads?schema=x", "postgresql://***@h/ads?***", ["PW"]),
        ("--into=postgres://h/ads?port=1&password=PW", "--into=postgres://h/ads?***", ["PW"]),
        (
            "at postgresql://me@h and postgresql://me:PW@h",
            "at postgresql://me@h and postgresql://***@h",
            ["PW"],
        ),
        ("https://h/@x and me@h", "https://h/@x and me@h", []),
        ("curl https://h -u me@h", "curl https://h -u me@h", []),
        ("no address: 50% of a@b?", "no address: 50% of a@b?", []),
    ],
)
def test_an_address_is_masked_anywhere_in_a_text(text, shown, passwords):
    assert mask_address(text) == shown
    assert sorted(address_passwords(text)) == sorted(passwords)


@pytest.mark.parametrize(
    "part", ["a", "://", "a://", "://a", "://a:b@", "sftp", "://?", "://a?#", "https://a@ ", "a+"]
)
@pytest.mark.parametrize("function", [mask_address, address_secrets])
def test_addresses_are_masked_in_linear_time(function, part):
    for around in ("{}", "x https://{}"):
        assert_linear(
            function, lambda length, around=around: around.format(part * (length // len(part))), FIRST_LENGTH
        )


@pytest.mark.parametrize(
    "part", ["a", "a'", "a@", '"', "%25", "\\", "=41", "&#", "QUFB", "12 345 ", "+4", "ab:", "\uff21"]
)
def test_people_are_masked_in_linear_time(part):
    assert_linear(
        lambda text: mask_people(text, numbers=True),
        lambda length: part * (length // len(part)),
        FIRST_LENGTH,
    )
