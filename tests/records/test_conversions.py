"""Conversions of a website are hashed here, sent many at a time, and counted once."""

import json
from hashlib import sha256

import pytest

from tests.records.conftest import BatchService

SEND = ("conversions", "send", "orders.csv", "--pixel", "o8z6j", "-o", "json")
TIME, EVENT, OTHER = "2026-03-01T09:00:00+01:00", "o3f71", "o3f72"
HEADER = (
    "conversion_time,event_id,email,phone_number,platform_click_id,ip_address,user_agent,value,contents\n"
)


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture
def sent(service) -> BatchService:
    return BatchService(service, "/12/measurement/conversions/")


def orders(adsctl, *rows: str) -> None:
    adsctl.file("orders.csv", HEADER + "".join(f"{row}\n" for row in rows))


def many(adsctl, count: int) -> None:
    orders(adsctl, *(f"{TIME},{EVENT},user{number}@x.de,,,,,," for number in range(count)))


def conversions(sent) -> list[dict]:
    return [each for body in sent.sent for each in body["conversions"]]


def test_identifiers_are_normalized_and_hashed(adsctl, sent):
    orders(
        adsctl,
        f"{TIME},{EVENT}, Ana@Shop.example ,0151 12345678,click-1,192.0.2.1,Firefox,49.90,",
        f"{TIME},{OTHER},{digest('ben@x.de').upper()},,,,,,"
        + '"[{""content_id"": ""sku-1"", ""num_items"": ""2""}]"',
    )
    done = adsctl(*SEND, "--region", "DE", "--currency", "eur")
    assert json.loads(done.stdout)["sent"] == 2
    assert conversions(sent) == [
        {
            "conversion_time": "2026-03-01T08:00:00.000Z",
            "event_id": EVENT,
            "identifiers": [
                {"platform_click_id": "click-1", "ip_address": "192.0.2.1", "user_agent": "Firefox"},
                {"hashed_email": digest("ana@shop.example")},
                {"hashed_phone_number": digest("+4915112345678")},
            ],
            "price_currency": "EUR",
            "value": 49.9,
        },
        {
            "conversion_time": "2026-03-01T08:00:00.000Z",
            "event_id": OTHER,
            "identifiers": [{"hashed_email": digest("ben@x.de")}],
            "price_currency": "EUR",
            "contents": [{"content_id": "sku-1", "num_items": 2}],
        },
    ]


@pytest.mark.parametrize("code", ["ABC", "EURO", "X"])
def test_a_currency_that_does_not_exist_is_a_mistake_of_the_option_and_not_of_each_row(adsctl, sent, code):
    many(adsctl, 1)
    refused = adsctl(*SEND, "--currency", code, code=2).stderr
    assert f"--currency: {code} is not a currency of ISO 4217" in refused and not sent.sent


@pytest.mark.parametrize("service_name", ["x"])
def test_service_x_gets_its_names(adsctl, sent):
    orders(adsctl, f"{TIME},tw-o8z6j-{EVENT},,,click-1,,,,")
    adsctl(*SEND)
    assert conversions(sent)[0]["identifiers"] == [{"twclid": "click-1"}]


def test_the_documents_of_the_service_are_read(adsctl, sent):
    document = {
        "conversions": [
            {
                "conversion_time": TIME,
                "event_id": EVENT,
                "identifiers": [{"twclid": "a"}, {"hashed_email": "b@x.de"}],
            }
        ]
    }
    adsctl.file("orders.json", json.dumps(document))
    adsctl("conversions", "send", "orders.json", "--pixel", "o8z6j")
    found = conversions(sent)[0]["identifiers"]
    assert found == [{"platform_click_id": "a"}, {"hashed_email": digest("b@x.de")}]


@pytest.mark.parametrize("number", ["nan", "NaN", "Infinity", "-INF", "1e400"])
def test_a_value_that_json_has_no_number_for_is_refused_and_not_sent_as_none(adsctl, sent, number):
    orders(adsctl, f"{TIME},{EVENT},a@x.de,,,,,{number},")
    message = f"orders.csv:2: value: '{number}' is not a number with a point, as in 12.50"
    assert message in json.loads(adsctl(*SEND, code=3).stderr.splitlines()[-1])["error"]["message"]
    contents = json.dumps([{"content_id": "sku-1", "content_price": number}]).replace('"', '""')
    orders(adsctl, f'{TIME},{EVENT},a@x.de,,,,,1.5,"{contents}"')
    assert "content_price" in adsctl(*SEND, code=3).stderr
    assert not sent.sent


