"""A feed at an https address, or at an http address of this machine."""

from collections.abc import Callable
from typing import BinaryIO, TypeVar
from urllib.parse import urlsplit, urlunsplit

from ...client.download import Download
from ...client.download_errors import check_encrypted
from .access import OnBytes
from .location import UnchangedError
from .remote import RemoteLocation, credentials_of

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
