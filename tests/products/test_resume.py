"""A run that is stopped goes on where it stopped: no row is lost, no acknowledged batch is sent again."""

import json
import re
import signal
import socket
import threading
from threading import Event
from urllib.parse import urlsplit

import pytest

from ads_cli.emulator.server import CONNECTION
from tests.conftest import feed
from tests.effort import THOROUGH
from tests.products.stopping import acknowledged, ids_of, settle_after_kill, stop_at

ROWS, BATCHES = 200, 8


@pytest.mark.parametrize("put", range(BATCHES) if THOROUGH else (0, 5))
def test_a_killed_push_sends_no_acknowledged_batch_again(adsctl, service, put):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, put, signal.SIGKILL, "--concurrency", "4")
    safe = acknowledged(adsctl)
    before = len(service.puts)
    done = adsctl("products", "push", "feed.csv", "--resume", "-o", "json")
    summary = json.loads(done.stdout)
    again = {tuple(sent) for sent in service.puts[before:]}
    assert not again & {tuple(ids_of(batch)) for batch in safe}
    assert again >= {tuple(ids_of(batch)) for batch in range(BATCHES) if batch not in safe}
    assert sorted(service.stored) == sorted(f"sku-{n}" for n in range(1, ROWS + 1))
    assert summary["created"] + summary["unchanged"] == ROWS and summary["failed"] == 0
    assert summary["batches"] == BATCHES and summary["requests"] == BATCHES - len(safe)


@pytest.mark.parametrize(
    ("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_run_with_its_code_and_the_resume_command(adsctl, service, signum, code):
    adsctl.file("feed.csv", feed(ROWS))
    process = stop_at(adsctl, service, 4, signum, "--concurrency", "2")
    assert process.returncode == code
    error = json.loads(process.err.splitlines()[-1])["error"]
    assert error["exit_code"] == code and error["message"] == f"stopped by {signum.name}"
    assert "--resume" in error["hint"] and b"Traceback" not in process.err
    summary = json.loads(process.out)
    assert summary["created"] == 25 * len(acknowledged(adsctl))
    adsctl("products", "push", "feed.csv", "--resume")
    assert len(service.stored) == ROWS


def test_the_bar_leaves_room_for_what_the_terminal_shows_of_ctrl_c(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    interrupted = Event()
    service.before = lambda number: interrupted.wait(30)  # the push cannot end before Ctrl-C
    shell = adsctl.terminal("products", "push", "feed.csv", width=60, TERM="xterm")
    shell.expect_exact(f"/{ROWS}")  # the end of the first bar, but for the time that is left
    shell.sendintr()
    shell.expect_exact("^C")
    interrupted.set()
    shown = shell.before + shell.read()
    # ^C may come in the middle of a sequence, so that this is whole only without it.
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    bars = [line for line in re.split(r"[\r\n]", drawn) if "━" in line]
    assert bars and max(map(len, bars)) <= 58 and "stopped by SIGINT" in shown


def test_resume_starts_from_the_beginning_if_nothing_is_unfinished(adsctl, service):
    adsctl.file("feed.csv", feed(50))
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "nothing to resume, starting from the beginning: no earlier push of this file is known" in said
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "starting from the beginning: the last push of this file has ended" in said
    assert len(service.puts) == 4


def test_another_file_is_another_job(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 4, signal.SIGKILL, "--concurrency", "1")
    adsctl.file("feed.csv", feed(ROWS, title="Other"))
    before = len(service.puts)
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "starting from the beginning: the file has changed since the unfinished push" in said
    assert len(service.puts) - before == BATCHES


@pytest.mark.parametrize("other", ["feed.csv", "other.csv"])
def test_a_job_that_another_push_has_overwritten_is_not_resumed(adsctl, service, other):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 4, signal.SIGKILL, "--concurrency", "1")
    adsctl.file(other, feed(ROWS, title="Other"))
    adsctl("products", "push", other)
    adsctl.file("feed.csv", feed(ROWS))
    before = len(service.puts)
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "something else may have been sent to the same place since the unfinished push" in said
    assert len(service.puts) - before == BATCHES


def test_a_push_to_another_place_does_not_prevent_a_resume(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 4, signal.SIGKILL, "--concurrency", "1")
    adsctl("products", "push", "feed.csv", "--profile", "local")
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "resuming job" in said and f"4 of {BATCHES} batches" in said


def test_a_served_emulator_is_recognized_on_another_port(adsctl):
    adsctl.file("feed.csv", feed(100))
    push = adsctl.forked("products", "push", "feed.csv", "--concurrency", "1", "--max-errors", "1")
    served = ("emulator", "exec", "--database", "state/emulator.db")
    adsctl(*served, "--fault", "PUT * partial times=1", "--", *push, code=9)
    done = adsctl(*served, "--", *push, "--resume", "-o", "json", code=9)
    assert "resuming job" in done.stderr and json.loads(done.stdout)["created"] > 0
    adsctl("emulator", "reset", "--yes")
    done = adsctl(*served, "--", *push, "--resume")
    assert "starting from the beginning: the last push of this file has ended" in done.stderr


def test_a_resumed_run_writes_the_rejected_rows_of_the_first(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    service.fail("PUT * partial times=3")
    failed_out = ("--failed-out", "failed.csv")
    stop_at(adsctl, service, 4, signal.SIGKILL, "--concurrency", "1", *failed_out)
    done = adsctl("products", "push", "feed.csv", "--resume", *failed_out, "-o", "json", code=9)
    failed = (adsctl.home / "failed.csv").read_text().splitlines()[1:]
    assert len(failed) == json.loads(done.stdout)["failed"] == 39


def test_a_service_that_keeps_failing_exits_with_8_and_the_resume_command(adsctl, service):
    adsctl.file("feed.csv", feed(100))
    service.fail("PUT * status=503 retry-after=0")
    done = adsctl("products", "push", "feed.csv", "--max-attempts", "2", code=8)
    assert "--resume" in done.stderr


def test_a_test_waits_for_every_connection_of_a_process_that_has_ended(service):
    served = urlsplit(service.address)
    for _ in range(50):
        for _ in range(3):
            socket.create_connection((served.hostname, served.port)).close()
        settle_after_kill(service)
        assert CONNECTION not in {thread.name for thread in threading.enumerate()}
