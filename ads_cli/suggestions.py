"""Suggestions for misspelled names: "did you mean"."""

import re
from collections.abc import Iterable

MIN_SIMILARITY = 0.7  # of 1; below it, words are similar by chance


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a suggestion to append to a message, or nothing."""
    found = closest(word, known)
    return f"; did you mean {found!r}?" if found else ""


def closest(word: str, known: Iterable[str], cutoff: float = MIN_SIMILARITY) -> str | None:
    """Find the most similar known word; ignore case, spaces, dashes and underscores."""
    from difflib import get_close_matches

    by_folded = {folded(name): name for name in known}
    close = get_close_matches(folded(word), by_folded, n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def folded(name: str) -> str:
    """Write a name without what people leave out or add: `Daily budget` and `daily_budget` are the same."""
    return re.sub(r"[\s_-]+", "", name.casefold())
