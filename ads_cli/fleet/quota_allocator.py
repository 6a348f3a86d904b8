"""Divide the rate limit of one token or account among the workers of a cluster."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from ..api.rates import QUARTER_HOUR_SECONDS
from ..client.shared_window import LimitShare, account_scope, token_scope
from .tasks import Task

# Requests that were sent under a part count for a window of the service: the longest one, with a margin
# for clocks and for the time until a process reads its new share.
REST_SECONDS = QUARTER_HOUR_SECONDS + 15.0


class LimitPart(msgspec.Struct, array_like=True):
    """One of the equal parts of a limit."""

    holder: str = ""  # "": none
    usable_at: float = 0.0  # seconds of the clock that all workers share
    last_holder: str = ""  # who has given it up, and knows what was sent under it
    usable_again_at: float = 0.0  # by that one


class Division(msgspec.Struct):
    """Equal parts of a limit, leased to workers; the parts of all shares never exceed the limit.

    A part whose holder ends or dies rests for a window before another worker uses it, since what was sent
    under it still counts; the holder itself, if it returns before, counts that and has its part back. The
    object does no input or output: a cluster keeps it where its workers agree on it, and passes the time.
    """

    parts: list[LimitPart]

    @classmethod
    def among(cls, workers: int) -> "Division":
        """Cut a limit into as many parts as there will be workers at most."""
        return cls([LimitPart() for _ in range(workers)])

    def join(self, worker: str, now: float) -> float:
        """Lease a part to a worker; return the seconds until it may begin.

        It has back what it gave up. Where all parts are leased, a worker that has several gives one up,
        which then rests. Infinite where every worker has one already.
        """
        for own in self._held_by(""):
            if own.last_holder == worker:
                own.holder, own.usable_at = worker, own.usable_again_at
        if not any(self._held_by(worker)):
            part = self._next_free() or self._taken_from_the_richest(now)
            if part is None:
                return float("inf")
            part.holder = worker
        return max(0.0, min(part.usable_at for part in self._held_by(worker)) - now)

    def delay(self, worker: str, now: float) -> float:
        """Return the seconds until a worker may begin, if it joins."""
        return self.shifted(0.0).join(worker, now)

    def spread(self, now: float) -> None:
        """Lease every free part to the workers that have the fewest; call it once no other will join."""
        while (holders := self.holders) and (part := self._next_free()) and part.usable_at <= now:
            part.holder = min(sorted(holders), key=lambda holder: len(list(self._held_by(holder))))

    def leave(self, worker: str, now: float) -> None:
        """Take back the parts of a worker that has ended, or that was last seen alive at `now`."""
        for part in self._held_by(worker):
            part.last_holder, part.usable_again_at = worker, part.usable_at
            part.holder, part.usable_at = "", max(part.usable_at, now + REST_SECONDS)

    def rest(self, now: float) -> None:
        """Let every free part rest: it may have been used since this was known."""
        for part in self._held_by(""):
            part.last_holder, part.usable_at = "", now + REST_SECONDS

    def merge(self, known: "Division", now: float) -> None:
        """Add what was known before this division began: who had a part keeps it, others let it rest.

        What they have sent meanwhile cannot be taken back, and counts on top until its window ends.
        """
        if len(known.parts) != len(self.parts):
            self.parts = [LimitPart() for _ in known.parts]
        for part, before in zip(self.parts, known.parts, strict=True):
            if before.holder not in ("", part.holder):
                rests = before.usable_at > now
                usable_at = max(before.usable_at, now + REST_SECONDS) if rests else before.usable_at
                part.holder, part.usable_at, part.last_holder = before.holder, usable_at, ""
            elif before.holder or before.last_holder != part.holder:
                part.usable_at = max(part.usable_at, before.usable_at)

    def shares(self, now: float) -> Mapping[str, LimitShare]:
        """Return the share of each worker that may send."""
        usable = [part.holder for part in self.parts if part.holder and part.usable_at <= now]
        return {holder: LimitShare(usable.count(holder), len(self.parts)) for holder in sorted(set(usable))}

    @property
    def holders(self) -> set[str]:
        """The workers that have a part."""
        return {part.holder for part in self.parts if part.holder}

    def is_rested(self, now: float) -> bool:
        """Whether nothing that was sent under any part counts."""
        return all(not part.holder and part.usable_at <= now for part in self.parts)

    def shifted(self, seconds: float) -> "Division":
        """Return a copy for a clock that shows so much more."""
        parts = [msgspec.structs.replace(part) for part in self.parts]
        for part in parts:
            part.usable_at += seconds
            part.usable_again_at += seconds
        return Division(parts)

    def _held_by(self, worker: str) -> Iterator[LimitPart]:
        return (part for part in self.parts if part.holder == worker)

    def _next_free(self) -> LimitPart | None:
        return min(self._held_by(""), key=lambda part: part.usable_at, default=None)

    def _taken_from_the_richest(self, now: float) -> LimitPart | None:
        held = [list(self._held_by(holder)) for holder in sorted(self.holders)]
        richest = max(held, key=len)
        if len(richest) < 2:
            return None
        part = max(richest, key=lambda part: part.usable_at)
        part.usable_at = max(part.usable_at, now + REST_SECONDS)
        return part


def scope_of_profile(profile: str, environ: Mapping[str, str]) -> str:
    """Name the scope of the limits of a profile's token, as this machine finds the token."""
    from ..auth.secrets import Secrets, refuse_grant
    from ..config.settings import Settings
    from ..masking import Mask

    settings = Settings({"profile": profile}, environ)
    if settings.is_local:
        return "token-local"
    refuse_grant(settings)
    return token_scope(Secrets(settings, Mask(), {}).user().holder)


