"""Show one job of statistics."""

from typing import Annotated

import typer

from ..console.invocation import Invocation


def get_job(
    ctx: typer.Context, job_id: Annotated[str, typer.Argument(metavar="JOB_ID", help="Its id_str")]
) -> None:
    """Show one job of `stats export`: whether it has ended, and where its result is.

    For example: adsctl stats jobs get 1638457211049000000
    """
    from ..api.ids import path_segment
    from ..api.statistics import ListJobs
    from ..console.results import show
    from ..errors import NotFoundError

    call = Invocation.of(ctx, mutates=False)
    path_segment(job_id, "JOB_ID")
    request = ListJobs(account_id=call.account, job_ids=[job_id])
    jobs = [job for job in call.client.call(request).records if str(job.get("id_str")) == job_id]
    if not jobs:
        raise NotFoundError(
            f"there is no job {job_id}", hint="'adsctl stats jobs list' shows those there are"
        )
    show(call, request, jobs[0])
