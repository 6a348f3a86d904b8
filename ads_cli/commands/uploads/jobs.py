"""Pushes that ran on this machine, and how to resume those that are unfinished."""

from collections import Counter
from typing import Annotated, Any

import typer

from ...config.file_locks import how_to_unlock
from ...console.invocation import Invocation
from ...console.parameters import argument, flag
from ...errors import NotFoundError, StateError, UsageError
from ...output.text import counted, listed, shell_command
from ...spelling import suggestion
from ...stored_times import utc_text
from ...uploads.job import ENDED, UNFINISHED, Job, answers
from ...uploads.jobs import job_lock, remove_jobs
from ...uploads.jobs import list_jobs as stored_jobs
from ...uploads.sends import Counts, Sends, count_sends, read_sends

# The counts come first: a terminal of 80 columns shows them all, and the file as far as there is room.
COLUMNS = (
    *("job", "state", "action", "rows", "sent", "failed"),
    *("file", "profile", "target", "started", "noun", "batches", "acknowledged"),
)
FORGOTTEN_DAYS = 400  # after which the service has forgotten the people of a list
IDS_SHOWN = 20  # of created records, on a terminal


def list_jobs(ctx: typer.Context) -> None:
    """List the pushes that ran on this machine, oldest first.

    For example: adsctl jobs list --query "[?state=='unfinished']"
    """
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    counts = count_sends(state_dir)
    records = [_record(job, counts.get(job.job, Counts())) for job in stored_jobs(state_dir)]
    call.printer.show(records, COLUMNS, "job")


def show_job(ctx: typer.Context, job: Annotated[str, argument("JOB", "The job's id")]) -> None:
    """Show one push, and what became of its rows.

    For example: adsctl jobs show "$(adsctl jobs list -o ids | tail -1)"
    """
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    (shown,) = _named([job], stored_jobs(state_dir))
    sends = read_sends(state_dir, job)
    counts = count_sends(state_dir, job).get(job, Counts())
    record = _record(shown, counts) | {"counts": _counts(sends), "service": shown.key.target.service}
    if ids := _ids(sends):
        record["ids"] = ids
    if shown.state == UNFINISHED and shown.resume:
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
    jobs: Annotated[list[str] | None, argument("JOB...", "These only, unfinished or not")] = None,
    all: Annotated[bool, flag("Unfinished jobs too; they cannot be resumed then")] = False,
) -> None:
    """Remove jobs that have ended, or that cannot be resumed.

    Unfinished creations and conversions stay: 'jobs discard' gives them up.
    Lists of people are named of which outdated ledgers are left.

    For example: adsctl jobs clean --all
    """
    if jobs and all:
        raise UsageError("name either jobs or --all", hint="adsctl jobs clean --help")
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    known = stored_jobs(state_dir)
    known = _named(jobs, known) if jobs else known
    once = [job.job for job in known if job.is_once and job.state != ENDED]
    if jobs and once:
        raise UsageError(
            f"job {once[0]} may have created some of its records, which would be created again",
            hint=f"adsctl jobs discard {once[0]} gives it up",
        )
    known = [job for job in known if job.job not in once]
    removable = [job for job in known if job.may_be_removed or all or jobs]
    if call.is_dry_run(f"remove {counted(len(removable), 'job')}"):
        return
    if unfinished := [job for job in removable if not job.may_be_removed]:
        lost = counted(len(unfinished), "unfinished job")
        call.confirm(f"Remove {lost}, which cannot be resumed then", at_service=False)
    running = len(remove_jobs(state_dir, removable)) if removable else 0
    call.messages.say(f"{counted(len(removable) - running, 'job')} removed")
    if running:
        are_kept = "is still running, and is kept" if running == 1 else "are still running, and are kept"
        call.messages.warn(f"{counted(running, 'job')} {are_kept}")
    if once:
        call.messages.say(
            f"kept, since their records would be created again: {listed(once)}; adsctl jobs discard JOB"
        )
    _say_old_ledgers(call)


def _say_old_ledgers(call: Invocation) -> None:
    """Name the lists that were not changed for so long that the service has forgotten everybody."""
    from ...audiences.ledger import stored_ledgers

    oldest = utc_text(FORGOTTEN_DAYS * 86400.0)
    stored = stored_ledgers(call.settings.state_dir)
    # "": nothing was acknowledged yet
    old = [ledger.target.id for ledger in stored if "" < ledger.changed < oldest]
    if old:
        call.messages.say(
            f"not changed for 13 months, so that the service has forgotten everybody: {listed(old)};"
            " adsctl audiences forget removes their ledgers"
        )


def discard(ctx: typer.Context, jobs: Annotated[list[str], argument("JOB...", "Their ids")]) -> None:
    """Give up unfinished pushes: what they have created or sent is no longer known.

    The same file is created, or sent, as a whole by the next run with it. Look first what exists already:
    'jobs show' has the ids.

    For example: adsctl jobs discard 20261123-084512-cbhjpn
    """
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    named = _named(jobs, stored_jobs(state_dir))
    if over := [job.job for job in named if job.state == ENDED]:
        raise UsageError(f"job {over[0]} has ended: there is nothing to give up", hint="adsctl jobs clean")
    for job in named:
        what = _given_up(job, read_sends(state_dir, job.job))
        if call.is_dry_run(f"give up {what}"):
            continue
        call.confirm(f"Give up {what}", at_service=False)
        if remove_jobs(state_dir, [job]):
            raise StateError(
                f"job {job.job} is still running", hint=how_to_unlock(job_lock(state_dir, job.key.digest))
            )
        call.messages.say(f"gave up {what}")


def _given_up(job: Job, sends: Sends) -> str:
    """Say what is lost with a job."""
    counts, lost = _counts(sends), sum(map(len, sends.unanswered))
    counts["uncertain"] = counts.get("uncertain", 0) + lost
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing sent"
    again = f"the next run with {job.file} sends all of them" if job.is_once else "it cannot be resumed then"
    if job.action == "apply":
        again = f"the next apply of {job.file} looks what was created"
    return f"job {job.job}, {job.action} of {job.file}: {job.rows:,} {job.noun}, of which {said}: {again}"


def _named(names: list[str], known: list[Job]) -> list[Job]:
    """Find jobs by their ids; raise NotFoundError if one does not exist."""
    by_id = {job.job: job for job in known}
    for name in names:
        if name not in by_id:
            raise NotFoundError(
                f"job {name!r} does not exist{suggestion(name, by_id)}", hint="adsctl jobs list shows them"
            )
    return [by_id[name] for name in dict.fromkeys(names)]


def _counts(sends: Sends) -> dict[str, int]:
    """Count the rows that the service acknowledged, by status."""
    counts: Counter[str] = Counter()
    for ack in sends.acknowledged.values():
        counts.update(ack.counts)
    return dict(counts)


def _ids(sends: Sends) -> list[str]:
    """Return the ids of the records that the service answered."""
    records = answers(sends.acknowledged.values())
    return [str(record["id"]) for record in records if isinstance(record, dict) and "id" in record]


def _record(job: Job, counts: Counts) -> dict[str, Any]:
    return {
        "job": job.job,
        "state": job.state,
        "action": job.action,
        "rows": job.rows,
        "sent": counts.sent,
        "failed": counts.failed,
        "file": job.file,
        "profile": job.profile,
        "target": job.key.target.id,
        "started": job.started,
        "noun": job.noun,
        "batches": job.batches,
        "acknowledged": counts.batches,
    }
