"""What a job has sent, batch by batch: the rows of the table `sends`, and what is written into them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..http.retry import CLOCK
from ..store import store_in
from .job import DISCARDED, Acknowledgement
from .lost import LISTED_AFTER_SECONDS

PAGE = 1000  # acknowledgements that are in memory at once where they are read one by one

# What is written of a job: each takes its id, and then its other values.
ACKNOWLEDGE = """
INSERT INTO sends (run, batch, answer, sent, failed) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET answer = excluded.answer, sent = excluded.sent, failed = excluded.failed
"""
DISCARD = "UPDATE sends SET answer = NULL, sent = 0, failed = 0 WHERE (run, batch) = (?, ?)"
ATTEMPT = """
INSERT INTO sends (run, batch, keys, at, may_be_applied) VALUES (?, ?, ?, ?, 1)
ON CONFLICT DO UPDATE SET keys = excluded.keys, at = excluded.at, may_be_applied = 1
"""
WITHDRAW = "UPDATE sends SET may_be_applied = 0 WHERE (run, batch) = (?, ?)"  # the keys stay
PLAN = "INSERT OR IGNORE INTO planned VALUES (?, ?)"

decode_answer = msgspec.json.Decoder(Acknowledgement).decode
_decode_keys = msgspec.json.Decoder(list[str]).decode


class Sends(NamedTuple):
    """What a job has sent, by the numbers of its batches."""

    acknowledged: dict[int, Acknowledgement]
    keys: dict[int, list[str]]  # that requests delete, or digests of what they create; withdrawn ones too
    uncertain: dict[int, list[str]]  # of those that may be applied, whether they were acknowledged or not
    sent_at: dict[int, float]  # Unix seconds, of those that were noted before they were sent

    @property
    def unanswered(self) -> list[list[str]]:
        """The keys or digests of each batch that may be applied, and was not acknowledged."""
        return [keys for number, keys in self.uncertain.items() if number not in self.acknowledged]


class UncertainSend(NamedTuple):
    """A request of a run that has not ended, which has no answer, so that it may be applied."""

    run: str
    batch: int
    keys: list[str]
    at: int  # when its run has written last, in Unix seconds: it was not sent later


class Counts(NamedTuple):
    """What the service has acknowledged of a job."""

    batches: int = 0
    sent: int = 0  # rows
    failed: int = 0  # of these


def read_sends(state_dir: Path, job: str) -> Sends:
    """Return everything that a job has sent."""
    query = "SELECT batch, keys, at, may_be_applied, answer FROM sends WHERE run = ? ORDER BY batch"
    sends = Sends({}, {}, {}, {})
    for batch, keys, at, may_be_applied, answer in store_in(state_dir).rows(query, (job,)):
        if answer is not None:
            sends.acknowledged[batch] = decode_answer(answer)
        if keys is not None:
            sends.keys[batch] = _decode_keys(keys)
            sends.sent_at[batch] = at
        if may_be_applied:
            sends.uncertain[batch] = sends.keys[batch]
    return sends


def uncertain_sends(state_dir: Path, service: str, target: str, upload: str) -> list[UncertainSend]:
    """Return what runs of a kind that have not ended, or were discarded, may have sent to a target."""
    query = (
        "SELECT run, batch, keys, used FROM sends JOIN runs ON id = run WHERE (service, target, upload)"
        f" = (?, ?, ?) AND (ended IS NULL OR ended LIKE '{DISCARDED}%') AND may_be_applied"
        " AND answer IS NULL ORDER BY used, batch"
    )
    rows = store_in(state_dir).rows(query, (service, target, upload))
    return [UncertainSend(run, batch, _decode_keys(keys), at) for run, batch, keys, at in rows]


def lost_applies(state_dir: Path) -> set[str]:
    """Return the applies, given up or not, of which lists may not show yet what lost answers have created."""
    query = (
        "SELECT run FROM sends JOIN runs ON id = run"
        " WHERE upload = 'apply' AND may_be_applied AND answer IS NULL AND used > ?"
    )
    rows = store_in(state_dir).rows(query, (CLOCK.time() - LISTED_AFTER_SECONDS,))
    return {run for (run,) in rows}


def settle_sends(state_dir: Path, sends: Iterable[UncertainSend]) -> None:
    """Note that it is known what requests have done."""
    with store_in(state_dir).writing() as db:
        db.executemany(WITHDRAW, [(send.run, send.batch) for send in sends])


def acknowledgements(state_dir: Path, job: str) -> Iterator[Acknowledgement]:
    """Read the acknowledgements of a job one by one, in the order of their batches."""
    query = (
        "SELECT batch, answer FROM sends WHERE run = ? AND batch > ? AND answer IS NOT NULL"
        f" ORDER BY batch LIMIT {PAGE}"
    )
    last = -1
    while page := store_in(state_dir).rows(query, (job, last)):
        yield from (decode_answer(answer) for _, answer in page)
        last = page[-1][0]


def read_planned(state_dir: Path, job: str) -> set[str]:
    """Return the digests of the records that a job creates once."""
    rows = store_in(state_dir).rows("SELECT content FROM planned WHERE run = ?", (job,))
    return {content for (content,) in rows}


def count_sends(state_dir: Path, job: str | None = None) -> dict[str, Counts]:
    """Count what was acknowledged of a job, or of each that has sent something."""
    query = "SELECT run, count(answer), sum(sent), sum(failed) FROM sends"
    query += " GROUP BY run" if job is None else " WHERE run = ? GROUP BY run"
    rows = store_in(state_dir).rows(query, () if job is None else (job,))
    return {name: Counts(*counts) for name, *counts in rows}
