"""--log-file: a log is appended to no file that the command reads or writes otherwise."""

import json
import os
import subprocess
from itertools import product
from pathlib import Path

import pytest

from tests.conftest import feed
from tests.effort import every

LOG = "the-log"
PEOPLE = "email\nana@shop.example\n"
ORDERS = "conversion_time,event_id,email\n2026-03-01T09:00:00Z,o3f71,a@x.de\n"
STATS = ("--since", "2026-01-01", "--until", "2026-01-02", "--all", "--metrics", "clicks")
# Command lines, in which LOG is a file that is read or written.
READ = {
    "push": (feed(2), "products push the-log --format csv"),
    "one of several feeds": (feed(2), "products push feed.csv the-log --format csv"),
    "check": (feed(2), "products check the-log --format csv"),
    "convert": (feed(2), "products convert the-log out.jsonl --format csv"),
    "sync": (feed(2), "products sync the-log --format csv"),
    "diff": (feed(2), "products diff the-log --format csv"),
    "update": (feed(2), "products update the-log --format csv"),
    "delete": (feed(2), "products delete --by id --from the-log --format csv --yes"),
    "people": (PEOPLE, "audiences push the-log --audience 1nmth --format csv"),
    "a pattern": (PEOPLE, "audiences push the-* --audience 1nmth --format csv"),
    "hash": (PEOPLE, "audiences hash the-log hashed.csv --format csv"),
    "conversions": (ORDERS, "conversions send the-log --pixel o8z6j --format csv"),
    "document": ("name: x\n", "campaigns create -f the-log"),
    "nested": ("[]", "catalog sets create --name x --filters @the-log"),
    "recipe": ("{}", "products push feed.csv --recipe the-log"),
    "env file": ("ADSCTL_ACCOUNT=1\n", "accounts list --env-file the-log"),
    "table of media": ("file\nhero.png\n", "media check -f the-log --format csv"),
    "fleet": ("tasks:\n- {name: a, run: products check feed.csv}\n", "fleet run the-log"),
}
WRITTEN = {
    "pull": "products pull the-log",
    "converted": "products convert feed.csv the-log",
    "failed-out": "products push feed.csv --failed-out the-log",
    "report": "products check feed.csv --report the-log",
    "hashed": "audiences hash people.csv the-log",
    "export": f"stats export the-log {' '.join(STATS)}",
    "table": f"stats export --into sqlite:the-log {' '.join(STATS)}",
    "picture": f"stats get --plot the-log {' '.join(STATS)}",
    "recipe": "products check feed.csv --write-recipe the-log",
}


def home_of(log: Path) -> Path:
    """The folder of the feeds: those of adsctl hold nothing else."""
    return next(folder for folder in log.parents if (folder / "feed.csv").exists())


def itself(log: Path) -> str:
    return log.name


def absolute(log: Path) -> str:
    return str(log)


def by_symbolic_link(log: Path) -> str:
    link = home_of(log) / "linked"
    link.symlink_to(log)
    return str(link)


def by_hard_link(log: Path) -> str:
    if not log.exists():
        return f"./{log.name}"  # there is nothing to link yet
    link = home_of(log) / "linked"
    os.link(log, link)
    return str(link)


NAMES = (itself, absolute, by_symbolic_link, by_hard_link)


@pytest.fixture
def shop(adsctl, service):
    adsctl.file("feed.csv", feed(2))
    adsctl.file("people.csv", PEOPLE)
    return adsctl


def refused(shop, words: list[str], log: str, **env: str) -> None:
    said = shop(*words, "--log-file", log, code=2, **env).stderr
    assert "--log-file" in said and "which the command reads or writes" in said


# Of every three cases one, so that each command has one or two of the four names.
@pytest.mark.parametrize(("command", "named"), every(3, product(READ, NAMES)))
def test_an_input_is_not_written_to(shop, service, command, named):
    content, words = READ[command]
    log = shop.file(LOG, content)
    refused(shop, words.split(), named(log))
    assert log.read_text() == content and service.puts == []


@pytest.mark.parametrize(("command", "named"), every(3, product(WRITTEN, NAMES)))
def test_an_output_is_not_the_log_too(shop, service, command, named):
    log = shop.home / LOG
    refused(shop, WRITTEN[command].split(), named(log))
    assert not log.exists() and service.puts == []


@pytest.mark.parametrize("named", [absolute, by_symbolic_link, by_hard_link])
@pytest.mark.parametrize(
    "name",
    [
        *("config/config.yaml", "config/secrets.json"),
        *("state/state.db", "state/state.db-wal", "state/exports/1/0.json.gz", "state/emulator.db"),
    ],
)
def test_no_file_of_adsctl_itself_is_written_to(shop, name, named):
    path = shop.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    path.write_text("profiles: {}\n")
    path.chmod(0o600)
    refused(shop, ["accounts", "list"], named(path))
    assert path.read_text() == "profiles: {}\n"


def test_a_file_of_a_secret_is_not_written_to(shop):
    shop.file("token", "secret").chmod(0o600)
    refused(shop, ["accounts", "list"], "token", ADSCTL_ACCESS_TOKEN_FILE=str(shop.home / "token"))


def test_the_file_of_the_guard_is_not_written_to(shop):
    limits = shop.file("guard.yaml", "read_only: true\n")
    refused(shop, ["accounts", "list"], "guard.yaml", ADSCTL_GUARD=str(limits))


@pytest.mark.parametrize("words", ["accounts list", "products push feed.csv --failed-out other.csv"])
@pytest.mark.parametrize("log", ["adsctl.log", "None"])
def test_another_file_takes_the_log(shop, words, log):
    shop(*words.split(), "--log-file", log)
    assert (shop.home / log).read_text()


def test_redirected_streams_are_not_the_log(shop):
    content = feed(2)
    shop.file(LOG, content)
    run = shop.installed()
    for redirection in ("products push - --format csv < the-log", "accounts list > the-log"):
        done = subprocess.run(
            ["sh", "-c", f"adsctl {redirection} --log-file the-log"],
            cwd=shop.home,
            env=run,
            capture_output=True,
        )
        assert done.returncode == 2 and b"standard " in done.stderr


CAMPAIGN = [
    "campaigns",
    "create",
    "--name",
    "Spring",
    "--funding-instrument-id",
    "4a1n0",
    "--daily-budget",
    "5",
]


def campaigns_called(adsctl, name):
    listed = json.loads(adsctl("-p", "local", "campaigns", "list", "--all", "-o", "json").stdout)
    return [record["id"] for record in listed if record["name"] == name]


def test_a_campaign_that_the_full_log_could_not_note_is_shown_and_known(adsctl):
    done = adsctl("-p", "local", *CAMPAIGN, "--log-file", "/dev/full", "-o", "ids", code=11)
    assert campaigns_called(adsctl, "Spring") == done.stdout.split() != []
    assert "--log-file: cannot be written" in done.stderr and "all else was done" in done.stderr
    (change,) = json.loads(adsctl("changes", "list", "-o", "json").stdout)
    assert (change["outcome"], change["ids"]) == ("ok", done.stdout.split())


def test_nothing_is_asked_after_an_answer_that_the_full_log_could_not_note(adsctl):
    words = ("campaigns", "list", "--all", "--count", "1", "--log-file", "/dev/full")
    done = adsctl("-p", "local", *words, code=11)
    assert "--log-file: cannot be written" in done.stderr and "all else" not in done.stderr
