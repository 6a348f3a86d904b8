"""Atomic writes: a file is replaced as a whole, or stays as it was."""

import errno
import gzip
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from ..errors import AdsctlError, StateError, UsageError


def ensure_writable(folder: Path, variable: str) -> None:
    """Raise StateError if no file can be created in a folder, which need not exist yet."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise StateError(
            f"{folder} cannot be written: {error.strerror}", hint=f"set {variable} to another folder"
        ) from error


@contextmanager
def atomic(path: Path, mode: int = 0o600) -> Iterator[TextIO]:
    """Open a text stream that replaces `path` on success; on an exception the file stays as it was.

    A name that ends in `.gz` is compressed. A device or a pipe (`/dev/stdout`) is written directly.
    Raises UsageError if the file cannot be created, and StateError if writing fails.
    """
    if path.exists() and not path.is_file():
        with _errors_name(path, UsageError):
            descriptor = os.open(path, os.O_WRONLY)
        with _text(_Output(descriptor, path), compressed=False) as stream:
            yield stream
        return
    with (
        replacing(path, mode) as output,
        _text(output, compressed=path.suffix.lower() == ".gz") as stream,
    ):
        yield stream


@contextmanager
def replacing(path: Path, mode: int = 0o600) -> Iterator[io.FileIO]:
    """Open a binary file that replaces `path` on success; errors as for `atomic`."""
    path = path.resolve()  # replaces the target of a link, not the link
    with _errors_name(path, UsageError):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with _Output(descriptor, path) as output:
            yield output
        with _errors_name(path, StateError):
            temporary.chmod(mode)
            temporary.replace(path)
            sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk, so that a file created, renamed or removed in it survives a power failure.

    Does nothing where a folder cannot be synced: on Windows, on some network file systems, and in a folder
    that may be written but not read.
    """
    if sys.platform == "win32":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


class _Output(io.FileIO):
    """A file whose errors name `path`, and that is synced to disk when it is closed."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: Any) -> int:
        with _errors_name(self._path, StateError):
            return super().write(data)

    def close(self) -> None:
        with _errors_name(self._path, StateError):
            if not self.closed and stat.S_ISREG(os.fstat(self.fileno()).st_mode):
                os.fsync(self.fileno())
            super().close()


@contextmanager
def _text(output: io.FileIO, *, compressed: bool) -> Iterator[TextIO]:
    with output:
        binary = gzip.GzipFile("", "wb", fileobj=output, mtime=0) if compressed else io.BufferedWriter(output)
        # A rejected row with a lone surrogate can still be written, as an escape.
        with io.TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", newline="") as stream:
            yield stream


@contextmanager
def _errors_name(path: Path, kind: type[AdsctlError]) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # the reader closed the pipe: not an error of the file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise kind(
            f"{path}: cannot be written: {reason}", hint="free some space, or choose another file"
        ) from None
