"""Ids that were seen in answers, kept so that the shell can complete them without asking the service."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..config.settings import LOCAL, Settings
from ..errors import AdsctlError

MOST = 200  # ids that are kept of each kind, the newest first


def remember(settings: Settings, group: str, key: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Keep ids and names of records of a command group; where that is impossible, nothing is lost."""
    from ..config.atomic_files import atomic
    from ..output.text import safe

    found = {str(r[key]): safe(str(r.get("name") or r.get("title") or "")) for r in records if r.get(key)}
    fitting = {id: name for id, name in found.items() if safe(id) == id}
    if not fitting:
        return
    path = _path(settings, group)
    with suppress(OSError, ValueError, AdsctlError):
        before = dict(line.split("\t") for line in _lines(path))
        if fitting.items() <= before.items():
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic(path) as stream:
            stream.writelines(f"{id}\t{name}\n" for id, name in islice((fitting | before).items(), MOST))


def offered(settings: Settings, kind: str) -> Iterator[str]:
    """Give what the shell may complete: an id, a tab and its name, a line each."""
    if kind == "profiles":
        yield from (f"{name}\tprofile" for name in (*(settings.read_config().get("profiles") or {}), LOCAL))
    elif kind == "jobs":
        journals = sorted((settings.state_dir / "jobs").glob("*.jsonl"), reverse=True)
        yield from (f"{path.stem}\tjob" for path in journals[:MOST])
    else:
        yield from _lines(_path(settings, kind))


def answer(words: list[str], environ: Mapping[str, str] = os.environ) -> int:
    """Print what is offered for a kind, given the words that were typed; whatever is wrong, say nothing."""
    kind, *typed = words or [""]
    named = [after for before, after in pairwise(typed) if before in ("-p", "--profile")]
    named += [word.partition("=")[2] for word in typed if word.startswith("--profile=")]
    with suppress(AdsctlError, OSError):
        for line in offered(Settings({"profile": named[-1]} if named else {}, environ), kind):
            print(line)
    return 0


def _path(settings: Settings, group: str) -> Path:
    return settings.state_dir / "ids" / quote(settings.profile, safe="") / f"{group.replace(' ', '-')}.tsv"


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
