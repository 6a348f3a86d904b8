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
    assert "2 campaigns may have been created" in remote(*CREATE, "--resume", code=12).stderr
    assert len(httpserver.log) == 1


def test_a_single_request_with_an_unreadable_answer_says_that_it_may_have_been_applied(remote, httpserver):
    httpserver.expect_request("/12/product_catalogs").respond_with_response(ANSWERS["another encoding"])
    done = remote("catalog", "create", "--name", "x", code=8)
    assert len(httpserver.log) == 1 and "may have been applied" in done.stderr
