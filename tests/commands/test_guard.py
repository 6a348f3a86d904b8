"""Claims about `guard check`."""

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
