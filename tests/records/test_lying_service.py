"""An answer that does not say what became of records: they may exist, and are not sent again unasked."""

import json

import pytest
from werkzeug import Response

CREATE = ("--account", "18ce54", "campaigns", "create", "-f", "campaigns.yaml", "-o", "json")
RECORDS = [{"id": "1a", "name": "North"}, {"id": "1b", "name": "South"}]
REFUSED = {"code": "INVALID_PARAMETER", "message": "the name is taken"}
OPERATIONS = [[], [REFUSED]]


def answer(content: object, status: int = 200, **headers: str) -> Response:
    return Response(json.dumps(content), status, {name.replace("_", "-"): headers[name] for name in headers})


ANSWERS = {
    "a gateway's timeout": answer({}, 524),
    "fewer records": answer({"data": RECORDS[:1]}),
    "no objects": answer({"data": [RECORDS[0], None]}),
    "refused operations": answer({"operation_errors": OPERATIONS}, 207),
    "records and refused operations": answer({"data": RECORDS[:1], "operation_errors": OPERATIONS}),
    "records and errors": answer({"data": RECORDS[:1], "errors": [REFUSED], "operation_errors": OPERATIONS}),
    "another encoding": answer({"data": RECORDS}, Content_Encoding="br"),
}


@pytest.mark.parametrize("said", ANSWERS)
def test_what_may_have_been_created_is_told_and_not_sent_again(remote, httpserver, said):
    remote.file("campaigns.yaml", "- {name: North, funding_instrument_id: 4a1n0}\n" * 2)
    httpserver.expect_request("/12/batch/accounts/18ce54/campaigns").respond_with_response(ANSWERS[said])
    done = remote(*CREATE, code=None)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert done.returncode in (6, 8) and "lines 1 to 2: 2 campaigns may be created" in error["message"]
    httpserver.expect_request("/12/accounts/18ce54/campaigns").respond_with_response(
        answer({"data": RECORDS})
    )
    refused = remote(*CREATE, "--resume", code=12).stderr
    assert "2 campaigns may have been created" in refused and "does not say when" in refused
    assert [request.method for request, _ in httpserver.log] == ["POST", "GET"]


def test_where_a_list_cannot_be_read_nothing_is_sent_again(remote, httpserver):
    remote.file("campaigns.yaml", "- {name: North, funding_instrument_id: 4a1n0}\n" * 2)
    lost = ANSWERS["a gateway's timeout"]
    httpserver.expect_request("/12/batch/accounts/18ce54/campaigns").respond_with_response(lost)
    remote(*CREATE, code=8)
    refused = remote(*CREATE, "--resume", "--max-attempts", "1", code=8).stderr
    assert "--uncertain skip or --uncertain resend decides without looking" in refused
    assert [request.method for request, _ in httpserver.log] == ["POST", "GET"]


def test_a_single_request_with_an_unreadable_answer_says_that_it_may_have_been_applied(remote, httpserver):
    httpserver.expect_request("/12/product_catalogs").respond_with_response(ANSWERS["another encoding"])
    done = remote("catalog", "create", "--name", "x", code=8)
    assert len(httpserver.log) == 1 and "may have been applied" in done.stderr


CONVERSIONS = ("conversions", "send", "orders.csv", "--pixel", "o8z6j", "-o", "json")
ORDERS = "conversion_time,event_id,email\n" + "2026-03-01T09:00:00Z,o3f71,ana@shop.example\n" * 2


@pytest.mark.parametrize("data", [{"conversions_processed": 1}, {"conversions_processed": 3}, {}, None])
def test_conversions_of_which_not_all_were_processed_are_not_counted_as_sent(remote, httpserver, data):
    remote.file("orders.csv", ORDERS)
    httpserver.expect_request("/12/measurement/conversions/o8z6j").respond_with_response(
        answer({"data": data})
    )
    error = json.loads(remote(*CONVERSIONS, code=8).stderr.splitlines()[-1])["error"]
    assert "2 conversions may be sent" in error["message"]
    assert "--uncertain" in remote(*CONVERSIONS, "--resume", code=12).stderr and len(httpserver.log) == 1


def test_a_refusal_of_a_conversion_that_was_not_sent_is_one_of_all(remote, httpserver):
    remote.file("orders.csv", ORDERS)
    refusal = answer({"errors": [REFUSED | {"parameter": "conversions[2].event_id"}]}, 400)
    httpserver.expect_request("/12/measurement/conversions/o8z6j").respond_with_response(refusal)
    done = remote(*CONVERSIONS, code=6)
    assert REFUSED["message"] in done.stderr and len(httpserver.log) == 1


def made(first: int, count: int) -> Response:
    return answer({"data": [{"id": f"c{n}", "name": f"Campaign {n}"} for n in range(first, first + count)]})