def test_everything_wrong_is_told_without_a_value_of_a_person(adsctl, sent):
    orders(
        adsctl,
        f"{TIME},{EVENT},secret.address,,,,,,",
        f"{TIME},{EVENT},,015112345678,,,,,",
        f"{TIME},{EVENT},,,,192.0.2.99,,,",
        f"soon,{EVENT},a@x.de,,,,,,",
        f"{TIME},{EVENT},n/a,,,,,,",
    )
    done = adsctl(*SEND, code=3)
    for problem in (
        "orders.csv:2: email: is not a valid e-mail address",
        "orders.csv:3: phone_number: has no country code",
        "orders.csv:4: identifiers: needs one of",
        "orders.csv:5: conversion_time",
        "orders.csv:6: has no identifier",
        "5 of 5 rows invalid",
    ):
        assert problem in json.loads(done.stderr.splitlines()[-1])["error"]["message"]
    assert not any(
        secret in done.stderr for secret in ("secret.address", "015112345678", "192.0.2.99", "a@x.de")
    )
    assert not sent.sent


PAIR = {"ip_address": "192.0.2.1", "user_agent": "Firefox"}


@pytest.mark.parametrize("kind", ["columns", "documents"])
def test_an_address_with_a_browser_is_sent_with_a_warning(adsctl, sent, kind):
    if kind == "columns":
        orders(adsctl, f"{TIME},{EVENT},,,,192.0.2.1,Firefox,,", f"{TIME},{EVENT},ana@x.de,,,,,,")
    else:
        found = ([PAIR], [{"hashed_email": "ana@x.de"}])
        rows = [{"conversion_time": TIME, "event_id": EVENT, "identifiers": each} for each in found]
        adsctl.file("orders.csv", json.dumps(rows))
    words = (*SEND[:-2], "--format", "csv" if kind == "columns" else "json")
    message = adsctl(*words).stderr
    assert "warning" in message and "finds few people by ip_address and user_agent alone" in message
    assert "192.0.2.1" not in message
    assert [conversion["identifiers"] for conversion in conversions(sent)] == [
        [PAIR],
        [{"hashed_email": digest("ana@x.de")}],
    ]


@pytest.mark.parametrize("alone", ["192.0.2.1,", ",Firefox"])
def test_an_address_or_a_browser_by_itself_is_refused(adsctl, sent, alone):
    orders(adsctl, f"{TIME},{EVENT},,,,{alone},,")
    message = adsctl(*SEND[:-2], code=3).stderr
    assert (
        "needs one of platform_click_id, hashed_email, hashed_phone_number, or both of ip_address and"
        in message
    )
    assert not sent.sent


def test_headers_are_known_in_any_case_and_others_are_named_with_what_they_may_mean(adsctl, sent):
    rows = f"Conversion Time;Event-ID;E-Mail;Value\n{TIME};{EVENT};ana@shop.example;49.90\n"
    adsctl.file("orders.csv", rows)
    adsctl(*SEND)
    assert conversions(sent)[0]["value"] == 49.9
    adsctl.file("orders.csv", rows.replace("Conversion Time", "Conversion Tim").replace("Value", "Notes"))
    message = adsctl(*SEND[:-2], code=3).stderr
    assert "leave it out, or name its field, as in --map 'Conversion Tim=conversion_time'" in message
    assert (
        "Notes: is not a known column; leave it out, or name its field, as in --map 'Notes=FIELD'" in message
    )
    adsctl.file("orders.csv", rows.replace("Value", "Kim's"))
    assert """as in --map 'Kim'"'"'s=FIELD'""" in adsctl(*SEND[:-2], code=3).stderr
    adsctl.file("orders.csv", rows.replace("49.90", "49,90"))
    assert "value: '49,90' is not a number with a point, as in 12.50" in adsctl(*SEND[:-2], code=3).stderr


def test_of_two_columns_of_one_name_none_is_left_out(adsctl, sent):
    adsctl.file("orders.csv", f"conversion_time,event_id,email,E-Mail\n{TIME},{EVENT},ana@x.de,ben@x.de\n")
    assert "E-Mail: is not a known column" in adsctl(*SEND[:-2], code=3).stderr
    assert not sent.sent


