"""A fleet on a Dask cluster: a real scheduler and three real workers."""

import json
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest
from distributed import Client

from ads_cli.api.products import PutProducts
from ads_cli.api.rates import Rate
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from ads_cli.fleet.cluster import STOP_SECONDS
from ads_cli.fleet.cluster_link import SchedulerLink
from tests.adsctl import ROOT, TIMEOUT_SECONDS, wait_until
from tests.effort import tries
from tests.processes.server import Process

from .shops import BRIEF, NAMES, TOKEN_SECRET, TOKENS, Company, Shops, app_of

FEW = NAMES[1:4]  # of which the first is one batch
RATE = Rate("products", 24, 3.0, kept="without headers")
# What the workers and their tasks read at their start: a window of seconds, in place of a quarter of an hour.
SITE = f"""
from ads_cli.api.products import PutProducts
from ads_cli.api.rates import Rate
PutProducts.endpoint.rates["x"] = {RATE!r}
"""


@pytest.fixture(scope="module")
def company(tmp_path_factory, seeded_database) -> Iterator[Company]:
    folder = tmp_path_factory.mktemp("company")
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(SITE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PutProducts.endpoint.rates, "x", RATE)
        emulator = Emulator(shutil.copyfile(seeded_database, folder / "service.db"), service="x")
        path = {"PYTHONPATH": f"{folder}/site:{ROOT}"}
        shops = Shops(emulator)
        with running(shops) as address, closing(Company(folder, shops, address, path)) as company:
            company.hire("w1", "--no-nanny")
            company.hire("w2", "--nanny")
            company.hire_behind_networks("w3")
            company.wait_for_workers()
            yield company
        emulator.close()


@pytest.fixture
def shops(company) -> Iterator[Shops]:
    company.shops.forget()
    yield company.shops


def push_counts(shops: Shops) -> dict[str, set[int]]:
    """How often the products of each shop were sent."""
    return {name: set(shops.sent(name).values()) for name in NAMES}


def run_beside(company: Company, fleet: str) -> Process:
    """Start a fleet in a process, and wait until workers are busy."""
    running = company.start(fleet)
    wait_until(lambda: len(company.busy()) >= 2, "workers are busy")
    return running


def records_of(running: Process, code: int = 0) -> list[dict]:
    assert running.wait(TIMEOUT_SECONDS) == code, running.err.read_text()
    return json.loads(running.out.read_bytes())


def assert_all_pushed(company: Company, shops: Shops, records: list[dict], rows: int) -> None:
    """Every task ended well, and each catalog is what the feed says."""
    assert [(record["task"], record["status"]) for record in records] == [(name, "ok") for name in FEW]
    for name in FEW:
        last = min(rows, 25) if name in BRIEF else rows
        pushed = {f"{name}-{company.round}-{number}" for number in range(1, last + 1)}
        assert pushed <= set(shops.stored_in(name))


def test_tasks_run_on_all_workers_and_what_they_come_to_comes_home_and_nothing_secret(company, shops):
    for part in range(2):
        (company.folder / f"part-{part}.csv").write_text(f"email\nana-{part}@shop.example\n")
    push = f"audiences push {{file}} --audience 1nmth --account {shops.emulator.account}"
    people = f"{{for: {{files: {company.folder}/part-*.csv}}, profile: {NAMES[0]}, run: '{push}'}}"
    fleet = company.feeds(NAMES[3:], 30, people)
    feed = company.folder / f"feeds-{company.round}" / f"{NAMES[-1]}.csv"
    feed.write_text(feed.read_text().replace("12.50 EUR", "cheap"))
    records = company.run(fleet, code=3)
    assert {record["task"]: record["exit_code"] for record in records if record["status"] == "failed"} == {
        NAMES[-1]: 3
    }
    assert len({record["worker"] for record in records}) >= 2
    assert records[0]["summary"]["created"] == 30
    assert [record["summary"]["accepted"] for record in records[2:]] == [1, 1]  # the parts of one list
    assert [push_counts(shops)[name] for name in NAMES[3:]] == [{1}, set()]
    (log,) = company.office.home.glob(f"state/fleet/*/*/{NAMES[-1]}*.log")
    assert "cheap" in log.read_text()
    memory, log = memory_of(company.cluster.scheduler.pid), company.cluster.log.read_bytes()
    assert b"adsctl-" in memory and b"Register worker" in log  # what is there is found
    app = app_of(company.shops.emulator, company.service_address)
    for secret in [*app.values(), *TOKENS.values(), TOKEN_SECRET]:
        assert secret.encode() not in memory
        assert secret.encode() not in log


