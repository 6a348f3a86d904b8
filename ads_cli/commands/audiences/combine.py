"""Combine audiences to new ones."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...console.invocation import Invocation
from ...console.options import NESTED_METAVAR
from ...console.parameters import choice, option
from ...console.shown import Result, shows
from ...errors import UsageError
from ...runs import Uncertain
from ...spelling import comma_list
from ..runs.options import Format, RejectedOptions, Resume, with_options

if TYPE_CHECKING:
    from ...api.audiences import CombineAudience

IDS = "AUDIENCE,..."
TREES = "--any-of, --all-of and --segments"
HELP = "adsctl audiences combine --help"


class FileOptions(RejectedOptions, frozen=True):
    """How a file of several combinations is read and sent."""

    format: Format = None
    resume: Resume = False
    uncertain: Annotated[
        Uncertain | None,
        choice("With --resume: what to do with audiences whose answer was lost, which may exist"),
    ] = None


@shows(Result("ads_cli.api.audiences:CombineAudiences", is_list=False))
@with_options(batch=FileOptions)
def combine(
    ctx: typer.Context,
    name: Annotated[str | None, option("NAME", "Unique in the account")] = None,
    any_of: Annotated[str | None, option(IDS, "People of any of these audiences")] = None,
    all_of: Annotated[str | None, option(IDS, "People of all of these audiences")] = None,
    segments: Annotated[
        str | None, option(NESTED_METAVAR, "A tree of segments, as the service describes it")
    ] = None,
    file: Annotated[
        str | None,
        option(
            "FILE",
            "Read name, audience_type and segments from a file; several are sent 10 at a time",
            "--file",
            "-f",
        ),
    ] = None,
    *,
    batch: FileOptions,
) -> None:
    """Create an audience that is combined from mobile audiences, at most 10. It cannot be changed.

    The service offers this as a beta, to selected accounts only.

    For example: adsctl audiences combine --name 'Users of the app' --any-of 1nmw1,1nmw2
    """
    from ...api.audiences import CombineAudiences
    from ...api.parts import encode_operation, operation
    from ...console.results import show, show_prepared

    call = Invocation.of(ctx)
    request = _request(call, {"name": name, "segments": _tree(any_of, all_of, segments)}, file, batch)
    if request is None:
        return
    body = [b"[", encode_operation(operation(request, call.settings.names)), b"]"]
    prepared = call.client.prepare(CombineAudiences(account_id=call.account), body)
    if call.dry_run:
        show_prepared(call, prepared)
        return
    show(call, request, call.client.exchange(prepared).data)


def _request(
    call: Invocation, options: dict[str, Any], file: str | None, batch: FileOptions
) -> "CombineAudience | None":
    """Return the combination that options say; None where those of a file were sent."""
    from ...api.audiences import CombineAudience
    from ...console.request_input import RequestInput, refuse_several
    from ..requests.names import NamesInRequests

    resolve = NamesInRequests(call, CombineAudience).resolve
    values = {"account_id": call.account, **options}
    batch_options = {name: value for name in batch.__struct_fields__ if (value := getattr(batch, name))}
    if not file:
        refuse_several(batch_options)
        if options["segments"] is None:
            raise UsageError(f"give one of {TREES}, or --file", hint=HELP)
        combined = RequestInput(CombineAudience, resolve=resolve)
        return combined.request(values | {"audience_type": "FLEXIBLE"})
    from ..records import BatchOptions, send_records

    request_input = RequestInput(CombineAudience, call.settings.service, resolve=resolve)
    return send_records(call, request_input, file, values, BatchOptions(**batch_options))


def _tree(any_of: str | None, all_of: str | None, segments: str | None) -> Any:
    """Return the tree that an option describes; raise UsageError for several."""
    trees = [option for option in (any_of, all_of, segments) if option is not None]
    if len(trees) > 1:
        raise UsageError(f"give one of {TREES}", hint=HELP)
    if not trees or segments is not None:
        return segments
    ids = comma_list(trees[0])
    if not ids:
        raise UsageError(f"{'--any-of' if any_of is not None else '--all-of'}: names no audience", hint=HELP)
    leaves = [{"custom_audience_id": audience, "negate": False, "child_segments": []} for audience in ids]
    operator = "OR" if any_of is not None else "AND"
    return {"boolean_operator": operator, "negate": False, "child_segments": leaves}
