"""Show statistics: at once, or of many entities, months and segments by jobs."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from ...console.invocation import Invocation
from ...console.parameters import argument, choice, flag, option
from ...console.shown import Result, shows
from ...errors import NotFoundError, UsageError
from ..runs.options import with_options
from .options import ResultOptions, StatisticsOptions, StatsJobOptions

if TYPE_CHECKING:
    from ...statistics.analysis import Answers
    from ...statistics.answers import QueryResult
    from ...statistics.query import StatsQuery


ROWS = Result("ads_cli.statistics.rows:StatisticsRow", "entity_id", is_open=True)  # with metrics beside
NO_MIRROR = (
    "write the accounts with 'adsctl mirror run --into sqlite:ads.db', then read them: --from sqlite:ads.db"
)


@shows(ROWS, Result(dict[str, Any]))
@with_options(options=StatisticsOptions, results=ResultOptions)
def get(
    ctx: typer.Context,
    options: StatisticsOptions,
    results: ResultOptions,
    raw: Annotated[bool, flag("Show the data as the service sends it")] = False,
    from_: Annotated[
        str | None, option("sqlite:FILE|ADDRESS", "Read a mirror, and ask the service for nothing", "--from")
    ] = None,
) -> None:
    """Show what ads cost and brought, at once.

    One row for each entity and time. A day begins at midnight in the time zone of the account, by its offset
    of today. What people did is final after a day. What is charged is an estimate for three days, so ask for
    --since 3d each night. `stats export` is for many entities, months and segments.

    For example: adsctl stats get --since 7d --active --metrics impressions,clicks,billed_charge_local
    """
    from ...console.results import name_others
    from ...statistics.entities import EntityLookup
    from ...statistics.rows import ResultContext
    from .results import results_of

    call = Invocation.of(ctx, mutates=False)
    if from_:
        _get_from_mirror(call, options, results, from_, raw=raw)
        return
    with results_of(results, call, options, raw=raw) as sink:
        sink.report.account_names, calendar = options.account(call)
        sink.report.zone = calendar.zone
        lookup = EntityLookup(call.client, call.account)
        name_others(call)
        sink.report.query = query = options.with_ids(call).query(lookup, calendar, sink.earlier)
        if raw:
            data = [record for few in _answers(call, query) for answer in few for record in answer.data]
            call.printer.show(data, ("id", "id_data"), "id")
            return
        described = lookup.describe(query.entity, query.ids)
        about = ResultContext(query, described, calendar, call.settings.names, call.account, set(), set())
        sink.take(about, partial(_answers, call))


def _get_from_mirror(
    call: Invocation, options: StatisticsOptions, results: ResultOptions, address: str, *, raw: bool
) -> None:
    """Show statistics of a mirror."""
    from ...console.mirror_address import opened_mirror
    from .mirrored import the_account
    from .results import results_of

    for name, is_given in (("--raw", raw), ("--into", results.into)):
        if is_given:
            raise UsageError(f"--from cannot be used with {name}", hint="a mirror has rows already")
    with opened_mirror(call, address) as destination:
        account = the_account(call, destination)
        call = call.with_flags({"account": account.account})
        with results_of(results, call, options) as sink:
            sink.report.account_names = {account.account: account.name}
            if options.ids:
                ids = account.ids_of(options.kind, options.ids)
                options = msgspec.structs.replace(options, ids=",".join(ids))
            sink.report.query = query = options.query(account, account.calendar, sink.earlier)
            if missing := account.missing_days(query, sink.earlier(query)):
                call.messages.warn(missing)

            def answers_of(asked: "StatsQuery") -> "Answers":
                return account.answers(asked, blank=bool(missing) and asked.period != query.period)

            sink.take(account.context(call, query), answers_of)


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
    from_: Annotated[str, option("sqlite:FILE|ADDRESS", "The mirror", "--from", hint=NO_MIRROR)],
    out: Annotated[str | None, option("FILE.html", "Where to write the page", "--report")] = None,
    since: Annotated[str, option("TIME", "From when, as for stats get")] = "last-week",
    until: Annotated[str | None, option("TIME", "Until when, which is not included")] = None,
    entity: Annotated[str, option("KIND", "Kind of entity")] = "CAMPAIGN",
    metrics: Annotated[str | None, option("A,B", "Groups or single metrics")] = None,
    title: Annotated[str | None, option("TEXT", "The title of the page")] = None,
    logo: Annotated[str | None, option("FILE", "A picture at its top: png, jpeg or svg, up to 1 MB")] = None,
    force: Annotated[bool, flag("Replace an existing file")] = False,
) -> None:
    """Write one page over all accounts in a mirror, compared with the period before, without a request.

    Amounts are added up by currency, and days are those of each account. --to writes a workbook with a sheet
    for accounts, campaigns and days, and --account chooses one account.

    For example: adsctl stats report --from sqlite:ads.db --report clients.html --title November
    """
    from .mirrored import fill_page
    from .page import StatsReport

    call = Invocation.of(ctx, mutates=False)
    open_workbook = call.parsed.open_result
    if not (out or open_workbook):
        raise UsageError("give --report FILE.html, --to FILE.xlsx, or both")
    page = StatsReport(call, out, force=force)
    page.set_heading(title, logo)
    options = StatisticsOptions(since, entity=entity, active=True, until=until, metrics=metrics)
    fill_page(call, page, options, from_)
    if open_workbook:
        from .workbook import write_workbook

        with open_workbook() as stream:
            write_workbook(stream.buffer, page)
    page.write()


@shows(Result("ads_cli.api.statistics:ListJobs", is_list=False))
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


@shows(ROWS)
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
    from .exported import exported
    from .results import results_of

    call = Invocation.of(ctx, mutates=False)
    named = None if file == "-" else file
    with results_of(results, call, options, file=named, has_segments=bool(segment_by)) as sink:
        if platform and results.into:
            raise UsageError(
                "--platform cannot be used with --into", hint="--segment-by PLATFORMS has a row for each"
            )
        sink.report.account_names, calendar = options.account(call)
        sink.report.zone = calendar.zone
        lookup = EntityLookup(call.client, call.account)
        segments = {"segmentation": segment_by, "country": country, "platform": platform}
        sink.report.query = query = options.with_ids(call).query(lookup, calendar, sink.earlier, **segments)
        require_segments(query)
        described = lookup.describe(query.entity, query.ids)
        about = ResultContext(query, described, calendar, call.settings.names, call.account, set(), set())
        with ExitStack() as until_taken:

            def answers_of(query: "StatsQuery") -> "Answers":
                return until_taken.enter_context(exported(call, query, resume=resume)).answers()

            sink.take(about, answers_of)
