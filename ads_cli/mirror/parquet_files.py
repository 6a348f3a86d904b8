"""The files of a mirror in parquet: below a folder, or in an object store, by fsspec."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..errors import TEMPORARY_HINT, UsageError
from ..feeds.locations import IN_OBJECT_STORE, RemoteAccess
from ..http.retry import FailedAttempt
from ..installation import import_extra
from .destination import failed

if TYPE_CHECKING:
    from ..feeds.locations.object_store import ObjectLocation

# Packages whose errors are no OSError.
BACK_ENDS = ("botocore", "aiobotocore", "aiohttp", "google", "gcsfs", "azure", "adlfs", "asyncssh")
HINT = "name a folder that you may write to, with free space; nothing is lost: run it again"
_library = partial(
    import_extra, "fsspec.implementations.local", feature="a mirror in parquet", extra="mirror"
)


class Files:
    """Files below a folder, by their names there. Those of an object store are copied here to be used."""

    def __init__(self, folder: Path, location: "ObjectLocation | None" = None) -> None:
        self._system, root = _library().LocalFileSystem(auto_mkdir=True), folder.absolute().as_posix()
        self.label, self.identity = str(folder), str(folder.resolve())  # for messages, and for locks
        if location:
            self.label, self.identity = location.label, location.origin
            self._system, root = location.connect()
        self._root, self._location = root.rstrip("/"), location
        try:
            self._temporary = TemporaryDirectory(prefix="adsctl-")
        except OSError as error:
            what = f"a temporary folder cannot be made: {error.strerror or error}"
            raise failed(self.label, what, TEMPORARY_HINT) from error
        self.temporary = self._temporary.name  # a folder for what is not kept

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise StateError where a file cannot be used; of an object store, what its error means."""
        try:
            yield
        except OSError as error:
            if self._location is None:
                raise failed(self.label, error.strerror or str(error), HINT) from error
            raise self._meaning(error) from error
        except Exception as error:
            if self._location is None or not type(error).__module__.startswith(BACK_ENDS):
                raise
            raise self._meaning(error) from error

    def list(self, folder: str) -> list[str]:
        """Name the files of a folder and of those in it."""
        self._system.invalidate_cache()
        begin = len(self._root.lstrip("/")) + 1
        return [path.lstrip("/")[begin:] for path in self._system.find(self._path(folder))]

    def entries(self, folder: str) -> set[str]:
        """Name the files and folders in a folder, empty ones too."""
        self._system.invalidate_cache()
        try:
            paths: Iterable[str] = self._system.ls(self._path(folder), detail=False)
        except FileNotFoundError:
            return set()
        return {path.rstrip("/").rpartition("/")[2] for path in paths}

    def is_there(self, name: str) -> bool:
        """Tell whether there is a file."""
        return bool(self._system.isfile(self._path(name)))

    def paths(self, names: Sequence[str]) -> Sequence[str]:
        """Return the paths on this machine by which files can be read."""
        paths = [*map(self._path, names)]
        if self._location is None or not names:
            return paths
        copies = [f"{self.temporary}/{name}" for name in names]
        self._system.get(paths, copies)
        return copies

    @contextmanager
    def written(self, name: str) -> Iterator[str]:
        """Yield the path on this machine where a file is to be written; it is there after the block."""
        path = self._path(name) if self._location is None else f"{self.temporary}/{name}"
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        yield path
        if self._location:
            self._system.put_file(path, self._path(name))

    def read(self, name: str) -> bytes:
        """Return a file."""
        return bytes(self._system.cat_file(self._path(name)))

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        self._system.pipe_file(self._path(name), content)

    def move(self, name: str, target: str) -> None:
        """Let a file take the place of another one; raise FileNotFoundError where there is none."""
        if self._location:
            self._system.mv(self._path(name), self._path(target), recursive=True)
            return
        Path(self._path(target)).parent.mkdir(parents=True, exist_ok=True)
        Path(self._path(name)).replace(self._path(target))

    def remove(self, name: str) -> None:
        """Remove a file, or a folder and what it holds, if there is one."""
        with suppress(FileNotFoundError):
            self._system.rm(self._path(name), recursive=True)

    def sync(self) -> None:
        """Wait until what was written is on the disk of this machine."""
        if self._location is None and hasattr(os, "sync"):
            os.sync()

    def close(self) -> None:
        """Remove what is not kept."""
        self._temporary.cleanup()

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _meaning(self, error: Exception) -> Exception:
        assert self._location
        described = self._location.described(error)
        return described.error if isinstance(described, FailedAttempt) else described


def files_of(address: str, access: Callable[[], RemoteAccess]) -> Files:
    """Return the files of a folder, or of the address of an object store; raise UsageError."""
    if IN_OBJECT_STORE.match(address):
        from ..feeds.locations.object_store import ObjectLocation
        from ..feeds.locations.remote import read_address

        remote = access()
        return Files(Path(), ObjectLocation(read_address(address, remote), remote))
    folder = Path(address)
    if folder.exists() and not folder.is_dir():
        hint = "name a folder, or write sqlite:FILE or duckdb:FILE"
        raise UsageError(f"--into: {address} is not a folder", hint=hint)
    return Files(folder)
