"""Names of columns and elements, compared without case, spaces, dashes, underscores and namespaces."""

import re
from collections.abc import Iterable
from fnmatch import translate

NAMESPACES = ("g:", "c:")
_SEPARATORS = str.maketrans("", "", " _-\t\N{NO-BREAK SPACE}")


def folded(name: str) -> str:
    """Return what equal names have in common: `Image Link`, `image-link` and `g:imageLink` are one."""
    name = name.strip().casefold()
    return (name[2:] if name.startswith(NAMESPACES) else name).translate(_SEPARATORS)


class NamePatterns:
    """Names of which `*` stands for any characters."""

    def __init__(self, patterns: Iterable[str]) -> None:
        names = {folded(pattern) for pattern in patterns}
        self._names = {name for name in names if "*" not in name}
        wild = sorted(map(translate, names - self._names))
        self._wild = re.compile("|".join(wild)) if wild else None

    def __contains__(self, column: object) -> bool:
        """Tell whether one of the patterns matches the whole of a name."""
        name = folded(str(column))
        return name in self._names or bool(self._wild and self._wild.fullmatch(name))
