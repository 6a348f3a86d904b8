"""The file `state.db`: opened when it is needed, migrated, and written in short transactions.

Each transaction is on the disk before it ends (`synchronous=FULL`).
"""

import os
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..config.atomic_files import make_folder, open_private, sync_folder
from ..config.file_locks import FOLDER as LOCKS
from ..config.file_locks import locked, state_lock
from ..config.trusted_files import check_writers
from ..errors import STATE_HINT, StateError
from ..signals import NOTICE_SECONDS
from .file_identity import file_identity
from .schema import MIGRATIONS, schema_id

if TYPE_CHECKING:
    import sqlite3

FILE = "state.db"
BUSY_SECONDS = 30.0  # that another process may hold the lock of a transaction
# Where locks of memory do not reach other hosts, a write-ahead log would be damaged by two of them.
NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "lustre", "fuse.", "virtiofs", "vboxsf")
NO_LOG = ("SQLITE_IOERR_SHM", "SQLITE_CANTOPEN", "SQLITE_BUSY")  # no shared memory, or used by others

# Errors of the file, by the beginnings of their names; any other is one of ours.
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
UNUSABLE = tuple(f"SQLITE_{name}" for name in ("CANTOPEN", "FULL", "IOERR", "PERM", "PROTOCOL", "READONLY"))


