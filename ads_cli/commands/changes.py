"""Show what was changed, when and by which command."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from ..console.completion_ids import record_ids
from ..console.invocation import Invocation
from ..console.parameters import argument, option
from ..errors import NotFoundError, UsageError
from ..numbers import parse_count
from ..output.text import counted
from ..store.changes import COLUMNS, ChangeLog

AGO = re.compile(r"([0-9]{1,5})(m|h|d|w)")
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# On a terminal of 80 columns: what a person asks first.
SHOWN = ("time", "outcome", "command", "ids", "account", "user", "id", "profile", "method", "path")
WHEN = "7d, 12h, or a date or time in UTC: 2026-11-23, 2026-11-23T18:00:00Z"


def list_changes(
    ctx: typer.Context,
    since: Annotated[str | None, option("WHEN", f"From then on: {WHEN}")] = None,
    until: Annotated[str | None, option("WHEN", "Before then")] = None,
    id: Annotated[str | None, option("ID", "Those of this record")] = None,
    limit: Annotated[str | None, option("N", "Only the latest N")] = None,
) -> None:
    """List what this tool changed from this machine, oldest first; --account shows those of one account.

    The outcome is ok, the code of an error, or unknown where a command was killed or its answer was lost.

    For example: adsctl changes list --since 7d
    """
    call = Invocation.of(ctx)
    first, last = _moment(since, "--since"), _moment(until, "--until")
    account = call.flags.get("account")
    most = None if limit is None else parse_count(limit, "--limit")
    records = [
        entry
        for entry in _read(call)
        if (not first or entry["time"] >= first)
        and (not last or entry["time"] < last)
        and (not account or entry["account"] == account)
        and (not id or id in (entry["id"], *entry["ids"]))
    ]
    if most is not None and len(records) > most:
        call.messages.note(f"the latest {most:,} of {counted(len(records), 'change')}")
        records = records[-most:]
    columns = SHOWN if call.printer.draws else COLUMNS
    record_ids(call.settings, "changes", "id", ({"id": record["id"]} for record in records), call.mask)
    call.printer.show(records, columns, "id", COLUMNS)


def show_change(ctx: typer.Context, change: Annotated[str, argument("ID", "The id of the change")]) -> None:
    """Show one change: its fields, and what they were before where the command knew.

    For example: adsctl changes show 6743e0aa-1f2e3d4c
    """
    call = Invocation.of(ctx)
    shown = next((entry for entry in _read(call) if entry["id"] == change), None)
    if shown is None:
        raise NotFoundError(f"there is no change {change!r} in the log", hint="adsctl changes list")
    call.printer.show(shown, COLUMNS, "id")


def _read(call: Invocation) -> list[dict[str, Any]]:
    return ChangeLog(call.settings.state_dir).changes()


def _moment(text: str | None, option: str) -> str | None:
    """Return a moment as the log has it."""
    if text is None:
        return None
    try:
        if ago := AGO.fullmatch(text.strip()):
            moment = datetime.now(UTC) - timedelta(**{UNITS[ago[2]]: int(ago[1])})
        else:
            moment = datetime.fromisoformat(text.strip())
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):  # before the year 1 or after 9999
        raise UsageError(f"{option}: {text!r} is not a time", hint=WHEN) from None
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
