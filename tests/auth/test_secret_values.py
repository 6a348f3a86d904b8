"""A secret is visible ASCII with at most one line end; anything else is refused, and never quoted."""

import json
import os
import threading
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest
from keyring.backend import KeyringBackend

from ads_cli.client.signing import SignedAuth
from tests.auth.test_secrets_stay import spellings
from tests.auth.test_signin import KEY, KEY_SECRET, LOGIN, service, shop  # noqa: F401 - fixtures
from tests.conftest import SECRETS

SECRET = "planted+token/1"
REFUSED = {
    "a byte-order mark": f"\ufeff{SECRET}",
    "a NUL": f"{SECRET}\0",
    "a carriage return": f"{SECRET}\r",
    "a second line": f"{SECRET}\nplanted-second-line",
    "two line ends": f"{SECRET}\n\n",
    "a blank": f" {SECRET}",
    "a tab": f"{SECRET}\tplanted",
    "a letter that is not ASCII": f"{SECRET}é",
    "a control character": f"{SECRET}\x7f",
}
LINE_ENDS = ("", "\n", "\r\n")
WATCHED = ("--debug", "-v", "--log-file", "log.jsonl")


class CarelessKeyring(KeyringBackend):
    """A keyring that returns whatever it was given."""

    priority = 1

    def get_password(self, place: str, username: str) -> str | None:
        return os.environ["PLANTED"] if username.endswith("/access_token") else None

    def set_password(self, place: str, username: str, password: str) -> None:
        raise AssertionError

    def delete_password(self, place: str, username: str) -> None:
        raise AssertionError


def keep(adsctl, source: str, value: str) -> dict[str, str]:
    """Keep an access token in a source; return the variables that name it."""
    adsctl.env.pop("ADSCTL_ACCESS_TOKEN", None)
    stored = json.dumps([value, [adsctl.env["ADSCTL_ADS_URL"]], ""])
    if source == "environment":
        return {"ADSCTL_ACCESS_TOKEN": value}
    if source == "file":
        return {"ADSCTL_ACCESS_TOKEN_FILE": str(adsctl.file("token", value))}
    if source == "keyring":
        backend = f"{__name__}.{CarelessKeyring.__name__}"
        return {"ADSCTL_TOKEN_STORE": "keyring", "PYTHON_KEYRING_BACKEND": backend, "PLANTED": stored}
    (adsctl.home / "config").mkdir()
    adsctl.file("config/secrets.json", json.dumps({"default": {"access_token": stored}})).chmod(0o600)
    return {"ADSCTL_TOKEN_STORE": "file"}


SOURCES = ("environment", "file", "keyring", "store")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_a_secret_that_is_not_visible_ascii_is_refused_and_not_quoted(remote, httpserver, source, value):
    if source == "environment" and "\0" in value:
        return  # no variable can hold it
    done = remote("accounts", "list", *WATCHED, code=11, **keep(remote, source, value))
    shown = done.stdout + done.stderr + (remote.home / "log.jsonl").read_text()
    assert "planted" not in shown and "access" in done.stderr.lower() and not httpserver.log


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("end", LINE_ENDS)
def test_one_line_end_of_a_secret_is_dropped(remote, httpserver, source, end):
    httpserver.expect_request("/12/accounts").respond_with_json({"data": []})
    remote("accounts", "list", **keep(remote, source, SECRET + end))
    assert f'oauth_token="{SECRET.replace("+", "%2B").replace("/", "%2F")}"' in str(
        httpserver.log[0][0].headers
    )


def test_a_bearer_token_with_a_carriage_return_is_refused_and_not_printed(remote, httpserver):
    words = ("webhooks", "create", "https://shop.example/hook", "--as", "bearer", *WATCHED)
    done = remote(*words, code=11, ADSCTL_BEARER_TOKEN=f"{SECRET}\r")
    assert "ADSCTL_BEARER_TOKEN" in done.stderr and "planted" not in done.stderr + done.stdout


