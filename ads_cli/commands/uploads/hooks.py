"""Where push commands differ from one another."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from ...output.text import counted, singular

if TYPE_CHECKING:
    from ...api.endpoint import Request
    from ...batches.plan import BatchPlan
    from ...console.invocation import Invocation
    from ...uploads.job import Job
    from ...uploads.journal import Journal
    from ...uploads.plan import Plan
    from ...uploads.push import PushResult, Summary
    from ...validation.report import ValidationReport


# A sync of the rejected rows alone would take every other one for gone.
CORRECT_AND_SYNC = "correct these rows in the file that was read, and sync that again"


class PushHooks(msgspec.Struct, kw_only=True):
    """What a command may do in its own way while it pushes; here as most of them do it."""

    call: "Invocation"
    plan: "Plan"
    activity: str = "Pushing"
    correction: str = ""  # what to do with rejected rows, where their file cannot be pushed
    rejected_hint: str = ""  # what may be wrong with rows that the service rejects
    is_one_change: bool = True  # in the log of changes; else each request is one
    invalid_hint: str = ""  # what else may be done about invalid rows
    ended_job: "Job | None" = None  # which has sent everything, and is only shown

    def skips(self, report: "ValidationReport") -> bool:
        """Tell whether invalid rows are skipped without --skip-invalid."""
        return False

    def validated(self) -> None:
        """Reduce or extend the rows that are due, once the file is valid."""

    def count_changed(self) -> int | None:
        """Count the rows that --changed would send, where that is known."""
        return None

    def show_dry_run(self, summary: "Summary") -> None:
        """Say what would be sent."""
        from ...uploads.push import build_requests
        from .validation import say_estimate

        where = ""
        for prepared in build_requests(self.call.client, self.plan):
            where = f", {prepared.method} {prepared.url}"
        rows, requests = counted(self.plan.due, "row"), counted(self.plan.batch_count, "request")
        self.call.messages.say(f"dry run: would send {rows} in {requests}{where}")
        say_estimate(self.call, self.plan, self.count_changed)
        self.ended(summary, None)
        self.show_summary(summary)

    def approve(self) -> None:
        """Let the guard judge the run before its first request."""
        self.call.writes.approve_push(self.plan, self.compared())

    def compared(self) -> Iterable[object]:
        """Yield what was compared to find out what is due, for the plan of an assistant."""
        return ()

    def confirm(self) -> None:
        """Ask before the first request, where the endpoint says so."""
        what = counted(self.plan.due, singular(self.plan.noun), self.plan.noun)
        confirm_request(self.call, self.plan.upload.request, what)

    def begin(self, journal: "Journal") -> None:
        """Do what the first request needs, once there is a journal."""

    def shortfall(self) -> str:
        """Say what the upload target does not keep as it has acknowledged it; empty where it does."""
        return ""

    def ended(self, summary: "Summary", result: "PushResult | None") -> None:
        """Receive the result of a run; None of a dry run."""

    def show_result(self, summary: "Summary", journal: "Journal") -> None:
        """Print the result of a run."""
        self.show_summary(summary)

    def show_summary(self, summary: "Summary") -> None:
        """Print a summary."""
        from .reports import show_summary

        show_summary(self.call.printer, summary, self.plan.rows.source.label)


class OnceHooks(PushHooks, kw_only=True):
    """The hooks of sending what the service may not receive twice.

    `confirm` sets `ended_job` where an earlier job has sent everything, or what of the plan is resumed.
    """

    plan: "BatchPlan"
    is_resumed: bool
    skip_invalid: bool = False

    def confirm(self) -> None:
        """Refuse to create, or to send, what an earlier run may have created or sent."""
        from ...batches.creation_runs import begin_creation
        from ...uploads.job import BEGUN_VARIABLE, EARLIER_VARIABLE, current_folder
        from ...uploads.jobs import TaskJobs
        from .reports import resume_command

        if not self.plan.upload.creates:
            return
        state_dir = self.call.settings.state_dir
        key = self.plan.key(self.call.service, skip_invalid=self.skip_invalid)
        is_resumed = self.is_resumed
        if task := self.call.settings.environ.get(EARLIER_VARIABLE):
            command = resume_command(self.call.command_line)
            jobs = TaskJobs(state_dir, key, command, task)
            self.ended_job = jobs.ended()
            if self.ended_job:
                return
            is_resumed = is_resumed and jobs.can_be_resumed
        creation = self.plan.creation(key, current_folder())
        is_task, warn = BEGUN_VARIABLE in self.call.settings.environ, self.call.messages.warn
        start = begin_creation(state_dir, creation, warn, resume=is_resumed, is_task=is_task)
        self.plan.resumes, self.plan.expected_epoch = start.resumes, start.expected_epoch


def confirm_request(call: "Invocation", request: "Request", rows: str) -> None:
    """Ask before requests that destroy rows, as their endpoint says."""
    if prompt := request.endpoint.confirm_prompt:
        call.confirm(prompt.format(rows=rows, **msgspec.structs.asdict(request)))
