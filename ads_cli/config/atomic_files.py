"""Replace files atomically, read them up to a limit, and follow links."""

import errno
import io
import os
import stat
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

from ..errors import AdsctlError, ContentError, NotConfirmedError, StateError, UsageError

MAX_LINKS = 40  # as in Linux
MIB = 2**20
MAX_DESCRIPTOR = 2**31 - 1  # of a C int
NAME_START = 60  # characters of a name that a temporary one has: in UTF-8, 15 bytes are left of 255
OUTPUT_MODE = 0o666  # of what the user named, without what the umask takes away
FULL = (errno.ENOSPC, errno.EDQUOT)
# SHA-256 of files that were checked before this process was started, by path: no others are read under these.
EXPECTED: dict[str, str] = {}


def read_whole(path: str, max_mib: int, option: str = "") -> bytes:
    """Read a file, or standard input for `-`, for an option. Errors as `read_limited`, or UsageError."""
    place = f"{option}: {path}" if option else path
    try:
        if path in EXPECTED:
            with open_regular(path) as file:
                content = read_limited(file, max_mib, place)
            _require_expected(path, sha256(content))
            return content
        return read_limited(Path(path) if path != "-" else sys.stdin.buffer, max_mib, place)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        hint = "check the path and its permissions"
        raise UsageError(f"{place} cannot be read: {reason}", hint=hint) from None


def open_checked(path: str) -> io.BufferedReader:
    """Open a file; raise NotConfirmedError where another one was checked under this path."""
    if path not in EXPECTED:
        return Path(path).open("rb")
    file = open_regular(path)
    try:
        _require_expected(path, file_digest(file, "sha256"))
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def open_regular(path: str) -> io.BufferedReader:
    """Open a regular file that is not a link, without waiting. Raise OSError for anything else."""
    flags = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    file = open(os.open(path, os.O_RDONLY | flags), "rb")  # noqa: PTH123, SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file")
    return file


def open_private(path: Path, mode: str = "wb") -> IO[Any]:
    """Open a file to be written; a new one is for its owner only, whatever the umask."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))


def _require_expected(path: str, digest: Any) -> None:
    if digest.hexdigest() != EXPECTED[path]:
        raise NotConfirmedError(
            f"{path} has changed since it was looked at", hint="nothing was sent; look at it again"
        )


def read_limited(source: Path | BinaryIO, max_mib: int, name: str) -> bytes:
    """Read a file or stream that may be a device without an end; raise ContentError where it is larger."""
    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as file:
        content = file.read(max_mib * MIB + 1)
    if len(content) > max_mib * MIB:
        raise ContentError(f"{name}: larger than {max_mib} MiB")
    return content


def follow_links(path: Path) -> Path:
    """Resolve the links of a path; raise UsageError at another user's link or file in a shared folder.

    In a folder such as /tmp anyone can put a link under a name that is about to be written. Linux does not
    open such links (fs.protected_symlinks), but it renames onto whatever path they were resolved to.
    """
    if sys.platform == "win32":
        return path.resolve()
    current = Path(path.anchor) if path.is_absolute() else Path.cwd()
    parts = deque(path.parts[1:] if path.is_absolute() else path.parts)
    links = 0
    while parts:
        part = parts.popleft()
        step = current.parent if part == ".." else current / part
        if not step.is_symlink():
            current = step
            continue
        _refuse_foreign(step)
        links += 1
        if links > MAX_LINKS:
            raise UsageError(f"{path}: too many links")
        target = step.readlink()
        current = Path(target.anchor) if target.is_absolute() else current
        parts.extendleft(reversed(target.parts[1:] if target.is_absolute() else target.parts))
    _refuse_foreign(current)
    return current


def file_to_replace(path: Path) -> Path | None:
    """Return the existing file that writing to `path` would replace.

    None where nothing exists, and for what is written to directly: a device, a pipe, an open file.
    """
    if own_descriptor(path) is not None or not path.is_file():
        return None
    return follow_links(path)


def own_descriptor(path: Path) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout or /dev/fd/3 stands for."""
    folders = [os.path.realpath(folder) for folder in ("/dev/fd", "/proc/self/fd")]
    for _ in range(MAX_LINKS):
        if path.name.isdecimal() and os.path.realpath(path.parent) in folders:
            return min(int(path.name), MAX_DESCRIPTOR)
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None


def _refuse_foreign(path: Path) -> None:
    """Raise UsageError at what another user put into a sticky folder that others may write to."""
    try:
        folder, owner = path.parent.stat(), path.lstat().st_uid
    except OSError:
        return  # it does not exist, or writing it says what is wrong
    is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if is_shared and sys.platform != "win32" and owner not in (os.geteuid(), folder.st_uid):
        raise UsageError(
            f"{path} belongs to another user, in a folder that others may write to",
            hint="choose another name",
        )


MayReplace = Callable[[Path], bool]  # called with an existing file


