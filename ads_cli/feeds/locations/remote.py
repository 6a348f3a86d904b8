"""Remote feeds: copied to a private temporary file, since a push reads its feed twice."""

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from hashlib import sha256
from queue import Empty, Full, Queue
from typing import Any, BinaryIO, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from ...http.download import Download, Version, check_encrypted
from ...http.trace import Trace
from ...masking import MASK, address_secrets, mask_address
from . import Location, OnBytes, RemoteAccess, UnchangedError, copied

HELD_ITEMS = 4


def in_thread(items: Iterator[Any], timeout: float) -> Iterator[Any]:
    """Yield items that a thread makes, or the exception that ended it; TimeoutError after a silence.

    Not every operation of every back end has a time-out; a thread that hangs is left behind.
    """
    made: Queue[Any] = Queue(HELD_ITEMS)
    abandoned = threading.Event()
    end = object()

    def put(item: Any) -> None:
        while not abandoned.is_set():
            try:
                made.put(item, timeout=1.0)
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
                item = made.get(timeout=timeout)
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
        self.trace.mask.add(*address_secrets(self.address))
        with self.access.progress(self.label) as on_bytes:
            return copied(self.label, lambda file: self.copy_to(file, on_bytes))

    @abstractmethod
    def copy_to(self, file: BinaryIO, on_bytes: OnBytes) -> None:
        """Write the content into an empty file; raise AdsctlError."""


def credentials_of(parts: SplitResult, access: RemoteAccess) -> tuple[str, str] | None:
    """Return user name and password for a host: those of the address, or those of `.netrc`."""
    if parts.username is not None and (parts.password is not None or parts.scheme != "sftp"):
        return unquote(parts.username), unquote(parts.password or "")
    from .address import find_credentials

    found = find_credentials(parts.hostname or "", access.environ)
    if found and parts.username is not None and found[0] != unquote(parts.username):
        return None  # of another user
    if found and access.trace:
        access.trace.mask.add(found[1])
    return found


def _signs(name: str) -> bool:
    return name in SIGNATURES | SIGNED or name.startswith(("x-amz-", "x-goog-"))


def _file_name(address: str) -> str:
    return unquote(urlsplit(address).path.rpartition("/")[2])


T = TypeVar("T")


class WebLocation(RemoteLocation):
    """An https address."""

    def peek(self, read: Callable[[BinaryIO], T]) -> tuple[str, T]:
        """Download it; the version is what the server calls it."""
        _, found = super().peek(read)
        return self.version.validator, found

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
        )
        result = download.run(file)
        self.version = result.version
        if result.is_unchanged:
            raise UnchangedError(self.label, self.address)
