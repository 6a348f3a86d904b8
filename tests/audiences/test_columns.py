"""The columns of a list: what the options say of them, countries, partial people, and messages about them."""

import json
import shlex

import pytest

from .conftest import digest

PUSH = ("audiences", "push", "people.csv", "--audience", "aud", "-o", "json")
CHECK = ("audiences", "check", "people.csv")
ANN = {"email": {digest("ann@x.de")}}


def sent(audience) -> list[dict]:
    return [
        {name: {*values} for name, values in user.items()}
        for body in audience.bodies
        for operation in body
        for user in operation["params"]["users"]
    ]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_columns_are_mapped_to_one_identifier_and_all_values_go(shop, audience, suffix):
    if suffix == "csv":
        shop.file("list.csv", "A,B,C\nann@x.de,Ann@X.de,ann@work.de\nbob@x.de,,\n")
    else:
        records = [{"A": "ann@x.de", "B": ["Ann@X.de"], "C": "ann@work.de"}, {"A": "bob@x.de"}]
        shop.file("list.jsonl", "\n".join(map(json.dumps, records)))
    words = ("--map", "A=email", "--map", "B=email", "--map", "C=email")
    shop("audiences", "push", f"list.{suffix}", "--audience", "aud", *words)
    assert sent(audience) == [
        {"email": {digest("ann@x.de"), digest("ann@work.de")}},
        {"email": {digest("bob@x.de")}},
    ]


def test_an_ignored_column_is_not_sent_and_not_mentioned(shop, audience):
    shop.file("people.csv", "Email,Work email,Town,Newsletter\nann@x.de,ann@work.de,Kiel,ja\n")
    done = shop(*PUSH, "--ignore", "Work email", "--ignore", "Town", "--ignore", "Newsletter")
    assert sent(audience) == [ANN]
    assert not any(name in done.stderr for name in ("Work email", "Town", "Newsletter"))