def check_output_path(
    option: str,
    path: Path,
    may_replace: MayReplace = lambda path: True,
    reason: str = "",
    hint: str = "choose another name, or replace the file with --force",
) -> None:
    """Raise UsageError where an option names a file that cannot be written, or may not be replaced.

    `reason` says what keeps it from being replaced: `is not a page that adsctl wrote`.
    """
    if not path.parent.is_dir():
        hint = f"create the folder {path.parent}"
        raise UsageError(f"{option}: the folder {path.parent} does not exist", hint=hint)
    if path.is_dir():
        raise UsageError(f"{option}: {path} is a folder")
    existing = file_to_replace(path)
    if existing and not may_replace(existing):
        raise UsageError(f"{option}: {path} exists and {reason}", hint=hint)


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
def atomic(path: Path, *, may_replace: MayReplace | None = None, is_output: bool = False) -> Iterator[TextIO]:
    """Open a text stream that replaces `path` on success; on an exception the file stays as it was.

    A name that ends in `.gz` is compressed. A device, a pipe or an open file (`/dev/stdout`) is written
    directly. The options are those of `replacing`. Raises UsageError if the file cannot be created, and
    StateError if writing fails.
    """
    with _errors_name(path, UsageError):
        descriptor = _open_directly(path)
    if descriptor is not None:
        with _text(_Output(descriptor, path), compressed=False) as stream:
            yield stream
        return
    with (
        replacing(path, may_replace=may_replace, is_output=is_output) as output,
        _text(output, compressed=path.suffix.lower() == ".gz") as stream,
    ):
        yield stream


@contextmanager
def replacing(
    path: Path, *, may_replace: MayReplace | None = None, is_output: bool = False
) -> Iterator[io.FileIO]:
    """Open a binary file that replaces `path` on success; errors as for `atomic`.

    With `may_replace`, raise UsageError and keep a file that it rejects at that moment, or that changes while
    it is examined.

    A file that the user named (`is_output`) has the mode, owner and group of the file that it replaces, or
    else a mode by the umask. A file that adsctl keeps is for its owner only.
    """
    label, path = path, follow_links(path)  # replaces the target of a link, not the link
    with _errors_name(label, UsageError):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:NAME_START]}.", dir=path.parent)
    temporary = Path(name)
    try:
        with _Output(descriptor, label) as output:
            yield output
        with _errors_name(label, StateError):
            temporary.chmod(OUTPUT_MODE & ~_umask() if is_output else 0o600)
            if is_output and path.exists():
                _copy_mode(path.stat(), temporary)
            if may_replace and not path.exists():
                _place(temporary, path)
            else:
                if may_replace:
                    _require_replaceable(path, may_replace)
                temporary.replace(path)
            sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _require_replaceable(path: Path, may_replace: MayReplace) -> None:
    """Raise UsageError for a file that may not be replaced, or that changes while it is examined."""
    examined = _version(path)
    if not may_replace(path) or _version(path) != examined:
        raise UsageError(f"{path} was written by something else meanwhile, and is kept")


def _version(path: Path) -> tuple[int, ...]:
    status = path.lstat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def remove(path: Path, may_remove: MayReplace) -> None:
    """Remove a file; raise UsageError, and keep it, if `may_remove` rejects it.

    It is examined where no other process can exchange it: in a folder of its own.
    """
    path = follow_links(path)
    with _errors_name(path, StateError):
        folder = Path(tempfile.mkdtemp(prefix=".adsctl-", dir=path.parent))
        aside = folder / path.name
        try:
            path.rename(aside)
            if not may_remove(aside):
                raise UsageError(f"{path} was written by something else meanwhile, and is kept")
            aside.unlink()
        finally:
            if os.path.lexists(aside):
                _place(aside, path)
            folder.rmdir()
        sync_folder(path.parent)


def _place(source: Path, target: Path) -> None:
    """Rename a file to a name that does not exist; raise UsageError where it does."""
    try:
        try:
            target.hardlink_to(source)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            source.replace(target)
        else:
            source.unlink()
    except FileExistsError:
        raise UsageError(f"{target} was created by something else meanwhile, and is kept") from None


def _umask() -> int:
    """Return the umask, which can be read only by setting it."""
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def _copy_mode(old: os.stat_result, new: Path) -> None:
    """Give a file the mode, owner and group of another; without its group, the group may do nothing."""
    mode = stat.S_IMODE(old.st_mode) & 0o777
    if sys.platform != "win32":
        try:
            os.chown(new, old.st_uid if os.geteuid() == 0 else -1, old.st_gid)
        except PermissionError:
            mode &= ~stat.S_IRWXG
    new.chmod(mode)


def _open_directly(path: Path) -> int | None:
    """Open what cannot be replaced: a device, a pipe, or a file that this process has open already."""
    descriptor = own_descriptor(path)
    if descriptor is not None:
        return os.dup(descriptor)  # shares its position with other output
    if path.exists() and not path.is_file():
        return os.open(follow_links(path), os.O_WRONLY)
    return None


def make_folder(folder: Path) -> None:
    """Create a folder that only its owner may use, and those above it, on disk before this returns."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for parent in reversed(missing):
        parent.mkdir(mode=0o700, exist_ok=True)
        sync_folder(parent.parent)
    folder.mkdir(mode=0o700, exist_ok=True)  # raises where it is a file


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
            try:
                if not self.closed and stat.S_ISREG(os.fstat(self.fileno()).st_mode):
                    os.fsync(self.fileno())
            finally:  # left open, its finalizer would sync it again, and Python 3.14 show the error
                super().close()


@contextmanager
def _text(output: io.FileIO, *, compressed: bool) -> Iterator[TextIO]:
    with output:
        binary: io.BufferedIOBase
        if compressed:
            from gzip import GzipFile

            binary = GzipFile("", "wb", fileobj=output, mtime=0)
        else:
            binary = io.BufferedWriter(output)
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
        hint = "free some space, or choose another file" if error.errno in FULL else "choose another file"
        if isinstance(error, FileNotFoundError):
            hint = f"create the folder {path.parent}, or choose another file"
        raise kind(f"{path}: cannot be written: {reason}", hint=hint) from None
