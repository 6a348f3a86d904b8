"""The payloads of events, from their table: `payloads.yaml`, whose {names} are filled in."""

import re
import secrets
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from ..storage import Record, random_number
from .faults import FILTERED_STREAM

PLACE = re.compile(r"\{(\w+)\}")


@cache
def _table() -> Any:
    import yaml

    text = files(__package__).joinpath("payloads.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)


def payload_kinds() -> tuple[str, ...]:
    """List the kinds of events that have a payload."""
    return tuple(_table()["kinds"])


class Example:
    """The values of one event: who and when, and ids that are new."""

    def __init__(self, user: str, other: str, *, is_inbound: bool = True) -> None:
        now = datetime.now(UTC)
        post = random_number()
        self.values: dict[str, str] = {
            "user": user,
            "other": other,
            "liked_author": user if is_inbound else other,
            "post": post,
            "first_post": random_number(),
            "number": random_number(),
            "hex": secrets.token_hex(16),
            "now": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "now_ms": str(time.time_ns() // 1_000_000),
            "now_offset": now.isoformat(timespec="seconds"),
            "now_old": now.strftime("%a %b %d %H:%M:%S +0000 %Y"),
        }

    def of_kind(self, kind: str) -> Record:
        """Return `payload`, and `includes` where the kind has it."""
        filled: Record = self._filled(_table()["kinds"][kind])
        return filled

    def of_filtered_stream(self) -> Record:
        """Return what matches a rule of the filtered stream."""
        filled: Record = self._filled(_table()[FILTERED_STREAM])
        return filled

    def of_account_activity(self, kind: str) -> Record | None:
        """Return a kind as the older product sends it; None if it does not."""
        template = _table()["account_activity"].get(kind)
        if template is None:
            return None
        filled: Record = self._filled(template)
        # An activity of an app has no such field.
        return filled if "user_event" in filled else {"for_user_id": self.values["user"], **filled}

    def _filled(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {self._filled(name): self._filled(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if not isinstance(value, str):
            return value
        whole = PLACE.fullmatch(value)
        if whole and whole[1].endswith("_number"):
            return int(self.values[whole[1].removesuffix("_number")])
        return PLACE.sub(lambda match: self.values[match[1]], value)
