"""A fleet that is stopped, by a signal or by a kill, and goes on with --resume."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.adsctl import TIMEOUT_SECONDS, wait_until
from tests.conftest import feed
from tests.late_signal import late_signal
from tests.records.conftest import BatchService


def state_of(adsctl) -> dict[str, str]:
    shown = json.loads(adsctl("fleet", "status", "fleet.yaml", "-o", "json", code=None).stdout)
    return {task["task"]: task["status"] for task in shown}


@pytest.fixture
def shop(fleet, service, adsctl):
    """A fleet of three jobs of one account; the first can be stopped while its second batch is in flight."""
    adsctl.file("shop.csv", feed(100))
    adsctl.file("people.csv", "email\nana@shop.example\n")
    fleet.write(
        "{name: shop, run: products push shop.csv --concurrency 1}",
        "{name: people, run: audiences push people.csv --audience 1nmth}",
    )
    return fleet


def stopped(adsctl, service, stop: Callable[[subprocess.Popen], None], **env: str):
    """Stop the fleet while its second batch is in flight; return its exit code and output.

    That batch stays in flight until its task has ended too.
    """
    began, ended = threading.Event(), threading.Event()

    def wait(put: int) -> None:
        if put == 1:
            began.set()
            assert ended.wait(TIMEOUT_SECONDS)

    service.before = wait
    running = adsctl.popen("fleet", "run", "fleet.yaml", "-o", "json", **env)
    assert began.wait(TIMEOUT_SECONDS)
    stop(running)
    out, err = running.communicate(timeout=TIMEOUT_SECONDS)
    wait_until(lambda: state_of(adsctl)["shop"] != "unfinished", "the task did not end")
    ended.set()
    service.settle()
    service.before = lambda put: None
    return running.returncode, out, err.decode()


def processes_of(adsctl) -> list[str]:
    """Return the processes that have its state folder in their environment."""
    marker = f"ADSCTL_STATE_DIR={adsctl.home / 'state'}".encode()
    processes = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            processes += [process.name] if marker in (process / "environ").read_bytes() else []
    return [process for process in processes if process != str(os.getpid())]


def test_a_signal_ends_the_tasks_and_the_fleet_and_resume_goes_on(shop, service, adsctl):
    """SIGINT is that of a terminal below; `long_stopped.py` sends the others."""
    require_stop_and_resume(shop, service, adsctl, signal.SIGTERM, 143)


def require_stop_and_resume(shop, service, adsctl, signum: signal.Signals, code: int) -> None:
    returncode, out, err = stopped(adsctl, service, lambda fleet: fleet.send_signal(signum))
    assert returncode == code and processes_of(adsctl) == []
    records = {record["task"]: record for record in json.loads(out)}
    assert (records["shop"]["status"], records["shop"]["exit_code"]) == ("failed", code)
    assert records["people"]["status"] == "skipped"
    error = json.loads(err.splitlines()[-1])["error"]
    assert error["code"] == "interrupted" and error["hint"].endswith("--resume")
    assert "stopped by" in adsctl("fleet", "status", "fleet.yaml", code=code).stderr
    assert [record["status"] for record in shop("--resume")] == ["ok", "ok"]
    assert len(service.puts) == 5  # four batches, and again the one that was in flight
    assert len(set(service.stored)) == len(service.stored) == 100


def test_a_signal_that_comes_right_before_the_fleet_waits_ends_its_tasks(shop, service, adsctl):
    now, environment = late_signal(adsctl, "run")
    assert stopped(adsctl, service, lambda fleet: now.touch(), **environment)[0] == 143
    assert state_of(adsctl)["shop"] == "failed"


def test_the_tasks_of_a_killed_fleet_end_and_resume_goes_on(shop, service, adsctl):
    returncode, _, _ = stopped(adsctl, service, subprocess.Popen.kill)
    assert returncode == -signal.SIGKILL
    assert state_of(adsctl)["shop"] == "failed"
    records = shop("--resume")
    assert [record["status"] for record in records] == ["ok", "ok"]
    assert len(service.puts) == 5
    assert len(set(service.stored)) == len(service.stored) == 100


def test_what_ended_before_a_kill_is_not_run_again(fleet, service, adsctl):
    adsctl.file("shop.csv", feed(100))
    adsctl.file("people.csv", "email\nana@shop.example\n")
    fleet.write(
        "{name: people, run: audiences push people.csv --audience 1nmth}",
        "{name: shop, run: products push shop.csv --concurrency 1}",
    )
    stopped(adsctl, service, subprocess.Popen.kill)
    assert state_of(adsctl)["people"] == "ok"
    service.fail("* /12/accounts/* status=400")  # a list that is pushed again fails
    assert [record["status"] for record in fleet("--resume")] == ["ok", "ok"]


def test_one_ctrl_c_on_a_terminal_reaches_each_task_once(shop, service, adsctl):
    def interrupt(put: int) -> None:
        if put == 1:
            running.sendintr()
            ended.wait(TIMEOUT_SECONDS)

    ended = threading.Event()
    service.before = interrupt
    running = adsctl.terminal("fleet", "run", "fleet.yaml", "-o", "json")
    shown = running.read()
    ended.set()
    running.close()
    assert running.exitstatus == 130
    assert shown.count('"code": "interrupted"') == 2  # of the task, and of the fleet
    service.settle()
    service.before = lambda put: None
    assert [record["status"] for record in shop("--resume")] == ["ok", "ok"]


def test_conversions_that_were_corrected_are_sent_by_a_resume_and_only_once(fleet, service, adsctl):
    sent = BatchService(service, "/12/measurement/conversions/")
    header = "conversion_time,event_id,email\n"
    adsctl.file("orders.csv", f"{header}soon,o3f71,a@x.de\n")
    fleet.write("{name: orders, run: conversions send orders.csv --pixel o8z6j}")
    adsctl("fleet", "run", "fleet.yaml", code=3)
    adsctl.file("orders.csv", f"{header}2026-03-01T09:00:00Z,o3f71,a@x.de\n")
    for _ in range(2):
        adsctl("fleet", "run", "fleet.yaml", "--resume")
    assert len(sent.sent) == 1