def scopes_of_task(task: Task, token: str) -> list[str]:
    """Name the limits that a task needs a share of: `token`, that of its profile's token, is the first."""
    if not task.uses_account:
        return []
    return [token, account_scope(task.account)] if task.is_part else [token]


PARTS = 16  # of a limit, at least: a home that joins later gets one of another home's
REFRESH_SECONDS = 5.0  # between two claims of a fleet
EXTENSION = "adsctl"


class Claims(msgspec.Struct, frozen=True):
    """What a fleet claims: everything that it did not give back."""

    fleet: str
    homes: Mapping[str, list[str]]  # by scope; none: only how it is divided is asked for
    silence_seconds: float  # after which it has ended
    known: Mapping[str, Division] = {}  # as last announced, for a scheduler that was started again


class _Fleet(msgspec.Struct):
    """A fleet that has claims."""

    homes: Mapping[str, list[str]]
    ends_at: float


class QuotaAllocator:
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
            if scope in self._divisions:
                self._divisions[scope].merge(division.shifted(now), now)
            else:
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


def update_allocator(message: bytes, dask_scheduler: Any = None) -> bytes:
    """Take the claims of a fleet; called at the scheduler."""
    allocator = dask_scheduler.extensions.setdefault(EXTENSION, QuotaAllocator())
    divisions = allocator.update(msgspec.json.decode(message, type=Claims), time.monotonic())
    return msgspec.json.encode(divisions)


class FleetLimits:
    """The limits that a fleet claims parts of, as last announced by the allocator."""

    def __init__(self, fleet: str, update: Callable[[Claims, float], Mapping[str, Division]]) -> None:
        self._fleet, self._update = fleet, update
        self._homes: dict[str, list[str]] = {}  # by scope
        self._divisions: Mapping[str, Division] = {}  # in seconds since they were announced
        self._announced_at = float("-inf")
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
        """Say that the fleet is still running, unless that has just been said."""
        if now - self._announced_at >= REFRESH_SECONDS:
            self._tell(now)

    def restore(self, now: float) -> None:
        """Tell another scheduler what the last one knew, unless nothing that was sent then counts."""
        passed = now - self._announced_at
        known = self._divisions if passed < REST_SECONDS else {}
        self._tell(now, {scope: each.shifted(-passed) for scope, each in known.items()})

    def delay(self, scope: str, home: str, now: float) -> float:
        """Return the seconds until a home may send, if it claims a part."""
        if scope not in self._homes:
            self.claim(scope, [], now)
        division = self._divisions.get(scope)
        return division.delay(home, now - self._announced_at) if division else 0.0

    def is_divided(self, scope: str) -> bool:
        """Whether a limit is divided, by this fleet or by another one."""
        return scope in self._divisions

    def shares(self, home: str, now: float) -> dict[str, LimitShare]:
        """Return the share that a home has of each limit."""
        found = {
            scope: each.shares(now - self._announced_at).get(home) for scope, each in self._divisions.items()
        }
        return {scope: share for scope, share in found.items() if share}

    def _tell(self, now: float, known: Mapping[str, Division] | None = None) -> None:
        claims = Claims(self._fleet, self._homes, self.silence_seconds, known or {})
        self._divisions = self._update(claims, now)
        self._announced_at = now
