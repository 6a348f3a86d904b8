"""Show statistics at once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ...console.invocation import Invocation
from ..uploads.options import with_options
from .options import StatisticsOptions
from .results import ResultOptions, StatsReport

if TYPE_CHECKING:
    from ...statistics.query import StatsQuery
    from ...statistics.rows import QueryResult


@with_options(asked=StatisticsOptions, results=ResultOptions)
def get(
    ctx: typer.Context,
    asked: StatisticsOptions,
    results: ResultOptions,
    raw: Annotated[bool, typer.Option("--raw", help="Show the data as the service sends it")] = False,
) -> None:
    """Show what ads cost and brought, at once.

    One row for each entity and time. A day begins at midnight in the time zone of the account, by its
    offset of today. What people did is final after a day; what is charged is an estimate for three days, so
    ask for --since 3d each night. `stats export` is for many entities, months and segments.

    For example: adsctl stats get --since 7d --active --metrics impressions,clicks,billed_charge_local
    """
    from ...statistics.entities import EntityLookup
    from ...statistics.rows import ResultContext

    call = Invocation.of(ctx, mutates=False)
    with results.written(call, asked, raw=raw) as sink:
        calendar = asked.calendar(call)
        directory = EntityLookup(call.client, call.account)
        period = calendar.period(asked.since, asked.until, asked.granularity)
        sink.report.question = question = asked.question(directory, period)
        if raw:
            data = [record for few in _answers(call, question) for answer in few for record in answer.data]
            call.printer.show(data, ("id", "id_data"), "id")
            return
        described = directory.describe(question.entity, question.ids)
        about = ResultContext(question, described, calendar, call.settings.names, call.account, set())
        again = [(each, _answers(call, each)) for each in sink.questions_again(about)]
        earlier = sink.earlier(about)
        before = (earlier, _answers(call, earlier.question)) if earlier else None
        sink.take(about, _answers(call, question), again, before)


def _answers(call: Invocation, question: "StatsQuery") -> "Iterator[list[QueryResult]]":
    """Ask for statistics, with progress."""
    from ...console.progress import progress
    from ...statistics.fetch import answers, request_count

    with progress(
        call.messages, "Asking for statistics", request_count(question), noun="request"
    ) as on_progress:
        yield from answers(call.client, call.account, question, on_progress)


def report(
    ctx: typer.Context,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Rows of stats get or export: .csv, .tsv, .jsonl")
    ],
    out: Annotated[str, typer.Option("--report", metavar="FILE.html", help="Where to write the page")],
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The title of the page")] = None,
    logo: Annotated[
        str | None, typer.Option(metavar="FILE", help="A picture at its top: png, jpeg or svg, up to 1 MB")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file")] = False,
) -> None:
    """Write one page over the rows of several files, such as those of all accounts of a fleet, offline.

    Amounts are added up by currency, and days are those of each account. Rows that were written with
    --compare show the change. A row that is in several files counts once, as the last of them has it.

    For example: adsctl stats report shop-a.jsonl shop-b.jsonl --report clients.html --title November
    """
    from pathlib import Path

    from ...statistics.stored_rows import read_stored

    call = Invocation.of(ctx, mutates=False)
    page = StatsReport(call, out, force=force)
    page.set_heading(title, logo)
    stored = read_stored(map(Path, files))
    page.question, page.rows, page.accounts = stored.question, stored.gathered, stored.accounts
    page.earlier = "the period that it was compared with" if stored.is_compared else ""
    page.write()


def get_job(
    ctx: typer.Context, job_id: Annotated[str, typer.Argument(metavar="JOB_ID", help="Its id_str")]
) -> None:
    """Show one job of `stats export`: whether it has ended, and where its result is.

    For example: adsctl stats jobs get 1638457211049000000
    """
    from ...api.fields import path_segment
    from ...api.statistics import ListJobs
    from ...console.results import show
    from ...errors import NotFoundError

    call = Invocation.of(ctx, mutates=False)
    path_segment(job_id, "JOB_ID")
    request = ListJobs(account_id=call.account, job_ids=[job_id])
    jobs = [job for job in call.client.call(request).records if str(job.get("id_str")) == job_id]
    if not jobs:
        raise NotFoundError(
            f"there is no job {job_id}", hint="'adsctl stats jobs list' shows those there are"
        )
    show(call, request, jobs[0])
