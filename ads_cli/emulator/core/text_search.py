"""Text as the service compares it, for SQLite to call."""

import re


def folded(text: str | None) -> str:
    """Take the case out of a text."""
    return (text or "").casefold()


def mentions(query: str, *texts: str | None) -> bool:
    """Tell whether every word of a query is among the words of some texts, in any case."""
    wanted = _words(query)
    return bool(wanted) and wanted <= {word for text in texts for word in _words(text)}


def _words(text: str | None) -> set[str]:
    return set(re.findall(r"[^\W_]+", folded(text)))
