"""Open the journal of a push: a new job, or one that is resumed."""

from ...console.invocation import Invocation
from ...output.text import safe
from ...uploads.job_file import GROUP_VARIABLE, Job, JobKey, UploadTarget, current_folder
from ...uploads.jobs import require_idle
from ...uploads.journal import Journal
from ...uploads.plan import Plan
from ...uploads.write_epochs import WriteEpochs
from .reports import resume_command


def open_journal(call: Invocation, plan: Plan, key: JobKey, *, resume: bool, job_id: str | None) -> Journal:
    """Start the job of a validated plan or resume one, and say which."""
    job = Job(
        job=call.client.trace.run_id,
        key=key,
        noun=plan.noun,
        file=file_of(plan),
        rows=plan.report.rows,
        batches=plan.batch_count,
        started=f"{plan.started:%Y-%m-%dT%H:%M:%SZ}",
        resume=resume_command(call.command_line),
        profile=call.settings.profile,
        folder=current_folder(),
        parts=plan.parts,
    )
    return open_job(call, job, resume=resume, job_id=job_id, expected_epoch=plan.expected_epoch)


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
    batches, job = len(journal.acknowledged), journal.job
    if job.parts:
        return f"{len(journal.sent_parts):,} of {job.parts:,} files, and {batches:,} batches,"
    return f"{batches:,} of {job.batches:,} batches"


def current_epoch(call: Invocation, place: UploadTarget) -> str:
    """Return the write epoch of a place, which whatever else changes it from now on will end.

    Raises StateError where another run is changing the place, since that began before.
    """
    epochs = WriteEpochs(call.settings.state_dir)
    epoch = epochs.current(place) or epochs.begin(place)
    require_idle(call.settings.state_dir / "jobs", place)
    return epoch
