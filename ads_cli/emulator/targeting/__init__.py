"""What ads can be targeted by in the emulator's world."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from importlib.resources import files
from typing import Any

import msgspec

from ...api.time import Time
from ..storage import Record

YEARS = 2


def events(yearly: Mapping[str, Sequence[str]]) -> Iterator[Record]:
    """Yield the events of this year and the next, by their beginnings.

    `yearly` has for each name the type of an event, its country ("" is everywhere), its month and day, and
    the days that it lasts.
    """
    this_year = datetime.now(UTC).year
    for year in range(this_year, this_year + YEARS):
        for name, (event_type, country, first_day, days) in yearly.items():
            start = datetime.fromisoformat(f"{year}-{first_day}T00:00:00+00:00")
            yield _event(f"{name} {year}", event_type, country, start, start + timedelta(days=int(days)))


def _event(name: str, event_type: str, country: str, start: datetime, end: datetime) -> Record:
    return {
        "name": name,
        "targeting_value": hashlib.blake2b(name.encode(), digest_size=8).hexdigest(),
        "event_type": event_type,
        "start_time": Time.of(start),
        "end_time": Time.of(end),
        "is_global": not country,
        "country_code": country or None,
        "reach": {"total_reach": None},
        "top_users": [],
        "top_posts": [],
        "top_hashtags": [],
        "gender_breakdown_percentage": {},
        "device_breakdown_percentage": {},
        "country_breakdown_percentage": {},
    }


def values_of(kind: str) -> tuple[Record, ...]:
    """List the values of a kind, which is named as the path of its search ends."""
    return tuple(events(_data("values")["events"])) if kind == "events" else _lasting_values(kind)


def find_value(targeting_type: str, value: str) -> Record | None:
    """Return what a targeting criterion names, or None if it is outside of the emulator's world."""
    kind = KINDS.get(targeting_type)
    matches = (record for record in values_of(kind or "") if str(record["targeting_value"]) == value)
    return next(matches, None)


def localized(name: str, language: str) -> str:
    """Return a name in another language, or as it is where there is no translation."""
    translations: dict[str, str] = _data("values")["translations"].get(language, {})
    return translations.get(name, name)


