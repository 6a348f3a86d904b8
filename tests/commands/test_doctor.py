"""Claims about the doctor: each fault is found by its check, with a hint."""

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from email.utils import formatdate
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.faults import parse_fault
from ads_cli.emulator.server import running
from tests.adsctl import Adsctl
from tests.conftest import SECRETS
from tests.programs import needs

CHECKS = [
    *("version", "path", "configuration", "keyring", "clock", "addresses", "sign_in", "app_access"),
    *("accounts", "catalog", "early_access", "rate_limits", "state", "completion"),
]
ACCOUNT = "18ce54d4x5t"


def diagnosis(adsctl, *words: object, code: int = 0, **env: str) -> dict[str, dict]:
    return by_check(adsctl(*words, "doctor", "-o", "json", code=code, **env))


def offline(adsctl, **env: str) -> dict[str, dict]:
    return by_check(adsctl("doctor", "--offline", "-o", "json", **env))


def by_check(done: CompletedProcess[str]) -> dict[str, dict]:
    records = json.loads(done.stdout)
    assert all([*record] == ["check", "status", "message", "hint"] for record in records)
    assert all(record["hint"] for record in records if record["status"] == "error"), records
    return {record["check"]: record for record in records}


@pytest.fixture
def answers(httpserver: HTTPServer):
    """Serve what a service answers; what is given replaces the usual answer."""

    def serve(date: float | None = None, **given: Response) -> None:
        paths = {
            "accounts": ("/12/accounts", [{"id": ACCOUNT, "name": "a"}]),
            "access": (
                f"/12/accounts/{ACCOUNT}/authenticated_user_access",
                {"user_id": "1", "permissions": ["ACCOUNT_ADMIN"]},
            ),
            "catalogs": ("/12/product_catalogs", [{"id": "7"}]),
            "audiences": (f"/12/accounts/{ACCOUNT}/custom_audiences", []),
        }
        for name, (path, data) in paths.items():
            answer = given.get(name) or Response(json.dumps({"data": data}), mimetype="application/json")
            answer.headers["Date"] = formatdate(time.time() if date is None else date, usegmt=True)
            httpserver.expect_request(path).respond_with_response(answer)

    return serve


def error(status: int, code: str | int) -> Response:
    body = {"errors": [{"code": code, "message": "refused"}]}
    return Response(json.dumps(body), status, mimetype="application/json")


def data(value: object) -> Response:
    return Response(json.dumps({"data": value}), mimetype="application/json")


def test_every_check_has_a_record_in_its_order(adsctl):
    found = diagnosis(adsctl, "--profile", "local")
    assert [*found] == CHECKS
    assert not [name for name, each in found.items() if each["status"] == "error"]


@pytest.mark.parametrize("line", ["sandbox: maybe", "changes_days: a year"])
def test_a_setting_that_would_stop_a_change_is_found_before_it(adsctl, line):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    text = f"profiles:\n  shop:\n    ads_url: http://127.0.0.1:9\n    account: a\n    {line}\n"
    adsctl.file("config.yaml", text)
    name, _, value = line.partition(": ")
    for words in (("doctor", "--offline"), ("campaigns", "update", "8wkt0", "--name", "x", "--yes")):
        said = adsctl("-p", "shop", *words, code=11, **SECRETS).stderr
        assert name in said and f"'{value}'" in said and "(from profile shop)" in said
    found = adsctl("-p", "shop", "doctor", "--offline", "-o", "json", code=11).stdout
    assert "configuration" in {load["check"] for load in json.loads(found) if "(from" in load["message"]}


def test_offline_asks_nobody(remote, httpserver):
    found = remote("doctor", "--offline", "-o", "json")
    assert "clock" not in found.stdout and not httpserver.log


@pytest.mark.parametrize(
    "given, check, code",
    [
        ({"accounts": error(401, 89)}, "sign_in", 4),
        ({"accounts": error(403, "UNAUTHORIZED_CLIENT_APPLICATION")}, "app_access", 4),
        ({"accounts": data([])}, "accounts", 4),
        ({"accounts": data([{"id": "other"}])}, "accounts", 4),
        ({"accounts": error(503, "OVER_CAPACITY")}, "addresses", 8),
        ({"accounts": error(401, 135)}, "clock", 4),
    ],
)
def test_a_fault_of_the_service_is_found_by_its_check(remote, answers, given, check, code):
    answers(**given)
    found = diagnosis(remote, code=code, ADSCTL_ACCOUNT=ACCOUNT)
    assert next(name for name, each in found.items() if each["status"] == "error") == check


