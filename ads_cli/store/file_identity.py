"""What tells a file from every copy of it, and one boot of a machine from another."""

import sys
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# statx(2): the parts of its result that are read, by their places.
STATX_BYTES, STATX_BTIME, BTIME = 256, 0x800, slice(80, 92)
AT_FDCWD = -100


def file_identity(path: Path) -> str:
    """Return the inode of a file and when it was made; raise OSError.

    An inode alone is given to the next file once one is removed. Where a file system does not say when a file
    was made, the inode must do.
    """
    status = path.stat()
    made = getattr(status, "st_birthtime", None) or _made(path)
    return f"{status.st_ino:x}-{made}"  # without the device, whose number may be another one after a restart


def _made(path: Path) -> str:
    """Return when a file was made, as Linux has it: Python's `stat` does not have that."""
    if sys.platform != "linux":
        return ""
    import ctypes

    result = ctypes.create_string_buffer(STATX_BYTES)
    try:
        failed = ctypes.CDLL(None).statx(AT_FDCWD, bytes(path), 0, STATX_BTIME, result)
    except AttributeError:  # an old C library
        return ""
    is_known = not failed and int.from_bytes(result.raw[:4], sys.byteorder) & STATX_BTIME
    return result.raw[BTIME].hex() if is_known else ""


def boot_id() -> str:
    """Return what tells one boot of the machine from another; empty where nothing does."""
    if sys.platform == "darwin":
        import subprocess

        words = ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]
        return subprocess.run(words, capture_output=True, text=True).stdout.strip()
    try:
        return BOOT_ID.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
