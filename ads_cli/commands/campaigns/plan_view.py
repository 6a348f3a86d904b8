"""A plan of campaigns, and its result, in the words of messages: what changes, what may be spent."""

from collections.abc import Iterator

from ...campaigns.apply import Applied
from ...campaigns.plan import RECORD_FIELDS, CampaignPlan
from ...campaigns.spending import planned_spending
from ...console.invocation import Invocation
from ...errors import IncompleteError
from ...numbers import DeletionLimit
from ...output.text import Lines, cell, counted, safe
from ..spending import SIGNS, value_change


def plan_words(plan: CampaignPlan) -> str:
    """Say what a plan comes to: its changes, what rises, and what may be spent in a day."""
    return f"{plan.words}; {planned_spending(plan).words}"


def pruning_excess(plan: CampaignPlan, limit: DeletionLimit) -> str:
    """Say that more records would be deleted than may be; "" where they are not."""
    sentence = f"{plan.pruned:,} of {counted(plan.listed, 'record')} would be deleted"
    return limit.excess(plan.pruned, plan.listed, sentence)


def show_plan(call: Invocation, plan: CampaignPlan, *, is_result: bool = True) -> None:
    """Print a plan, and say what it comes to."""
    if is_result:
        print_plan(call, plan)
    elif plan.changes and not call.presentation.quiet:
        for line in _drawn(plan):
            call.messages.say(line)
    call.messages.say(plan_words(plan))


def print_plan(call: Invocation, plan: CampaignPlan, result: Applied | None = None) -> None:
    """Print the changes as records, or drawn for people. Created records are shown with their ids."""
    records = []
    for change in plan.changes:
        record = change.record()
        if result and change.action == "create" and change.entry:
            record["id"] = result.ids.get(change.entry)
        records.append(record)
    if call.printer.is_for_people:
        if result is None:
            call.printer.stream.write("".join(f"{line}\n" for line in _drawn(plan)))
        return
    call.printer.show(records, RECORD_FIELDS, "id")


def _drawn(plan: CampaignPlan) -> Iterator[str]:
    """Draw a plan: a line for each record, and one for each field that changes."""
    for change in plan.changes:
        depth = "  " * change.path.count(".")
        name = change.name or change.key
        about = f" {change.id}" if change.id else ""
        yield safe(f"{SIGNS[change.action]} {depth}{change.kind.noun}{about} {name!r}")
        before, after = change.before or {}, change.after or {}
        for key, value in after.items():
            currency = change.currency_of(key)
            if change.action == "update":
                texts = value_change(cell(before.get(key)), cell(value), currency)
                yield safe(f"  {depth}  {key}: {texts}")
            elif change.kind.is_named:
                yield safe(f"  {depth}  {key}: {cell(value)} {currency}".rstrip())


def report_result(call: Invocation, result: Applied) -> None:
    """Say what was done; raise IncompleteError where some of it was refused."""
    counts = ", ".join(f"{count:,} {what}" for what, count in result.counts.items() if count)
    call.messages.say(counts or "nothing to change")
    if result.failed:
        reasons = [f"{path}: {reason}" for path, reason in result.failed]
        raise IncompleteError(
            Lines([f"{counted(len(result.failed), 'record')} refused by the service", *reasons]),
            hint="correct the file and apply it again: what was applied is not sent again",
        )
