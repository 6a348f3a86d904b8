"""What a command that an assistant runs is held to: where it works, the guard, its files, the plan."""

from collections.abc import Iterator, Mapping

import msgspec

from ..errors import NotConfirmedError, StateError, UsageError
from .addresses import ADDRESSES
from .guard import Amount, Guard, Limit, is_looser, parse_value
from .settings import Settings

PLAN_AGAIN = "plan the change again"
START_AGAIN = "start the server again, so that it is checked again"
MICROS = 10**6


class Mandate(msgspec.Struct, kw_only=True):
    """What the server has checked, for the processes that it starts; they read it from standard input."""

    place: dict[str, str | None] = {}  # settings at its start: profile, service, addresses, account, folders
    guard: list[tuple[str, str]] = []  # keys and values at its start; of changes alone
    files: dict[str, str] = {}  # SHA-256 of those that may be named, by path
    planned: list[str] = []  # digests of what may be changed, and of what that touches
    questions: list[str] = []  # that the plan has listed, and are answered

    def require_place(self, settings: Settings) -> None:
        """Raise StateError where a command would work elsewhere than the server was started for."""
        try:
            now = place_of(settings)
        except UsageError as error:  # there is no such profile any more
            raise StateError(error.message, hint=START_AGAIN) from None
        for name, value in self.place.items():
            if name not in settings.flags and now.get(name) != value:
                raise StateError(
                    f"{name} was {value or 'not set'} when this server was started, and is now "
                    f"{now.get(name) or 'not set'}",
                    hint=START_AGAIN,
                )

    def require_guard(self, guard: Guard) -> None:
        """Raise StateError where the guard allows what it did not when the server was started."""
        for key, text in self.guard:
            old, values = parse_value(key, text), [limit.value for limit in guard.of(key)]
            if key == "deny":
                values = [frozenset[str]().union(*values)]
            if all(is_looser(old, value) for value in values or [None]):
                raise StateError(
                    f"the guard was loosened since this server was started: {key} was {text}",
                    hint=START_AGAIN,
                )

    def require_answer(self, question: str) -> None:
        """Answer a question that the plan has listed, once; raise NotConfirmedError for another one."""
        if question not in self.questions:
            raise NotConfirmedError(f"not confirmed, as no plan has listed it: {question}", hint=PLAN_AGAIN)
        self.questions.remove(question)

    def require_planned(self, digest: str) -> None:
        """Raise NotConfirmedError for what was not planned, or touches what has changed since."""
        if digest not in self.planned:
            raise NotConfirmedError(
                "what the plan touches has changed since; nothing was sent", hint=PLAN_AGAIN
            )


def place_of(settings: Settings) -> Mapping[str, str | None]:
    """Return where commands work: what no option of theirs says."""
    place: dict[str, str | None] = {
        "profile": settings.profile,
        "folder of the configuration": str(settings.config_dir),
        "folder of the state": str(settings.state_dir),
    }
    names = ("service", *ADDRESSES, "account", "catalog", "sandbox")
    return place | {name: settings.get(name) for name in names if name not in settings.flags}


def limits_of(guard: Guard) -> Iterator[tuple[str, str]]:
    """Yield the keys of a guard with their values, as they are parsed again."""
    return ((limit.key, _exact(limit)) for limit in guard.limits)


def _exact(limit: Limit) -> str:
    value = limit.value
    if not isinstance(value, Amount):
        return limit.text
    return f"{value.micros // MICROS}.{value.micros % MICROS:06} {value.currency}"
