import re
import time

import pytest

from ads_cli.emulator.core.signatures import MAX_CLOCK_SKEW_SECONDS

from .client import HOST, Client, InProcess, authorization, errors

ACCOUNTS = "/12/accounts"
COULD_NOT = [(32, None)]
BAD_DATA = [(215, None)]


@pytest.mark.parametrize("client", ["local", "served"])
def test_a_signed_request_is_accepted(client, request):
    client = request.getfixturevalue(client)
    assert client.get(ACCOUNTS, q="Café K%&+ü ~'(", count="5").status_code == 200


def test_the_example_of_rfc_5849_is_verified():
    """Section 1.2, the request for a photo: GET over http, with a query."""
    from ads_cli.emulator.core.request import IncomingRequest
    from ads_cli.emulator.core.signatures import SigningKeys, is_signature_valid

    header = (
        'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk",'
        ' oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_nonce="chapoH",'
        ' oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"'
    )
    uri = "/photos?file=vacation.jpg&size=original"
    incoming = IncomingRequest(
        {
            "REQUEST_METHOD": "GET",
            "REQUEST_URI": uri,
            "HTTP_HOST": "photos.example.net",
            "HTTP_AUTHORIZATION": header,
            "wsgi.url_scheme": "http",
        }
    )
    keys = SigningKeys("1", "kd94hf93k423kf44", "pfkkdhi9sl3r4s00", False)
    assert is_signature_valid(incoming, "MdpQcU8iPSUjWoN/UDMsK2sui9I=", keys)
    assert not is_signature_valid(incoming, "MdpQcU8iPSUjWoN/UDMsK2sui9i=", keys)


@pytest.mark.parametrize("name", ["oauth_signature", "oauth_nonce", "oauth_timestamp", "oauth_token"])
def test_a_parameter_of_the_signature_that_is_repeated_is_rejected(local, name):
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS)
    (pair,) = re.findall(rf'{name}="[^"]*"', headers["Authorization"])
    for repeated in (f"{pair}, ", f'{name}="other", '):
        changed = {"Authorization": headers["Authorization"].replace("OAuth ", f"OAuth {repeated}")}
        response = local.transport.request("GET", HOST + ACCOUNTS, headers=changed)
        assert (response.status_code, errors(response)) == (401, BAD_DATA)


def test_a_signature_is_read_from_the_header_alone(local):
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS)
    for query in ("?oauth_signature=x", "?oauth%5Fsignature=x"):
        response = local.transport.request("GET", HOST + ACCOUNTS + query, headers=headers)
        assert (response.status_code, errors(response)) == (401, BAD_DATA)


def test_a_replayed_request_is_rejected(local):
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS)
    first, second = (local.transport.request("GET", HOST + ACCOUNTS, headers=headers) for _ in range(2))
    assert first.status_code == 200
    assert (second.status_code, errors(second)) == (401, COULD_NOT)


def test_a_nonce_can_be_reused_with_another_timestamp(local):
    now = int(time.time())
    for timestamp in (now, now - 1):
        oauth = {"oauth_nonce": "again", "oauth_timestamp": str(timestamp)}
        assert local.send("GET", ACCOUNTS, oauth=oauth).status_code == 200


def test_nonces_expire_with_their_timestamp(local, time_machine):
    time_machine.move_to(1_800_000_000, tick=False)
    for _ in range(3):
        local.get(ACCOUNTS)
    assert local.emulator.authenticator.nonce_count == 3
    time_machine.move_to(1_800_000_000 + MAX_CLOCK_SKEW_SECONDS + 1, tick=False)
    local.get(ACCOUNTS)
    assert local.emulator.authenticator.nonce_count == 1


def test_a_rejected_request_does_not_use_its_nonce(local):
    bad = local.send("GET", ACCOUNTS, oauth={"oauth_nonce": "mine", "oauth_signature": "AAAA"})
    good = local.send("GET", ACCOUNTS, oauth={"oauth_nonce": "mine"})
    assert (bad.status_code, good.status_code) == (401, 200)


@pytest.mark.parametrize("seconds", [-MAX_CLOCK_SKEW_SECONDS - 60, MAX_CLOCK_SKEW_SECONDS + 60])
def test_a_timestamp_more_than_five_minutes_off_is_rejected(local, seconds):
    response = local.send("GET", ACCOUNTS, oauth={"oauth_timestamp": str(int(time.time()) + seconds)})
    assert (response.status_code, response.json()) == (
        401,
        {"errors": [{"code": 135, "message": "Timestamp out of bounds."}]},
    )


@pytest.mark.parametrize("timestamp", ["soon", "-1", "١٢٣", "9" * 400])
def test_an_invalid_timestamp_is_rejected(local, timestamp):
    assert errors(local.send("GET", ACCOUNTS, oauth={"oauth_timestamp": timestamp})) == [(135, None)]