def test_a_user_without_any_account_is_told_so_where_none_is_chosen_either(remote, answers):
    answers(accounts=data([]))
    found = diagnosis(remote, code=4)
    assert found["accounts"]["message"] == "the user has no advertising account"
    assert found["early_access"]["status"] == "warning"


@pytest.mark.parametrize("skew", [-3600, 3600])
def test_a_clock_that_is_an_hour_off_is_found(remote, answers, skew):
    answers(date=time.time() + skew)
    found = diagnosis(remote, code=4, ADSCTL_ACCOUNT=ACCOUNT)["clock"]
    assert found["status"] == "error" and ("behind" if skew > 0 else "ahead") in found["message"]


@pytest.mark.parametrize(
    "given, check, said",
    [
        ({"access": data({"permissions": ["CAMPAIGN_ANALYST"]})}, "accounts", "may only read"),
        ({"catalogs": error(403, "FORBIDDEN")}, "early_access", "catalogs"),
        ({"audiences": error(403, "FORBIDDEN")}, "early_access", "users"),
        ({"catalogs": data([])}, "catalog", "no product catalog"),
    ],
)
def test_what_is_not_open_is_a_warning(remote, answers, given, check, said):
    answers(**given)
    found = diagnosis(remote, ADSCTL_ACCOUNT=ACCOUNT)[check]
    assert found["status"] == "warning" and said in found["message"]


def test_an_account_beyond_the_first_page_is_found(remote, answers, httpserver):
    page = {"data": [{"id": "other"}], "next_cursor": "c2"}
    httpserver.expect_oneshot_request("/12/accounts").respond_with_json(page)
    answers()
    found = diagnosis(remote, ADSCTL_ACCOUNT=ACCOUNT)["accounts"]
    assert found["status"] == "ok" and found["message"].startswith("2 accounts; ")


@pytest.mark.parametrize(
    "address, env, proxy",
    [
        ("https://ads.example", {"ALL_PROXY": "proxy.example:1"}, "proxy.example:1"),
        ("http://127.0.0.1:9", {"HTTP_PROXY": "http://proxy.example:1"}, None),
        ("https://[::1]:9", {"HTTPS_PROXY": "http://proxy.example:1", "NO_PROXY": "::1"}, None),
    ],
)
def test_the_proxy_is_named_that_requests_take(adsctl, monkeypatch, address, env, proxy):
    for name, value in env.items():
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(name.lower(), value)
    env = SECRETS | dict.fromkeys(("ADSCTL_ADS_URL", "ADSCTL_BASE_URL"), address) | env
    found = offline(adsctl, **env, **{name.lower(): env[name] for name in env if name.endswith("PROXY")})
    said = found["addresses"]["message"]
    assert said.startswith(address)
    assert ("proxy" in said) == bool(proxy) and (proxy or "") in said


def test_an_adsctl_on_the_path_whose_version_is_no_text_is_found(remote):
    (remote.home / "bin").mkdir()
    remote.file("bin/adsctl", "#!/bin/sh\nprintf '\\377\\376'\n").chmod(0o755)
    found = offline(remote, PATH=f"{remote.home}/bin:/usr/bin:/bin")["path"]
    assert found["status"] == "warning" and "\ufffd" in found["message"]


def test_roles_that_are_no_list_are_told_as_unknown(remote, answers):
    answers(access=data({"permissions": 5}))
    assert "a role that is not told" in diagnosis(remote, ADSCTL_ACCOUNT=ACCOUNT)["accounts"]["message"]


