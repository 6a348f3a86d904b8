"""User names and passwords of hosts, in `.netrc` or the file that NETRC names."""

from collections.abc import Mapping
from pathlib import Path

from ...config.writers import check_writers
from ...errors import StateError

NAMES = (".netrc", "_netrc")  # the second is that of Windows


def find_credentials(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return user name and password for a host; raise StateError if the file cannot be understood."""
    path = _path(environ)
    if path is None:
        return None
    check_writers(path, holds_secrets=True)
    from netrc import NetrcParseError, netrc

    try:
        found = netrc(str(path)).authenticators(host)
    except NetrcParseError as error:  # its text may quote a password
        raise StateError(f"{path}:{error.lineno}: not understood", hint="see: man netrc") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise StateError(f"{path} cannot be read: {reason}") from None
    return (found[0], found[2]) if found and found[2] is not None else None


def _path(environ: Mapping[str, str]) -> Path | None:
    """Return the file, which must exist where NETRC names it."""
    if named := environ.get("NETRC"):
        return Path(named)
    home = environ.get("HOME")
    folder = Path(home) if home else Path.home()
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)
