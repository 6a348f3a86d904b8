"""The sync state of a catalog: what the service last acknowledged of its products.

One file a catalog and service, whichever profile names them: a header line of JSON, sorted records (see
`digest_index`), and a checksum. It is replaced atomically. It may know too little, and then rows are sent
that need not be; it never claims what was not acknowledged. So a push invalidates the rows it is about to
send, and commits them only at its end, if nothing else was sent to the catalog or deleted from it meanwhile.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b, sha256
from io import BufferedWriter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from ..client.prepared_request import PreparedRequest
from ..config.atomic_files import replacing
from ..errors import STATE_HINT, StateError, UsageError
from ..loopback import is_loopback
from ..uploads.locks import lock_folder
from .digest_index import NO_KEY, RECORD_BYTES, Changes, DigestIndex

FOLDER = "acknowledged"  # in the state folder
VERSION = 1
CHECKSUM_BYTES = 16
MAX_HEADER_BYTES = 64 * 1024
PRODUCTS_PATH = re.compile(r"/\d+/product_catalogs/(?P<catalog>[^/]+)(?P<products>/products)?/?$")


class Header(msgspec.Struct, kw_only=True):
    """The first line of the file."""

    version: int = VERSION
    service: str
    catalog: str
    job: str = ""  # invalidated its rows, and may commit them


class UnknownError(Exception):
    """Nothing is known about a catalog; the text says why."""


class SyncState:
    """The sync state of one catalog."""

    def __init__(self, state_dir: Path, service: str, catalog: str) -> None:
        self._folder = state_dir / FOLDER
        self._header = Header(service=service, catalog=catalog)
        self._path = self._folder / sha256(f"{service}\n{catalog}".encode()).hexdigest()[:16]

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        return self._path.exists()

    def read(self) -> DigestIndex:
        """Return the index of acknowledged products; raise UnknownError."""
        return self._read()[1]

    def invalidate(self, job: str, digests: Iterable[bytes], *, may_commit: Callable[[str], bool]) -> None:
        """Forget products that a job is about to send.

        `may_commit` takes the id of the job that last did so, and tells whether this job may commit.
        """
        with self._lock():
            last_job, index = self._job_and_index()
            changes = Changes((digest, NO_KEY) for digest in digests if len(index))
            self._write(index.updated(changes, keep=False), job if may_commit(last_job) else "")

    def commit(self, job: str, products: Iterable[tuple[bytes, int]]) -> bool:
        """Store products by digest and key hash; return False where something else was sent meanwhile."""
        with self._lock():
            last_job, index = self._job_and_index()
            if last_job == job:
                self._write(index.updated(Changes(products), keep=True))
            return last_job == job

    def invalidate_keys(self, keys: set[int]) -> None:
        """Forget products with these key hashes, and those whose key is not known."""
        if self.exists():
            with self._lock():
                _, index = self._job_and_index()
                self._write(index.without(keys))

    def drop(self) -> bool:
        """Forget everything; return False where there was nothing."""
        if not self.exists():
            return False
        with self._lock():
            self._path.unlink(missing_ok=True)
        return True

    def _job_and_index(self) -> tuple[str, DigestIndex]:
        try:
            header, index = self._read()
        except UnknownError:
            return "", DigestIndex()
        return header.job, index

    def _read(self) -> tuple[Header, DigestIndex]:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            raise UnknownError("nothing is known about this catalog yet") from None
        except OSError as error:
            raise UnknownError(f"{self._path} cannot be read: {error.strerror}") from None
        begin, end = data.find(b"\n", 0, MAX_HEADER_BYTES) + 1, len(data) - CHECKSUM_BYTES
        try:
            header = msgspec.json.decode(data[:begin], type=Header)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise UnknownError(f"{self._path} is damaged") from None
        if header.version != VERSION:
            raise UnknownError(f"{self._path} was written by another version of adsctl")
        checksum = blake2b(memoryview(data)[: max(end, 0)], digest_size=CHECKSUM_BYTES).digest()
        if end < begin or data[end:] != checksum or (end - begin) % RECORD_BYTES:
            raise UnknownError(f"{self._path} is damaged")
        if (header.service, header.catalog) != (self._header.service, self._header.catalog):
            raise UnknownError(f"{self._path} belongs to another catalog or service")
        return header, DigestIndex(data, begin, end)

    def _write(self, records: Iterable[bytes | memoryview], job: str = "") -> None:
        header = msgspec.json.encode(msgspec.structs.replace(self._header, job=job)) + b"\n"
        checksum = blake2b(header, digest_size=CHECKSUM_BYTES)
        try:
            with replacing(self._path) as file, BufferedWriter(file) as out:
                out.write(header)
                for block in records:
                    checksum.update(block)
                    out.write(block)
                out.write(checksum.digest())
        except UsageError as error:
            raise StateError(error.message, hint=STATE_HINT) from error

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Keep other processes from reading and writing."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with lock_folder(self._folder):
                yield
        except OSError as error:
            raise StateError(f"{self._folder} cannot be used: {error.strerror}", hint=STATE_HINT) from error


def forget_changed_catalog(state_dir: Path, service: str, request: PreparedRequest) -> None:
    """Forget a catalog whose products a request is about to change; pushes keep track themselves."""
    found = PRODUCTS_PATH.search(urlsplit(request.url).path)
    if found and (found["products"] or request.method == "DELETE"):
        SyncState(state_dir, service, unquote(found["catalog"])).drop()


def forget_emulated(state_dir: Path) -> None:
    """Forget every catalog of a service on this machine, whose emulator is reset."""
    for path in (state_dir / FOLDER).glob("[0-9a-f]*"):
        with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError), path.open("rb") as file:
            header = msgspec.json.decode(file.readline(MAX_HEADER_BYTES), type=Header)
            if is_loopback(urlsplit(header.service).hostname or ""):
                path.unlink()
