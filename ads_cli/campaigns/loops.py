"""Loops of a file of campaigns: the values of their turns, and the placeholders that stand for them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any

from ..errors import ContentError
from ..feeds.text_rows import read_text_rows
from ..spelling import suggestion

LOOP_KEYS = ("rows", "files", "profiles")
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def turns(key: str, entries: Sequence[str], folder: Path) -> Iterator[Mapping[str, str]]:
    """Yield the values of each turn of a loop over profiles, patterns of files, or tables with rows.

    Names of files are relative to `folder`. Raise ContentError or UsageError for what cannot be read.
    """
    for entry in entries:
        if key == "profiles":
            yield {"profile": entry}
        elif key == "files":
            yield from ({"file": name} for name in _matching(entry, folder))
        else:
            path = entry if "://" in entry else str(folder / entry)
            yield from (row.values for row in read_text_rows(entry, path))


def _matching(pattern: str, folder: Path) -> list[str]:
    """Return the names of the files that match a pattern, as `media` and `rows` take them."""
    paths = {pattern, *glob(pattern, root_dir=folder, recursive=True)}  # noqa: PTH207 - may be absolute
    if files := sorted(name for name in paths if (folder / name).is_file()):
        if wrong := [name for name in files if not _is_utf_8(name)]:
            raise ContentError(f"{wrong[0]!r}: the name of a file is not UTF-8; rename it")
        return files
    raise ContentError(f"{pattern!r} matches no file")


def _is_utf_8(name: str) -> bool:
    return name.encode("utf-8", "replace").decode() == name


def fill(value: Any, values: Mapping[str, str], note: Callable[[str], None]) -> Any:
    """Fill placeholders into a value and whatever is in it; note those that stand for nothing."""
    if isinstance(value, list):
        return [fill(item, values, note) for item in value]
    if isinstance(value, dict):
        return {key: fill(item, values, note) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    for name in PLACEHOLDER.findall(value):
        if name not in values:
            correction = suggestion(name, values) or f"; it has {', '.join(values)}"
            note(f"{{{name}}} is not a column of the loop{correction}")
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), value)
