"""Texts that differ only in case, accents, spaces and signs, reduced to the same one."""

import unicodedata


def fold(text: str) -> str:
    """Return the letters and digits of a text, in lower case, without accents."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text.casefold())))