def test_a_user_without_a_home_folder_has_no_completion(remote, monkeypatch):
    def without_home(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", without_home)
    assert offline(remote)["completion"]["status"] in ("ok", "warning")


def test_a_check_that_fails_in_an_unforeseen_way_is_its_error_and_the_others_are_shown(
    remote, answers, monkeypatch
):
    def fail(path: object) -> None:
        raise ZeroDivisionError(SECRETS["ADSCTL_ACCESS_TOKEN"])

    monkeypatch.setattr("shutil.disk_usage", fail)
    answers()
    found = diagnosis(remote, code=1, ADSCTL_ACCOUNT=ACCOUNT)
    assert [*found] == CHECKS
    assert found["state"]["status"] == "error" and "ZeroDivisionError: ***" in found["state"]["message"]


def test_a_rate_limit_that_is_used_up_is_told_by_its_own_check(remote, answers):
    answers(accounts=error(429, 88))
    found = diagnosis(remote, code=7, ADSCTL_ACCOUNT=ACCOUNT)
    assert [name for name, each in found.items() if each["status"] == "error"] == ["rate_limits"]


def test_the_log_file_has_the_requests(remote, answers):
    answers()
    diagnosis(remote, "--log-file", "log.txt", ADSCTL_ACCOUNT=ACCOUNT)
    assert "/12/accounts" in (remote.home / "log.txt").read_text()


def test_a_clock_is_unknown_where_no_request_was_answered(remote):
    found = diagnosis(remote, code=8, ADSCTL_ADS_URL="http://127.0.0.1:1")["clock"]
    assert found["status"] == "warning" and "not known" in found["message"]


def test_a_token_of_the_environment_is_not_told_as_stored(remote, answers):
    answers()
    said = diagnosis(remote, ADSCTL_ACCOUNT=ACCOUNT)["sign_in"]["message"]
    assert said == "the token of ADSCTL_ACCESS_TOKEN"


def test_an_error_of_the_service_is_not_blamed_on_the_network(remote, answers):
    answers(accounts=Response("<html>", 500))
    found = diagnosis(remote, code=8, ADSCTL_ACCOUNT=ACCOUNT)["addresses"]
    assert "proxy" not in found["hint"]


def test_the_completion_is_that_of_the_users_shell(remote):
    folder = remote.home / ".zfunc"
    folder.mkdir()
    (folder / "_adsctl").touch()
    zsh, fish, sh = (
        offline(remote, HOME=str(remote.home), SHELL=shell)["completion"]
        for shell in ("/bin/zsh", "/usr/bin/fish", "/bin/sh")
    )
    assert zsh["status"] == "ok" and zsh["message"].endswith("/_adsctl")
    assert not fish["message"].endswith("/_adsctl")
    assert sh["status"] == "ok" and not sh["hint"]


def test_no_sign_in_is_found(adsctl):
    env = {"ADSCTL_ADS_URL": "http://127.0.0.1:1", "ADSCTL_BASE_URL": "http://127.0.0.1:1"}
    assert diagnosis(adsctl, code=4, **env)["sign_in"]["status"] == "error"


def test_no_address_is_found(adsctl):
    assert diagnosis(adsctl, code=11)["addresses"]["status"] == "error"


def test_a_service_that_cannot_be_reached_is_found(remote):
    env = {"ADSCTL_ADS_URL": "http://127.0.0.1:1"}
    assert diagnosis(remote, code=8, **env)["addresses"]["status"] == "error"


def test_a_guard_that_cannot_be_read_is_found(remote, answers):
    answers()
    found = diagnosis(remote, code=11, ADSCTL_GUARD="/nowhere", ADSCTL_ACCOUNT=ACCOUNT)
    assert found["configuration"]["status"] == "error"


def test_another_version_on_the_path_is_found(remote, answers):
    answers()
    (remote.home / "bin").mkdir()
    remote.file("bin/adsctl", "#!/bin/sh\necho adsctl 0.0.1\n").chmod(0o755)
    env = {"PATH": f"{remote.home}/bin:/usr/bin:/bin", "ADSCTL_ACCOUNT": ACCOUNT}
    found = diagnosis(remote, **env)["path"]
    assert found["status"] == "warning" and "adsctl 0.0.1" in found["message"]


def test_a_full_disk_is_found(remote, answers, monkeypatch):
    answers()
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1000}))
    assert "1,000 bytes" in diagnosis(remote, code=11, ADSCTL_ACCOUNT=ACCOUNT)["state"]["message"]


