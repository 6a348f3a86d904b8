"""--env-file: the environment of cron and containers, from a file."""

import json
import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.config.environment import read_env_file, with_env_file
from ads_cli.errors import AdsctlError
from tests.conftest import SECRETS, feed

TOKEN = "nnch734d00-SECRET"


def env_file(adsctl, lines: list[str]) -> None:
    adsctl.file("my.env", "\n".join(lines) + "\n")


def settings(adsctl, **env: str) -> dict[str, list[str]]:
    shown = adsctl("--env-file", "my.env", "auth", "status", "-o", "json", code=None, **env).stdout
    return {record["what"]: [record["value"], record["origin"]] for record in json.loads(shown)}


def test_a_push_takes_everything_from_the_file(adsctl, service):
    env_file(adsctl, [f"{name}={value}" for name, value in adsctl.env.items()])
    adsctl.env.clear()
    adsctl.file("feed.csv", feed(3))
    adsctl("products", "push", "feed.csv", "--env-file", "my.env")
    assert len(service.stored) == 3


def test_the_file_outranks_the_environment_and_an_option_outranks_the_file(adsctl):
    env_file(
        adsctl, ["# the shop", "", "export ADSCTL_ACCOUNT='18ce54d4x5t'", 'ADSCTL_CATALOG="7"', "PATH=/x"]
    )
    shown = settings(adsctl, ADSCTL_ACCOUNT="other", ADSCTL_BASE_URL="https://b.example")
    assert shown["account"] == ["18ce54d4x5t", "ADSCTL_ACCOUNT"] and shown["catalog"][0] == "7"
    assert shown["base_url"][0] == "https://b.example"
    words = ("auth", "status", "--env-file", "my.env", "-A", "typed", "-o", "json")
    assert '"typed"' in adsctl(*words, code=None).stdout


def test_a_secret_of_the_file_replaces_the_one_that_a_variable_names_by_file_and_back(adsctl):
    adsctl.file("token", TOKEN)
    env_file(adsctl, ["ADSCTL_ACCESS_TOKEN_FILE=token"])
    assert settings(adsctl, **SECRETS)["access_token"][1] == "ADSCTL_ACCESS_TOKEN_FILE"
    env_file(adsctl, [f"ADSCTL_ACCESS_TOKEN={TOKEN}"])
    shown = settings(adsctl, **SECRETS, ADSCTL_ACCESS_TOKEN_FILE="elsewhere")
    assert shown["access_token"] == ["***", "ADSCTL_ACCESS_TOKEN"]


def test_a_secret_of_the_file_is_masked_like_one_of_the_environment(adsctl, service):
    values = adsctl.env | {"ADSCTL_ACCESS_TOKEN": TOKEN}
    env_file(adsctl, [f"{name}={value}" for name, value in values.items()])
    adsctl.env.clear()
    words = ("accounts", "list", "--env-file", "my.env", "--debug", "--log-file", "log")
    done = adsctl(*words, code=4)
    assert TOKEN not in done.stderr + done.stdout + (adsctl.home / "log").read_text()


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (f"ADSCTL_ACCESS_TOKEN {TOKEN}", 3, "my.env:2: not NAME=VALUE"),
        (f"ADSCTL_ACCESS_TOKEN = {TOKEN}", 3, "my.env:2: not NAME=VALUE"),
        (TOKEN, 3, "my.env:2: not NAME=VALUE"),
        (f"ADSCTL_ACCES_TOKEN={TOKEN}", 3, "did you mean 'ADSCTL_ACCESS_TOKEN'?"),
        (f"ADSCTL_ACCESS_TOKEN='{TOKEN}", 3, "my.env:2: the value of ADSCTL_ACCESS_TOKEN"),
        (f"ADSCTL_ACCESS_TOKEN={TOKEN} # mine", 3, "my.env:2: the value of ADSCTL_ACCESS_TOKEN"),
        (f'ADSCTL_ACCESS_TOKEN="${TOKEN}"', 3, "my.env:2: the value of ADSCTL_ACCESS_TOKEN"),
        ("ADSCTL_ACCOUNT=x", 3, "my.env:2: ADSCTL_ACCOUNT is repeated"),
    ],
)
def test_a_line_that_is_not_understood_is_named_and_never_quoted(adsctl, service, line, code, words):
    env_file(adsctl, ["ADSCTL_ACCOUNT=18ce54d4x5t", line])
    done = adsctl("accounts", "list", "--env-file", "my.env", code=code)
    assert words in done.stderr and TOKEN not in done.stderr


def test_a_file_that_cannot_be_read_is_refused(adsctl):
    for name in ("nowhere.env", ".", "a\0b"):
        assert "--env-file" in adsctl("accounts", "list", "--env-file", name, code=2).stderr
    adsctl.file("my.env", b"ADSCTL_ACCOUNT=\xff")
    assert "not UTF-8" in adsctl("accounts", "list", "--env-file", "my.env", "-o", "json", code=3).stderr


@given(
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=30), st.sampled_from(["", "'", '"'])
)
def test_a_shell_that_sources_the_file_reads_the_same_value(tmp_path_factory, text, quote):
    path = tmp_path_factory.getbasetemp() / "sourced.env"
    path.write_text(f"export ADSCTL_ACCOUNT={quote}{text}{quote}\n")
    try:
        value = read_env_file(str(path))["ADSCTL_ACCOUNT"]
    except AdsctlError as error:
        assert not text or len(text) < 4 or text not in error.message
        return
    script = f'. {shlex.quote(str(path))} && printf %s "$ADSCTL_ACCOUNT"'
    assert subprocess.run(["sh", "-c", script], capture_output=True).stdout.decode() == value


def test_variables_of_others_are_left_alone(adsctl):
    env_file(adsctl, ["HOME=/nowhere", "ADSCTL_ACCOUNT=x"])
    environ = with_env_file({"HOME": "/home/me", "ADSCTL_CATALOG": "7"}, str(adsctl.home / "my.env"))
    assert environ == {"HOME": "/home/me", "ADSCTL_CATALOG": "7", "ADSCTL_ACCOUNT": "x"}
