"""A feed in an object store or on an SFTP server, read by fsspec and the back end of the extra."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, NoReturn
from urllib.parse import urlsplit

from ...errors import AccessError, AdsctlError, NotFoundError, UnavailableError, UsageError
from ...http.retry import CopyRetries, FailedAttempt
from ...installation import missing_extra
from ...output.text import shortened
from . import OnBytes
from .remote import RemoteLocation, credentials_of, in_thread

BLOCK_BYTES = 1024 * 1024  # of one request, which must be answered within --timeout

_CONNECTING = threading.Lock()


class BackEnd(NamedTuple):
    """The file system of a scheme; its package is what the extra of the same name installs."""

    module: str
    name: str
    sign_in_hint: str


BACK_ENDS = {
    "s3": BackEnd("s3fs", "S3FileSystem", "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    "gs": BackEnd("gcsfs", "GCSFileSystem", "set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials"),
    "az": BackEnd("adlfs", "AzureBlobFileSystem", "set AZURE_STORAGE_CONNECTION_STRING"),
    "sftp": BackEnd("sshfs", "SSHFileSystem", "add the key to ssh-agent, or the password to ~/.netrc"),
}
# Errors of back ends that are no OSError, by name: importing their packages takes a second.
ACCESS_ERRORS = (
    "NoCredentialsError",
    "PartialCredentialsError",
    "ProfileNotFound",
    "DefaultCredentialsError",
)
HOST_KEY_ERRORS = (
    "HostKeyNotVerifiable",
    "KeyExchangeFailed",
)  # the second: only another kind of key is known


class ObjectLocation(RemoteLocation):
    """An address of an object store or an SFTP server."""

    _copied_version = ""  # of the bytes that were copied so far

    def copy_to(self, file: BinaryIO, on_bytes: OnBytes) -> None:
        """Copy it block by block; an attempt that failed is resumed."""
        retries = self.access.retries()
        while True:
            try:
                self._attempt(file, retries, on_bytes)
                return
            except FailedAttempt as failed:
                retries.wait(failed, file.tell())

    def matching(self) -> list[str]:
        """Return the addresses of the files that this address, a pattern, stands for; raise AdsctlError."""
        return [self._address_of(name) for name in self._retried(self._glob)]

    def exists(self) -> bool:
        """Tell whether there is a file of this very address, whose name may look like a pattern."""
        try:
            return any(info["type"] != "directory" for info in self._retried(self._info))
        except NotFoundError:
            return False

    def connect(self) -> tuple[Any, str]:
        """Return a file system, to be used by one thread, and the path of this address there."""
        file_system = self._file_system_class(**self._options)
        return file_system, self._path(file_system)

    def _retried(self, ask: Callable[[], Iterator[Any]]) -> list[Any]:
        """Return all that a thread reads from the file system; raise AdsctlError."""
        retries = self.access.retries()
        while True:
            try:
                return [*self._results(ask())]
            except FailedAttempt as failed:
                retries.wait(failed, 0)

    def _attempt(self, file: BinaryIO, retries: CopyRetries, on_bytes: OnBytes) -> None:
        """Copy what `file` lacks; it begins again from the start where another version is met."""
        size, is_resumed = -1, bool(file.tell())
        for item in self._results(self._read(file.tell())):
            if isinstance(item, bytes):
                file.write(item)
                retries.check_size(file.tell(), self.label)
                retries.record_progress()
                on_bytes(file.tell(), size)
                continue
            size = int(item["size"])
            retries.check_size(size, self.label)
            if not file.tell():
                self._copied_version = _version(item)
            elif _version(item) != self._copied_version or (is_resumed and not self._copied_version):
                self._discard(file)
        if file.tell() != size:
            self._discard(file)

    def _discard(self, file: BinaryIO) -> NoReturn:
        """Empty the copy of a file that has changed meanwhile; raise FailedAttempt."""
        file.seek(0)
        file.truncate()
        raise FailedAttempt(UnavailableError(f"{self.label} changed while it was copied"), {})

    def _results(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yield what a thread makes; raise what its errors mean."""
        _ = self._file_system_class  # imported by this thread, so that no time limit applies
        for item in in_thread(items, self.access.limits.timeout):
            if isinstance(item, Exception):
                if self.access.file_systems:  # the connection that files share may be what failed
                    self.access.file_systems.pop(self._store, None)
                raise self.described(item) from None
            yield item

    @cached_property
    def _file_system_class(self) -> Any:
        """The class of the back end; raises UsageError if its package is not installed."""
        back_end = BACK_ENDS[self._scheme]
        try:
            # A broken connection fails tasks that are not awaited: asyncio would print each of them.
            loop = import_module("fsspec.asyn").get_loop()
            loop.set_exception_handler(lambda loop, context: None)
            if self.access.is_alone:
                import logging

                logging.getLogger("asyncio").setLevel(logging.CRITICAL)
            return getattr(import_module(back_end.module), back_end.name)
        except ImportError:
            raise missing_extra(f"reading {self._scheme}://", self._scheme) from None

    @property
    def _scheme(self) -> str:
        return urlsplit(self.address).scheme

    @property
    def _store(self) -> str:
        return f"{self._scheme} {self._options}"

    @contextmanager
    def _connected(self) -> Iterator[tuple[Any, str]]:
        """Yield a file system and the path there; unless other files share it, it ends with the block."""
        shared = self.access.file_systems
        if shared is not None:
            with _CONNECTING:
                file_system = shared.get(self._store) or self._file_system_class(**self._options)
                shared[self._store] = file_system
            yield file_system, self._path(file_system)
            return
        file_system = self._file_system_class(**self._options)
        try:
            yield file_system, self._path(file_system)
        finally:
            disconnect({self._store: file_system})

    def _read(self, offset: int) -> Iterator[dict[str, Any] | bytes]:
        """Yield what the store says of the file, its blocks from an offset on, and what it says then."""
        with self._connected() as (file_system, path):
            info = file_system.info(path)
            if info["type"] == "directory":
                raise FileNotFoundError
            yield info
            options = {} if self._scheme == "sftp" else {"block_size": BLOCK_BYTES, "cache_type": "none"}
            stream = file_system.open(path, "rb", **options)
            try:
                stream.seek(offset)
                while block := stream.read(BLOCK_BYTES):
                    yield block
            finally:
                with suppress(Exception):  # a lost connection, which reading has met, or nobody asks for
                    stream.close()
            yield file_system.info(path)

    def _glob(self) -> Iterator[str]:
        with self._connected() as (file_system, path):
            yield from sorted(file_system.glob(path))

    def _info(self) -> Iterator[dict[str, Any]]:
        with self._connected() as (file_system, path):
            yield file_system.info(path)

    def _address_of(self, name: str) -> str:
        parts = urlsplit(self.address)
        return (
            f"{parts.scheme}://{parts.netloc}{name}" if parts.scheme == "sftp" else f"{parts.scheme}://{name}"
        )

    def _path(self, file_system: Any) -> str:
        if self._scheme == "sftp":  # /~/ is the home folder, as curl has it
            path = self.address.partition("://")[2].partition("/")[2]  # with any ? and #
            return f"/{path}".removeprefix("/~/")
        return str(file_system._strip_protocol(self.address))

    @cached_property
    def _options(self) -> dict[str, Any]:
        """The arguments of the file system; each finds its credentials as its own tools do."""
        timeout = self.access.limits.timeout
        options: dict[str, Any] = {"skip_instance_cache": True}
        if self._scheme == "s3":
            options["config_kwargs"] = {"connect_timeout": timeout, "read_timeout": timeout}
        if self._scheme == "sftp":
            parts = urlsplit(self.address)
            user, password = credentials_of(parts, self.access) or (parts.username, None)
            options |= {"host": parts.hostname, "connect_timeout": timeout, "login_timeout": timeout}
            options |= {"known_hosts": ()}  # those of the user; sshfs would trust any host
            settings = {"port": parts.port, "username": user, "password": password}
            options |= {name: value for name, value in settings.items() if value is not None}
        return options

    def described(self, error: Exception) -> Exception:
        """Return what an error of a back end means; FailedAttempt if another attempt may succeed."""
        if isinstance(error, UsageError) and isinstance(error.__cause__, OSError):
            error = error.__cause__  # of the connection, met by who reads the stream
        name, hint = type(error).__name__, BACK_ENDS[self._scheme].sign_in_hint
        reason = shortened(str(error).strip()) or name
        if isinstance(error, AdsctlError):
            return error
        if isinstance(error, FileNotFoundError):
            return NotFoundError(f"{self.label} does not exist", hint="check the address")
        if isinstance(error, PermissionError) or name in ACCESS_ERRORS:
            return AccessError(f"{self.label}: not allowed: {reason}", hint=hint)
        if name in HOST_KEY_ERRORS:
            host = urlsplit(self.address).hostname
            host_hint = (
                f"do not connect: another server may pass itself off as {host}. Ask its administrator for "
            )
            host_hint += "the fingerprint of its key, and only then edit known_hosts"
            return UnavailableError(f"{self.label}: {reason}", hint=host_hint)
        if name == "ParamValidationError":
            return UnavailableError(f"{self.label}: {reason}", hint="check the address")
        if isinstance(error, TimeoutError):
            described = UnavailableError(
                f"{self.label}: no response in time", hint="--timeout sets the limit"
            )
            return FailedAttempt(described, {})
        return FailedAttempt(UnavailableError(f"{self.label}: {reason}"), {})


def _version(info: dict[str, Any]) -> str:
    """Return what a store names the version of a file by; empty where it does not."""
    named = (info.get(name) for name in ("ETag", "etag", "md5Hash", "LastModified", "mtime"))
    version = next((value for value in named if value not in (None, "")), None)
    return "" if version is None else f"{info['size']} {version}"


def disconnect(file_systems: Mapping[str, Any]) -> None:
    """End the connections to SFTP servers; those to object stores last as long as the process."""
    for store, file_system in file_systems.items():
        if store.startswith("sftp "):
            file_system.loop.call_soon_threadsafe(file_system.client.close)
