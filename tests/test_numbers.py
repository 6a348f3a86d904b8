"""A number that is out of range, or none at all, is refused with words, whatever option it is for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.errors import UsageError
from ads_cli.numbers import parse_duration, parse_share, parse_size, size_text
from tests.command_tree import COMMANDS
from tests.conftest import feed
from tests.effort import tries

BAD = ("²", "1" + "0" * 30, "9" * 5000, "-1", "1e9", "0x1", " ", "1.5", "\ud800", "nan")
LEAVES = [command for command in COMMANDS.values() if not command.subcommands]
OPTIONS = sorted(
    (command.key, name)
    for command in LEAVES
    for parameter in command.parameters
    for name in parameter.names[:1]
    if name.startswith("--") and parameter.metavar in ("N", "AMOUNT", "TIME")
)


@pytest.fixture
def client(remote, httpserver):
    httpserver.expect_request("/12/accounts").respond_with_json({"data": []})
    remote.file("feed.csv", feed(2))
    return remote


@pytest.mark.parametrize("option", ["--max-attempts", "--limit"])
@pytest.mark.parametrize("text", [*BAD, "", "0", "1_0", "٣"])
def test_a_count_that_is_none_is_refused(client, httpserver, option, text):
    done = client("accounts", "list", option, text, code=2)
    assert option in done.stderr and not httpserver.log


def test_a_count_is_a_billion_at_most(client):
    client("accounts", "list", "--limit", "1000000000")
    message = client("accounts", "list", "--limit", "1000000001", code=2).stderr
    assert "--limit: '1000000001' is not a whole number from 1 to 1,000,000,000" in message


@pytest.mark.parametrize("option", ["--timeout", "--max-wait"])
@pytest.mark.parametrize("text", [*BAD, "1" * 400 + "h", "10000h", "٣s", "1..5s"])
def test_a_duration_that_is_none_is_refused(client, httpserver, option, text):
    if text != "1.5":  # seconds
        assert option in client("accounts", "list", option, text, code=2).stderr and not httpserver.log


@pytest.mark.parametrize("variable", ["ADSCTL_TIMEOUT", "ADSCTL_MAX_ATTEMPTS", "ADSCTL_MAX_WAIT"])
def test_a_number_of_the_environment_is_refused_too(client, variable):
    client("accounts", "list", code=2, **{variable: "²"})


def test_there_are_options_of_numbers():
    assert len(OPTIONS) > 30


@pytest.mark.parametrize("text", BAD)
def test_no_number_is_taken_for_a_bug(client, text):
    step = tries(len(BAD), 1)  # the short form tries one of them with each option, in turn
    for command, option in OPTIONS[BAD.index(text) % step :: step]:
        words = [*command.split(), option, text, "--max-attempts", "1"]
        done = client(*words, code=None, ADSCTL_ACCOUNT="18ce54d4x5t", ADSCTL_CATALOG="7")
        assert done.returncode != 1 and "Traceback" not in done.stderr, (words, done.stderr)


QUERIES = {
    "open brackets": "[" * 3000,
    "parentheses": "(" * 3000 + "a" + ")" * 3000,
    "negations": "!" * 3000 + "a",
    "a long path": "a" + ".a" * 3000,
    "a deep result": "[" * 150 + "a" + "]" * 150,
    "many pipes": "@" + " | @" * 3000,
    "open filters": "[?" * 500 + "a" + "]" * 500,
    "an index of 5,000 digits": "a[" + "9" * 5000 + "]",
    "an index of 30 digits": "[" + "9" * 30 + "]",
    "a step of 0": "[::0]",
    "infinity": "ceil(to_number('1e999'))",
    "half a surrogate": "\ud800",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_no_query_is_taken_for_a_bug(client, query):
    for format in ("json", "yaml", "table"):
        done = client("accounts", "list", "--query", query, "-o", format, code=None)
        assert done.returncode in (0, 2) and "Traceback" not in done.stderr
        assert len(done.stderr) < 5000


@pytest.mark.parametrize("text", [*BAD, "", "%", "101%", "100.000001%", "-5%", ".5%", "5 % %", "0.0000001%"])
def test_a_share_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="--max-delete"):
        parse_share(text, "--max-delete")


@given(st.integers(0, 100 * 10**6), st.integers(0, 10**9))
def test_a_percentage_is_taken_exactly(millionths, total):
    share = parse_share(f"{millionths // 10**6}.{millionths % 10**6:06}%", "--max-delete")
    assert share.of(total) == millionths * total // 10**8
    assert parse_share(str(total), "--max-delete").of(7) == total


def test_a_share_of_rows_that_is_none_is_refused_before_anything_is_sent(client, httpserver):
    done = client("products", "push", "feed.csv", "--catalog", "7", "--min-rows", "101%", code=2)
    assert "--min-rows: '101%' is neither a number nor a percentage" in done.stderr and not httpserver.log


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("30s", 30), ("15m", 900), ("2h", 7200), ("7", 7), ("1.5m", 90), ("744h", 31 * 86400)],
)
def test_durations_are_read(text, seconds):
    assert parse_duration(text, "--timeout") == seconds


@pytest.mark.parametrize("text", ["744.1h", "2678401", "0"])
def test_a_duration_of_more_than_31_days_or_of_none_is_refused(text):
    with pytest.raises(UsageError, match="--timeout"):
        parse_duration(text, "--timeout")


def test_a_wait_may_be_0_and_a_timeout_not(client):
    client("accounts", "list", "--max-wait", "0")
    message = client("accounts", "list", "--timeout", "0", code=2).stderr
    assert "--timeout: '0' is not more than 0" in message


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500MB", 500_000_000),
        ("2GiB", 2**31),
        ("1.5 kB", 1500),
        ("7", 7),
        ("10tb", 10**13),
        ("3 MiB", 3 * 2**20),
    ],
)
def test_sizes_are_read(text, size):
    assert parse_size(text, "--max-size") == size


@pytest.mark.parametrize("text", ["5 parsecs", "7i", "kb", "0", "0.4", "-1", "1e9"])
def test_a_size_that_is_none_is_refused(client, text):
    message = client("products", "check", "feed.csv", "--max-size", text, code=2).stderr
    assert f"--max-size: {text!r} is not a size" in message


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (2**31, "2 GiB"),
        (3 * 2**29, "1536 MiB"),
        (2**30 - 2**20, "1023 MiB"),
        (2**20, "1 MiB"),
        (3 * 2**19, "1.6 MB"),
        (10**9, "1 GB"),
        (10**9 - 10**7, "990 MB"),
        (2_500_000, "2.5 MB"),
        (1000, "1 kB"),
        (999, "999 bytes"),
    ],
)
def test_a_size_for_people_has_its_largest_unit_and_a_binary_one_where_that_is_exact(size, text):
    assert size_text(size) == text


@given(st.integers(1, 10**14))
def test_a_size_for_people_is_within_a_tenth_of_the_size(size):
    text = size_text(size).replace(",", "")
    if "bytes" not in text:
        assert abs(parse_size(text, "size") - size) <= size * 0.1
    else:
        assert text == f"{size} bytes"


@given(st.text(max_size=8))
def test_other_text_is_no_size(text):
    try:
        assert parse_size(text, "--max-size") >= 1
    except UsageError as error:
        assert error.message.startswith("--max-size: ")
