"""Several runs at once: one does the work, or each in its turn; nothing is spoiled, and none hangs."""

import json
import signal
import subprocess
import sys
import threading
import time

import pytest
import yaml
from pytest_httpserver import HTTPServer

from ads_cli.config.file_locks import is_locked
from tests.adsctl import TIMEOUT_SECONDS
from tests.auth.test_signin import KEY, KEY_SECRET, LOGIN, Service
from tests.conftest import feed
from tests.effort import tries

TOGETHER = tries(5, 10)


def started(adsctl, *calls: tuple[object, ...]) -> list[subprocess.Popen[str]]:
    return [
        subprocess.Popen(
            adsctl.forked(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=adsctl.environment,
            cwd=adsctl.home,
            text=True,
        )
        for words in calls
    ]


def all_at_once(adsctl, *calls: tuple[object, ...], input: str | None = None) -> list[int]:
    """Start every command before any has ended; give their exit codes."""
    running = started(adsctl, *calls)
    for process in running:
        process.communicate(input, timeout=100)
    return [process.returncode for process in running]


def test_of_many_pushes_of_one_file_one_runs_and_the_others_say_so(adsctl, service):
    adsctl.file("feed.csv", feed(100))
    others_ended = threading.Event()
    service.before = lambda number: others_ended.wait(30)
    running = started(adsctl, *[("products", "push", "feed.csv")] * 4)
    deadline = time.monotonic() + 30
    while sum(process.poll() is None for process in running) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    others_ended.set()
    assert sorted(process.wait(30) for process in running) == [0, 11, 11, 11]
    assert len(service.puts) == 4 and len(service.stored) == 100


@pytest.fixture
def shop(adsctl, httpserver: HTTPServer):
    address = httpserver.url_for("").rstrip("/")
    adsctl.env |= {"ADSCTL_CONSUMER_KEY": KEY, "ADSCTL_CONSUMER_SECRET": KEY_SECRET}
    adsctl.env |= {"ADSCTL_BASE_URL": address, "ADSCTL_ADS_URL": address}
    Service(httpserver)
    return adsctl


def test_sign_ins_at_once_keep_every_token(shop):
    names = [f"shop{number}" for number in range(4)]
    logins = [("--profile", name, *LOGIN) for name in [*names, names[0]]]
    assert all_at_once(shop, *logins, input="1234567\n") == [0] * 5
    kept = json.loads((shop.home / "config" / "secrets.json").read_text())
    assert sorted(kept) == names and all("access_token_secret" in secrets for secrets in kept.values())
    config = yaml.safe_load((shop.home / "config" / "config.yaml").read_text())
    assert sorted(config["profiles"]) == names
    shop("-p", names[3], "accounts", "list")


def test_a_configuration_that_many_write_at_once_holds_what_each_wrote(adsctl):
    names = [f"shop{number}" for number in range(TOGETHER)]
    writes = [("profile", "set", name, f"account={name}") for name in names]
    assert all_at_once(adsctl, *writes) == [0] * TOGETHER
    config = yaml.safe_load((adsctl.home / "config" / "config.yaml").read_text())
    assert config["profiles"] == {name: {"account": name} for name in names}
    assert not list((adsctl.home / "config").glob(".*.yaml.*"))  # no half-written file is left


def test_the_lock_of_a_push_that_was_killed_is_taken_over_at_once(adsctl, service):
    adsctl.file("feed.csv", feed(100))
    reached, go_on = threading.Event(), threading.Event()
    service.before = lambda number: (reached.set(), go_on.wait(TIMEOUT_SECONDS))
    process = adsctl.popen("products", "push", "feed.csv", "--concurrency", "1")
    assert reached.wait(TIMEOUT_SECONDS)
    (lock,) = (adsctl.home / "state" / "locks").glob("job-*")
    assert is_locked(lock)
    assert "another run" in adsctl("products", "push", "feed.csv", "--resume", code=11).stderr
    process.send_signal(signal.SIGKILL)
    process.communicate()
    service.before = lambda number: None
    go_on.set()
    service.settle()
    adsctl("products", "push", "feed.csv", "--resume")
    assert len(service.stored) == 100


def test_the_lock_of_a_killed_process_is_released(adsctl):
    adsctl("profile", "set", "shop", "account=1")
    folder = adsctl.home / "config"
    code = (
        "import sys, time; from filelock import FileLock;"
        "lock = FileLock(sys.argv[1]); lock.acquire(); print('held', flush=True); time.sleep(20)"
    )
    words = [sys.executable, "-c", code, str(folder / "config.lock")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        waiting = adsctl.popen("profile", "set", "shop", "account=2")
        time.sleep(0.6)
        assert waiting.poll() is None  # it waits for its turn
        holder.kill()
        waiting.communicate(timeout=TIMEOUT_SECONDS)
        assert waiting.returncode == 0
    assert "account: '2'" in (folder / "config.yaml").read_text().replace('"', "'")


def test_an_emulator_that_many_open_at_once_is_made_once(adsctl):
    assert all_at_once(adsctl, *[("--profile", "local", "accounts", "list")] * 4) == [0] * 4
    assert [path.name for path in (adsctl.home / "state").glob("emulator.db*") if path.suffix == ".db"] == [
        "emulator.db"
    ]
