"""Write ids into a file of campaigns as text, so that its comments and its order stay."""

import json
from collections.abc import Mapping
from pathlib import Path

from ..config.atomic_files import atomic
from ..errors import StateError
from .file import CampaignFile
from .model import TARGETING, Entry


def write_into(path: Path, file: CampaignFile, ids: Mapping[Entry, str]) -> tuple[int, bool]:
    """Add the ids that a file does not have; return how many, and whether loops have records without a place.

    Raise StateError where the file was changed since it was read.
    """
    if path.read_bytes() != file.content:
        raise StateError(
            f"{path} was changed while it was applied",
            hint="apply it again with --write-ids",
        )
    text = file.content.decode("utf-8-sig")
    lines = text.splitlines(keepends=True) if "\r" not in text else text.split("\n")
    if "\r" in text:
        lines = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
    looped, places = False, []
    file.find_lines()
    for entry, id in ids.items():
        if entry.id is not None or entry.kind is TARGETING or entry.post:
            continue
        if entry.is_looped:
            looped = True
        else:
            places.append((entry.line - 1, entry.column, entry.is_flow, id))
    for line, column, is_flow, id in sorted(places, reverse=True):
        before, after = lines[line][:column], lines[line][column:]
        quoted = json.dumps(id)
        if is_flow:
            lines[line] = f'{before}{{"id": {quoted}, {after[1:]}'
        else:
            lines[line] = f"{before}id: {quoted}\n{' ' * column}{after}"
    if places:
        with atomic(path, keep_mode=True) as stream:
            stream.write("".join(lines))
    return len(places), looped
