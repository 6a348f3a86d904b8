"""No command, whether it succeeds or fails, writes a secret or puts one on a command line."""

import base64
import json
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from werkzeug import Request, Response

from ads_cli.cli.command_index import CUSTOM_COMMANDS
from ads_cli.client.signing import BearerAuth, SignedAuth
from ads_cli.commands.emulator import variables
from ads_cli.emulator import identity
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from tests.adsctl import ROOT, Adsctl
from tests.auth.recording import recording
from tests.auth.test_secrets_stay import PLANTED, spellings
from tests.effort import tries
from tests.promises.test_examples import ENDS_WITH, EXAMPLES, FILES, LINES, STARTING
from tests.stored import stored

PEOPLE = {"e-mail address": "geheim.person@example.com", "phone number": "+4917055500123"}
LISTS = ("customers.csv", "unsubscribed.csv")
WATCHED = ("--yes", "--debug", "--verbose", "--log-file", "log.jsonl")
ADDRESSES = ("ADSCTL_BASE_URL", "ADSCTL_ADS_URL", "ADSCTL_ADS_SANDBOX_URL")
SHOWN = {"auth token": {"token"}}  # what a command is there to show
# Imported by Python when it starts.
RECORDING = """
import os, sys
from tests.auth.recording import record
log = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
with open("/proc/self/cmdline", "rb") as mine:
    os.write(log, b"ran " + mine.read() + b"\\n")
sys.addaudithook(lambda event, arguments: record(log, event, arguments))
{crash}
"""
CRASH = """
import httpx
from ads_cli.client import signing as sign
def fail(self, request):
    return 1 / 0
sign.SignedAuth.auth_flow = sign.BearerAuth.auth_flow = httpx.BasicAuth.auth_flow = fail
"""
# The app with the planted secrets is another one than that which has webhooks.
ENDS_HERE = ENDS_WITH | {
    "emulator trigger": 5,
    "events unsubscribe": 5,
    "webhooks account-activity delete": 6,
}
# In a dry run these ask the service for the name of a list alone, and do without it.
WORKS_WITHOUT_ANSWER = {"audiences sync", "audiences do-not-reach sync"}
# What the examples for a shell do.
WITHOUT_A_SHELL = {
    "completion": "adsctl completion bash",
    "emulator env": "adsctl emulator env --port 1",  # at which nobody listens
    "jobs show": "adsctl products push feed.csv && adsctl jobs show $(adsctl jobs list -o ids)",
    "products delete": "adsctl products push feed.csv && adsctl products delete --by id --from feed.csv",
}


@pytest.fixture
def world(seeded_database: Path, tmp_path_factory):
    """An emulator whose app and user have the planted secrets."""
    database = tmp_path_factory.mktemp("planted") / "world.db"
    shutil.copy(seeded_database, database)
    key, key_secret, token, token_secret, bearer = PLANTED.values()
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE apps SET consumer_key = ?, consumer_secret = ?", (key, key_secret))
        connection.execute(
            "UPDATE tokens SET token = ?, secret = ?, consumer_key = ?", (token, token_secret, key)
        )
        connection.execute("UPDATE settings SET value = ? WHERE name = 'access_token'", (token,))
        connection.execute("UPDATE settings SET value = ? WHERE name = 'consumer_key'", (key,))
        connection.execute("INSERT INTO bearer_tokens VALUES (?, ?, 0)", (bearer, key))
    with closing(Emulator(database)) as emulator, running(emulator) as address:
        yield variables(emulator, address) | {"ADSCTL_BEARER_TOKEN": bearer, "DATABASE": str(database)}


@pytest.fixture
def watched(adsctl: Adsctl) -> Adsctl:
    """adsctl with lists of people; what it runs and writes is recorded."""
    for name, content in FILES.items():
        adsctl.file(name, content)
    for name in LISTS:
        adsctl.file(name, "email,phone_number\n" + ",".join(PEOPLE.values()) + "\n")
    for name in ("tmp", "well", "crash", ".local/share/bash-completion/completions"):
        (adsctl.home / name).mkdir(parents=True)
    for name, crash in (("well", ""), ("crash", CRASH)):
        content = RECORDING.format(log=str(adsctl.home / "recorded"), crash=crash)
        adsctl.file(f"{name}/sitecustomize.py", content)
    adsctl.env |= {"TMPDIR": str(adsctl.home / "tmp"), "ADSCTL_TOKEN_STORE": "file"}
    return adsctl


