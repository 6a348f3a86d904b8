"""Remote feeds: copied to a private temporary file, since a push reads its feed twice."""

from abc import abstractmethod
from hashlib import sha256
from typing import BinaryIO
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ...client.download import Version
from ...client.trace import Trace
from ...masking import MASK, address_secrets, mask_address
from .access import OnBytes, RemoteAccess
from .location import Location, copied

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
    from .netrc_file import find_credentials

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
