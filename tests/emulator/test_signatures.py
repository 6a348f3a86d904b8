import time

import pytest

from ads_cli.emulator.core.signatures import MAX_CLOCK_SKEW_SECONDS

from .speaking import HOST, Client, InProcess, authorization, errors

ACCOUNTS = "/12/accounts"
COULD_NOT = [(32, None)]
BAD_DATA = [(215, None)]


@pytest.mark.parametrize("client", ["local", "served"])
def test_a_signed_request_is_answered(client, request):
    client = request.getfixturevalue(client)
    assert client.get(ACCOUNTS, q="Café K%&+ü ~'(", count="5").status_code == 200


def test_a_published_example_has_the_signature_that_was_published_with_it():
    """RFC 5849, section 1.2, the request for a photo (its signature is over http, GET, with a query)."""
    from ads_cli.emulator.core.incoming_request import IncomingRequest
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


def test_a_replayed_request_is_refused(local):
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS)
    first, second = (local.transport.request("GET", HOST + ACCOUNTS, headers=headers) for _ in range(2))
    assert first.status_code == 200
    assert (second.status_code, errors(second)) == (401, COULD_NOT)


def test_a_nonce_serves_again_with_another_timestamp(local):
    now = int(time.time())
    for timestamp in (now, now - 1):
        oauth = {"oauth_nonce": "again", "oauth_timestamp": str(timestamp)}
        assert local.send("GET", ACCOUNTS, oauth=oauth).status_code == 200


def test_nonces_are_forgotten_once_their_timestamp_is_out_of_bounds(local, time_machine):
    time_machine.move_to(1_800_000_000, tick=False)
    for _ in range(3):
        local.get(ACCOUNTS)
    assert local.emulator.authenticator.nonce_count == 3
    time_machine.move_to(1_800_000_000 + MAX_CLOCK_SKEW_SECONDS + 1, tick=False)
    local.get(ACCOUNTS)
    assert local.emulator.authenticator.nonce_count == 1


def test_a_refused_request_uses_up_no_nonce(local):
    bad = local.send("GET", ACCOUNTS, oauth={"oauth_nonce": "mine", "oauth_signature": "AAAA"})
    good = local.send("GET", ACCOUNTS, oauth={"oauth_nonce": "mine"})
    assert (bad.status_code, good.status_code) == (401, 200)


@pytest.mark.parametrize("seconds", [-MAX_CLOCK_SKEW_SECONDS - 60, MAX_CLOCK_SKEW_SECONDS + 60])
def test_a_timestamp_more_than_five_minutes_off_is_refused(local, seconds):
    answer = local.send("GET", ACCOUNTS, oauth={"oauth_timestamp": str(int(time.time()) + seconds)})
    assert (answer.status_code, answer.json()) == (
        401,
        {"errors": [{"code": 135, "message": "Timestamp out of bounds."}]},
    )


@pytest.mark.parametrize("timestamp", ["soon", "-1", "١٢٣", "9" * 400])
def test_a_timestamp_that_is_none_is_refused(local, timestamp):
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
def test_a_request_changed_after_signing_is_refused(local, method, url):
    headers = authorization(local.keys, "GET", f"{HOST}{ACCOUNTS}?count=5")
    answer = local.transport.request(method, HOST + url, headers=headers)
    assert (answer.status_code, errors(answer)) == (401, COULD_NOT)


def test_a_method_changed_after_signing_is_refused(local):
    url = f"{HOST}/12/product_catalogs/{local.emulator.catalog}"
    headers = authorization(local.keys, "PUT", url)
    assert local.transport.request("DELETE", url, headers=headers).status_code == 401


def test_a_form_body_is_covered_by_the_signature(local):
    """It is signed whole, and refused for what it is only after that."""
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS, form="a=1&b=%C3%A4")
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    changed = local.transport.request("GET", HOST + ACCOUNTS, content=b"a=2&b=%C3%A4", headers=headers)
    as_signed = local.transport.request("GET", HOST + ACCOUNTS, content=b"a=1&b=%C3%A4", headers=headers)
    assert (changed.status_code, as_signed.status_code) == (401, 400)


@pytest.mark.parametrize(
    "left_out",
    ["oauth_consumer_key", "oauth_token", "oauth_nonce", "oauth_timestamp", "oauth_signature_method"],
)
def test_an_incomplete_header_is_refused(local, left_out):
    answer = local.send("GET", ACCOUNTS, oauth={left_out: None})
    assert (answer.status_code, answer.json()) == (
        401,
        {"errors": [{"code": 215, "message": "Bad Authentication data."}]},
    )


@pytest.mark.parametrize("header", [None, "", "Bearer abc", "OAuth", "OAuth ,,,", "OAuth a", 'OAuth a="'])
def test_no_header_of_oauth_is_refused(local, header):
    headers = {} if header is None else {"Authorization": header}
    answer = local.transport.request("GET", HOST + ACCOUNTS, headers=headers)
    assert (answer.status_code, errors(answer)) == (401, BAD_DATA)


@pytest.mark.parametrize(
    "changed",
    [
        {"oauth_signature_method": "PLAINTEXT"},
        {"oauth_signature_method": "HMAC-SHA256"},
        {"oauth_version": "2.0"},
        {"oauth_nonce": "näh"},
    ],
)
def test_another_method_version_or_a_nonce_beyond_ascii_is_refused(local, changed):
    assert errors(local.send("GET", ACCOUNTS, oauth=changed)) == BAD_DATA


def test_the_version_may_be_left_out(local):
    assert local.send("GET", ACCOUNTS, oauth={"oauth_version": None}).status_code == 200


def test_an_unknown_token_has_code_89(local):
    answer = local.send("GET", ACCOUNTS, oauth={"oauth_token": "1-unknown"})
    assert (answer.status_code, answer.json()) == (
        401,
        {"errors": [{"code": 89, "message": "Invalid or expired token."}]},
    )


def test_a_revoked_token_has_code_89(local):
    assert local.send("POST", "/1.1/oauth/invalidate_token").status_code == 200
    assert errors(local.get(ACCOUNTS)) == [(89, None)]


def test_an_unknown_consumer_key_has_code_32(local):
    assert errors(local.send("GET", ACCOUNTS, oauth={"oauth_consumer_key": "nobody"})) == COULD_NOT


@pytest.mark.parametrize("wrong", ["consumer_secret", "access_token_secret"])
def test_a_signature_by_another_secret_is_refused(local, wrong):
    local.keys = local.keys._replace(**{wrong: "guessed"})
    assert errors(local.get(ACCOUNTS)) == COULD_NOT


def test_a_query_that_cannot_be_signed_is_refused(local):
    headers = authorization(local.keys, "GET", HOST + ACCOUNTS)
    answer = local.transport.request("GET", f"{HOST}{ACCOUNTS}?q=%zz", headers=headers)
    assert errors(answer) == COULD_NOT


def test_the_address_is_the_one_that_the_host_header_names(emulator):
    client = Client(emulator, InProcess(emulator, HTTP_HOST="emulator.localhost:8080"))
    assert errors(client.get(ACCOUNTS)) == COULD_NOT
    client.transport.application = emulator
    headers = authorization(client.keys, "GET", "http://emulator.localhost:8080/12/accounts")
    assert client.transport.request("GET", "/12/accounts", headers=headers).status_code == 200


def test_keys_and_tokens_differ_from_database_to_database(emulator, tmp_path):
    from ads_cli.emulator.app import Emulator

    other = Emulator(tmp_path / "other.db")
    assert not set(emulator.credentials) & set(other.credentials)
    other.close()
