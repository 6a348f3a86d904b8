"""The ledgers of this machine: what is remembered of lists, and how to forget it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ...console.invocation import Invocation
from ...errors import NotFoundError, StateError, UsageError
from ...output.text import counted

if TYPE_CHECKING:
    from ...audiences.ledger import StoredLedger

COLUMNS = ("target", "kind", "people", "identifiers", "uncertain", "changed", "state", "service")
HINT = "adsctl audiences remembered lists them"
Audience = Annotated[str | None, typer.Option(metavar="ID", help="The custom audience")]
DoNotReachList = Annotated[str | None, typer.Option("--list", metavar="ID", help="The do-not-reach list")]


def remembered(ctx: typer.Context, audience: Audience = None, list_: DoNotReachList = None) -> None:
    """List the ledgers of this machine: how many people were acknowledged of each list, and the last change.

    A ledger whose state is not "current" is not relied on: the next sync sends everybody and deletes nobody.

    For example: adsctl audiences remembered
    """
    call = Invocation.of(ctx)
    records = [dict(zip(COLUMNS, each.as_row(), strict=True)) for each in _found(call, audience, list_)]
    call.printer.show(records, COLUMNS, "target")


def forget(ctx: typer.Context, audience: Audience = None, list_: DoNotReachList = None) -> None:
    """Remove the ledger of a list: nobody whom it holds can be deleted by a sync any more.

    The list in the account stays as it is. The next sync sends everybody in its file.

    For example: adsctl audiences forget --audience 1nmth
    """
    from ...audiences.ledger import Ledger
    from ...uploads.job_file import UploadTarget

    call = Invocation.of(ctx)
    if bool(audience) == bool(list_):
        raise UsageError("give --audience or --list", hint=HINT)
    kind, target = ("custom_audience", audience) if audience else ("do_not_reach_list", list_)
    ledger = Ledger(call.settings.state_dir, UploadTarget(call.service, kind, str(target)))
    if not ledger.exists():
        raise NotFoundError(f"this machine has no ledger of {target}", hint=HINT)
    if ledger.is_in_use():
        raise StateError(f"{target} is being changed", hint="run this again once that has ended")
    what = f"{counted(ledger.open().info.people, 'person', 'people')} of {target}"
    if call.dry_run:
        call.messages.say(f"dry run: would forget {what}")
        return
    call.confirm(f"Forget {what}", at_service=False)
    ledger.remove()
    call.messages.say(f"forgot {what}")


def _found(call: Invocation, audience: str | None, list_: str | None) -> "Iterator[StoredLedger]":
    from ...audiences.ledger import stored_ledgers

    wanted = {("custom_audience", audience), ("do_not_reach_list", list_)}
    for each in stored_ledgers(call.settings.state_dir):
        if not (audience or list_) or (each.info.kind, each.info.target) in wanted:
            yield each
