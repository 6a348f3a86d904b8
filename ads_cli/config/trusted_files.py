"""Read files that adsctl trusts, such as settings. Check who may change them and their folders.

As with ssh's StrictModes, the target of a link and each folder above it are judged too, up to the home
folder, or elsewhere to the root. There a folder with the sticky bit, such as /tmp, may be open to everybody.
"""

import errno
import os
import stat
import sys
from pathlib import Path
from typing import Any

from ..errors import ContentError, StateError


def check_writers(path: Path, *, holds_secrets: bool = False) -> str:
    """Raise StateError for a file or folder that others may change; return a warning where a group may."""
    if sys.platform == "win32":
        return ""
    try:
        real = Path(os.path.realpath(path))
        status = real.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            return ""  # a pipe or a terminal
        _require(real, status, stat.S_IWOTH | (stat.S_IWGRP if holds_secrets else 0))
        home = Path(os.path.realpath(Path("~").expanduser()))
        for folder in () if real == home else real.parents:
            above = folder.stat()
            _require(folder, above, 0 if above.st_mode & stat.S_ISVTX else stat.S_IWOTH)
            if folder == home:
                break
    except (OSError, ValueError, RuntimeError):  # whoever opens it says why that fails
        return ""
    if status.st_mode & stat.S_IWGRP:
        return f"{path} can be changed by its group; if nobody else should: chmod g-w {real}"
    return ""


def _require(path: Path, status: os.stat_result, refused_bits: int) -> None:
    """Raise StateError where the owner is another user, or a mode lets others write."""
    if sys.platform == "win32":
        return
    own = os.geteuid()
    if status.st_uid not in (0, own):
        raise StateError(
            f"{path} belongs to another user (uid {status.st_uid}), who could change what adsctl does",
            hint=f"run adsctl as that user, or: chown {own} {path}",
        )
    if refused := status.st_mode & refused_bits:
        who, letter = ("everybody", "o") if refused & stat.S_IWOTH else ("its group", "g")
        raise StateError(f"{path} can be changed by {who}", hint=f"chmod {letter}-w {path}")


MAX_SETTINGS_MIB = 16


def read_settings(path: Path, name: str, hint: str, *, unreadable_hint: str = "") -> Any:
    """Read YAML that only trusted users may change; raise StateError where it is invalid.

    Raises FileNotFoundError where it does not exist.
    """
    check_writers(path)
    try:
        status = path.stat()  # where it does not exist, nothing more is imported
        if stat.S_ISFIFO(status.st_mode) and Path(os.path.realpath(path)).exists():  # not of /dev/fd
            raise OSError(errno.EINVAL, "it is a named pipe, which may never end")
        from .atomic_files import read_limited
        from .strict_yaml import load

        return load(read_limited(path, MAX_SETTINGS_MIB, str(path)).decode(), str(path))
    except FileNotFoundError as error:
        if path.is_symlink():
            raise StateError(f"{name} is a link to what does not exist", hint=hint) from error
        raise
    except OSError as error:
        hint = unreadable_hint or hint
        raise StateError(f"{name} cannot be read: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise StateError(f"{name} is not UTF-8", hint=hint) from error
    except ContentError as error:
        raise StateError(error.message, hint=hint) from None