class Store:
    """The database of a state folder, for all threads of a process.

    Raises StateError where it cannot be used: damaged, locked for too long, full, not writable, not private,
    or of a later version.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lock = threading.RLock()  # one connection: SQLite writes one transaction at a time anyway
        self._connection: sqlite3.Connection | None = None
        self._after: list[Callable[[], None]] = []  # what is to be done once the transaction has ended well
        self._opened = 0, 0  # device and inode of the file that the connection is to

    def __reduce__(self) -> tuple[Any, ...]:
        return store_in, (self.path.parent,)  # each process has its own

    def writing(self) -> "AbstractContextManager[sqlite3.Connection]":
        """Make a transaction: whole on the disk when the block ends, or not at all; inside one, join it."""
        return self._transaction("IMMEDIATE")

    def reading(self) -> "AbstractContextManager[sqlite3.Connection]":
        """See the file as it is now until the block ends; only temporary tables may be written."""
        return self._transaction("DEFERRED")

    @contextmanager
    def _transaction(self, kind: str) -> "Iterator[sqlite3.Connection]":
        with self._lock, self._errors():
            connection = self._open()
            if connection.in_transaction:
                yield connection
                return
            try:
                _begin(connection, kind)  # a signal that comes while it waits is raised after it
                yield connection
                connection.execute("COMMIT")
                for action in self._after:
                    action()
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._after.clear()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none where nothing was ever remembered."""
        return list(self.stream(query, values))

    def stream(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, as one transaction, which must be read to its end in one thread."""
        with self._lock, self._errors():
            if self._connection is None:
                try:
                    self.path.lstat()
                except FileNotFoundError:
                    return
            # Not `yield from`, which closes the cursor of a generator that is left, after its database.
            for row in self._open().execute(query, values):  # noqa: UP028
                yield row

    def empty_log(self) -> None:
        """Leave nothing of what was deleted in the write-ahead log, once no other process reads it.

        No reader is waited for: meanwhile no other process could write. The last one to end removes the log.
        """
        with self._lock, self._errors():
            connection = self._open()
            with _waiting(connection, 0):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def is_in_transaction(self) -> bool:
        """Whether this thread is in a transaction; that of another one is waited for."""
        with self._lock:
            return self._connection is not None and self._connection.in_transaction

    def close(self) -> None:
        """Close the file; it is opened again where it is needed again."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None
            self.__dict__.pop("identity", None)

    @cached_property
    def identity(self) -> str:
        """What tells the file from every copy of it: its inode and when that was made."""
        return file_identity(self.path)

    def is_latest(self) -> bool:
        """Tell whether this is no earlier state of the file, which was written over it."""
        known: list[tuple[Any, ...]] = []
        while known != (known := self.rows("SELECT name, identity FROM mark")):
            for name, identity in known:
                with suppress(FileNotFoundError):
                    if file_identity(self._mark(name)) == identity:
                        return True
        return False  # and no other process has changed it meanwhile

    def renew(self, db: "sqlite3.Connection") -> None:
        """Tell the file, from the end of a transaction on, from every backup that was made of it before.

        A backup that is copied onto the file keeps its inode. So the file names another one, which no backup
        has: it is made before the transaction ends, and the one before it is removed after that.
        """
        for (former,) in self.rows("SELECT name FROM mark"):
            self._after.append(partial(self._mark(former).unlink, missing_ok=True))
        name = secrets.token_hex(8)
        path = self._mark(name)
        make_folder(path.parent)
        open_private(path, "xb").close()
        sync_folder(path.parent)
        db.execute("REPLACE INTO mark VALUES (1, ?, ?)", (name, file_identity(path)))

    def _mark(self, name: str) -> Path:
        return self.path.parent / LOCKS / f"mark-{name}"  # empty, as the locks are

    def _open(self) -> "sqlite3.Connection":
        import sqlite3

        if self._connection is None:
            self._require_own()
            connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._opened = connection, _place_of(self.path)
        elif self._opened != _place_of(self.path):  # what is written would be lost with the file
            hint = "run this again: what the file that is there now does not know is not remembered"
            raise StateError(f"{self.path} was replaced or removed while it was used", hint=hint)
        return self._connection

    def _require_own(self) -> None:
        """Create the file for its owner alone; raise StateError for a link and for what others may change."""
        if self.path.is_symlink():
            hint = "replace it by the file, or set ADSCTL_STATE_DIR to the folder that it is in"
            raise StateError(f"{self.path} is a symbolic link", hint=hint)
        make_folder(self.path.parent)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        os.close(descriptor)
        if not is_file:
            raise StateError(f"{self.path} is not a file", hint=STATE_HINT)
        check_writers(self.path)

    def _set_up(self, connection: "sqlite3.Connection") -> None:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")  # what belongs to a row is removed with it
        connection.execute("PRAGMA secure_delete = ON")  # what was forgotten is in no free page
        # Two processes that change an empty file to a write-ahead log at once would be refused, not wait.
        is_new = self.path.stat().st_size == 0
        with locked(state_lock(self.path.parent, "store")) if is_new else nullcontext():
            self._choose_journal(connection)
            if self._version(connection) != len(MIGRATIONS):
                self._migrate(connection)

    def _migrate(self, connection: "sqlite3.Connection") -> None:
        connection.execute("BEGIN IMMEDIATE")
        version = self._version(connection)  # another process may have migrated meanwhile
        for migration in MIGRATIONS[version:]:
            for statement in migration.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute(f"PRAGMA application_id = {schema_id(len(MIGRATIONS))}")
        connection.execute("COMMIT")

    def _version(self, connection: "sqlite3.Connection") -> int:
        """Return the version of the tables; raise StateError where they are none of this program's.

        Versions that were never released share a number, and differ by the id of their tables.
        """
        query = "SELECT user_version, application_id, EXISTS (SELECT 1 FROM sqlite_master) FROM"
        tables = "pragma_user_version, pragma_application_id"
        version, id, has_tables = connection.execute(f"{query} {tables}").fetchone()
        if version > len(MIGRATIONS):
            hint = "update adsctl, or set ADSCTL_STATE_DIR to another folder"
            raise StateError(f"{self.path} was written by a later version of adsctl", hint=hint)
        if id != schema_id(version) or (has_tables and not version):
            hint = "move it away: then nothing is known of what was sent; or set ADSCTL_STATE_DIR"
            raise StateError(f"{self.path} has tables of another program, or of another build", hint=hint)
        return int(version)

    def _choose_journal(self, connection: "sqlite3.Connection") -> None:
        """Use a write-ahead log where the file system has shared memory, and no other host writes to it."""
        if not _is_on_network(self.path):
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except Exception as error:
                if not getattr(error, "sqlite_errorname", "").startswith(NO_LOG):
                    raise
        connection.execute("PRAGMA journal_mode = DELETE")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise StateError, which says what to do, for what SQLite and the system report of the file."""
        try:
            yield
        except OSError as error:
            raise StateError(f"{self.path} cannot be used: {error.strerror}", hint=STATE_HINT) from error
        except Exception as error:
            name = getattr(error, "sqlite_errorname", "")  # of SQLite's own
            if name.startswith(DAMAGED):
                hint = "restore it from a backup, or move it away: then nothing is known of what was sent"
                raise StateError(f"{self.path} is damaged: {error}", hint=hint) from error
            if name.startswith("SQLITE_BUSY"):
                message = f"{self.path} was locked by another process for {BUSY_SECONDS:.0f} s"
                raise StateError(message, hint="wait until it ends, or stop it") from error
            if name.startswith(UNUSABLE):
                raise StateError(f"{self.path} cannot be used: {error}", hint=STATE_HINT) from error
            raise


def _place_of(path: Path) -> tuple[int, int]:
    """Return device and inode of a file; zeros where there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return 0, 0
    return status.st_dev, status.st_ino


@contextmanager
def _waiting(connection: "sqlite3.Connection", seconds: float) -> Iterator[None]:
    """Let statements wait so long for another process."""
    connection.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")


def _begin(connection: "sqlite3.Connection", kind: str) -> None:
    """Begin a transaction; wait for that of another process in steps, between which a signal is noticed."""
    begun = time.monotonic()
    with _waiting(connection, NOTICE_SECONDS):
        while True:
            try:
                connection.execute(f"BEGIN {kind}")
                return
            except Exception as error:
                is_busy = getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
                if not is_busy or time.monotonic() - begun > BUSY_SECONDS:
                    raise


def _is_on_network(path: Path) -> bool:
    """Tell whether a file lies on a file system that other hosts may write to, as far as Linux says."""
    best, kind = "", ""
    with suppress(OSError):
        text = os.fspath(path.resolve())
        for line in Path("/proc/self/mounts").read_text(errors="replace").splitlines():
            _, point, its_kind, *_ = line.split(" ")
            point = point.replace("\\040", " ")
            if f"{text}/".startswith(f"{point.rstrip('/')}/") and len(point) >= len(best):
                best, kind = point, its_kind
    return kind.startswith(NETWORK_FILE_SYSTEMS)


_stores: dict[Path, Store] = {}


def store_in(folder: Path) -> Store:
    """Return the store of a state folder: a process has one of each file, and closes all at its end."""
    return _stores.setdefault(folder, Store(folder))


def as_json(value: Any) -> str:
    """Return a value as a column has it."""
    return msgspec.json.encode(value).decode()


def close_stores() -> None:
    """Close all stores of this process."""
    while _stores:
        _stores.popitem()[1].close()


def _close_before_fork() -> None:
    """Close all stores: in a forked process SQLite takes locks of its parent for its own, and loses data.

    One in a transaction stays open, and the forked process must leave its file alone.
    """
    for store in [*_stores.values()]:
        if not store.is_in_transaction:
            store.close()  # it is opened again where it is needed again


def _forget_stores() -> None:
    """Neither use nor close what the parent has open."""
    _inherited.extend(_stores.values())
    _stores.clear()


_inherited: list[Store] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_before_fork, after_in_child=_forget_stores)
