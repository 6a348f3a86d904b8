"""A run that is stopped goes on where it stopped: no row is lost, no acknowledged batch is sent again."""

import json
import re
import resource
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pexpect
import pytest

from ads_cli.bulk.jobs import acks
from tests.conftest import ROOT, feed

ROWS, BATCHES = 400, 16


def journals(adsctl) -> list[Path]:
    """Find the journals, oldest first."""
    return sorted((adsctl.home / "state" / "jobs").glob("*.jsonl"))


def acknowledged(adsctl) -> set[int]:
    """Read from the journals which batches were acknowledged."""
    return {ack.batch for path in journals(adsctl) for ack in acks(path)}


def ids_of(batch: int) -> list[str]:
    return [f"sku-{n}" for n in range(batch * 25 + 1, batch * 25 + 26)]


def stop_at(adsctl, service, put: int, signum: int, *words: str) -> subprocess.Popen:
    """Push, and stop the run by a signal when the service is about to take PUT number `put`.

    Where one goes at a time, all before it stand in the journal by then.
    """
    reached = threading.Event()
    go_on = threading.Event()
    due = put - len(service.puts) if "1" in words else 0

    def before(number: int) -> None:
        if number == put:
            reached.set()
            go_on.wait(20)

    service.before = before
    process = adsctl.popen("products", "push", "feed.csv", "-o", "json", *words)
    assert reached.wait(60), process.communicate()
    deadline = time.monotonic() + 20
    while due and sum(1 for _ in acks(journals(adsctl)[-1])) < due:
        assert time.monotonic() < deadline, "an answer never reached the journal"
        time.sleep(0.01)
    process.send_signal(signum)
    process.out, process.err = process.communicate(timeout=60)
    service.before = lambda number: None
    go_on.set()
    service.settle()
    return process


@pytest.mark.parametrize("put", [0, 1, 2, 5, 7, 8, 11, 14, 15])
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
def test_a_signal_ends_the_run_with_its_code_and_the_way_to_go_on(adsctl, service, signum, code):
    adsctl.file("feed.csv", feed(ROWS))
    process = stop_at(adsctl, service, 6, signum, "--concurrency", "2")
    assert process.returncode == code
    error = json.loads(process.err.splitlines()[-1])["error"]
    assert error["exit_code"] == code and error["message"] == f"stopped by {signum.name}"
    assert "--resume' goes on" in error["hint"] and b"Traceback" not in process.err
    summary = json.loads(process.out)
    assert summary["created"] == 25 * len(acknowledged(adsctl))
    adsctl("products", "push", "feed.csv", "--resume")
    assert len(service.stored) == ROWS


HANGING = """
import os, time

sync, synced = os.fdatasync, []

def hang(file):
    synced.append(file)
    while len(synced) > 1 and not os.path.exists("go-on"):
        time.sleep(0.01)
    sync(file)

os.fdatasync = hang
"""


def test_a_disk_that_hangs_holds_the_push_back(adsctl, service):
    adsctl.file("sitecustomize.py", HANGING)
    adsctl.file("feed.csv", feed(200 * 25))
    words = ("products", "push", "feed.csv", "-o", "json", "--concurrency", "2")
    process = adsctl.popen(*words, PYTHONPATH=f"{adsctl.home}:{ROOT}")
    seen, since, deadline = 0, time.monotonic(), time.monotonic() + 60
    while not seen or time.monotonic() - since < 1:
        assert process.poll() is None and time.monotonic() < deadline
        if len(service.puts) > seen:
            seen, since = len(service.puts), time.monotonic()
        time.sleep(0.01)
    assert seen < 30
    adsctl.file("go-on", "")
    out, err = process.communicate(timeout=60)
    assert json.loads(out)["created"] == 5000, err
    assert len(acknowledged(adsctl)) == len(service.puts) == 200


