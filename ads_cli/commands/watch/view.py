"""What rules would do, on a terminal: by rule, with the numbers that say so."""

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

from ...console.drawing import console_of
from ...output.text import safe
from . import NOUNS, action_of, numbers_of

if TYPE_CHECKING:
    from ...console.invocation import Invocation
    from ...watch.decide import Decisions
    from ...watch.replay import DayDecision
    from ...watch.rules import WatchRule

MARKS = "·▂▄▆█"  # none, one, two … records of a day


def draw(call: "Invocation", decisions: "Decisions") -> None:
    """Print each rule with the records that it would change; `→` between what is and what would be."""
    from rich.padding import Padding
    from rich.text import Text

    from ...watch.decide import in_file_order

    console = console_of(call)
    for rule, own in groupby(in_file_order(decisions), key=lambda decision: decision.rule):
        console.print(Text.assemble((safe(rule.name), "bold"), f"  {action_of(rule)}, over {rule.over}"))
        for decision in own:
            record = decision.record
            name = f"{record.get('name') or decision.id} ({decision.id})"
            change = f"{decision.before} → {decision.after}" if decision.before else decision.after
            currency = str(record.get("currency") or "") if rule.change else ""
            style = "dim" if decision.why_not else "yellow"
            line = Text.assemble(
                f"{NOUNS[rule.of]} ", safe(name), "  ", (f"{change} {currency}".rstrip(), style)
            )
            console.print(Padding(line, (0, 0, 0, 2), expand=False))
            if decision.why_not:
                console.print(Padding(Text(f"held: {decision.why_not}", "dim"), (0, 0, 0, 4), expand=False))
            numbers = ", ".join(f"{name} {value}" for name, value in numbers_of(decision).items())
            console.print(Padding(Text(safe(numbers), "dim"), (0, 0, 0, 4), expand=False))
        console.print()
    if not (decisions.due or decisions.held):
        console.print("no rule has anything to do")


def draw_days(
    call: "Invocation", rules: "Sequence[WatchRule]", days: "Sequence[DayDecision]", first: date, last: date
) -> None:
    """Print a line of days for each rule, marked where it would have acted, and below it each action."""
    from rich.padding import Padding
    from rich.text import Text

    console = console_of(call)
    count = (last - first).days + 1
    console.print(Text(f"{first.day} {first:%b} to {last.day} {last:%b %Y}, a mark for each day", "dim"))
    for rule in rules:
        acts = [act for act in days if act.decision.rule is rule and not act.decision.why_not]
        marks = [MARKS[0]] * count
        for act in acts:
            at = (act.day - first).days
            marks[at] = MARKS[min(MARKS.index(marks[at]) + 1, len(MARKS) - 1)]
        console.print(Text.assemble((safe(rule.name), "bold"), f"  {action_of(rule)}"))
        console.print(Padding(Text("".join(marks), "yellow"), (0, 0, 0, 2), expand=False))
        for day, decision, _ in acts:
            name = f"{decision.record.get('name') or decision.id} ({decision.id})"
            change = f"{decision.before} → {decision.after}" if decision.before else decision.after
            numbers = ", ".join(f"{key} {value}" for key, value in numbers_of(decision).items())
            line = Text.assemble(
                f"{day.day:>2} {day:%b}  ", safe(name), f"  {change}  ", (safe(numbers), "dim")
            )
            console.print(Padding(line, (0, 0, 0, 2), expand=False))
