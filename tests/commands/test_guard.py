"""Claims about `guard check`."""

import pytest

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
