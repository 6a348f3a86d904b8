"""`watch apply`: carry out what rules decide, a run for each rule, noted in the log by its name."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import typer

from ...api.campaigns import UpdateCampaign
from ...api.endpoint import Request
from ...api.line_items import UpdateLineItem
from ...api.spending import STATUS
from ...console.invocation import Invocation
from ...console.parameters import option
from ...console.shown import posts, shows
from ...errors import DIFFERENCES_FOUND
from ...output.text import counted
from . import DECISIONS, DecisionRecord, File, MaxChanges, decided, records_of, require_few, say_unknown

if TYPE_CHECKING:
    from ...watch.decide import Decision
    from ..requests.computed import ComputedChanges

KINDS: dict[str, type[Request]] = {"campaigns": UpdateCampaign, "line_items": UpdateLineItem}
DONE = "done"


class DecisionsData(TypedDict):
    """What rules have done and told."""

    event_type: Literal["findings"]
    profile: str | None
    account: str
    time: str  # of the post
    findings: list[DecisionRecord]


class PostedDecisions(TypedDict):
    """What --post-to posts."""

    data: DecisionsData


@shows(DECISIONS)
@posts(PostedDecisions)
def apply(
    ctx: typer.Context,
    file: File,
    max_changes: MaxChanges = None,
    post_to: Annotated[
        str | None, option("URL", "Post what is done and told there, as signed JSON, once a day")
    ] = None,
) -> None:
    """Carry out rules: pause, activate, set amounts.

    Asks first, on a terminal; elsewhere this needs --yes. The guard holds, and the log of changes names the
    rule: 'adsctl changes undo' takes back what it did. The exit code is 10 where nothing was changed and
    something is told, 9 where a change was refused or left, and 12 where more records would be changed than
    --max-changes: nothing is changed then.

    For example: adsctl watch apply rules.yaml --yes
    """
    from ...watch.history import BY
    from ...watch.rules import read_rules
    from ..checking.posting import poster
    from ..requests.computed import carry_out, question_of, raise_refused, state_of_left
    from .view import draw

    call = Invocation.of(ctx)
    rules = read_rules(file)
    post = poster(call, post_to) if post_to else None
    decisions = decided(call, rules)
    if call.printer.is_for_people:
        draw(call, decisions)
    say_unknown(call, decisions)
    require_few(decisions, max_changes)
    runs = [*runs_of(call, decisions.changes)]
    if runs and not call.dry_run:
        count = counted(len(decisions.changes), "record")
        what = f"Change {count} by {counted(len(runs), 'rule')}"
        call.confirm(question_of(call, what, [changes for _, changes in runs]))
    results = [carry_out(call, changes, f"{BY}{name}") for name, changes in runs]
    if call.dry_run:
        return
    refused = {id: why for result in results for id, why in result.refused.items()}
    records = [
        record | {"state": state_of_left(refused[record["id"]])}
        if record["state"] == DONE and record["action"] != "tell" and record["id"] in refused
        else record
        for record in records_of(decisions, DONE)
    ]
    if not call.printer.is_for_people:
        call.printer.show(records, DECISIONS.columns, DECISIONS.key)
    if post and (due := [record for record in records if record["state"] == DONE]):
        from ...statistics.periods import utc_now

        post(due, utc_now())
    raise_refused(results, len(decisions.changes))
    if decisions.due and not runs:
        raise typer.Exit(DIFFERENCES_FOUND)


def runs_of(call: Invocation, changes: "Sequence[Decision]") -> "Iterator[tuple[str, ComputedChanges]]":
    """Yield what each rule changes: its name, and what is set of each record that is still as it was read."""
    from ..requests.computed import ComputedChanges

    for _, own in groupby(sorted(changes, key=line_of), key=line_of):
        decisions = [*own]
        rule = decisions[0].rule
        name, field = (rule.change.name, rule.change.field) if rule.change else (STATUS, STATUS)
        values = {decision.id: {name: decision.after} for decision in decisions}
        expected = {decision.id: {field: decision.record.get(field)} for decision in decisions}
        yield rule.name, ComputedChanges(KINDS[rule.of], values, expected, {"account_id": call.account})


def line_of(decision: "Decision") -> int:
    """Return the line of the file where the rule of a decision stands."""
    return decision.rule.line
