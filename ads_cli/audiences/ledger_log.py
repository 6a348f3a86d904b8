"""The log of a job beside the ledger: whom it is about to send, and what was acknowledged.

Logs of runs that were killed are read by later runs. What cannot be decoded counts as damaged and is removed.
The people that it names are then lost to the ledger.
"""

import os
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..config.atomic_files import append_whole
from ..errors import STATE_HINT, StateError
from ..uploads.plan import this_second
from .ledger_records import KINDS, NO_TAG, TEXT_KIND, Sealer, month_of, plain_records, tag_of
from .operations import OPERATION_TYPES, Operations, body_pieces

LENGTH_BYTES, CHECKSUM_BYTES = 4, 8
START_BYTES = 2 * LENGTH_BYTES + CHECKSUM_BYTES  # of a frame: its length and two checksums


class DamagedLogError(ValueError):
    """A log has lost what was on the disk already."""


class LogHeader(msgspec.Struct, kw_only=True):
    """The first frame of a log."""

    service: str
    kind: str
    target: str
    key: str  # id of the key
    lock: str  # of the job, held as long as it runs
    previous: str  # write epoch of the list before the job; empty where that is not known
    epoch: str  # of the job


class SentUsers(msgspec.Struct, tag="sent"):
    """Whom a batch adds and removes: joined records of RECORD_BYTES, all with a tag or NO_TAG.

    Their order is not kept: an identifier that one batch both adds and removes becomes uncertain.
    """

    batch: int
    updates: bytes
    deletes: bytes
    texts: dict[bytes, bytes]  # sealed, by digest


class Acknowledged(msgspec.Struct, tag="acknowledged"):
    """That a batch was acknowledged, but for people with these digests, whom the service rejected."""

    batch: int
    rejected: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode_header = msgspec.msgpack.Decoder(LogHeader).decode
_decode_frame = msgspec.msgpack.Decoder(SentUsers | Acknowledged).decode


class Params(msgspec.Struct):
    """What an operation carries."""

    users: list[dict[str, list[str]]]
    effective_at: str = ""
    expires_at: str = ""


class LoggedOperation(msgspec.Struct):
    """An operation as it is sent."""

    operation_type: str
    params: Params


decode_operations = msgspec.json.Decoder(list[LoggedOperation]).decode


def operations_of(operations: Operations) -> list[LoggedOperation]:
    """Return operations as they are sent."""
    return decode_operations(b"".join(body_pieces([operations])))


class LogFile:
    """The log of a run of a job; its methods are called by several threads."""

    def __init__(self, path: Path, sealer: Sealer, descriptor: int) -> None:
        self.path, self._sealer, self._file = path, sealer, descriptor
        self._lock = threading.Lock()

    @classmethod
    def create(cls, path: Path, header: LogHeader, sealer: Sealer) -> "LogFile":
        """Begin a log, on disk before this returns."""
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        log = cls(path, sealer, descriptor)
        log._append(header, sync=True)
        return log

    def note_sent(self, batch: int, items: Iterable[Operations], default_until: int) -> None:
        """Note, on disk before this returns, whom a batch is about to send.

        `default_until` is the month until which who has no end of their own is kept.
        """
        updates, deletes, texts = bytearray(), bytearray(), dict[bytes, bytes]()
        for operation in chain.from_iterable(map(operations_of, items)):
            removes = operation.operation_type == OPERATION_TYPES["delete"]
            until = _until(operation.params, default_until)
            records = deletes if removes else updates
            records += b"".join(self._records(operation.params.users, until, texts))
        self._append(SentUsers(batch, bytes(updates), bytes(deletes), texts), sync=True)

    def note_acknowledged(self, batch: int, items: Iterable[Operations], rejected: Collection[int]) -> None:
        """Note that a batch was acknowledged, but for the people of rejected rows."""
        digests = list[bytes]()
        for operations in items if rejected else ():
            users = chain.from_iterable(operation.params.users for operation in operations_of(operations))
            for row, user in zip(operations.rows, users, strict=True):
                for name, values in user.items() if row in rejected else ():
                    digests += self._sealer.digests(KINDS[name], values)
        self._append(Acknowledged(batch, b"".join(digests)), sync=False)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _records(
        self, users: Sequence[dict[str, list[str]]], until: int, texts: dict[bytes, bytes]
    ) -> Iterator[bytes]:
        """Yield the records of each person's identifiers, which begin with their digests."""
        values: dict[str, list[str]] = {}
        for user in users:
            for name, own in user.items():
                values.setdefault(name, []).extend(own)
        sealed: dict[str, Iterator[bytes]] = {}
        for name, all_values in values.items():
            kind = KINDS[name]
            pairs = self._sealer.seal(kind, all_values)
            if name == TEXT_KIND:
                texts |= pairs
                pairs = [(digest, bytes(len(digest))) for digest, _ in pairs]
            sealed[name] = iter(plain_records(pairs, kind, until))
        for user in users:
            records = [record for name, own in user.items() for record in islice(sealed[name], len(own))]
            tag = tag_of(records[0]) if len(records) > 1 else NO_TAG
            yield from (record + tag for record in records)

    def _append(self, frame: Any, *, sync: bool) -> None:
        content = _encode(frame)
        data = _checked_length(len(content)) + _checksum(content) + content
        try:
            with self._lock:
                append_whole(self._file, data, sync=sync)
        except OSError as error:
            raise StateError(f"{self.path} cannot be written: {error.strerror}", hint=STATE_HINT) from error


def _until(params: Params, default: int) -> int:
    """Return the month from which a sync sends people again: at once where they are added later."""
    from datetime import datetime

    now = this_second()
    if params.effective_at and datetime.fromisoformat(params.effective_at) > now:
        return month_of(now)
    return min(month_of(datetime.fromisoformat(params.expires_at)), default) if params.expires_at else default


class Log(NamedTuple):
    """A log that can be read: its header is whole."""

    path: Path
    header: LogHeader

    def frames(self) -> Iterator[SentUsers | Acknowledged]:
        """Yield the frames up to one that is incomplete, of a run that was killed while it wrote it."""
        frames = _frames(self.path)
        next(frames)
        return map(_decode_frame, frames)


def read_log(path: Path) -> Log | None:
    """Return a log; None where its header is damaged, or it was removed meanwhile. Raise StateError."""
    try:
        return Log(path, _decode_header(next(_frames(path), b"")))
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:  # it may be whole, and who takes it for damaged removes it
        raise StateError(f"{path} cannot be read: {error.strerror}", hint=STATE_HINT) from error


def _checked_length(length: int) -> bytes:
    """Return a length with a checksum of its own, so that a wrong one does not pass for a missing end."""
    encoded = length.to_bytes(LENGTH_BYTES)
    return encoded + blake2b(encoded, digest_size=LENGTH_BYTES).digest()


def _checksum(content: bytes) -> bytes:
    return blake2b(content, digest_size=CHECKSUM_BYTES).digest()


def _frames(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while len(start := file.read(START_BYTES)) == START_BYTES:
            length = int.from_bytes(start[:LENGTH_BYTES])
            if not start.startswith(_checked_length(length)):
                raise DamagedLogError(path)
            content = file.read(length)
            if not start.endswith(_checksum(content)):
                if file.read(1):
                    raise DamagedLogError(path)
                return  # a run was killed while it wrote this
            yield content
