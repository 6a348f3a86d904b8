"""Grants of OAuth 2.0: sign-in, rotation of the refresh token, and what becomes of a lost answer."""

import json
import re
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import pexpect
import pytest

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.faults import parse_fault
from ads_cli.emulator.seed.credentials import CLIENT_ID
from ads_cli.emulator.server import running
from tests.adsctl import Adsctl, wait_until

LOGIN = ("-p", "shop", "auth", "login", "--oauth2", "--no-browser", "--token-store", "file")
READ = "ads.read users.read offline.access"
ALL = f"{READ} ads.write media.write tweet.read"
REDIRECT = "http://127.0.0.1:8080/callback"


class Page(dict):
    """The parameters of the page that a sign-in opens, and its URL."""

    url: str


def sign_in(
    person: Adsctl, *words: str, answer: Any = "allow", code: int = 0, **env: str
) -> tuple[Page, str]:
    """Sign in on a terminal; `answer` is what the user does on the page, or makes the pasted address."""
    session = person.terminal(*LOGIN, *words, width=2000, **env)
    session.expect("address:")
    page = Page()
    page.url = re.search(r"http\S+/i/oauth2/authorize\S+", session.before)[0]
    page.update(parse_qsl(urlsplit(page.url).query))
    session.sendline(answer(page) if callable(answer) else on_page(page.url, answer))
    session.expect(pexpect.EOF)
    said = session.before
    session.close()
    assert session.exitstatus == code, said
    return page, said


def on_page(url: str, answer: str) -> str:
    """Press a button on the page of the emulator; return where the browser is sent."""
    form = httpx.get(url, verify=False).text  # else it reads the certificates of this machine, for nothing
    token = re.search(r'name="form_token" value="([^"]+)"', form)[1]
    data = {"form_token": token, "answer": answer}
    return httpx.post(url.partition("?")[0], data=data, verify=False).headers["location"]


def stored(person: Adsctl) -> dict[str, Any]:
    secrets = json.loads((person.home / "config" / "secrets.json").read_text())["shop"]
    return json.loads(json.loads(secrets["oauth2_grant"])[0])


def expire(person: Adsctl, **times: float) -> None:
    """Let the stored access token expire, or set its times."""
    path = person.home / "config" / "secrets.json"
    secrets = json.loads(path.read_text())
    value, *rest = json.loads(secrets["shop"]["oauth2_grant"])
    value = json.dumps(json.loads(value) | {"expires_at": 1.0} | times, separators=(",", ":"))
    secrets["shop"]["oauth2_grant"] = json.dumps([value, *rest])
    path.write_text(json.dumps(secrets))


class Served:
    """The emulator behind a port, whose requests of one path are counted."""

    def __init__(self, emulator: Emulator, address: str) -> None:
        self.emulator, self.address = emulator, address

    def sql(self, statement: str, *values: object) -> list[tuple]:
        with closing(sqlite3.connect(self.emulator.database, isolation_level=None)) as connection:
            return connection.execute(statement, values).fetchall()

    def fail(self, *faults: str) -> None:
        self.emulator.faults = [parse_fault(text) for text in faults]


@pytest.fixture(params=["generic", "x"])
def served(request, adsctl: Adsctl, tmp_path: Path, seeded_database: Path) -> Iterator[Served]:
    yield from serve(adsctl, tmp_path, seeded_database, request.param)


@pytest.fixture
def served_once(adsctl: Adsctl, tmp_path: Path, seeded_database: Path) -> Iterator[Served]:
    yield from serve(adsctl, tmp_path, seeded_database, "generic")


def serve(adsctl: Adsctl, folder: Path, seeded: Path, service: str) -> Iterator[Served]:
    database = shutil.copyfile(seeded, folder / "emulator.db")
    with closing(Emulator(database, service=service)) as emulator, running(emulator) as address:
        adsctl.env |= {
            name: value
            for name, value in variables(emulator, address).items()
            if "TOKEN" not in name and "CONSUMER" not in name
        }
        yield Served(emulator, address)


