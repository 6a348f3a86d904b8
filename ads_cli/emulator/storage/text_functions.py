"""SQL functions that compare text as the service does."""

import re


def casefold(text: str | None) -> str:
    """Fold the case of a text; null becomes empty."""
    return (text or "").casefold()


def contains_words(query: str, *texts: str | None) -> bool:
    """Return whether every word of a query occurs in the texts, in any case."""
    wanted = _words(query)
    return bool(wanted) and wanted <= {word for text in texts for word in _words(text)}


def _words(text: str | None) -> set[str]:
    return set(re.findall(r"[^\W_]+", casefold(text)))
