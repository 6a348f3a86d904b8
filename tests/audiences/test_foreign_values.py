"""Lists whose columns hold something else than their headers say: nothing goes out that nobody asked for."""

import base64
import json
from hashlib import md5, sha1, sha256

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.audiences.columns import encode_column
from ads_cli.audiences.identifiers import identifier_types
from tests.effort import tries

from .conftest import digest

KINDS = identifier_types("DE")
PUSH = ("audiences", "push", "people.csv", "--audience", "aud", "-o", "json")
PERSON = "geheim.person@example.com"


def read(name: str, value: str) -> str:
    return KINDS[name].read(value)


def sent(audience) -> list[dict]:
    return [user for body in audience.bodies for operation in body for user in operation["params"]["users"]]


def test_ids_of_a_shop_are_sent_only_where_they_are_asked_for(shop, audience):
    """Customers as Shopify exports them."""
    shop.file(
        "people.csv",
        "Customer ID,First Name,Email,Phone\n"
        "'6940095561234,Ann,ann@x.de,'+4915112345678\n"
        "'6940095561235,Bob,bob@x.de,\n",
    )
    done = shop(*PUSH)
    assert "--map 'Customer ID=partner_user_id'" in done.stderr
    assert sent(audience) == [
        {"email": [digest("ann@x.de")], "phone_number": [digest("+4915112345678")]},
        {"email": [digest("bob@x.de")]},
    ]
    audience.bodies.clear()
    shop(*PUSH, "--map", "Customer ID=partner_user_id")
    assert [user["partner_user_id"] for user in sent(audience)] == [["6940095561234"], ["6940095561235"]]


def test_text_forms_of_spreadsheets_are_read_in_lists_as_in_feeds(shop, audience):
    shop.file(
        "people.csv",
        "email,phone_number,partner_user_id\n"
        '"=""ann@x.de;eve@x.de""","=""+4915112345678""","=""00123"""\n'
        "bob@x.de,'+4915112345679,'-A2\n",
    )
    shop(*PUSH)
    assert sent(audience) == [
        {
            "email": [digest("ann@x.de"), digest("eve@x.de")],
            "phone_number": [digest("+4915112345678")],
            "partner_user_id": ["00123"],
        },
        {
            "email": [digest("bob@x.de")],
            "phone_number": [digest("+4915112345679")],
            "partner_user_id": ["-A2"],
        },
    ]


