"""What becomes of requests whose answers were lost, so that they may be applied or not.

There is one answer for every kind of change. What has the same effect when it is repeated is sent again.
What the service lists is looked up until its lists would show it, and is settled then. What is neither is
refused until somebody says what to do: `--uncertain skip` or `--uncertain resend`.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..errors import NotConfirmedError
from ..output.text import counted, listed

if TYPE_CHECKING:
    from ..client.client import Client

T = TypeVar("T")

# How long a list may lack what was created. The documentation of the service states no time: this is ours.
LISTED_AFTER_SECONDS = 120.0


def look_until_listed(
    client: "Client",
    look: Callable[[], tuple[T, Sequence[str], float]],
    say: Callable[[str], None] | None,
    why: str = "may have been created by a request whose answer was lost",
) -> T:
    """Look for what requests without an answer may have created, and return what was found.

    `look` returns it, the names of what is missing, and for how many seconds lists may still lack that.
    Something is certainly missing only after these. Until then `look` is called again, and `say` tells of it.
    Without `say`, or where the wait is not allowed, raise NotConfirmedError. `why` says of records why they
    are looked for.
    """
    pause, waited = 1.0, 0.0
    while True:
        found, missing, seconds = look()
        # What was sent in the future, by a clock that was wrong, is waited for once.
        remaining = min(seconds, LISTED_AFTER_SECONDS - waited)
        if remaining <= 0:
            return found
        names = listed([*missing], 5)
        words = f"{counted(len(missing), 'record')} {why}"
        if say is None or not client.rate_limiter.allows_wait(remaining, is_stated=True):
            waits = "--resume" if say is None else "a longer --max-wait"
            raise NotConfirmedError(
                f"{words}, and the service may not list it yet: {names}",
                hint=f"nothing was created again; run it again in {remaining:.0f} s; {waits} waits",
            )
        if not waited:
            say(f"{words}: looking for it for {remaining:.0f} s: {names}")
        pause = min(pause * 2, remaining)
        client.rate_limiter.wait(pause)
        waited += pause


def seconds_until_listed(age: float) -> float:
    """Return for how long lists may still lack what was sent some seconds ago."""
    return max(LISTED_AFTER_SECONDS - max(age, 0.0), 0.0)


def how_to_decide(count: int, *, is_shown: bool = True) -> str:
    """Return the hint about records that may have been created, and that no list tells of for certain.

    Conversions are not even shown.
    """
    they, exist = ("they do", "they exist") if count > 1 else ("it does", "it exists")
    if not is_shown:
        return (
            f"the service never shows whether {exist}; add --uncertain skip, or --uncertain resend, which may"
            " count twice"
        )
    lag = f"a list may lack what was created less than {LISTED_AFTER_SECONDS:.0f} s ago"
    return f"look whether {exist}; add --uncertain skip where {they}, else --uncertain resend ({lag})"


def how_to_look_up(count: int) -> str:
    """Return the hint about records that may have been created, of which a list may tell."""
    exist, do = ("they exist", "those that do not") if count > 1 else ("it exists", "it where it does not")
    return (
        f"--resume looks up whether {exist}, and sends again {do}; "
        "--uncertain skip or --uncertain resend decides without looking"
    )
