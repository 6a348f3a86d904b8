"""Locks on a file system without flock: no run waits for ever, and each says what to do."""

import errno
import fcntl
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ads_cli.api.rates import Rate
from ads_cli.auth.secret_stores import FileStore
from ads_cli.client.shared_window import SharedWindow
from ads_cli.config import file_locks
from ads_cli.config.file_locks import is_locked, locked, locked_or_refused, try_lock
from ads_cli.errors import StateError
from tests.conftest import feed

ELSEWHERE = "4711\nweb-2.example\n"
PUSH = ("products", "push", "feed.csv")


@pytest.fixture
def lock(adsctl, service):
    """The lock of a job, after a push on a file system with flock."""
    adsctl.file("feed.csv", feed(30))
    adsctl(*PUSH)
    (path,) = (adsctl.home / "state" / "locks").glob("job-*")
    return path


@pytest.fixture
def no_flock(monkeypatch):
    """A file system whose system has no flock; a lock that is held makes a run wait for a moment only."""

    def missing(*_):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", missing)
    monkeypatch.setattr(file_locks, "LOCK_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(file_locks, "RECLAIM_SECONDS", 0.5)


def test_without_flock_a_push_runs_and_leaves_no_lock(adsctl, lock, no_flock):
    lock.unlink()
    assert "flock" not in adsctl(*PUSH).stderr
    assert not lock.exists()


def test_a_job_that_another_machine_pushes_is_named_with_its_lock(adsctl, service, lock, no_flock):
    sent = len(service.puts)
    lock.write_text(ELSEWHERE)
    said = adsctl(*PUSH, code=11).stderr
    assert "process 4711 on web-2.example" in said and f"remove {lock}" in said.replace("\n", " ")
    assert len(service.puts) == sent
    lock.unlink()
    adsctl(*PUSH)


def test_a_lock_that_names_nobody_is_told_of(adsctl, lock, no_flock):
    lock.write_bytes(b"")  # left by a run that had flock
    said = adsctl(*PUSH, code=11).stderr
    assert f"remove {lock}" in said and "another machine" in said


def test_the_lock_of_a_dead_process_is_taken(adsctl, service, lock, no_flock):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    lock.write_text(f"{dead.pid}\n{socket.gethostname()}\n")
    adsctl(*PUSH)


def test_a_lock_that_was_cut_by_a_crash_is_taken(adsctl, lock, no_flock, monkeypatch):
    monkeypatch.setattr("filelock._soft.MALFORMED_LOCK_AGE_THRESHOLD", 0.1)
    lock.write_text("47")
    adsctl(*PUSH)


@pytest.mark.parametrize("folder", ["/proc", "/proc/self/fdinfo", "/dev/null"])
def test_a_lock_that_cannot_be_created_is_not_told_as_held_by_a_process(monkeypatch, folder):
    monkeypatch.setattr(file_locks, "LOCK_TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(file_locks, "RECLAIM_SECONDS", 0.1)
    path = Path(folder) / "x.lock"
    for take in (
        try_lock,
        lambda path: held(locked(path)),
        lambda path: held(locked_or_refused(path, "busy")),
    ):
        with pytest.raises(StateError, match=r"x\.lock cannot be written") as raised:
            take(path)
        assert folder in raised.value.hint


def test_to_look_for_a_lock_makes_no_file(tmp_path):
    path = tmp_path / "locks" / "x.lock"
    assert not is_locked(path) and not path.parent.exists()
    with locked(path):
        assert is_locked(path)
    assert not is_locked(path)


def held(lock) -> None:
    with lock:
        pass


def test_a_push_whose_lock_may_not_be_written_says_so(adsctl, lock, monkeypatch):
    def refuse(path, *words, **options):
        if str(path).endswith(".lock"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, *words, **options)

    opened = os.open
    monkeypatch.setattr(os, "open", refuse)
    said = adsctl(*PUSH, code=11).stderr
    assert ".lock cannot be written: Permission denied" in said and "hint: make " in said


def test_the_configuration_is_not_waited_for_without_end(adsctl, no_flock):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.lock", ELSEWHERE)
    said = adsctl("profile", "set", "shop", "account=18ce54d4x5t", code=11).stderr
    assert "config.lock is locked" in said and "process 4711 on web-2.example" in said


# What a command does not show, a program that imports this does.
not_supported = pytest.mark.filterwarnings("ignore:flock not supported")


@not_supported
def test_the_file_of_secrets_is_not_waited_for_without_end(tmp_path, no_flock):
    (tmp_path / "secrets.lock").write_text(ELSEWHERE)
    with pytest.raises(StateError, match="is locked"):
        FileStore(tmp_path / "secrets.json").delete("shop", ("access_token",))


@not_supported
def test_a_rate_whose_lock_is_held_elsewhere_is_kept_by_this_process(tmp_path, no_flock, monkeypatch):
    monkeypatch.setattr("ads_cli.client.shared_window.LOCK_TIMEOUT_SECONDS", 0.1)
    window = SharedWindow(tmp_path, "https://ads.example", Rate("users", 2, 60.0))
    SharedWindow(tmp_path, "https://ads.example", Rate("users", 2, 60.0)).acquire()
    (path,) = (path for path in tmp_path.iterdir() if not path.name.endswith(".lock"))
    (tmp_path / f"{path.name}.lock").write_text(ELSEWHERE)
    assert [bool(window.acquire().delay) for _ in range(3)] == [False, False, True]