def test_the_bar_leaves_room_for_what_the_terminal_shows_of_ctrl_c(adsctl):
    adsctl.file("feed.csv", feed(20_000))
    words = adsctl.command("-p", "local", "products", "push", "feed.csv")
    environment = adsctl.environment | {"TERM": "xterm"}
    size = (30, 60)
    shell = pexpect.spawn(words[0], words[1:], env=environment, cwd=str(adsctl.home), dimensions=size)
    shell.expect("Pushing")
    shell.sendintr()
    shown = shell.read().decode()
    bars = [
        re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", bar) for bar in re.split(r"[\r\n]|\^C", shown) if "━" in bar
    ]
    assert bars and max(map(len, bars)) <= 58 and "stopped by SIGINT" in shown


def test_resume_starts_afresh_where_nothing_is_unfinished(adsctl, service):
    adsctl.file("feed.csv", feed(50))
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "nothing to resume, starting afresh: no push of this file is known" in said
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "starting afresh: the last push of this file reached its end" in said
    assert len(service.puts) == 4


def test_another_file_is_another_job(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 8, signal.SIGKILL, "--concurrency", "1")
    adsctl.file("feed.csv", feed(ROWS, title="Other"))
    before = len(service.puts)
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "starting afresh: the file has changed since the push that did not end" in said
    assert len(service.puts) - before == BATCHES


@pytest.mark.parametrize("other", ["feed.csv", "other.csv"])
def test_nothing_is_gone_on_with_that_another_push_has_overwritten(adsctl, service, other):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 8, signal.SIGKILL, "--concurrency", "1")
    adsctl.file(other, feed(ROWS, title="Other"))
    adsctl("products", "push", other)
    adsctl.file("feed.csv", feed(ROWS))
    before = len(service.puts)
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "starting afresh: something else was sent there since the push that did not end; --job 2" in said
    assert len(service.puts) - before == BATCHES


def test_a_push_elsewhere_keeps_nobody_from_going_on(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 8, signal.SIGKILL, "--concurrency", "1")
    adsctl("products", "push", "feed.csv", "--profile", "local")
    said = adsctl("products", "push", "feed.csv", "--resume").stderr
    assert "going on with job" in said and f"8 of {BATCHES} batches" in said


def test_a_served_emulator_is_known_again_on_another_port(adsctl):
    adsctl.file("feed.csv", feed(100))
    push = adsctl.command("products", "push", "feed.csv", "--concurrency", "1", "--max-errors", "1")
    adsctl("emulator", "exec", "--fault", "PUT * partial times=1", "--", *push, code=9)
    done = adsctl("emulator", "exec", "--", *push, "--resume", "-o", "json", code=9)
    assert "going on with job" in done.stderr and json.loads(done.stdout)["created"] > 0
    adsctl("emulator", "reset", "--yes")
    done = adsctl("emulator", "exec", "--", *push, "--resume")
    assert "starting afresh: the last push of this file reached its end" in done.stderr


def test_a_job_can_be_named(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 8, signal.SIGKILL, "--concurrency", "1")
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert (
        job["state"] == "unfinished"
        and job["target"]
        and job["acknowledged"] == 8
        and job["batches"] == BATCHES
    )
    assert "no job 'nope'" in adsctl("products", "push", "feed.csv", "--job", "nope", code=5).stderr
    assert "no job 'nope'" in adsctl("jobs", "show", "nope", code=5).stderr
    adsctl("products", "push", "feed.csv", "--job", job["job"])
    assert "reached its end" in adsctl("products", "push", "feed.csv", "--job", job["job"], code=2).stderr
    shown = json.loads(adsctl("jobs", "show", job["job"], "-o", "json").stdout)
    assert shown["state"] == "ended" and sum(shown["counts"].values()) == ROWS
    adsctl("jobs", "clean")
    assert json.loads(adsctl("jobs", "list", "-o", "json").stdout) == []
    assert [path.name for path in (adsctl.home / "state" / "jobs").iterdir()] == [".lock"]


