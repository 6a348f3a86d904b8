"""Half of a surrogate pair in a response, as a text has it that was cut inside an emoji."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug import Request, Response

from ads_cli.client.response import read_response
from tests.conftest import PRODUCT, feed
from tests.output.test_terminal import FORMATS

HALF, REPLACED = "Mug \ud83d", "Mug \ufffd"
PRODUCTS = "/12/product_catalogs/7/products"
PUSH = ("products", "push", "feed.csv", "--catalog", "7")


def respond(value: object, status: int = 200) -> Response:
    return Response(json.dumps(value), status, mimetype="application/json")


@pytest.mark.parametrize("entry", [
    {"status": "ERROR", "errors": [HALF]},
    {"status": "ERROR", "errors": [{"message": HALF, HALF: HALF}]},
    {"status": "CREATE_SUCCESS", "title": HALF, HALF: 1},
    {"status": "CREATE_SUCCESS", "warnings": [HALF]},
])  # fmt: skip
def test_a_push_whose_answers_hold_half_a_character_ends_and_is_not_repeated(remote, httpserver, entry):
    def answer(request: Request) -> Response:
        entries = [{"id": product["id"], **entry} for product in request.json["products"]]
        return respond({"data": {"products_response": entries}})

    httpserver.expect_request(PRODUCTS).respond_with_handler(answer)
    remote.file("feed.csv", feed(2))
    is_error = entry["status"] == "ERROR"
    done = remote(*PUSH, "-v", "--failed-out", "failed.csv", code=9 if is_error else 0)
    assert (REPLACED in done.stderr) == (is_error or "warnings" in entry)
    assert "starting from the beginning" in remote(*PUSH, "--resume", code=None).stderr
    if is_error:
        assert REPLACED in (remote.home / "failed.csv").read_text()


@pytest.mark.parametrize("status", [400, 401, 404])
def test_an_error_with_half_a_character_is_shown(remote, httpserver, status):
    error = {"errors": [{"code": HALF, "message": HALF}]}
    httpserver.expect_request("/12/accounts").respond_with_data(json.dumps(error), status=status)
    for words in ((), ("-o", "json"), ("--debug", "--log-file", "log")):
        assert "Mug" in remote("accounts", "list", *words, code=None).stderr


LISTED = {"data": [PRODUCT | {"id": "sku-1", "title": HALF, "product_key": "k", HALF: HALF}]}


@pytest.mark.parametrize("format", FORMATS)
def test_a_list_shows_a_whole_character_in_its_place(remote, httpserver, format):
    httpserver.expect_request(PRODUCTS).respond_with_json(LISTED)
    done = remote("products", "list", "--catalog", "7", "-o", format)
    assert (REPLACED in done.stdout) == (format not in ("ids", "none"))


def test_a_pulled_feed_has_a_whole_character_in_its_place(remote, httpserver):
    httpserver.expect_request(PRODUCTS).respond_with_json(LISTED)
    for name in ("out.csv", "out.tsv", "out.json", "out.jsonl", "out.yaml"):
        remote("products", "pull", name, "--catalog", "7", "--force")
        assert REPLACED in (remote.home / name).read_text()
        remote("products", "check", name)


CHARACTERS = st.characters() | st.sampled_from('\ud83d\ude00\ud800\udfff😀\\u"')
TEXTS = st.lists(CHARACTERS, max_size=6).map("".join)  # st.text() leaves halves out


def whole(value: object) -> object:
    """Return a value with U+FFFD in place of each half."""
    if isinstance(value, str):
        joined = value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in joined)
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {whole(key): whole(item) for key, item in value.items()}
    return value


KEYS = st.lists(TEXTS, max_size=3, unique_by=whole)  # two of an object must differ as read
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | KEYS.flatmap(lambda keys: st.fixed_dictionaries(dict.fromkeys(keys, inner)))
    ),
    max_leaves=8,
)


@given(VALUES, st.booleans(), st.sampled_from(["utf-8", "utf-16", "utf-32-le"]))
def test_every_text_of_an_answer_can_be_encoded_and_loses_only_halves(value, ascii_only, encoding):
    content = json.dumps({"data": value}, ensure_ascii=ascii_only).encode(encoding, "surrogatepass")
    data = read_response(200, {}, content).data
    assert data == whole(value)
    json.dumps(data, ensure_ascii=False).encode()
