"""Where an output file is: its own links are followed, and nobody else's."""

import os
import stat
import sys
from collections import deque
from pathlib import Path

from ..errors import UsageError

MAX_LINKS = 40  # as in Linux


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
            return int(path.name)
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
