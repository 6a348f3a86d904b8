"""Whatever the disk has made of a journal: a batch counts as acknowledged where it was, or is sent again."""

import random
from pathlib import Path

import pytest

from ads_cli.errors import StateError
from ads_cli.uploads import journal as journals
from ads_cli.uploads.jobs import Job, acks, read_journal
from ads_cli.uploads.journal import Journal
from ads_cli.uploads.upload import Acknowledgement

BATCHES = 6
# Reasons with a line break and with characters of several bytes, as a service may give them.
TOLD = {
    batch: Acknowledgement(batch, {"created": 24, "failed": 1}, [(batch, "no\nimäge")])
    for batch in range(BATCHES)
}


def job(name: str = "j1") -> Job:
    return Job(
        job=name,
        noun="products",
        file="feed.csv",
        digest="d" * 64,
        target="https://ads.example c1",
        rows=150,
        batches=BATCHES,
        started="2026-03-01T00:00:00Z",
    )


def written(folder: Path, *, ended: bool = False) -> Path:
    """Write a journal of some acknowledgements, as a run does."""
    journal = Journal(folder, job(), resume=False)
    for ack in TOLD.values():
        journal.append(ack)
    journal.settle()
    if ended:
        journal.finish()
    journal.close()
    return folder / "j1.jsonl"


def resumed(folder: Path, *later: Acknowledgement) -> Journal:
    """Go on with the job, append, and close."""
    journal = Journal(folder, job("j2"), resume=True)
    for ack in later:
        journal.append(ack)
    journal.close()
    return journal


@pytest.fixture(autouse=True)
def no_syncing(monkeypatch):
    monkeypatch.setattr(journals.os, "fdatasync", lambda file: None)


def test_a_journal_cut_at_any_byte_keeps_every_whole_line_and_can_be_written_on(tmp_path):
    path = written(tmp_path)
    content = path.read_bytes()
    header = content.index(b"\n")
    for cut in range(len(content) + 1):
        path.write_bytes(content[:cut])
        whole = max(content[:cut].count(b"\n") - 1, 0)
        journal = resumed(tmp_path, Acknowledgement(99, {"created": 1}))
        # Before the whole header is there, nobody knows whose journal it is.
        assert journal.resumed == (cut > header)
        assert journal.acked == {n: TOLD[n] for n in range(whole)}
        assert [ack.batch for ack in acks(path if journal.resumed else tmp_path / "j2.jsonl")] == [
            *range(whole),
            99,
        ]
        (tmp_path / "j2.jsonl").unlink(missing_ok=True)


def test_an_end_that_is_cut_at_any_byte_is_no_end(tmp_path):
    path = written(tmp_path, ended=True)
    content = path.read_bytes()
    for cut in range(1, len(journals.END) + 1):
        path.write_bytes(content[:-cut])
        assert not read_journal(path)[1]
        assert resumed(tmp_path).acked == TOLD


@pytest.mark.parametrize("seed", range(4))
def test_a_byte_that_the_disk_has_changed_never_makes_another_batch_acknowledged(tmp_path, seed):
    path = written(tmp_path)
    content = path.read_bytes()
    chance = random.Random(seed)
    for at in range(content.index(b"\n") + 1, len(content)):
        spoiled = bytearray(content)
        spoiled[at] ^= chance.randrange(1, 256)
        path.write_bytes(spoiled)
        found = list(acks(path))
        assert all(ack == TOLD[ack.batch] for ack in found) and len(found) >= BATCHES - 2
        assert resumed(tmp_path).resumed


def test_a_header_that_the_disk_has_changed_is_another_job_or_none(tmp_path):
    path = written(tmp_path)
    content = path.read_bytes()
    chance = random.Random(1)
    for at in range(content.index(b"\n") + 1):
        for byte in (content[at] ^ chance.randrange(1, 256), ord("x")):
            path.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
            journal = resumed(tmp_path)
            assert journal.acked == {} or journal.acked == TOLD
            (tmp_path / "j2.jsonl").unlink(missing_ok=True)


def test_garbage_in_the_place_of_a_journal_is_passed_over(tmp_path):
    chance = random.Random(2)
    for size in (0, 1, 10, 1000, 100_000):
        (tmp_path / "j0.jsonl").write_bytes(chance.randbytes(size))
        assert not resumed(tmp_path).resumed
        (tmp_path / "j2.jsonl").unlink()


def test_after_half_a_line_nothing_more_is_counted(tmp_path, monkeypatch):
    journal = Journal(tmp_path, job(), resume=False)
    journal.append(TOLD[0])
    journal.settle()
    real = journals.os.write
    monkeypatch.setattr(journals.os, "write", lambda file, line: real(file, line[:5]))
    with pytest.raises(StateError, match="disk is full"):
        journal.append(TOLD[1])
        journal.settle()
    monkeypatch.setattr(journals.os, "write", real)  # there is room again
    with pytest.raises(StateError, match="disk is full"):
        journal.append(TOLD[2])
    assert journal.totals.total() == 25
    journal.close()
    assert resumed(tmp_path, TOLD[1]).acked == {0: TOLD[0]}
    assert [ack.batch for ack in acks(tmp_path / "j1.jsonl")] == [0, 1]
