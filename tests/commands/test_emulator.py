"""The emulator as a command: serve, exec, env, audiences, reset."""

import json
import os
import shlex
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import httpx
import pytest

from ads_cli.emulator import identity
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.storage import database
from tests.adsctl import TIMEOUT_SECONDS, Adsctl
from tests.effort import THOROUGH
from tests.late_signal import late_signal
from tests.ports import free_port
from tests.raw_service import raw_service


def serve(adsctl, *options: str, start=Adsctl.beside) -> tuple[subprocess.Popen, str]:
    """Start a server on a free port; return its process and its port."""
    process = start(adsctl, "emulator", "serve", "--port", "0", *options)
    line = process.stderr.readline().decode()
    address = next(word.rstrip(";") for word in line.split() if word.startswith("http"))
    return process, address.rsplit(":")[-1]


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_serve_responds_to_another_shell_until_it_is_stopped(adsctl, signum, code):
    process, port = serve(adsctl)
    try:
        variables = adsctl("emulator", "env", "--port", port, "-o", "json").stdout
        assert json.loads(adsctl("accounts", "list", "-o", "json", **json.loads(variables)).stdout)
        script = f'eval "$({" ".join(adsctl.forked("emulator", "env", "--port", port))})"'
        script += f"; {' '.join(adsctl.forked('catalog', 'list', '-o', 'ids'))}"
        shell = subprocess.run(["bash", "-c", script], env=adsctl.environment, capture_output=True, text=True)
        assert shell.stdout.strip().isdigit(), shell.stderr
    finally:
        process.send_signal(signum)
        _, stderr = process.communicate(timeout=20)
    assert process.returncode == code
    assert stderr.decode().splitlines()[-1] == f"stopped by {signum.name}"


FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n"
EXPECT = "Host: localhost\r\nExpect: 100-continue\r\n\r\n"
IN_FLIGHT = {
    "nothing": None,
    "a silent connection": "",
    "a slow head": "GET / HT",
    "a slow upload": f"POST /oauth/authorize HTTP/1.1\r\n{FORM}{EXPECT}half",
    "a slow response": f"GET /oauth/authorize HTTP/1.1\r\n{EXPECT}",
}


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EVERY = [(request, signum) for request in IN_FLIGHT for signum in SIGNALS]
IN_TURN = [(request, SIGNALS[number % len(SIGNALS)]) for number, request in enumerate(IN_FLIGHT)]


@pytest.mark.parametrize(("request_in_flight", "signum"), EVERY if THOROUGH else IN_TURN)
def test_serve_stops_with_its_message_whatever_is_in_flight(adsctl, request_in_flight, signum):
    process, port = serve(adsctl, "--fault", "GET * latency=60s")
    with ExitStack() as stack:
        stack.callback(process.kill)  # where the test fails
        text = IN_FLIGHT[request_in_flight]
        if text is not None:
            client = stack.enter_context(socket.create_connection(("127.0.0.1", int(port)), timeout=30))
            client.sendall(text.encode())
            if EXPECT in text:  # the server says that it has begun
                assert client.recv(100).startswith(b"HTTP/1.1 100 Continue")
        process.send_signal(signum)
        # The error boundary would exit after 10 s, without a message.
        _, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 128 + signum
    assert stderr.decode().splitlines()[-1] == f"stopped by {signum.name}"


def test_serve_rejects_a_host_that_is_not_loopback(adsctl):
    stderr = adsctl("emulator", "serve", "--host", "0.0.0.0", code=2).stderr
    assert "0.0.0.0 is not a loopback address; the emulator listens on loopback only" in stderr


def test_serve_reports_a_port_in_use(adsctl):
    process, port = serve(adsctl)
    try:
        stderr = adsctl("emulator", "serve", "--port", port, code=2).stderr
        assert f"cannot listen on 127.0.0.1 port {port}" in stderr
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.parametrize("code", [0, 3, 77])
def test_exec_exits_with_the_code_of_its_command(adsctl, code):
    done = adsctl("emulator", "exec", "--", "sh", "-c", f"echo out; exit {code}", code=code)
    assert done.stdout == "out\n"


def test_exec_sets_the_variables_of_its_command(adsctl):
    other_service = {"ADSCTL_PROFILE": "local", "ADSCTL_ACCESS_TOKEN_FILE": "of-a-shop"}
    script = "env | grep ^ADSCTL_ | cut -d= -f1 > variables"
    adsctl("emulator", "exec", "--", "sh", "-c", script, **other_service)
    addresses = {"ADSCTL_ADS_URL", "ADSCTL_BASE_URL", "ADSCTL_ADS_SANDBOX_URL"}
    keys = {"ADSCTL_CONSUMER_KEY", "ADSCTL_CONSUMER_SECRET"}
    tokens = {"ADSCTL_ACCESS_TOKEN", "ADSCTL_ACCESS_TOKEN_SECRET"}
    defaults = {"ADSCTL_ACCOUNT", "ADSCTL_CATALOG", "ADSCTL_EMULATOR"}
    variables = set((adsctl.home / "variables").read_text().split())
    assert variables >= addresses | keys | tokens | defaults
    assert variables.isdisjoint(other_service)


