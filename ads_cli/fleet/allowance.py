"""Divide the rate limit of one token or account among the workers of a cluster."""

from collections.abc import Iterator, Mapping

import msgspec

from ..api.rates import QUARTER_HOUR_SECONDS
from ..client.allowance import Share, token_scope

# Requests that were sent under a part count for a window of the service: the longest one, with a margin
# for clocks and for the time until a process reads its new share.
REST_SECONDS = QUARTER_HOUR_SECONDS + 15.0


class Part(msgspec.Struct, array_like=True):
    """One of the equal parts of a limit."""

    holder: str = ""  # "": nobody
    usable_at: float = 0.0  # seconds of the clock that all workers share
    last_holder: str = ""  # who has given it up, and knows what was sent under it
    usable_again_at: float = 0.0  # by that one


class Division(msgspec.Struct):
    """Equal parts of a limit, leased to workers; the parts of all shares never exceed the limit.

    A part whose holder ends or dies rests for a window before another worker uses it, since what was sent
    under it still counts; the holder itself, if it returns before, counts that and has its part back. The
    object does no input or output: a cluster keeps it where its workers agree on it, and passes the time.
    """

    parts: list[Part]

    @classmethod
    def among(cls, workers: int) -> "Division":
        """Cut a limit into as many parts as there will be workers at most."""
        return cls([Part() for _ in range(workers)])

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
        """Lease every free part to the workers that have the fewest; call it once nobody else will join."""
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

    def shares(self, now: float) -> Mapping[str, Share]:
        """Return the share of each worker that may send."""
        usable = [part.holder for part in self.parts if part.holder and part.usable_at <= now]
        return {holder: Share(usable.count(holder), len(self.parts)) for holder in sorted(set(usable))}

    @property
    def holders(self) -> set[str]:
        """The workers that have a part."""
        return {part.holder for part in self.parts if part.holder}

    def is_rested(self, now: float) -> bool:
        """Whether nothing that was sent under any part counts."""
        return all(not part.holder and part.usable_at <= now for part in self.parts)

    def shifted(self, seconds: float) -> "Division":
        """Return a copy for a clock that shows so much more."""
        return Division(
            [
                Part(part.holder, part.usable_at + seconds, part.last_holder, part.usable_again_at + seconds)
                for part in self.parts
            ]
        )

    def _held_by(self, worker: str) -> Iterator[Part]:
        return (part for part in self.parts if part.holder == worker)

    def _next_free(self) -> Part | None:
        return min(self._held_by(""), key=lambda part: part.usable_at, default=None)

    def _taken_from_the_richest(self, now: float) -> Part | None:
        held = [list(self._held_by(holder)) for holder in sorted(self.holders)]
        richest = max(held, key=len)
        if len(richest) < 2:
            return None
        part = max(richest, key=lambda part: part.usable_at)
        part.usable_at = max(part.usable_at, now + REST_SECONDS)
        return part


def scope_of_profile(profile: str, environ: Mapping[str, str]) -> str:
    """Name the scope of the limits of a profile's token, as this machine finds the token."""
    from ..auth.secrets import Secrets
    from ..config.settings import Settings
    from ..masking import Mask

    settings = Settings({"profile": profile}, environ)
    if settings.is_local:
        return "token-local"
    return token_scope(Secrets(settings, Mask(), {}).user().access_token)