@pytest.mark.parametrize("option", ["--ignore", "--region-column", "--where", "--map"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_an_unknown_column_is_refused_with_a_suggestion(shop, audience, option, suffix):
    shop.file("list.csv", "Email,Work email,Country\nann@x.de,b@x.de,DE\n")
    shop.file("list.jsonl", json.dumps({"Email": "ann@x.de", "Work email": "b@x.de", "Country": "DE"}))
    value = {"--where": "Work-mail=x", "--map": "Work-mail=email"}.get(option, "Work-mail")
    push = ("audiences", "push", f"list.{suffix}", "--audience", "aud")
    refused = shop(*push, option, value, code=2).stderr
    assert option in refused and "'Work-mail'" in refused and "did you mean 'Work email'?" in refused
    assert not audience.bodies


def test_a_column_is_either_ignored_or_used(shop):
    shop.file("people.csv", "Email,Other\nann@x.de,b@x.de\n")
    words = ("--ignore", "Other", "--map", "Other=email")
    assert "--ignore: 'Other' is named by another option too" in shop(*PUSH, *words, code=2).stderr


SWISS, GERMAN = {digest("+4115112345678")}, {digest("+4915112345678")}
COUNTRIES = ("DE", "de", "DEU", "Deutschland", "GERMANY", "Allemagne", "Alemania", "Niemcy", "ドイツ")
CODES = ("+49", "0049", "49")


@pytest.mark.parametrize(
    "header", ["CC", "Country Code", "Default Address Country Code", "Country/Region", "Land"]
)
def test_the_country_of_a_row_is_that_of_its_national_number(shop, audience, header):
    countries = (*COUNTRIES, *CODES)
    rows = [f"01511234567{number % 10},{country}" for number, country in enumerate(countries)]
    shop.file("people.csv", "\n".join([f"phone,{header}", *rows]) + "\n")
    shop(*PUSH)
    assert sent(audience) == [
        {"phone_number": {digest(f"+491511234567{number % 10}")}} for number in range(len(countries))
    ]


def test_the_country_of_a_row_is_taken_before_the_region_and_the_region_where_it_is_empty(shop, audience):
    shop.file("people.csv", "phone,Land,Wohnort\n06 12 34 56 78,FR,AT\n0664 1234567,,AT\n")
    shop(*PUSH, "--region", "AT")
    assert sent(audience) == [
        {"phone_number": {digest("+33612345678")}},
        {"phone_number": {digest("+436641234567")}},
    ]
    audience.bodies.clear()
    shop.file("people.csv", "phone,Land,Wohnort\n0664 1234567,FR,Österreich\n")
    shop(*PUSH, "--region-column", "Wohnort", "--region", "FR")
    assert sent(audience) == [{"phone_number": {digest("+436641234567")}}]


def test_a_code_is_taken_before_a_name_of_the_country(shop, audience):
    shop.file("people.csv", "Phone,Country,Country Code\n0664 1234567,Atlantis,AT\n")
    shop(*PUSH)
    assert sent(audience) == [{"phone_number": {digest("+436641234567")}}]


def test_an_unknown_country_is_a_finding_where_a_number_needs_it(shop, audience):
    shop.file(
        "people.csv",
        "email,phone,country\n"
        "ann@x.de,0151 12345678,Atlantis\nbob@x.de,+4915112345678,Atlantis\neve@x.de,,Atlantis\n",
    )
    refused = shop(*PUSH, "--region", "DE", code=3).stderr
    assert (
        "people.csv:2: phone_number: has no country code, and the country of the row is not known" in refused
    )
    assert "1 of 3 rows invalid" in refused and "Atlantis" not in refused and not audience.bodies
    shop(*PUSH, "--region", "DE", "--skip-invalid", code=9)
    assert len(sent(audience)) == 2


@pytest.mark.parametrize("name", ["people.csv", "people.jsonl"])
def test_a_column_named_users_makes_no_operation_of_a_person(adsctl, name):
    people = [("a@x.de", "3"), ("b@@x.de", "4")]
    if name.endswith("csv"):
        lines = ["email,users", *map(",".join, people)]
    else:
        lines = [json.dumps({"email": email, "users": users}) for email, users in people]
    adsctl.file(name, "\n".join(lines) + "\n")
    done = adsctl("audiences", "check", name, "--failed-out", "failed.csv", code=3)
    assert "1 of 2 rows invalid" in done.stderr
    failed = (adsctl.home / "failed.csv").read_text().splitlines()
    assert len(failed) == 2 and "b@@x.de,4" in failed[1]


USERS = [{"email": [digest("a@x.de")]}]


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        ({"operation_type": "Update", "users": USERS, "params": {"users": USERS}}, "users: is given twice"),
        (
            {"operation_type": "Delete", "params": {"operation_type": "Update", "users": USERS}},
            "operation_type: is given twice",
        ),
        (
            {"operation_type": "Update", " operation_type": "Delete", "params": {"users": USERS}},
            "are both read as",
        ),
    ],
)
def test_an_operation_that_says_something_twice_is_refused(adsctl, operation, problem):
    adsctl.file("people.json", json.dumps([operation]))
    assert problem in adsctl("audiences", "check", "people.json", code=3).stdout


PARTIAL = (
    "email,phone,handle\n"
    "ann@x.de,+12,\nbob@@x.de,+4915112345678,\nnobody,+12,\neve@x.de;nobody,,eve\nbob@x.de,,bob\n"
)


def test_a_person_with_one_bad_identifier_is_kept_for_the_others_where_that_is_asked_for(shop, audience):
    shop.file("people.csv", PARTIAL)
    assert "4 of 5 rows invalid" in shop(*PUSH, code=3).stderr
    done = shop(*PUSH, "--keep-partial", "--skip-invalid", "--failed-out", "failed.csv", code=9)
    assert sent(audience) == [
        ANN,
        {"phone_number": GERMAN},
        {"email": {digest("eve@x.de")}, "handle": {digest("eve")}},
        {"email": {digest("bob@x.de")}, "handle": {digest("bob")}},
    ]
    summary = json.loads(done.stdout)
    counts = ("rows", "valid", "invalid", "partial", "users", "accepted")
    assert [summary[name] for name in counts] == [5, 4, 1, 3, 4, 4]
    assert "warning: people.csv:2: phone_number: is not a possible phone number" in done.stderr
    assert "nobody,+12," in (shop.home / "failed.csv").read_text()
    assert (shop.home / "failed.csv").read_text().count("\n") == 2  # who is kept is not rejected


