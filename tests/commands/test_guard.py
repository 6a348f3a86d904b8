"""Claims about `guard check`."""

import json

import pytest

from tests.conftest import PRODUCT

READS = (
    ("-q", "emulator", "exec", "--", "touch", "made"),
    ("products", "pull", "made"),
    ("stats", "export", "made.csv", "--since", "yesterday", "--entity", "ACCOUNT"),
    ("audiences", "hash", "people.csv", "made.csv"),
)


@pytest.mark.parametrize("words", READS, ids=lambda words: " ".join(words[:3]))
def test_a_command_that_is_checked_is_not_run(adsctl, words):
    adsctl.file("people.csv", "email\na@example.com\n")
    done = adsctl.local("guard", "check", "--", *words)
    assert "the guard refuses nothing of it" in done.stderr
    assert not [*adsctl.home.glob("made*")]


def test_a_command_of_the_service_is_judged_after_common_options(adsctl):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "deny: delete\n"))}
    adsctl("guard", "check", "--", "--profile", "local", "campaigns", "delete", "8wkt0", code=12, **env)


def test_several_profiles_are_checked_by_the_check_of_each(adsctl):
    adsctl("profile", "set", "shop-a", "account=7")
    words = ("campaigns", "delete", "8wkt0")
    done = adsctl("guard", "check", "--", "--profile", "shop-*", *words, code=2)
    assert "hint: adsctl --profile 'shop-*' guard check -- COMMAND" in done.stderr


def test_a_fleet_is_refused_as_its_run_would_be(adsctl):
    adsctl.file("feed.csv", f"{','.join(PRODUCT)}\n")
    adsctl.file("fleet.yaml", "tasks:\n- {name: a, profile: local, run: products push feed.csv}\n")
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "deny: products\n"))}
    for words in (("fleet", "run", "fleet.yaml"), ("guard", "check", "--", "fleet", "run", "fleet.yaml")):
        assert "the guard refuses" in adsctl(*words, code=12, **env).stderr
    done = adsctl("guard", "check", "--", "fleet", "run", "fleet.yaml")
    assert "refuses none of its tasks" in done.stderr


def limits(adsctl, *words: str, **env: str) -> dict[str, str]:
    shown = json.loads(adsctl(*words, "profile", "show", "-o", "json", **env).stdout)
    return {record["setting"]: record["value"] for record in shown if record["setting"].startswith("guard.")}


def test_limits_are_set_for_the_profile_in_use_and_shown_with_it(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    adsctl("profile", "set", "cafe", "account=8")
    adsctl("guard", "set", "max_daily_budget=100EUR", "guard.deny=delete,activate")
    assert limits(adsctl) == {"guard.max_daily_budget": "100 EUR", "guard.deny": "delete,activate"}
    assert limits(adsctl, "-p", "cafe") == {}
    adsctl("-p", "cafe", "guard", "set", "read_only=true")
    assert limits(adsctl, "-p", "cafe") == {"guard.read_only": "true"}
    origin = adsctl("profile", "show", "cafe", "--show-origin").stdout
    assert "guard.read_only\ttrue\t" in origin and origin.rstrip().endswith("profile cafe")


def test_a_limit_of_a_file_is_shown_with_the_profile_and_a_missing_file_is_said(adsctl):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "max_changes: 5\n"))}
    assert limits(adsctl, "-p", "local", **env) == {"guard.max_changes": "5"}
    missing = adsctl("-p", "local", "profile", "show", ADSCTL_GUARD=str(adsctl.home / "none.yaml"))
    assert "none.yaml" in missing.stderr and "guard." not in missing.stdout


def test_a_limit_is_not_loosened_without_a_terminal_and_a_wrong_one_is_refused(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    adsctl("guard", "set", "max_daily_budget=100EUR")
    for looser in ("max_daily_budget=200EUR", "max_daily_budget="):
        assert "Loosen the guard" in adsctl("guard", "set", looser, "--yes", code=12).stderr
    assert "max_daly_budget" in adsctl("guard", "set", "max_daly_budget=1EUR", code=2).stderr
    assert limits(adsctl) == {"guard.max_daily_budget": "100 EUR"}
