"""Show what was changed, when and by which command."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from typing import Annotated, Any

import typer

from ..api.spending import ACTIVE, PAUSED, STATUS
from ..console.account_zone import Zone, account_zone
from ..console.change_words import changes_in_words, each_record, record_in_words
from ..console.completion_ids import record_ids
from ..console.invocation import Invocation
from ..console.parameters import argument, option
from ..console.shown import Result, shows
from ..console.target_names import TargetNames
from ..errors import NotFoundError, UsageError
from ..numbers import parse_count
from ..output.table_view import local_times
from ..output.text import counted
from ..runs.batch_upload import DONE
from ..runs.targets import TARGET_PATH
from ..store.changes import COLUMNS, OF_SERVICE, ChangedRecord, ChangeEntry, ChangeLog
from .runs.options import ShownOptions, with_options

AGO = re.compile(r"([0-9]{1,5})(m|h|d|w)")
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# On a terminal: what a person asks first.
WORDS = ("record", "change")
SHOWN = ("time", *WORDS)
SHOWN_WHOLE = (
    "time",
    "change",
    "outcome",
    "command",
    "user",
    "profile",
    "account",
    "by",
    "job",
    "path",
    *OF_SERVICE,
)
# Further columns, each only where changes have more than so many values of it.
FURTHER = {"profile": 1, "environment": 1, "by": 0, "user": 1, "account": 1}
ROWS = "rows"
STATUS_WORDS = {ACTIVE: "activated", PAUSED: "paused"}
WHEN = "today, yesterday, 7d, 12h, or a date or time of the account: 2026-11-23, 2026-11-23T18:00"
CHANGES = Result(ChangeEntry)
MOST_RECORDS = 20  # of one change, that are shown
DAYS_AGO = {"today": 0, "yesterday": 1}


@shows(CHANGES)
@with_options(shown=ShownOptions)
def list_changes(
    ctx: typer.Context,
    since: Annotated[str | None, option("WHEN", f"From then on: {WHEN}")] = None,
    until: Annotated[str | None, option("WHEN", "Before then")] = None,
    id: Annotated[str | None, option("ID", "Those of this record")] = None,
    limit: Annotated[str | None, option("N", "The latest N only; with --sort, the first")] = None,
    *,
    shown: ShownOptions,
) -> None:
    """List what this tool changed from this machine; --account shows those of one account.

    On a terminal each record is a line, newest first, in the time zone of the account. Programs get each
    change with all its fields, oldest first, in UTC. The outcome is ok, the code of an error, or unknown
    where a command was killed or its answer was lost.

    For example: adsctl changes list --since 7d --where profile=shop
    """
    call = Invocation.of(ctx)
    zone = lru_cache(partial(account_zone, call))
    first, last = _moment(since, "--since", zone), _moment(until, "--until", zone)
    account = call.flags.get("account") and call.chosen_account
    most = None if limit is None else parse_count(limit, "--limit")
    records = [
        entry
        for entry in _read(call)
        if (not first or entry["time"] >= first)
        and (not last or entry["time"] < last)
        and (not account or entry["account"] == account)
        and (not id or id in (entry["id"], short_id(entry["id"]), *entry["ids"]))
    ]
    lines = []
    if call.printer.draws or shown.where or shown.sort:
        named = ChangeLog(call.settings.state_dir).records()
        targets = TargetNames(call.settings.state_dir)
        lines = [line for change in reversed(records) for line in _lines(change, named, targets)]
        lines = [*map(dict, shown.applied(lines, (*COLUMNS, *WORDS), "changes", "id"))]
        by_id = {entry["id"]: entry for entry in records}
        records = [by_id[id] for id in dict.fromkeys(line["id"] for line in lines)]
        records = records if shown.sort else records[::-1]
    if most is not None and len(records) > most:
        which = "first" if shown.sort else "latest"
        call.messages.note(f"the {which} {most:,} of {counted(len(records), 'change')}")
        records = records[:most] if shown.sort else records[-most:]
    record_ids(call.settings, "changes", "id", ({"id": record["id"]} for record in records), call.mask)
    call.printer.noun = "changes"
    if call.printer.draws:
        kept = {record["id"] for record in records}
        _show_lines(call, [line for line in lines if line["id"] in kept], zone())
    else:
        call.printer.show(records, COLUMNS, "id", COLUMNS)


def _show_lines(call: Invocation, lines: list[dict[str, Any]], zone: Zone) -> None:
    """Show a line for each record, in the time zone of the account."""
    further = [name for name, most in FURTHER.items() if len({line[name] for line in lines} - {None}) > most]
    lines = [_shown(line, zone.info) for line in lines]
    call.printer.show(lines, (*SHOWN, *further, "id"), "id")
    if lines:
        call.messages.say(f"times are in {zone.words}; 'adsctl changes show ID' shows the command")


def _shown(line: dict[str, Any], zone: tzinfo) -> dict[str, Any]:
    """Return a line with a local time and a short id, which says what was not applied, or may not be."""
    outcome = line["outcome"] or "unknown"
    words = local_times(line["change"], lambda: zone)
    change = words if outcome == "ok" else f"{words}: {outcome}"
    return line | {
        "time": _local_text(line["time"], zone),
        "record": line["subject"],
        "change": change,
        "id": short_id(line["id"]),
    }


def short_id(id: str) -> str:
    """Return the part of the id of a change that is at random; 'changes show' takes it too."""
    return id.rpartition("-")[2]


def _local_text(time: str, zone: tzinfo) -> str:
    return f"{datetime.fromisoformat(time).astimezone(zone):%Y-%m-%d %H:%M}"


def _lines(
    change: dict[str, Any], named: Mapping[str, list[ChangedRecord]], targets: TargetNames
) -> Iterator[dict[str, Any]]:
    """Yield a line for each record of a change, in words."""
    records, ids = named[change["id"]], change["ids"]
    is_whole = len(records) == 1 or isinstance(change["fields"], list)
    if not (is_whole and 0 < len(records) <= MOST_RECORDS):
        words = _counts_in_words(change["fields"]) if isinstance(change["fields"], dict) else ""
        subject = counted(len(ids), "record") if len(ids) > 1 else _subject(change, targets)
        yield change | {"record": subject, "subject": subject, "change": words or change["method"].lower()}
        return
    for record, fields, before in each_record(records, change["fields"], change["before"]):
        status = STATUS_WORDS.get(str(fields.get(STATUS))) if fields.keys() == {STATUS} else None
        words = status or changes_in_words(fields, before, record.currency)
        yield change | {
            "record": record_in_words(record.noun, record.name, record.id),
            "subject": record_in_words(record.noun, record.name, "" if record.name else record.id),
            "change": DONE[record.action] if record.action != "update" else words,
        }


def _counts_in_words(fields: Mapping[str, Any]) -> str:
    """Write the counts of a push, as in `39 rows, 2 created`, or the fields of anything else."""
    if ROWS not in fields:
        return changes_in_words(fields, None, "")
    counts = [f"{count:,} {name}" for name, count in fields.items() if count and name != ROWS]
    return ", ".join([counted(fields[ROWS], "row"), *counts])


def _subject(change: Mapping[str, Any], targets: TargetNames) -> str:
    """Name what a push changes, or give its id."""
    id, target = "".join(change["ids"]), TARGET_PATH.search(change["path"])
    if not (target and change["job"]):
        return id or str(change["path"])
    return targets.words(change["profile"], target["kind"], id)


@shows(CHANGES._replace(is_list=False))
def show_change(ctx: typer.Context, change: Annotated[str, argument("ID", "The id of the change")]) -> None:
    """Show one change: its fields, and what they were before where the command knew.

    For example: adsctl changes show 6743e0aa-1f2e3d4c
    """
    call = Invocation.of(ctx)
    shown = next((entry for entry in _read(call) if change in (entry["id"], short_id(entry["id"]))), None)
    if shown is None:
        raise NotFoundError(f"there is no change {change!r} in the log", hint="adsctl changes list")
    if call.printer.draws:
        zone = account_zone(call)
        state_dir = call.settings.state_dir
        lines = [*_lines(shown, ChangeLog(state_dir).records(), TargetNames(state_dir))]
        words = "; ".join(f"{line['record']}: {line['change']}" for line in lines)
        call.printer.show(
            {**shown, "time": _local_text(shown["time"], zone.info), "change": words},
            (*SHOWN_WHOLE, "id"),
            "id",
        )
        call.messages.say(f"the time is in {zone.words}")
    else:
        call.printer.show(shown, COLUMNS, "id")


def _read(call: Invocation) -> list[dict[str, Any]]:
    """Return all changes; for an assistant those of the profile that it was started for."""
    changes = ChangeLog(call.settings.state_dir).changes()
    profile = call.settings.profile if call.parsed.by else None
    return [change for change in changes if profile in (None, change["profile"])]


def _moment(text: str | None, option: str, zone: Callable[[], Zone]) -> str | None:
    """Return a moment as the log has it. `zone` is asked for where the text does not say its own."""
    if text is None:
        return None
    try:
        if ago := AGO.fullmatch(text.strip()):
            moment = datetime.now(UTC) - timedelta(**{UNITS[ago[2]]: int(ago[1])})
        else:
            moment = _local(text.strip(), zone)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):  # before the year 1 or after 9999
        raise UsageError(f"{option}: {text!r} is not a time", hint=WHEN) from None
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def moment_of(call: Invocation, text: str | None, option: str) -> str | None:
    """Return a moment as the log has it, of a text that may be in the time zone of the account."""
    return _moment(text, option, lru_cache(partial(account_zone, call)))


def _local(text: str, zone: Callable[[], Zone]) -> datetime:
    """Return a day, or a time; one that does not say its zone is in that of the account."""
    if (days := DAYS_AGO.get(text)) is not None:
        today = datetime.now(zone().info).replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=days)
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone().info)
