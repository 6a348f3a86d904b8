"""Loops of a file of campaigns: the values of their turns, and the placeholders that stand for them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ContentError
from ..spelling import suggestion

LOOP_KEYS = ("rows", "files", "profiles")
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def turns(key: str, given: Sequence[str], folder: Path) -> Iterator[Mapping[str, str]]:
    """Yield the values of each turn of a loop; names of files are relative to `folder`.

    Raise ContentError or UsageError where it names what cannot be read.
    """
    if key == "profiles":
        yield from ({"profile": each} for each in given)
    elif key == "files":
        for pattern in given:
            yield from ({"file": each} for each in _matching(pattern, folder))
    else:
        for name in given:
            yield from _rows(name, folder)


def _matching(pattern: str, folder: Path) -> list[str]:
    """Return the names of the files that match a pattern, as `media` and `rows` take them."""
    anchor = Path(pattern).anchor
    try:
        if anchor:
            found = [str(each) for each in Path(anchor).glob(pattern[len(anchor) :])]
        else:
            found = [str(each.relative_to(folder)) for each in folder.glob(pattern)]
    except (ValueError, IndexError) as error:  # IndexError: '.' in Python 3.11
        raise ContentError(f"{pattern!r} is not a valid pattern of files") from error
    if not found:
        raise ContentError(f"{pattern!r} matches no file")
    return sorted(found)


def _rows(name: str, folder: Path) -> Iterator[Mapping[str, str]]:
    from ..feeds.reader import open_source, read_rows

    source = open_source(name if "://" in name else str(folder / name))
    for row in read_rows(source, roots=(), known=()):
        if row.problem:
            raise ContentError(f"{name}:{row.line}: {row.problem}")
        yield {column: "" if cell is None else str(cell) for column, cell in row.values.items()}


def fill(value: Any, values: Mapping[str, str], note: Callable[[str], None]) -> Any:
    """Fill placeholders into a value and whatever is in it; note those that stand for nothing."""
    if isinstance(value, list):
        return [fill(each, values, note) for each in value]
    if isinstance(value, dict):
        return {key: fill(each, values, note) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    for name in PLACEHOLDER.findall(value):
        if name not in values:
            known = suggestion(name, values) or f"; it has {', '.join(values)}"
            note(f"{{{name}}} is not a column of the loop{known}")
    return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), value)
