"""What the service has last acknowledged of the products of a catalog, kept for the next push.

A file for each catalog of each service, whichever profile names it: a line of JSON that says whose
it is, records in order (see `packed`), a checksum. It is replaced whole. It may know too little, and
then rows are sent that need not be; it never claims what was not acknowledged. So a push strikes out
the rows that it is about to send, and writes them down again only when it has reached its end, and
nobody else has sent or deleted anything there meanwhile.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b, sha256
from io import BufferedWriter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from ..config.atomic_files import replacing
from ..console.invocation import Invocation
from ..errors import STATE_HINT, StateError, UsageError
from ..loopback import is_loopback
from ..uploads.locks import alone
from .digest_index import NO_KEY, RECORD, Changes, Records

FOLDER = "acknowledged"
VERSION = 1
CHECKSUM = 16  # bytes
PRODUCTS = re.compile(r"/\d+/product_catalogs/(?P<catalog>[^/]+)(?P<products>/products)?/?")
LONGEST_HEAD = 64 * 1024


class Head(msgspec.Struct, kw_only=True):
    """What such a file begins with."""

    version: int = VERSION
    service: str
    catalog: str
    job: str = ""  # that has struck its rows out, and may yet write them down


class UnknownError(Exception):
    """Nothing is known of a catalog, for the reason given."""


class SyncState:
    """The memory of one catalog."""

    def __init__(self, state: Path, service: str, catalog: str) -> None:
        self._folder = state / FOLDER
        self._head = Head(service=service, catalog=catalog)
        self._path = self._folder / sha256(f"{service}\n{catalog}".encode()).hexdigest()[:16]

    def exists(self) -> bool:
        """Tell whether anything was ever written down."""
        return self._path.exists()

    def read(self) -> Records:
        """Give what is known; raise UnknownError where that is nothing."""
        return self._read()[1]

    def invalidate(self, job: str, prints: Iterable[bytes], *, alone_since: Callable[[str], bool]) -> None:
        """Forget products that a job is about to send.

        `alone_since` hears which job was the last to do so, and tells whether this one may write down
        what becomes of its rows.
        """
        with self._locked():
            last, known = self._job_and_records()
            changes = Changes((print_, NO_KEY) for print_ in prints if len(known))
            self._write(known.updated(changes, keep=False), job if alone_since(last) else "")

    def commit(self, job: str, products: Iterable[tuple[bytes, int]]) -> bool:
        """Remember products, by print and key, where nobody else was at work; tell whether that is so."""
        with self._locked():
            last, known = self._job_and_records()
            if last == job:
                self._write(known.updated(Changes(products), keep=True))
            return last == job

    def invalidate_keys(self, keys: set[int]) -> None:
        """Forget products of these keys, and those whose keys were never told."""
        if self.exists():
            with self._locked():
                _, known = self._job_and_records()
                self._write(known.without(keys))

    def drop(self) -> bool:
        """Forget everything; tell whether there was anything."""
        if not self.exists():
            return False
        with self._locked():
            self._path.unlink(missing_ok=True)
        return True

    def _job_and_records(self) -> tuple[str, Records]:
        try:
            head, records = self._read()
        except UnknownError:
            return "", Records()
        return head.job, records

    def _read(self) -> tuple[Head, Records]:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            raise UnknownError("nothing is remembered of this catalog yet") from None
        except OSError as error:
            raise UnknownError(f"{self._path} cannot be read: {error.strerror}") from None
        begin, end = data.find(b"\n", 0, LONGEST_HEAD) + 1, len(data) - CHECKSUM
        try:
            head = msgspec.json.decode(data[:begin], type=Head)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise UnknownError(f"{self._path} is damaged") from None
        if head.version != VERSION:
            raise UnknownError(f"{self._path} was written by another version of adsctl")
        checksum = blake2b(memoryview(data)[: max(end, 0)], digest_size=CHECKSUM).digest()
        if end < begin or data[end:] != checksum or (end - begin) % RECORD:
            raise UnknownError(f"{self._path} is damaged")
        if (head.service, head.catalog) != (self._head.service, self._head.catalog):
            raise UnknownError(f"{self._path} is of another catalog or service")
        return head, Records(data, begin, end)

    def _write(self, records: Iterable[bytes | memoryview], job: str = "") -> None:
        head = msgspec.json.encode(msgspec.structs.replace(self._head, job=job)) + b"\n"
        checksum = blake2b(head, digest_size=CHECKSUM)
        try:
            with replacing(self._path) as file, BufferedWriter(file) as out:
                out.write(head)
                for block in records:
                    checksum.update(block)
                    out.write(block)
                out.write(checksum.digest())
        except UsageError as error:
            raise StateError(error.message, hint=STATE_HINT) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from reading and writing meanwhile."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone(self._folder):
                yield
        except OSError as error:
            raise StateError(f"{self._folder} cannot be used: {error.strerror}", hint=STATE_HINT) from error


def forget_sent(call: Invocation, method: str, path: str) -> None:
    """Forget what is remembered of a catalog whose products a single request is about to change."""
    found = PRODUCTS.fullmatch(path) if method != "GET" else None
    if found and (found["products"] or method == "DELETE"):
        SyncState(call.settings.state_dir, call.service, unquote(found["catalog"])).drop()


def drop_emulated(state: Path) -> None:
    """Forget every catalog of a service on this machine, whose world begins anew."""
    for path in (state / FOLDER).glob("[0-9a-f]*"):
        with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError), path.open("rb") as file:
            head = msgspec.json.decode(file.readline(LONGEST_HEAD), type=Head)
            if is_loopback(urlsplit(head.service).hostname or ""):
                path.unlink()