def test_a_sign_in_by_oauth2_reads_writes_and_ends(adsctl, served):
    page, said = sign_in(adsctl)
    assert page["redirect_uri"] == REDIRECT and page["scope"] == ALL and page["response_type"] == "code"
    assert page["code_challenge_method"] == "S256" and len(page["state"]) >= 40
    assert f"signed in by OAuth 2.0 with the app {CLIENT_ID}" in said
    grant = stored(adsctl)
    adsctl.env.pop("ADSCTL_CLIENT_ID")
    assert "Nordlicht Shop" in adsctl("-p", "shop", "accounts", "list").stdout
    made = ("campaigns", "create", "--name", "New", "--funding-instrument-id", "lygyi", "--daily-budget", "5")
    funding = adsctl("-p", "shop", "funding-instruments", "list", "-o", "ids").stdout.split()[0]
    adsctl("-p", "shop", *(funding if word == "lygyi" else word for word in made))
    shown = json.loads(adsctl("-p", "shop", "auth", "status", "--check", "-o", "json").stdout)
    rows = {row["what"]: row["value"] for row in shown}
    assert rows["client_id"] == CLIENT_ID and rows["scopes"] == ALL
    assert rows["access_token"] == rows["refresh_token"] == "***"
    assert adsctl("-p", "shop", "auth", "token").stdout.strip() == grant["access_token"]
    assert json.loads(adsctl("profile", "list", "-o", "json").stdout)[0]["client_id"] == CLIENT_ID
    adsctl("-p", "shop", "auth", "logout")
    assert served.sql("SELECT count(*) FROM oauth2_tokens") == [(0,)]
    assert "oauth2_grant" not in (adsctl.home / "config" / "secrets.json").read_text()
    assert "not signed in" in adsctl("-p", "shop", "accounts", "list", code=4).stderr


def test_a_read_only_sign_in_can_change_nothing(adsctl, served):
    page, _ = sign_in(adsctl, "--read-only")
    assert page["scope"] == READ
    adsctl("-p", "shop", "campaigns", "list")
    done = adsctl("-p", "shop", "campaigns", "update", "8wku2", "--name", "Other", code=4)
    assert "has no scope ads.write" in done.stderr and "without --read-only" in done.stderr
    assert "auth login --oauth2 --client-id adsctl-emulator" in done.stderr


def test_an_expired_token_is_renewed_and_the_refresh_token_rotates(adsctl, served):
    sign_in(adsctl)
    before = stored(adsctl)
    expire(adsctl)
    served.sql("UPDATE oauth2_tokens SET expires = 1 WHERE NOT is_refresh")
    assert "Nordlicht Shop" in adsctl("-p", "shop", "accounts", "list").stdout
    after = stored(adsctl)
    assert after["access_token"] != before["access_token"]
    assert after["refresh_token"] != before["refresh_token"] and not after["is_refreshing"]
    adsctl("-p", "shop", "accounts", "list")
    assert stored(adsctl) == after


def test_a_token_of_a_clock_that_was_ahead_is_renewed(adsctl, served):
    sign_in(adsctl)
    first, years = stored(adsctl), 14 * 365 * 24 * 3600.0
    expire(adsctl, **{name: first[name] + years for name in ("received_at", "expires_at")})
    adsctl("-p", "shop", "accounts", "list")
    assert stored(adsctl)["access_token"] != first["access_token"]
    assert stored(adsctl)["expires_at"] < first["expires_at"] + years / 2


def test_a_token_that_the_service_has_ended_early_is_renewed_once(adsctl, served):
    sign_in(adsctl)
    before = stored(adsctl)
    served.sql("UPDATE oauth2_tokens SET expires = 1 WHERE NOT is_refresh")
    adsctl("-p", "shop", "campaigns", "update", "8wku2", "--name", "Other")
    after = stored(adsctl)
    assert after["refresh_token"] != before["refresh_token"]
    served.fail("GET /12/accounts status=401")
    adsctl("-p", "shop", "accounts", "list", code=4)
    again = stored(adsctl)
    assert again["refresh_token"] != after["refresh_token"]


def test_a_second_sign_in_with_the_app_ends_the_first(adsctl, served_once):
    sign_in(adsctl)
    first = (adsctl.home / "config" / "secrets.json").read_text()
    sign_in(adsctl)
    (adsctl.home / "config" / "secrets.json").write_text(first)
    done = adsctl("-p", "shop", "accounts", "list", code=4)
    assert "refuses the refresh token" in done.stderr
    assert "run: adsctl auth login --oauth2 --client-id adsctl-emulator --profile shop" in done.stderr


@pytest.mark.parametrize("fault", ["reset", "truncate", "garbage", "status=503"])
def test_a_refresh_whose_answer_is_lost_is_tried_once_more(adsctl, served_once, fault):
    sign_in(adsctl)
    expire(adsctl)
    applies = fault == "truncate"
    served_once.fail(f"POST /2/oauth2/token {fault} times=1")
    done = adsctl("-p", "shop", "accounts", "list", "--max-wait", "1s", code=4 if applies else 0)
    if applies:  # the service has given a newer one, which nobody has
        assert "after the answer to a refresh was lost" in done.stderr
        assert "run: adsctl auth login --oauth2 --client-id adsctl-emulator --profile shop" in done.stderr


