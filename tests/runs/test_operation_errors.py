"""Which operations of a request an answer rejects."""

import json

import pytest

from ads_cli.errors import UnavailableError
from ads_cli.runs.upload import operation_errors

ERROR = {"code": "INVALID_PARAMETER", "message": "no such person"}


@pytest.mark.parametrize(
    "errors",
    [
        [ERROR | {"index": 1}],
        [[], [ERROR], []],
        [None, ERROR],
        [[], [ERROR | {"index": 0}]],  # its place says which one it is
    ],
)
def test_errors_come_flat_or_in_a_list_for_each(errors):
    assert [*operation_errors({"operation_errors": errors}, 2)] == [1]


@pytest.mark.parametrize(
    "errors",
    [
        *([ERROR, ERROR | {"index": index}] for index in (2, -1, True, "1", None)),
        [[ERROR], [], [ERROR]],
        [ERROR] * 3,
    ],
)
def test_an_operation_that_was_not_sent_is_not_understood(errors):
    with pytest.raises(
        UnavailableError, match=r"not understood: it rejects operation .*, counted from 0, of 2"
    ):
        operation_errors({"operation_errors": errors}, 2)


@pytest.mark.parametrize("status", [200, 400])
def test_no_record_is_sent_again_where_an_answer_rejects_one_that_was_not_sent(remote, httpserver, status):
    remote.file("campaigns.csv", "id,name\n1a,North\n1b,South\n")
    body = {"errors": [], "operation_errors": [ERROR | {"index": 0}, ERROR | {"index": 7}]}
    request = httpserver.expect_request("/12/batch/accounts/18ce54/campaigns")
    request.respond_with_json(body, status=status)
    words = ("--account", "18ce54", "campaigns", "update", "-f", "campaigns.csv", "--yes")
    error = json.loads(remote(*words, "-o", "json", "--max-attempts", "1", code=8).stderr.splitlines()[-1])
    assert "it rejects operation 7, counted from 0, of 2" in error["error"]["message"]
    sent = [request.method for request, _ in httpserver.log]
    assert sent == ["GET", "POST"]  # what was before, for the log of changes
