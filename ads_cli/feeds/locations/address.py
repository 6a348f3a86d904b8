"""Read an address: from the command line, from a variable, or from a file that a variable names."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from ...config.writers import check_writers
from ...errors import StateError, UsageError
from ...http.connections import parse_http_address
from ...masking import mask_address
from ...spelling import suggestion
from . import RemoteAccess

OBJECT_STORES = ("s3", "gs", "az", "sftp")
SCHEMES = ("https", "http", *OBJECT_STORES)
VARIABLE = re.compile(r"@([A-Za-z_][A-Za-z0-9_]*)")
MAX_ADDRESS_BYTES = 64 * 1024


def read_address(text: str, access: RemoteAccess) -> str:
    """Return an address, or for `@NAME` the one in a variable or its file; raise UsageError if it is not one.

    A password that was typed earns a warning.
    """
    variable = VARIABLE.fullmatch(text)
    address = _from_variable(variable[1], access) if variable else text
    parts = _split(address, text if variable else mask_address(text))
    if parts.password is not None and not variable:
        access.warn(
            f"the password in {mask_address(text)} shows in the list of processes: "
            "put it into ~/.netrc, or the address into a variable and write @NAME"
        )
    return address


def _split(address: str, shown: str) -> SplitResult:
    """Split an address; raise UsageError, which quotes no secret, if it cannot be one."""
    scheme = address.partition("://")[0].lower()
    if scheme not in SCHEMES:
        what = f"{scheme}:// is not read" if "://" in address else "it does not hold an address"
        known = ", ".join(f"{each}://" for each in SCHEMES if each != "http")
        raise UsageError(f"{shown}: {what}{suggestion(scheme, SCHEMES)}", hint=f"it begins with {known}")
    has_blank = " " in address and scheme not in OBJECT_STORES
    if has_blank or not address.replace(" ", "").isprintable():  # urlsplit drops some of them silently
        raise UsageError(f"{shown} holds a blank, a line end or another character that cannot be seen")
    hint = f"write {scheme}://HOST/PATH; in a password, / is written as %2F, @ as %40 and : as %3A"
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:  # its text may quote a password
        raise UsageError(f"{scheme}:// is not followed by a valid host", hint=hint) from None
    if not parts.hostname:
        raise UsageError(f"{shown} names no host", hint=hint)
    host = parts.netloc.rpartition("@")[2]
    if scheme not in OBJECT_STORES and not parse_http_address(f"{scheme}://{host}"):
        raise UsageError(f"{scheme}:// is not followed by a valid host", hint=hint)
    return parts


def _from_variable(name: str, access: RemoteAccess) -> str:
    """Return the address in a variable, or in the file that its `_FILE` variable names."""
    environ = access.environ
    if value := environ.get(name):
        return value.strip()
    path = environ.get(f"{name}_FILE")
    if not path:
        raise UsageError(
            f"@{name}: neither {name} nor {name}_FILE is set",
            hint=f"set {name} to the address; for a file of this name, write ./@{name}",
        )
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_ADDRESS_BYTES).decode("utf-8", "replace").strip()
    except OSError as error:
        raise UsageError(f"{name}_FILE: {path} cannot be read: {error.strerror}") from None


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