def test_a_refresh_that_never_arrives_leaves_the_sign_in_as_it_was(adsctl, served_once):
    sign_in(adsctl)
    before = stored(adsctl)
    expire(adsctl)
    served_once.fail("POST /2/oauth2/token reset times=2")
    assert "could not be renewed" in adsctl("-p", "shop", "accounts", "list", code=8).stderr
    assert stored(adsctl)["refresh_token"] == before["refresh_token"] and stored(adsctl)["is_refreshing"]
    adsctl("-p", "shop", "accounts", "list")
    assert not stored(adsctl)["is_refreshing"]


@pytest.mark.parametrize("is_applied", [False, True])
def test_a_kill_during_a_refresh_is_survived_where_the_old_token_still_works(adsctl, served_once, is_applied):
    sign_in(adsctl)
    expire(adsctl)
    served_once.fail("POST /2/oauth2/token latency=30s times=1")
    process = adsctl.beside("-p", "shop", "accounts", "list")
    (fault,) = served_once.emulator.faults
    wait_until(lambda: fault.times == 0, "the refresh was not sent")
    assert stored(adsctl)["is_refreshing"]
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    process.stderr.close()
    if is_applied:
        served_once.sql("UPDATE oauth2_tokens SET token = 'newer' WHERE is_refresh")
    done = adsctl("-p", "shop", "accounts", "list", code=4 if is_applied else 0)
    assert ("after the answer to a refresh was lost" in done.stderr) == is_applied


def test_processes_that_share_a_sign_in_renew_it_once(adsctl, served_once):
    sign_in(adsctl)
    expire(adsctl)
    states = {name: str(adsctl.home / name) for name in ("one", "two", "three")}
    served_once.fail("POST /2/oauth2/token latency=300ms")
    before = served_once.sql("SELECT grant_id FROM oauth2_tokens WHERE is_refresh")
    processes = [
        adsctl.beside("-p", "shop", "accounts", "list", ADSCTL_STATE_DIR=folder) for folder in states.values()
    ]
    for process in processes:
        out, err = process.communicate()
        assert process.returncode == 0 and b"Nordlicht" in out, err
    assert served_once.sql("SELECT grant_id FROM oauth2_tokens WHERE is_refresh") == before
    # Each refresh adds an access token to that of the sign-in.
    assert served_once.sql("SELECT count(*) FROM oauth2_tokens WHERE NOT is_refresh") == [(2,)]


def test_where_nothing_can_be_stored_no_refresh_token_is_used(adsctl, served_once, monkeypatch):
    sign_in(adsctl)
    expire(adsctl)
    before = stored(adsctl)
    from ads_cli.auth.secret_stores import FileStore
    from ads_cli.errors import StateError

    def full(*args: object) -> None:
        raise StateError("the disk is full")

    monkeypatch.setattr(FileStore, "put", full)
    assert "the disk is full" in adsctl("-p", "shop", "accounts", "list", code=11).stderr
    monkeypatch.undo()
    assert stored(adsctl) == before
    adsctl("-p", "shop", "accounts", "list")


def test_a_guard_that_cannot_be_read_stops_no_renewal(adsctl, served_once):
    sign_in(adsctl)
    expire(adsctl)
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "max_dayly_budget: 1 EUR\n"))}
    assert "Nordlicht Shop" in adsctl("-p", "shop", "accounts", "list", **env).stdout
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "read_only: true\n"))}
    expire(adsctl)
    adsctl("-p", "shop", "accounts", "list", **env)
    adsctl("-p", "shop", "auth", "logout", **env)
    assert adsctl("changes", "list", "-o", "json").stdout.strip() == "[]"


def test_an_answer_to_a_sign_in_that_is_lost_stores_nothing(adsctl, served_once):
    served_once.fail("POST /2/oauth2/token truncate")
    _, said = sign_in(adsctl, code=8)
    assert "nothing was stored: sign in again" in said
    assert not (adsctl.home / "config" / "secrets.json").exists()


