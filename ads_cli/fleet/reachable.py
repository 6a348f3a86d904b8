"""Whether the feeds of tasks are there: files are opened, and the first bytes of remote ones are read."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from ..client.copy_limits import Limits
from ..config.settings import Settings
from ..errors import AdsctlError
from ..feeds.locations.access import RemoteAccess
from ..feeds.locations.locate import expand_files, parse_location
from ..feeds.locations.remote import RemoteLocation
from ..validation.ordered_map import map_ordered
from .check import Parsed, problem
from .file import Problem

THREADS = 8
MAX_ATTEMPTS = 2  # a task itself has more patience
MAX_WAIT_SECONDS = 30.0

AccessOf = Callable[[Settings], RemoteAccess]


class _Reached(Exception):
    """The first bytes have come."""


def check_feeds(parsed: Sequence[Parsed], access_of: AccessOf) -> Iterator[Problem]:
    """Yield the tasks whose feeds cannot be read; each feed is looked at once."""
    due: dict[tuple[str, object], tuple[Parsed, str]] = {}
    for each in parsed:
        for name in each.inputs:
            if name != each.line.looped_file:  # which has just been listed
                due.setdefault((name, each.settings.flags.get("env_file")), (each, name))

    def reach(item: tuple[Parsed, str]) -> Problem | None:
        each, name = item
        try:
            _reach(name, _impatient(access_of(each.settings)))
        except AdsctlError as error:
            return problem(each.line, error)
        return None

    yield from filter(None, map_ordered(reach, due.values(), THREADS, THREADS))


def _impatient(access: RemoteAccess) -> RemoteAccess:
    limits = access.limits
    patience = min(limits.max_attempts, MAX_ATTEMPTS), min(limits.max_wait, MAX_WAIT_SECONDS)
    return access._replace(limits=Limits(limits.timeout, *patience, max_bytes=sys.maxsize))


def _reach(file: str, access: RemoteAccess) -> None:
    """Read the first bytes of a feed; raise AdsctlError."""
    for name in expand_files([file], lambda: access):
        location = parse_location(name, lambda: access)
        if isinstance(location, RemoteLocation):
            with suppress(_Reached), tempfile.TemporaryFile() as copy:
                location.copy_to(cast(BinaryIO, copy), _stop)
        elif not Path(name).is_fifo():  # which could be read only once
            location.open().close()


def _stop(received: int, total: int | None) -> None:
    if received:
        raise _Reached
