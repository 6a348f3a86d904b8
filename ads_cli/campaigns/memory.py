"""What applies have created: the ids of keys, and what requests without a response may have created.

Each is on the disk before its request is sent, or before its response counts.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from ..batches.upload import LISTED_AFTER_SECONDS
from ..errors import NotConfirmedError
from ..http.retry import CLOCK, Clock
from ..output.text import counted, listed
from ..store import store_in
from ..store.notes import Notes

if TYPE_CHECKING:
    from ..client.client import Client

T = TypeVar("T")
STANDARD_INPUT = "-"  # in place of a file
PULLED = "pulled files"  # kind of notes


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
    """Remembers the records of an account; `account` is named with its service. Thread-safe."""

    def __init__(self, state_dir: Path, service: str, account: str, clock: Clock = CLOCK) -> None:
        self._clock, self._store = clock, store_in(state_dir)
        self._lock = RLock()  # requests that are sent at once note what they create
        self._target = f"campaigns of {account} at {service}"
        self.file = ""  # that is applied, by its identity
        self.ids: dict[Mark, str] = {}
        self.files: dict[Mark, set[str]] = defaultdict(set)  # that were applied with a mark
        self.names: dict[str, tuple[str, str]] = {}  # as sent and as stored, by id, where they differ
        self.lost: dict[Mark, int] = {}  # by the number of the attempt
        self.begun_plan = ""  # digest of the stored plan that is being applied
        self._begun: dict[int, float] = {}  # when attempts were sent, in Unix seconds
        self._read()

    def _read(self) -> None:
        for mark, id in self._rows("SELECT identity, service_key FROM known"):
            self.ids[_mark(mark)] = id
        for mark, file in self._rows("SELECT identity, file FROM known_files"):
            self.files[_mark(mark)].add(file)
        for id, sent, name in self._rows("SELECT id, sent, name FROM stored_names"):
            self.names[id] = sent, name
        for mark, number, at in self._rows("SELECT identity, number, at FROM attempts"):
            self.lost[_mark(mark)], self._begun[number] = number, at
        for (digest,) in self._rows("SELECT digest FROM begun_plans"):
            self.begun_plan = digest

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._store.rows(f"{query} WHERE target = ?", (self._target,))

    def begin_attempt(self, marks: Iterable[Mark]) -> int:
        """Note that a request may create records, on the disk before this returns."""
        marks, at = [*marks], self._clock.time()
        with self._lock:
            with self._store.writing() as db:
                (number,) = db.execute("SELECT coalesce(max(number), 0) + 1 FROM attempts").fetchone()
                rows = [(self._target, mark.stored, number, at) for mark in marks]
                db.executemany("REPLACE INTO attempts VALUES (?, ?, ?, ?)", rows)
            self._begun[number] = at
            self.lost |= dict.fromkeys(marks, number)
        return int(number)

    def end_attempt(self, number: int, ids: Mapping[Mark, str]) -> None:
        """Note what a request has created: nothing but `ids`."""
        self._note(ids, [number])

    def remember(self, ids: Mapping[Mark, str]) -> None:
        """Note whose ids are known."""
        news = {mark: id for mark, id in ids.items() if self.ids.get(mark) != id or mark in self.lost}
        if self.file:
            news |= {mark: id for mark, id in ids.items() if self.file not in self.files.get(mark, ())}
        if news:
            self._note(news, [])

    def settle(self) -> None:
        """Forget attempts: a listing of the account has shown what they have created."""
        if ended := [number for number in {*self.lost.values()} if not self._seconds_until_listed(number)]:
            self._note({}, ended)

    def _note(self, ids: Mapping[Mark, str], ended: Collection[int]) -> None:
        """Note whose ids are known, and which attempts have ended, on the disk before this returns."""
        target, marks = self._target, [mark.stored for mark in ids]
        with self._lock:
            with self._store.writing() as db:
                known = [(target, mark.stored, id) for mark, id in ids.items()]
                db.executemany("REPLACE INTO known VALUES (?, ?, ?)", known)
                files = [(target, mark, self.file) for mark in marks if self.file]
                db.executemany("REPLACE INTO known_files VALUES (?, ?, ?)", files)
                ending = "DELETE FROM attempts WHERE target = ? AND"
                db.executemany(f"{ending} identity = ?", [(target, mark) for mark in marks])
                db.executemany(f"{ending} number = ?", [(target, number) for number in ended])
            self.ids |= ids
            for mark in ids if self.file else ():
                self.files[mark].add(self.file)
            for mark in [mark for mark, number in self.lost.items() if mark in ids or number in ended]:
                del self.lost[mark]

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
        self.names[id] = sent, name

    def begin_plan(self, digest: str) -> None:
        """Note the stored plan that is being applied; empty when it has ended."""
        if self.begun_plan != digest:
            with self._store.writing() as db:
                db.execute("REPLACE INTO begun_plans VALUES (?, ?)", (self._target, digest))
            self.begun_plan = digest

    def seconds_until_listed(self, marks: Iterable[Mark]) -> float:
        """Return for how long lists may still lack what attempts that have no response have created."""
        return max((self._seconds_until_listed(self.lost[mark]) for mark in marks), default=0.0)

    def _seconds_until_listed(self, number: int) -> float:
        age = max(self._clock.time() - self._begun[number], 0)
        return max(LISTED_AFTER_SECONDS - age, 0)


def look_for_lost(
    client: "Client",
    memory: ApplyMemory,
    look: Callable[[], tuple[T, Sequence[Mark]]],
    say: Callable[[str], None] | None,
) -> T:
    """Look for what requests without a response may have created, and return it.

    `look` returns it with the marks of what is missing. Something is certainly missing only once lists would
    show it. Until then `look` is called again, and `say` tells of it. Without `say`, raise NotConfirmedError.
    """
    pause, waited = 1.0, 0.0
    while True:
        record, missing = look()
        # What was sent in the future, by a clock that was wrong, is waited for once.
        remaining = min(memory.seconds_until_listed(missing), LISTED_AFTER_SECONDS - waited)
        if remaining <= 0:
            return record
        names = listed([f"{mark.kind} {mark.key}".replace("_", " ") for mark in missing], 5)
        words = f"{counted(len(missing), 'record')} may have been created by a request whose answer was lost"
        if say is None or not client.rate_limiter.allows_wait(remaining, is_stated=True):
            raise NotConfirmedError(
                f"{words}, and the service may not list it yet: {names}",
                hint=f"nothing was created again; run it again in {remaining:.0f} s; --resume waits",
            )
        if not waited:
            say(f"{words}: looking for it for {remaining:.0f} s: {names}")
        pause = min(pause * 2, remaining)
        client.rate_limiter.wait(pause)
        waited += pause


class CreationAttempt:
    """One request that creates records with marks. It is noted before it is sent, and then its result."""

    def __init__(self, memory: ApplyMemory, marks: Sequence[Mark]) -> None:
        self._memory, self._marks = memory, marks
        self._number = 0  # where it is noted and has not ended

    def may_be_applied(self, batch: int) -> bool:
        """Return False: what an earlier run has sent was looked for in the account."""
        return False

    def note_attempt(self, batch: int = 0, keys: Sequence[str] = ()) -> None:
        """Note that the request may be applied, on the disk before this returns."""
        if self._marks and not self._number:
            self._number = self._memory.begin_attempt(self._marks)

    def withdraw_attempt(self, batch: int = 0) -> None:
        """Note that nothing of it was applied."""
        self.end({})

    def end(self, ids: Mapping[Mark, str]) -> None:
        """Note what it has created."""
        if self._number:
            self._memory.end_attempt(self._number, ids)
            self._number = 0
        else:
            self._memory.remember(ids)


def is_pulled(state_dir: Path, path: Path) -> bool:
    """Tell whether `pull` has written a file, and it is unchanged since."""
    try:
        digest = sha256(path.read_bytes()).hexdigest()
    except OSError:
        return False
    return Notes(state_dir, PULLED).find(str(path.resolve()), str) == digest


def note_pulled(state_dir: Path, path: Path, content: bytes) -> None:
    """Remember that `pull` has written a file."""
    Notes(state_dir, PULLED).put(str(path.resolve()), sha256(content).hexdigest())
