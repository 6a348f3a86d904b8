"""Customer lists go out as other tools export them, compared with hashes that are computed independently."""

import csv
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.effort import tries

from .conftest import digest
from .customers import PEOPLE, people
from .exports import EXPORTS, Export

PUSH = ("audiences", "push", "people.csv", "--audience", "aud", "-o", "json")


def sent(audience) -> list[dict]:
    return [
        {name: {*values} for name, values in user.items()}
        for body in audience.bodies
        for operation in body
        for user in operation["params"]["users"]
    ]


@pytest.fixture(params=EXPORTS, ids=lambda make: make.__name__)
def export(request) -> Export:
    return request.param()


def test_an_export_goes_out_whole_hashed_and_each_value_once_and_no_message_names_it(shop, audience, export):
    shop.file("people.csv", export.text)
    done = shop(*PUSH, *export.words, "-v", "--debug")
    summary = json.loads(done.stdout)
    assert len(export.users) >= PEOPLE * 5 // 6
    assert (summary["users"], summary["invalid"]) == (len(export.users), 0)
    assert sent(audience) == export.users
    for body in audience.bodies:
        for user in (user for operation in body for user in operation["params"]["users"]):
            assert all(len(values) == len({*values}) for values in user.values())
    said = (done.stdout + done.stderr).casefold()
    for person in (person for seed in range(1, 8) for person in people(seed)):
        assert not [
            value for value in (person.email, person.phone, person.dialed) if value.casefold() in said
        ]


def test_what_is_announced_is_what_is_sent(shop, audience, export):
    """Validating and a dry run count the same requests as sending; a hashed copy sends the same people."""
    shop.file("people.csv", export.text)
    dry = json.loads(shop(*PUSH, *export.words, "--dry-run").stdout)
    done = json.loads(shop(*PUSH, *export.words).stdout)
    assert (dry["batches"], dry["users"]) == (done["requests"], done["users"])
    shop("audiences", "hash", "people.csv", "hashed.csv", *export.words)
    audience.bodies.clear()
    shop("audiences", "push", "hashed.csv", "--audience", "aud")
    assert sent(audience) == export.users


def test_an_export_is_the_same_in_json(shop, audience, export):
    delimiter = ";" if export.text.count(";") > export.text.count(",") else ","
    rows = csv.reader(io.StringIO(export.text.lstrip("\ufeff")), delimiter=delimiter)
    header = next(rows)
    names = [
        f"{name} {header[:at].count(name) + 1}" if name in header[:at] else name
        for at, name in enumerate(header)
    ]
    records = [{n: v for n, v in zip(names, row, strict=True) if v} for row in rows]
    shop.file("people.jsonl", "\n".join(json.dumps(record, ensure_ascii=False) for record in records))
    shop("audiences", "push", "people.jsonl", "--audience", "aud", *export.words)
    assert sent(audience) == export.users


HEADERS = {
    "email": (
        "Email|E-MAIL|E-Mail-Adresse|Courriel|Adresse e-mail|Correo electrónico|CORREO ELECTRONICO|Email 1"
        "|email_2|E-mail 3 Address|Indirizzo e-mail|E-postadress|Sähköposti|Adres e-mail"
        "|メールアドレス|邮箱|이메일|Электронная почта|Endereço de e-mail"
        "|E-mailadres|E-posta|Work email|Additional email addresses"
    ),
    "phone_number": (
        "Phone|PHONE|Phone (mobile)|Phone 2|Telefon|TELEFON|Telefonnummer|Téléphone|TELEPHONE|Teléfono"
        "|Cellulare|Telemóvel|Handy|Handynummer|Numer telefonu|Puhelin|電話番号|手机|Телефон|Κινητό|SMS"
        "|LANDLINE_NUMBER|MobilePhone|Default Address Phone|Mobile Phone Number"
    ),
}


VALUES = {
    "email": lambda number: f"ann{number}@x.de",
    "phone_number": lambda number: f"+49151123456{number:02}",
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_is_known_in_any_case_and_language(shop, audience, name):
    """Each row has a value in one column."""
    headers = HEADERS[name].split("|")
    values = [*map(VALUES[name], range(len(headers)))]
    rows = [";" * number + value + ";" * (len(headers) - 1 - number) for number, value in enumerate(values)]
    shop.file("people.csv", "\n".join([f"Name;{';'.join(headers)}", *(f"Ann;{row}" for row in rows)]) + "\n")
    shop(*PUSH)
    assert sent(audience) == [{name: {digest(value)}} for value in values]


@pytest.mark.parametrize(
    "header",
    ["Email Domain", "E-mail 1 - Label", "Company Phone", "Email Marketing Consent", "Username", "Fax"],
)
def test_a_column_about_something_else_is_not_read_as_an_identifier(shop, audience, header):
    shop.file("people.csv", f"Email,{header}\nann@x.de,bob@x.de\n")
    shop(*PUSH)
    assert sent(audience) == [{"email": {digest("ann@x.de")}}]


ADDRESSES = st.lists(
    st.sampled_from(["", "a@x.de", "A@X.de ", "b@x.de", digest("a@x.de"), "c@y.org;a@x.de"]),
    min_size=3,
    max_size=3,
)


@settings(max_examples=tries(10, 25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ADDRESSES, min_size=1, max_size=6))
def test_several_columns_send_what_one_cell_with_semicolons_sends(shop, audience, rows):
    rows = [["z@x.de", "", ""], *(row for row in rows if any(row))]
    sent_from = []
    for header, cells in (("Email 1,Email 2,Email 3", rows), ("Email", [[";".join(row)] for row in rows])):
        audience.bodies.clear()
        shop.file("people.csv", "\n".join([header, *map(",".join, cells)]) + "\n")
        shop(*PUSH)
        sent_from.append([operation["params"]["users"] for body in audience.bodies for operation in body])
    assert sent_from[0] == sent_from[1]
