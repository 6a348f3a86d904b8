"""A journal that the disk has damaged: a batch counts as acknowledged only if it was."""

import random
from pathlib import Path

import pytest

from ads_cli.client.rate_limiter import StoppedError
from ads_cli.errors import StateError
from ads_cli.store.epochs import UploadTarget
from ads_cli.uploads import journal as journals
from ads_cli.uploads.job_file import END, Acknowledgement, Job, JobKey, JobOptions, acknowledgements, read_job
from ads_cli.uploads.journal import Journal
from tests.effort import tries

BATCHES = 6
OPTIONS = JobOptions(skip_invalid=False, format="csv", encoding="utf-8", mapping={})
# Reasons with a line break and with characters of several bytes, as a service may give them.
ACKNOWLEDGED = {
    batch: Acknowledgement(batch, {"created": 24, "failed": 1}, [(batch, "no\nimäge")])
    for batch in range(BATCHES)
}


def job(name: str = "j1") -> Job:
    return Job(
        job=name,
        key=JobKey(UploadTarget("https://ads.example", "product_catalog", "c1"), "push", "d" * 64, OPTIONS),
        noun="products",
        file="feed.csv",
        rows=150,
        batches=BATCHES,
        started="2026-03-01T00:00:00Z",
    )


def write_journal(folder: Path, *, ended: bool = False) -> Path:
    """Write a journal with some acknowledgements, as a run does."""
    journal = Journal(folder, job(), resume=False)
    for ack in ACKNOWLEDGED.values():
        journal.append(ack)
    journal.flush()
    if ended:
        journal.finish()
    journal.close()
    return folder / "jobs" / "j1.jsonl"


def resume_journal(folder: Path, *later: Acknowledgement) -> Journal:
    """Resume the job, append, and close."""
    journal = Journal(folder, job("j2"), resume=True)
    for ack in later:
        journal.append(ack)
    journal.close()
    return journal


@pytest.fixture(autouse=True)
def no_syncing(monkeypatch):
    monkeypatch.setattr(journals.os, "fdatasync", lambda file: None)


def test_a_journal_cut_at_any_byte_keeps_every_complete_line_and_can_be_appended_to(tmp_path):
    path = write_journal(tmp_path)
    content = path.read_bytes()
    for cut in range(content.index(b"\n") + 1, len(content) + 1, tries(7, 1)):
        path.write_bytes(content[:cut])
        whole = content[:cut].count(b"\n") - 1
        journal = resume_journal(tmp_path, Acknowledgement(99, {"created": 1}))
        assert journal.resumed and journal.acknowledged == {n: ACKNOWLEDGED[n] for n in range(whole)}
        assert [ack.batch for ack in acknowledgements(path)] == [*range(whole), 99]


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99, 1])
def test_nobody_knows_which_job_a_journal_without_a_complete_header_belongs_to(tmp_path, share):
    path = write_journal(tmp_path)
    header = path.read_bytes().splitlines()[0]
    path.write_bytes(header[: int(share * len(header))])
    journal = resume_journal(tmp_path, Acknowledgement(99, {"created": 1}))
    assert not journal.resumed and journal.path != path


def test_a_truncated_end_does_not_end_the_job(tmp_path):
    path = write_journal(tmp_path, ended=True)
    content = path.read_bytes()
    for cut in range(1, len(END) + 1):
        path.write_bytes(content[:-cut])
        assert not read_job(path)[1]
        assert resume_journal(tmp_path).acknowledged == ACKNOWLEDGED


@pytest.mark.parametrize("seed", range(tries(1, 4)))
def test_a_damaged_byte_never_acknowledges_another_batch(tmp_path, seed):
    path = write_journal(tmp_path)
    content = path.read_bytes()
    chance = random.Random(seed)
    for at in range(content.index(b"\n") + 1, len(content), tries(3, 1)):
        damaged = bytearray(content)
        damaged[at] ^= chance.randrange(1, 256)
        path.write_bytes(damaged)
        read = list(acknowledgements(path))
        assert all(ack == ACKNOWLEDGED[ack.batch] for ack in read) and len(read) >= BATCHES - 2
        assert resume_journal(tmp_path).resumed


def test_a_damaged_header_is_never_the_same_job_with_other_acknowledgements(tmp_path):
    chance = random.Random(1)
    for number in range(tries(20, 60)):
        folder = tmp_path / str(number)
        path = write_journal(folder)
        content = path.read_bytes()
        at = chance.randrange(content.index(b"\n") + 1)
        byte = content[at] ^ chance.randrange(1, 256) if number % 2 else ord("x")
        path.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
        journal = resume_journal(folder)
        assert journal.acknowledged == {} or journal.acknowledged == ACKNOWLEDGED


def test_a_file_that_is_not_a_journal_is_skipped(tmp_path):
    (tmp_path / "jobs").mkdir()
    chance = random.Random(2)
    for size in (0, 1, 10, 1000, 100_000):
        (tmp_path / "jobs" / "j0.jsonl").write_bytes(chance.randbytes(size))
        assert not resume_journal(tmp_path).resumed
        (tmp_path / "jobs" / "j2.jsonl").unlink()


def test_after_an_incomplete_line_nothing_more_is_counted(tmp_path, monkeypatch):
    journal = Journal(tmp_path, job(), resume=False)
    journal.append(ACKNOWLEDGED[0])
    journal.flush()
    real = journals.os.write
    monkeypatch.setattr(journals.os, "write", lambda file, line: real(file, line[:5]))
    with pytest.raises(StateError, match="disk is full"):
        journal.append(ACKNOWLEDGED[1])
        journal.flush()
    monkeypatch.setattr(journals.os, "write", real)  # there is space again
    with pytest.raises(StateError, match="disk is full"):
        journal.append(ACKNOWLEDGED[2])
    assert journal.totals.total() == 25
    journal.close()
    assert resume_journal(tmp_path, ACKNOWLEDGED[1]).acknowledged == {0: ACKNOWLEDGED[0]}
    assert [ack.batch for ack in acknowledgements(tmp_path / "jobs" / "j1.jsonl")] == [0, 1]


def test_a_discarded_acknowledgement_is_neither_counted_nor_read_again(tmp_path):
    write_journal(tmp_path)
    journal = Journal(tmp_path, job("j2"), resume=True)
    journal.discard([journal.acknowledged[0]])
    kept = {n: ACKNOWLEDGED[n] for n in range(1, BATCHES)}
    assert {ack.batch: ack for ack in journal.acknowledgements()} == kept
    journal.close()
    for read in (journal, resume_journal(tmp_path)):
        assert read.totals == {"created": 24 * (BATCHES - 1), "failed": BATCHES - 1}
        assert read.acknowledged == kept


def test_of_a_group_that_is_written_in_part_nothing_is_counted_or_found_again(tmp_path, monkeypatch):
    journal = Journal(tmp_path, job(), resume=False)
    real = journals.os.write
    monkeypatch.setattr(journals.os, "write", lambda file, lines: real(file, lines[:-9]))
    with pytest.raises(StateError, match="disk is full"):
        for ack in ACKNOWLEDGED.values():
            journal.append(ack)
        journal.flush()
    monkeypatch.setattr(journals.os, "write", real)
    journal.close()
    assert not journal.totals
    assert not list(acknowledgements(tmp_path / "jobs" / "j1.jsonl"))


def test_a_journal_that_is_closed_waits_for_nothing(tmp_path):
    journal = resume_journal(write_journal(tmp_path).parents[1])
    with pytest.raises(StoppedError):
        journal.flush()
