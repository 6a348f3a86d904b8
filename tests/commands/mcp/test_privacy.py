"""What identifies a person is masked in whatever form it is written."""

import pytest

from ads_cli.commands.mcp.privacy import without_private
from ads_cli.masking import MASK

PRIVATE = {
    "an address": "anna.p@shop.example",
    "one with a plus": "anna+ads@shop.example.org",
    "one in a query": "anna%40shop.example",
    "one with invisible characters": "an\u00adna\u200b@shop\u2060.example",
    "one of wide characters": "\uff41nna\uff20shop.example",
    "a telephone number": "+49 171 5550114",
    "one with spaces that do not break": "+49\u00a0171\u202f5550114",
    "one with dashes": "+49\u2013171\u20115550114",
    "one of wide characters too": "\uff0b\uff14\uff19 171 5550114",
    "one with zeros": "0049-171-5550114",
    "one in brackets": "+1 (555) 555-0114",
    "a digest": "ab12" * 16,
    "one in capitals": "AB12" * 16,
    "a shorter digest": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "the digest of a device": "8b1ab1a43f1cbeb1b1a0a2e7ac8a3a6b",
    "a device": "38400000-8cf0-11bd-b23e-10b96e40000d",
}
SHOWN = (
    "8wku2",
    "1790415000000000001",
    "13_1790413002217308160",
    "6743e0aa-1f2e3d4c",
    "2026-03-01T08:00:00Z",
)


@pytest.mark.parametrize("text", PRIVATE.values(), ids=[*PRIVATE])
def test_every_form_is_masked_in_texts_names_and_lists(text):
    shown = without_private({"name": f"Write to {text}, please", text: [[f"({text})"]]})
    assert shown == {"name": f"Write to {MASK}, please", MASK: [[f"({MASK})"]]}


@pytest.mark.parametrize("text", [*SHOWN, "Grüße an alle \U0001f600\ufe0f", "-50 % ab 10 000 000"])
def test_ids_times_and_other_texts_are_shown(text):
    assert without_private(text) == text


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
    assert without_private({name: "0171 5550114"}) == {name: "0171 5550114"}
