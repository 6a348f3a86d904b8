"""A LocalCluster whose workers share the state folder of the machine."""

import json
from collections.abc import Iterator

import psutil
import pytest

from tests.adsctl import TIMEOUT_SECONDS, Adsctl, wait_until
from tests.conftest import Service, feed
from tests.ports import free_port
from tests.processes.server import Process

from .dask_cluster import SETTINGS, words_of

CLUSTER = """
import signal, sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, scheduler_port=int(sys.argv[1]), dashboard_address=":0"
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        signal.pause()
"""


@pytest.fixture
def cluster(adsctl: Adsctl, service: Service) -> Iterator[Process]:
    script = adsctl.file("cluster.py", CLUSTER)
    environment = adsctl.environment | SETTINGS
    process = Process("cluster", str(script), [str(free_port())], environment, adsctl.home)
    yield process
    process.kill()
    process.wait()


def test_the_task_of_a_killed_worker_is_resumed_where_the_state_folder_is_shared(adsctl, service, cluster):
    service.fail("PUT /12/product_catalogs/* latency=0.3")
    wait_until(lambda: cluster.out.exists() and cluster.out.read_text(), "the cluster is there")
    address = cluster.out.read_text().strip()
    path = adsctl.file("feed.csv", feed(100))
    run = {"name": "one", "run": f"products push {path} --concurrency 1"}
    fleet = adsctl.file("fleet.yaml", json.dumps({"tasks": [run]}))
    words = ["fleet", "run", str(fleet), "--engine", "dask", "--scheduler", address, "-o", "json"]
    running = Process("fleet", "ads_cli", words, adsctl.environment, adsctl.home)
    wait_until(lambda: len(service.puts) > 1, "the task is half done")
    children = psutil.Process(cluster.pid).children(recursive=True)
    (task,) = [child for child in children if "__task" in words_of(child)]
    task.parent().kill()
    assert running.wait(TIMEOUT_SECONDS) == 0, running.err.read_text()
    assert json.loads(running.out.read_bytes())[0]["status"] == "ok"
    assert set(service.stored) == {f"sku-{number}" for number in range(1, 101)}
    assert len(service.puts) <= 4 + 1  # what was in flight is sent again, and nothing else
