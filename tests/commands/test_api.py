"""`adsctl api`: any request, signed and sent unchanged."""

import json

import pytest
from werkzeug import Response

from tests.conftest import SECRETS
from tests.signing import parameters_of, signature


def answering(httpserver, body=None, status=200):
    """Let the service respond to everything; return the list of its requests."""
    seen = []

    def answer(request):
        seen.append(request)
        content = "" if body is None else json.dumps(body)
        return Response(content, status, content_type="application/json")

    httpserver.expect_request("/12/any/thing").respond_with_handler(answer)
    return seen


def is_signed(request) -> bool:
    oauth = parameters_of(request.headers["Authorization"])
    url = f"http://{request.host}{request.environ['REQUEST_URI']}"
    secrets = SECRETS["ADSCTL_CONSUMER_SECRET"], SECRETS["ADSCTL_ACCESS_TOKEN_SECRET"]
    return oauth["oauth_signature"] == signature(request.method, url, oauth, *secrets)


def test_fields_go_into_the_query_and_the_body_is_sent_unchanged(remote, httpserver):
    seen = answering(httpserver, {"data": {"id": "1", "tags": ["a"]}})
    body = remote.file("body.json", b'{"a":  "\xc3\xa4"}')
    words = (
        "api",
        "POST",
        "/12/any/thing?x=1",
        "-f",
        "name=K & S",
        "-F",
        'n={"a": [1, true]}',
        "-F",
        "no=null",
    )
    done = remote(*words, "--input", body, "-H", "X-Trace: 7", "-o", "json")
    request = seen[0]
    assert request.args.to_dict() == {"x": "1", "name": "K & S", "n": '{"a":[1,true]}'}
    assert request.data == body.read_bytes() and request.content_type == "application/json"
    assert request.headers["X-Trace"] == "7" and is_signed(request)
    assert json.loads(done.stdout) == {"id": "1", "tags": ["a"]}
    table = remote(*words, "--input", body)
    assert table.stdout == 'id\ttags\n1\t["a"]\n'


def test_the_log_file_has_no_query_of_a_raw_request(remote, httpserver):
    answering(httpserver, {}, status=503)
    for number, words in enumerate(
        (
            ("POST", "/12/any/thing?token=hidden-4711"),
            ("PUT", "/12/any/thing", "-f", "note=hidden-4711"),
            ("GET", "/12/any/thing", "-F", 'x={"password": "hidden-4711"}'),
        )
    ):
        log = remote.home / f"{number}.log"
        remote("api", *words, "--log-file", log, "--max-attempts", "2", code=8)
        assert "/12/any/thing?***" in log.read_text() and "hidden-4711" not in log.read_text()
    assert '"event": "retry"' in log.read_text()


def test_a_raw_post_that_may_have_been_applied_is_not_sent_again(remote, httpserver):
    seen = answering(httpserver, {}, status=503)
    for method, attempts in (("POST", 1), ("PUT", 2)):
        seen.clear()
        remote("api", method, "/12/any/thing", "--max-attempts", "2", code=8)
        assert len(seen) == attempts


def test_parameters_named_as_those_of_a_signature_are_signed(remote, httpserver):
    seen = answering(httpserver, {"data": []})
    remote("api", "GET", "/12/any/thing", "-f", "oauth_callback=oob")
    assert is_signed(seen[0])


def test_a_content_type_header_is_sent(remote, httpserver):
    seen = answering(httpserver, {"data": []})
    remote("api", "PUT", "/12/any/thing", "--input", "-", "-H", "content-type: text/csv", input=b"a,b\n")
    assert seen[0].content_type == "text/csv" and seen[0].data == b"a,b\n"