@pytest.mark.parametrize("column", ["email", "platform_click_id", "user_agent", "identifiers"])
def test_an_identifier_that_cannot_be_read_is_not_left_out(adsctl, sent, column):
    values = {
        "conversion_time": TIME,
        "event_id": EVENT,
        "hashed_email": digest("a@x.de"),
        column: ["secret", "b"],
    }
    adsctl.file("orders.json", json.dumps([values]))
    done = adsctl("conversions", "send", "orders.json", "--pixel", "o8z6j", code=3)
    assert column in done.stderr and "secret" not in done.stderr and not sent.sent


A, B = (f"{name}@shop.example" for name in "ab")


def document(adsctl, identifiers: list[dict]) -> None:
    row = {"conversion_time": TIME, "event_id": EVENT, "identifiers": identifiers}
    adsctl.file("orders.csv", json.dumps([row]))


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([{"email": "n/a"}, {"email": A}], [{"hashed_email": digest(A)}]),
        ([{"email": None}, {"twclid": "-"}, {"email": A}], [{"hashed_email": digest(A)}]),
        ([{"email": A, "ip_address": "n/a"}], [{"hashed_email": digest(A)}]),
        (
            [{"email": A, "hashed_email": B, "twclid": "click"}],
            [{"hashed_email": digest(A), "platform_click_id": "click"}, {"hashed_email": digest(B)}],
        ),
        ([{"email": f"{A};{B}"}], [{"hashed_email": digest(A)}, {"hashed_email": digest(B)}]),
    ],
)
def test_each_value_of_an_identifier_is_sent_and_nothing_without_one(adsctl, sent, given, found):
    document(adsctl, given)
    adsctl(*SEND, "--format", "json")
    assert conversions(sent)[0]["identifiers"] == found


def test_several_addresses_in_a_cell_are_separated_as_the_message_says(adsctl, sent):
    orders(adsctl, f'{TIME},{EVENT},"{A},{B}",,,192.0.2.1,Firefox,,')
    assert (
        "email: is not one e-mail address: separate several with semicolons" in adsctl(*SEND, code=3).stderr
    )
    orders(adsctl, f"{TIME},{EVENT},{A};{B},,,192.0.2.1,Firefox,,")
    adsctl(*SEND)
    assert conversions(sent)[0]["identifiers"] == [
        {"hashed_email": digest(A), **PAIR},
        {"hashed_email": digest(B)},
    ]


@pytest.mark.parametrize("cells", [",,n/a,,", ",,,-,unknown", "null,(not set),N/A,n.a.,"])
def test_a_row_of_placeholders_has_no_identifier(adsctl, sent, cells):
    orders(adsctl, f"{TIME},{EVENT},{cells},,")
    assert "orders.csv:2: has no identifier: email," in adsctl(*SEND[:-2], code=3).stderr
    assert not sent.sent


def test_what_is_wrong_in_a_list_of_identifiers_is_named_with_its_place(adsctl, sent):
    document(adsctl, [{"email": A}, {"email": "no"}, {"E-Mail": A}, {"twclid": ["a"]}])
    message = adsctl(*SEND[:-2], "--format", "json", code=3).stderr
    for problem in (
        "identifiers[1].email: is not a valid e-mail address",
        "identifiers[2].E-Mail: is not a known field; did you mean 'email'?",
        "identifiers[3].platform_click_id: must be one text",
    ):
        assert problem in message


@pytest.mark.parametrize("person", ["max.secret@shop.example", "+49 151 12345678", "192.0.2.99"])
def test_the_values_of_mixed_up_columns_are_not_shown(adsctl, sent, person):
    orders(adsctl, f"{person},{EVENT},a@x.de,,,,,{person},")
    message = adsctl(*SEND[:-2], code=3).stderr
    is_address = "@" in person
    assert ("conversion_time: is an e-mail address: --map COLUMN=email" in message) == is_address
    assert ("conversion_time: is not allowed: ISO 8601 with an offset" in message) != is_address
    assert "value: is " in message and person not in message


def test_the_first_row_of_a_file_without_a_header_is_not_shown(adsctl, sent):
    adsctl.file("orders.csv", f"{TIME},{EVENT},{A}\n{TIME},{EVENT},{B}\n")
    message = adsctl(*SEND[:-2], code=3).stderr
    assert "put a line with the names of columns above the first" in message and "shop.example" not in message


def test_500_are_sent_at_a_time(adsctl, sent):
    many(adsctl, 1100)
    assert json.loads(adsctl(*SEND).stdout)["sent"] == 1100
    assert [len(body["conversions"]) for body in sent.sent] == [500, 500, 100]


