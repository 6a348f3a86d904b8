"""Secrets in a real Secret Service: gnome-keyring on a session bus of its own."""

import shutil
import subprocess

import pytest

from tests.auth.test_signin import service, shop  # noqa: F401 - fixtures

NEEDED = ("dbus-run-session", "gnome-keyring-daemon")
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, NEEDED)), reason="needs Debian's gnome-keyring and dbus"
)
UNLOCKED = "echo -n password | gnome-keyring-daemon --unlock --components=secrets > /dev/null"
LOCKED = "gnome-keyring-daemon --start --components=secrets > /dev/null"


def in_session(person, keyring: str, *lines: str) -> subprocess.CompletedProcess[str]:
    """Run lines of shell on a session bus of their own; `adsctl` is adsctl."""
    run = person.home / "run"
    run.mkdir(mode=0o700, exist_ok=True)
    adsctl = " ".join(person.command())
    script = "\n".join(["set -e", keyring, f'adsctl() {{ {adsctl} "$@"; }}', *lines])
    return subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", script],
        env=person.environment | {"XDG_RUNTIME_DIR": str(run)},
        cwd=person.home,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_sign_in_lives_in_the_keyring_and_nowhere_else(shop, service):  # noqa: F811
    unset = "unset ADSCTL_CONSUMER_KEY ADSCTL_CONSUMER_SECRET"
    done = in_session(
        shop,
        UNLOCKED,
        "echo 1234567 | adsctl auth login --no-browser",
        unset,
        "adsctl auth status",
        "adsctl accounts list",
        "echo keyring.backends.nowhere.Keyring > state/keyring-backend",
        "adsctl auth token",
        "adsctl auth logout",
        "! adsctl auth token",
    )
    assert done.returncode == 0, done.stderr
    assert "stored (keyring)" in done.stdout and "\nat\n" in done.stdout
    assert service.oauth(2)["oauth_token"] == "at" and service.is_signed(2, "ats")
    remembered = (shop.home / "state" / "keyring-backend").read_text()
    assert remembered == "keyring.backends.SecretService.Keyring"
    written = [path for path in shop.home.rglob("*") if path.is_file() and "keyrings" not in path.parts]
    assert not [path for path in written if b"ats" in path.read_bytes()]


def test_a_locked_keyring_does_not_hang(shop, service):  # noqa: F811
    done = in_session(shop, LOCKED, "echo 1234567 | adsctl auth login --no-browser")
    assert done.returncode == 11, done.stderr
    assert "the OS keyring cannot be used" in done.stderr and "--token-store file" in done.stderr
