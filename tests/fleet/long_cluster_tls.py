"""A cluster of another machine is reached by TLS, with certificates for both sides."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.adsctl import Adsctl, wait_until
from tests.conftest import feed
from tests.ports import free_port
from tests.processes.server import Process

from .dask_cluster import SETTINGS

CLUSTER = """
import signal, sys
from distributed import LocalCluster, Security

if __name__ == "__main__":
    with LocalCluster(
        n_workers=1, threads_per_worker=1, scheduler_port=int(sys.argv[1]), dashboard_address=":0",
        protocol="tls://", security=Security(require_encryption=True),
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        signal.pause()
"""
TLS = "DASK_DISTRIBUTED__COMM__TLS__"


def certificates(folder: Path, authority: trustme.CA) -> dict[str, str]:
    """Write certificates for all sides, and return the variables that name them."""
    folder.mkdir()
    issued = authority.issue_cert("dask", "127.0.0.1")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    issued.private_key_and_cert_chain_pem.write_to_path(str(folder / "own.pem"))
    sides = {f"{TLS}{side}__CERT": str(folder / "own.pem") for side in ("SCHEDULER", "WORKER", "CLIENT")}
    keys = {name.replace("__CERT", "__KEY"): path for name, path in sides.items()}
    return {f"{TLS}CA_FILE": str(folder / "ca.pem"), **sides, **keys}


@pytest.fixture
def variables(adsctl: Adsctl) -> dict[str, str]:
    return certificates(adsctl.home / "certificates", trustme.CA())


@pytest.fixture
def address(adsctl: Adsctl, variables) -> Iterator[str]:
    script = adsctl.file("cluster.py", CLUSTER)
    environment = adsctl.environment | SETTINGS | variables
    process = Process("cluster", str(script), [str(free_port())], environment, adsctl.home)
    wait_until(lambda: process.out.exists() and process.out.read_text(), "the cluster is there")
    yield process.out.read_text().strip()
    process.kill()
    process.wait()


@pytest.fixture
def words(adsctl: Adsctl) -> list[str]:
    path = adsctl.file("feed.csv", feed(3))
    run = {"name": "one", "profile": "local", "run": f"products check {path}"}
    fleet = adsctl.file("fleet.yaml", json.dumps({"tasks": [run]}))
    return ["fleet", "run", str(fleet), "--engine", "dask", "-o", "json", "--scheduler"]


def test_a_fleet_runs_on_a_cluster_with_certificates(adsctl, words, address, variables):
    assert address.startswith("tls://")
    done = adsctl.process(*words, address, **variables)
    assert [record["status"] for record in json.loads(done.stdout)] == ["ok"]


def test_without_certificates_that_the_cluster_knows_nothing_runs(adsctl, words, address):
    assert "TLS__CA_FILE" in json.loads(adsctl.process(*words, address, code=11).stderr)["error"]["hint"]
    others = certificates(adsctl.home / "others", trustme.CA())
    assert "no Dask scheduler can be reached" in adsctl.process(*words, address, code=8, **others).stderr


@pytest.mark.parametrize(("scheduler", "is_tls"), [("tls://127.0.0.1:1", True), ("127.0.0.1:1", False)])
def test_who_is_reached_by_tls_leads_to_nobody_that_is_not(adsctl, words, monkeypatch, scheduler, is_tls):
    """The scheduler tells the addresses of the workers."""
    asked = []

    def client(address, *, security, **options):
        asked.append(bool(security and security.require_encryption))
        raise OSError

    monkeypatch.setattr("ads_cli.fleet.cluster_link.Client", client)
    assert "no Dask scheduler can be reached" in adsctl(*words, scheduler, code=8).stderr
    assert asked == [is_tls]


@pytest.mark.parametrize(
    "scheduler",
    ["tcp://10.255.0.5:8786", "10.255.0.5:8786", "ws://10.255.0.5:8786"],
)
def test_a_scheduler_of_another_machine_is_not_reached_without_tls(adsctl, words, scheduler):
    error = json.loads(adsctl(*words, scheduler, code=2).stderr)["error"]
    assert "is not reached by TLS" in error["message"] and "--insecure-scheduler" in error["hint"]


@pytest.mark.parametrize(
    "scheduler", ["tcp://[::1].shop.example:1", "[::1]shop.example:1", "tcp://127.0.0.1@10.255.0.5:1"]
)
def test_a_scheduler_whose_host_can_be_read_in_two_ways_is_not_an_address(adsctl, words, scheduler):
    assert "not an address" in json.loads(adsctl(*words, scheduler, code=2).stderr)["error"]["message"]


@pytest.mark.parametrize(
    ("scheduler", "options"),
    [
        ("tcp://localhost:1", ()),
        ("tcp://[::1]:1", ()),
        ("127.0.0.1:1", ()),
        ("tcp://scheduler.invalid:1", ("--insecure-scheduler",)),
    ],
)
def test_a_scheduler_of_this_machine_or_an_insecure_one_is_asked(
    adsctl, words, monkeypatch, scheduler, options
):
    monkeypatch.setattr("ads_cli.fleet.cluster_link.CONNECT_SECONDS", 0.2)
    error = json.loads(adsctl(*words, scheduler, *options, code=8).stderr)["error"]
    assert "no Dask scheduler can be reached" in error["message"]
