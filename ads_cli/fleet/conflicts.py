"""What two tasks of a fleet must not do: change one thing, write one file, or read what the other writes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path, PurePath

from ..auth.secrets import Secrets
from ..errors import AdsctlError
from ..feeds.locations import PATTERN
from ..masking import Mask
from ..store.epochs import UploadTarget
from .check import OF_PROFILE, Parsed, service_of
from .commands import path_of
from .file import TaskProblem

# Files that may name others, by the ends of their names: recipes, requests, campaigns, and tables of them.
DOCUMENTS, TABLES = (".yaml", ".yml", ".json"), (".csv", ".tsv", ".jsonl", ".ndjson")
MAX_DOCUMENT_BYTES = 1024 * 1024
BETWEEN_TEXTS = re.compile(r"[\"'\n\r\t,;\[\]]+|: |- ")  # in whatever language a document is written
COMMENT = re.compile(r"(?m)(?:^|[ \t])#.*$")
PLACEHOLDER = re.compile(r"\{[^{}:\s]*\}")
OWN = "where they have catalogs of their own: adsctl profile set NAME catalog=ID for each"


def check_catalogs(parsed: Sequence[Parsed]) -> Iterator[TaskProblem]:
    """Yield the tasks that change the only catalog of one user under several profiles, which name none."""
    targets = [(item, item.task.target) for item in parsed if not item.settings.is_local]
    unnamed = [item for item, target in targets if target and target.id.startswith(OF_PROFILE)]
    if len({item.settings.profile for item in unnamed}) < 2:
        return
    users: dict[tuple[str, str], Parsed] = {}
    for item in unnamed:
        with suppress(AdsctlError):  # it is not signed in, which is reported already
            user = Secrets(item.settings, Mask(), {}).user_id
            first = users.setdefault((service_of(item.settings), user), item)
            if first.task.target != item.task.target:
                yield _conflict(item, f"changes the only catalog of its user, as {_named(first)} does", OWN)


def check_conflicts(parsed: Sequence[Parsed]) -> Iterator[TaskProblem]:
    """Yield the tasks that would change or write what another one does, or read what another one writes."""
    changers: dict[UploadTarget, Parsed] = {}
    writers: dict[str, Parsed] = {}
    sharers: dict[str, Parsed] = {}
    for item in parsed:
        if target := item.task.target:
            first = changers.setdefault(target, item)
            if first is not item and not _are_parts(first, item):
                yield _conflict(
                    item, f"changes {target.kind.replace('_', ' ')} {target.id}, as {_named(first)} does"
                )
        for name in item.outputs:
            if (first := writers.setdefault(_path(name), item)) is not item:
                apart = "" if item.line.line else "{profile} in its name makes one for each"
                yield _conflict(item, f"writes {name}, as {_named(first)} does", apart)
        sharers |= {_path(name): item for name in item.shared}
    for item in parsed:
        for name in item.shared:
            if (writer := writers.get(_path(name))) and writer is not item:
                yield _conflict(item, f"writes {name}, as {_named(writer)} does")
    writers = sharers | writers
    for item in parsed:
        for name in dict.fromkeys((*item.reads, *_named_in(item, writers))):
            writer = _writer_of(name, writers)
            if writer and writer is not item:
                yield _conflict(item, f"reads {name}, which {_named(writer)} writes")
        for pattern in item.line.patterns:
            writer = _writer_of(pattern, writers)
            if writer and writer.line.line != item.line.line:
                yield _conflict(item, f"is of a loop over {pattern}, which {_named(writer)} writes")


def _named_in(parsed: Parsed, writers: Mapping[str, Parsed]) -> Iterator[str]:
    """Yield what the documents of a task name that a task writes, and what these documents name in turn.

    A name is relative to the folder of its document, of one that names that, or of the task. Feeds name none.
    """
    if not writers:
        return
    names = {PurePath(path).name for path in writers}
    kinds = DOCUMENTS if parsed.command.is_job else (*DOCUMENTS, *TABLES)
    due = [(Path(name), {Path()}) for name in parsed.reads if name.endswith(kinds)]
    seen = set[Path]()
    while due:
        path, folders = due.pop()
        folders = {*folders, path.parent}
        for text in _texts_in(path):
            is_document = text.endswith((*DOCUMENTS, *TABLES))
            if not (is_document or "*" in text or PurePath(text).name in names):
                continue
            for place in {folder / text for folder in folders}:
                if _writer_of(str(place), writers):
                    yield str(place)
                elif is_document and place not in seen:
                    seen.add(place)
                    due.append((place, folders))


def _texts_in(path: Path) -> set[str]:
    """Return what may be a path in a document; placeholders stand for anything."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_DOCUMENT_BYTES:
            return set()
        content = path.read_text(errors="replace").replace("\0", "")
    except (OSError, ValueError):  # it need not be there; who reads it says so
        return set()
    content = PLACEHOLDER.sub("*", COMMENT.sub("", content))
    texts = {text.strip(" {}") for text in BETWEEN_TEXTS.split(content)}
    return {text for text in texts if "." in text}


def _writer_of(name: str, writers: Mapping[str, Parsed]) -> Parsed | None:
    """Return a task that writes what an input names, or what it matches as a pattern."""
    path = _path(name)
    if path in writers or not PATTERN.search(name):
        return writers.get(path)
    if "**" in name:
        any_depth = path.replace("**/", "*")
        return next((item for written, item in writers.items() if fnmatch(written, any_depth)), None)
    return next((item for written, item in writers.items() if PurePath(written).match(path)), None)


def _conflict(parsed: Parsed, what: str, advice: str = "") -> TaskProblem:
    text = "; ".join(filter(None, (what, "a fleet runs its tasks in any order", advice)))
    return TaskProblem(parsed.line.line, text, task=parsed.line.name)


def _named(parsed: Parsed) -> str:
    return f"{parsed.line.name} (line {parsed.line.line})" if parsed.line.line else parsed.line.name


def _are_parts(first: Parsed, other: Parsed) -> bool:
    """Whether two tasks fill one list; where one adds people and the other removes them, order matters."""
    return first.task.is_part and other.task.is_part and first.operation == other.operation


def _path(name: str) -> str:
    return str(Path(path_of(name)).resolve())
