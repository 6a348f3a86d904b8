"""Open the journal of a push: a new job, or one that is resumed."""

from datetime import datetime

from ...console.invocation import Invocation
from ...output.text import safe
from ...people_masking import mask_people
from ...runs.job import GROUP_VARIABLE, Job, JobKey, current_folder
from ...runs.jobs import require_idle
from ...runs.journal import Journal
from ...runs.plan import Plan, this_second
from ...store.epochs import UploadTarget, WriteEpochs
from .reports import stored_resume_command


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


def open_journal(call: Invocation, plan: Plan, key: JobKey, *, resume: bool, job_id: str | None) -> Journal:
    """Start the job of a validated plan or resume one, and say which."""
    trace, rows, started = call.client.trace, plan.file.report.rows, plan.started
    job = new_job(call, key, plan.noun, file_of(plan), rows, plan.batch_count, started)
    if group := call.settings.environ.get(GROUP_VARIABLE):
        job.group = f"{group} {job.action}"  # where one adds and another one removes, their order matters
    state_dir, expected = call.settings.state_dir, plan.expected_epoch
    journal = Journal(state_dir, job, resume=resume, job_id=job_id, expected_epoch=expected)
    trace.bind(job=journal.job.job)
    event = "resumed" if journal.resumed else "begun"
    trace.log(event, file=job.file, rows=job.rows, batches=job.batches)
    if journal.resumed:
        sent = f"{len(journal.acknowledged):,} of {journal.job.batches:,} batches"
        call.messages.say(f"resuming job {journal.job.job}: {sent} are acknowledged")
    elif journal.restart_reason:
        call.messages.say(f"nothing to resume, starting from the beginning: {journal.restart_reason}")
    elif journal.has_unfinished_job:
        earlier = f"an earlier {job.action} of this file is unfinished, and this one begins again"
        call.messages.say(f"{earlier}; resume it in place of that with: {job.resume}")
    return journal


def file_of(plan: Plan) -> str:
    """Name the file of a plan, as its job does; that of people may be named after one of them."""
    rows = plan.file.rows
    name = safe(rows.source.identity)
    return mask_people(name) if rows.sensitive else name


def current_epoch(call: Invocation, target: UploadTarget) -> str:
    """Return the write epoch of an upload target, which whatever else changes it from now on will end.

    Raises StateError where another run is changing the target, since that began before.
    """
    epochs = WriteEpochs(call.settings.state_dir)
    epoch = epochs.current(target) or epochs.begin(target)
    require_idle(call.settings.state_dir, target)
    return epoch
