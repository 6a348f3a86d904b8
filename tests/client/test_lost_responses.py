"""Which requests are sent again where a response was lost: those that have the same effect twice."""

from collections import Counter

import httpx
import pytest

from ads_cli.api.endpoint import Request
from ads_cli.api.parts import batch_request
from ads_cli.api.registry import requests_for
from ads_cli.api.validation import convert
from ads_cli.client.client import Client
from ads_cli.client.transport import FAULT_HEADER
from ads_cli.errors import AdsctlError
from tests.api.strategies import simplest_values
from tests.emulator.seeded import SPRING
from tests.lists import waits  # noqa: F401

REQUESTS = [*dict.fromkeys(kind for service in ("generic", "x") for kind in requests_for(service))]
REPEATED_POSTS = {
    "/12/accounts/{account_id}/audience_estimate",  # changes nothing
    # Who is on a list is added to it without effect.
    "/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users",
    "/12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users",
    # What was begun twice expires, and a segment replaces the one with its number. Of the end, the status is
    # asked for.
    "/2/media/upload",
    "/2/media/upload/initialize",
    "/2/media/upload/{media_id}/append",
    "/2/media/metadata",  # a text is set
    "/2/media/subtitles",
    # A link or a subscription that exists is made once.
    "/2/posts/search/webhooks/{webhook_id}",
    "/2/account_activity/webhooks/{webhook_id}/subscriptions/all",
}
each_request = pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)


class Silent:
    """A service that answers no request but the second of its kind; there, what was deleted is gone."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.client = Client(lambda base: "http://service.localhost", lambda: None, app=self)

    def __call__(self, environ, start_response):
        method = environ["REQUEST_METHOD"]
        self.requests[method] += 1
        is_lost = self.requests[method] == 1
        fault = [(FAULT_HEADER, "reset")] if is_lost else []
        gone = method == "DELETE" and not is_lost
        start_response("404 Not Found" if gone else "200 OK", [("Content-Type", "application/json"), *fault])
        return [b'{"errors": [{"code": "NOT_FOUND"}]}' if gone else b'{"data": {}}']

    def send(self, kind: type[Request]):
        prepared = self.client.prepare(convert(kind, simplest_values(kind)))
        return self.client.exchange(prepared, auth=httpx.Auth())


def is_repeated(kind: type[Request]) -> bool:
    """A field is set to a value, and what is gone stays gone; what is created would be created twice."""
    return kind.endpoint.method != "POST" or kind.endpoint.path in REPEATED_POSTS


@each_request
def test_a_request_whose_response_was_lost(kind, waits):  # noqa: F811
    silent, method = Silent(), kind.endpoint.method
    if is_repeated(kind):
        assert silent.send(kind).may_be_repeated or method == "DELETE"
    else:
        with pytest.raises(AdsctlError) as lost:
            silent.send(kind)
        assert lost.value.may_be_applied
        assert "check before you send it again" in lost.value.hint
    assert silent.requests == {method: 1 + is_repeated(kind)}


@each_request
def test_many_in_one_request_are_repeated_as_each_of_them_is(kind):
    endpoint = kind.endpoint
    if endpoint.batch and not endpoint.is_batch:
        assert batch_request(kind).endpoint.retry == (endpoint.method != "POST")


def test_what_is_not_found_at_once_was_not_deleted_by_this_request(adsctl, service):
    assert "1nothere does not exist" in adsctl("campaigns", "delete", "1nothere", "--yes", code=5).stderr


@pytest.mark.parametrize("method", ["DELETE", "PUT"])
def test_a_plain_request_of_one_command_is_sent_again(adsctl, service, method):
    service.fail(f"{method} * reset-after times=1")
    words = {"DELETE": ("delete", SPRING), "PUT": ("update", SPRING, "--name", "Summer")}[method]
    adsctl("campaigns", *words, "--yes")