def test_a_rejected_conversion_comes_back_and_the_others_are_sent(adsctl, sent):
    orders(
        adsctl,
        f"{TIME},{EVENT},a@x.de,,,,,,",
        f"{TIME},none1,b@x.de,,,,,,",
        f"{TIME},{EVENT},c@x.de,,,,,,",
        f"{TIME},none2,d@x.de,,,,,,",
    )
    done = adsctl(*SEND, "--failed-out", "failed.csv", code=9)
    summary = json.loads(done.stdout)
    assert (summary["sent"], summary["failed"], summary["requests"]) == (2, 2, 2)
    assert "orders.csv:3: rejected: the web event tag none1 does not exist" in done.stderr
    assert f"{TIME},none1,b@x.de" in (adsctl.home / "failed.csv").read_text()


def test_a_lost_answer_is_not_followed_by_the_same_request(adsctl, sent):
    many(adsctl, 1100)
    sent.fail_batch(1, "reset-after", "POST /12/measurement/*")
    lost = adsctl(*SEND, code=8)
    assert "lines 502 to 1001: 500 conversions may be sent" in lost.stderr
    resumed = adsctl(*SEND, "--resume", code=12)
    for stopped in (lost, resumed):  # nothing lists what was counted
        assert "--uncertain resend, which may count twice" in stopped.stderr
        assert "look whether" not in stopped.stderr
    assert len(sent.sent) == 2
    done = json.loads(adsctl(*SEND, "--resume", "--uncertain", "skip").stdout)
    assert (done["sent"], done["uncertain"], done["failed"]) == (600, 500, 0)
    assert len({json.dumps(conversion) for conversion in conversions(sent)}) == len(conversions(sent)) == 1100


def test_a_decision_about_lost_answers_sends_nothing_again_by_itself(adsctl, sent):
    many(adsctl, 2)
    adsctl(*SEND)
    assert "--uncertain" in adsctl(*SEND, "--uncertain", "skip", code=2).stderr
    assert len(conversions(sent)) == 2


def test_a_run_is_resumed_as_it_was_begun_and_otherwise_not_at_all(adsctl, sent):
    rows = "".join(f"{TIME},{EVENT},,,click-{n},,,9,\n" for n in range(501))
    adsctl.file("orders.csv", HEADER.replace("value", "total") + rows + f"soon,{EVENT},,,a,,,9,\n")
    send = (*SEND, "--map", "total=value", "--skip-invalid")
    sent.fail_batch(1, "status=403", "POST /12/measurement/*")
    adsctl(*send, code=4)
    sent.before = lambda number: sent.fail()
    other = (*SEND, "--map", "total=number_items", "--skip-invalid", "--resume")
    refused = adsctl(*other, code=11)
    assert "with its own options and version of adsctl it can be resumed: adsctl conv" in refused.stderr
    assert "--map total=value --skip-invalid --resume" in refused.stderr
    refused = adsctl(*send, "--resume", "--service", "x", code=11)  # the names of which are others
    assert "lines 2 to 502: an earlier run has sent other conversions" in refused.stderr
    assert json.loads(adsctl(*send, "--resume", code=9).stdout)["sent"] == 501
    assert [len(body["conversions"]) for body in sent.sent] == [500, 1, 1]


