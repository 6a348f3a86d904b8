"""Answers of statistics by jobs, with progress, resumed where an earlier run was stopped."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...console.invocation import Invocation
from ...console.progress import progress
from ...output.text import counted
from ...statistics.export import Export
from ...statistics.export_folder import ExportFolder
from ...statistics.query import StatsQuery


@contextmanager
def exported(call: Invocation, query: StatsQuery, *, resume: bool) -> Iterator[Export]:
    """Yield an export whose results are all downloaded, and remove them afterwards if nothing fails."""
    with opened_export(call, query, resume=resume) as (running, is_resumed):
        if resume and not is_resumed:
            call.messages.say(
                "nothing to resume: no export of the same rows was stopped in the last two days"
            )
        wait_for(call, running)
        yield running


@contextmanager
def opened_export(call: Invocation, query: StatsQuery, *, resume: bool) -> Iterator[tuple[Export, bool]]:
    """Yield an export, and whether it is resumed; remove its results afterwards if nothing fails."""
    folder = ExportFolder(call.settings.state_dir, call.service, call.account, query)
    with folder.opened(resume=resume) as is_resumed:
        running = Export(call.client, call.account, query, folder, call.messages.note)
        if is_resumed:
            _say_resumed(call, running, len(folder.results))
        yield running, is_resumed
        folder.remove()


def wait_for(call: Invocation, running: Export) -> None:
    """Download all results of an export, with progress."""
    with progress(call.messages, "Waiting for jobs", running.jobs, noun="jobs") as on_progress:
        running.run(on_progress)


def _say_resumed(call: Invocation, running: Export, downloaded: int) -> None:
    """Say what an earlier run has done already."""
    call.messages.say(f"resumed: {downloaded} of {running.jobs} results were downloaded before")
    if jobs := running.find_jobs():
        call.messages.say(f"{counted(jobs, 'job')} found again that an earlier run had made")
