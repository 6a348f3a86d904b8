"""Seal identifiers under the key of a state folder: without it they tell nothing of anybody."""

import secrets
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..config.atomic_files import replacing
from ..errors import STATE_HINT, StateError, UsageError
from ..store import store_in
from .columns import BETWEEN, EncodedColumn
from .identifiers import IDENTIFIERS

HALF = 16  # bytes of a digest, and of the sealed rest of a SHA-256
TEXT_KIND = "partner_user_id"  # the only identifier that is no SHA-256
KINDS = {name: number for number, name in enumerate(IDENTIFIERS)}
KEY_FILE = "ledger.key"  # in the state folder
KEY_BYTES = 32


def load_key(state_dir: Path) -> bytes:
    """Return the key of a state folder. Make it if there is none. Raise StateError.

    A file of another size is replaced, and what was stored under its key is lost, as with a wrong key.
    """
    path = state_dir / KEY_FILE
    try:
        return _read_key(path) or _make_key(path)
    except (OSError, UsageError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StateError(f"{path} cannot be used: {reason}", hint=STATE_HINT) from error


def _read_key(path: Path) -> bytes:
    key = path.read_bytes() if path.exists() else b""
    return key if len(key) == KEY_BYTES else b""


def _make_key(path: Path) -> bytes:
    with store_in(path.parent).writing():  # so that of two processes one makes it
        if not (key := _read_key(path)):
            key = secrets.token_bytes(KEY_BYTES)
            with replacing(path) as file:
                file.write(key)
    return key


class Sealer:
    """Seals identifiers and opens them again, under the key of a state folder.

    The service removes somebody only by an identifier, so its SHA-256 must come back. Its second half, masked
    under the key by its first half, is the digest. Its first half, masked under the key by the digest, is the
    rest. They are a two-round Feistel network: with the key each gives the other back, and without it neither
    tells anything of a person. A text is not a hash, and all of it is masked.
    """

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.key_id = blake2b(key=key, person=b"key id", digest_size=8).hexdigest()
        self._kinds = [blake2b(key=key, person=name.encode(), digest_size=HALF) for name in IDENTIFIERS]
        self._rest = blake2b(key=key, person=b"rest", digest_size=HALF)
        self._text = blake2b(key=key, person=b"text")

    def sealed(self, digest: str) -> str:
        """Return what only the key tells of a digest, which may be of one person."""
        return blake2b(digest.encode(), key=self.key, person=b"content", digest_size=HALF).hexdigest()

    def digests(self, kind: int, values: Sequence[str]) -> list[bytes]:
        """Return the digests of identifiers of one kind."""
        new = self._kinds[kind].copy
        if IDENTIFIERS[kind] == TEXT_KIND:
            return [_keyed(new, value.encode("utf-8", "surrogatepass")) for value in values]
        whole = bytes.fromhex("".join(values))
        return _masked_halves(new, _halves(whole, 0), _halves(whole, HALF))

    def seal(self, kind: int, values: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Return the digest of each identifier with its sealed rest, which of a text is all of it."""
        digests = self.digests(kind, values)
        if IDENTIFIERS[kind] == TEXT_KIND:
            texts = [value.encode("utf-8", "surrogatepass") for value in values]
            rests = [
                masked(text, self._stream(digest, len(text)))
                for text, digest in zip(texts, digests, strict=True)
            ]
        else:
            firsts = _halves(bytes.fromhex("".join(values)), 0)
            rests = _masked_halves(self._rest.copy, digests, firsts)
        return [*zip(digests, rests, strict=True)]

    def open(self, kind: int, digest: bytes, rest: bytes) -> str:
        """Return the identifier of a digest and its sealed rest."""
        if IDENTIFIERS[kind] == TEXT_KIND:
            return masked(rest, self._stream(digest, len(rest))).decode("utf-8", "surrogatepass")
        first = masked(rest, _keyed(self._rest.copy, digest))
        return (first + masked(digest, _keyed(self._kinds[kind].copy, first))).hex()

    def _stream(self, digest: bytes, size: int) -> bytes:
        blocks = bytearray()
        while len(blocks) < size:
            blocks += _keyed(self._text.copy, digest + len(blocks).to_bytes(4))
        return bytes(blocks[:size])


def _keyed(new: "Callable[[], blake2b]", data: bytes) -> bytes:
    hashed = new()
    hashed.update(data)
    return hashed.digest()


def _halves(whole: bytes, begin: int) -> list[bytes]:
    """Return one half of each SHA-256."""
    return [whole[at : at + HALF] for at in range(begin, len(whole), 2 * HALF)]


def _masked_halves(new: "Callable[[], blake2b]", masks: list[bytes], halves: list[bytes]) -> list[bytes]:
    """Mask halves by the keyed digests of others, all at once."""
    whole = masked(b"".join(halves), b"".join(_keyed(new, mask) for mask in masks))
    return [whole[at : at + HALF] for at in range(0, len(whole), HALF)]


def masked(data: bytes, mask: bytes) -> bytes:
    """Mask bytes by others, or unmask them."""
    return (int.from_bytes(data) ^ int.from_bytes(mask)).to_bytes(len(data))


class RowDigests(NamedTuple):
    """The digests of the identifiers of some rows, as compactly as it goes between processes."""

    rows: Sequence[int]  # of each digest
    digests: bytes  # joined
    mistaken: dict[int, bytes]  # joined digests of rows with mistakes, of which some are sent all the same

    def pairs(self, records: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield each digest with the record of its row."""
        return zip((records[row] for row in self.rows), split_digests(self.digests), strict=True)


def split_digests(joined: bytes) -> list[bytes]:
    """Return joined digests one by one."""
    return [joined[at : at + HALF] for at in range(0, len(joined), HALF)]


def row_digests(
    key: bytes, columns: Sequence[EncodedColumn], rows: Sequence[int], mistaken: Collection[int]
) -> RowDigests:
    """Return the digests of the identifiers of some rows, and of those that are `mistaken`."""
    sealer = Sealer(key)
    of_mistaken = {
        row: b"".join(own) for row, own in zip(mistaken, _digests(sealer, columns, mistaken), strict=True)
    }
    numbers, joined = array("I"), bytearray()
    for row, own in zip(rows, _digests(sealer, columns, rows), strict=True):
        numbers.extend([row] * len(own))
        joined += b"".join(own)
    return RowDigests(numbers, bytes(joined), of_mistaken)


def _digests(sealer: Sealer, columns: Sequence[EncodedColumn], rows: Collection[int]) -> list[list[bytes]]:
    """Return the digests of the identifiers of each row."""
    digests_of_rows: list[list[bytes]] = [[] for _ in rows]
    for column in columns:
        texts = [column.texts[row] for row in rows]
        present = [text for text in texts if text]
        if not present:
            continue
        values = BETWEEN.join(present).split(BETWEEN)
        if column.kind == TEXT_KIND:
            values = [msgspec.json.decode(f'"{value}"') for value in values]
        digests = iter(sealer.digests(KINDS[column.kind], values))
        for own, text in zip(digests_of_rows, texts, strict=True):
            if text:
                own += islice(digests, text.count(BETWEEN) + 1)
    return digests_of_rows
