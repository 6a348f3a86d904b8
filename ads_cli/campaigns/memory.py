"""What applies have created: the ids of keys, and what requests without a response may have created.

Each is on the disk before its request is sent, or before its response counts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import count
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from ..http.retry import CLOCK
from ..runs.job import Acknowledgement
from ..runs.lost import look_until_listed, seconds_until_listed
from ..runs.sends import settle_sends, uncertain_sends
from ..store import store_in

if TYPE_CHECKING:
    from ..client.client import Client
    from ..runs.journal import Journal

T = TypeVar("T")
APPLY = "apply"  # the kind of the runs
STANDARD_INPUT = "-"  # in place of a file


class Mark(NamedTuple):
    """Under what a record is remembered."""

    kind: str
    parent: str  # the id of the record above
    key: str  # of a replacement, the id of the record that it replaces
    is_replacement: bool = False

    @property
    def stored(self) -> str:
        """Return the mark as it is stored."""
        return msgspec.json.encode(self).decode()


_mark = msgspec.json.Decoder(Mark).decode


class ApplyMemory:
    """Remembers the records of an account of a service. Thread-safe."""

    def __init__(self, state_dir: Path, service: str, account: str) -> None:
        self._state_dir, self._store = state_dir, store_in(state_dir)
        self._lock = RLock()  # requests that are sent at once note what they create
        self._target = f"campaigns of {account} at {service}"
        self.journal: Journal | None = None  # of the run, once it has begun
        self._batches = count()
        self.file = ""  # that is applied, by its identity
        # By marks. Of a replacement that is about to be made, the id is empty.
        self.ids: dict[Mark, str] = {
            _mark(mark): id for mark, id in self._rows("SELECT identity, service_key FROM known")
        }
        self.files: dict[Mark, set[str]] = defaultdict(set)  # that were applied with a mark
        for mark, file in self._rows("SELECT identity, file FROM known_files"):
            self.files[_mark(mark)].add(file)
        # As sent and as stored, by id, where they differ.
        self.names = {id: names for id, *names in self._rows("SELECT id, sent, name FROM stored_names")}
        self._found: set[Mark] = set()  # by this run
        self._uncertain = uncertain_sends(state_dir, service, account, APPLY)
        # What earlier runs may have created, with the Unix seconds after which they have not sent it.
        self.lost = {_mark(key): send.at for send in self._uncertain for key in send.keys}

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._store.rows(f"{query} WHERE target = ?", (self._target,))

    def next_batch(self) -> int:
        """Return the number of the next request of the run."""
        return next(self._batches)

    def acknowledge(self, ack: Acknowledgement, ids: Mapping[Mark, str]) -> None:
        """Note what a request has done; the ids of what it has created are on the disk before."""
        assert self.journal
        self.remember(ids)
        self.journal.append(ack)

    def remember(self, ids: Mapping[Mark, str]) -> None:
        """Note whose ids are known, on the disk before this returns."""
        with self._lock:
            self._found.update(mark for mark, id in ids.items() if id)
            news = {mark: id for mark, id in ids.items() if not self._is_known(mark, id)}
            if not news:
                return
            known = [(self._target, mark.stored, id) for mark, id in news.items()]
            files = [(self._target, mark.stored, self.file) for mark in news if self.file]
            with self._store.writing() as db:
                db.executemany("REPLACE INTO known VALUES (?, ?, ?)", known)
                db.executemany("REPLACE INTO known_files VALUES (?, ?, ?)", files)
            self.ids |= news
            for mark in news if self.file else ():
                self.files[mark].add(self.file)

    def _is_known(self, mark: Mark, id: str) -> bool:
        return self.ids.get(mark) == id and (not self.file or self.file in self.files[mark])

    def settle(self, also: AbstractSet[Mark]) -> set[str]:
        """Forget what earlier runs may have created: it was found, or lists would show it by now.

        `also` was found, besides what this run remembers. Return the runs of which something is uncertain.
        """
        found, settled, left = self._found | also, [], set[str]()
        for send in self._uncertain:
            if seconds_until_listed(CLOCK.time() - send.at) and not found.issuperset(map(_mark, send.keys)):
                left.add(send.run)
            else:
                settled.append(send)
        if settled:
            settle_sends(self._state_dir, settled)
        return left

    def other_file(self, mark: Mark, file: str) -> str:
        """Return another file that a mark belongs to, or "" if it belongs to this one or to none."""
        files = self.files.get(mark, set())
        if not file or file in files:
            return ""
        return next((name for name in sorted(files) if name == STANDARD_INPUT or Path(name).exists()), "")

    def note_name(self, id: str, sent: str, name: str) -> None:
        """Note as what the service stores a name."""
        with self._store.writing() as db:
            db.execute("REPLACE INTO stored_names VALUES (?, ?, ?, ?)", (self._target, id, sent, name))
        self.names[id] = [sent, name]

    def seconds_until_listed(self, marks: Iterable[Mark]) -> float:
        """Return for how long lists may still lack what attempts that have no response have created."""
        now = CLOCK.time()
        return max((seconds_until_listed(now - self.lost[mark]) for mark in marks), default=0.0)


def look_for_lost(
    client: "Client",
    memory: ApplyMemory,
    look: Callable[[], tuple[T, Sequence[Mark]]],
    say: Callable[[str], None] | None,
) -> T:
    """Look for what requests without an answer may have created, as `look_until_listed` does."""

    def look_once() -> tuple[T, Sequence[str], float]:
        found, missing = look()
        names = [f"{mark.kind} {mark.key}".replace("_", " ") for mark in missing]
        return found, names, memory.seconds_until_listed(missing)

    return look_until_listed(client, look_once, say)