@pytest.mark.parametrize(
    ("method", "url"),
    [
        ("GET", f"{ACCOUNTS}?count=6"),
        ("GET", f"{ACCOUNTS}?count=5&q=a"),
        ("GET", ACCOUNTS),
        ("GET", f"{ACCOUNTS}/18ce54d4x5t?count=5"),
    ],
)
def test_a_request_changed_after_signing_is_rejected(local, method, url):
    headers = authorization(local.keys, "GET", f"{HOST}{ACCOUNTS}?count=5")
    response = local.transport.request(method, HOST + url, headers=headers)
    assert (response.status_code, errors(response)) == (401, COULD_NOT)


def test_a_method_changed_after_signing_is_rejected(local):
    url = f"{HOST}/12/product_catalogs/{local.emulator.catalog}"
    headers = authorization(local.keys, "PUT", url)
    assert local.transport.request("DELETE", url, headers=headers).status_code == 401


def test_the_signature_covers_a_form_body(local):
    # With a valid signature, the body itself is rejected: 400.
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS, form="a=1&b=%C3%A4")
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    changed = local.transport.request("GET", HOST + ACCOUNTS, content=b"a=2&b=%C3%A4", headers=headers)
    as_signed = local.transport.request("GET", HOST + ACCOUNTS, content=b"a=1&b=%C3%A4", headers=headers)
    assert (changed.status_code, as_signed.status_code) == (401, 400)


@pytest.mark.parametrize(
    "left_out",
    ["oauth_consumer_key", "oauth_token", "oauth_nonce", "oauth_timestamp", "oauth_signature_method"],
)
def test_an_incomplete_header_is_rejected(local, left_out):
    response = local.send("GET", ACCOUNTS, oauth={left_out: None})
    assert (response.status_code, response.json()) == (
        401,
        {"errors": [{"code": 215, "message": "Bad Authentication data."}]},
    )


@pytest.mark.parametrize("header", [None, "", "Basic abc", "OAuth", "OAuth ,,,", "OAuth a", 'OAuth a="'])
def test_a_missing_or_malformed_header_is_rejected(local, header):
    headers = {} if header is None else {"Authorization": header}
    response = local.transport.request("GET", HOST + ACCOUNTS, headers=headers)
    assert (response.status_code, errors(response)) == (401, BAD_DATA)


@pytest.mark.parametrize(
    "changed",
    [
        {"oauth_signature_method": "PLAINTEXT"},
        {"oauth_signature_method": "HMAC-SHA256"},
        {"oauth_version": "2.0"},
        {"oauth_nonce": "näh"},
    ],
)
def test_unsupported_oauth_parameters_are_rejected(local, changed):
    assert errors(local.send("GET", ACCOUNTS, oauth=changed)) == BAD_DATA


def test_oauth_version_is_optional(local):
    assert local.send("GET", ACCOUNTS, oauth={"oauth_version": None}).status_code == 200


def test_an_unknown_token_has_code_89(local):
    response = local.send("GET", ACCOUNTS, oauth={"oauth_token": "1-unknown"})
    assert (response.status_code, response.json()) == (
        401,
        {"errors": [{"code": 89, "message": "Invalid or expired token."}]},
    )


def test_a_revoked_token_has_code_89(local):
    assert local.send("POST", "/1.1/oauth/invalidate_token").status_code == 200
    assert errors(local.get(ACCOUNTS)) == [(89, None)]


def test_an_unknown_consumer_key_has_code_32(local):
    assert errors(local.send("GET", ACCOUNTS, oauth={"oauth_consumer_key": "nobody"})) == COULD_NOT


@pytest.mark.parametrize("wrong", ["consumer_secret", "access_token_secret"])
def test_a_signature_with_another_secret_is_rejected(local, wrong):
    local.keys = local.keys._replace(**{wrong: "guessed"})
    assert errors(local.get(ACCOUNTS)) == COULD_NOT


def test_a_query_that_cannot_be_normalized_is_rejected(local):
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS)
    response = local.transport.request("GET", f"{HOST}{ACCOUNTS}?q=%zz", headers=headers)
    assert errors(response) == COULD_NOT


def test_the_signature_covers_the_host_header(emulator):
    client = Client(emulator, InProcess(emulator, HTTP_HOST="emulator.localhost:8080"))
    assert errors(client.get(ACCOUNTS)) == COULD_NOT
    client.transport.application = emulator
    headers = authorization(client.keys, "GET", "http://emulator.localhost:8080/12/accounts")
    assert client.transport.request("GET", "/12/accounts", headers=headers).status_code == 200


def test_each_database_has_its_own_keys_and_tokens(emulator, tmp_path):
    from ads_cli.emulator.app import Emulator

    other = Emulator(tmp_path / "other.db")
    assert not set(emulator.credentials) & set(other.credentials)
    other.close()
