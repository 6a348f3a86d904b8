"""Signatures, against published examples and an independent verifier."""

from string import ascii_letters, digits
from urllib.parse import quote, urlencode

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ads_cli.client.prepared_request import FORM, UserKeys
from ads_cli.client.signing import SignedAuth, as_user
from tests.conftest import SECRETS
from tests.signing import parameters_of, signature

CREDENTIALS = UserKeys(*SECRETS.values())


def sign(request: httpx.Request, auth: SignedAuth | None = None) -> dict[str, str]:
    next((auth or as_user(CREDENTIALS)).auth_flow(request))
    return parameters_of(request.headers["Authorization"])


@pytest.mark.parametrize(
    ("nonce", "timestamp", "expected"),
    [
        # OAuth Core 1.0a, appendix A.5
        ("kllo9940pd9333jh", "1191242096", "tR3+Ty81lMeYAr/Fid0kMTYa/WM="),
    ],
)
def test_the_signature_of_the_published_example_is_computed(nonce: str, timestamp: str, expected: str):
    auth = as_user(CREDENTIALS)
    auth._signer.nonce, auth._signer.timestamp = nonce, timestamp
    request = httpx.Request("GET", "http://photos.example.net/photos?file=vacation.jpg&size=original")
    assert sign(request, auth)["oauth_signature"] == expected


def test_the_verifier_of_the_tests_accepts_the_published_examples():
    url = "http://photos.example.net/photos?file=vacation.jpg&size=original"
    core = {
        "oauth_consumer_key": "dpf43f3p2l4k3l03",
        "oauth_token": "nnch734d00sl2jdk",
        "oauth_signature_method": "HMAC-SHA1",
        "oauth_timestamp": "1191242096",
        "oauth_nonce": "kllo9940pd9333jh",
        "oauth_version": "1.0",
    }
    secrets = SECRETS["ADSCTL_CONSUMER_SECRET"], SECRETS["ADSCTL_ACCESS_TOKEN_SECRET"]
    assert signature("GET", url, core, *secrets) == "tR3+Ty81lMeYAr/Fid0kMTYa/WM="
    # RFC 5849, section 1.2, has no oauth_version
    rfc = core | {"oauth_timestamp": "137131202", "oauth_nonce": "chapoH"}
    del rfc["oauth_version"]
    assert signature("GET", url, rfc, *secrets) == "MdpQcU8iPSUjWoN/UDMsK2sui9I="


def verified(request: httpx.Request) -> bool:
    oauth = sign(request)
    form = request.content.decode() if request.headers.get("content-type") == FORM else ""
    assert oauth["oauth_signature_method"] == "HMAC-SHA1" and oauth["oauth_version"] == "1.0"
    assert oauth["oauth_nonce"].isascii()
    secrets = CREDENTIALS.consumer_secret, CREDENTIALS.access_token_secret
    return oauth["oauth_signature"] == signature(request.method, str(request.url), oauth, *secrets, form)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = texts.filter(lambda name: name and not name.startswith("oauth_"))  # those are the signer's own


@given(st.dictionaries(names, texts, max_size=5))
def test_any_query_is_signed_correctly(query: dict[str, str]):
    from ads_cli.api.accounts import ListAccounts
    from ads_cli.api.parts import RequestParts
    from ads_cli.client.prepared_request import build_request

    prepared = build_request(
        ListAccounts.endpoint, RequestParts("/12/accounts", query), "https://ads.example"
    )
    assert verified(httpx.Request("GET", prepared.url))


@given(st.dictionaries(names, texts, min_size=1, max_size=5))
def test_any_form_is_signed_correctly(fields: dict[str, str]):
    from urllib.parse import urlencode

    body = urlencode(fields).encode()
    request = httpx.Request(
        "POST", "https://x.example/oauth2/token", content=body, headers={"content-type": FORM}
    )
    assert verified(request)


def test_the_signature_does_not_cover_a_json_body():
    request = httpx.Request("PUT", "https://ads.example/12/x?a=1", json={"a": "é"})
    assert verified(request)


def test_special_characters_in_a_query_arrive_and_are_signed(remote, httpserver: HTTPServer):
    typed = 'summer sale & "chairs" é + 100% [x] 椅子 ~'
    seen: list[Request] = []

    def answer(request: Request) -> Response:
        seen.append(request)
        return Response('{"data": [], "next_cursor": null}', content_type="application/json")

    httpserver.expect_request("/12/accounts").respond_with_handler(answer)
    remote("accounts", "list", "--q", typed)
    assert seen[0].args["q"] == typed
    oauth = parameters_of(seen[0].headers["Authorization"])
    url = f"http://{seen[0].host}{seen[0].environ['REQUEST_URI']}"
    secrets = SECRETS["ADSCTL_CONSUMER_SECRET"], SECRETS["ADSCTL_ACCESS_TOKEN_SECRET"]
    assert oauth["oauth_signature"] == signature("GET", url, oauth, *secrets)


def test_each_attempt_has_its_own_nonce(remote, httpserver: HTTPServer):
    nonces = []

    def answer(request: Request) -> Response:
        nonces.append(parameters_of(request.headers["Authorization"])["oauth_nonce"])
        if len(nonces) < 3:
            return Response("{}", status=503, headers={"Retry-After": "0"})
        return Response('{"data": []}', content_type="application/json")

    httpserver.expect_request("/12/accounts").respond_with_handler(answer)
    remote("accounts", "list")
    assert len(set(nonces)) == 3


WORDS = st.text(min_size=1, max_size=20)


@given(
    method=st.sampled_from(["GET", "PUT", "POST", "DELETE"]),
    path=WORDS,
    query=st.lists(st.tuples(WORDS, st.text(max_size=20)), max_size=5),
    secrets=st.tuples(*[WORDS] * 4),
    nonce=st.text(ascii_letters + digits, min_size=1, max_size=40),
    timestamp=st.integers(min_value=1, max_value=2**40).map(str),
)
def test_a_header_from_a_template_equals_that_of_oauthlib(method, path, query, secrets, nonce, timestamp):
    auth = as_user(UserKeys(*secrets))
    url = f"https://ads.example/12/{quote(path, safe='')}" + ("?" + urlencode(query) if query else "")
    for value in (nonce, nonce[::-1]):  # the second time from memory
        auth._signer.nonce, auth._signer.timestamp = value, timestamp
        request = httpx.Request(method, url)
        next(auth.auth_flow(request))
        _, headers, _ = auth._signer.sign(str(request.url), method)
        assert request.headers["Authorization"] == headers["Authorization"]