def memory_of(pid: int) -> bytes:
    """Read all memory of a process."""
    regions = []
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            region, permissions, *_ = line.split()
            if permissions.startswith("rw"):
                start, end = (int(end, 16) for end in region.split("-"))
                with suppress(OSError):
                    memory.seek(start)
                    regions.append(memory.read(end - start))
    return b"".join(regions)


# Each returns the tasks that may be run again although they had ended.
def kill_a_worker(company: Company, random: Random) -> set[str]:
    """Kill it, maybe right after the end of a task that nobody else has heard of yet."""
    name, stored = random.choice(("w1", "w2")), company.stored()
    company.cluster.workers[name].kill()
    return company.ended(name) - stored


def cut_a_network(company: Company, random: Random) -> set[str]:
    """Cut it until the worker behind it has ended its tasks by itself; it may return later than its lease."""
    stored = company.stored()
    for network in company.networks:
        network.cut()
    alone = company.cluster.workers["w3"]
    wait_until(lambda: alone not in company.busy(), "the worker that was cut off has no task")
    for network in company.networks:
        network.mend()
    return company.ended("w3") - stored


def restart_the_scheduler(company: Company, random: Random) -> set[str]:
    """Start it again, and with it all workers, which may return later than their leases."""
    stored = company.stored()
    company.cluster.restart_scheduler()
    return company.ended() - stored


def silence_the_scheduler(company: Company, random: Random) -> set[str]:
    """Let it say nothing, without an error, until the workers have ended their tasks by themselves."""
    company.cluster.scheduler.send_signal(signal.SIGSTOP)
    wait_until(lambda: not company.busy(), "no worker has a task")
    company.cluster.scheduler.send_signal(signal.SIGCONT)
    return set()


LOSSES = (kill_a_worker, cut_a_network, silence_the_scheduler, restart_the_scheduler)


@pytest.mark.parametrize("seed", range(tries(1, 20)))
def test_whatever_is_lost_every_task_ends_and_none_that_had_ended_runs_again(company, shops, seed):
    random = Random(seed)
    losses = random.choices(LOSSES, k=random.randint(1, 4)) if seed else LOSSES
    fleet = company.feeds(FEW, 100)
    shops.fail("PUT /12/product_catalogs/* latency=0.3")
    running = run_beside(company, fleet)
    wait_until(company.ended, "a task has ended")
    ended, unheard = set[str](), set[str]()
    for lose in losses:
        ended |= company.ended()
        unheard |= lose(company, random)
    assert_all_pushed(company, shops, records_of(running), 100)
    assert company.stored() == {*FEW}
    counts = push_counts(shops)
    assert {name: counts[name] for name in ended - unheard if counts[name] != {1}} == {}
    wait_until(lambda: company.busy() == [], "no task is left")


def test_a_worker_that_is_started_again_at_its_address_is_told_from_the_one_before(company):
    with closing(SchedulerLink(company.cluster.address, "board")) as link:
        ((address, before),) = (worker for worker, name in link.workers().items() if name == "w3")
        company.cluster.workers["w3"].kill()
        wait_until(
            lambda: any(at == address and folder != before for at, folder in link.workers()),
            "the worker has returned to its address",
        )


