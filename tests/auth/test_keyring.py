"""Secrets in a real Secret Service: gnome-keyring on a separate session bus."""

import json
import subprocess
import sys

import pytest

from tests.auth.test_signin import service, shop  # noqa: F401 - fixtures
from tests.programs import needs

in_a_session = needs("dbus-run-session", "gnome-keyring-daemon")
UNLOCKED = "echo -n password | gnome-keyring-daemon --unlock --components=secrets > /dev/null"
LOCKED = "gnome-keyring-daemon --start --components=secrets > /dev/null"


def in_session(person, keyring: str, *lines: str) -> subprocess.CompletedProcess[str]:
    """Run shell lines on a separate session bus, with `adsctl` on the path."""
    run = person.home / "run"
    run.mkdir(mode=0o700, exist_ok=True)
    adsctl = " ".join(person.forked())
    script = "\n".join(["set -e", keyring, f'adsctl() {{ {adsctl} "$@"; }}', *lines])
    return subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", script],
        env=person.environment | {"XDG_RUNTIME_DIR": str(run)},
        cwd=person.home,
        capture_output=True,
        text=True,
        timeout=60,
    )


@in_a_session
def test_a_sign_in_is_stored_in_the_keyring_only(shop, service):  # noqa: F811
    unset = "unset ADSCTL_CONSUMER_KEY ADSCTL_CONSUMER_SECRET"
    done = in_session(
        shop,
        UNLOCKED,
        "echo 1234567 | adsctl auth login --no-browser",
        unset,
        "adsctl accounts list",
        "echo keyring.backends.nowhere.Keyring > state/caches/keyring-backend",
        "adsctl auth token",
        "adsctl auth logout",
        "! adsctl auth token",
    )
    assert done.returncode == 0, done.stderr
    assert "stored (keyring)" in done.stdout and "\nat\n" in done.stdout
    assert service.oauth(2)["oauth_token"] == "at" and service.is_signed(2, "ats")
    remembered = (shop.home / "state/caches/keyring-backend").read_text()
    assert remembered == "keyring.backends.SecretService.Keyring"
    written = [path for path in shop.home.rglob("*") if path.is_file() and "keyrings" not in path.parts]
    assert not [path for path in written if b"ats" in path.read_bytes()]


# A keyring in a file, which refuses one kind of secret, and may let none go either.
PICKY = """
import json, os, pathlib
from keyring.backend import KeyringBackend
from keyring.errors import PasswordSetError

kept = pathlib.Path(os.environ["KEPT"])

class Keyring(KeyringBackend):
    priority = 1

    def _all(self):
        return json.loads(kept.read_text()) if kept.exists() else {}

    def get_password(self, service, name):
        return self._all().get(name)

    def set_password(self, service, name, password):
        if name.endswith("/" + os.environ.get("REFUSED", "nothing")):
            raise PasswordSetError("no room")
        kept.write_text(json.dumps(self._all() | {name: password}))

    def delete_password(self, service, name):
        if os.environ.get("BROKEN"):
            raise PasswordSetError("no way")
        items = self._all()
        del items[name]
        kept.write_text(json.dumps(items))
"""


@pytest.mark.parametrize("kind", ["consumer_key", "consumer_secret", "access_token", "access_token_secret"])
def test_a_keyring_that_rejects_one_secret_stores_none(shop, service, monkeypatch, kind):  # noqa: F811
    kept = shop.home / "kept.json"
    shop.file("picky.py", PICKY)
    shop.env |= {"PYTHON_KEYRING_BACKEND": "picky.Keyring", "KEPT": str(kept)}
    monkeypatch.syspath_prepend(str(shop.home))
    monkeypatch.delitem(sys.modules, "picky", raising=False)
    words = ("auth", "login", "--no-browser")
    done = shop(*words, input="1234567\n", code=11, REFUSED=kind)
    assert "the OS keyring cannot be used: no room" in done.stderr and "may be left" not in done.stderr
    assert not kept.exists() or kept.read_text() == "{}"
    assert not (shop.home / "config" / "config.yaml").exists()
    shop(*words, input="1234567\n")
    first = kept.read_text()
    done = shop(*words, input="1234567\n", code=11, REFUSED=kind)
    assert kept.read_text() == first  # and a sign-in that worked is not spoiled by one that does not
    shop("accounts", "list", REFUSED=kind)
    kept.unlink()
    done = shop(*words, input="1234567\n", code=11, REFUSED=kind, BROKEN="yes")
    assert ("may be left in it" in done.stderr) == (kind != "consumer_key")


