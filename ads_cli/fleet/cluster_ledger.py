"""The limits of tokens and accounts on a cluster, divided among the homes of its workers for all fleets.

The scheduler keeps the ledger, and carries out one change after the other by its own clock. So fleets that
run at the same time, or soon after each other, have one division of a limit. A fleet repeats what it claims:
one that falls silent has ended, and gives back what it had.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ..client.allowance import Share
from .allowance import Division

PARTS = 16  # of a limit, at least: a home that joins later gets one of another home's
REFRESH_SECONDS = 5.0  # between two claims of a fleet
EXTENSION = "adsctl"


class Claims(msgspec.Struct, frozen=True):
    """What a fleet claims: everything that it did not give back."""

    fleet: str
    homes: Mapping[str, list[str]]  # by scope; none: only how it is divided is asked for
    silence_seconds: float  # after which it has ended
    known: Mapping[str, Division] = {}  # as it was told last, for a scheduler that was started again


class _Fleet(msgspec.Struct):
    """A fleet that has claims."""

    homes: Mapping[str, list[str]]
    ends_at: float


class Ledger:
    """Divides limits among homes; it does no input or output."""

    def __init__(self) -> None:
        self._divisions: dict[str, Division] = {}  # by scope
        self._fleets: dict[str, _Fleet] = {}

    def update(self, claims: Claims, now: float) -> dict[str, Division]:
        """Take the claims of a fleet; return the division of each scope, in seconds from now."""
        self._fleets[claims.fleet] = _Fleet(claims.homes, now + claims.silence_seconds)
        for id in [id for id, fleet in self._fleets.items() if not fleet.homes or fleet.ends_at <= now]:
            del self._fleets[id]
        for scope, division in claims.known.items():
            if scope not in self._divisions:
                self._divisions[scope] = division.shifted(now)
                self._divisions[scope].rest(now)
        for scope, homes in claims.homes.items():
            for home in homes:
                division = self._divisions.setdefault(scope, Division.among(max(PARTS, len(homes))))
                division.join(home, now)
        for scope, division in [*self._divisions.items()]:
            claimed = {home for fleet in self._fleets.values() for home in fleet.homes.get(scope, ())}
            for home in division.holders - claimed:
                division.leave(home, now)
            division.spread(now)
            if division.is_rested(now):
                del self._divisions[scope]
        return {
            scope: self._divisions[scope].shifted(-now) for scope in claims.homes if scope in self._divisions
        }


def update_ledger(message: bytes, dask_scheduler: Any = None) -> bytes:
    """Take the claims of a fleet; called at the scheduler."""
    ledger = dask_scheduler.extensions.setdefault(EXTENSION, Ledger())
    divisions = ledger.update(msgspec.json.decode(message, type=Claims), time.monotonic())
    return msgspec.json.encode(divisions)


class FleetLimits:
    """The limits that a fleet claims parts of, as the ledger has told last."""

    def __init__(self, fleet: str, update: Callable[[Claims, float], Mapping[str, Division]]) -> None:
        self._fleet, self._update = fleet, update
        self._homes: dict[str, list[str]] = {}  # by scope
        self._divisions: Mapping[str, Division] = {}  # in seconds from when they were told
        self._told_at = float("-inf")
        self.silence_seconds = 60.0  # after which its tasks have ended

    def claimed(self, scope: str) -> list[str]:
        """Return the homes that are claimed."""
        return self._homes.get(scope, [])

    def claim(self, scope: str, homes: list[str], now: float) -> None:
        """Claim a part of a limit for further homes."""
        self._homes[scope] = [*self.claimed(scope), *homes]
        self._tell(now)

    def give_back(self, home: str, now: float) -> None:
        """Give back what a home has."""
        self._homes = {scope: [each for each in had if each != home] for scope, had in self._homes.items()}
        self._tell(now)

    def leave(self, now: float) -> None:
        """Give everything back: no task runs."""
        self._homes = {}
        self._tell(now)

    def refresh(self, now: float) -> None:
        """Say that the fleet goes on, unless it has just been said."""
        if now - self._told_at >= REFRESH_SECONDS:
            self._tell(now)

    def restore(self, now: float) -> None:
        """Tell another scheduler what the last one knew."""
        passed = now - self._told_at
        self._tell(now, {scope: each.shifted(-passed) for scope, each in self._divisions.items()})

    def delay(self, scope: str, home: str, now: float) -> float:
        """Return the seconds until a home may send, if it claims a part."""
        if scope not in self._homes:
            self.claim(scope, [], now)
        division = self._divisions.get(scope)
        return division.delay(home, now - self._told_at) if division else 0.0

    def is_divided(self, scope: str) -> bool:
        """Whether a limit is divided, by this fleet or by another one."""
        return scope in self._divisions

    def shares(self, home: str, now: float) -> dict[str, Share]:
        """Return the share that a home has of each limit."""
        found = {scope: each.shares(now - self._told_at).get(home) for scope, each in self._divisions.items()}
        return {scope: share for scope, share in found.items() if share}

    def _tell(self, now: float, known: Mapping[str, Division] | None = None) -> None:
        claims = Claims(self._fleet, self._homes, self.silence_seconds, known or {})
        self._divisions = self._update(claims, now)
        self._told_at = now
