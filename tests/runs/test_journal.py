"""What a job has sent, in the store: counted once it is on disk, and found again by the next run."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from ads_cli.client.rate_limiter import StoppedError
from ads_cli.errors import StateError
from ads_cli.runs.job import Acknowledgement, Job, JobKey, JobOptions
from ads_cli.runs.jobs import list_jobs, remove_jobs
from ads_cli.runs.journal import Journal
from ads_cli.runs.sends import count_sends, read_planned, read_sends
from ads_cli.store import close_stores, database, store_in
from ads_cli.store.epochs import UploadTarget

BATCHES = 6
OPTIONS = JobOptions(skip_invalid=False, format="csv", encoding="utf-8", mapping={"a": "b"})
# Reasons with a line break and with characters of several bytes, as a service may give them.
ACKNOWLEDGED = {
    batch: Acknowledgement(batch, {"created": 24, "failed": 1}, [(batch, "no\nimäge\0")])
    for batch in range(BATCHES)
}


def job(name: str = "j1", content: str = "d" * 64) -> Job:
    return Job(
        job=name,
        key=JobKey(UploadTarget("https://ads.example", "product_catalog", "c1"), "push", content, OPTIONS),
        noun="products",
        file="feed.csv",
        rows=150,
        batches=BATCHES,
        started="2026-03-01T00:00:00Z",
        resume="adsctl products push feed.csv --resume",
        profile="shop",
        folder="/feeds",
        group="a group",
    )


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    close_stores()


def send(folder: Path, *acks: Acknowledgement, name: str = "j1", resume: bool = False) -> Journal:
    """Send some batches in a run of a job."""
    with closing(Journal(folder, job(name), resume=resume)) as journal:
        for ack in acks:
            journal.append(ack)
        journal.flush()
    return journal


def test_a_job_and_what_it_has_sent_are_found_again_as_they_were(folder):
    sent = send(folder, *ACKNOWLEDGED.values())
    assert sent.totals == {"created": 24 * BATCHES, "failed": BATCHES}
    close_stores()
    resumed = send(folder, name="j2", resume=True)
    assert resumed.resumed and resumed.job == msgspec.structs.replace(sent.job, state="unfinished")
    assert resumed.acknowledged == ACKNOWLEDGED and resumed.totals == sent.totals
    assert [*resumed.acknowledgements()] == [*ACKNOWLEDGED.values()]
    assert count_sends(folder) == {"j1": (BATCHES, 25 * BATCHES, BATCHES)}


def test_many_acknowledgements_are_read_page_by_page(folder, monkeypatch):
    sent = send(folder, *(Acknowledgement(batch, {"created": 1}) for batch in range(2500)))
    assert [ack.batch for ack in sent.acknowledgements()] == [*range(2500)]


def test_a_discarded_acknowledgement_is_neither_counted_nor_read_again(folder):
    send(folder, *ACKNOWLEDGED.values())
    with closing(Journal(folder, job("j2"), resume=True)) as journal:
        journal.discard([journal.acknowledged[0]])
    kept = {number: ACKNOWLEDGED[number] for number in range(1, BATCHES)}
    for read in (journal, send(folder, name="j3", resume=True)):
        assert {ack.batch: ack for ack in read.acknowledgements()} == kept == read.acknowledged
        assert read.totals == {"created": 24 * (BATCHES - 1), "failed": BATCHES - 1}
    again = Acknowledgement(0, {"updated": 3})
    assert send(folder, again, name="j4", resume=True).totals["updated"] == 3
    assert read_sends(folder, "j1").acknowledged == kept | {0: again}


def test_an_attempt_is_on_disk_before_it_is_sent_and_stays_uncertain_until_it_is_withdrawn(folder):
    with closing(Journal(folder, job(), resume=False)) as journal:
        for batch in range(4):
            with journal.attempt(batch, [f"key {batch}"]) as on_send:
                on_send()
                assert batch in read_sends(folder, "j1").uncertain
        journal.append(ACKNOWLEDGED[0])
        journal.withdraw_attempt(1)
    sends = read_sends(folder, "j1")
    assert sends.unanswered == [["key 2"], ["key 3"]]
    assert sends.keys[1] == ["key 1"] and 1 not in sends.uncertain
    with closing(Journal(folder, job("j2"), resume=True)) as journal:
        assert [*journal.attempts] == [0, 2, 3]
        journal.withdraw_attempt(2)  # does not undo what the earlier run has sent
        with journal.attempt(3, ["another"]) as on_send:
            on_send()
    assert read_sends(folder, "j1").unanswered == [["key 2"], ["key 3"]]


@pytest.mark.parametrize("then", ["there is space again", "it stays full"])
def test_what_a_full_disk_did_not_take_is_neither_counted_nor_found_again(folder, monkeypatch, then):
    journal = Journal(folder, job(), resume=False)
    journal.append(ACKNOWLEDGED[0])
    journal.flush()
    with store_in(folder).writing() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
    store_in(folder).rows(f"PRAGMA max_page_count = {pages}")
    large = [msgspec.structs.replace(ack, deleted=["x" * 9000]) for ack in ACKNOWLEDGED.values()]
    with pytest.raises(StateError, match=r"what this push sends cannot be noted: .* full") as raised:
        for ack in large[1:]:
            journal.append(ack)
        journal.flush()
    assert "what is acknowledged so far is stored there" in raised.value.hint
    if then == "there is space again":
        store_in(folder).rows("PRAGMA max_page_count = 1073741823")
    with pytest.raises(StateError, match="full"):
        journal.append(ACKNOWLEDGED[1])
    assert journal.totals.total() == 25
    journal.close()
    close_stores()
    assert send(folder, ACKNOWLEDGED[1], name="j2", resume=True).acknowledged == {0: ACKNOWLEDGED[0]}
    assert [*read_sends(folder, "j1").acknowledged] == [0, 1]


def test_a_database_that_another_process_keeps_locked_stops_the_run(folder, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    journal = Journal(folder, job(), resume=False)
    with closing(sqlite3.connect(folder / "state.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        journal.append(ACKNOWLEDGED[0])
        with pytest.raises(StateError, match="was locked by another process"):
            journal.flush()
    journal.close()
    assert not journal.totals and not read_sends(folder, "j1").acknowledged


def test_a_database_that_is_locked_for_a_moment_is_waited_for(folder):
    journal = Journal(folder, job(), resume=False)
    other = sqlite3.connect(folder / "state.db", check_same_thread=False, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.2, lambda: other.execute("COMMIT")).start()
    journal.append(ACKNOWLEDGED[0])
    journal.flush()
    journal.close()
    other.close()
    assert [*read_sends(folder, "j1").acknowledged] == [0]


def test_a_journal_that_is_closed_waits_for_nothing(folder):
    journal = send(folder)
    with pytest.raises(StoppedError):
        journal.flush()


def test_a_job_that_cannot_begin_leaves_neither_a_job_nor_its_lock(folder, monkeypatch):
    monkeypatch.setattr("ads_cli.runs.journal.begin_job", lambda *values: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Journal(folder, job(), resume=False)
    monkeypatch.undo()
    assert list_jobs(folder) == []
    send(folder)


def test_with_a_job_all_that_it_has_sent_is_removed(folder):
    send(folder, *ACKNOWLEDGED.values())
    assert remove_jobs(folder, list_jobs(folder)) == []
    for table in ("runs", "sends", "planned"):
        assert store_in(folder).rows(f"SELECT * FROM {table}") == []
    assert not [*(folder / "locks").glob("job-*")] and read_planned(folder, "j1") == set()


def names(folder: Path) -> list[str]:
    return [stored.job for stored in list_jobs(folder)]


def begin(folder: Path, name: str, *, days: float, ended: bool) -> None:
    """Begin a job of a file of its own, so many days ago."""
    new = msgspec.structs.replace(job(name, content=name), group="")
    with closing(Journal(folder, new, resume=False)) as journal:
        if ended:
            journal.finish()
    with store_in(folder).writing() as db:
        db.execute("UPDATE runs SET used = used - ? WHERE id = ?", (days * 86400, name))


def test_what_cannot_be_resumed_is_removed_after_thirty_days_with_its_lock(folder):
    begin(folder, "of today", days=0, ended=True)
    begin(folder, "of last month", days=29, ended=True)
    begin(folder, "superseded", days=31, ended=False)
    begin(folder, "older", days=31, ended=True)
    begin(folder, "unfinished", days=31, ended=False)
    with closing(Journal(folder, job("new"), resume=False)):
        assert names(folder) == ["new", "of last month", "of today", "unfinished"]
        assert len([*(folder / "locks").glob("job-*")]) == 4


def test_a_job_of_the_future_ages_from_now_on(folder):
    begin(folder, "by a wrong clock", days=-4000, ended=True)
    send(folder)
    assert len(names(folder)) == 2
    with store_in(folder).writing() as db:
        db.execute("UPDATE runs SET used = used - 31 * 86400")
    send(folder, name="j2")
    assert names(folder) == ["j1", "j2"]


def test_where_nothing_ran_nothing_is_made(folder):
    assert list_jobs(folder) == [] and count_sends(folder) == {} and not [*folder.iterdir()]