def test_a_state_folder_that_others_may_change_is_found(remote, answers):
    answers()
    (remote.home / "state").mkdir()
    (remote.home / "state").chmod(0o777)
    assert diagnosis(remote, code=11, ADSCTL_ACCOUNT=ACCOUNT)["configuration"]["status"] == "error"


def test_few_requests_left_are_a_warning(remote, answers):
    few = data([{"id": ACCOUNT}])
    limited = data({"permissions": ["ACCOUNT_ADMIN"]})
    audiences = data([])
    for answer in (few, limited, audiences):
        answer.headers["x-rate-limit-limit"], answer.headers["x-rate-limit-remaining"] = "100", "3"
    answers(accounts=few, access=limited, audiences=audiences)
    found = diagnosis(remote, ADSCTL_ACCOUNT=ACCOUNT)["rate_limits"]
    assert found["status"] == "warning" and "3 of 100" in found["message"]


def test_a_locked_keyring_is_found(adsctl):
    adsctl("profile", "set", "shop", "token_store=keyring", "ads_url=http://127.0.0.1:1")
    env = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    found = diagnosis(adsctl, "-p", "shop", code=11, **env)["keyring"]
    assert found["status"] == "error"


@pytest.fixture
def emulated(adsctl, tmp_path, seeded_database) -> Iterator[tuple[Adsctl, Emulator]]:
    """The environment of a served emulator, whose faults tests set."""
    database = shutil.copyfile(seeded_database, tmp_path / "emulator.db")
    with closing(Emulator(database)) as emulator, running(emulator) as address:
        adsctl.env |= variables(emulator, address)
        yield adsctl, emulator


@pytest.mark.parametrize(
    "fault, check, status, code",
    [
        ("GET * clock=1h", "clock", "error", 4),
        ("GET * clock=-1h", "clock", "error", 4),
        ("GET /12/accounts status=401", "sign_in", "error", 4),
        ("GET /12/* no-app-access", "app_access", "error", 4),
        ("GET /12/accounts empty", "accounts", "error", 4),
        ("GET /12/accounts/*/authenticated_user_access analyst", "accounts", "warning", 0),
        ("GET /12/product_catalogs no-early-access", "early_access", "warning", 0),
        ("GET /12/accounts/*/custom_audiences no-early-access", "early_access", "warning", 0),
        ("GET /12/product_catalogs empty", "catalog", "warning", 0),
        ("GET /12/accounts reset", "addresses", "error", 8),
    ],
)
def test_the_emulator_has_a_fault_for_each_check(emulated, fault, check, status, code):
    adsctl, emulator = emulated
    emulator.faults = [parse_fault(fault)]
    found = diagnosis(adsctl, code=code)
    assert found[check]["status"] == status, found
    if "clock" in fault:
        assert ("behind" if "=1h" in fault else "ahead") in found["clock"]["message"]
    errors = [name for name, each in found.items() if each["status"] == "error"]
    assert errors[:1] == ([check] if code else [])


def test_a_proxy_that_asks_for_a_password_is_found(adsctl):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(4096)
                        connection.sendall(
                            b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
                        )

        threading.Thread(target=refuse, daemon=True).start()
        proxy = f"http://127.0.0.1:{server.getsockname()[1]}"
        env = SECRETS | {"ADSCTL_ADS_URL": "https://ads.example", "HTTPS_PROXY": proxy, "https_proxy": proxy}
        found = diagnosis(adsctl, code=8, **env, NO_PROXY="", no_proxy="")["addresses"]
        server.shutdown(socket.SHUT_RDWR)
    assert found["status"] == "error" and "407" in found["message"] and "proxy" in found["hint"].lower()


@needs("root")
def test_a_state_folder_of_another_user_is_found(remote, answers):
    answers()
    (remote.home / "state").mkdir(mode=0o700)
    os.chown(remote.home / "state", 12345, 12345)
    found = diagnosis(remote, code=11, ADSCTL_ACCOUNT=ACCOUNT)["configuration"]
    os.chown(remote.home / "state", 0, 0)
    assert found["status"] == "error" and f"{remote.home}/state" in found["message"]
