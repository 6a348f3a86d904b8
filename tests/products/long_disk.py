"""Disks that are full, that hang, or that cannot be written: the push stops, and nothing is lost."""

import json
import resource
import sqlite3
import subprocess
import time

import pytest

from tests.conftest import feed
from tests.effort import tries
from tests.products.stopping import acknowledged, ids_of

ROWS, BATCHES = 250, 10
LOG = 60_000  # bytes: less than the log of SQLite has after a push of these


def test_a_slow_disk_slows_the_push_down(adsctl, service):
    """Another process that holds the lock of the database stands for the disk."""
    other: list[sqlite3.Connection] = []

    def hang(number: int) -> None:
        if number == 1:
            path = adsctl.home / "state" / "state.db"
            other.append(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
            other[0].execute("BEGIN IMMEDIATE")

    service.before = hang
    adsctl.file("feed.csv", feed(120 * 25))
    process = adsctl.popen("products", "push", "feed.csv", "-o", "json", "--concurrency", "2")
    seen, since, deadline = 0, time.monotonic(), time.monotonic() + 60
    while not seen or time.monotonic() - since < 1:
        assert process.poll() is None and time.monotonic() < deadline
        if len(service.puts) > seen:
            seen, since = len(service.puts), time.monotonic()
        time.sleep(0.01)
    assert seen < 60  # those in one commit, those that wait for the next, and those in flight
    other[0].close()
    out, err = process.communicate(timeout=60)
    assert json.loads(out)["created"] == 3000, err
    assert len(acknowledged(adsctl)) == len(service.puts) == 120


def test_a_full_disk_stops_the_push_and_loses_nothing(adsctl, service):
    adsctl.local("campaigns", "update", "8wku2", "--name", "Spring")  # makes the tables
    adsctl.file("feed.csv", feed(ROWS))

    def wait_for_an_acknowledgement(puts: int) -> None:  # those that wait are written, or lost, together
        while puts and not acknowledged(adsctl):
            time.sleep(0.01)

    service.before = wait_for_an_acknowledgement
    # A limit on the size of files stands for a disk that fills up while the log of the database grows.
    done = subprocess.run(
        adsctl.command("products", "push", "feed.csv", "--concurrency", "1"),
        env=adsctl.environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=adsctl.home,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LOG, LOG)),
    )
    assert done.returncode == 11 and "state.db" in done.stderr and "Traceback" not in done.stderr
    safe = acknowledged(adsctl)
    assert 0 < len(safe) < BATCHES
    before = len(service.puts)
    adsctl("products", "push", "feed.csv", "--resume")
    assert len(service.stored) == ROWS
    assert not {tuple(put) for put in service.puts[before:]} & {tuple(ids_of(batch)) for batch in safe}


@pytest.mark.parametrize("source", ["-", "/dev/stdin", "/dev/fd/0"][: tries(2, 3)])
def test_a_full_disk_of_the_temporary_folder_is_named_as_what_it_is(adsctl, source):
    done = subprocess.run(
        adsctl.command("products", "check", source, "--format", "csv"),
        input=feed(ROWS).encode(),
        env=adsctl.environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=adsctl.home,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)),
    )
    name, said = {"-": "standard input"}.get(source, source), done.stderr.decode()
    assert done.returncode == 11 and f"{name} cannot be copied to a temporary file" in said
    assert "TMPDIR" in said and "standard output" not in said


def test_a_state_folder_that_cannot_be_written_ends_with_11_before_anything_is_sent(adsctl, service):
    adsctl.file("feed.csv", feed(10))
    adsctl.file("state", "a file where a folder should be")
    done = adsctl("products", "push", "feed.csv", code=11)
    assert "state.db cannot be used" in done.stderr and service.puts == []


@pytest.mark.parametrize("is_served", [False, True])
def test_a_full_disk_of_the_emulator_is_said_at_once(adsctl, is_served):
    adsctl.local("accounts", "list")
    adsctl.file("feed.csv", feed(1000))
    room = (adsctl.home / "state" / "emulator.db").stat().st_size + 50_000
    served = ("emulator", "exec", "--database", "state/emulator.db", "--", *adsctl.command())
    words = served if is_served else ("--profile", "local")
    done = subprocess.run(
        adsctl.command(*words, "products", "push", "feed.csv", "--max-attempts", "2"),
        env=adsctl.environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=adsctl.home,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    assert "the emulator cannot use" in done.stderr and "Traceback" not in done.stderr
    assert done.returncode == (8 if is_served else 11)
    assert "ADSCTL_STATE_DIR" in done.stderr or is_served


@pytest.mark.parametrize(
    "words", [("jobs", "list"), ("jobs", "clean"), ("-p", "local", "accounts", "list"), ("emulator", "env")]
)
def test_an_unusable_state_folder_exits_with_11_and_names_its_variable(adsctl, words):
    adsctl.file("state", "a file where a folder should be")
    assert "ADSCTL_STATE_DIR" in adsctl(*words, code=11).stderr


def test_rejected_rows_that_cannot_be_written_exit_with_11_after_the_summary(adsctl, service):
    adsctl.file("feed.csv", feed(50) + feed(1, price="cheap").splitlines()[1].replace("sku-1", "sku-99"))
    words = ("products", "push", "feed.csv", "--skip-invalid", "-o", "json", "--failed-out")
    done = adsctl(*words, "/dev/full", code=11)
    assert "/dev/full: cannot be written: no space left on device" in done.stderr
    assert json.loads(done.stdout)["created"] == 50
    adsctl(*words, "failed.csv", "--resume", code=9)
    assert len(service.puts) == 2 and "sku-99" in (adsctl.home / "failed.csv").read_text()


def test_a_log_file_that_cannot_be_opened_ends_with_2_before_anything_is_sent(adsctl, service):
    adsctl.file("feed.csv", feed(10))
    done = adsctl("products", "push", "feed.csv", "--log-file", "nowhere/log", code=2)
    assert "--log-file: nowhere/log" in done.stderr and service.puts == []
    assert done.stdout == "" and not (adsctl.home / "state").exists()
