"""The guard: limits of changes that no option loosens, of a profile and of files for all profiles.

Each key may be set in several places, and the strictest holds. A mistake in any of them is raised when the
guard is first asked for. It stops every write and no read.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from ..api.amounts import as_amount, currency_problem, micros_of
from ..errors import StateError, UsageError
from ..numbers import parse_count
from ..spelling import closest, suggestion
from .settings import Settings
from .trusted_files import read_settings

ADMIN_FILE = Path("/etc/xdg/adsctl/guard.yaml")
VARIABLE = "ADSCTL_GUARD"
DENIABLE = (
    *("delete", "activate", "create", "update", "products", "users", "conversions", "media", "posts"),
    *("settings", "webhooks", "api"),
)
MAX_PERCENT = 1000
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_MINUTES = 24 * 60
WEEK_MINUTES = 7 * DAY_MINUTES
AMOUNT = re.compile(r"([0-9.]{1,30}) ?([A-Za-z]{3})")
PERCENT = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4})?) ?%")
HOURS = re.compile(r"(?:([A-Za-z, -]+) )?([0-9]{2}):([0-9]{2})-([0-9]{2}):([0-9]{2}) (\S+)")


class Amount(NamedTuple):
    """An amount of money."""

    micros: int
    currency: str

    def __str__(self) -> str:
        return f"{as_amount(self.micros, self.currency).replace(',', '').removesuffix('.00')} {self.currency}"


class Percentage(NamedTuple):
    """A percentage, in millionths of 1."""

    millionths: int

    def __str__(self) -> str:
        return f"{self.millionths / 10_000:.4f}".rstrip("0").rstrip(".") + "%"


class ActiveHours(NamedTuple):
    """Hours of the week in a time zone."""

    text: str
    zone: str
    minutes: frozenset[int]  # of the week, from Monday on

    def __str__(self) -> str:
        return self.text

    def contains(self, moment: datetime) -> bool:
        """Whether a moment is in these hours."""
        from zoneinfo import ZoneInfo

        local = moment.astimezone(ZoneInfo(self.zone))
        return local.weekday() * DAY_MINUTES + local.hour * 60 + local.minute in self.minutes


def _flag(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text.lower() == "true"


def _denied(value: Any) -> frozenset[str]:
    """Parse a list, or words with commas between them."""
    texts = value if isinstance(value, list) else str(value).split(",")
    words = [word for text in texts if (word := str(text).strip())]
    for word in words:
        if word not in DENIABLE:
            choices = suggestion(word, DENIABLE) or f": {', '.join(DENIABLE)}"
            raise ValueError(f"{word!r} is not a kind of change{choices}")
    return frozenset(words)


def _amount(text: str) -> Amount:
    match = AMOUNT.fullmatch(text)
    micros = micros_of(match[1]) if match else None
    if match is None or micros is None:
        raise ValueError(f"{text!r} is not an amount with its currency, as in 100 EUR")
    currency = match[2].upper()
    if problem := currency_problem(currency):
        raise ValueError(problem)
    return Amount(micros, currency)


def _percentage(text: str) -> Percentage:
    match = PERCENT.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a percentage, as in 50%")
    if float(match[1]) > MAX_PERCENT:
        raise ValueError(f"{text!r} is more than {MAX_PERCENT}%")
    return Percentage(round(float(match[1]) * 10_000))


def _count(text: str) -> int:
    try:
        return 0 if text == "0" else parse_count(text, "")
    except UsageError:
        raise ValueError(f"{text!r} is not a whole number, as in 200") from None


def _hours(text: str) -> ActiveHours:
    from zoneinfo import ZoneInfo

    match = HOURS.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not as in Mon-Fri 08:00-18:00 Europe/Berlin")
    days, *times, zone = match.groups()
    try:
        ZoneInfo(zone)
    except (OSError, ValueError, KeyError):  # KeyError: there is no such zone
        raise ValueError(f"{zone!r} is not a time zone, as in Europe/Berlin") from None
    hours = [int(hour) for hour in times]
    begin, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
    if max(hours[1], hours[3]) > 59 or begin >= DAY_MINUTES or end > DAY_MINUTES or begin == end:
        raise ValueError(f"{text!r}: the hours are not from 00:00 to 24:00")
    end += DAY_MINUTES if end < begin else 0  # until the next day
    minutes = (day * DAY_MINUTES + minute for day in _days(days) for minute in range(begin, end))
    return ActiveHours(text, zone, frozenset(minute % WEEK_MINUTES for minute in minutes))


def _days(text: str | None) -> Iterator[int]:
    """Yield the days of `Mon-Fri,Sun`, from 0 for Monday; all where none is named."""
    for part in (text or "Mon-Sun").split(","):
        first, dash, last = (name.strip().lower() for name in part.partition("-"))
        for name in (first, *([last] if dash else [])):
            if name not in DAYS:
                raise ValueError(f"{name!r} is not a day: {', '.join(map(str.capitalize, DAYS))}")
        begin, end = DAYS.index(first), DAYS.index(last if dash else first)
        yield from (day % 7 for day in range(begin, end + 1 if end >= begin else end + 8))


# What a key limits is checked in client/guard.py; `is_looser` orders its values.
PARSERS: dict[str, Callable[[str], Any]] = {
    "read_only": _flag,
    "deny": _denied,
    "max_daily_budget": _amount,
    "max_total_budget": _amount,
    "max_bid": _amount,
    "max_account_daily_budget": _amount,
    "max_increase": _percentage,
    "max_changes": _count,
    "active_hours": _hours,
}
KEYS = tuple(PARSERS)


class Limit(NamedTuple):
    """A key of the guard, its value and where it stands."""

    key: str
    value: Any  # what the parser of the key returns
    source: str

    @property
    def text(self) -> str:
        """The value as it is written."""
        if isinstance(self.value, frozenset):
            return ",".join(word for word in DENIABLE if word in self.value)
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)

    @property
    def is_effective(self) -> bool:
        """Whether it limits anything: `read_only: false` and an empty list limit nothing."""
        return not isinstance(self.value, bool | frozenset) or bool(self.value)


def parse_value(key: str, value: Any) -> Any:
    """Parse the value of a key; raise ValueError, which says what is wrong."""
    if key == "deny" and value is not None:
        return _denied(value)
    if not isinstance(value, str):
        raise ValueError("must be one value")
    return PARSERS[key](value.strip())


def is_looser(old: Any, new: Any) -> bool:
    """Whether a value allows what another does not; None means no limit."""
    if old is None or old == new:
        return False
    if new is None:
        return bool(old) or not isinstance(old, bool | frozenset)
    if isinstance(old, bool):
        return bool(old and not new)
    if isinstance(old, frozenset):
        return not old <= new
    if isinstance(old, ActiveHours):
        return bool(old.zone != new.zone or not new.minutes <= old.minutes)
    if isinstance(old, Amount):
        return bool(old.currency != new.currency or new.micros > old.micros)
    return bool(new > old)  # a percentage or a count, of which more is looser


def _is_stricter(limit: Limit, other: Limit) -> bool:
    return is_looser(limit.value, other.value) and not is_looser(other.value, limit.value)


class Guard:
    """The limits of one invocation."""

    def __init__(self, limits: list[Limit]) -> None:
        self.limits = limits

    def __bool__(self) -> bool:
        """Whether anything is limited."""
        return any(limit.is_effective for limit in self.limits)

    def of(self, key: str) -> list[Limit]:
        """Return the limits of a key, each of which holds."""
        return [limit for limit in self.limits if limit.key == key]

    def bound_of_day(self) -> Limit | None:
        """Return the limit that bounds what all of an account may spend in a day; None where none does.

        Limits of one record bound no sum, and neither does what is denied: what runs already may be raised.
        """
        bounds = {limit.key: limit for limit in self.strictest() if limit.is_effective}
        return bounds.get("read_only") or bounds.get("max_account_daily_budget")

    def strictest(self) -> Iterator[Limit]:
        """Yield one limit a key: the strictest, or all that hold together as one."""
        for key in KEYS:
            if limits := self.of(key):
                unequal = {limit.value: limit for limit in reversed(limits)}.values()
                holding = [
                    limit for limit in unequal if not any(_is_stricter(other, limit) for other in limits)
                ]
                sources = ", ".join(dict.fromkeys(limit.source for limit in holding))
                if key == "deny":
                    yield Limit(key, frozenset().union(*(limit.value for limit in holding)), sources)
                elif len(holding) == 1:
                    yield holding[0]
                else:
                    yield Limit(key, " and ".join(limit.text for limit in holding), sources)


def read_guard(settings: Settings) -> Guard:
    """Read the limits of the profile and of the files; raise StateError where one cannot be used."""
    limits = [*_of_profile(settings)]
    variables = (settings.process_environ.get(VARIABLE), settings.environ.get(VARIABLE))
    named = [Path(name) for name in variables if name]  # one of --env-file does not replace the other
    for path in dict.fromkeys([ADMIN_FILE, *named]):
        limits += _of_mapping(_read_file(path, is_named=path in named), str(path))
    return Guard(limits)


def _read_file(path: Path, *, is_named: bool) -> Any:
    """Read a file; an empty mapping where that of the administrator does not exist."""
    hint = f"correct {path}: until then nothing is changed"
    try:
        return read_settings(path, f"the guard {path}", hint)
    except FileNotFoundError:
        if not is_named:
            return {}
        raise StateError(f"the guard {path}, which {VARIABLE} names, does not exist", hint=hint) from None


def _of_profile(settings: Settings) -> Iterator[Limit]:
    """Yield the limits of the profile, and of the one whose sign-in it uses."""
    path = settings.config_file
    if settings.is_local:
        return
    for profile in dict.fromkeys((settings.profile, settings.sign_in_profile)):
        values, place = settings.profile_values(profile), f"{path}: profile {profile}"
        for key in values:
            if key != "guard" and (str(key).startswith("guard.") or closest(str(key), ["guard"], 0.8)):
                problem = f"{place}: unknown key {key!r}; did you mean 'guard'?"
                raise StateError(problem, hint=f"correct {path}")
        if "guard" in values:
            yield from _of_mapping(values["guard"], place)


def _of_mapping(values: Any, source: str) -> Iterator[Limit]:
    """Check the keys and values of one place."""
    hint = "correct it: until then nothing is changed; adsctl guard show --help"
    if values is None:
        return
    if not isinstance(values, Mapping):
        raise StateError(f"{source}: the guard must be a mapping of keys, as in read_only: true", hint=hint)
    currencies = set()
    for key, value in values.items():
        if key not in PARSERS:
            choices = suggestion(str(key), KEYS) or f"; keys: {', '.join(KEYS)}"
            raise StateError(f"{source}: unknown key of the guard: {key!r}{choices}", hint=hint)
        try:
            limit = Limit(key, parse_value(key, value), source)
        except ValueError as error:
            raise StateError(f"{source}: {key}: {error}", hint=hint) from None
        if isinstance(limit.value, Amount):
            currencies.add(limit.value.currency)
        yield limit
    if len(currencies) > 1:
        both = " and ".join(sorted(currencies))
        raise StateError(f"{source}: amounts in {both} contradict each other", hint=hint)


def loosened(settings: Settings, profile: str, values: Mapping[str, str | None]) -> list[str]:
    """Say which keys of a profile's guard new values loosen; None removes one."""
    stored = settings.profile_values(profile).get("guard") or {}
    loosened_keys = []
    for key, value in values.items():
        if not isinstance(stored, Mapping) or key not in stored or key not in PARSERS:
            continue
        new = None if value is None else parse_value(key, value)
        try:
            old = parse_value(key, stored[key])
        except ValueError:  # what it allows is unknown
            loosened_keys.append(f"{key} from {stored[key]!r}")
            continue
        if is_looser(old, new):
            after = "nothing" if new is None else Limit(key, new, "").text
            loosened_keys.append(f"{key} from {Limit(key, old, '').text} to {after}")
    return loosened_keys
