"""A LocalCluster whose workers share the state folder of the machine."""

import json
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from tests.adsctl import Adsctl
from tests.conftest import Service, feed

from .dask_cluster import SETTINGS, free_port, wait_until, words_of

CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, scheduler_port=int(sys.argv[1]), dashboard_address=":0"
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def cluster(adsctl: Adsctl, service: Service) -> Iterator[subprocess.Popen]:
    script = adsctl.file("cluster.py", CLUSTER)
    process = subprocess.Popen(
        [sys.executable, script, str(free_port())],
        env=adsctl.environment | SETTINGS,
        cwd=adsctl.home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield process
    process.communicate()


def test_the_task_of_a_killed_worker_is_resumed_where_the_state_folder_is_shared(adsctl, service, cluster):
    service.fail("PUT /12/product_catalogs/* latency=0.3")
    address = cluster.stdout.readline().strip()
    path = adsctl.file("feed.csv", feed(100))
    run = {"name": "one", "run": f"products push {path} --concurrency 1"}
    fleet = adsctl.file("fleet.yaml", json.dumps({"tasks": [run]}))
    words = ("fleet", "run", fleet, "--engine", "dask", "--scheduler", address, "-o", "json")
    running = adsctl.popen(*words)
    wait_until(lambda: len(service.puts) > 1, "the task is half done")
    children = psutil.Process(cluster.pid).children(recursive=True)
    (task,) = [each for each in children if "__task" in words_of(each)]
    task.parent().kill()
    out, err = running.communicate()
    assert running.returncode == 0, err.decode()
    assert json.loads(out)[0]["status"] == "ok"
    assert set(service.stored) == {f"sku-{number}" for number in range(1, 101)}
    assert len(service.puts) <= 4 + 1  # what was in flight is sent again, and nothing else
