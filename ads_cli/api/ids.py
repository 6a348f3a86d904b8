"""What an id may be."""

import re
from urllib.parse import quote

from ..errors import UsageError

# Any text without control characters and the characters that have a meaning in a URL; not "." or "..".
ID_PATTERN = r"^(?!\.{1,2}\Z)[^\x00-\x1f\x7f-\x9f/?#%]+\Z"
ID_WORDS = "an id, without / ? # % and control characters"


def path_segment(id: str, option: str) -> str:
    """Percent-encode an id for a path; raise UsageError, naming the option, if it is not valid."""
    if not re.match(ID_PATTERN, id):
        shown = id if len(id) <= 60 else f"{id[:57]}..."
        raise UsageError(f"{option}: {shown!r} is not a valid id", hint=f"write {ID_WORDS}; not . or ..")
    return quote(id, safe="")
