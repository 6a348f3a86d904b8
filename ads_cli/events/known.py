"""The events that were received, so that none is handed on twice.

A delivery is signed without a time: one that was captured stays valid for ever. Each is kept for longer than
the service may replay it.
"""

from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from typing import Literal

from ..http.retry import CLOCK, Clock
from ..store.database import store_in
from .event import Event

Familiarity = Literal["new", "same", "changed"]  # "changed": the id is known with another content

KEPT_SECONDS = 48 * 3600  # a replay reaches back 24 hours, and takes a while itself
PRUNE_SECONDS = 3600.0
WRITE_SECONDS, MAX_UNWRITTEN = 1.0, 500  # what a crash may forget, and a replay would hand on twice
RECENT_EVENTS = 200_000  # five minutes of backfill are 75,000 at most, at 250 posts a second


class KnownDeliveries:
    """The deliveries that one receiver has handed on, over its restarts.

    One that can keep none raises StateError at once. A transaction takes as long as many events do: they are
    written together.
    """

    def __init__(self, state_dir: Path, receiver: str, clock: Clock = CLOCK) -> None:
        self._store, self._receiver, self._clock = store_in(state_dir), receiver, clock
        self._unwritten: dict[str, bytes] = {}
        self._write_at = self._prune_at = 0.0  # in monotonic seconds
        self._insert()

    def familiarity(self, event: Event) -> Familiarity:
        """Tell whether an event was handed on."""
        key = key_of(event)
        digest = self._unwritten.get(key)
        if digest is None:
            query = "SELECT digest FROM received_events WHERE (receiver, id) = (?, ?)"
            digest = next((digest for (digest,) in self._store.rows(query, (self._receiver, key))), None)
        return _familiarity(event, digest)

    def add(self, event: Event) -> None:
        """Remember an event, on the disk within a moment."""
        if not self._unwritten:
            self._write_at = self._clock.monotonic() + WRITE_SECONDS
        self._unwritten[key_of(event)] = event.digest
        if len(self._unwritten) >= MAX_UNWRITTEN or self._clock.monotonic() >= self._write_at:
            self.write()

    def write(self) -> None:
        """Write what is not on the disk yet, and forget what is too old."""
        if self._unwritten:
            self._insert()

    def _insert(self) -> None:
        now = int(self._clock.time())
        rows = [(self._receiver, key, digest, now) for key, digest in self._unwritten.items()]
        with self._store.writing() as db:
            db.executemany("INSERT OR IGNORE INTO received_events VALUES (?, ?, ?, ?)", rows)
            if self._clock.monotonic() >= self._prune_at:
                db.execute("DELETE FROM received_events WHERE at < ?", (now - KEPT_SECONDS,))
                self._prune_at = self._clock.monotonic() + PRUNE_SECONDS
        self._unwritten.clear()


class RecentEvents:
    """The latest events of a stream, in memory: what is repeated after it has connected again."""

    def __init__(self, most: int = RECENT_EVENTS) -> None:
        self._digests: OrderedDict[str, bytes] = OrderedDict()
        self._most = most

    def familiarity(self, event: Event) -> Familiarity:
        """Tell whether an event came before; one without an id is new."""
        return _familiarity(event, self._digests.get(event.id) if event.id else None)

    def add(self, event: Event) -> None:
        """Remember an event."""
        if event.id:
            self._digests[event.id] = event.digest
            if len(self._digests) > self._most:
                self._digests.popitem(last=False)


def _familiarity(event: Event, known: bytes | None) -> Familiarity:
    """Compare an event with the digest under which it is known."""
    if known is None:
        return "new"
    return "same" if known == event.digest else "changed"


def key_of(event: Event) -> str:
    """Return what identifies a delivery: the id of its event, or its bytes where that has none."""
    return event.id or f"sha256:{sha256(event.content).hexdigest()}"
