"""Jobs of this machine, and how to resume those that are unfinished."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict, cast

import typer

from ...config.file_locks import how_to_unlock
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.shown import Result, shows
from ...console.target_names import TargetNames
from ...errors import NotFoundError, StateError, UsageError
from ...output.text import counted, listed, shell_command
from ...runs.job import UNFINISHED, Job, answers
from ...runs.jobs import discard_job, job_lock, remove_jobs
from ...runs.jobs import list_jobs as stored_jobs
from ...runs.lost import LISTED_AFTER_SECONDS
from ...runs.sends import Counts, Sends, count_sends, lost_applies, read_sends
from ...spelling import suggestion
from ...stored_times import utc_text
from .options import ShownOptions, with_options


class JobRecord(TypedDict):
    """A job of this machine.

    The counts come first: a terminal of 80 columns shows them all, and the file as far as there is room.
    """

    job: str
    state: str
    action: str
    rows: int
    sent: int
    failed: int
    file: str
    profile: str
    target: str
    started: str
    noun: str
    batches: int
    acknowledged: int
    name: str


class JobDetails(JobRecord):
    """A job, and what became of its rows."""

    counts: dict[str, int]  # by status
    service: str
    resume: NotRequired[str]  # the command that resumes it
    ids: NotRequired[list[str]]  # of created records


JOBS = Result(JobRecord, "job")
COLUMNS = JOBS.columns
# On a terminal: what a person knows a push by, and what became of it.
SHOWN = ("file", "name", "state", "sent", "job", "action", "rows", "profile", "started", "target")
JOB = Result(JobDetails, "job", is_list=False, named=(*COLUMNS, "counts"))
FORGOTTEN_DAYS = 400  # after which the service has forgotten the people of a list
IDS_SHOWN = 20  # of created records, on a terminal


@shows(JOBS)
@with_options(shown=ShownOptions)
def list_jobs(
    ctx: typer.Context,
    limit: Annotated[int | None, option("N", "The newest N only; with --sort, the first", min=1)] = None,
    *,
    shown: ShownOptions,
) -> None:
    """List the pushes that ran on this machine, oldest first.

    For example: adsctl jobs list --where state=unfinished
    """
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    counts = count_sends(state_dir)
    names = TargetNames(state_dir)
    every = [_record(job, counts.get(job.job, Counts()), names) for job in _stored(call)]
    records = shown.applied(every, COLUMNS, "jobs", "job")
    if limit:
        records = records[:limit] if shown.sort else records[-limit:]
    if call.printer.is_for_people:
        several = len({record["profile"] for record in records}) > 1
        columns = ("profile", "file", "state", *SHOWN) if several else SHOWN
        call.printer.show([*map(_for_people, records)], [*dict.fromkeys(columns)], "job")
    else:
        call.printer.show(records, COLUMNS, "job")


def _for_people(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record whose state says how many rows have failed."""
    failed = record["failed"]
    return {**record, "state": f"{record['state']}: {failed:,} failed"} if failed else record


@shows(JOB)
def show_job(ctx: typer.Context, job: Annotated[str, argument("JOB", "The job's id")]) -> None:
    """Show one push, and what became of its rows.

    For example: adsctl jobs show "$(adsctl jobs list -o ids | tail -1)"
    """
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    (shown,) = _named([job], _stored(call))
    sends = read_sends(state_dir, job)
    counts = count_sends(state_dir, job).get(job, Counts())
    about = {"counts": _counts(sends), "service": shown.key.target.service}
    record = cast(JobDetails, {**_record(shown, counts, TargetNames(state_dir)), **about})
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
        if name := lines.pop("name"):
            lines["target"] = f"{name} ({record['target']})"
        if ids:
            more = f" and {len(ids) - IDS_SHOWN:,} more: -o json" if len(ids) > IDS_SHOWN else ""
            lines["ids"] = ", ".join(ids[:IDS_SHOWN]) + more
        call.printer.show(lines, tuple(lines), "job")
    else:
        call.printer.show(record, JOB.columns, JOB.key, ("service", "resume", "ids"))
    if "resume" in record:
        call.messages.say(f"resume it with: {record['resume']}")