def test_a_job_of_conversions_is_a_send(adsctl, sent):
    many(adsctl, 501)
    sent.fail_batch(1, "status=403", "POST /12/measurement/*")
    adsctl(*SEND, code=4)
    (listed,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert (listed["action"], listed["noun"]) == ("send", "conversions")
    assert f"job {listed['job']}, send of " in adsctl("jobs", "discard", listed["job"], code=12).stderr


def test_no_body_is_shown(adsctl, sent):
    orders(adsctl, f"{TIME},{EVENT},a@x.de,,click-secret,,,,")
    assert "click-secret" not in adsctl(*SEND, "--debug").stderr


def test_a_tag_is_tracking_once_it_has_a_conversion(adsctl, sent):
    orders(adsctl, f"{TIME},{OTHER},a@x.de,,,,,,")
    adsctl(*SEND)
    tag = json.loads(adsctl("measurement", "web-event-tags", "get", OTHER, "-o", "json").stdout)
    assert tag["status"] == "TRACKING" and tag["last_tracked_at"]


def test_a_phone_number_that_its_country_does_not_have_is_sent_with_a_warning(adsctl, sent):
    orders(adsctl, f"{TIME},{EVENT},,09 1234 5678,,,,,", f"{TIME},{EVENT},,+56221234567,,,,,")
    done = adsctl(*SEND, "--region", "CL")
    assert json.loads(done.stdout)["sent"] == 2
    assert "orders.csv:2: phone_number: is a possible phone number, but" in done.stderr
    assert "orders.csv:3" not in done.stderr and "1234" not in done.stderr
    orders(adsctl, f"{TIME},{EVENT},ann@x.123,,,,,,")
    assert "orders.csv:2: email: is not a valid e-mail address" in adsctl(*SEND, code=3).stderr


def documents(adsctl, *identifiers: list[dict], **others: str) -> None:
    rows = [
        {"conversion_time": TIME, "event_id": EVENT, "identifiers": identifier} | others
        for identifier in identifiers
    ]
    adsctl.file("orders.csv", json.dumps(rows))


DOCUMENTS = (*SEND, "--format", "json")


def test_placeholders_are_no_identifiers(adsctl, sent):
    documents(adsctl, [{"email": "n/a"}, {"email": "a@x.de", CLICK: None}, {CLICK: "(not set)"}])
    assert json.loads(adsctl(*DOCUMENTS).stdout)["sent"] == 1
    orders(adsctl, f"{TIME},{OTHER},b@x.de,,n/a,-,NULL,,")
    assert json.loads(adsctl(*SEND).stdout)["sent"] == 1
    assert [conversion["identifiers"] for conversion in conversions(sent)] == [
        [{"hashed_email": digest("a@x.de")}],
        [{"hashed_email": digest("b@x.de")}],
    ]
    orders(adsctl, f"{TIME},{EVENT},,,n/a,-,,,")
    assert "orders.csv:2: has no identifier" in adsctl(*SEND[:-2], code=3).stderr
    documents(adsctl, [{"email": "n/a"}, {}])
    assert ":1: has no identifier" in adsctl(*DOCUMENTS[:-4], "--format", "json", code=3).stderr


CLICK = "platform_click_id"


def test_several_values_of_a_name_are_all_sent(adsctl, sent):
    one, other, third = map(digest, ("a@x.de", "b@x.de", "c@x.de"))
    documents(
        adsctl,
        [{"email": "a@x.de", CLICK: "k", "hashed_email": "b@x.de"}],
        [{"email": "a@x.de; b@x.de;c@x.de", "hashed_email": one}],
    )
    adsctl(*DOCUMENTS)
    orders(adsctl, f"{TIME},{OTHER},a@x.de;b@x.de,,,192.0.2.1,Firefox,,")
    adsctl(*SEND)
    assert [conversion["identifiers"] for conversion in conversions(sent)] == [
        [{"hashed_email": one, CLICK: "k"}, {"hashed_email": other}],
        [{"hashed_email": one}, {"hashed_email": other}, {"hashed_email": third}],
        [{"hashed_email": one, "ip_address": "192.0.2.1", "user_agent": "Firefox"}, {"hashed_email": other}],
    ]
    orders(adsctl, f'{TIME},{OTHER},"a@x.de,b@x.de",,,,,,')
    assert "separate several with semicolons" in adsctl(*SEND, code=3).stderr


def test_what_is_wrong_is_named_with_its_place_and_beside_everything_else(adsctl, sent):
    documents(
        adsctl,
        [{"email": "n/a"}, {"email": "a@x.de"}, {"email": "secret"}, {"E-Mail": "secret"}],
        conversion_time="yesterday",
    )
    message = adsctl(*DOCUMENTS, code=3).stderr
    assert "identifiers[2].email: is not a valid e-mail" in message and "identifiers[3].E-Mail" in message
    assert "conversion_time: 'yesterday'" in message and "secret" not in message
    orders(adsctl, f"yesterday,{EVENT},,,,,,,")
    message = adsctl(*SEND, code=3).stderr
    assert "has no identifier" in message and "conversion_time: 'yesterday'" in message
    orders(adsctl, f"max@shop.de,{EVENT},a@x.de,,,,,,", f"01.03.2026 0800,{EVENT},a@x.de,,,,,0151 1234567,")
    message = adsctl(*SEND, code=3).stderr
    assert "orders.csv:2: conversion_time: is an e-mail address: --map COLUMN=email" in message
    assert "orders.csv:3: value: is a phone number" in message
    assert "orders.csv:3: conversion_time: is not allowed: ISO 8601" in message
    assert "max@shop.de" not in message and "1234567" not in message
    assert not sent.sent
