"""The record that a ledger stores of an identifier, and how it is sealed.

    digest 16 bytes | rest 16 | meta 2 | tag 8

- Records are sorted by the digest, which is keyed: without the key it tells nothing.
- Digest and rest give the identifier back, with the key. An id of the advertiser's own (TEXT_KIND) has zeros
  as its rest: the sealed text is among the `texts` of the file, by digest.
- Meta has 3 bits for the kind, its position in IDENTIFIERS.
- Meta has a bit that is set where it is unknown whether the service applied what was sent.
- Meta has in 12 bits the month in which the service may have forgotten the person.
- All identifiers of a person have one tag, by which they are found together. It is the beginning of the
  digest of one of them, the head, by which the person is counted.
- Who has one identifier has NO_TAG. Where nobody has several, a ledger has plain records, which end before
  the tag.

No other module knows what is in the meta bytes.
"""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from struct import iter_unpack
from typing import NamedTuple

from ..config.atomic_files import make_folder, sync_folder
from ..config.file_locks import made_and_locked
from ..errors import STATE_HINT, StateError
from .identifiers import IDENTIFIERS

HALF = 16  # bytes of a digest, and of the sealed rest
META_BYTES, TAG_BYTES = 2, 8
PLAIN_BYTES = 2 * HALF + META_BYTES
RECORD_BYTES = PLAIN_BYTES + TAG_BYTES
NO_TAG = bytes(TAG_BYTES)
TEXT_KIND = "partner_user_id"  # the only identifier that is no SHA-256
KINDS = {name: number for number, name in enumerate(IDENTIFIERS)}
KIND_SHIFT = 13
UNCERTAIN = 1 << 12
MAX_MONTH = UNCERTAIN - 1
REMEMBERED_MONTHS = 12  # the service forgets people after 13
IS_UNCERTAIN = bytes(bool(byte & UNCERTAIN >> 8) for byte in range(256))
FOLDER = "ledgers"  # in the state folder
KEY_FILE = "ledger.key"  # in the state folder
KEY_BYTES = 32


def month_of(moment: datetime) -> int:
    """Return the month of a time, counted from the year 2000; 0 for one before."""
    utc = moment.astimezone(UTC)
    return max(0, min((utc.year - 2000) * 12 + utc.month - 1, MAX_MONTH))


def is_remembered(until: int, month: int) -> bool:
    """Tell whether the service remembers in a month whom it may forget in another one.

    No clock that is right promises more than REMEMBERED_MONTHS: what does was stored in the future of now.
    """
    return month < until <= month + REMEMBERED_MONTHS


class LedgerEntry(NamedTuple):
    """One identifier of a person."""

    digest: bytes
    rest: bytes
    kind: int
    until: int = 0  # the month in which the service may have forgotten the person
    uncertain: bool = False
    tag: bytes = NO_TAG

    @classmethod
    def decode(cls, record: bytes) -> "LedgerEntry":
        """Read a record, plain or not."""
        meta = int.from_bytes(record[2 * HALF : PLAIN_BYTES])
        tag = record[PLAIN_BYTES:] or NO_TAG
        uncertain, month = bool(meta & UNCERTAIN), meta & MAX_MONTH
        return cls(record[:HALF], record[HALF : 2 * HALF], meta >> KIND_SHIFT, month, uncertain, tag)

    def encode(self) -> bytes:
        """Return the record, with its tag."""
        return self.digest + self.rest + _meta(self.kind, self.until, uncertain=self.uncertain) + self.tag

    @property
    def is_head(self) -> bool:
        """Tell whether this is the identifier by which a person is counted."""
        return self.tag == NO_TAG or self.digest.startswith(self.tag)


def _meta(kind: int, until: int, *, uncertain: bool = False) -> bytes:
    return (kind << KIND_SHIFT | UNCERTAIN * uncertain | until).to_bytes(META_BYTES)


def is_certain(meta: bytes, month: int) -> bool:
    """Tell by the meta bytes of a record whether the service has the person in a month."""
    number = int.from_bytes(meta)
    return not number & UNCERTAIN and is_remembered(number & MAX_MONTH, month)


def plain_records(sealed: Iterable[tuple[bytes, bytes]], kind: int, until: int) -> list[bytes]:
    """Return a plain record for each digest and rest."""
    meta = _meta(kind, until)
    return [digest + rest + meta for digest, rest in sealed]


def tag_of(digest: bytes) -> bytes:
    """Return the tag of a person whose head has a digest, or is a record."""
    return digest[:TAG_BYTES]


def tags_of(records: bytes) -> Iterator[bytes]:
    """Return the tag of each of some joined records that are not plain."""
    return (tag for (tag,) in iter_unpack(f"{PLAIN_BYTES}x{TAG_BYTES}s", records))


class LedgerPart(NamedTuple):
    """Records that follow one another in the file of a ledger, and what they add to its counts."""

    data: bytes
    identifiers: int
    people: int
    uncertain: int

    @classmethod
    def of(cls, data: bytes, *, tagged: bool) -> "LedgerPart":
        """Count what records add; they are plain unless they are `tagged`."""
        width = RECORD_BYTES if tagged else PLAIN_BYTES
        highs = data[2 * HALF :: width]  # the first bytes of meta
        uncertain = highs.translate(IS_UNCERTAIN).count(1)
        people = len(highs)
        if tagged:
            heads = iter_unpack(f"{TAG_BYTES}s{PLAIN_BYTES - TAG_BYTES}x{TAG_BYTES}s", data)
            people = sum(tag in (start, NO_TAG) for start, tag in heads)
        return cls(data, len(highs), people, uncertain)


def load_key(state_dir: Path) -> bytes:
    """Return the key of a state folder. Make it if there is none. Raise StateError.

    A file of another size is replaced, and what was stored under its key is lost, as with a wrong key.
    """
    path = state_dir / KEY_FILE
    try:
        make_folder(state_dir)
        with suppress(FileNotFoundError):
            if len(key := path.read_bytes()) == KEY_BYTES:
                return key
        new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(descriptor)
        with made_and_locked(state_dir / FOLDER):
            if not path.exists() or path.stat().st_size != KEY_BYTES:
                new.replace(path)
            new.unlink(missing_ok=True)
            sync_folder(state_dir)
        return path.read_bytes()
    except OSError as error:
        raise StateError(f"{path} cannot be used: {error.strerror}", hint=STATE_HINT) from error


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

    def sealed_digest(self, digest: str) -> str:
        """Return what only the key tells of a digest of people."""
        return blake2b(digest.encode(), key=self.key, person=b"batch", digest_size=8).hexdigest()

    def sealed_content(self, digest: str) -> str:
        """Return what only the key tells of the digest of a file, which may be of one person."""
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
    keyed = []
    for mask in masks:
        hashed = new()
        hashed.update(mask)
        keyed.append(hashed.digest())
    whole = masked(b"".join(halves), b"".join(keyed))
    return [whole[at : at + HALF] for at in range(0, len(whole), HALF)]


def masked(data: bytes, mask: bytes) -> bytes:
    """Mask bytes by others, or unmask them."""
    return (int.from_bytes(data) ^ int.from_bytes(mask)).to_bytes(len(data))
