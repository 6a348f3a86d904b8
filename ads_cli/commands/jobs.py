"""Pushes that ran on this machine, and how to resume those that are unfinished."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.invocation import Invocation
from ..errors import NotFoundError
from ..output.text import counted

if TYPE_CHECKING:
    from ..uploads.job_file import Job

COLUMNS = ("job", "state", "noun", "target", "file", "rows", "batches", "acknowledged", "started")


def list_jobs(ctx: typer.Context) -> None:
    """List the pushes that ran on this machine, oldest first.

    For example: adsctl jobs list --query "[?state=='unfinished']"
    """
    call = Invocation.of(ctx)
    call.printer.show([_record(*found) for found in _jobs(call)], COLUMNS, "job")


def show_job(
    ctx: typer.Context, job: Annotated[str, typer.Argument(metavar="JOB", help="The job's id")]
) -> None:
    """Show one push, and what became of its rows.

    For example: adsctl jobs show "$(adsctl jobs list -o ids | tail -1)"
    """
    from ..uploads.job_file import last_acknowledgements

    call = Invocation.of(ctx)
    found = next((found for found in _jobs(call) if found[1].job == job), None)
    if found is None:
        raise NotFoundError(f"job {job!r} does not exist", hint="adsctl jobs list shows them")
    path, shown, _ = found
    totals: Counter[str] = Counter()
    for ack in last_acknowledgements(path).values():
        totals.update(ack.counts)
    record = _record(*found) | {"counts": dict(totals), "service": shown.key.place.service}
    if record["state"] == "unfinished" and shown.resume:
        record["resume"] = shown.resume
    call.printer.show(record, (*COLUMNS, "counts"), "job", ("service", "resume"))
    if "resume" in record:
        call.messages.say(f"resume it with: {record['resume']}")


def clean(
    ctx: typer.Context,
    all: Annotated[
        bool, typer.Option("--all", help="Unfinished jobs too; they cannot be resumed then")
    ] = False,
) -> None:
    """Remove the journals of pushes that have ended, or that cannot be resumed.

    For example: adsctl jobs clean --all
    """
    from ..uploads.jobs import job_state, remove_job

    call = Invocation.of(ctx)
    states = [(path, job, job_state(path.parent, job, ended=ended)) for path, job, ended in _jobs(call)]
    found = [(path, job, state) for path, job, state in states if state != "unfinished" or all]
    if call.dry_run:
        call.messages.say(f"dry run: would remove {counted(len(found), 'journal')}")
        return
    if unfinished := [job for _, job, state in found if state == "unfinished"]:
        pushes = counted(len(unfinished), "unfinished push", "unfinished pushes")
        call.confirm(f"Remove the journals of {pushes}, which cannot be resumed then", at_service=False)
    removed = [remove_job(path, job) for path, job, _ in found]
    call.messages.say(f"{counted(sum(removed), 'journal')} removed")
    if running := removed.count(False):
        are = "is" if running == 1 else "are"
        call.messages.warn(f"{counted(running, 'push', 'pushes')} {are} still running: the journal is kept")


def _jobs(call: Invocation) -> "Iterator[tuple[Path, Job, bool]]":
    from ..uploads.jobs import list_jobs

    return list_jobs(call.settings.state_dir / "jobs")


def _record(path: Path, job: "Job", ended: bool) -> dict[str, Any]:
    from ..uploads.job_file import last_acknowledgements
    from ..uploads.jobs import job_state

    return {
        "job": job.job,
        "state": job_state(path.parent, job, ended=ended),
        "noun": job.noun,
        "target": job.key.place.id,
        "file": job.file,
        "rows": job.rows,
        "batches": job.batches,
        "acknowledged": len(last_acknowledgements(path)),
        "started": job.started,
    }
