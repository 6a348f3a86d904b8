"""What applies have made: the ids of keys, and what requests without an answer may have created.

A file of JSON lines for each account in the state folder; each line is on the disk before its request is
sent, or before its answer counts.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, BinaryIO, NamedTuple

from ..config.atomic_files import append_whole, atomic, make_folder, sync_folder
from ..errors import STATE_HINT, StateError

FOLDER = "campaigns"  # in the state folder
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

    def __init__(self, state_dir: Path, service: str, account: str) -> None:
        self.path = memory_path(state_dir, service, account)
        self.ids: dict[Mark, str] = {}
        self.lost: dict[Mark, int] = {}  # by the number of the attempt
        self.begun_plan = ""  # digest of the stored plan that is being applied
        self._attempts = 0
        self._lock = RLock()  # requests that are sent at once note what they create
        self._open: dict[int, list[Mark]] = {}
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
            self._open[number] = marks = [_mark(each) for each in line["marks"]]
            self.lost |= dict.fromkeys(marks, number)
        elif "ended" in line:
            for mark in self._open.pop(int(line["ended"]), ()):
                self.lost.pop(mark, None)
        elif "plan" in line:
            self.begun_plan = line["plan"]
        else:
            mark = _mark(line["mark"])
            self.ids[mark] = str(line["id"])
            self.lost.pop(mark, None)

    def begin_attempt(self, marks: Iterable[Mark]) -> int:
        """Note that a request may create records, on the disk before this returns."""
        with self._lock:
            number = self._attempts + 1
            self._write([{"attempt": number, "marks": [*marks]}])
        return number

    def end_attempt(self, number: int, ids: Mapping[Mark, str]) -> None:
        """Note what a request has created: nothing but `ids`."""
        self._write([*({"mark": mark, "id": id} for mark, id in ids.items()), {"ended": number}])

    def remember(self, ids: Mapping[Mark, str]) -> None:
        """Note whose ids are known."""
        news = {mark: id for mark, id in ids.items() if self.ids.get(mark) != id or mark in self.lost}
        if news:
            self._write([{"mark": mark, "id": id} for mark, id in news.items()])

    def begin_plan(self, digest: str) -> None:
        """Note the stored plan that is being applied; empty when it has ended."""
        if self.begun_plan != digest:
            self._write([{"plan": digest}])

    def settle(self) -> None:
        """Forget attempts: a listing of the account has shown what they have created."""
        if self._open:
            self._write([{"ended": number} for number in self._open])

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


class CreationAttempt:
    """One request that creates what has marks: noted before it is sent, and ended with what it has made."""

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
    known = _pulled(state_dir) | {str(path.resolve()): sha256(content).hexdigest()}
    with atomic(state_dir / FOLDER / PULLED) as stream:
        json.dump(known, stream)


def _pulled(state_dir: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        found = json.loads((state_dir / FOLDER / PULLED).read_bytes())
        return found if isinstance(found, dict) else {}
    return {}
