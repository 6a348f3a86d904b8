"""Runs that are stopped at a chosen request, and what is remembered of them."""

import socket
import subprocess
import threading
import time
from urllib.parse import urlsplit

import msgspec

from ads_cli.emulator.server import CONNECTION
from ads_cli.runs.job import Acknowledgement
from tests.stored import stored

ANSWERED = "SELECT answer FROM sends WHERE answer IS NOT NULL"


def list_jobs(adsctl) -> list[str]:
    """Return the ids of the jobs, oldest first."""
    return stored(adsctl, "SELECT id FROM runs ORDER BY id")


def acknowledgements(adsctl, job: str | None = None) -> list[Acknowledgement]:
    """Return the acknowledgements of a job, or of all."""
    answers = stored(adsctl, f"{ANSWERED} AND run = coalesce(?, run)", job)
    return [msgspec.json.decode(answer, type=Acknowledgement) for answer in answers]


def acknowledged(adsctl) -> set[int]:
    """Return the numbers of the batches that were acknowledged."""
    return {ack.batch for ack in acknowledgements(adsctl)}


def ids_of(batch: int) -> list[str]:
    return [f"sku-{n}" for n in range(batch * 25 + 1, batch * 25 + 26)]


def run(adsctl, *words: object, **env: str) -> tuple[int, str]:
    """Run a command beside the test; return its exit code and what it said."""
    process = adsctl.beside(*words, **env)
    said = process.communicate(timeout=60)[1]
    return process.returncode, said.decode()


def stop_at(adsctl, service, put: int, signum: int, *words: str, command: str = "push") -> subprocess.Popen:
    """Push, and stop the run by a signal when the service is about to take PUT number `put`.

    Where one goes at a time, all before it are on the disk by then.
    """
    reached = threading.Event()
    go_on = threading.Event()
    due = put - len(service.puts) if "1" in words else 0

    def before(number: int) -> None:
        if number == put:
            reached.set()
            go_on.wait(20)

    service.before = before
    process = adsctl.beside("products", command, "feed.csv", "-o", "json", *words)
    assert reached.wait(60), process.communicate()
    deadline = time.monotonic() + 20
    last = f"{ANSWERED} AND run = (SELECT max(id) FROM runs)"
    while due and len(stored(adsctl, last)) < due:
        assert time.monotonic() < deadline, "an answer never reached the disk"
        time.sleep(0.01)
    process.send_signal(signum)
    process.out, process.err = process.communicate(timeout=60)
    service.before = lambda number: None
    go_on.set()
    settle_after_kill(service)
    return process


def settle_after_kill(service) -> None:
    """Wait until the service has read all that an ended process had sent, and has answered it."""
    served = urlsplit(service.address)
    with socket.create_connection(
        (served.hostname, served.port), 30
    ) as last:  # accepted after those of the process
        last.shutdown(socket.SHUT_WR)
        assert last.recv(1) == b""
    for thread in threading.enumerate():
        if thread.name == CONNECTION:  # it reads on, then its connection ends
            thread.join(30)
            assert not thread.is_alive()
    service.settle()
