"""Remember how many requests at once a service bore, so that the next push need not find out again."""

from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from ..config.atomic_files import make_folder


class BorneConcurrency:
    """The requests at once of each route at the end of the last push to a service, in a file.

    It only makes a start faster: where the file is lost or damaged, concurrency grows from the beginning.
    """

    def __init__(self, state_dir: Path, service: str) -> None:
        self._path = state_dir / "concurrency" / sha256(service.encode()).hexdigest()[:16]

    def read(self) -> dict[str, int]:
        """Return what the service bore last, by route."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, int])
        except (OSError, ValueError):
            return {}

    def store(self, limits: Mapping[str, int]) -> None:
        """Store what routes bore in this push; 0 forgets a route."""
        earlier = self.read()
        limits = {route: limit for route, limit in (earlier | {**limits}).items() if limit}
        if limits == earlier:
            return
        with suppress(OSError):
            make_folder(self._path.parent)
            self._path.write_bytes(msgspec.json.encode(limits))