@pytest.fixture(params=["keyring", "file"])
def stored_texts(request, shop, monkeypatch):  # noqa: F811
    """A user of a store, and what reads the texts of the profile shop in it, or replaces each by another."""
    kept = shop.home / ("kept.json" if request.param == "keyring" else "config/secrets.json")
    shop.file("picky.py", PICKY)
    shop.env |= {"PYTHON_KEYRING_BACKEND": "picky.Keyring", "KEPT": str(kept)}
    shop.env["ADSCTL_TOKEN_STORE"] = request.param
    monkeypatch.syspath_prepend(str(shop.home))
    monkeypatch.delitem(sys.modules, "picky", raising=False)

    def texts(text: str | None = None) -> dict[str, str]:
        content = json.loads(kept.read_text())
        items = content["shop"] if request.param == "file" else content
        if text is not None:
            items.update(dict.fromkeys(items, text))
            kept.write_text(json.dumps(content))
        return items

    return texts


UNREADABLE = ["garbage", "[]", '[1, "ab", null]', '["x", ["https://a.example"]]', "null"]
LOGIN = ("-p", "shop", "auth", "login", "--no-browser")


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_sign_in_replaces_secrets_that_cannot_be_read(shop, service, stored_texts, text):  # noqa: F811
    shop(*LOGIN, input="1234567\n")
    first = stored_texts()
    stored_texts(text)
    assert "a stored secret cannot be read" in shop("-p", "shop", "accounts", "list", code=11).stderr
    assert "auth login stores a new one" in shop("-p", "shop", "auth", "logout", code=11).stderr
    shop(*LOGIN, input="1234567\n")
    assert stored_texts() == first and len(first) == 4
    shop("-p", "shop", "accounts", "list")


def test_a_profile_whose_secrets_cannot_be_read_is_removed_with_them(shop, service, stored_texts):  # noqa: F811
    shop(*LOGIN, input="1234567\n")
    stored_texts("garbage")
    shop("profile", "remove", "shop", "--yes")
    assert stored_texts() == {}


def test_a_profile_is_removed_with_the_secrets_of_its_own_store(shop, service, stored_texts):  # noqa: F811
    shop(*LOGIN, input="1234567\n")
    shop("profile", "set", "shop", f"token_store={shop.env['ADSCTL_TOKEN_STORE']}")
    assert len(stored_texts()) == 4
    other = {"keyring": "file", "file": "keyring"}[shop.env["ADSCTL_TOKEN_STORE"]]
    shop("profile", "remove", "shop", "--yes", ADSCTL_TOKEN_STORE=other)
    assert stored_texts() == {}


@pytest.mark.parametrize("stored_texts", ["keyring"], indirect=True)
def test_a_sign_in_that_is_stored_elsewhere_leaves_nothing_of_the_one_before(shop, service, stored_texts):  # noqa: F811
    shop(*LOGIN, input="1234567\n")
    assert len(stored_texts()) == 4
    del shop.env["ADSCTL_TOKEN_STORE"]
    shop(*LOGIN, "--token-store", "file", input="1234567\n")
    assert stored_texts() == {}
    shop("-p", "shop", "accounts", "list")
    shop("-p", "shop", "auth", "login", "--no-browser", "--token-store", "keyring", input="1234567\n")
    done = shop(*LOGIN, "--token-store", "file", input="1234567\n", BROKEN="yes")
    assert "the earlier sign-in is still stored (keyring): the OS keyring cannot be used" in done.stderr


@pytest.mark.parametrize("stored_texts", ["keyring"], indirect=True)
def test_a_bearer_token_that_is_stored_elsewhere_does_not_end_the_sign_in(
    shop,  # noqa: F811
    service,  # noqa: F811
    stored_texts,
    httpserver,
):
    shop(*LOGIN, input="1234567\n")
    httpserver.expect_request("/oauth2/token").respond_with_json(
        {"token_type": "bearer", "access_token": "bt"}
    )
    done = shop("-p", "shop", "auth", "bearer", "issue", ADSCTL_TOKEN_STORE="file")
    assert "it is found with ADSCTL_TOKEN_STORE=file alone: the profile has keyring" in done.stderr
    shop.env.clear()
    kept = {"PYTHON_KEYRING_BACKEND": "picky.Keyring", "KEPT": str(shop.home / "kept.json")}
    assert shop("-p", "shop", "auth", "token", **kept).stdout == "at\n"
    assert shop("auth", "token", "--bearer", **kept, ADSCTL_TOKEN_STORE="file").stdout == "bt\n"


@pytest.mark.parametrize("stored_texts", ["keyring"], indirect=True)
def test_what_cannot_be_read_is_restored_where_a_sign_in_fails(shop, service, stored_texts):  # noqa: F811
    shop(*LOGIN, input="1234567\n")
    broken = stored_texts("garbage")
    assert "no room" in shop(*LOGIN, input="1234567\n", code=11, REFUSED="access_token").stderr
    assert stored_texts() == broken


@in_a_session
def test_a_locked_keyring_does_not_hang(shop, service):  # noqa: F811
    done = in_session(shop, LOCKED, "echo 1234567 | adsctl auth login --no-browser")
    assert done.returncode == 11, done.stderr
    assert "the OS keyring cannot be used" in done.stderr and "--token-store file" in done.stderr
