"""What became of one record that a stopped process was creating, and the look for it in the account."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...api.names import to_neutral
from ...spelling import as_stored
from ...store.changes import UNKNOWN, ChangeLog
from ...stored_times import is_believable

if TYPE_CHECKING:
    from .reachable import Reachable, ReachableCommand

NOT_SENT, OK = "not sent", "ok"
BEGINNING = datetime.min.replace(tzinfo=UTC)  # since when any record may be the one
CLOCKS_DIFFER = timedelta(minutes=5)  # by so much at most, as signatures allow
CREATED = "created_at"
DRAFT = {"entity_status": "DRAFT"}  # is listed with --with-draft only
HINTS = {
    NOT_SENT: "it was stopped before it sent anything: plan the same again",
    OK: "it was stopped after its record was created: 'changes' names it",
    UNKNOWN: "it was stopped while its answer was awaited: plan the same again with resume, which looks for "
    "the record before another one is created",
}


class LoggedCreation(NamedTuple):
    """What the log of changes knows of a creation."""

    outcome: str  # NOT_SENT, OK, UNKNOWN, or the code of an error
    ids: list[str]


def sent_by(job: str, state_dir: Path) -> LoggedCreation:
    """Return what became of the change that was logged with a job."""
    change = ChangeLog(state_dir).of_job(job)
    return LoggedCreation(change["outcome"], change["ids"]) if change else LoggedCreation(NOT_SENT, [])


class Look(NamedTuple):
    """What a look in the account has found of a creation whose answer was lost."""

    found: dict[str, Any] | None = None  # the record that it created
    doubt: str = ""  # why it may have created one


def listing_of(
    reachable: "Reachable", command: "ReachableCommand", words: Sequence[str], values: Mapping[str, Any]
) -> list[str] | None:
    """Return the command that lists what a command creates, if there is one."""
    group = command.name.rpartition(" ")[0]
    if f"{group} list" not in reachable.names:
        return None
    lists = reachable.find(f"{group} list")
    within = {f"{name}s": str(value) for name, value in values.items() if f"{name}s" in lists.fields}
    required = {name for name, field in lists.fields.items() if field.required}
    if not required <= {"account_id", "catalog_id", *within}:
        return None
    common = [word for word in words if word.startswith(("--account=", "--catalog="))]
    is_draft = DRAFT.items() <= values.items() and lists.takes("with_draft")
    chosen = [*lists.words(within)[len(lists.name.split()) :], *(["--with-draft"] if is_draft else [])]
    return [*lists.name.split(), *common, *chosen, *(["--all"] if lists.takes("all") else [])]


def look_for(
    values: Mapping[str, Any], records: Sequence[Any], started: datetime, known_ids: set[str], record_id: str
) -> Look:
    """Look among the records of an account for the one that was created with some values since a time."""
    since = started - CLOCKS_DIFFER if is_believable(started) else BEGINNING
    news = []
    for record in map(to_neutral, records):
        created = _time(record.get(CREATED)) if isinstance(record, dict) else None
        if created is None:
            return Look(doubt="the list does not say when its records were created")
        if created >= since and str(record.get(record_id)) not in known_ids and _may_be(record, values):
            news.append(record)
    alike = [new for new in news if _is_alike(new, values)]
    if len(news) == 1 and alike:
        return Look(alike[0])
    ids = ", ".join(str(new.get(record_id)) for new in news)
    return Look(doubt=f"one of those that were created since may be its record: {ids}" if news else "")


def _may_be(record: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a record may have been created with values: no service gives it another name."""
    return not ("name" in record and "name" in values) or _plain(record["name"]) == _plain(values["name"])


def _is_alike(record: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    shared = [name for name in values if record.get(name) is not None]
    return bool(shared) and all(_plain(record[name]) == _plain(values[name]) for name in shared)


def _plain(value: Any) -> str:
    """Return a value as a query has it, and a text as the service stores it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(_plain, value)) if isinstance(value, list) else as_stored(str(value))


def _time(text: Any) -> datetime | None:
    with suppress(ValueError):
        moment = datetime.fromisoformat(str(text))
        return moment if moment.tzinfo else None
    return None