def test_exec_has_a_world_of_its_own_which_no_other_command_sees(adsctl):
    created = "adsctl campaigns list --all -o ids > before; adsctl campaigns delete $(head -1 before) --yes"
    environment = adsctl.installed()
    for _ in range(2):  # the second one has what the first one deleted
        adsctl.process("emulator", "exec", "--", "sh", "-c", f"set -e; {created}", PATH=environment["PATH"])
    (first, *_) = (adsctl.home / "before").read_text().split()
    assert adsctl.local("campaigns", "get", first, "-o", "ids").stdout == f"{first}\n"


def test_exec_keeps_its_data_in_a_named_database(adsctl):
    words = ("emulator", "exec", "--database", "mine.db", "--", "sh", "-c")
    adsctl(*words, "echo $ADSCTL_EMULATOR > first")
    adsctl(*words, "echo $ADSCTL_EMULATOR > second")
    assert (adsctl.home / "first").read_text() == (adsctl.home / "second").read_text() != "\n"


def test_exec_reports_a_command_that_does_not_exist(adsctl):
    assert "cannot run nowhere" in adsctl("emulator", "exec", "--", "nowhere", code=2).stderr


def test_exec_rejects_an_invalid_fault(adsctl):
    stderr = adsctl("emulator", "exec", "--fault", "PUT * sattus=503", "--", "true", code=2).stderr
    assert "invalid fault 'PUT * sattus=503': 'sattus=503' is not one of reset, " in stderr
    assert "for example: PUT /12/product_catalogs/* status=503 rate=0.2 retry-after=1" in stderr


def test_audiences_counts_users(adsctl):
    rows = json.loads(adsctl("emulator", "audiences", "-o", "json").stdout)
    assert {row["name"]: row["users"] for row in rows} == {
        "Customers": 2350,
        "Readers of the newsletter": 412,
        "Regular customers": 64,
        "Spring buyers 2026": 0,
        "Installed the shop app": 1280,
        "Left a full basket in the app": 730,
        "Visitors of the crafts fair": 890,
        "Do Not Reach List": 1840,
    }


def test_reset_asks_and_makes_a_new_world(adsctl):
    def local(*words: str) -> str:
        return adsctl.local(*words).stdout

    catalog = local("catalog", "list", "-o", "ids").strip()
    local("catalog", "rename", catalog, "--name", "Mine")
    assert "dry run: would reset" in adsctl("emulator", "reset", "--dry-run").stderr
    adsctl("emulator", "reset", code=12)
    assert "Mine" in local("catalog", "list")
    assert "reset the emulator's database" in adsctl("emulator", "reset", "--yes").stderr
    assert "Mine" not in local("catalog", "list")


@contextmanager
def stopped(process: subprocess.Popen) -> Iterator[None]:
    """Stop a server after the block."""
    try:
        yield
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.fixture
def soon(monkeypatch):
    """A reset waits for a moment only for those who use the database."""
    monkeypatch.setattr(database, "RESET_TIMEOUT_SECONDS", 0.1)


def test_reset_refuses_while_the_database_is_served(adsctl, soon):
    process, port = serve(adsctl, start=Adsctl.popen)
    with stopped(process):
        variables = json.loads(adsctl("emulator", "env", "--port", port, "-o", "json").stdout)
        refused = adsctl("emulator", "reset", "--yes", code=11).stderr
        assert "emulator.db is in use" in refused and "stop `adsctl emulator serve`" in refused
        assert adsctl("accounts", "list", "-o", "ids", **variables).stdout
    assert "reset the emulator's database" in adsctl("emulator", "reset", "--yes").stderr


def test_reset_refuses_while_a_command_uses_the_database(adsctl, soon):
    reset = shlex.join(adsctl.forked("emulator", "reset", "--yes"))
    served = ("emulator", "exec", "--database", "state/emulator.db")
    refused = adsctl.popen(*served, "--", "sh", "-c", reset)
    message = refused.communicate(timeout=60)[1].decode()
    assert refused.returncode == 11
    assert "emulator.db is in use" in message
    with closing(Emulator(adsctl.home / "state" / "emulator.db")):  # as a command with --profile local does
        adsctl("emulator", "reset", "--yes", code=11)
    assert "reset the emulator's database" in adsctl("emulator", "reset", "--yes").stderr


def test_reset_replaces_its_own_database_that_cannot_be_read(adsctl):
    database = adsctl.copy_emulator()
    database.write_bytes(b"this is no database" * 400)
    adsctl("emulator", "audiences", code=11)
    adsctl("emulator", "reset", "--yes")
    adsctl("emulator", "audiences")


def other_database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE products (id)")
        return connection.serialize()


