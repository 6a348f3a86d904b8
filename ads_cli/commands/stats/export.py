"""Export statistics to a file or a database, by jobs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...console.invocation import Invocation
from ..uploads.options import with_options
from .options import StatsJobOptions
from .results import ResultOptions

if TYPE_CHECKING:
    from ...statistics.export import Export
    from ...statistics.query import StatsQuery


@with_options(asked=StatsJobOptions, results=ResultOptions)
def export(
    ctx: typer.Context,
    asked: StatsJobOptions,
    results: ResultOptions,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Where to write: .csv, .tsv, .jsonl, .xlsx or .parquet (default: standard output)",
        ),
    ] = None,
    segment_by: Annotated[
        Literal["AGE", "GENDER", "METROS", "PLATFORMS", "CONVERSION_TAGS"] | None,
        typer.Option(case_sensitive=False, help="A row for each segment of the people"),
    ] = None,
    country: Annotated[
        str | None, typer.Option(metavar="VALUE", help="Of METROS: the targeting value of a country")
    ] = None,
    platform: Annotated[
        str | None, typer.Option(metavar="VALUE", help="Only of this platform, by its targeting value")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an export that was stopped, by the jobs it made")
    ] = False,
) -> None:
    """Export what ads cost and brought, of any number of entities and months.

    The service computes it by jobs of 20 entities and 90 days, 45 with segments: they are made, waited for,
    downloaded and checked, and then the rows are written. A file is written whole or not at all; rows of
    --into replace those of an earlier run, so that a nightly --since 3d corrects what was estimated: days
    follow each other there, though the clock was changed.

    For example: adsctl stats export clicks.csv --since last-month --all --metrics clicks,billed_charge_local
    """
    from ...errors import UsageError
    from ...statistics.entities import EntityLookup
    from ...statistics.query import require_segments
    from ...statistics.rows import ResultContext

    call = Invocation.of(ctx, mutates=False)
    named = None if file == "-" else file
    with results.written(call, asked, file=named, has_segments=bool(segment_by)) as sink:
        if platform and results.into:
            raise UsageError(
                "--platform cannot be used with --into", hint="--segment-by PLATFORMS has a row for each"
            )
        calendar = asked.calendar(call)
        period = calendar.period(asked.since, asked.until, asked.granularity)
        directory = EntityLookup(call.client, call.account)
        segments = {"segmentation": segment_by, "country": country, "platform": platform}
        sink.report.question = question = asked.question(directory, period, **segments)
        require_segments(question)
        described = directory.describe(question.entity, question.ids)
        about = ResultContext(question, described, calendar, call.settings.names, call.account, set())
        earlier = sink.earlier(about)
        asked_before = [earlier.question] if earlier else []
        with ExitStack() as until_taken:
            done = [
                (each, until_taken.enter_context(_exported(call, each, resume=resume)).answers())
                for each in (question, *asked_before, *sink.questions_again(about))
            ]
            (_, answers), *again = done
            before = (earlier, again.pop(0)[1]) if earlier else None
            sink.take(about, answers, again, before)


@contextmanager
def _exported(call: Invocation, question: "StatsQuery", *, resume: bool) -> "Iterator[Export]":
    """Yield an export whose results are all downloaded, and remove them afterwards if nothing fails."""
    from ...console.progress import progress
    from ...statistics.export import Export
    from ...statistics.export_folder import ExportFolder

    folder = ExportFolder(call.settings.state_dir, call.service, call.account, question)
    with folder.opened(resume=resume) as is_resumed:
        running = Export(call.client, call.account, question, folder, call.messages.note)
        if is_resumed:
            _say_resumed(call, running, len(folder.done))
        with progress(call.messages, "Waiting for jobs", running.jobs, noun="job") as on_progress:
            running.run(on_progress)
        yield running
        folder.remove()


def _say_resumed(call: Invocation, running: "Export", downloaded: int) -> None:
    """Say what an earlier run has done already."""
    from ...output.text import counted

    call.messages.say(f"resumed: {downloaded} of {running.jobs} results were downloaded before")
    if found := running.find_jobs():
        call.messages.say(f"{counted(found, 'job')} found again that an earlier run had made")
