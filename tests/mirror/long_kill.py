"""A killed run is resumed: nothing that is there is asked for twice, and nothing is written in part."""

import json
import signal
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta

import duckdb
import pytest

from ads_cli.emulator.resources import statistics as statistics_jobs
from tests.adsctl import wait_until
from tests.mirror.long_whole_or_nothing import calls_of, killed_at
from tests.products.stopping import settle_after_kill
from tests.statistics.conftest import NOON

WORDS = (
    *("mirror", "run", "--into", "sqlite:ads.db", "--since", "200d"),
    *("--tables", "campaign_history,campaign_report,line_item_report"),
)
JOB, RESULT = "POST /12/stats/jobs/", "GET /stats-results/"


class Killing:
    """Kills a process as soon as the service has answered so many requests of a kind."""

    def __init__(self, service, kind: str, count: int) -> None:
        self.process = None
        self.seen = Counter[str]()
        self.of_kind, self.kind, self.count = 0, kind, count
        self._respond, self._lock = service.answer, threading.Lock()
        service.answer = self.answer

    def answer(self, environ, start_response):
        line = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        with self._lock:
            if self.process and self.of_kind == self.count:  # in flight, it never arrived
                start_response("503 Service Unavailable", [])
                return [b""]
            answer = self._respond(environ, start_response)
            if line.startswith((JOB, RESULT)):
                self.seen[f"{line}?{environ['QUERY_STRING'] if line.startswith(JOB) else ''}"] += 1
            if line.startswith(self.kind):
                self.of_kind += 1
                if self.process and self.of_kind == self.count:
                    self.process.send_signal(signal.SIGKILL)
            return answer


def content(adsctl) -> dict[str, list[tuple]]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    with closing(sqlite3.connect(adsctl.home / "ads.db")) as db:
        names = [name for (name,) in db.execute(query)]
        return {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchall() for name in names}


@pytest.mark.parametrize(
    ("kind", "count"), [(JOB, 1), (JOB, 4), (RESULT, 1), (RESULT, 4), (RESULT, 6), ("GET /12/accounts/", 3)]
)
def test_a_killed_run_is_resumed_and_asks_nothing_twice_that_is_there(
    adsctl, service, monkeypatch, kind, count
):
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta())
    killing = Killing(service, kind, count)
    killing.process = adsctl.popen(*WORDS)
    assert killing.process.communicate() and killing.process.returncode == -signal.SIGKILL
    settle_after_kill(service)
    assert not (adsctl.home / "ads.db").exists() or not any(
        rows != [(0,)] for rows in content(adsctl).values()
    )
    killing.process = None
    adsctl(*WORDS)
    jobs = {line: number for line, number in killing.seen.items() if line.startswith(JOB)}
    assert len(jobs) in (6, 8) and {*jobs.values()} == {1}  # the windows of 2 reports
    results = {line: number for line, number in killing.seen.items() if line.startswith(RESULT)}
    assert len(results) == len(jobs)
    assert sum(results.values()) <= len(jobs) + 4  # those in flight were lost
    assert content(adsctl)["mirror_days"] == [(400,)]


def test_a_run_that_is_killed_while_it_waits_to_write_asks_for_no_job_again(adsctl, service, monkeypatch):
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta())
    killing = Killing(service, RESULT, 10**9)
    with closing(sqlite3.connect(adsctl.home / "ads.db", isolation_level=None)) as db:
        process = adsctl.popen(*WORDS)
        wait_until(lambda: any(line.startswith(RESULT) for line in killing.seen), "no job has ended")
        db.execute("BEGIN IMMEDIATE")
        results = adsctl.home / "state" / "exports"
        jobs = [line for line in killing.seen if line.startswith(JOB)]
        wait_until(lambda: len([*results.glob("*/*.json.gz")]) == len(jobs), "not all results are stored")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        db.execute("ROLLBACK")
    before = killing.seen.copy()
    adsctl(*WORDS)
    assert killing.seen == before
    assert content(adsctl)["mirror_days"] == [(400,)]


