"""Sign-in on a terminal, on a new machine, and on machines where something is missing."""

import os
import subprocess

import pytest

from tests.adsctl import interrupt_prompt
from tests.auth.test_signin import KEY, KEY_SECRET, LOGIN, service, shop  # noqa: F401 - fixtures


def test_a_first_sign_in_asks_for_missing_settings(shop, service):  # noqa: F811
    address = shop.env["ADSCTL_BASE_URL"]
    shop.env.clear()
    child = shop.terminal(*LOGIN)
    child.expect_exact("which service is it? x is the platform's own names and addresses: --service x")
    for prompt, typed in (
        ("platform API", address),
        ("advertising API", address),
        ("Consumer key", KEY),
        ("Consumer secret", KEY_SECRET),
        ("PIN: ", "999"),
        ("PIN: ", "123 45-67"),
    ):
        child.expect_exact(prompt)
        if prompt.startswith("Consumer"):
            child.waitnoecho()
        child.sendline(typed)
    child.expect_exact("signed in as @nordlicht")
    shown = child.before + child.read()
    child.close()
    assert child.exitstatus == 0
    assert KEY not in shown and KEY_SECRET not in shown
    assert [r.path for r in service.requests] == ["/oauth/request_token", *["/oauth/access_token"] * 2]
    shop("accounts", "list")
    assert service.oauth(-1)["oauth_token"] == "at"


def test_ctrl_c_at_the_pin_leaves_nothing_behind(shop, service):  # noqa: F811
    child = shop.terminal(*LOGIN)
    child.expect_exact("PIN: ")
    interrupt_prompt(child)
    child.read()
    child.close()
    assert child.exitstatus == 130
    assert not (shop.home / "config").exists()


def test_without_a_terminal_missing_settings_are_named(adsctl):
    done = adsctl("auth", "login", code=11)
    assert "base_url is not set" in done.stderr and "ADSCTL_BASE_URL" in done.stderr


@pytest.mark.parametrize("env", [{"LANG": "C", "LC_ALL": "C"}, {"HOME": "/nonexistent"}, {"DISPLAY": ""}])
def test_a_sign_in_works_without_locale_home_or_display(shop, service, env):  # noqa: F811
    done = shop.process(*LOGIN, input="1234567\n", **env)
    assert "signed in as @nordlicht (7)" in done.stderr


def test_a_sign_in_needs_a_home_that_can_be_written(shop, service):  # noqa: F811
    home = shop.home / "home"
    home.mkdir(mode=0o500)
    environment = {k: v for k, v in shop.environment.items() if not k.endswith("_DIR")} | {"HOME": str(home)}
    powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*powerless, *shop.command(*LOGIN)],
        env=environment,
        input="1234567\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 11 and "Traceback" not in done.stderr, done.stderr
    assert str(home) in done.stderr and service.requests == []