def test_partial_people_are_counted_in_reports_and_hashed_copies(adsctl):
    adsctl.file("people.csv", PARTIAL)
    done = adsctl(*CHECK, "--keep-partial", "-o", "table", code=3)
    assert "5 rows, 4 valid, 1 invalid, 3 partial" in done.stdout
    assert "people.csv:2: warning: phone_number" in done.stdout
    report = json.loads(adsctl(*CHECK, "--keep-partial", "-o", "json", code=3).stdout)
    assert (report["valid"], report["partial"]) == (4, 3)
    assert "partial" not in json.loads(adsctl(*CHECK, "-o", "json", code=3).stdout)
    hashed = adsctl("audiences", "hash", "people.csv", "--keep-partial", "--skip-invalid", code=9).stdout
    assert len(hashed.splitlines()) == 5


def test_an_address_in_another_column_is_not_sent_whatever_is_kept(shop, audience):
    """Clear text is refused in a column of ids, and not even looked at in one that is not mapped."""
    shop.file("people.csv", "email,partner_user_id,remark\nann@x.de,eve@x.de,bob@x.de\n")
    shop(*PUSH, "--keep-partial")
    assert sent(audience) == [ANN]


def test_a_customer_id_is_sent_only_where_it_is_mapped(shop, audience):
    for header in ("Customer ID", "Kundennummer", "Numéro client", "EXT_ID"):
        shop.file("people.csv", f"Email,{header}\nann@x.de,K-17\n")
        audience.bodies.clear()
        assert f"--map '{header}=partner_user_id'" in shop(*PUSH).stderr
        assert sent(audience) == [ANN]
        audience.bodies.clear()
        shop(*PUSH, "--map", f"{header}=partner_user_id")
        assert sent(audience) == [ANN | {"partner_user_id": {"K-17"}}]


def test_the_options_that_messages_name_run_in_a_shell_whatever_a_header_has(shop, audience):
    def named(option: str, *words: str, code: int = 0) -> str:
        (line,) = [line for line in shop(*PUSH[:-2], *words, code=code).stderr.splitlines() if option in line]
        return line.partition(option)[2]

    shop.file("people.csv", "Email,customer'id\nann@x.de,K-17\n")
    (mapping,) = shlex.split(named("as it is: --map "))
    shop(*PUSH, "--map", mapping)
    assert sent(audience)[-1] == ANN | {"partner_user_id": {"K-17"}}
    shop.file("people.csv", "Email,opt'in\nann@x.de,yes\nbob@x.de,maybe\n")
    assert shlex.split(named("as in --where ", "--where", "opt'in=yes", code=3)) == ["opt'in~^(yes|…)$"]
    shop.file("people.csv", "Email,opt\x7fin\nann@x.de,yes\n")
    assert named("--ignore ").startswith("\"$(printf 'opt\\177in')\" leaves")


PERSON = "geheim.person@example.com"


@pytest.mark.parametrize(
    "line",
    [
        f"{PERSON},mobile,Kiel",
        f"{PERSON},+4915112345678,Kiel",
        f"{digest(PERSON)},mobile,Kiel",
        "0151 12345678,mobile,Kiel",
        "015112345678,mobile,Kiel",
    ],
)
@pytest.mark.parametrize(
    "words", [(), ("--map", "Adresse=email"), ("--ignore", "Town"), ("--region-column", "Land")]
)
def test_a_first_line_that_is_a_person_is_refused_and_not_quoted(shop, audience, line, words):
    """The word mobile in it is a header too."""
    shop.file("people.csv", f"{line}\n{line}\n")
    done = shop(*PUSH, *words, "--debug", code=3)
    assert "the first line is a person" in done.stderr and not audience.bodies
    assert not any(cell in done.stdout + done.stderr for cell in line.split(",") if cell != "mobile")


def test_a_header_may_contain_an_address(shop, audience):
    shop.file("people.csv", "Email,I agree to mail from news@shop.example\nann@x.de,yes\n")
    shop(*PUSH)
    assert sent(audience) == [ANN]


def test_two_columns_of_one_time_are_refused(shop, audience):
    shop.file("people.csv", "email,expires_at,Expires At\nann@x.de,,\n")
    refused = shop(*PUSH, code=3).stderr
    assert "2 columns are read as expires_at" in refused and "--ignore" in refused


