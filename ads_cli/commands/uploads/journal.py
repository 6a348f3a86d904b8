"""Open the journal of a push: a new job, or one that is resumed."""

from collections.abc import Mapping
from datetime import datetime

from ... import __version__
from ...console.invocation import Invocation
from ...output.text import safe
from ...store.epochs import UploadTarget, WriteEpochs
from ...uploads.job import GROUP_VARIABLE, Job, JobKey, JobOptions, current_folder
from ...uploads.jobs import require_idle
from ...uploads.journal import Journal
from ...uploads.plan import Plan, this_second
from .reports import stored_resume_command


def open_journal(call: Invocation, plan: Plan, key: JobKey, *, resume: bool, job_id: str | None) -> Journal:
    """Start the job of a validated plan or resume one, and say which."""
    rows, started = plan.report.rows, plan.started
    job = new_job(call, key, plan.noun, file_of(plan), rows, plan.batch_count, started)
    return open_job(call, job, resume=resume, job_id=job_id, expected_epoch=plan.expected_epoch)


def new_job(
    call: Invocation,
    key: JobKey,
    noun: str,
    file: str,
    rows: int,
    batches: int,
    started: datetime | None = None,
) -> Job:
    """Describe a job of this command line."""
    return Job(
        job=call.client.trace.run_id,
        key=key,
        noun=noun,
        file=safe(file),
        rows=rows,
        batches=batches,
        started=f"{started or this_second():%Y-%m-%dT%H:%M:%SZ}",
        resume=stored_resume_command(call.command_line, noun),
        profile=call.settings.profile,
        folder=current_folder(),
    )


def document_key(target: UploadTarget, action: str, content: str, options: Mapping[str, str]) -> JobKey:
    """Return the key of a job that sends what a document says, which has no options of a feed."""
    upload: dict[str, str | int | bool | None] = {**options, "version": __version__}
    how = JobOptions(skip_invalid=False, format="yaml", encoding="utf-8", mapping={}, upload=upload)
    return JobKey(target, action, content, how)


def open_job(
    call: Invocation, job: Job, *, resume: bool, job_id: str | None, expected_epoch: str | None
) -> Journal:
    """Start a job, or resume one with its key, and say which."""
    trace = call.client.trace
    if group := call.settings.environ.get(GROUP_VARIABLE):
        job.group = f"{group} {job.action}"  # where one adds and another one removes, their order matters
    journal = Journal(
        call.settings.state_dir, job, resume=resume, job_id=job_id, expected_epoch=expected_epoch
    )
    trace.bind(job=journal.job.job)
    event = "resumed" if journal.resumed else "begun"
    trace.log(event, file=job.file, rows=job.rows, batches=job.batches)
    if journal.resumed:
        call.messages.say(f"resuming job {journal.job.job}: {_acknowledged(journal)} are acknowledged")
    elif journal.restart_reason:
        call.messages.say(f"nothing to resume, starting from the beginning: {journal.restart_reason}")
    elif journal.has_unfinished_job:
        call.messages.say(f"an earlier {job.action} of this file is unfinished; resume it with: {job.resume}")
    return journal


def file_of(plan: Plan) -> str:
    """Name the file of a plan, as its job does."""
    return safe(plan.rows.source.identity)


def _acknowledged(journal: Journal) -> str:
    """Say what earlier runs have sent."""
    return f"{len(journal.acknowledged):,} of {journal.job.batches:,} batches"


def current_epoch(call: Invocation, target: UploadTarget) -> str:
    """Return the write epoch of an upload target, which whatever else changes it from now on will end.

    Raises StateError where another run is changing the target, since that began before.
    """
    epochs = WriteEpochs(call.settings.state_dir)
    epoch = epochs.current(target) or epochs.begin(target)
    require_idle(call.settings.state_dir, target)
    return epoch