def of_python(adsctl: Adsctl, folder: str = "well") -> dict[str, str]:
    """Return the variables that make a new Python record what it does, or crash."""
    return {"PYTHONPATH": f"{adsctl.home}/{folder}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}


def run(
    adsctl: Adsctl, line: str, env: dict[str, str], *options: str, folder: str = "well"
) -> subprocess.CompletedProcess[bytes]:
    """Run a shell line with every option that makes adsctl verbose."""
    environment = adsctl.installed(*WATCHED, *options) | of_python(adsctl, folder) | env
    return subprocess.run(
        ["bash", "-c", line], env=environment, cwd=adsctl.home, capture_output=True, timeout=120
    )


def run_here(
    adsctl: Adsctl, line: str, env: dict[str, str], *options: str, folder: str = "well"
) -> subprocess.CompletedProcess[bytes]:
    """Run commands as `run` does, in the process of the tests, up to the first that fails."""
    outputs = []

    def execute(command: str) -> subprocess.CompletedProcess[str]:
        command = re.sub(r"\$\((.*)\)", lambda inner: execute(inner[1]).stdout.strip(), command)
        done = adsctl(*WATCHED, *options, *shlex.split(command)[1:], code=None, **env)
        outputs.append((done.stdout.encode(), done.stderr.encode()))
        return done

    with pytest.MonkeyPatch.context() as patch, recording(adsctl.home / "recorded"):
        patch.setattr(sys, "dont_write_bytecode", True)
        for auth in (SignedAuth, BearerAuth, httpx.BasicAuth) if folder == "crash" else ():
            patch.setattr(auth, "auth_flow", lambda self, request: 1 / 0)
        for command in line.split(" && "):
            if (done := execute(command)).returncode:
                break
    return subprocess.CompletedProcess(line, done.returncode, *map(b"".join, zip(*outputs, strict=True)))


def search(adsctl: Adsctl, allowed: set[str], **outputs: bytes) -> None:
    """Search output, written files and command lines."""
    files = {str(path): path.read_bytes() for path in adsctl.home.rglob("*") if path.is_file()}
    for name in (*LISTS, "config/secrets.json"):  # where they belong
        files.pop(str(adsctl.home / name), None)
    recorded = files[str(adsctl.home / "recorded")].decode()
    assert "ran " in recorded
    for line in recorded.splitlines():
        if line.startswith("wrote "):
            place = (adsctl.home / line.removeprefix("wrote ")).resolve()
            assert place.is_relative_to(adsctl.home) or str(place).startswith(("/dev/", "/proc/")), line
    for name, secret in (PLANTED | PEOPLE).items():
        for place, content in (outputs | files).items():
            for spelling in spellings(secret):
                assert spelling not in content or (name in allowed and place in outputs), f"{name} in {place}"


def echo(request: Request) -> Response:
    """Reject a request, and quote its content and signature in every encoding."""
    key, key_secret, token, token_secret, bearer = PLANTED.values()
    known = {"Basic": [key, key_secret], "Bearer": [bearer], "OAuth": [key, key_secret, token, token_secret]}
    secrets = known[request.headers["Authorization"].split()[0]]
    texts = [str(request.headers), request.url, *secrets, *map(quote, secrets)]
    texts += [quote(secret, safe="") for secret in secrets]
    for before in range(3):
        texts += [base64.b64encode(f"{' ' * before}{secret}:x".encode()).decode() for secret in secrets]
    message = " | ".join(texts)
    body = {"errors": [{"code": "INVALID", "message": message}], "Authorization": message}
    return Response(json.dumps(body).replace("/", r"\/"), 400, {"X-Echo": " ".join(secrets)})


OF_ONE_REQUEST = sorted(LINES.keys() - CUSTOM_COMMANDS.keys())  # one code for all
BY_HAND = LINES.keys() & CUSTOM_COMMANDS.keys() | {"auth bearer issue", "auth bearer revoke"}
COMMANDS = sorted(BY_HAND.union(OF_ONE_REQUEST[:: tries(16, 1)]))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_a_secret_anywhere(watched, world, httpserver, monkeypatch, command):
    httpserver.expect_request(re.compile(".*")).respond_with_handler(echo)
    monkeypatch.setattr(identity, "START_TIMEOUT_SECONDS", 0)  # no emulator is about to start
    execute = run if command in STARTING else run_here
    line = WITHOUT_A_SHELL.get(command) or LINES.get(command) or EXAMPLES[command]
    refused = world | dict.fromkeys(ADDRESSES, httpserver.url_for("").rstrip("/"))
    runs = [execute(watched, line, world), execute(watched, line, refused, "--max-attempts", "1")]
    assert runs[0].returncode == ENDS_HERE.get(command, 0), runs[0].stderr.decode()
    if httpserver.log:  # else nothing is signed, and nothing crashes
        if (path := watched.home / "state" / "state.db").exists():
            shutil.copy(path, watched.home / "earlier.db")
            stored(watched, "DELETE FROM runs")  # an unfinished job is not begun again
        runs.append(execute(watched, line, world, folder="crash"))
        logs = [path.read_bytes() for path in watched.home.rglob("*.log")]  # of the tasks of a fleet
        texts = b"".join([runs[2].stderr, *logs])
        assert runs[1].returncode or command in WORKS_WITHOUT_ANSWER
        assert runs[2].returncode == 1 and b"Traceback" in texts
    outputs = {
        f"{n} {where}": getattr(done, where) for n, done in enumerate(runs) for where in ("stdout", "stderr")
    }
    search(watched, SHOWN.get(command, set()), **outputs)


def test_a_served_emulator_writes_no_secret_anywhere(watched, world):
    words = ("emulator", "serve", "--port", "0", *WATCHED, "--database", world["DATABASE"])
    process = watched.popen(*words, **of_python(watched))
    for line in process.stderr:
        if listening := re.search(rb"listens on (http://\S+);", line):
            break
    address = listening[1].decode()
    here = world | dict.fromkeys(ADDRESSES, address)
    done = [run_here(watched, f"adsctl {line}", here) for line in ("accounts list", "accounts get nobody")]
    wrong = here | {"ADSCTL_ACCESS_TOKEN_SECRET": PLANTED["bearer"]}
    done.append(run_here(watched, "adsctl accounts list", wrong))
    assert [run.returncode for run in done] == [0, 5, 4]
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    search(
        watched, set(), out=out, err=err, **{f"run {n}": run_done.stderr for n, run_done in enumerate(done)}
    )
