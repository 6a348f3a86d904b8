"""Pushes that ran on this machine, and how to resume those that are unfinished."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.invocation import Invocation
from ..errors import NotFoundError, UsageError
from ..output.text import counted, shell_command
from ..suggestions import suggestion

if TYPE_CHECKING:
    from ..uploads.job_file import Job

# The counts come first: a terminal of 80 columns shows them all, and the file as far as there is room.
COLUMNS = (
    *("job", "state", "action", "rows", "sent", "failed"),
    *("file", "profile", "target", "started", "noun", "batches", "acknowledged", "parts", "parts_sent"),
)
IDS_SHOWN = 20  # of created records, on a terminal


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
    call = Invocation.of(ctx)
    (found,) = _named(call, [job])
    path, shown, _ = found
    record = _record(*found) | {"counts": _counts(path), "service": shown.key.place.service}
    if ids := _ids(path):
        record["ids"] = ids
    if record["state"] == "unfinished" and shown.resume:
        cd = f"{shell_command(['cd', shown.folder])} && " if shown.folder else ""
        record["resume"] = cd + shown.resume
    if call.printer.draws:
        lines = {
            **record,
            "counts": ", ".join(f"{count:,} {name}" for name, count in record["counts"].items()),
        }
        if ids:
            more = f" and {len(ids) - IDS_SHOWN:,} more: -o json" if len(ids) > IDS_SHOWN else ""
            lines["ids"] = ", ".join(ids[:IDS_SHOWN]) + more
        call.printer.show(lines, tuple(lines), "job")
    else:
        call.printer.show(record, (*COLUMNS, "counts"), "job", ("service", "resume", "ids"))
    if "resume" in record:
        call.messages.say(f"resume it with: {record['resume']}")


def clean(
    ctx: typer.Context,
    jobs: Annotated[
        list[str] | None, typer.Argument(metavar="JOB...", help="These only, unfinished or not")
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="Unfinished jobs too; they cannot be resumed then")
    ] = False,
) -> None:
    """Remove the journals of pushes that have ended, or that cannot be resumed.

    For example: adsctl jobs clean --all
    """
    from ..uploads.jobs import job_state, remove_job

    if jobs and all:
        raise UsageError("name either jobs or --all", hint="adsctl jobs clean --help")
    call = Invocation.of(ctx)
    known = _named(call, jobs) if jobs else _jobs(call)
    states = [(path, job, job_state(path.parent, job, ended=ended)) for path, job, ended in known]
    found = [(path, job, state) for path, job, state in states if state != "unfinished" or all or jobs]
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

    return list_jobs(call.settings.state_dir / "jobs", call.messages.warn)


def _named(call: Invocation, names: list[str]) -> "list[tuple[Path, Job, bool]]":
    """Find jobs by their ids; raise NotFoundError if one does not exist."""
    known = {job.job: (path, job, ended) for path, job, ended in _jobs(call)}
    for name in names:
        if name not in known:
            raise NotFoundError(
                f"job {name!r} does not exist{suggestion(name, known)}", hint="adsctl jobs list shows them"
            )
    return [known[name] for name in dict.fromkeys(names)]


def _counts(path: Path) -> dict[str, int]:
    """Count the rows that the service acknowledged, by status."""
    from ..uploads.job_file import last_acknowledgements

    counts: Counter[str] = Counter()
    for ack in last_acknowledgements(path).values():
        counts.update(ack.counts)
    return dict(counts)


def _ids(path: Path) -> list[str]:
    """Return the ids of the records that the service answered."""
    from ..uploads.batch import answers
    from ..uploads.job_file import last_acknowledgements

    records = answers(last_acknowledgements(path).values())
    return [str(record["id"]) for record in records if isinstance(record, dict) and "id" in record]


def _record(path: Path, job: "Job", ended: bool) -> dict[str, Any]:
    from ..uploads.batch import FAILED
    from ..uploads.job_file import last_acknowledgements, sent_parts
    from ..uploads.jobs import job_state

    parts = sent_parts(path) if job.parts else []
    acknowledgements = last_acknowledgements(path).values()
    return {
        "job": job.job,
        "state": job_state(path.parent, job, ended=ended),
        "action": job.action,
        "rows": sum(part.rows for part in parts) if job.parts else job.rows,
        "sent": sum(sum(ack.counts.values()) for ack in acknowledgements),
        "failed": sum(ack.counts.get(FAILED, 0) for ack in acknowledgements),
        "file": job.file,
        "profile": job.profile,
        "target": job.key.place.id,
        "started": job.started,
        "noun": job.noun,
        "batches": sum(part.batches for part in parts) if job.parts else job.batches,
        "acknowledged": len(acknowledgements),
        "parts": job.parts or None,
        "parts_sent": len(parts) if job.parts else None,
    }
