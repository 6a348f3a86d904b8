"""Findings on a terminal: by rule, names first, the next command below each."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ...console.drawing import console_of, next_command
from ...output.text import safe

if TYPE_CHECKING:
    from ...checks.run import Found
    from ...console.invocation import Invocation

STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan", "unknown": "dim"}


def draw(call: "Invocation", shown: "Sequence[Found]") -> None:
    """Print each rule with what it found, and what to type next, which is not wrapped."""
    from rich.padding import Padding
    from rich.text import Text

    from ...checks.outcome import Finding

    console = console_of(call)
    for (rule, is_found), own in groupby(shown, lambda one: (one.rule, isinstance(one.outcome, Finding))):
        severity = rule.severity.value if is_found else "unknown"
        title = Text.assemble((rule.code, "bold"), " ", (severity, STYLES[severity]), f"  {rule.summary}")
        console.print(title)
        if is_found:
            console.print(Padding(Text(rule.advice, "dim"), (0, 0, 0, 2), expand=False))
        for _, outcome in own:
            name = outcome.name if outcome.name == outcome.id else f"{outcome.name} ({outcome.id})"
            line = Text.assemble(f"{outcome.kind} ", (safe(name), "bold"), f" {safe(outcome.message)}")
            console.print(Padding(line, (0, 0, 0, 2), expand=False))
            if isinstance(outcome, Finding):
                console.print(Text(f"    {next_command(call, outcome.command)}"), soft_wrap=True)
        console.print()
