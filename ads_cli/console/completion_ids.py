"""Ids seen in responses, recorded so that the shell can complete them without a request."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..config.settings import CACHES, LOCAL, Settings
from ..errors import AdsctlError
from ..output.text import safe
from .options import find_common_options

MAX_IDS = 200  # recorded for each group, the newest first
ENTITIES = ("campaigns", "line-items", "promoted posts", "funding-instruments", "accounts")
# The groups whose records are named in place of their ids, and the names that are never taken for ids, as
# `api.record_names` has both. Nothing of the API is loaded to complete a word.
NAMED = (
    *("accounts", "campaigns", "line-items", "funding-instruments", "audiences", "audiences do-not-reach"),
    *("accounts curated-categories", "catalog", "catalog sets", "measurement web-event-tags"),
    *("measurement app-lists", "measurement ab-tests"),
)
TAKEN_FOR_NAME = re.compile(r"[ A-Z\xa0-\U0010ffff]")
# What a shell is offered: nothing that it could expand, run, or take for an option, quoted or not.
OFFERED = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,199}")
# Names have letters of every script and blanks too, which the scripts quote. A comma would make it several.
OFFERED_NAME = re.compile(r"\w(?:[\w.:@/+ -]{0,198}[\w.])?")


def record_ids(
    settings: Settings,
    group: str,
    key: str,
    records: Iterable[Mapping[str, Any]],
    mask: Callable[[str], str],
) -> None:
    """Record the ids and names of a command group's records, but no secret. A failed write is ignored."""
    names = {str(r[key]): str(r.get("name") or r.get("title") or "") for r in records if r.get(key)}
    lines = (f"{id}\t{name}" for id, name in _offered(names.items()))
    seen = dict(_offered(_pairs(mask("\n".join(lines)))))
    if not seen:
        return
    path = _path(settings.state_dir, settings.profile, group)
    with suppress(OSError, ValueError, AdsctlError):
        recorded = dict(_offered(_recorded(path)))
        if seen.items() <= recorded.items():
            return
        from ..config.atomic_files import atomic, make_folder

        make_folder(path.parent)
        with atomic(path) as stream:
            ordered = seen | recorded | seen  # new ids first, with their new names
            stream.writelines(f"{id}\t{name}\n" for id, name in islice(ordered.items(), MAX_IDS))


def completions(settings: Settings, kind: str) -> Iterator[tuple[str, str]]:
    """Yield each completion and its description. `kind` is a group, profiles, jobs or entities."""
    if kind == "profiles":
        profiles = settings.read_config().get("profiles") or {}
        return _offered((str(name), "profile") for name in (*profiles, LOCAL))
    if kind == "entities":
        return chain.from_iterable(completions(settings, entity) for entity in ENTITIES)
    if kind == "jobs":
        from ..store import store_in

        jobs = store_in(settings.state_dir).rows("SELECT id FROM runs ORDER BY id DESC LIMIT ?", (MAX_IDS,))
        return _offered((id, "job") for (id,) in jobs)
    recorded = [*_recorded(_path(settings.state_dir, settings.profile, kind))]
    names = [(name, id) for id, name in recorded if kind in NAMED and OFFERED_NAME.fullmatch(name)]
    return chain(_offered(recorded), (named for named in names if TAKEN_FOR_NAME.search(named[0])))


def recorded_names(state_dir: Path, profile: str, group: str) -> Mapping[str, str]:
    """Return the names of a group's records by their ids, as a profile has last seen them."""
    return dict(_recorded(_path(state_dir, profile, group)))


def print_completions(words: list[str]) -> int:
    """Print the completions of `words[0]`; the rest are the words typed so far. Errors print nothing."""
    kind, *typed = words or [""]
    profile = dict(find_common_options(typed)).get("profile")
    with suppress(AdsctlError, OSError):
        for word, description in completions(Settings({"profile": profile} if profile else {}), kind):
            print(f"{word}\t{description}")
    return 0


def _offered(named: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the ids that a shell may be offered, and their names as they may be shown."""
    return ((id, safe(name)) for id, name in named if OFFERED.fullmatch(id))


def _path(state_dir: Path, profile: str, group: str) -> Path:
    folder = state_dir / CACHES / "ids" / quote(profile, safe="")
    return folder / f"{group.replace(' ', '-')}.tsv"


def _recorded(path: Path) -> Iterator[tuple[str, str]]:
    try:
        return _pairs(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return iter(())


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    lines = (line.partition("\t") for line in text.splitlines())
    return ((id, name) for id, _, name in lines)
