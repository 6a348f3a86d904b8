"""How names and lists of them are written on the command line and in the environment."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any


def as_option(name: str) -> str:
    """Write a name as an option: `max_wait` as `--max-wait`."""
    return f"--{name.replace('_', '-')}"


def as_name(option: str) -> str:
    """Write an option as the name of its value: `--max-wait` as `max_wait`."""
    return option.lstrip("-").replace("-", "_").lower()


def as_variable(name: str) -> str:
    """Write a name as an environment variable: `ads_url` as `ADSCTL_ADS_URL`."""
    return f"ADSCTL_{name.upper()}"


def comma_list(text: str) -> list[str]:
    """Return the words of a text that commas separate."""
    return [word.strip() for word in text.split(",") if word.strip()]


def as_stored(text: str) -> str:
    """Return a text as services store it: with composed characters (NFC), and no blanks around it."""
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).strip()


def begins(name: str, text: str) -> bool:
    """Whether a name begins with a text, in any case, as the filter `q` of a list finds it."""
    return as_stored(name).casefold().startswith(unicodedata.normalize("NFC", text).lstrip().casefold())


MIN_SIMILARITY = 0.7  # of 1; below it, words are similar by chance


def suggestion(word: str, choices: Iterable[str]) -> str:
    """Return a suggestion to append to a message, or nothing."""
    name = closest(word, choices)
    return f"; did you mean {name!r}?" if name else ""


def closest(word: str, choices: Iterable[str], cutoff: float = MIN_SIMILARITY) -> str | None:
    """Find the most similar known word; ignore case, spaces, dashes and underscores."""
    from difflib import get_close_matches

    names = by_folded(choices)
    close = get_close_matches(folded(word), names, n=1, cutoff=cutoff)
    return names[close[0]] if close else None


def by_folded(choices: Iterable[str]) -> dict[str, str]:
    """Return known names by what their spellings have in common."""
    return {folded(name): name for name in choices}


def as_known(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Name values as known, whatever their spelling; `names` are by_folded.

    What is named twice keeps the name that is not the known one, so that neither value is lost.
    """
    named = {name: names.get(folded(name), name) for name in values}
    return {name if named[name] in values else named[name]: value for name, value in values.items()}


@lru_cache(4096)  # columns and keys, which every row has again
def folded(name: str) -> str:
    """Write a name without what people leave out or add: `Daily budget` and `daily_budget` are the same."""
    return re.sub(r"[\s_-]+", "", name.casefold())


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text, in lower case, without accents."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text.casefold())))


def has_word(text: str, word: str) -> bool:
    """Tell whether a text has a word, such as an id, on its own."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None
