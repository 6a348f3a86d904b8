"""What identifies a job: two pushes with equal keys send the same requests to the same place."""

import hashlib

import msgspec


class Place(msgspec.Struct, frozen=True):
    """What a push changes."""

    service: str  # its address, or the world of an emulator
    kind: str  # "product_catalog", "custom_audience", "do_not_reach_list", or what records of a file
    id: str


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything beside the file's bytes and the place that decides which requests are sent."""

    skip_invalid: bool
    format: str
    encoding: str
    mapping: dict[str, str]
    conversion: str = ""  # digest of the steps that convert rows
    reading: dict[str, str] = {}  # other options of how the file is read
    selection: str = ""  # digest of the rows that are sent, where not all are
    upload: dict[str, str | int | bool | None] = {}  # options of this kind of upload


class JobKey(msgspec.Struct, frozen=True):
    """The identity of a job."""

    place: Place
    upload: str  # "push", "create", "update", "sync", "delete" or "delete by id"
    content: str  # SHA-256 of the file's bytes, in hex
    options: JobOptions

    @property
    def digest(self) -> str:
        """Return 16 hex digits that stand for the key, as in the name of its lock."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:16]
