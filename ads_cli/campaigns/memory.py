"""What applies have created: the ids of keys, and what requests without a response may have created.

Each account has a file of JSON lines in the state folder. A line is on the disk before its request is sent,
or before its response counts.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

from ..batches.upload import LISTED_AFTER_SECONDS
from ..config.atomic_files import append_whole, atomic, make_folder, sync_folder
from ..errors import STATE_HINT, NotConfirmedError, StateError
from ..http.retry import CLOCK, Clock
from ..output.text import counted, listed

if TYPE_CHECKING:
    from ..client.client import Client

T = TypeVar("T")
FOLDER = "campaigns"  # in the state folder
STANDARD_INPUT = "-"  # in place of a file
PULLED = "pulled.json"  # the files that `pull` has written


class Mark(NamedTuple):
    """Under what a record is remembered."""

    kind: str
    parent: str  # the id of the record above
    key: str  # of a replacement, the id of the record that it replaces
    is_replacement: bool = False


def memory_path(state_dir: Path, service: str, account: str) -> Path:
    """Name the file of an account."""
    name = sha256(f"{service}\n{account}".encode()).hexdigest()[:16]
    return state_dir / FOLDER / f"{name}.jsonl"


class ApplyMemory:
    """Remembers the records of an account; `account` is named with its service."""

    def __init__(self, state_dir: Path, service: str, account: str, clock: Clock = CLOCK) -> None:
        self._clock = clock
        self.path = memory_path(state_dir, service, account)
        self.ids: dict[Mark, str] = {}
        self.lost: dict[Mark, int] = {}  # by the number of the attempt
        self.file = ""  # that is applied, by its identity
        self.files: dict[Mark, set[str]] = {}  # that were applied with a mark
        self.names: dict[str, tuple[str, str]] = {}  # as sent and as stored, by id, where they differ
        self.begun_plan = ""  # digest of the stored plan that is being applied
        self._attempts = 0
        self._lock = RLock()  # requests that are sent at once note what they create
        self._open: dict[int, list[Mark]] = {}
        self._begun: dict[int, float] = {}  # when attempts were sent, in Unix seconds
        self._read()

    def _read(self) -> None:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        except OSError as error:
            raise StateError(f"{self.path} cannot be read: {error.strerror}", hint=STATE_HINT) from None
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                if number >= len(lines):
                    continue  # a kill or a power failure came before the line was whole
                hint = "it says which records were created; look which exist, write their ids into the file, "
                raise StateError(
                    f"{self.path}:{number} is damaged", hint=f"{hint}and remove {self.path}"
                ) from None

    def _take(self, line: Mapping[str, Any]) -> None:
        if "attempt" in line:
            number = int(line["attempt"])
            self._attempts = max(self._attempts, number)
            self._open[number] = marks = [_mark(part) for part in line["marks"]]
            self._begun[number] = float(line.get("at", 0))
            self.lost |= dict.fromkeys(marks, number)
        elif "ended" in line:
            for mark in self._open.pop(int(line["ended"]), ()):
                self.lost.pop(mark, None)
        elif "stored" in line:
            self.names[str(line["id"])] = str(line["name"]), str(line["stored"])
        elif "plan" in line:
            self.begun_plan = line["plan"]
        else:
            mark = _mark(line["mark"])
            self.ids[mark] = str(line["id"])
            self.files.setdefault(mark, set()).update([line["file"]] if line.get("file") else [])
            self.lost.pop(mark, None)

    def begin_attempt(self, marks: Iterable[Mark]) -> int:
        """Note that a request may create records, on the disk before this returns."""
        with self._lock:
            number = self._attempts + 1
            self._write([{"attempt": number, "marks": [*marks], "at": self._clock.time()}])
        return number

    def end_attempt(self, number: int, ids: Mapping[Mark, str]) -> None:
        """Note what a request has created: nothing but `ids`."""
        self._write([*self._lines(ids), {"ended": number}])

    def remember(self, ids: Mapping[Mark, str]) -> None:
        """Note whose ids are known."""
        news = {mark: id for mark, id in ids.items() if self.ids.get(mark) != id or mark in self.lost}
        if self.file:
            news |= {mark: id for mark, id in ids.items() if self.file not in self.files.get(mark, ())}
        if news:
            self._write(self._lines(news))

    def _lines(self, ids: Mapping[Mark, str]) -> list[dict[str, Any]]:
        return [{"mark": mark, "id": id, "file": self.file} for mark, id in ids.items()]

    def other_file(self, mark: Mark, file: str) -> str:
        """Return another file that a mark belongs to, or "" if it belongs to this one or to none."""
        files = self.files.get(mark, set())
        if not file or file in files:
            return ""
        return next((name for name in sorted(files) if name == STANDARD_INPUT or Path(name).exists()), "")

    def note_name(self, id: str, name: str, stored: str) -> None:
        """Note as what the service stores a name."""
        self._write([{"id": id, "name": name, "stored": stored}])

    def begin_plan(self, digest: str) -> None:
        """Note the stored plan that is being applied; empty when it has ended."""
        if self.begun_plan != digest:
            self._write([{"plan": digest}])

    def settle(self) -> None:
        """Forget attempts: a listing of the account has shown what they have created."""
        if ended := [number for number in self._open if not self._seconds_until_listed(number)]:
            self._write([{"ended": number} for number in ended])

    def seconds_until_listed(self, marks: Iterable[Mark]) -> float:
        """Return for how long lists may still lack what attempts that have no response have created."""
        return max((self._seconds_until_listed(self.lost[mark]) for mark in marks), default=0.0)

    def _seconds_until_listed(self, number: int) -> float:
        age = max(self._clock.time() - self._begun[number], 0)
        return max(LISTED_AFTER_SECONDS - age, 0)

    def _write(self, lines: list[dict[str, Any]]) -> None:
        with self._lock:
            self._append(lines)
            for line in lines:
                self._take(line)

    def _append(self, lines: list[dict[str, Any]]) -> None:
        try:
            make_folder(self.path.parent)
            is_new = not self.path.exists()
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
            with os.fdopen(os.open(self.path, flags, 0o600), "a+b") as file:
                _cut_last_line(file)
                data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
                append_whole(file.fileno(), data, sync=True)
            if is_new:
                sync_folder(self.path.parent)
        except OSError as error:
            raise StateError(f"{self.path} cannot be written: {error.strerror}", hint=STATE_HINT) from None


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


def _cut_last_line(file: BinaryIO) -> None:
    """Cut a last line that is not whole."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 1, 0))
    if file.read() not in (b"", b"\n"):
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)


def _mark(line: Any) -> Mark:
    kind, parent, key, is_replacement = line
    return Mark(str(kind), str(parent), str(key), is_replacement is True)


def is_pulled(state_dir: Path, path: Path) -> bool:
    """Tell whether `pull` has written a file, and it is unchanged since."""
    try:
        digest = sha256(path.read_bytes()).hexdigest()
    except OSError:
        return False
    return _pulled(state_dir).get(str(path.resolve())) == digest


def note_pulled(state_dir: Path, path: Path, content: bytes) -> None:
    """Remember that `pull` has written a file."""
    make_folder(state_dir / FOLDER)
    digests = _pulled(state_dir) | {str(path.resolve()): sha256(content).hexdigest()}
    with atomic(state_dir / FOLDER / PULLED) as stream:
        json.dump(digests, stream)


def _pulled(state_dir: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        pulled = json.loads((state_dir / FOLDER / PULLED).read_bytes())
        return pulled if isinstance(pulled, dict) else {}
    return {}
