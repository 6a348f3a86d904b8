"""Format and color are resolved once, for results and for errors."""

import json

import pytest

from ads_cli.console.options import ALL_OPTIONS, HANDED_ON, find_common_options

RED = "\x1b[31merror:\x1b[0m"


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "json", "accounts", "get", "nobody"),
        ("accounts", "get", "nobody", "-ojson"),
        ("accounts", "get", "nobody", "-qo", "json"),
        ("accounts", "get", "nobody", "-qyojson"),
        ("accounts", "--output=json", "get", "nobody"),
        ("-o", "table", "accounts", "get", "nobody", "-o", "json"),
    ],
)
def test_an_error_is_json_however_the_option_is_written(adsctl, words):
    done = adsctl("-p", "local", *words, code=5)
    assert json.loads(done.stderr.splitlines()[-1])["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "words",
    [
        ("accounts", "list", "--nonsense", "-o", "json"),
        ("accounts", "list", "--nonsense", "-qo", "json"),
        ("accounts", "list", "--nonsense", "-qyojson"),
        ("accounts", "lst", "--output=json"),
        ("accounts", "lst", "-pshop", "-o", "json"),
        ("lst", "-o", "csv", "-o", "json"),
    ],
)
def test_an_error_of_parsing_is_json_however_the_option_is_written(adsctl, words):
    done = adsctl(*words, code=2)
    assert json.loads(done.stderr)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    "words",
    [
        ("accounts", "lst", "--", "-o", "json"),
        ("accounts", "lst", "-o", "json", "--output", "csv"),
        ("accounts", "lst", "-p", "-ojson"),
        ("api", "GET", "/x", "--nonsense", "-fojson"),
        ("accounts", "get", "-o", "json", "--", "-o", "csv", "x"),
    ],
)
def test_an_error_of_parsing_is_json_only_if_the_option_says_so(adsctl, words):
    done = adsctl(*words, code=2)
    if words[1] == "get":
        assert json.loads(done.stderr)["error"]["code"] == "usage"
    else:
        assert done.stderr.startswith("error: ")


def test_the_value_of_another_option_is_not_taken_for_the_format(adsctl):
    words = ("cards", "poll", "create", "--name", "-ojson")
    assert adsctl("-p", "local", *words, code=2).stderr.startswith("error: ")


@pytest.mark.parametrize(
    "words", [("accounts", "get"), ("accounts", "list", "--limit", "0"), ("accounts", "lst")]
)
def test_the_format_of_a_profile_holds_for_errors(adsctl, words):
    adsctl("profile", "set", "shop", "output=json")
    assert json.loads(adsctl(*words, code=2).stderr)["error"]["exit_code"] == 2
    assert adsctl(*words, "-o", "table", code=2).stderr.startswith("error: ")
    adsctl("profile", "set", "other", "account=1")
    assert adsctl("-p", "other", *words, code=2).stderr.startswith("error: ")
    assert adsctl(*words, code=2, ADSCTL_OUTPUT="csv").stderr.startswith("error: ")


@pytest.mark.parametrize("color", [("--color", "always"), ("--color=always",)])
def test_the_color_option_holds_for_errors(adsctl, color):
    assert RED in adsctl("-p", "local", "accounts", "get", "nobody", *color, code=5).stderr
    assert RED in adsctl(*color, "accounts", "lst", code=2).stderr
    assert RED in adsctl("accounts", "lst", *color, code=2).stderr
    assert "\x1b" not in adsctl("accounts", "lst", *color, "--color", "never", code=2).stderr


@pytest.mark.parametrize(
    ("env", "words", "message"),
    [
        ({"ADSCTL_OUTPUT": "jsn"}, (), "ADSCTL_OUTPUT: 'jsn' is not a valid format; did you mean 'json'?"),
        ({}, ("-o", "jsn"), "--output: 'jsn' is not a valid format; did you mean 'json'?"),
        ({}, ("--color", "pink"), "--color: 'pink' is not a valid value"),
    ],
)
def test_an_invalid_format_or_color_is_refused_before_anything_is_done(adsctl, env, words, message):
    done = adsctl("profile", "set", "shop", "account=1", *words, code=2, **env)
    assert message in done.stderr and not (adsctl.home / "config").exists()


def test_an_invalid_format_in_a_profile_names_the_profile(adsctl):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", "profiles: {shop: {output: jsn}}")
    assert "profile shop: 'jsn' is not a valid format" in adsctl("-p", "shop", "jobs", "list", code=2).stderr


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("-qvo json x", {"quiet": True, "verbose": True, "output": "json"}),
        ("-ojson -pshop", {"output": "json", "profile": "shop"}),
        ("--output=json --color always", {"output": "json", "color": "always"}),
        ("-o csv x -o json", {"output": "json"}),
        ("-fojson -q", {"quiet": True}),
        ("x -- -o json", {}),
        ("- -o", {}),
        ("--output", {}),
        ("--catalog= 1", {"catalog": ""}),
    ],
)
def test_common_options_are_found_without_the_command(line, found):
    assert dict(find_common_options(line.split())) == found


def test_each_common_option_is_handed_on_to_other_command_lines_or_left_to_each():
    """What guard, fleets and mcp run must work at the same place: a new option belongs on one side."""
    left_to_each = {
        *("output", "to", "columns", "csv_safe", "query", "color", "quiet", "verbose", "debug", "log_file"),
        *("yes", "dry_run", "on_failure", "on_failure_env"),
    }
    assert {option.name for option in ALL_OPTIONS} == {*HANDED_ON} | left_to_each
