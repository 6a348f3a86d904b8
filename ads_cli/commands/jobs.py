"""What ran, what did not end, and how to go on with it."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from ..console.invocation import Invocation
from ..errors import NotFoundError
from ..output.text import counted

COLUMNS = ("job", "state", "noun", "target", "file", "rows", "batches", "acknowledged", "started")


def list_jobs(ctx: typer.Context) -> None:
    """List the pushes that ran on this machine, oldest first.

    For example: adsctl jobs list --query "[?state=='unfinished']"
    """
    call = Invocation.of(ctx)
    call.printer.show([_record(*found) for found in _journals(call)], COLUMNS, "job")


def show_job(
    ctx: typer.Context, job: Annotated[str, typer.Argument(metavar="JOB", help="The job's id")]
) -> None:
    """Show one push, and what became of its rows.

    For example: adsctl jobs show "$(adsctl jobs list -o ids | tail -1)"
    """
    from ..uploads.jobs import acks

    call = Invocation.of(ctx)
    found = next((found for found in _journals(call) if found[1].job == job), None)
    if found is None:
        raise NotFoundError(f"there is no job {job!r}", hint="adsctl jobs list shows them")
    totals: Counter[str] = Counter()
    for ack in acks(found[0]):
        totals.update(ack.counts)
    record = _record(*found) | {"counts": dict(totals), "service": found[1].service}
    if not found[2]:
        record["resume"] = found[1].resume
    call.printer.show(record, (*COLUMNS, "counts"), "job", ("service", "resume"))
    if record.get("resume"):
        call.messages.say(f"{record['resume']} goes on with it")


def clean(
    ctx: typer.Context,
    all: Annotated[
        bool, typer.Option("--all", help="Unfinished jobs too; they cannot be resumed then")
    ] = False,
) -> None:
    """Remove the journals of pushes that reached their end.

    For example: adsctl jobs clean --all
    """
    from ..uploads.jobs import remove

    call = Invocation.of(ctx)
    found = [(path, job, ended) for path, job, ended in _journals(call) if ended or all]
    if call.dry_run:
        call.messages.say(f"{counted(len(found), 'journal')} would be removed")
        return
    if unfinished := [job for _, job, ended in found if not ended]:
        pushes = counted(len(unfinished), "push", "pushes")
        call.confirm(f"Remove the journals of {pushes} that did not end and cannot be resumed then")
    removed = [remove(path, job) for path, job, _ in found]
    call.messages.say(f"{counted(sum(removed), 'journal')} removed")
    if running := removed.count(False):
        call.messages.warn(f"{counted(running, 'push', 'pushes')} still running: the journal stays")


def _journals(call: Invocation) -> Any:
    from ..uploads.jobs import journals

    return journals(call.settings.state_dir / "jobs")


def _record(path: Path, job: Any, ended: bool) -> dict[str, Any]:
    from ..uploads.jobs import acks

    return {
        "job": job.job,
        "state": "ended" if ended else "unfinished",
        "noun": job.noun,
        "target": job.where,
        "file": job.file,
        "rows": job.rows,
        "batches": job.batches,
        "acknowledged": sum(1 for _ in acks(path)),
        "started": job.started,
    }