def test_ids_that_were_given_before_are_another_requests_answer(remote, httpserver):
    """40 campaigns are sent in a request; the second answer is the first one once more."""
    rows = "".join(f"- {{name: Campaign {n}, funding_instrument_id: 4a1n0}}\n" for n in range(100))
    remote.file("campaigns.yaml", rows)
    path = "/12/batch/accounts/18ce54/campaigns"
    for answer in (made(0, 40), made(0, 40)):
        httpserver.expect_ordered_request(path).respond_with_response(answer)
    done = remote(*CREATE, code=8)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert "40 campaigns may be created" in error["message"]
    assert "it names records that were created before: c0, c1, c2 and 37 more" in error["message"]
    assert len(json.loads(done.stdout)) == 40
    httpserver.clear()
    httpserver.expect_request(path).respond_with_response(made(39, 20))  # also in the run that resumes
    again = remote(*CREATE, "--resume", "--uncertain", "skip", code=8)
    assert "created before: c39" in again.stderr and len(json.loads(again.stdout)) == 40


def test_an_id_that_is_twice_in_one_answer_is_not_understood(remote, httpserver):
    remote.file("campaigns.yaml", "- {name: North, funding_instrument_id: 4a1n0}\n" * 2)
    said = answer({"data": [RECORDS[0], RECORDS[0]]})
    httpserver.expect_request("/12/batch/accounts/18ce54/campaigns").respond_with_response(said)
    assert "it names records that were created before: 1a" in remote(*CREATE, code=8).stderr


@pytest.mark.parametrize("words", [("update", "id,name\n1a,North\n1b,South\n"), ("delete", "id\n1a\n1b\n")])
def test_a_change_is_not_confirmed_by_the_answer_to_another_one(remote, httpserver, words):
    command, content = words
    remote.file("campaigns.csv", content)
    path = "/12/batch/accounts/18ce54/campaigns"
    before_a_change(httpserver, command)
    httpserver.expect_ordered_request(path).respond_with_response(made(0, 2))
    httpserver.expect_ordered_request(path).respond_with_response(answer({"data": RECORDS}))
    done = remote("--account", "18ce54", "campaigns", command, "-f", "campaigns.csv", "--yes")
    assert f"2 {command}d" in done.stderr and len(httpserver.log) == 2 + (command == "update")


def before_a_change(httpserver, command: str) -> None:
    """Answer the request for what is about to be updated, which the log of changes has."""
    if command == "update":
        listed = httpserver.expect_ordered_request("/12/accounts/18ce54/campaigns", method="GET")
        listed.respond_with_json({"data": RECORDS, "next_cursor": None})


@pytest.mark.parametrize("words", [("update", "1a", "--name", "North"), ("delete", "1a")])
def test_a_change_of_one_record_is_not_confirmed_by_the_answer_to_another_one(remote, httpserver, words):
    command = ("--account", "18ce54", "campaigns", *words, "--yes", "--max-attempts", "1", "-o", "json")
    for said in (RECORDS[1], RECORDS[0]):
        before_a_change(httpserver, words[0])
        request = httpserver.expect_ordered_request("/12/accounts/18ce54/campaigns/1a")
        request.respond_with_json({"data": said})
    done = remote(*command, code=8)
    assert "it names another record than 1a: 1b" in done.stderr and "1b" not in done.stdout
    assert json.loads(remote(*command).stdout) == RECORDS[0]


def test_ads_are_deleted_when_the_answer_to_each_names_it(remote, httpserver):
    path = "/12/accounts/18ce54/promoted_posts"
    httpserver.expect_ordered_request(f"{path}/1a", method="DELETE").respond_with_json({"data": RECORDS[0]})
    httpserver.expect_ordered_request(f"{path}/1b", method="DELETE").respond_with_json({"data": RECORDS[0]})
    httpserver.expect_ordered_request(f"{path}/1b", method="DELETE").respond_with_json({"data": RECORDS[1]})
    words = ("--account", "18ce54", "promoted", "posts", "delete", "1a", "1b", "--yes", "-o", "ids")
    assert remote(*words).stdout.split() == ["1a", "1b"]


@pytest.mark.parametrize("data", [None, [], {}])
@pytest.mark.parametrize(
    ("words", "path"),
    [
        (("campaigns", "create", "--name", "A", "--funding-instrument-id", "4a"), "campaigns"),
        (("promoted", "posts", "create", "--line-item", "9d", "--posts", "1"), "promoted_posts"),
    ],
)
def test_a_creation_whose_answer_names_no_record_may_have_been_applied(remote, httpserver, words, path, data):
    httpserver.expect_request(f"/12/accounts/18ce54/{path}", method="POST").respond_with_json({"data": data})
    httpserver.expect_request("/12/accounts/18ce54/line_items/9d").respond_with_json({"data": RECORDS[0]})
    done = remote("--account", "18ce54", *words, "--yes", "-o", "ids", code=8)
    assert "it names no new record" in done.stderr and "may have been applied" in done.stderr
    assert sum(request.method == "POST" for request, _ in httpserver.log) == 1


def test_the_settings_of_a_user_are_changed_by_an_answer_that_has_no_id(remote, httpserver):
    path = "/12/accounts/18ce54/user_settings/77"
    httpserver.expect_request(path).respond_with_json({"data": {"notification_email": "a@shop.example"}})
    words = ("settings", "user", "update", "77", "--notification-email", "a@shop.example")
    remote("--account", "18ce54", *words)
