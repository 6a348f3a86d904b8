"""Ids seen in responses, recorded so that the shell can complete them without a request."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..config.settings import LOCAL, Settings
from ..errors import AdsctlError
from ..output.text import is_safe
from .command_line import find_common_options

MAX_IDS = 200  # recorded for each group, the newest first


def record_ids(settings: Settings, group: str, key: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Record the ids and names of a command group's records; a failure to write is ignored."""
    from ..output.text import safe

    seen = {str(r[key]): safe(str(r.get("name") or r.get("title") or "")) for r in records if r.get(key)}
    printable = {id: name for id, name in seen.items() if safe(id) == id}
    if not printable:
        return
    path = _path(settings, group)
    with suppress(OSError, ValueError, AdsctlError):
        recorded = dict(line.split("\t") for line in _lines(path))
        if printable.items() <= recorded.items():
            return
        from ..config.atomic_files import atomic, make_folder

        make_folder(path.parent)
        with atomic(path) as stream:
            newest = islice((printable | recorded).items(), MAX_IDS)
            stream.writelines(f"{id}\t{name}\n" for id, name in newest)


def completions(settings: Settings, kind: str) -> Iterator[str]:
    """Yield a line for each completion: the id, a tab and its name. `kind` is a group, profiles or jobs."""
    if kind == "profiles":
        yield from (f"{name}\tprofile" for name in (*(settings.read_config().get("profiles") or {}), LOCAL))
    elif kind == "jobs":
        journals = sorted((settings.state_dir / "jobs").glob("*.jsonl"), reverse=True)
        yield from (f"{path.stem}\tjob" for path in journals[:MAX_IDS])
    else:
        yield from _lines(_path(settings, kind))


def print_completions(words: list[str], environ: Mapping[str, str] = os.environ) -> int:
    """Print the completions of `words[0]`; the rest are the words typed so far. Errors print nothing."""
    kind, *typed = words or [""]
    profile = dict(find_common_options(typed)).get("profile")
    with suppress(AdsctlError, OSError):
        for line in completions(Settings({"profile": profile} if profile else {}, environ), kind):
            if is_safe(line.replace("\t", "")):  # a shell writes it as it is
                print(line)
    return 0


def _path(settings: Settings, group: str) -> Path:
    return settings.state_dir / "ids" / quote(settings.profile, safe="") / f"{group.replace(' ', '-')}.tsv"


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