@cache
def _data(name: str) -> dict[str, Any]:
    text = files(__package__).joinpath(f"{name}.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Any])


@cache
def _lasting_values(kind: str) -> tuple[Record, ...]:
    read = READERS.get(kind)
    return tuple(read()) if read else ()


def _value(targeting_type: str, value: str, name: str, **fields: Any) -> Record:
    return {"name": name, "targeting_type": targeting_type, "targeting_value": value, **fields}


def key_of(*names: str) -> str:
    """Derive a key of 16 hexadecimal digits, the format of places, from names."""
    return hashlib.blake2b("\0".join(names).encode(), digest_size=8).hexdigest()


def _locations() -> Iterator[Record]:
    countries = _data("locations")["COUNTRIES"]
    for location_type, places in _data("locations").items():
        for code, names in places.items():
            for name in [names] if isinstance(names, str) else names:
                full = name if location_type == "COUNTRIES" else f"{name}, {countries[code]}"
                value = key_of(location_type, code, name)
                yield _value("LOCATION", value, full, country_code=code, location_type=location_type)


def _interests() -> Iterator[Record]:
    """Number the subjects in thousands, and the interests of each from there."""
    for number, (subject, names) in enumerate(_data("values")["interests"].items(), 1):
        yield _value("INTEREST", str(number * 1000), subject)
        for further, name in enumerate(names, 1):
            yield _value("INTEREST", str(number * 1000 + further), f"{subject}/{name}")


def _grouped(kind: str, targeting_type: str, field: str) -> Iterator[Record]:
    """Yield values that are listed by the value of a field."""
    for group, names in _data("values")[kind].items():
        for name in names:
            value = key_of(targeting_type, group, name)
            yield _value(targeting_type, value, name, **{field: group})


def _named(kind: str, targeting_type: str) -> Iterator[Record]:
    """Yield values that are listed with their names."""
    for value, name in _data("values")[kind].items():
        yield _value(targeting_type, value, name)


def _devices() -> Iterator[Record]:
    for system_and_maker, names in _data("values")["devices"].items():
        os_type, manufacturer = system_and_maker.split()
        for name in names:
            value = key_of("DEVICE", name)
            yield _value("DEVICE", value, name, manufacturer=manufacturer, os_type=os_type)


def _platform_versions() -> Iterator[Record]:
    for os_type, numbers in _data("values")["platform_versions"].items():
        for number in numbers:
            name = f"{os_type} {number}"
            value = key_of("PLATFORM_VERSION", name)
            yield _value("PLATFORM_VERSION", value, name, number=number, os_type=os_type)


def _tv_markets() -> Iterator[Record]:
    for locale, name in _data("values")["tv_markets"].items():
        yield {"name": name, "country_code": locale.partition("-")[2], "locale": locale}


def _tv_shows() -> Iterator[Record]:
    for name, (genre, locales, users) in _data("values")["tv_shows"].items():
        pairs = (locale.split("-") for locale in locales.split())
        yield {
            "name": name,
            "targeting_value": int(key_of("TV_SHOW", name)[:10], 16),
            "genre": genre,
            "locales": [{"language": language, "country": country} for language, country in pairs],
            "estimated_users": int(users),
        }


READERS: dict[str, Callable[[], Iterator[Record]]] = {
    "app_store_categories": partial(_grouped, "app_store_categories", "APP_STORE_CATEGORY", "os_type"),
    "conversations": partial(_grouped, "conversations", "CONVERSATION", "conversation_type"),
    "devices": _devices,
    "interests": _interests,
    "languages": partial(_named, "languages", "LANGUAGE"),
    "locations": _locations,
    "network_operators": partial(_grouped, "network_operators", "NETWORK_OPERATOR", "country_code"),
    "platform_versions": _platform_versions,
    "platforms": partial(_named, "platforms", "PLATFORM"),
    "tv_markets": _tv_markets,
    "tv_shows": _tv_shows,
}
# The kind of the values of a targeting type.
KINDS = {
    "APP_STORE_CATEGORY": "app_store_categories",
    "APP_STORE_CATEGORY_LOOKALIKE": "app_store_categories",
    "CONVERSATION": "conversations",
    "DEVICE": "devices",
    "EVENT": "events",
    "INTEREST": "interests",
    "LANGUAGE": "languages",
    "LOCATION": "locations",
    "NETWORK_OPERATOR": "network_operators",
    "PLATFORM": "platforms",
    "PLATFORM_VERSION": "platform_versions",
    "TV_SHOW": "tv_shows",
}


SUGGESTED_USERS = 50  # the most that a request asks for; of keywords there are as many as are found


def suggestions_for(suggestion_type: str, values: Sequence[str]) -> list[str]:
    """Suggest keywords of the same subjects, or users."""
    suggestions = _users(values) if suggestion_type == "USER_ID" else _keywords(values)
    folded = {value.casefold() for value in values}
    return [value for value in dict.fromkeys(suggestions) if value.casefold() not in folded]


def _keywords(values: Sequence[str]) -> Iterator[str]:
    """Yield the other interests of the subjects that have a value, then the values with common additions."""
    interests = [interest["name"] for interest in values_of("interests")]
    wanted = [value.casefold() for value in values]
    near = {name.partition("/")[0] for name in interests if any(value in name.casefold() for value in wanted)}
    for name in interests:
        subject, _, keyword = name.partition("/")
        if subject in near and keyword:
            yield keyword.casefold()
    for value in wanted:
        yield from (f"{value} {addition}" for addition in ("ideas", "shop", "online", "for beginners"))


def _users(values: Sequence[str]) -> Iterator[str]:
    """Yield ids that are always the same for the same users, in any order."""
    users = sorted({*values})
    for number in range(SUGGESTED_USERS):
        yield str(int(key_of("USER", *users, str(number))[:12], 16))