FOLDER_TABLES = ("campaign_history", "campaign_report", "line_item_report", "mirror_accounts")
POINTS = 14


def folder_times(adsctl) -> list[datetime]:
    """Return when the rows of each table of a folder were written last."""
    files = "read_parquet('{}/warehouse/{}/18ce54d4x5t/*.parquet', union_by_name = true)"
    return [
        duckdb.sql(
            f"SELECT max({'finished_at' if table == 'mirror_accounts' else '_fivetran_synced'})"
            f" FROM {files.format(adsctl.home, table)}"
        ).fetchall()[0][0]
        for table in FOLDER_TABLES
    ]


def test_a_run_into_a_folder_that_is_killed_at_any_point_is_there_whole_or_not_at_all(adsctl, noon, tmp_path):
    now = datetime.fromisoformat(NOON)

    def run(tables: tuple[str, ...] = FOLDER_TABLES[:3]) -> None:
        words = ("--into", adsctl.home / "warehouse", "--since", "9d", "--tables", ",".join(tables))
        adsctl.local("mirror", "run", *words)

    adsctl.copy_emulator()
    noon.move_to(now, tick=False)
    run()
    run(("tweet",))  # so that each run finds the same tables
    now += timedelta(minutes=1)
    noon.move_to(now, tick=False)
    calls = calls_of(run, tmp_path, "mirror/parquet_")
    before, seen = now, set[bool]()
    for number in (*range(0, calls, max(1, calls // POINTS)), calls - 1):
        now += timedelta(minutes=1)
        noon.move_to(now, tick=False)
        killed_at(number, run, "mirror/parquet_")
        run(("tweet",))  # which completes what was begun, or forgets it, and writes nothing else of it
        times = folder_times(adsctl)
        whole = times[:3] == [now.replace(tzinfo=None)] * 3
        assert whole or times[:3] == [before.replace(tzinfo=None)] * 3, number
        seen.add(whole)
        before = now if whole else before
        assert not [*adsctl.home.glob("warehouse/_adsctl/*")]
    assert seen == {False, True}
    now += timedelta(minutes=1)
    noon.move_to(now, tick=False)
    run()
    assert {*folder_times(adsctl)} == {now.replace(tzinfo=None)}


def test_two_accounts_into_one_file_both_arrive_and_one_account_is_run_once_at_a_time(adsctl, service):
    words = ("mirror", "run", "--into", "sqlite:ads.db", "--since", "20d")
    processes = [
        adsctl.popen(*words, "--account", account)
        for account in ("18ce54d4x5t", "18ce55gze09", "18ce54d4x5t")
    ]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    with closing(sqlite3.connect(adsctl.home / "ads.db")) as db:
        accounts = [id for (id,) in db.execute("SELECT account_id FROM mirror_accounts ORDER BY 1")]
        assert accounts == ["18ce54d4x5t", "18ce55gze09"]
        twice = """SELECT 1 FROM campaign_report GROUP BY account_id, campaign_id, date, placement
            HAVING count(*) > 1"""
        assert db.execute(twice).fetchall() == []
        assert db.execute("SELECT count(*) FROM mirror_days").fetchall() == [(2 * 5 * 20,)]


def test_a_fleet_mirrors_several_accounts_into_one_file(adsctl, service):
    words = "mirror run --into sqlite:ads.db --since 20d --tables campaign_history,campaign_report"
    tasks = "".join(
        f"- {{name: {name}, run: '{words} --account {account}'}}\n"
        for name, account in (("shop", "18ce54d4x5t"), ("cafe", "18ce55gze09"))
    )
    adsctl.file("fleet.yaml", f"tasks:\n{tasks}")
    shown = adsctl("fleet", "run", "fleet.yaml", "-o", "json").stdout
    records = json.loads(shown)
    assert [record["status"] for record in records] == ["ok", "ok"]
    assert [record["data"][0]["status"] for record in records] == ["ok", "ok"]
    assert content(adsctl)["mirror_accounts"] == [(2,)]
    assert content(adsctl)["mirror_days"] == [(40,)]
