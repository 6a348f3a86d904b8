"""Text that is not ours reaches no terminal as it is, wherever it is shown, and markup is never parsed."""

import json
import re
import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import PRODUCT, feed
from tests.effort import tries
from tests.output.test_terminal import is_safe
from tests.promises.test_answer_shapes import LINES
from tests.promises.test_examples import FILES

HOSTILE = {
    "escape sequences": "a\x1b[2J\x1b]0;title\x07\x1b[31mb",
    "eight bits": "a\x9b2Jb\x9d0;t\x9c",
    "a redrawn line": "a\r\x1b[2Kb\x08\x08",
    "bidi": "a\u202eb\u2066c\u061cd\u200f",
    "markup": "[/b][bold]a[/bold][link=https://evil.example]x[/link][/]",
}
ALL = "".join(HOSTILE.values())  # at once, where a process has to be started
OURS = re.compile(r"\x1b\[\??[0-9;]*[a-zA-Z]")  # colours, and a bar that is drawn again
WAYS = st.sampled_from(sorted(HOSTILE.values())) | st.text(
    st.sampled_from("\x1b\x9b\x07\r\b[]/b=2J;\u202e\u2066\u061c\x7f\t "), min_size=1, max_size=12
)


@pytest.fixture(params=HOSTILE.values(), ids=HOSTILE)
def hostile(request) -> str:
    return request.param


def test_the_question_before_a_delete_is_not_redrawn_by_the_service(remote, httpserver):
    id = "7\u202e\u2066\u200b\u061cx"  # as an id may be: none has control characters
    httpserver.expect_request("/12/product_catalogs").respond_with_json({"data": [{"id": id, "name": "x"}]})
    child = remote.terminal("products", "delete", "pk1", "--by", "key", "--color", "never", TERM="dumb")
    child.expect_exact("[y/N] ")
    shown = child.before.replace("\r\n", "")
    child.sendline("n")
    child.read()
    child.close()
    assert is_safe(shown) and r"7\u202e\u2066\u200b\u061cx" in shown and child.exitstatus == 12


@pytest.mark.parametrize("words", [("profile", "remove", "{}"), ("emulator", "reset", "--database", "{}.db")])
def test_a_question_shows_a_name_safely(adsctl, words):
    config = {"profiles": {ALL: {"account": "1"}}}
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", json.dumps(config))
    name = ALL.replace("/", "_")
    child = adsctl.terminal(*(word.format(ALL if word == "{}" else name) for word in words), TERM="dumb")
    child.expect_exact("[y/N] ")
    shown = child.before
    child.sendline("n")
    child.read()
    child.close()
    assert is_safe(shown) and child.exitstatus == 12


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_the_name_of_a_file_is_shown_safely_while_it_is_pushed(adsctl, service, term):
    name = f"{ALL.replace('/', '_')}.csv"
    folder = adsctl.home / "[" / "b]"
    folder.mkdir(parents=True)
    (folder / name).write_text(feed(30))
    path = f"[/b]/{name}"
    assert (adsctl.home / path).exists()
    child = adsctl.terminal("products", "push", path, "--color", "never", TERM=term)
    shown = child.read()
    child.close()
    assert child.exitstatus == 0 and is_safe(OURS.sub("", shown).replace("\r", "")) and "created" in shown


def test_reports_show_the_name_of_a_file_safely(adsctl, service, hostile):
    name = f"{hostile.replace('/', '_')}.csv"
    adsctl.file(name, feed(3).replace("in stock", "no idea"))
    for words in (("products", "check", name), ("products", "push", name)):
        for format in ("table", "tsv", "json"):
            done = adsctl(*words, "-o", format, code=3)
            assert is_safe(done.stdout + done.stderr)
    adsctl.file(name, feed(3))
    for words in (("push", name), ("push", name, "--changed"), ("push", name, "--dry-run"), ("check", name)):
        done = adsctl("products", *words, "-o", "table")
        assert is_safe(done.stdout + done.stderr)


@pytest.mark.parametrize("format", ["table", "tsv", "yaml", "json", "jsonl", "ids"])
def test_the_keys_of_a_response_are_shown_safely(remote, httpserver, hostile, format):
    httpserver.expect_request("/12/accounts").respond_with_json({"data": [{"id": "1", hostile: hostile}]})
    done = remote("accounts", "list", "--query", "[]", "-o", format)
    assert is_safe(done.stdout + done.stderr)


@pytest.mark.parametrize("format", ["table", "tsv", "yaml", "json"])
def test_a_dry_run_shows_a_body_safely(remote, hostile, format):
    words = ("api", "POST", "/12/accounts", "--input", "-", "-H", "X-A: b")
    for line in ((*words, "--dry-run", "-o", format), (*words, "--as-curl")):
        done = remote(*line, input=json.dumps({"name": hostile}, ensure_ascii=False))
        assert is_safe(done.stdout + done.stderr)


def test_a_chart_shows_a_keyword_safely(remote, httpserver):
    data = {"post_volume": [1, 2], "related_keywords": [*HOSTILE.values()]}
    httpserver.expect_request("/12/insights/keywords/search").respond_with_json({"data": data})
    words = shlex.split("audiences keywords --granularity DAY --start-time 2026-01-01 --end-time 2026-01-03")
    child = remote.terminal(*words, "--account", "1", "--keywords", ALL, "--color", "never", TERM="dumb")
    shown = child.read().replace("\r\n", "")
    child.close()
    assert child.exitstatus == 0 and is_safe(shown) and "[bold]a[/bold]" in shown


@pytest.mark.parametrize("kind", ["profiles", "jobs", "accounts"])
def test_completions_hold_no_control_characters(remote, httpserver, hostile, kind):
    (remote.home / "config").mkdir()
    remote.file("config/config.yaml", json.dumps({"profiles": {hostile: {}}}))
    httpserver.expect_request("/12/accounts").respond_with_json({"data": [{"id": hostile, "name": hostile}]})
    remote("accounts", "list")
    assert is_safe(remote("__ids", kind).stdout)


@settings(max_examples=tries(15, 200), derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    line=st.sampled_from(LINES), text=WAYS, place=st.integers(1, 6), format=st.sampled_from(["table", "json"])
)
def test_no_word_of_a_command_line_is_shown_as_it_is(remote, httpserver, line, text, place, format):
    httpserver.expect_request(re.compile(".*")).respond_with_json({"data": [PRODUCT]})
    for name, content in FILES.items():
        remote.file(name, content)
    words = shlex.split(line)
    words.insert(min(place, len(words)), text)
    words += ["-o", format, "--max-attempts", "1", "--dry-run"]
    done = remote(*words, code=None, input="1\n", ADSCTL_ACCOUNT="1", ADSCTL_CATALOG="7")
    assert done.returncode != 1 and is_safe(done.stdout + done.stderr), (words, done.stdout, done.stderr)
