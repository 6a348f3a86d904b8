"""Files that are written whole or not at all."""

import gzip
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from ..errors import AdsctlError, StateError, UsageError


def ensure_writable(folder: Path, variable: str) -> None:
    """Raise StateError where no file could be made in a folder, which need not be there yet."""
    suggestion = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=suggestion):
            pass
    except OSError as error:
        raise StateError(
            f"{folder} cannot be written: {error.strerror}", hint=f"set {variable} to another folder"
        ) from error


@contextmanager
def atomic(path: Path, mode: int = 0o600) -> Iterator[TextIO]:
    """Open a text stream whose content takes the place of `path` when all went well.

    Until then, and where anything fails, the file stays as it was. A name that ends with `.gz` is
    compressed. What is no file (`/dev/stdout`, a pipe) is written directly. Raises UsageError where
    the file cannot be made, and StateError where it cannot be written to its end.
    """
    if path.exists() and not path.is_file():
        with _told(path, UsageError):
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
    """Open a file of bytes that takes the place of `path` when all went well; raise as `atomic` does."""
    path = path.resolve()  # a link stays a link, and its target is replaced
    with _told(path, UsageError):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with _Output(descriptor, path) as output:
            yield output
        with _told(path, StateError):
            temporary.chmod(mode)
            temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


class _Output(io.FileIO):
    """A file whose troubles are told as those of `path`, and that is on the disk once it is closed."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: Any) -> int:
        with _told(self._path, StateError):
            return super().write(data)

    def close(self) -> None:
        with _told(self._path, StateError):
            if not self.closed and stat.S_ISREG(os.fstat(self.fileno()).st_mode):
                os.fsync(self.fileno())
            super().close()


@contextmanager
def _text(output: io.FileIO, *, compressed: bool) -> Iterator[TextIO]:
    with output:
        binary = gzip.GzipFile("", "wb", fileobj=output, mtime=0) if compressed else io.BufferedWriter(output)
        # A row that was refused for half a character can still be written, as the escape it was.
        with io.TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", newline="") as stream:
            yield stream


@contextmanager
def _told(path: Path, kind: type[AdsctlError]) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads on: no trouble of the file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise kind(f"{path}: cannot be written: {reason}", hint="make room there, or name another") from None