@pytest.mark.parametrize(
    "content", [b"id,title\n1,Mug\n", b"", b"SQLite format 3\0 damaged", other_database()]
)
def test_reset_never_replaces_a_file_that_is_not_a_database_of_the_emulator(adsctl, content):
    file = adsctl.file("feed.csv", content)
    message = adsctl("emulator", "reset", "--yes", "--database", "feed.csv", code=2).stderr
    assert "feed.csv is not a database of the emulator; nothing was changed" in message
    assert file.read_bytes() == content and [*adsctl.home.glob("feed*")] == [file]


def test_reset_replaces_a_named_database_of_the_emulator(adsctl):
    adsctl("emulator", "audiences", "--database", "mine.db")
    before = (adsctl.home / "mine.db").read_bytes()
    adsctl("emulator", "reset", "--yes", "--database", "mine.db")
    assert (adsctl.home / "mine.db").read_bytes() != before


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGHUP])
def test_exec_passes_a_signal_on_and_waits_for_its_command(adsctl, signum):
    script = (
        f"trap 'sleep 0.3; echo done; exit 7' {signum.name[3:]}; echo ready; while :; do sleep 0.05; done"
    )
    process = adsctl.beside("emulator", "exec", "--", "sh", "-c", script)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signum)
    stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (stdout, process.returncode) == (b"done\n", 128 + signum), stderr


def test_exec_passes_a_signal_on_that_comes_right_before_it_waits(adsctl):
    now, environment = late_signal(adsctl, "exec")
    script = "trap 'echo done; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    process = adsctl.popen("emulator", "exec", "--", "sh", "-c", script, **environment)
    assert process.stdout.readline() == b"ready\n"
    now.touch()
    stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (stdout, process.returncode) == (b"done\n", 143), stderr


def test_exec_stops_its_command_with_it(adsctl):
    process = adsctl.beside("emulator", "exec", "--", "sh", "-c", "echo $$; exec sleep 60")
    command = int(process.stdout.readline())
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 143
    with pytest.raises(ProcessLookupError):
        os.kill(command, 0)


def test_env_waits_for_a_server_that_is_starting(adsctl):
    port = str(free_port())
    shell = "{serve} & {env}; kill $!; wait".format(
        serve=shlex.join(adsctl.forked("emulator", "serve", "--port", port)),
        env=shlex.join(adsctl.forked("emulator", "env", "--port", port)),
    )
    done = subprocess.run(
        ["bash", "-c", shell], env=adsctl.environment, cwd=adsctl.home, capture_output=True, text=True
    )
    assert f"export ADSCTL_ADS_URL=http://127.0.0.1:{port}" in done.stdout
    assert "warning" not in done.stderr


def test_env_says_that_nothing_listens(adsctl, monkeypatch):
    monkeypatch.setattr(identity, "START_TIMEOUT_SECONDS", 0.3)
    port = free_port()
    done = adsctl("emulator", "env", "--port", str(port))
    assert f"no emulator listens on http://127.0.0.1:{port} yet" in done.stderr
    assert f"the values are those of {adsctl.home}/state/emulator.db" in done.stderr
    assert "export ADSCTL_CONSUMER_KEY=" in done.stdout


def test_env_refuses_values_of_another_world_than_the_one_that_is_served(adsctl):
    database = adsctl.home / "other.db"
    process, port = serve(adsctl, "--database", str(database))
    with stopped(process):
        hint = shlex.split(process.stderr.readline().decode().partition("$(adsctl ")[2].partition(")")[0])
        done = adsctl("emulator", "env", "--port", port, code=11)
        assert f"http://127.0.0.1:{port} serves another database than" in done.stderr
        assert "--database" in done.stderr and not done.stdout
        variables = json.loads(adsctl(*hint, "-o", "json").stdout)
        assert adsctl("accounts", "list", "-o", "ids", **variables).stdout


@pytest.mark.parametrize("response", [b"", b"hello\n", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"])
def test_env_refuses_a_port_where_something_else_listens(adsctl, response):
    with raw_service(lambda connection: connection.recv(999) and connection.sendall(response)) as other:
        done = adsctl("emulator", "env", "--port", str(other.port), code=8)
    assert f"what listens on 127.0.0.1 port {other.port} is not the emulator" in done.stderr


def test_the_emulator_says_who_it_is_to_whoever_asks(service, adsctl):
    said = httpx.get(adsctl.env["ADSCTL_ADS_URL"] + identity.PATH).json()
    assert said == {"emulator": adsctl.env["ADSCTL_EMULATOR"], "service": "generic"}


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 6)])
def test_a_served_emulator_of_service_x_takes_unknown_parameters_unless_it_is_strict(adsctl, options, code):
    words = adsctl.forked("--debug", "api", "GET", "/11/accounts/18ce54d4x5t/cards?media_ids=1")
    done = adsctl.process("emulator", "exec", *options, "--service", "x", "--", *words, code=code)
    reason = "media_ids: is not a known field" if options else "x-emulator-unknown-parameters: media_ids"
    assert reason in done.stderr