def test_tasks_whose_workers_die_after_them_are_not_run_again(company, shops):
    """The worker returns with its record, if it dies before the fleet has fetched what a task came to."""
    fleet = company.feeds(NAMES[:3], 25)
    all_sent, go = threading.Barrier(4), threading.Event()
    shops.before = lambda put: (all_sent.wait(TIMEOUT_SECONDS), go.wait(TIMEOUT_SECONDS))
    running = run_beside(company, fleet)
    all_sent.wait(TIMEOUT_SECONDS)
    (worker, *_) = company.busy()
    running.send_signal(signal.SIGSTOP)
    go.set()
    wait_until(lambda: not company.busy(), "the tasks have ended")
    with Client(company.cluster.address, set_as_default=False) as dask:
        wait_until(lambda: results_in(dask) == 3, "the results are there")
        before = losses(company)
        worker.kill()
        wait_until(lambda: losses(company) > before, "a result is lost")
    running.send_signal(signal.SIGCONT)
    assert [record["status"] for record in records_of(running)] == ["ok"] * 3
    assert len(shops.puts) == 3


def losses(company: Company) -> int:
    return company.cluster.log.read_text().count("lose already computed task(s), which will be recomputed")


def results_in(dask: Client) -> int:
    return sum(map(bool, dask.who_has().values()))


def is_of(put: list[str], shop: str) -> bool:
    return put[0].startswith(f"{shop}-")


def test_a_fleet_that_is_stopped_stops_its_tasks_and_is_resumed(company, shops):
    fleet, go = company.feeds(FEW, 100), threading.Event()
    shops.before = lambda put: is_of(shops.puts[put], FEW[0]) or go.wait(TIMEOUT_SECONDS)
    running = run_beside(company, fleet)
    wait_until(company.ended, "the first task has ended")
    wait_until(lambda: all(any(is_of(put, shop) for put in shops.puts) for shop in FEW), "all have begun")
    running.send_signal(signal.SIGTERM)
    assert [record["status"] for record in records_of(running, 143)] == ["ok", "failed", "failed"]
    assert company.busy() == []
    go.set()
    assert_all_pushed(company, shops, company.run(fleet, "--resume"), 100)


def start_first(company: Company, shops: Shops) -> Process:
    first = company.start(company.feeds(NAMES[3:4], 4 * 25, file="first.yaml"))
    wait_until(lambda: shops.sent(NAMES[3]), "the first fleet runs")
    return first


def start_second(company: Company) -> Process:
    """Start a fleet whose first task goes to the worker of the first fleet, and its second to another one.

    That has the token of the first fleet.
    """
    return company.start(company.feeds([NAMES[0], NAMES[4]], 4 * 25, file="second.yaml"))


def test_fleets_that_share_a_token_use_it_on_one_worker_at_a_time(company, shops):
    first, second, busy = start_first(company, shops), start_second(company), list[int]()
    wait_until(
        lambda: busy.append(len(company.busy(NAMES[3:]))) or len(shops.sent(NAMES[4])) == 4 * 25,
        "all is sent",
    )
    records = [*records_of(first), *records_of(second)]
    assert [record["status"] for record in records] == ["ok"] * 3
    assert records[0]["worker"] != records[2]["worker"] and max(busy) == 1


def test_a_fleet_that_is_stopped_while_it_waits_for_a_token_ends_at_once(company, shops):
    go = threading.Event()
    shops.before = lambda put: is_of(shops.puts[put], NAMES[0]) or go.wait(TIMEOUT_SECONDS)
    first, second = start_first(company, shops), start_second(company)
    wait_until(lambda: shops.sent(NAMES[0]), "the second fleet runs")
    stopped_at = time.monotonic()
    second.send_signal(signal.SIGTERM)
    assert records_of(second, 143)[1]["status"] == "skipped"
    assert time.monotonic() - stopped_at < STOP_SECONDS
    go.set()
    assert [record["status"] for record in records_of(first)] == ["ok"]
