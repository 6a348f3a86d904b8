"""Combine audiences to a new one."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from ..console.invocation import Invocation
from ..console.options import NESTED_METAVAR
from ..errors import UsageError

if TYPE_CHECKING:
    from ..api.audience_combinations import CombineOperation

IDS = "ID,..."
HELP = "adsctl audiences combine --help"


def combine(
    ctx: typer.Context,
    name: Annotated[str, typer.Option(metavar="NAME", help="Unique in the account")],
    any_of: Annotated[
        str | None, typer.Option("--any-of", metavar=IDS, help="People of any of these audiences")
    ] = None,
    all_of: Annotated[
        str | None, typer.Option("--all-of", metavar=IDS, help="People of all of these audiences")
    ] = None,
    segments: Annotated[
        str | None,
        typer.Option(metavar=NESTED_METAVAR, help="A tree of segments, as the service describes it"),
    ] = None,
) -> None:
    """Create an audience that is combined from mobile audiences, at most 10. It cannot be changed.

    The service offers this as a beta, to selected accounts only.

    For example: adsctl audiences combine --name 'Users of the app' --any-of 1nmw1,1nmw2
    """
    from ..api.audience_combinations import CombineAudiences
    from ..console.results import show, show_prepared

    call = Invocation.of(ctx)
    body = msgspec.json.encode([_operation(name, _tree(any_of, all_of, segments))])
    request = CombineAudiences(account_id=call.account)
    prepared = call.client.prepare(request, [body])
    if call.dry_run:
        show_prepared(call, prepared)
        return
    show(call, request, call.client.exchange(prepared).data)


def _tree(any_of: str | None, all_of: str | None, segments: str | None) -> Any:
    """Return the tree that the options describe; raise UsageError unless it is one of them."""
    given = [option for option in (any_of, all_of, segments) if option is not None]
    if len(given) != 1:
        raise UsageError("give one of --any-of, --all-of and --segments", hint=HELP)
    if segments is not None:
        from ..api.audience_combinations import Combination
        from ..api.fields import fields_of
        from ..console.request_input import read_value

        (field,) = (field for field in fields_of(Combination) if field.name == "segments")
        return read_value(field, segments)
    ids = [part.strip() for part in given[0].split(",") if part.strip()]
    leaves = [{"custom_audience_id": one, "negate": False, "child_segments": []} for one in ids]
    operator = "OR" if any_of is not None else "AND"
    return {"boolean_operator": operator, "negate": False, "child_segments": leaves}


def _operation(name: str, tree: Any) -> "CombineOperation":
    """Validate a combination; raise UsageError with every problem."""
    from ..api.audience_combinations import CombineOperation
    from ..api.problems import InvalidError
    from ..api.validation import convert

    params = {"name": name, "audience_type": "FLEXIBLE", "segments": tree}
    try:
        return convert(CombineOperation, {"operation_type": "Create", "params": params})
    except InvalidError as error:
        problems = [str(problem).removeprefix("params.").replace(".", " ", 1) for problem in error.problems]
        raise UsageError("\n".join(f"--{problem}" for problem in problems), hint=HELP) from None