def test_a_file_of_a_secret_that_never_ends_is_refused(remote):
    remote.env.pop("ADSCTL_ACCESS_TOKEN")
    done = remote("accounts", "list", code=11, ADSCTL_ACCESS_TOKEN_FILE="/dev/zero")
    assert "/dev/zero" in done.stderr


def through_pipe(path: Path, value: str) -> threading.Thread:
    """Make a pipe that gives a value to its first reader."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(value,), daemon=True)
    writer.start()
    return writer


def test_a_secret_file_that_is_a_pipe_is_read_once(adsctl):
    writers = []
    for name, value in SECRETS.items():
        adsctl.env[f"{name}_FILE"] = str(adsctl.home / name)
        writers.append(through_pipe(adsctl.home / name, value + "\n"))
    adsctl("auth", "status")
    for writer in writers:
        writer.join(60)
        assert not writer.is_alive()


def test_a_sign_in_reads_the_pipes_of_its_app_once(shop, service):  # noqa: F811
    for name, value in (("ADSCTL_CONSUMER_KEY", KEY), ("ADSCTL_CONSUMER_SECRET", KEY_SECRET)):
        shop.env.pop(name, None)
        shop.env[f"{name}_FILE"] = str(shop.home / name)
        through_pipe(shop.home / name, value)
    assert "signed in" in shop.process(*LOGIN, input="1234567\n").stderr


@pytest.mark.parametrize("value", ["planted-é", "planted one", "planted\x7f1"])
def test_a_typed_secret_that_is_not_visible_ascii_is_refused_and_not_shown(shop, service, value):  # noqa: F811
    for name in ("ADSCTL_CONSUMER_KEY", "ADSCTL_CONSUMER_SECRET"):
        shop.env.pop(name, None)
    child = shop.terminal(*LOGIN)
    child.expect_exact("Consumer key")
    child.waitnoecho()
    child.sendline(value.replace("\x7f", "\x16\x7f"))  # typed literally
    shown = child.read()
    child.close()
    assert child.exitstatus == 2 and "planted" not in shown and "ADSCTL_CONSUMER_KEY" in shown


@pytest.mark.parametrize("token", [f"{SECRET}\r\nx", f"{SECRET}é", f"\ufeff{SECRET}", 7, ["a"], None, {}])
def test_a_bearer_token_of_the_service_that_cannot_be_sent_is_not_stored(remote, httpserver, token):
    httpserver.expect_request("/oauth2/token").respond_with_json({"access_token": token})
    remote.env["ADSCTL_TOKEN_STORE"] = "file"
    done = remote("auth", "bearer", "issue", "--max-attempts", "1", *WATCHED, code=8)
    assert "planted" not in done.stderr and not (remote.home / "config" / "secrets.json").exists()


CRASHES = {
    "as it is": "{0}",
    "in the bytes of a header": "Illegal header value b'Bearer {0}\\r'",
    "in a URL": "https://ads.example/?oauth={1}",
    "in base64": "Basic {2}",
    "several times": "{0} {0}{0}",
}


@pytest.mark.parametrize("how", CRASHES)
@pytest.mark.parametrize("words", [(), WATCHED, ("-o", "json"), ("--debug", "-o", "json")])
def test_no_crash_shows_a_secret(remote, monkeypatch, how, words):
    planted = {name: f"planted{number}+'\"\\/" for number, name in enumerate(SECRETS)}

    def crash(self, request):
        for value in planted.values():
            message = CRASHES[how].format(
                value, quote(value, safe=""), b64encode(f"{value}:x".encode()).decode()
            )
            try:
                raise RuntimeError(message)
            except RuntimeError as error:
                raise KeyError(message, message.encode()) from error

    monkeypatch.setattr(SignedAuth, "auth_flow", crash)
    done = remote("accounts", "list", *words, code=1, **planted)
    for value in planted.values():
        for spelling in spellings(value) | {repr(value)[1:-1].encode(), json.dumps(value)[1:-1].encode()}:
            assert spelling not in (done.stderr + done.stdout).encode()
    assert "***" in done.stderr