def test_one_id_is_in_the_log_the_journal_and_the_summary(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    words = ("products", "push", "feed.csv", "-o", "json", "--log-file", "log.jsonl")

    def logged() -> list[dict]:
        return [json.loads(line) for line in (adsctl.home / "log.jsonl").read_text().splitlines()]

    stop_at(adsctl, service, 8, signal.SIGTERM, *words[5:])
    first = logged()
    (run,) = {line["run"] for line in first}
    assert (adsctl.home / "log.jsonl").stat().st_mode & 0o777 == 0o600
    assert first[0]["event"] == "begun" and "stopped" in {line["event"] for line in first}
    assert {line["job"] for line in first} == {run}
    assert (adsctl.home / "state" / "jobs" / f"{run}.jsonl").exists()
    shown = adsctl("jobs", "show", run, "-o", "json")
    resume = "'adsctl products push feed.csv -o json --log-file log.jsonl --resume'"
    assert json.loads(shown.stdout)["resume"] == resume and f"{resume} goes on" in shown.stderr
    summary = json.loads(adsctl(*words, "--resume").stdout)
    second = logged()[len(first) :]
    assert summary["job"] == run and {line["job"] for line in second} == {run}
    assert len({line["run"] for line in second} | {run}) == 2  # the same job, in a run of its own
    assert second[0]["event"] == "resumed" and second[-1] == second[-1] | {
        "event": "ended",
        "summary": summary,
    }


def test_cleaning_unfinished_jobs_is_confirmed_and_spares_a_running_push(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    said = []

    def before(number: int) -> None:
        if number == 3:
            said.append(adsctl("jobs", "clean", "--all", "--yes").stderr)

    service.before = before
    adsctl("products", "push", "feed.csv", "--concurrency", "1")
    assert "0 journals removed" in said[0] and "1 push still running: the journal stays" in said[0]
    stop_at(adsctl, service, 20, signal.SIGKILL)
    assert "1 push that did not end" in adsctl("jobs", "clean", "--all", code=12).stderr
    assert len(json.loads(adsctl("jobs", "list", "-o", "json").stdout)) == 2
    assert "2 journals would be removed" in adsctl("jobs", "clean", "--all", "--dry-run").stderr
    assert "2 journals removed" in adsctl("jobs", "clean", "--all", "--yes").stderr
    assert json.loads(adsctl("jobs", "list", "-o", "json").stdout) == []


def test_a_new_push_mentions_the_one_that_did_not_end(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 8, signal.SIGKILL, "--concurrency", "1")
    assert "--resume" in adsctl("products", "push", "feed.csv").stderr


def test_refused_rows_of_the_first_run_are_in_the_file_of_the_second(adsctl):
    from ads_cli.commands.emulator import variables
    from ads_cli.emulator.app import Emulator
    from ads_cli.emulator.server import running
    from tests.conftest import Service

    adsctl.file("feed.csv", feed(ROWS))
    emulator = Emulator(adsctl.home / "service.db", faults=["PUT * partial times=3"])
    service = Service(emulator)
    with running(service) as address:
        adsctl.env |= variables(emulator, address)
        stop_at(adsctl, service, 8, signal.SIGKILL, "--concurrency", "1", "--failed-out", "failed.csv")
        done = adsctl(
            "products", "push", "feed.csv", "--resume", "--failed-out", "failed.csv", "-o", "json", code=9
        )
        failed = (adsctl.home / "failed.csv").read_text().splitlines()[1:]
        assert len(failed) == json.loads(done.stdout)["failed"] == 39


def test_two_runs_of_one_push_do_not_meet(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    second = []

    def before(number: int) -> None:
        if number == 3:
            second.append(adsctl("products", "push", "feed.csv", code=11))

    service.before = before
    adsctl("products", "push", "feed.csv", "--concurrency", "1")
    assert "another run is pushing the same feed.csv" in second[0].stderr
    assert Counter(map(tuple, service.puts)).most_common(1)[0][1] == 1


@pytest.mark.parametrize("cut", [1, 5, 20, 40])
def test_a_journal_cut_off_anywhere_is_read_as_far_as_it_goes(adsctl, service, cut):
    adsctl.file("feed.csv", feed(ROWS))
    stop_at(adsctl, service, 10, signal.SIGKILL, "--concurrency", "1")
    (journal,) = (adsctl.home / "state" / "jobs").glob("*.jsonl")
    journal.write_bytes(journal.read_bytes()[:-cut])
    safe = acknowledged(adsctl)
    before = len(service.puts)
    adsctl("products", "push", "feed.csv", "--resume")
    assert len(service.stored) == ROWS
    assert len(service.puts) - before == BATCHES - len(safe)


def test_a_full_disk_stops_the_push_and_loses_nothing(adsctl, service):
    adsctl.file("feed.csv", feed(ROWS))
    # A limit on the size of files stands for a disk that fills up in the middle of the journal.
    done = subprocess.run(
        adsctl.command("products", "push", "feed.csv", "--concurrency", "1"),
        env=adsctl.environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=adsctl.home,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)),
    )
    assert done.returncode == 11 and "journal" in done.stderr and "Traceback" not in done.stderr
    safe = acknowledged(adsctl)
    assert 0 < len(safe) < BATCHES
    before = len(service.puts)
    adsctl("products", "push", "feed.csv", "--resume")
    assert len(service.stored) == ROWS
    assert not {tuple(put) for put in service.puts[before:]} & {tuple(ids_of(batch)) for batch in safe}


def test_a_state_folder_that_cannot_be_written_ends_with_11_before_anything_is_sent(adsctl, service):
    adsctl.file("feed.csv", feed(10))
    adsctl.file("state", "a file where a folder should be")
    done = adsctl("products", "push", "feed.csv", code=11)
    assert "journal" in done.stderr and service.puts == []


def test_a_full_disk_under_the_emulator_ends_with_11_at_once(adsctl):
    adsctl.local("accounts", "list")
    adsctl.file("feed.csv", feed(4000))
    room = (adsctl.home / "state" / "emulator.db").stat().st_size + 200_000
    for words in (("--profile", "local"), ("emulator", "exec", "--", *adsctl.command())):
        done = subprocess.run(
            adsctl.command(*words, "products", "push", "feed.csv", "--max-attempts", "2"),
            env=adsctl.environment | {"PYTHONDONTWRITEBYTECODE": "1"},
            cwd=adsctl.home,
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        )
        assert "the emulator cannot use" in done.stderr and "Traceback" not in done.stderr
        assert done.returncode == (11 if "local" in words else 8)
        assert "ADSCTL_STATE_DIR" in done.stderr or "exec" in words


@pytest.mark.parametrize(
    "words", [("jobs", "list"), ("jobs", "clean"), ("-p", "local", "accounts", "list"), ("emulator", "env")]
)
def test_a_state_folder_that_is_none_ends_with_11_and_names_its_variable(adsctl, words):
    adsctl.file("state", "a file where a folder should be")
    assert "ADSCTL_STATE_DIR" in adsctl(*words, code=11).stderr


def test_refused_rows_that_cannot_be_written_end_with_11_and_the_summary_is_shown(adsctl, service):
    adsctl.file("feed.csv", feed(50) + feed(1, price="cheap").splitlines()[1].replace("sku-1", "sku-99"))
    words = ("products", "push", "feed.csv", "--skip-invalid", "-o", "json", "--failed-out")
    done = adsctl(*words, "/dev/full", code=11)
    assert "/dev/full: cannot be written: no space left on device" in done.stderr
    assert json.loads(done.stdout)["created"] == 50
    adsctl(*words, "failed.csv", "--resume", code=9)
    assert len(service.puts) == 2 and "sku-99" in (adsctl.home / "failed.csv").read_text()


def test_a_log_file_that_cannot_be_opened_ends_with_2_before_anything_is_sent(adsctl, service):
    adsctl.file("feed.csv", feed(10))
    done = adsctl("products", "push", "feed.csv", "--log-file", "nowhere/log", code=2)
    assert "--log-file: nowhere/log" in done.stderr and service.puts == []
    assert done.stdout == "" and not (adsctl.home / "state").exists()


def test_a_service_that_fails_for_good_ends_with_8_and_names_how_to_go_on(adsctl):
    adsctl.file("feed.csv", feed(100))
    words = adsctl.command("products", "push", "feed.csv", "--max-attempts", "2")
    done = adsctl.local("emulator", "exec", "--fault", "PUT * status=503 retry-after=0", "--", *words, code=8)
    assert "--resume" in done.stderr
