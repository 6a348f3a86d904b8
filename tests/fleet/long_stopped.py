"""A fleet that is stopped by other signals, or while it sends parts of one list."""

import signal
import threading
from io import BytesIO

import pytest

from tests.adsctl import TIMEOUT_SECONDS
from tests.audiences.conftest import digest
from tests.fleet.test_stopped import require_stop_and_resume, shop

__all__ = ["shop"]


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_tasks_and_the_fleet_and_resume_goes_on(shop, service, adsctl, signum, code):
    require_stop_and_resume(shop, service, adsctl, signum, code)


def test_parts_of_one_list_that_were_stopped_at_once_resume_where_each_stopped(
    fleet, service, adsctl, monkeypatch
):
    parts = ("part-1", "part-2")
    for name in parts:
        people = "".join(f"{name}-{number}@shop.example\n" for number in range(5000))
        adsctl.file(f"{name}.csv", f"email\n{people}")
    push = "audiences push {file} --audience 1nmth --users-per-operation 1 --concurrency 1"
    fleet.write(f"{{for: {{files: part-*.csv}}, run: '{push}'}}")
    first = {digest(f"{name}-0@shop.example").encode() for name in parts}
    answer, both, ended = service.answer, threading.Barrier(3), threading.Event()

    def holding(environ, start_response):
        """Hold the second request of each part."""
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        environ["wsgi.input"] = BytesIO(body)
        if not ended.is_set() and not any(person in body for person in first):
            both.wait(TIMEOUT_SECONDS)
            ended.wait(TIMEOUT_SECONDS)
        return answer(environ, start_response)

    monkeypatch.setattr(service, "answer", holding)
    running = adsctl.popen("fleet", "run", "fleet.yaml", "--parallel", "2")
    both.wait(TIMEOUT_SECONDS)
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=TIMEOUT_SECONDS)
    ended.set()
    service.settle()
    assert running.returncode == 143
    records = fleet("--resume", "--parallel", "2")
    assert [record["summary"]["accepted"] for record in records] == [5000, 5000]
    assert [record["summary"]["requests"] for record in records] == [1, 1]
