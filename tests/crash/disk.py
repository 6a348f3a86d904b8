"""A disk that may lose what was not synced: it records what a command does to some folders.

After a power failure a file that was not synced since it was written may have its old content, its new
content, or a part of it; a name that was created, renamed or removed may be as before, unless its folder
was synced since. Each of these is kept or lost by itself, in any order.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from .commits import around_commits

MAX_SUBSETS = 4  # of more pending changes of names only some subsets are tried
IGNORED = (".lock", ".db-shm")  # hold nothing
DATABASES = (".db", ".db-wal")  # SQLite syncs what it has to: they are as they were at each commit

Tree = dict[str, bytes]  # content by path


class NameChange(NamedTuple):
    """A change of names in folders that may not have reached the disk."""

    folder: int  # its inode
    removed: str  # path, or empty
    added: str  # path, or empty
    inode: int


@dataclass
class Content:
    """The content of a file: what is on the disk for sure, and what was written."""

    synced: bytes = b""
    written: bytes = b""

    def variants(self) -> list[bytes]:
        """Return what may be found after a power failure."""
        if self.synced == self.written:
            return [self.written]
        kept = len(self.synced) if self.written.startswith(self.synced) else 0
        middle = (kept + len(self.written)) // 2
        found = [self.synced, self.written, self.written[:middle]]
        found.append(self.written[:middle] + bytes(len(self.written) - middle))
        found.append(self.written[:kept] + bytes(len(self.written) - kept))
        for at in (kept, middle, len(self.written) - 2):
            if kept <= at < len(self.written):
                flipped = bytes([self.written[at] ^ 1])
                found.append(self.written[:at] + flipped + self.written[at + 1 :])
        return list(dict.fromkeys(found))


@dataclass
class CrashPoint:
    """A moment of a command, with all that a power failure may make of the disk."""

    after: str  # the last step
    counted: int  # rows that were counted so far
    started: int  # requests that change data
    answered: int
    names: dict[str, int]  # the inode at each path, for sure
    pending: list[NameChange]
    contents: dict[int, Content]

    def trees(self) -> Iterator[Tree]:
        """Yield what may be found on the disk."""
        seen = set()
        for keeps in self._subsets():
            names = dict(self.names)
            for change, is_kept in zip(self.pending, keeps, strict=True):
                if is_kept:
                    _apply(change, names)
            files = {
                path: self.contents[inode] for path, inode in names.items() if _is_reachable(path, names)
            }
            for contents in _choices({id(one): one for one in files.values()}, torn=all(keeps)):
                tree = {path: contents[id(one)] for path, one in files.items()}
                if (key := tuple(sorted(tree.items()))) not in seen:
                    seen.add(key)
                    yield tree

    def _subsets(self) -> Iterator[tuple[bool, ...]]:
        count = len(self.pending)
        if count <= MAX_SUBSETS:
            yield from product((False, True), repeat=count)
            return
        yield (False,) * count
        yield (True,) * count
        for number in range(count):
            yield tuple(other == number for other in range(count))
            yield tuple(other != number for other in range(count))


def _choices(files: dict[int, Content], *, torn: bool) -> Iterator[dict[int, bytes]]:
    """Yield the content of each file: all as synced, all as written, and if `torn` one of them in part."""
    variants = {key: one.variants() for key, one in files.items()}
    written = {key: one.written for key, one in files.items()}
    yield written
    yield {key: one.synced for key, one in files.items()}
    for key, found in variants.items() if torn else ():
        yield from (written | {key: content} for content in found)


def _apply(change: NameChange, names: dict[str, int]) -> None:
    if change.removed and (not change.added or names.get(change.removed) == change.inode):
        names.pop(change.removed, None)
    if change.added:
        names[change.added] = change.inode


def _is_reachable(path: str, names: dict[str, int]) -> bool:
    """Whether a path is a file whose folders exist."""
    folders = Path(path).parents
    return not path.endswith("/") and all(f"{folder}/" in names for folder in folders if folder != Path())


@dataclass
class Disk:
    """Records the steps of this process in some folders below `root`, which exists."""

    root: Path
    folders: tuple[str, ...]
    counted: Callable[[], int] = lambda: 0
    points: list[CrashPoint] = field(default_factory=list)
    started: int = 0
    answered: int = 0

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._pins: list[int] = []  # open files, so that no inode is used again
        self._contents: dict[int, Content] = {}
        self._root_inode = self.root.stat().st_ino
        self._names: dict[str, int] = {}
        self._synced_names: dict[str, int] = {}
        self._pending: list[NameChange] = []
        self._scan()
        for content in self._contents.values():
            content.synced = content.written
        self._synced_names, self._pending = dict(self._names), []

    def watch(self) -> None:
        """Record the steps of this process from here on."""
        real_replace = os.replace
        for name in ("fsync", "fdatasync"):
            self._wrap(name, after=self._synced)
        for name in ("replace", "rename"):
            setattr(os, name, lambda *args, **options: self._rename(real_replace, *args, **options))
        for name in ("unlink", "remove", "mkdir", "write", "ftruncate"):
            self._wrap(name)
        around_commits(self._commit)

    def record(self, step: str) -> None:
        """Record a moment."""
        with self._lock:
            self._scan()
            contents = {inode: Content(**vars(one)) for inode, one in self._contents.items()}
            self.points.append(
                CrashPoint(
                    step,
                    self.counted(),
                    self.started,
                    self.answered,
                    dict(self._synced_names),
                    list(self._pending),
                    contents,
                )
            )

    def _commit(self, carry_out: Callable[[], Any]) -> Any:
        with self._lock:
            self.record("before a commit")
            result = carry_out()
            self.record("a commit")
        return result

    def _wrap(self, name: str, after: Callable[[Any], None] = lambda first: None) -> None:
        real = getattr(os, name)

        def call(*args: Any, **options: Any) -> Any:
            with self._lock:
                self.record(f"before {name}")
                result = real(*args, **options)
                after(args[0])
                self.record(name)
            return result

        setattr(os, name, call)

    def _rename(self, real: Callable[..., Any], source: Any, target: Any, **options: Any) -> None:
        with self._lock:
            self.record("before rename")
            real(source, target, **options)
            removed, added = self._relative(source), self._relative(target)
            if removed in self._names and added:
                inode = self._names.pop(removed)
                self._names[added] = inode
                self._pending.append(NameChange(self._folder_inode(added), removed, added, inode))
            self.record("rename")

    def _synced(self, descriptor: int) -> None:
        """Take what is on the disk from now on for sure."""
        inode = os.fstat(descriptor).st_ino
        if inode in self._contents:
            self._contents[inode].synced = self._contents[inode].written
        for change in [change for change in self._pending if change.folder == inode]:
            _apply(change, self._synced_names)
            self._pending.remove(change)

    def _scan(self) -> None:
        """Find what has changed since the last step."""
        found: dict[str, int] = {}
        for folder in self.folders:
            for path in (self.root / folder, *sorted((self.root / folder).rglob("*"))):
                with suppress(FileNotFoundError):
                    self._read(path, found)
        for path in self._names.keys() - found.keys():
            self._renamed(NameChange(self._folder_inode(path), path, "", self._names[path]))
        for path in sorted(path for path in found if found[path] != self._names.get(path)):
            self._renamed(NameChange(self._folder_inode(path, found), "", path, found[path]))
        self._names = found

    def _renamed(self, change: NameChange) -> None:
        if (change.added or change.removed).endswith(DATABASES):
            _apply(change, self._synced_names)
        else:
            self._pending.append(change)

    def _read(self, path: Path, found: dict[str, int]) -> None:
        if path.suffix in IGNORED:
            return
        status = path.stat()
        name = str(path.relative_to(self.root))
        if path.is_dir():
            found[f"{name}/"] = status.st_ino
            return
        found[name] = status.st_ino
        if status.st_ino not in self._contents:
            self._contents[status.st_ino] = Content()
            self._pins.append(os.open(path, os.O_RDONLY))
        content = self._contents[status.st_ino]
        content.written = path.read_bytes()
        if name.endswith(DATABASES):
            content.synced = content.written

    def _relative(self, path: Any) -> str:
        full = Path(path).absolute()
        return str(full.relative_to(self.root)) if full.is_relative_to(self.root) else ""

    def _folder_inode(self, path: str, names: dict[str, int] | None = None) -> int:
        folder = Path(path.rstrip("/")).parent
        known = self._names if names is None else names
        return self._root_inode if folder == Path() else known.get(f"{folder}/", 0)
