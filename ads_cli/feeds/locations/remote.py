"""Remote feeds: copied to a private temporary file, since a push reads its feed twice."""

import re
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Any, BinaryIO
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from ...config.trusted_files import check_writers
from ...errors import StateError, UsageError
from ...http.connections import parse_http_address
from ...http.download import Download, Version, check_encrypted
from ...http.trace import Trace
from ...masking import MASK, address_secrets, mask_address
from ...spelling import suggestion
from . import OBJECT_STORES, Location, OnBytes, RemoteAccess, UnchangedError, copied

HELD_ITEMS = 4


def in_thread(items: Iterator[Any], timeout: float) -> Iterator[Any]:
    """Yield the items that a thread makes, or raise its exception, or TimeoutError after a silence.

    Not every operation of every back end has a time-out. A thread that hangs is abandoned.
    """
    queue: Queue[Any] = Queue(HELD_ITEMS)
    abandoned = threading.Event()
    end = object()

    def put(item: Any) -> None:
        while not abandoned.is_set():
            try:
                queue.put(item, timeout=1.0)
                return
            except Full:
                continue

    def make() -> None:
        try:
            for item in items:
                put(item)
                if abandoned.is_set():
                    return
            put(end)
        except Exception as error:
            put(error)

    threading.Thread(target=make, daemon=True).start()
    try:
        while True:
            try:
                item = queue.get(timeout=timeout)
            except Empty:
                item = TimeoutError()
            if item is end:
                return
            yield item
            if isinstance(item, Exception):
                return
    finally:
        abandoned.set()


# Parameters of an address that is signed, and lasts for a while: other ones name the same feed.
SIGNATURES = frozenset({"x-amz-signature", "x-goog-signature", "signature", "sig"})
SIGNED_NAMES = """
expires policy key-pair-id awsaccesskeyid googleaccessid ossaccesskeyid security-token
st se sp sv sr ss srt sip spr skoid sktid skt ske sks skv"""
SIGNED = frozenset(SIGNED_NAMES.split())


class RemoteLocation(Location):
    """An address; what it holds that is secret is masked wherever it is shown or stored."""

    def __init__(self, address: str, access: RemoteAccess, name: str = "") -> None:
        label = name or mask_address(address)
        super().__init__(label, file_name=_file_name(address), identity=label.removesuffix(f"?{MASK}"))
        self.address = address
        self.access = access
        self.version = Version()  # of the copy

    @property
    def origin(self) -> str:
        """The address; of its query, which may be secret, a digest."""
        query = parse_qsl(urlsplit(self.address).query, keep_blank_values=True)
        names = {name.lower() for name, _ in query}
        if not names.isdisjoint(SIGNATURES):
            query = [pair for pair in query if not _signs(pair[0].lower())]
        return f"{self.identity}?{sha256(repr(query).encode()).hexdigest()[:16]}" if query else self.identity

    @property
    def trace(self) -> Trace:
        """Return what traces and masks."""
        return self.access.trace or Trace()

    def open(self) -> BinaryIO:
        """Copy the feed."""
        self.trace.add_secrets(*address_secrets(self.address))
        with self.access.progress(self.label) as on_bytes:
            return copied(self.label, lambda file: self.copy_to(file, on_bytes))

    @abstractmethod
    def copy_to(self, file: BinaryIO, on_bytes: OnBytes) -> None:
        """Write the content into an empty file; raise AdsctlError."""


def credentials_of(parts: SplitResult, access: RemoteAccess) -> tuple[str, str] | None:
    """Return user name and password for a host: those of the address, or those of `.netrc`."""
    if parts.username is not None and (parts.password is not None or parts.scheme != "sftp"):
        return unquote(parts.username), unquote(parts.password or "")

    credentials = find_credentials(parts.hostname or "", access.environ)
    if credentials and parts.username is not None and credentials[0] != unquote(parts.username):
        return None  # of another user
    if credentials and access.trace:
        access.trace.add_secrets(credentials[1])
    return credentials


def _signs(name: str) -> bool:
    return name in SIGNATURES | SIGNED or name.startswith(("x-amz-", "x-goog-"))


def _file_name(address: str) -> str:
    return unquote(urlsplit(address).path.rpartition("/")[2])


class WebLocation(RemoteLocation):
    """An https address."""

    def copy_to(self, file: BinaryIO, on_bytes: OnBytes) -> None:
        """Download it; raise UnchangedError if the server has the version that was pushed last."""
        parts = urlsplit(self.address)
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
        check_encrypted(url, self.label)
        download = Download(
            url,
            self.label,
            credentials_of(parts, self.access),
            self.access.retries(),
            self.trace,
            on_bytes,
            self.access.known_version(self.address),
            self.access.only_public,
        )
        result = download.run(file)
        self.version = result.version
        if result.is_unchanged:
            raise UnchangedError(self.label, self.address)


SCHEMES = ("https", "http", *OBJECT_STORES)
VARIABLE = re.compile(r"@([A-Za-z_][A-Za-z0-9_]*)")
MAX_ADDRESS_BYTES = 64 * 1024


def read_address(text: str, access: RemoteAccess) -> str:
    """Return an address, or for `@NAME` the one in a variable or its file. Raise UsageError for other text.

    A password that was typed causes a warning.
    """
    variable = VARIABLE.fullmatch(text)
    address = from_variable(variable[1], access.environ) if variable else text
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
        schemes = ", ".join(f"{known_scheme}://" for known_scheme in SCHEMES if known_scheme != "http")
        raise UsageError(f"{shown}: {what}{suggestion(scheme, SCHEMES)}", hint=f"it begins with {schemes}")
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


def from_variable(name: str, environ: Mapping[str, str]) -> str:
    """Return the address in a variable, or in the file that its `_FILE` variable names."""
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
        entry = netrc(str(path)).authenticators(host)
    except NetrcParseError as error:  # its text may quote a password
        raise StateError(f"{path}:{error.lineno}: not understood", hint="see: man netrc") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise StateError(f"{path} cannot be read: {reason}") from None
    return (entry[0], entry[2]) if entry and entry[2] is not None else None


def _path(environ: Mapping[str, str]) -> Path | None:
    """Return the file, which must exist where NETRC names it."""
    if named := environ.get("NETRC"):
        return Path(named)
    home = environ.get("HOME")
    folder = Path(home) if home else Path.home()
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)
