"""A fleet on a Dask cluster: a real scheduler and three real workers."""

import json
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from distributed import Client

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from tests.adsctl import TIMEOUT_SECONDS

from .dask_cluster import wait_until
from .shops import BRIEF, NAMES, Company, Shops, secrets_of


@pytest.fixture(scope="module")
def company(tmp_path_factory, seeded_database) -> Iterator[Company]:
    folder = tmp_path_factory.mktemp("company")
    emulator = Emulator(shutil.copyfile(seeded_database, folder / "service.db"))
    emulator.prepared()
    shops = Shops(emulator)
    with running(shops) as address:
        company = Company(folder, shops, address, {})
        company.hire("w1", "--no-nanny")
        company.hire("w2", "--nanny")
        company.hire_behind_networks("w3")
        company.wait_for_workers()
        yield company
        company.end()
    emulator.close()


@pytest.fixture
def shops(company) -> Iterator[Shops]:
    company.shops.forget()
    yield company.shops


def push_counts(shops: Shops) -> dict[str, set[int]]:
    """How often the products of each shop were sent."""
    return {name: set(shops.sent(name).values()) for name in NAMES}


def run_beside(company: Company, fleet: str, *options: str) -> subprocess.Popen:
    """Start a fleet in a process, and wait until every worker is busy."""
    running = company.office.popen(*company.words(fleet), *options)
    wait_until(lambda: len(company.busy()) == 3, "all workers are busy")
    return running


def records_of(running: subprocess.Popen, code: int = 0) -> list[dict]:
    out, err = running.communicate(timeout=TIMEOUT_SECONDS)
    assert running.returncode == code, err.decode()
    return json.loads(out)


def assert_all_pushed(company: Company, shops: Shops, records: list[dict], rows: int) -> None:
    """Every task ended well, and each catalog is what the feed says."""
    assert [(each["task"], each["status"]) for each in records] == [(name, "ok") for name in NAMES]
    for name in NAMES:
        last = min(rows, 25) if name in BRIEF else rows
        pushed = {f"{name}-{company.round}-{number}" for number in range(1, last + 1)}
        assert pushed <= set(shops.stored_in(name))


def test_tasks_run_on_all_workers_and_results_and_logs_come_home(company, shops):
    fleet = company.feeds(NAMES, 30)
    feed = company.folder / "feeds-1" / f"{NAMES[-1]}.csv"
    feed.write_text(feed.read_text().replace("12.50 EUR", "cheap"))
    records = company.run(fleet, code=3)
    assert [(each["task"], each["status"], each["exit_code"]) for each in records] == [
        *((name, "ok", 0) for name in NAMES[:-1]),
        (NAMES[-1], "failed", 3),
    ]
    assert {each["worker"] for each in records} == {"w1", "w2", "w3"}
    assert [each["summary"]["created"] for each in records[:-1]] == [25, 25, 30, 30, 30, 30]
    assert push_counts(shops) == {name: {1} for name in NAMES[:-1]} | {NAMES[-1]: set()}
    (log,) = company.office.home.glob(f"state/fleet/*/*/{NAMES[-1]}*.log")
    assert "cheap" in log.read_text()


def test_a_killed_worker_loses_its_tasks_alone_and_they_end_elsewhere(company, shops):
    fleet = company.feeds(NAMES, 100)
    shops.fail("PUT /12/product_catalogs/* latency=0.3")
    running = run_beside(company, fleet)
    wait_until(company.ended, "a task has ended")
    company.cluster.workers["w2"].kill()
    assert_all_pushed(company, shops, records_of(running), 100)
    again = [name for name, counts in push_counts(shops).items() if counts != {1}]
    assert len(again) <= 2  # that worker has two threads


def test_the_tasks_of_a_scheduler_that_is_started_again_all_end(company, shops):
    fleet = company.feeds(NAMES, 100)
    shops.fail("PUT /12/product_catalogs/* latency=0.3")
    running = run_beside(company, fleet)
    wait_until(company.ended, "a task has ended")
    ended = company.ended()
    company.cluster.restart_scheduler()
    assert_all_pushed(company, shops, records_of(running), 100)
    assert all(push_counts(shops)[name] == {1} for name in ended)


def test_a_worker_that_is_cut_off_ends_its_tasks_before_another_begins_them(company, shops):
    fleet = company.feeds(NAMES, 100)
    shops.fail("PUT /12/product_catalogs/* latency=0.3")
    running = run_beside(company, fleet)
    wait_until(company.ended, "a task has ended")
    for network in company.networks:
        network.cut()
    wait_until(lambda: len(company.busy()) == 2, "the worker that was cut off has no task")
    for network in company.networks:
        network.mend()
    assert_all_pushed(company, shops, records_of(running), 100)


def test_tasks_whose_workers_die_after_them_are_not_run_again(company, shops):
    """Dask runs a task again if its result dies with a worker before the fleet has fetched it."""
    fleet = company.feeds(NAMES[:3], 25)
    all_sent, go = threading.Barrier(4), threading.Event()
    shops.before = lambda put: (all_sent.wait(TIMEOUT_SECONDS), go.wait(TIMEOUT_SECONDS))
    running = run_beside(company, fleet)
    all_sent.wait(TIMEOUT_SECONDS)
    running.send_signal(signal.SIGSTOP)
    go.set()
    wait_until(lambda: not company.busy(), "the tasks have ended")
    with Client(company.cluster.address, set_as_default=False) as dask:
        wait_until(lambda: results_in(dask) == 3, "the results are there")
        before = losses(company)
        company.cluster.workers["w1"].kill()
        wait_until(lambda: losses(company) > before, "a result is lost")
        wait_until(lambda: results_in(dask) == 3, "Dask has called for it again")
    running.send_signal(signal.SIGCONT)
    assert [each["status"] for each in records_of(running)] == ["ok"] * 3
    assert len(shops.puts) == 3


def losses(company: Company) -> int:
    return company.cluster.log.read_text().count("lose already computed task(s), which will be recomputed")


def results_in(dask: Client) -> int:
    return sum(map(bool, dask.who_has().values()))


def test_a_fleet_that_is_stopped_stops_its_tasks_and_is_resumed(company, shops):
    fleet = company.feeds(NAMES, 100)
    shops.fail("PUT /12/product_catalogs/* latency=0.3")
    running = run_beside(company, fleet)
    wait_until(company.ended, "a task has ended")
    running.terminate()
    records = records_of(running, 143)
    assert "failed" in {each["status"] for each in records}  # whether others waited, their speed decides
    assert company.busy() == []
    shops.fail()
    assert_all_pushed(company, shops, company.run(fleet, "--resume"), 100)


def test_nothing_secret_is_at_the_scheduler(company, shops):
    company.run(company.feeds(NAMES[:3], 30))
    memory, log = memory_of(company.cluster.scheduler.pid), company.cluster.log.read_bytes()
    assert b"adsctl-" in memory and b"Register worker" in log  # what is there is found
    for secret in secrets_of(company.shops.emulator, company.service_address).values():
        assert secret.encode() not in memory
        assert secret.encode() not in log


def memory_of(pid: int) -> bytes:
    """Read all memory of a process."""
    found = []
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            region, permissions, *_ = line.split()
            if permissions.startswith("rw"):
                start, end = (int(each, 16) for each in region.split("-"))
                with suppress(OSError):
                    memory.seek(start)
                    found.append(memory.read(end - start))
    return b"".join(found)
