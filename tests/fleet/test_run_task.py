"""A task in its process: its record, its log, and how it is stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ads_cli.fleet.records import Records, RunId
from ads_cli.fleet.run_task import TaskProcess
from ads_cli.fleet.tasks import Task
from tests.adsctl import TIMEOUT_SECONDS
from tests.conftest import feed

RUN = RunId("f1ee7", "first")


def push_task(path: Path, *options: str) -> Task:
    return Task("nord", "default", ("products", "push", str(path), *options), "acc", can_resume=True)


@pytest.fixture
def run(adsctl, service, forked_tasks):
    return lambda task: process(adsctl, task).wait()


def process(adsctl, task: Task) -> TaskProcess:
    return TaskProcess(task, RUN, "here-1", adsctl.home / "state", adsctl.environment)


def test_a_task_tells_its_summary_and_stores_it_first(adsctl, service, run):
    task = push_task(adsctl.file("feed.csv", feed(3)))
    result = run(task)
    assert (result.status, result.exit_code, result.worker) == ("ok", 0, "here-1")
    assert result.summary["created"] == 3
    assert result.error is None
    assert Records(adsctl.home / "state", RUN).find(task) == result


def test_a_task_that_ended_well_is_not_run_again(adsctl, service, run):
    task = push_task(adsctl.file("feed.csv", feed(3)))
    first = run(task)
    assert run(task) == first
    assert len(service.puts) == 1


def test_another_command_under_the_same_name_is_another_task(adsctl, service, run):
    path = adsctl.file("feed.csv", feed(3))
    run(push_task(path))
    assert run(push_task(path, "--concurrency", "2")).summary["unchanged"] == 3
    assert len(service.puts) == 2


def test_a_failure_is_told_with_the_error_of_the_command(adsctl, service, run):
    task = push_task(adsctl.file("feed.csv", feed(1, price="cheap")))
    result = run(task)
    assert (result.status, result.exit_code) == ("failed", 3)
    assert result.error["code"] == "content"
    assert "cheap" in Records(adsctl.home / "state", RUN).log(task).read_text()
    adsctl.file("feed.csv", feed(1))
    assert run(task).status == "ok"


def test_a_signal_ends_a_task_which_is_resumed_by_its_next_run(adsctl, service, run):
    task = push_task(adsctl.file("feed.csv", feed(100)), "--concurrency", "1")
    child = process(adsctl, task)
    service.before = lambda put: stop(child) if put == 1 else None
    result = child.wait()
    assert (result.status, result.exit_code, result.error["code"]) == ("failed", 143, "interrupted")
    service.settle()
    service.before = lambda put: None
    assert run(task).summary["created"] + run(task).summary["unchanged"] == 100
    assert len(service.puts) == 5  # four batches, and again the one that was in flight


def stop(child: TaskProcess) -> None:
    """Stop a task while a request of it is in flight."""
    child.send_signal(signal.SIGTERM)
    child._process.wait(TIMEOUT_SECONDS)


def test_a_signal_before_the_process_has_begun_ends_it(adsctl, service):
    child = process(adsctl, push_task(adsctl.file("feed.csv", feed(3))))
    child.send_signal(signal.SIGINT)
    assert child.wait().exit_code == 130
    assert service.puts == []


def test_a_killed_task_is_told_without_a_record_of_its_own(adsctl, service):
    task = push_task(adsctl.file("feed.csv", feed(100)), "--concurrency", "1")
    child = process(adsctl, task)
    service.before = lambda put: os.kill(child._process.pid, signal.SIGKILL)
    result = child.wait()
    assert (result.status, result.exit_code) == ("failed", 137)
    assert "signal 9" in result.error["message"]


STARTER = """
import sys
from pathlib import Path
import msgspec
from ads_cli.fleet.run_task import TaskProcess
from ads_cli.fleet.records import RunId
from ads_cli.fleet.tasks import Task
task = msgspec.json.decode(sys.argv[1], type=Task)
TaskProcess(task, RunId("f1ee7", "first"), "here-1", Path(sys.argv[2])).wait()
"""


def test_a_task_ends_with_the_process_that_started_it(adsctl, service):
    task = push_task(adsctl.file("feed.csv", feed(100)), "--concurrency", "1")
    words = [sys.executable, "-c", STARTER, json.dumps(encoded(task)), adsctl.home / "state"]
    starter = subprocess.Popen(words, env=adsctl.environment, cwd=adsctl.home)
    acts = {1: lambda: (starter.kill(), starter.wait()), 2: lambda: time.sleep(1)}  # time for it to notice
    service.before = lambda put: acts.get(put, lambda: None)()
    records = Records(adsctl.home / "state", RUN)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not (found := records.find(task)):
        assert time.monotonic() < deadline, "the task did not end"
        time.sleep(0.05)
    assert found.exit_code == 143


def encoded(task: Task) -> dict:
    return {"name": task.name, "profile": task.profile, "words": task.words, "can_resume": True}


@pytest.mark.parametrize("words", ["completion bash", "products list --all", "help exit-codes"])
def test_what_a_command_prints_is_a_summary_only_if_it_is_one_object(adsctl, run, words):
    task = Task("any", "default", tuple(words.split()))
    result = run(task)
    assert (result.status, result.summary) == ("ok", None)


def test_a_task_whose_output_is_lost_is_run_again(adsctl, run):
    task = Task("formats", "default", ("help", "formats"), is_job=False)
    first = run(task)
    (output,) = Records(adsctl.home / "state", RUN).folder.glob("*.json")
    output.unlink()
    again = run(task)
    assert again.document == first.document and "json" in again.document and output.exists()


def test_a_result_that_cannot_be_read_is_a_failure_with_11_and_the_run_goes_on(adsctl, service):
    task = push_task(adsctl.file("feed.csv", feed(3)))
    child = process(adsctl, task)
    assert child.has_ended(TIMEOUT_SECONDS)
    (adsctl.home / "state" / "state.db").write_bytes(b"not a database" * 100)
    result = child.wait()
    assert (result.status, result.exit_code) == ("failed", 11) and "is damaged" in result.error["message"]


def test_a_state_folder_that_cannot_be_written_is_a_failure_with_11(adsctl, service):
    task = push_task(adsctl.file("feed.csv", feed(3)))
    result = TaskProcess(task, RUN, "here-1", Path("/proc/nope"), adsctl.environment).wait()
    assert (result.status, result.exit_code) == ("failed", 11)
    assert service.puts == []
