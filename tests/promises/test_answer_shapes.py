"""No command takes a response of any shape for a bug of its own: what it cannot read is unavailable (8)."""

import json
import re
import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug import Request, Response

from ads_cli.output import FORMATS
from tests.conftest import feed
from tests.effort import tries
from tests.promises.test_every_command import DECLARED, SENDING
from tests.promises.test_examples import EXAMPLES, FILES

EXAMPLES_TRIED = tries(25, 250)
CUSTOM_COMMANDS = (
    "products push feed.csv",
    "products push feed.csv --changed --verify",
    "products push feed.csv --failed-out failed.csv --skip-invalid",
    "products pull pulled.csv --force",
    "products delete pk1 pk2 --by key",
    "audiences push customers.csv --audience 1nmth",
    "audiences combine --name Users --any-of 1nmw1,1nmw2",
    "audiences do-not-reach push unsubscribed.csv --list 3k1a7",
    "campaigns tree",
    "campaigns activate 8wku2 8wkv1",
    "line-items activate 9d4c1",
    "campaigns create -f campaigns.csv",
    "conversions send orders.csv --pixel o8z6j --event-id o3f71",
    "stats get --since 7d --ids 9d4c1 --metrics impressions,clicks",
    "stats export clicks.csv --force --since 7d --ids 9d4c1 --metrics clicks",
    "auth bearer issue",
    "auth bearer revoke",
    "auth login --no-browser --token-store file",
    "cards fetch card://7cqs1",
    "webhooks create https://shop.example/hook",
    "events subscribe post.create --user-id 1184672519",
    "events unsubscribe 1790415000000000201 1790415000000000202",
    "events connections delete --all",
    "media upload hero.png",
    "media lookup 3_1790412874512007168",
    "media alt-text 3_1790412874512007168 Mug",
    "media subtitles add 13_1790413002217308160 workshop.srt --language EN",
    "media subtitles delete 13_1790413002217308160 --language EN",
    "api GET /12/accounts",
    "api GET /12/accounts --paginate",
    "api POST /12/accounts/{account_id}/cards -F a=1",
)
LINES = [
    *CUSTOM_COMMANDS,
    *(shlex.join(shlex.split(EXAMPLES[command])[1:]) for command in SENDING),
    *(f"{line} --all" for line in ("products list", "accounts list", "catalog list")),
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["sku-1", "CREATE_SUCCESS", "ERROR", "\x1b[2J", "[/b]", "x" * 3000, "\ud83d"])
)
MEMBERS = (
    "id", "name", "code", "message", "errors", "data", "title", "type", "status", "detail", "parameters",
    "item_group_key", "product_key",
)  # fmt: skip
NAMES = st.text(max_size=3) | st.sampled_from(MEMBERS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
DEEP = st.integers(5, 1200).map(lambda depth: json.loads("[" * depth + "]" * depth) if depth < 900 else [])


def near(**right: st.SearchStrategy) -> st.SearchStrategy:
    """Make objects with some members right, some of any other shape, and some missing."""
    return st.fixed_dictionaries({}, optional={name: value | VALUES for name, value in right.items()})


IDS = st.sampled_from(["sku-1", "sku-2", "sku-3", "pk1", "pk2", "1nmth"])
RECORDS = st.lists(
    near(id=IDS, name=st.text(), product_key=IDS, item_group_key=IDS, deleted=st.booleans()) | VALUES,
    max_size=3,
)
OUTCOMES = st.lists(
    near(id=IDS, status=st.sampled_from(["CREATE_SUCCESS", "NO_CHANGE", "ERROR"]), errors=VALUES | DEEP)
    | near(failed_product_key=IDS, product_key=IDS, message=VALUES | DEEP)
    | VALUES,
    max_size=3,
)
DATA = (
    RECORDS
    | near(products_response=OUTCOMES, delete_products=OUTCOMES)
    | near(success_count=st.integers(-1, 3), total_count=st.integers(-1, 3))
    | near(post_volume=st.lists(st.integers()), related_keywords=st.lists(st.text()), valid=st.booleans())
    | VALUES
)
ERRORS = (
    VALUES
    | DEEP
    | st.lists(near(code=SCALARS, message=SCALARS, parameter=SCALARS, index=SCALARS), max_size=2)
)
BODIES = (
    near(data=DATA, next_cursor=st.text(max_size=3), total_count=st.integers())
    | near(data=DATA, errors=ERRORS, operation_errors=ERRORS)
    | near(title=SCALARS, type=SCALARS, detail=SCALARS, errors=ERRORS, status=SCALARS)
    | near(access_token=SCALARS, token_type=SCALARS)
    | DATA
    | DEEP
)
CONTENTS = BODIES.map(json.dumps).map(str.encode) | st.binary(max_size=40)
FORMS = st.sampled_from(
    [b"oauth_token=a&oauth_token_secret=b&oauth_callback_confirmed=true", b"oauth_token=%0A", b"="]
)
STATUSES = st.sampled_from([200] * 10 + [201, 202, 204, 302, 400, 401, 403, 404, 409, 429, 500, 503])


@pytest.fixture
def client(remote, httpserver):
    """adsctl with the files of the examples, and a service whose response each example chooses."""
    for name, content in FILES.items():
        remote.file(name, content)
    remote.file("feed.csv", feed(3))
    remote.file(
        "campaigns.csv", "name,funding_instrument_id,daily_budget\nNorth,4a1n0,1.255\nSouth,4a1n0,2\n"
    )
    remote.env |= {
        "ADSCTL_ACCOUNT": "18ce54d4x5t",
        "ADSCTL_TOKEN_STORE": "file",
        "ADSCTL_BEARER_TOKEN": "planted",
    }
    remote.answer = Response("{}")

    def respond(request: Request) -> Response:
        content, status = remote.answer
        return Response(content, status, mimetype="application/json")

    httpserver.expect_request(re.compile(".*")).respond_with_handler(respond)
    return remote


def deep(levels: int) -> bytes:
    return b'{"errors":%s}' % (b"[" * levels + b'"no"' + b"]" * levels)


WRONG = {
    "null": b"null",
    "a text": b'"text"',
    "an empty list": b"[]",
    "data that is null": b'{"data": null}',
    "data that is a number": b'{"data": 7}',
    "a record that is a number": b'{"data": [7]}',
    "a record without members": b'{"data": [{}]}',
    "data of other members": b'{"data": {"a": []}}',
    "data 400 deep": b'{"data": %s}' % (b"[" * 400 + b"]" * 400),
    "errors 40 deep": deep(40),
    "errors 900 deep": deep(900),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_no_command_fails_at_a_wrong_shape(client, wrong):
    every = (*CUSTOM_COMMANDS, "accounts list", "accounts list --all", "audiences keywords")
    step = tries(6, 1)  # a sixth of them, the next one for each shape
    for line in every[list(WRONG).index(wrong) % step :: step]:
        check(client, line, WRONG[wrong], 400 if "errors" in wrong else 200, "yaml", "")


def check(client, line: str, content: bytes, status: int, format: str, catalog: str = "7") -> None:
    client.answer = content, status
    words = [*shlex.split(line), "--max-attempts", "1", "--yes", "-o", format]
    done = client(*words, code=None, input="1234567\n", **({"ADSCTL_CATALOG": catalog} if catalog else {}))
    assert done.returncode not in (1, 141), (line, content, status, done.stderr)
    assert "Traceback" not in done.stderr, (line, content, status)
    assert done.returncode == 0 or "error" in done.stderr


@settings(
    max_examples=EXAMPLES_TRIED,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(
    line=st.sampled_from(LINES),
    content=CONTENTS | FORMS,
    status=STATUSES,
    format=st.sampled_from(sorted(FORMATS)),
    catalog=st.sampled_from(["7", ""]),
)
def test_no_response_is_taken_for_a_bug(client, line, content, status, format, catalog):
    check(client, line, content, status, format, catalog)


def test_every_endpoint_is_among_the_commands():
    tried = {" ".join(line.split()[:n]) for line in LINES for n in range(1, 5)}
    # That one needs a token that a login stored (tests/auth), and this one reads lines (tests/events).
    assert set(DECLARED) - tried == {"auth logout", "events listen"}
