"""Customer lists that are no tables of text: workbooks, and records with names of their own."""

import io
import json

import openpyxl
import pytest

from .conftest import digest

PERSON = "geheim.person@example.com"


def workbook(*rows: list) -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(stream)
    return stream.getvalue()


def push(shop, file: str, *words: str, code: int = 0):
    return shop("audiences", "push", file, "--audience", "aud", "--debug", *words, code=code)


def test_a_workbook_that_repeats_its_columns_is_sent(shop, audience):
    rows = (["email", "email", "phone", "Land"], ["Ann@x.de", "ann@work.de", "0151 12345678", "Deutschland"])
    shop.file("people.xlsx", workbook(*rows))
    push(shop, "people.xlsx")
    (user,) = audience.bodies[0][0]["params"]["users"]
    assert user == {
        "email": [digest("ann@x.de"), digest("ann@work.de")],
        "phone_number": [digest("+4915112345678")],
    }


@pytest.mark.parametrize("first", [[PERSON, "Kiel", "mobile"], ["0151 12345678", "Kiel", PERSON]])
def test_a_workbook_without_a_header_is_refused_and_not_quoted(shop, audience, first):
    shop.file("people.xlsx", workbook(first, ["Bonn", *first[1:]]))
    done = push(shop, "people.xlsx", code=3)
    assert "the first line is a person" in done.stderr and not audience.bodies
    assert not any(cell in done.stdout + done.stderr for cell in first if cell != "mobile")


def test_a_record_whose_keys_are_people_is_refused_and_not_quoted(shop, audience):
    shop.file("people.jsonl", json.dumps({"email": "ann@x.de", PERSON: "Kiel"}))
    done = push(shop, "people.jsonl", code=3)
    assert PERSON not in done.stdout + done.stderr and not audience.bodies


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("Kundennummer", ("--map", "Kundennummer=partner_user_id")),
        ("phone_number", ("--region", "DE")),
    ],
)
def test_an_id_that_the_spreadsheet_has_rounded_is_refused_and_not_sent(shop, audience, header, words):
    shop.file("people.xlsx", workbook([header], ["1234567890123456789"], [12345678901234567890]))
    done = push(shop, "people.xlsx", *words, code=3)
    assert "the spreadsheet has rounded this number; make the column text" in done.stderr
    assert "people.xlsx:3" in done.stderr and "12345678901234567" not in done.stderr and not audience.bodies


def test_yes_and_no_of_a_workbook_are_compared_by_what_they_say(shop, audience):
    rows = [["a@x.de", True], ["b@x.de", False], ["c@x.de", "Ja"], ["d@x.de", 1], ["e@x.de", None]]
    shop.file("people.xlsx", workbook(["email", "Consent"], *rows))
    push(shop, "people.xlsx", "--where", "Consent=yes")
    assert audience.users == {digest(f"{name}@x.de") for name in "acd"}
