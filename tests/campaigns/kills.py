"""Runs that are killed at requests that change something, until one ends."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, cycle

from ads_cli.client.transport import Sender

MOST_KILLS = 80
Moment = Callable[[int], str]


class KilledError(BaseException):
    """The process is gone."""


def at_second_change(when: str) -> Moment:
    """Let one change of a run through; kill it "before" the next one is sent, or "after" its answer."""
    return lambda number: when if number > 1 else ""


def alternately() -> Moment:
    """Let one change of a run through; kill it in turn before the next one is sent, and after its answer."""
    moments = cycle(["before", "after"])
    return lambda number: next(moments) if number > 1 else ""


def at_random_changes(rng: random.Random, share: float) -> Moment:
    """Kill a run at a share of its changes, before or after them."""

    def moment(_: int) -> str:
        is_killed = rng.random() < share
        return ("before" if rng.random() < 0.5 else "after") if is_killed else ""

    return moment


@contextmanager
def killed_at(monkeypatch, moment: Moment) -> Iterator[None]:
    """Raise KilledError at changes: `moment` says of each, by its number from 1 on, when, or "" for never."""
    send, numbers = Sender.send, count(1)

    def dying(self, prepared, *args, **options):
        when = "" if prepared.method == "GET" else moment(next(numbers))
        if when == "before":
            raise KilledError
        response = send(self, prepared, *args, **options)
        if when == "after":
            raise KilledError
        return response

    with monkeypatch.context() as patched:
        patched.setattr(Sender, "send", dying)
        yield


def run_until_it_ends(monkeypatch, run: Callable[[], object], moment: Moment) -> int:
    """Run until no kill ends it; return how many runs were killed."""
    for kills in range(MOST_KILLS):
        with suppress(KilledError), killed_at(monkeypatch, moment):
            run()
            return kills
    raise AssertionError(f"no run has ended after {MOST_KILLS} kills")