def clean(
    ctx: typer.Context,
    jobs: Annotated[list[str] | None, argument("JOB...", "These only, unfinished or not")] = None,
    all: Annotated[bool, flag("Unfinished jobs too; they cannot be resumed then")] = False,
) -> None:
    """Remove jobs that have ended, or that cannot be resumed.

    Unfinished creations, applies and conversions stay: 'jobs discard' gives them up.
    It also names the lists of people whose ledgers are outdated.

    For example: adsctl jobs clean --all
    """
    if jobs and all:
        raise UsageError("name either jobs or --all", hint="adsctl jobs clean --help")
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    known = stored_jobs(state_dir)
    if jobs:
        known = _named(jobs, known)
    lost = lost_applies(state_dir)
    creations = [job for job in known if job.may_have_created or job.job in lost]
    if jobs and creations:
        first = creations[0]
        raise UsageError(
            f"job {first.job} may have created some of its records, which would be created again",
            hint=f"lists show them within {LISTED_AFTER_SECONDS:.0f} s: run this again then"
            if first.is_over
            else f"adsctl jobs discard {first.job} gives it up",
        )
    known = [job for job in known if job not in creations]
    removable = [job for job in known if job.may_be_removed or all or jobs]
    if call.is_dry_run(f"remove {counted(len(removable), 'job')}"):
        return
    if unfinished := [job for job in removable if not job.may_be_removed]:
        what = counted(len(unfinished), "unfinished job")
        call.confirm(f"Remove {what}, which cannot be resumed then", at_service=False)
    running = len(remove_jobs(state_dir, removable)) if removable else 0
    call.messages.say(f"{counted(len(removable) - running, 'job')} removed")
    if running:
        are_kept = "is still running, and is kept" if running == 1 else "are still running, and are kept"
        call.messages.warn(f"{counted(running, 'job')} {are_kept}")
    if creations:
        call.messages.say(
            "kept, since their records would be created again: "
            f"{listed([job.job for job in creations])}; adsctl jobs discard JOB"
        )
    _say_old_ledgers(call, TargetNames(state_dir))


def _stored(call: Invocation) -> list[Job]:
    """Return all jobs; for an assistant those of the profile that it was started for."""
    profile = call.settings.profile if call.parsed.by else None
    return [job for job in stored_jobs(call.settings.state_dir) if profile in (None, job.profile)]


def _say_old_ledgers(call: Invocation, names: TargetNames) -> None:
    """Name the lists that were not changed for so long that the service has forgotten everybody."""
    from ...audiences.ledger import stored_ledgers

    oldest = utc_text(FORGOTTEN_DAYS * 86400.0)
    stored = stored_ledgers(call.settings.state_dir)
    # "": nothing was acknowledged yet
    profile = call.settings.profile
    old = [
        names.words(profile, ledger.kind, ledger.target) for ledger in stored if "" < ledger.changed < oldest
    ]
    if old:
        call.messages.say(
            f"not changed for 13 months, so that the service has forgotten everybody: {listed(old)};"
            " adsctl audiences forget removes their ledgers"
        )


def discard(ctx: typer.Context, jobs: Annotated[list[str], argument("JOB...", "Their ids")]) -> None:
    """Give up unfinished pushes: they cannot be resumed.

    The same file is created, or sent, as a whole by the next run with it. Look first what exists already:
    'jobs show' has the ids, before and after. What a request without an answer may have created is counted
    as uncertain. A file of campaigns is compared with the account, as always.

    For example: adsctl jobs discard 20261123-084512-cbhjpnqrtkdv
    """
    call = Invocation.of(ctx)
    state_dir = call.settings.state_dir
    named = _named(jobs, stored_jobs(state_dir))
    if over := [job.job for job in named if job.is_over]:
        raise UsageError(f"job {over[0]} has ended: there is nothing to give up", hint="adsctl jobs clean")
    for job in named:
        what = _given_up(job, read_sends(state_dir, job.job))
        if call.is_dry_run(f"give up {what}"):
            continue
        call.confirm(f"Give up {what}", at_service=False)
        if not discard_job(state_dir, job):
            raise StateError(
                f"job {job.job} is still running", hint=how_to_unlock(job_lock(state_dir, job.key.digest))
            )
        call.messages.say(f"gave up {what}")


def _given_up(job: Job, sends: Sends) -> str:
    """Say what is lost with a job."""
    counts, lost = _counts(sends), sum(map(len, sends.unanswered))
    counts["uncertain"] = counts.get("uncertain", 0) + lost
    sent = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing acknowledged"
    if job.action == "apply":
        consequence = f"the next apply of {job.file} looks what was created"
    elif job.is_once:
        consequence = f"the next run with {job.file} sends all of them"
    else:
        consequence = "it cannot be resumed then"
    rows = f"{job.rows:,} {job.noun}, of which {sent}"
    return f"job {job.job}, {job.action} of {job.file}: {rows}: {consequence}"


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


def _record(job: Job, counts: Counts, names: TargetNames) -> JobRecord:
    target = job.key.target
    return {
        "job": job.job,
        "state": job.state,
        "action": job.action,
        "rows": job.rows,
        "sent": counts.sent,
        "failed": counts.failed,
        "file": job.file,
        "profile": job.profile,
        "target": target.id,
        "started": job.started,
        "noun": job.noun,
        "batches": job.batches,
        "acknowledged": counts.batches,
        "name": names.name(job.profile, target.kind, target.id),
    }
