"""Closed pipes and streams, and unusual environments, change no result."""

import shlex
import subprocess
import sys

import pytest

from tests.conftest import feed
from tests.effort import THOROUGH

ACCOUNT = "18ce54d4x5t"


def test_a_closed_pipe_ends_a_list_silently(adsctl):
    adsctl.local("accounts", "list")
    line = (
        f"{sys.executable} -m ads_cli --profile local -q accounts list --all | true; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", line], env=adsctl.environment, capture_output=True, text=True)
    assert done.stdout.strip() in ("0", "141") and done.stderr == ""


PUSH = (("products", "push", "feed.csv"), 0)
OTHERS = [
    (("accounts", "list"), 0),
    (("accounts", "get", "nobody"), 5),
    (("auth", "token"), 0),
    (("products", "delete", "sku-1", "--by", "key"), 12),
    (("accounts", "lst"), 2),
    (("--version",), 0),
]
CLOSED = (">&-", "2>&-", "<&-", "<&- >&- 2>&-")
IN_TURN = [OTHERS[number % 2 :: 2] for number in range(len(CLOSED))]


@pytest.mark.parametrize(
    ("closed", "others"), [*zip(CLOSED, [OTHERS] * 4 if THOROUGH else IN_TURN, strict=True)], ids=CLOSED
)
def test_a_closed_stream_changes_neither_the_result_nor_the_exit_code(adsctl, closed, others):
    adsctl.file("feed.csv", feed(3))

    def run(*words: str, command=adsctl.forked) -> subprocess.CompletedProcess:
        line = f"{shlex.join(command('--profile', 'local', *words))} {closed}"
        environment, home = adsctl.environment, adsctl.home
        return subprocess.run(["bash", "-c", line], env=environment, cwd=home, capture_output=True, text=True)

    for words, code in [PUSH, *others]:
        is_new = words in PUSH and (closed == CLOSED[-1] or THOROUGH)  # Python itself begins without streams
        done = run(*words, command=adsctl.command if is_new else adsctl.forked)
        assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    assert len(adsctl.local("products", "list", "-o", "ids").stdout.split()) == 3
    if closed == "<&-":
        assert "standard input is empty" in run("products", "push", "-", "--format", "csv").stderr


@pytest.mark.parametrize(
    "env", [{"LANG": "C", "LC_ALL": "C"}, {"TERM": "dumb"}, {"HOME": "/nonexistent"}, {"COLUMNS": "20"}]
)
def test_an_unusual_environment_is_harmless(adsctl, env):
    run = adsctl.process if "LANG" in env else adsctl  # which Python reads when it starts
    done = run("--profile", "local", "accounts", "list", "-o", "ids", **env)
    assert ACCOUNT in done.stdout.split() and "warning" not in done.stderr
    table = run("--profile", "local", "accounts", "list", "-o", "table", **env)
    assert table.stdout.count("\n") > 2 and table.stderr == done.stderr
