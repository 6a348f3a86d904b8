"""Find what an earlier run may have created or sent already."""

from typing import TYPE_CHECKING

from ...errors import UsageError
from ...runs.creations import begin_creation
from ...runs.job import BEGUN_VARIABLE, EARLIER_VARIABLE, current_folder
from ...runs.jobs import TaskJobs
from .reports import resume_command
from .sending import Sending

if TYPE_CHECKING:
    from ...records.plan import BatchPlan


def find_earlier(sending: Sending, plan: "BatchPlan") -> None:
    """Refuse to create, or to send, what an earlier run may have created or sent.

    Note in the plan the run that is resumed, or that one of this task of a fleet has sent everything.
    """
    if not plan.upload.creates:
        return
    call, key, is_resumed = sending.call, sending.key, sending.is_resumed
    if plan.upload.uncertain and not is_resumed:  # which would send everything again
        raise UsageError("--uncertain: decides for a run that is resumed", hint="add --resume")
    state_dir, environ = call.settings.state_dir, call.settings.environ
    if task := environ.get(EARLIER_VARIABLE):
        jobs = TaskJobs(state_dir, key, resume_command(call.command_line), task)
        plan.ended = jobs.ended()
        if plan.ended:
            return
        is_resumed = is_resumed and jobs.can_be_resumed
    creation, is_task = plan.creation(key, current_folder()), BEGUN_VARIABLE in environ
    plan.resumes, plan.expected_epoch = begin_creation(
        state_dir, creation, call.messages.warn, resume=is_resumed, is_task=is_task
    )
