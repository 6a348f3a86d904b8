"""The sync state of a catalog: what the service last acknowledged of its products.

A catalog of a service has one file, whichever profile names them. It has a header line of JSON, sorted
records (see `digest_index`) and a checksum, and is replaced atomically.

It may know too little, and then rows are sent that need not be. It never claims what was not acknowledged. So
it is used only in the write epoch of the catalog that it was written in. A push invalidates the rows that it
is about to send. It commits them only at its end, and only if no other write epoch has begun meanwhile.
"""

from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b, sha256
from io import BufferedWriter
from pathlib import Path

import msgspec

from ..config.atomic_files import replacing
from ..config.file_locks import made_and_locked
from ..errors import STATE_HINT, StateError, UsageError
from ..store.epochs import UploadTarget, WriteEpochs
from .digest_index import NO_KEY, RECORD_BYTES, Changes, DigestIndex

KIND = "product_catalog"  # of the upload target
FOLDER = "acknowledged"  # in the state folder
VERSION = 2
CHECKSUM_BYTES = 16
MAX_HEADER_BYTES = 64 * 1024


class SyncStateHeader(msgspec.Struct, kw_only=True):
    """The first line of the file."""

    version: int = VERSION
    service: str
    catalog: str
    epoch: str = msgspec.field(default="", name="generation")  # of the catalog


_decode_header = msgspec.json.Decoder(SyncStateHeader).decode


class UnknownError(Exception):
    """Nothing is known about a catalog; the text says why."""


class SyncState:
    """The sync state of one catalog."""

    def __init__(self, state_dir: Path, service: str, catalog: str) -> None:
        self._folder = state_dir / FOLDER
        self._epochs = WriteEpochs(state_dir)
        self._target = UploadTarget(service, KIND, catalog)
        self._header = SyncStateHeader(service=service, catalog=catalog)
        self._path = self._folder / sha256(f"{service}\n{catalog}".encode()).hexdigest()[:16]

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        return self._path.exists()

    @property
    def epoch(self) -> str:
        """Return the current write epoch of the catalog."""
        return self._epochs.current(self._target)

    @property
    def is_confirmed(self) -> bool:
        """Tell whether what is stored is the latest, and not that of a disk that was restored."""
        return self._epochs.is_confirmed(self._target)

    def read(self) -> tuple[str, DigestIndex]:
        """Return the current write epoch and the acknowledged products; raise UnknownError."""
        epoch = self.epoch
        header, index = self._read()
        if header.epoch != epoch:
            raise UnknownError("something else may have changed this catalog since the last push")
        return epoch, index

    def invalidate(self, previous: str, epoch: str, digests: Iterable[bytes]) -> None:
        """Forget products that a push is about to send, in the write epoch that it began after `previous`."""
        with made_and_locked(self._folder):
            index = self._index_of(previous, epoch)
            changes = Changes((digest, NO_KEY) for digest in (digests if len(index) else ()))
            self._write(index.updated(changes, keep=False), epoch)

    def invalidate_keys(self, previous: str, epoch: str, keys: set[int]) -> None:
        """Forget products with these key hashes, and those whose key is not known."""
        with made_and_locked(self._folder):
            self._write(self._index_of(previous, epoch).without(keys), epoch)

    def commit(self, epoch: str, products: Iterable[tuple[bytes, int]]) -> bool:
        """Store products by digest and key hash; return False if another write epoch has begun."""
        with made_and_locked(self._folder):
            is_current = epoch == self.epoch
            if is_current:
                index = self._index_of(epoch)
                self._write(index.updated(Changes(products), keep=True), epoch)
            return is_current

    def _index_of(self, *epochs: str) -> DigestIndex:
        """Return what was stored in one of these write epochs."""
        try:
            header, index = self._read()
        except UnknownError:
            return DigestIndex()
        return index if header.epoch in epochs else DigestIndex()

    def _read(self) -> tuple[SyncStateHeader, DigestIndex]:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            raise UnknownError("nothing is known about this catalog yet") from None
        except OSError as error:
            raise UnknownError(f"{self._path} cannot be read: {error.strerror}") from None
        begin, end = data.find(b"\n", 0, MAX_HEADER_BYTES) + 1, len(data) - CHECKSUM_BYTES
        try:
            header = _decode_header(data[:begin])
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

    def _write(self, records: Iterable[bytes | memoryview], epoch: str) -> None:
        header = msgspec.json.encode(msgspec.structs.replace(self._header, epoch=epoch)) + b"\n"
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


def remove_outdated(state_dir: Path) -> None:
    """Remove sync states whose write epoch has ended, which are never used again."""
    epochs = WriteEpochs(state_dir)
    for path in (state_dir / FOLDER).glob("[0-9a-f]*"):
        with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError), path.open("rb") as file:
            header = _decode_header(file.readline(MAX_HEADER_BYTES))
            if header.epoch != epochs.current(UploadTarget(header.service, KIND, header.catalog)):
                path.unlink()