def test_a_confidential_app_sends_its_secret_by_basic_alone(adsctl, served_once):
    keys = served_once.emulator.credentials
    app = {"ADSCTL_CLIENT_ID": keys.consumer_key, "ADSCTL_CLIENT_SECRET": keys.consumer_secret}
    sign_in(adsctl, **app)
    expire(adsctl)
    adsctl("-p", "shop", "accounts", "list")
    adsctl("-p", "shop", "auth", "logout")
    assert served_once.sql("SELECT client_id, is_refresh, expires FROM oauth2_tokens") == []
    secret = adsctl.file("secret", keys.consumer_secret + "\n")
    del app["ADSCTL_CLIENT_SECRET"]
    sign_in(adsctl, **app, ADSCTL_CLIENT_SECRET_FILE=str(secret))
    _, said = sign_in(adsctl, code=4, **app, ADSCTL_CLIENT_SECRET="wrong")
    assert "nothing was stored: sign in again" in said


def test_a_secret_of_the_environment_is_not_that_of_a_public_app(adsctl, served_once):
    sign_in(adsctl)
    for profile in (("-p", "shop"), ()):
        expire(adsctl)
        adsctl(*profile, "accounts", "list", ADSCTL_CLIENT_SECRET="of-another-app")


def test_what_is_pasted_must_be_of_this_sign_in(adsctl, served_once):
    refusals = {
        f"{REDIRECT}?code=1&state=else": (4, "belongs to another sign-in"),
        f"{REDIRECT}?code=1": (4, "belongs to another sign-in"),
    }
    for address, (code, message) in refusals.items():
        _, said = sign_in(adsctl, answer=lambda page, address=address: address, code=code)
        assert message in said
    _, said = sign_in(adsctl, answer="refuse", code=4)
    assert "the sign-in was refused; nothing was stored" in said
    foreign = lambda page: f"http://evil.example/callback?code=1&state={page['state']}"  # noqa: E731
    _, said = sign_in(
        adsctl, answer=lambda page: f"{foreign(page)}\n{foreign(page)}\n{foreign(page)}", code=2
    )
    assert "this is not the address" in said
    reason = f"{REDIRECT}?error=invalid_scope&error_description=no+such+scope"
    _, said = sign_in(adsctl, answer=lambda page: f"{reason}&state={page['state']}", code=4)
    assert "no such scope" in said
    assert not (adsctl.home / "config" / "secrets.json").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--oauth2", "--access", "read"),
        ("--oauth2", "--callback", "http://127.0.0.1:8976/callback"),
        ("--client-id", "abc"),
        ("--read-only",),
        ("--port", "8081"),
    ],
)
def test_options_of_the_other_kind_of_sign_in_are_refused(adsctl, words):
    assert "--oauth2" in adsctl("auth", "login", *words, code=2).stderr


def test_a_client_id_is_required(adsctl):
    adsctl.env |= {"ADSCTL_BASE_URL": "http://127.0.0.1:9", "ADSCTL_ADS_URL": "http://127.0.0.1:9"}
    done = adsctl("auth", "login", "--oauth2", "--token-store", "file", code=2)
    assert "--client-id" in done.stderr


def test_the_page_of_service_x_is_not_at_the_address_of_its_interface(adsctl):
    adsctl.env["ADSCTL_CLIENT_ID"] = "abc"
    session = adsctl.terminal(*LOGIN, "--service", "x", "--port", "8099", width=2000)
    session.expect(r"https://\S+")
    page = urlsplit(session.after)
    assert page._replace(query="").geturl() == "https://x.com/i/oauth2/authorize"
    assert parse_qs(page.query)["redirect_uri"] == ["http://127.0.0.1:8099/callback"]
    session.close()


def test_keys_of_the_environment_replace_a_stored_grant(adsctl, served_once):
    sign_in(adsctl)
    keys = served_once.emulator.credentials
    old = {f"ADSCTL_{name.upper()}": value for name, value in keys._asdict().items()}
    adsctl("profile", "use", "shop")
    assert adsctl("auth", "token", **old).stdout.strip() == keys.access_token
    assert adsctl("-p", "shop", "auth", "token", **old).stdout.strip() == stored(adsctl)["access_token"]


def test_a_sign_out_ends_the_stored_grant_whatever_the_environment_has(adsctl, served_once):
    sign_in(adsctl)
    keys = served_once.emulator.credentials
    old = {f"ADSCTL_{name.upper()}": value for name, value in keys._asdict().items()}
    adsctl("profile", "use", "shop")
    assert "signed out of profile shop" in adsctl("auth", "logout", **old).stderr
    assert "not signed in" in adsctl("-p", "shop", "auth", "token", code=4).stderr
    assert adsctl("auth", "token", **old).stdout.strip() == keys.access_token
