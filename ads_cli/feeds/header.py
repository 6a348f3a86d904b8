"""The header of a table, and which rows repeat it."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from .decoding import MARK


def plain_name(cell: str) -> str:
    """Return the name of a column: a cell of a header without blanks and byte order marks around it."""
    return cell.strip().strip(MARK).strip()


def width_problem(cells: Sequence[str], width: int, needed: int = 0) -> str:
    """Tell that a row has too many cells, or fewer than it needs. Empty cells at its end do not count."""
    if len(cells) < needed or any(map(str.strip, cells[width:])):
        return f"has {len(cells)} cells, and the header has {width}"
    return ""


class Header:
    """The names of columns, by which files that were joined are found."""

    def __init__(self, cells: Sequence[str], names: Collection[str] = ()) -> None:
        self._keys = _keys(cells)
        self._all_keys = {*self._keys, *_keys(names)} - {""}
        # Each row is asked whether it begins with one of these; the few that do are compared.
        named = (cell for cell in cells if plain_name(cell))
        self.first_cells = frozenset(chain(cells[:1], chain.from_iterable(map(_forms, named))))

    @property
    def width(self) -> int:
        """Count the cells up to the last one that has a name."""
        return len(self._keys)

    def is_repeated_by(self, cells: Iterable[str]) -> bool:
        """Tell whether a row repeats the header, in other case or with other blanks too."""
        return _keys(cells) == self._keys

    def is_another(self, cells: Iterable[str]) -> bool:
        """Tell whether a row is the header of another table."""
        keys = [*filter(None, _keys(cells))]
        return len(keys) > 1 and self._all_keys.issuperset(keys)


def _keys(cells: Iterable[str]) -> list[str]:
    keys = [plain_name(cell).casefold().replace("_", " ") for cell in cells]
    while keys and not keys[-1]:
        keys.pop()
    return keys


def _forms(cell: str) -> Iterable[str]:
    name = plain_name(cell)
    for form in (name, name.lower(), name.upper(), name.capitalize(), name.title()):
        yield from (form, f"{form} ", f" {form}", MARK + form)
    yield cell