@pytest.mark.parametrize("cell", ["#NAME?", "#REF!", "#WERT!", "#NV", "#¡VALOR!", "########", "4,91711E+11"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_spreadsheet_has_lost_is_never_sent(kind, cell):
    with pytest.raises(ValueError, match="spreadsheet") as error:
        read(kind, cell)
    assert cell not in str(error.value)
    assert read(kind, "#N/A") == ""


ANN = {"email": [digest("ann@x.de")], "phone_number": [digest("+4915112345678")]}
DEVICE = "6d92078a-8246-4ba4-ae5b-76104861e7dc"


@pytest.mark.parametrize(
    ("export", "user"),
    [
        ("Email Address,First Name,Phone Number,LEID\nann@x.de,Ann,+49 151 12345678,17", ANN),  # Mailchimp
        ("Email,Klaviyo ID,Phone Number,External ID\nann@x.de,01H,'+4915112345678,K-1", ANN),
        ("Record ID,First Name,Email,Phone Number\n351,Ann,Ann@X.de,+49 (0)151 12345678", ANN),  # HubSpot
        ("Email,Phone,First Name,Country,Zip\nann@x.de,0049 151 12345678,Ann,DE,24103", ANN),  # Google
        (
            f"email,phone,madid,fn\nann@x.de,+4915112345678,{DEVICE.upper()},ann",
            ANN | {"device_id": [digest(DEVICE)]},
        ),
        (f"Mobile Device ID\n{DEVICE}", {"device_id": [digest(DEVICE)]}),  # Google
    ],
)
def test_of_an_export_contacts_go_out_hashed_and_no_id(shop, audience, export, user):
    shop.file("people.csv", export + "\n")
    shop(*PUSH)
    assert sent(audience) == [user]


@pytest.mark.parametrize("header", ["Customer ID", "external_id", "CRM-ID", "Client Id", "member id"])
def test_a_list_of_addresses_headed_as_ids_is_not_sent(shop, audience, header):
    shop.file("people.csv", f"{header}\n{PERSON}\n")
    assert "--map" in shop(*PUSH, code=3).stderr
    assert not audience.bodies


CONTACTS = (PERSON, f"mailto:{PERSON}", f"Ann <{PERSON}>", "Ann%40Shop.de", "ａｎｎ＠shop.de")
NUMBERS = (
    "+491701234567",
    "0170 1234567",
    "(0170) 1234567",
    "0170-1234567",
    "415-555-2671",
    "tel:+491701234567",
)


MAPPED = ("--map", "partner_user_id=partner_user_id")


@pytest.mark.parametrize(
    ("contact", "mapping"),
    [*((contact, ()) for contact in (*CONTACTS, *NUMBERS)), (CONTACTS[0], MAPPED), (NUMBERS[0], MAPPED)],
)
def test_clear_text_in_a_column_of_ids_is_refused_unless_it_is_allowed(shop, audience, contact, mapping):
    shop.file("people.csv", f"partner_user_id\nK-1\n{contact}\n")
    done = shop(*PUSH, *mapping, "--debug", code=3)
    assert "people.csv:3: partner_user_id: is a" in done.stderr and "--allow-clear-text" in done.stderr
    assert contact not in done.stderr + done.stdout and not audience.bodies
    shop(*PUSH, *mapping, "--allow-clear-text")
    assert [user["partner_user_id"] for user in sent(audience)] == [["K-1"], [contact]]


@pytest.mark.parametrize(
    "identifier", ["6940095561234", "0000012345", "2024-0001-12", "K 17", "user@crm", "a" * 32]
)
def test_ids_that_are_no_address_are_sent_as_they_are(identifier):
    assert read("partner_user_id", identifier) == identifier


@pytest.mark.parametrize(
    ("written", "identifier"),
    [("'00123", "00123"), ("''00123", "00123"), ('="\'00123"', "00123"), ("'K-1", "'K-1"), ("'-1", "-1")],
)
def test_an_apostrophe_that_keeps_digits_in_a_spreadsheet_is_no_part_of_an_id(written, identifier):
    assert read("partner_user_id", written) == identifier


def test_clear_text_in_a_document_and_in_a_hashed_file_is_refused_too(shop, audience):
    operation = {"operation_type": "Update", "params": {"users": [{"partner_user_id": ["K-1", PERSON]}]}}
    shop.file("people.json", json.dumps([operation]))
    shop("audiences", "push", "people.json", "--audience", "aud", code=3)
    shop("audiences", "hash", "people.json", "hashed.csv", code=3)
    assert not audience.bodies and not (shop.home / "hashed.csv").exists()
    shop("audiences", "hash", "people.json", "hashed.csv", "--allow-clear-text")
    assert PERSON in (shop.home / "hashed.csv").read_text()


def useless_hashes(value: str) -> list[str]:
    data, hashed = value.encode(), sha256(value.encode())
    spaced = " ".join(hashed.hexdigest()[at : at + 8] for at in range(0, 64, 8))
    return [
        md5(data).hexdigest(),
        md5(data).hexdigest().upper(),
        sha1(data).hexdigest(),
        base64.b64encode(hashed.digest()).decode(),
        base64.urlsafe_b64encode(hashed.digest()).decode().rstrip("="),
        base64.b64encode(md5(data).digest()).decode(),
        f"md5:{md5(data).hexdigest()}",
        f"0x{hashed.hexdigest()}",
        f"\\x{hashed.hexdigest()}",
        f"sha256:{hashed.hexdigest()}",
        f"SHA-256={hashed.hexdigest().upper()}",
        spaced,
    ]


@settings(max_examples=tries(10, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.emails())
@pytest.mark.parametrize("name", ["email", "phone_number", "handle", "device_id", "platform_id"])
def test_a_hash_that_matches_nobody_is_refused(name, value):
    for useless in useless_hashes(value):
        for column in ([useless], [useless, useless], [useless, "", digest("x")]):
            encoded = encode_column(KINDS[name], column)
            assert "64 hex digits" in encoded.problems[0][0] and useless not in encoded.problems[0][0]
            assert not encoded.members[0]


@pytest.mark.parametrize(
    ("name", "start", "end", "most"), [("email", "a", "@x.de", 254), ("partner_user_id", "K", "-1", 512)]
)
def test_an_identifier_may_be_so_long_and_no_longer(name, start, end, most):
    longest = start * (most - len(end)) + end
    assert read(name, longest) == longest
    with pytest.raises(ValueError, match=f"is longer than {most} characters"):
        read(name, start + longest)


@pytest.mark.parametrize("name", ["email", "phone_number", "handle", "device_id", "platform_id"])
def test_sha256_in_hex_is_sent_in_lower_case(name):
    hashed = digest(PERSON)
    for written in (hashed, hashed.upper(), f" {hashed}\u00a0", f"\ufeff{hashed}"):
        encoded = encode_column(KINDS[name], [written])
        assert encoded.members == [f'"{name}":["{hashed}"]'] and (encoded.raw, encoded.hashed) == (0, 1)


def test_lists_of_other_services_are_refused_by_line(shop, audience):
    """A Mailchimp export with its MD5 in place of the address, handles and device ids likewise."""
    useless = md5(PERSON.encode()).hexdigest()
    shop.file(
        "people.csv",
        f"Email Address,handle,device_id\nann@x.de,ann,\n{useless},,\n,{useless},\n,,{useless}\n",
    )
    done = shop(*PUSH, "--debug", code=3)
    for line, name in ((3, "email"), (4, "handle"), (5, "device_id")):
        assert f"people.csv:{line}: {name}: looks like MD5" in done.stderr
    assert not audience.bodies and useless not in done.stderr
    shop(*PUSH, "--skip-invalid", code=9)
    assert sent(audience) == [{"email": [digest("ann@x.de")], "handle": [digest("ann")]}]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("phone_number", PERSON, "--map COLUMN=email"),
        ("handle", PERSON, "--map COLUMN=email"),
        ("device_id", PERSON, "--map COLUMN=email"),
        ("platform_id", PERSON, "--map COLUMN=email"),
        ("partner_user_id", PERSON, "--allow-clear-text sends it unhashed"),
        ("email", "+49 170 1234567", "--map COLUMN=phone_number"),
        ("handle", "+491701234567", "--map COLUMN=phone_number"),
        ("device_id", "+491701234567", "--map COLUMN=phone_number"),
        ("handle", "https://x.example/ann", "letters, digits and _"),
        ("device_id", "{6D92078A-8246-4BA4-AE5B-76104861E7DC}", "letters, digits and hyphens"),
        ("email", "ann@x.de, bob@x.de", "semicolons"),
        ("email", "ann@x.de bob@x.de", "semicolons"),
        ("email", "ann@x.de <bob@x.de>", "semicolons"),
        ("email", "Ann <ann@x.de>, Bob <bob@x.de>", "semicolons"),
        ("email", "ann\u202fbob@x.de", "not a valid e-mail address"),
        ("email", "ann\u2029bob@x.de", "before the @ that are not ASCII"),
        ("email", "test@test", "not a valid e-mail address"),
        ("email", "@x.de", "it needs a name, an @ and a domain"),
        ("email", "ann@", "it needs a name, an @ and a domain"),
        ("email", "ann", "it needs a name, an @ and a domain"),
        ("email", "ann@müller-.de", "has an invalid domain"),
    ],
)
def test_an_identifier_of_another_kind_is_refused_with_what_to_do(name, value, reason):
    (reasons,) = encode_column(KINDS[name], [value]).problems.values()
    assert reason in "; ".join(reasons) and value not in "; ".join(reasons)


@pytest.mark.parametrize(
    "written",
    [
        "ann@x.de",
        "ANN@X.DE ",
        "mailto:Ann@x.de",
        "Ann <ann@x.de>",
        "Müller, Ann <Ann@x.de>",
        "<ann@x.de>",
        "'ann@x.de'",
        "＇ann@x.de",
        "\u202a\u202bann@x.de\u202d\u202e",  # marks of the direction of writing
        "\u2066\u2067ann@x.de\u2068\u2069",
    ],
)
def test_spellings_of_an_address_are_read_alike(written):
    assert read("email", written) == "ann@x.de"


PLACEHOLDERS = (
    "n/a", "N/A", "#N/A", "null", "NULL", "(null)", "None", "nan", "undefined", "-", "--", "?", "0", "\\N",
    "(not set)", "noreply@x.de", "No-Reply@x.de", "do_not_reply@x.de", "00000000-0000-0000-0000-000000000000",
    digest(""),
)  # fmt: skip


def test_a_placeholder_counts_as_absent(shop, audience):
    count = len(PLACEHOLDERS)
    rows = [",".join(KINDS), *(",".join([value] * 6) for value in PLACEHOLDERS)]
    rows += [f"ann{number}@x.de" + f",{value}" * 5 for number, value in enumerate(PLACEHOLDERS)]
    shop.file("people.csv", "\n".join(rows) + "\n")
    done = shop(*PUSH, "--skip-invalid", code=9)
    assert "people.csv:2: has no identifier" in done.stderr and json.loads(done.stdout)["invalid"] == count
    for name, placeholders in (("email", count), ("handle", 2 * count)):
        assert f"{name}: {placeholders} placeholders" in done.stderr
    assert sent(audience) == [{"email": [digest(f"ann{number}@x.de")]} for number in range(count)]


@pytest.mark.parametrize(
    "written", ["Shop <noreply@x.de>", "mailto:noreply@x.de", '"no-reply@x.de"', "Ann <n/a>"]
)
def test_a_placeholder_in_the_form_of_an_address_counts_as_absent(written):
    assert read("email", written) == ""


@pytest.mark.parametrize("cell", ["[" * 5000, "[x\ud800", "[1, 2", '["a@x.de"'])
def test_a_cell_that_is_no_array_is_a_text(cell):
    kind = identifier_types()["email"]
    assert encode_column(kind, [cell]).problems


def test_a_placeholder_counts_as_absent_though_all_others_of_its_column_are_in_normal_form(shop, audience):
    shop.file("people.csv", "handle\nblank\nempty\nann\nnull\n")
    assert json.loads(shop(*PUSH, "--skip-invalid", code=9).stdout)["invalid"] == 3
    assert sent(audience) == [{"handle": [digest("ann")]}]


VALUES = st.one_of(
    st.sampled_from(
        [*CONTACTS, *NUMBERS, *PLACEHOLDERS, *useless_hashes("a@b.de"), digest("x"), "K-1", "", " "]
    ),
    st.emails(),
    st.text(max_size=12),
    st.from_regex(r"\A[0-9a-z_-]{1,44}\Z"),
    st.from_regex(r"\A\+?[0-9]{3,16}\Z"),
)


@settings(max_examples=tries(80, 300))
@given(st.sampled_from([*KINDS]), VALUES)
def test_normalizing_again_changes_nothing(name, value):
    try:
        normal = read(name, value)
    except ValueError as reason:
        assert len(value) < 3 or value not in str(reason) or value in "sha-256base64phone_number"
    else:
        assert not normal or read(name, normal) == normal


@settings(max_examples=tries(80, 300))
@given(st.sampled_from([*KINDS]), st.lists(VALUES, min_size=1, max_size=6))
def test_nothing_that_is_refused_is_in_what_is_sent(name, values):
    """Whatever is beside a value in its column: its normal form or its hash goes out, or nothing."""
    allowed = set()
    for value in values:
        for part in value.split(";"):
            try:
                if part.strip() and (normal := read(name, part)):
                    allowed.add(digest(normal) if KINDS[name].is_hashed else normal)
            except ValueError:
                continue
    hashed = {digest("x")} if KINDS[name].is_hashed else set()
    encoded = encode_column(KINDS[name], values)
    out = {text for member in encoded.members if member for text in json.loads("{" + member + "}")[name]}
    assert out <= allowed | hashed
