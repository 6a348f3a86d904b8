"""Show statistics: at once, or of many entities, months and segments by jobs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...console.invocation import Invocation
from ...console.parameters import argument, choice, flag, option
from ...errors import NotFoundError, UsageError
from ...output.text import counted, first_of
from ..uploads.options import with_options
from .options import ResultOptions, StatisticsOptions, StatsJobOptions

if TYPE_CHECKING:
    from ...statistics.analysis import Answers
    from ...statistics.answers import QueryResult
    from ...statistics.export import Export
    from ...statistics.query import StatsQuery


@with_options(options=StatisticsOptions, results=ResultOptions)
def get(
    ctx: typer.Context,
    options: StatisticsOptions,
    results: ResultOptions,
    raw: Annotated[bool, flag("Show the data as the service sends it")] = False,
) -> None:
    """Show what ads cost and brought, at once.

    One row for each entity and time. A day begins at midnight in the time zone of the account, by its offset
    of today. What people did is final after a day. What is charged is an estimate for three days, so ask for
    --since 3d each night. `stats export` is for many entities, months and segments.

    For example: adsctl stats get --since 7d --active --metrics impressions,clicks,billed_charge_local
    """
    from ...statistics.entities import EntityLookup
    from ...statistics.rows import ResultContext
    from .results import results_of

    call = Invocation.of(ctx, mutates=False)
    with results_of(results, call, options, raw=raw) as sink:
        calendar = options.calendar(call)
        lookup = EntityLookup(call.client, call.account)
        sink.report.query = query = options.query(lookup, calendar, sink.earlier)
        if raw:
            data = [record for few in _answers(call, query) for answer in few for record in answer.data]
            call.printer.show(data, ("id", "id_data"), "id")
            return
        described = lookup.describe(query.entity, query.ids)
        about = ResultContext(query, described, calendar, call.settings.names, call.account, set(), set())
        sink.take(about, partial(_answers, call))


def _answers(call: Invocation, query: "StatsQuery") -> "Iterator[list[QueryResult]]":
    """Ask for statistics, with progress."""
    from ...console.progress import progress
    from ...statistics.answers import answers, request_count

    with progress(
        call.messages, "Asking for statistics", request_count(query), noun="requests"
    ) as on_progress:
        yield from answers(call.client, call.account, query, on_progress)


def report(
    ctx: typer.Context,
    files: Annotated[list[str], argument("FILE...", "Rows of stats get or export: .csv, .tsv, .jsonl")],
    out: Annotated[str, option("FILE.html", "Where to write the page", "--report")],
    title: Annotated[str | None, option("TEXT", "The title of the page")] = None,
    logo: Annotated[str | None, option("FILE", "A picture at its top: png, jpeg or svg, up to 1 MB")] = None,
    force: Annotated[bool, flag("Replace an existing file")] = False,
) -> None:
    """Write one page over the rows of several files, such as those of all accounts of a fleet, offline.

    Amounts are added up by currency, and days are those of each account. Rows that were written with
    --compare show the change. A row that is in several files counts once, as the last of them has it.

    For example: adsctl stats report shop-a.jsonl shop-b.jsonl --report clients.html --title November
    """
    from ...statistics.stored_rows import read_stored
    from .page import StatsReport
    from .results import MOST_NAMED

    call = Invocation.of(ctx, mutates=False)
    page = StatsReport(call, out, force=force)
    page.set_heading(title, logo)
    stored = read_stored(map(Path, files))
    page.query, page.rows, page.accounts = stored.query, stored.gathered, stored.accounts
    page.earlier = "an earlier period" if stored.is_compared else ""
    notes = list[str]()
    if stored.is_compared_in_part:
        notes.append("Nothing is compared: some of the rows were written without --compare.")
    if stored.left_out:
        names = first_of(stored.left_out, MOST_NAMED)
        notes.append(f"Left out, since not all of the files have it: {names}.")
        call.messages.warn(f"left out, since not all of the files have it: {names}")
    if stored.negative:
        names = first_of(stored.negative, MOST_NAMED)
        notes.append(f"Below 0 in some rows: {names}.")
        call.messages.warn(f"hard to believe, since it is below 0 in some rows: {names}")
    page.note = " ".join(notes)
    page.write()


def get_job(ctx: typer.Context, job_id: Annotated[str, argument("JOB_ID", "Its id_str")]) -> None:
    """Show one job of `stats export`: whether it has ended, and where its result is.

    For example: adsctl stats jobs get 1638457211049000000
    """
    from ...api.parts import path_segment
    from ...api.statistics import ListJobs
    from ...console.results import show

    call = Invocation.of(ctx, mutates=False)
    path_segment(job_id, "JOB_ID")
    request = ListJobs(account_id=call.account, job_ids=[job_id])
    jobs = [job for job in call.client.call(request).records if str(job.get("id_str")) == job_id]
    if not jobs:
        raise NotFoundError(
            f"there is no job {job_id}", hint="'adsctl stats jobs list' shows those there are"
        )
    show(call, request, jobs[0])


@with_options(options=StatsJobOptions, results=ResultOptions)
def export(
    ctx: typer.Context,
    options: StatsJobOptions,
    results: ResultOptions,
    file: Annotated[
        str | None,
        argument("FILE", "Where to write: .csv, .tsv, .jsonl, .xlsx or .parquet (default: standard output)"),
    ] = None,
    segment_by: Annotated[
        Literal["AGE", "GENDER", "METROS", "PLATFORMS", "CONVERSION_TAGS"] | None,
        choice("A row for each segment of the people", case_sensitive=False),
    ] = None,
    country: Annotated[str | None, option("VALUE", "Of METROS: the targeting value of a country")] = None,
    platform: Annotated[str | None, option("VALUE", "Only of this platform, by its targeting value")] = None,
    resume: Annotated[bool, flag("Go on with an export that was stopped, by the jobs it made")] = False,
) -> None:
    """Export what ads cost and brought, of any number of entities and months.

    The service computes it by jobs of 20 entities and 90 days, 45 with segments. They are created, waited
    for, downloaded and checked, and then the rows are written. A file is written whole or not at all. Rows of
    --into replace those of an earlier run, so that a nightly --since 3d corrects what was estimated. Days
    follow each other there, though the clock was changed.

    For example: adsctl stats export clicks.csv --since last-month --all --metrics clicks,billed_charge_local
    """
    from ...statistics.entities import EntityLookup
    from ...statistics.query import require_segments
    from ...statistics.rows import ResultContext
    from .results import results_of

    call = Invocation.of(ctx, mutates=False)
    named = None if file == "-" else file
    with results_of(results, call, options, file=named, has_segments=bool(segment_by)) as sink:
        if platform and results.into:
            raise UsageError(
                "--platform cannot be used with --into", hint="--segment-by PLATFORMS has a row for each"
            )
        calendar = options.calendar(call)
        lookup = EntityLookup(call.client, call.account)
        segments = {"segmentation": segment_by, "country": country, "platform": platform}
        sink.report.query = query = options.query(lookup, calendar, sink.earlier, **segments)
        require_segments(query)
        described = lookup.describe(query.entity, query.ids)
        about = ResultContext(query, described, calendar, call.settings.names, call.account, set(), set())
        with ExitStack() as until_taken:

            def answers_of(query: "StatsQuery") -> "Answers":
                return until_taken.enter_context(_exported(call, query, resume=resume)).answers()

            sink.take(about, answers_of)


@contextmanager
def _exported(call: Invocation, query: "StatsQuery", *, resume: bool) -> "Iterator[Export]":
    """Yield an export whose results are all downloaded, and remove them afterwards if nothing fails."""
    from ...console.progress import progress
    from ...statistics.export import Export
    from ...statistics.export_folder import ExportFolder

    folder = ExportFolder(call.settings.state_dir, call.service, call.account, query)
    with folder.opened(resume=resume) as is_resumed:
        running = Export(call.client, call.account, query, folder, call.messages.note)
        if is_resumed:
            _say_resumed(call, running, len(folder.results))
        elif resume:
            call.messages.say(
                "nothing to resume: no export of the same rows was stopped in the last two days"
            )
        with progress(call.messages, "Waiting for jobs", running.jobs, noun="jobs") as on_progress:
            running.run(on_progress)
        yield running
        folder.remove()


def _say_resumed(call: Invocation, running: "Export", downloaded: int) -> None:
    """Say what an earlier run has done already."""
    call.messages.say(f"resumed: {downloaded} of {running.jobs} results were downloaded before")
    if jobs := running.find_jobs():
        call.messages.say(f"{counted(jobs, 'job')} found again that an earlier run had made")
