"""Suggestions of keywords and users that resemble others."""

from collections.abc import Iterator, Sequence

from .values import key_of, values_of

MOST = 50


def suggestions_for(suggestion_type: str, values: Sequence[str]) -> list[str]:
    """Suggest keywords of the same subjects, or users."""
    found = _users(values) if suggestion_type == "USER_ID" else _keywords(values)
    given = {value.casefold() for value in values}
    return [value for value in dict.fromkeys(found) if value.casefold() not in given]


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
    """Yield ids that are always the same for the same users."""
    for number in range(MOST):
        yield str(int(key_of("USER", *values, str(number))[:12], 16))
