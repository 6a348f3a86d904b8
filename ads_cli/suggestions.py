"""What somebody may have meant."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

NEAR = 0.7  # from 0 to 1; below this, words are alike by chance


def suggestion(word: str, known: Iterable[str]) -> str:
    """Suggest the known word that is nearest, or nothing."""
    found = closest(word, known)
    return f"; did you mean {found!r}?" if found else ""


def closest(word: str, known: Iterable[str], cutoff: float = NEAR) -> str | None:
    """Find the known word that is nearest; case, spaces, dashes and underscores count for nothing."""
    folded = {re.sub(r"[\s_-]+", "", name.casefold()): name for name in known}
    close = get_close_matches(re.sub(r"[\s_-]+", "", word.casefold()), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None
