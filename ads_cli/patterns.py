"""Regular expressions that people write, searched for a limited time: some of them would take for ever."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

LIMIT_SECONDS = 0.2  # of one search; a usual one takes microseconds
MAX_TIMEOUTS = 5  # of a pattern, which is not searched for any more then: a list may have many records
MAX_LENGTH = 500  # of a pattern: longer ones take long to compile


class PatternError(ValueError):
    """A text is no pattern."""


@cache
def compile_pattern(text: str) -> Any:
    """Compile a pattern; raise PatternError. Its type is that of regex, which has none."""
    import regex  # re has no time limit

    if len(text) > MAX_LENGTH:
        raise PatternError(f"is longer than {MAX_LENGTH} characters")
    try:
        return regex.compile(text, regex.V0)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise PatternError(f"is no regular expression: {str(error) or 'it is nested too deeply'}") from None


def pattern_problem(text: str) -> str:
    """Say why a text is no pattern; "" where it is one."""
    try:
        compile_pattern(text)
    except PatternError as error:
        return f"{text!r} {error}"
    return ""


def is_found(text: str, within: str) -> bool | None:
    """Tell whether a pattern occurs in a text; None where that takes too long."""
    return _searched(text, compile_pattern(text).search, within)


def fits(text: str, whole: str) -> bool | None:
    """Tell whether a pattern matches a whole text; None where that takes too long."""
    return _searched(text, compile_pattern(text).fullmatch, whole)


_timeouts = Counter[str]()  # by pattern


def _searched(text: str, search: Callable[..., Any], within: str) -> bool | None:
    if _timeouts[text] >= MAX_TIMEOUTS:
        return None
    try:
        return search(within, timeout=LIMIT_SECONDS) is not None
    except TimeoutError:
        _timeouts[text] += 1
        return None
