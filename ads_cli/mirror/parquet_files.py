"""The files of a mirror in parquet: a folder, or what fsspec reads of an object store, by pyarrow."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..feeds.locations import IN_OBJECT_STORE, RemoteAccess
from ..http.retry import FailedAttempt
from ..installation import missing_extra
from .destination import failed

if TYPE_CHECKING:
    from ..feeds.locations.object_store import ObjectLocation

# Packages whose errors are no OSError.
BACK_ENDS = ("botocore", "aiobotocore", "aiohttp", "google", "gcsfs", "azure", "adlfs", "asyncssh")
HINT = "name a folder that you may write to, with free space; nothing is lost: run it again"


class Files:
    """Files below a folder, by their names there."""

    def __init__(self, folder: Path, location: "ObjectLocation | None" = None) -> None:
        from pyarrow import fs

        self.label, self.identity = str(folder), str(folder.resolve())  # for messages, and for locks
        self._root, self._location = str(folder.absolute()), location
        self._system = fs.LocalFileSystem()
        if location:
            self.label, self.identity = location.label, location.origin
            file_system, path = location.connect()
            self._root, self._system = path.rstrip("/"), fs.PyFileSystem(fs.FSSpecHandler(file_system))

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise StateError where a file cannot be used; of an object store, what its error means."""
        arrow = parquet_library()
        try:
            yield
        except (OSError, arrow.ArrowException) as error:
            if self._location is None or isinstance(error, arrow.ArrowException):
                raise failed(self.label, getattr(error, "strerror", None) or str(error), HINT) from error
            raise self._meaning(error) from error
        except Exception as error:
            if self._location is None or not type(error).__module__.startswith(BACK_ENDS):
                raise
            raise self._meaning(error) from error

    def list(self, folder: str) -> list[str]:
        """Name the files of a folder and of those in it."""
        from pyarrow.fs import FileSelector, FileType

        selector = FileSelector(self._path(folder), allow_not_found=True, recursive=True)
        infos = self._system.get_file_info(selector)
        begin = len(self._root.lstrip("/")) + 1
        return [info.path.lstrip("/")[begin:] for info in infos if info.type == FileType.File]

    def is_there(self, name: str) -> bool:
        """Tell whether there is a file."""
        from pyarrow.fs import FileType

        return bool(self._system.get_file_info(self._path(name)).type == FileType.File)

    def read(self, name: str) -> bytes:
        """Return a file."""
        with self._system.open_input_stream(self._path(name)) as file:
            return bytes(file.read())

    def read_table(self, name: str) -> Any:
        """Return a file of parquet as a table of pyarrow."""
        with self._system.open_input_file(self._path(name)) as file:
            return parquet_library().parquet.read_table(file)

    def row_count(self, name: str) -> int:
        """Count the rows of a file of parquet."""
        with self._system.open_input_file(self._path(name)) as file:
            return int(parquet_library().parquet.read_metadata(file).num_rows)

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        with self._written(name) as file:
            file.write(content)

    def write_table(self, name: str, table: Any) -> None:
        """Write a table of pyarrow as a file of parquet."""
        with self._written(name) as file:
            parquet_library().parquet.write_table(table, file)

    def move(self, name: str, target: str) -> None:
        """Let a file take the place of another one; raise FileNotFoundError where there is none."""
        self._make_folder(target)
        self._system.move(self._path(name), self._path(target))

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        with suppress(FileNotFoundError):
            self._system.delete_file(self._path(name))

    def remove_folder(self, name: str) -> None:
        """Remove a folder and what it holds, if there is one."""
        with suppress(FileNotFoundError):
            self._system.delete_dir(self._path(name))

    def sync(self) -> None:
        """Wait until what was written is on the disk of this machine."""
        if self._location is None and hasattr(os, "sync"):
            os.sync()

    @contextmanager
    def _written(self, name: str) -> Iterator[Any]:
        self._make_folder(name)
        with self._system.open_output_stream(self._path(name)) as file:
            yield file

    def _make_folder(self, name: str) -> None:
        if self._location is None:  # an object store has no folders
            self._system.create_dir(self._path(name).rpartition("/")[0])

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _meaning(self, error: Exception) -> Exception:
        assert self._location
        described = self._location.described(error)
        return described.error if isinstance(described, FailedAttempt) else described


def files_of(address: str, access: Callable[[], RemoteAccess]) -> Files:
    """Return the files of a folder, or of the address of an object store; raise UsageError."""
    parquet_library()
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


def parquet_library() -> Any:
    """Import what reads and writes parquet; raise UsageError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.fs
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("a mirror in parquet", "parquet") from None
    return pyarrow