def test_pages_are_followed(remote, httpserver):
    def answer(request):
        cursor = request.args.get("cursor", "")
        page = {"": ([{"id": "1"}], "c2"), "c2": ([{"id": "2"}], None)}[cursor]
        return Response(json.dumps({"data": page[0], "next_cursor": page[1]}))

    httpserver.expect_request("/12/any/thing").respond_with_handler(answer)
    done = remote("api", "get", "/12/any/thing", "--paginate", "-o", "json", "--envelope")
    assert json.loads(done.stdout) == {"data": [{"id": "1"}, {"id": "2"}], "next_cursor": None}
    one = remote("api", "get", "/12/any/thing", "-o", "ids")
    assert one.stdout == "1\n" and "--paginate" in one.stderr


def test_an_empty_response_is_not_an_error(remote, httpserver):
    answering(httpserver, status=204)
    assert remote("api", "DELETE", "/12/any/thing", "-o", "json").stdout == "null\n"


def test_placeholders_are_replaced_by_the_ids_in_use(adsctl):
    done = adsctl.local("api", "GET", "/12/accounts/{account_id}", "-o", "ids")
    catalog = adsctl.local("api", "GET", "/12/product_catalogs/{product_catalog_id}/products")
    assert done.stdout == "18ce54d4x5t\n" and catalog.stdout == "\n"


def test_the_curl_command_contains_no_secret(remote):
    words = ("api", "POST", "/oauth2/invalidate_token", "--base", "platform", "-f", "access_token=hush")
    done = remote(*words, "--as-curl")
    assert done.stdout.startswith("curl -X POST 'http://") or "curl -X POST http://" in done.stdout
    assert "Authorization: OAuth ***" in done.stdout and "hush" not in done.stdout
    assert not any(secret in done.stdout for secret in SECRETS.values())


def test_an_invalid_request_is_a_usage_error(remote):
    for words, message in {
        ("FETCH", "/x"): "'FETCH' is not one of GET",
        ("GET", "https://evil.example/"): "is not a path",
        ("GET", "//evil.example/"): "is not a path",
        ("GET", "/x\r\nHost: y"): "is not a path",
        ("GET", "/x", "-f", "a"): "'a' is not KEY=VALUE",
        ("GET", "/x", "-F", "a=b"): "-F: a:",
        ("GET", "/x", "-f", "ids=1", "-f", "ids=2"): "-f, -F: ids is repeated",
        ("GET", "/x", "-f", "ids=1", "-F", "ids=2"): "-f, -F: ids is repeated",
        ("GET", "/x", "-F", "ids=1", "-F", "ids=null"): "-f, -F: ids is repeated",
        ("GET", "/x?ids=1&ids=2"): "PATH: ids is repeated",
        ("GET", "/x", "-H", "X: a", "-H", "x: b"): "-H: x is repeated",
        ("GET", "/x", "-H", "X: a\r\nY: b"): "is not KEY:VALUE",
        ("GET", "/x", "-H", "Authorization: a"): "is set by adsctl",
        ("GET", "/x", "-H", "host: a"): "is set by adsctl",
        ("GET", "/x", "-H", "Content-Length: 1"): "is set by adsctl",
        ("POST", "/x", "--paginate"): "--paginate requires GET",
        ("POST", "/x", "--input", "nowhere"): "nowhere cannot be read",
    }.items():
        assert message in remote("api", *words, code=2).stderr


FORM = ("-H", "Content-Type: Application/X-WWW-Form-urlencoded; charset=utf-8", "--input", "-")


@pytest.mark.parametrize("body", ['{"a": 1}', "[1]", '"x"', "ä=1", "a=%zz", "a=\nb", "\x00"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH"])
def test_a_body_that_is_no_form_as_it_says_is_a_usage_error(remote, httpserver, method, body):
    done = remote("api", method, "/x", *FORM, input=body, code=2)
    assert "is not application/x-www-form-urlencoded, as -H content-type says" in done.stderr
    assert "a GET has no form" in remote("api", "GET", "/x", *FORM, input="a=b", code=2).stderr
    assert not httpserver.log


def test_a_form_is_sent_and_signed_as_one(adsctl):
    done = adsctl.local("api", "POST", "/12/accounts/{account_id}/x", *FORM, input="a=b", code=5)
    assert "bug" not in done.stderr