@pytest.mark.parametrize(
    "words",
    [
        ("--map", "Other=email"),
        ("--ignore", "Email 2"),
        ("--region-column", "Wohnort"),
        ("--keep-partial",),
        ("--where", "Other!=nobody"),
    ],
)
def test_a_push_is_resumed_only_with_the_same_reading_of_its_columns(shop, audience, small_requests, words):
    header = "email,Email 2,Other,phone,Wohnort\n"
    shop.file("people.csv", header + "".join(f"u{n}@x.de,v{n}@x.de,,+4915112345678,\n" for n in range(30)))
    push = (*PUSH, "--users-per-operation", "1", "--max-attempts", "1", "--concurrency", "1")
    audience.fails_after = 1
    shop(*push, code=8)
    audience.fails_after = None
    assert "nothing to resume" in shop(*push, *words, "--resume").stderr


def test_a_push_is_resumed_with_the_same_options(shop, audience, small_requests):
    shop.file("people.csv", "A,B,phone,Land\n" + "".join(f"u{n}@x.de,v{n}@x.de,,\n" for n in range(30)))
    push = (*PUSH, "--users-per-operation", "1", "--max-attempts", "1", "--concurrency", "1")
    push += ("--map", "A=email", "--map", "B=email", "--keep-partial", "--region-column", "Land")
    audience.fails_after = 1
    shop(*push, code=8)
    audience.fails_after = None
    assert "resuming job" in shop(*push, "--resume").stderr
    assert len(audience.users) == 60


def test_a_handle_of_products_is_told_from_one_of_people(adsctl):
    adsctl.file("products.csv", "Handle,Title,Vendor\nmug,Mug,Acme\n")
    said = adsctl("audiences", "check", "products.csv").stderr
    assert (
        "the columns 'Title', 'Vendor' are those of products, whose handles are not people: --ignore Handle"
        in said
    )
    adsctl.file("people.csv", "Handle,Title\nmug,Dr\n")
    assert "of products" not in adsctl("audiences", "check", "people.csv").stderr


def test_lines_end_with_a_line_feed_whatever_a_cell_has(adsctl):
    adsctl.file("people.csv", 'Email,Note\nann@x.de,"x\ry\rz\rw"\nbob@x.de,"1\r\n2"\nbad,z\n')
    (finding,) = json.loads(adsctl(*CHECK, "-o", "json", code=3).stdout)["findings"]
    assert finding["lines"] == [5] and finding["records"] == [3]
    adsctl.file("people.csv", "Email,Note\nann@x.de,x\rbad,z\n")
    assert "people.csv:2: a line ends with CR alone" in adsctl(*CHECK, code=3).stderr


def test_a_country_of_digits_without_end_is_not_known(adsctl):
    adsctl.file("people.csv", f"Phone,Country\n0151 12345678,{'9' * 5000}\n")
    assert "the country of the row is not known" in adsctl(*CHECK, code=3).stdout


@pytest.mark.parametrize("name", ["operation_type", "expires_at", "effective_at"])
@pytest.mark.parametrize("cell", [["x"], {"a": 1}, 5, True])
def test_a_parameter_that_is_no_text_is_a_finding_of_its_row(adsctl, name, cell):
    adsctl.file("people.json", json.dumps([{"email": "ann@x.de", name: cell}, {"email": "bob@x.de"}]))
    report = json.loads(adsctl("audiences", "check", "people.json", "-o", "json", code=3).stdout)
    assert [(finding["field"], finding["records"]) for finding in report["findings"]] == [(name, [1])]


def test_a_repeated_column_gets_a_number_that_no_other_column_has(shop):
    shop.file("people.csv", "email,News,News,News (2),News\na@b.de,no,yes,no,no\nb@b.de,no,no,yes,no\n")
    shop("audiences", "hash", "people.csv", "out.csv", "--where", "News (2)=yes")
    assert (shop.home / "out.csv").read_text().splitlines()[1:] == [digest("b@b.de")]
    shop("audiences", "hash", "people.csv", "again.csv", "--where", "News (3)=yes")
    assert (shop.home / "again.csv").read_text().splitlines()[1:] == [digest("a@b.de")]


def test_rejected_rows_keep_the_cells_of_repeated_columns(shop):
    shop.file("people.csv", "email,Town,Town,Town (2)\nnobody,Kiel,Bonn,Ulm\n")
    shop(*CHECK, "--failed-out", "failed.csv", code=3)
    header, row = (shop.home / "failed.csv").read_text().splitlines()
    assert header.startswith("email,Town,Town (3),Town (2),") and row.startswith("nobody,Kiel,Bonn,Ulm,")
