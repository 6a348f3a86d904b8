"""Pushes that ran on this machine, and how to resume those that are unfinished."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from ...config.file_locks import how_to_unlock
from ...console.invocation import Invocation
from ...console.parameters import argument, flag
from ...errors import NotFoundError, StateError, UsageError
from ...output.text import counted, listed, shell_command
from ...spelling import suggestion
from ...uploads.job_file import Job, JournalContent, answers, read_journal, unreadable
from ...uploads.jobs import job_state, lock_path, may_be_removed, remove_job
from ...uploads.jobs import list_jobs as stored_jobs
from ...uploads.upload import FAILED

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
    known, damaged = _read(call)
    records = [*(_record(*job) for job in known), *map(_unreadable, damaged.values())]
    call.printer.show(sorted(records, key=lambda record: str(record["job"])), COLUMNS, "job")


def show_job(ctx: typer.Context, job: Annotated[str, argument("JOB", "The job's id")]) -> None:
    """Show one push, and what became of its rows.

    For example: adsctl jobs show "$(adsctl jobs list -o ids | tail -1)"
    """
    call = Invocation.of(ctx)
    known, damaged = _read(call)
    if path := damaged.get(job):
        journal = read_journal(path)
        record = _unreadable(path) | {"counts": _counts(journal), "ids": _ids(journal), "path": str(path)}
        call.printer.show(record, ("job", "state", "counts", "ids", "path"), "job")
        return
    (known_job,) = _named([job], known, damaged)
    path, shown, _ = known_job
    journal = read_journal(path)
    record = _record(*known_job) | {"counts": _counts(journal), "service": shown.key.target.service}
    if ids := _ids(journal):
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
    jobs: Annotated[list[str] | None, argument("JOB...", "These only, unfinished or not")] = None,
    all: Annotated[bool, flag("Unfinished jobs too; they cannot be resumed then")] = False,
) -> None:
    """Remove the journals of pushes that have ended, or that cannot be resumed.

    Unfinished creations and conversions stay, and journals that cannot be read: 'jobs discard' gives them up.
    Lists of people are named of which outdated ledgers are left.

    For example: adsctl jobs clean --all
    """
    if jobs and all:
        raise UsageError("name either jobs or --all", hint="adsctl jobs clean --help")
    call = Invocation.of(ctx)
    known, damaged = _read(call, warns=False)
    known = _named(jobs, known, damaged) if jobs else known
    once = [job.job for _, job, ended in known if job.is_once and not ended]
    if jobs and once:
        raise UsageError(
            f"job {once[0]} may have created some of its records, which would be created again",
            hint=f"adsctl jobs discard {once[0]} gives it up",
        )
    known = [entry for entry in known if entry[1].job not in once]
    removable = [(path, job, may_be_removed(path.parent, job, ended=ended)) for path, job, ended in known]
    removable = [entry for entry in removable if entry[2] or all or jobs]
    if call.is_dry_run(f"remove {counted(len(removable), 'journal')}"):
        return
    if unfinished := [path for path, _, is_free in removable if not is_free]:
        pushes = counted(len(unfinished), "unfinished push", "unfinished pushes")
        call.confirm(f"Remove the journals of {pushes}, which cannot be resumed then", at_service=False)
    removed = [remove_job(path, job) for path, job, _ in removable]
    call.messages.say(f"{counted(sum(removed), 'journal')} removed")
    if running := removed.count(False):
        are = "is" if running == 1 else "are"
        call.messages.warn(f"{counted(running, 'push', 'pushes')} {are} still running: the journal is kept")
    if once:
        call.messages.say(
            f"kept, since their records would be created again: {listed(once)}; adsctl jobs discard JOB"
        )
    _say_old_ledgers(call)
    if damaged := _read(call)[1]:
        call.messages.warn(f"kept, since they cannot be read: {listed([*damaged])}; adsctl jobs discard JOB")


def _say_old_ledgers(call: Invocation) -> None:
    """Name the lists that were not changed for so long that the service has forgotten everybody."""
    from ...audiences.ledger import stored_ledgers

    oldest = f"{datetime.now(UTC) - timedelta(days=FORGOTTEN_DAYS):%Y-%m-%dT%H:%M:%SZ}"
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
    known, damaged = _read(call)
    known = _named([name for name in jobs if name not in damaged], known, damaged)
    if over := [job.job for _, job, ended in known if ended]:
        raise UsageError(f"job {over[0]} has ended: there is nothing to give up", hint="adsctl jobs clean")
    discarded: list[tuple[Path, Job | None]] = [
        (damaged[name], None) for name in dict.fromkeys(jobs) if name in damaged
    ]
    for path, job in discarded + [(path, job) for path, job, _ in known]:
        what = _given_up(path, job)
        if call.is_dry_run(f"give up {what}"):
            continue
        call.confirm(f"Give up {what}", at_service=False)
        if not remove_job(path, job):
            assert job
            hint = how_to_unlock(lock_path(path.parent, job.key.digest))
            raise StateError(f"job {job.job} is still running", hint=hint)
        call.messages.say(f"gave up {what}")


def _given_up(path: Path, job: Job | None = None) -> str:
    """Say what is lost with a journal."""
    journal = read_journal(path)
    counts, lost = _counts(journal), sum(map(len, journal.unanswered))
    counts["uncertain"] = counts.get("uncertain", 0) + lost
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing sent"
    if job is None:
        return f"job {path.stem}, whose journal cannot be read ({said}, as far as it can)"
    again = f"the next run with {job.file} sends all of them" if job.is_once else "it cannot be resumed then"
    if job.action == "apply":
        again = f"the next apply of {job.file} looks what was created"
    return f"job {job.job}, {job.action} of {job.file}: {job.rows:,} {job.noun}, of which {said}: {again}"


StoredJob = tuple[Path, Job, bool]  # its journal, and whether it has ended


def _read(call: Invocation, *, warns: bool = True) -> tuple[list[StoredJob], dict[str, Path]]:
    """Return the stored jobs, and by their ids the journals that cannot be read; warn of these."""
    damaged: dict[str, Path] = {}

    def note(path: Path, error: StateError) -> None:
        damaged[path.stem] = path
        if warns:
            call.messages.warn(f"{error.message}; {error.hint}")

    return [*stored_jobs(call.settings.state_dir / "jobs", note)], damaged


def _named(names: list[str], known: list[StoredJob], damaged: dict[str, Path]) -> list[StoredJob]:
    """Find jobs by their ids; raise NotFoundError if one does not exist."""
    by_id = {entry[1].job: entry for entry in known}
    for name in names:
        if name not in by_id and name in damaged:
            raise unreadable(damaged[name], "it is damaged")
        if name not in by_id:
            raise NotFoundError(
                f"job {name!r} does not exist{suggestion(name, by_id)}", hint="adsctl jobs list shows them"
            )
    return [by_id[name] for name in dict.fromkeys(names)]


def _counts(journal: JournalContent) -> dict[str, int]:
    """Count the rows that the service acknowledged, by status."""
    counts: Counter[str] = Counter()
    for ack in journal.acknowledged.values():
        counts.update(ack.counts)
    return dict(counts)


def _ids(journal: JournalContent) -> list[str]:
    """Return the ids of the records that the service answered."""
    records = answers(journal.acknowledged.values())
    return [str(record["id"]) for record in records if isinstance(record, dict) and "id" in record]


def _unreadable(path: Path) -> dict[str, Any]:
    """Return the record of a job whose journal cannot be read."""
    return dict.fromkeys(COLUMNS) | {"job": path.stem, "state": "unreadable"}


def _record(path: Path, job: Job, ended: bool) -> dict[str, Any]:
    journal = read_journal(path)
    acknowledgements = journal.acknowledged.values()
    return {
        "job": job.job,
        "state": job_state(path.parent, job, ended=ended),
        "action": job.action,
        "rows": job.rows,
        "sent": sum(sum(ack.counts.values()) for ack in acknowledgements),
        "failed": sum(ack.counts.get(FAILED, 0) for ack in acknowledgements),
        "file": job.file,
        "profile": job.profile,
        "target": job.key.target.id,
        "started": job.started,
        "noun": job.noun,
        "batches": job.batches,
        "acknowledged": len(acknowledgements),
    }
