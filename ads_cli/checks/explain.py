"""Rules in words, for the help and the page in the docs: both are made from the classes."""

from collections.abc import Iterator
from typing import TypedDict

from ..config.goals import THRESHOLDS
from ..output.text import as_json
from .registry import RULES
from .rule import Changes, Rule

SUBJECTS = {
    "D": "Delivery",
    "B": "Budgets, bids and pace",
    "A": "Audiences and targeting",
    "C": "Ads",
    "M": "Measurement",
    "N": "Names and links",
}


class RuleRecord(TypedDict):
    """A rule, as `help rules` lists it."""

    code: str
    rule: str
    severity: str
    what: str
    why: str
    advice: str
    ignore: str


def subject(rule: Rule) -> str:
    """Return what a rule is about."""
    return SUBJECTS[rule.code[0]]


def rule_record(rule: Rule) -> RuleRecord:
    """Return a rule as programs read it."""
    return {
        "code": rule.code,
        "rule": rule.name,
        "severity": rule.severity.value,
        "what": rule.summary,
        "why": rule.why,
        "advice": rule.advice,
        "ignore": rule.ignore,
    }


def explained(rule: Rule) -> str:
    """Explain a rule: what, why, what to do, when to ignore it, and two examples."""
    return "\n".join(
        (
            f"{rule.code} {rule.name} ({rule.severity.value})",
            "",
            rule.summary,
            "",
            f"Why: {rule.why}",
            f"What to do: {rule.advice}",
            f"Ignore it: {rule.ignore}",
            "",
            "An account that breaks it has:",
            *_example(rule.breaks),
            "One that nearly does has:",
            *_example(rule.nearly),
        )
    )


def _example(changes: Changes) -> Iterator[str]:
    """Yield what an example changes of an account without faults, a line for each record."""
    for kind, records in changes.items():
        for id, fields in records.items():
            if fields is None:
                yield f"  {kind}: no {id}"
            elif isinstance(fields, dict):
                words = ", ".join(f"{name}: {as_json(value)}" for name, value in fields.items())
                yield f"  {kind}: {id}{words and ': '}{words}"
            else:
                yield f"  {kind}: {id}: {as_json(fields)}"


def rules_page() -> str:
    """Return the list of rules as Markdown."""
    lines: list[str] = []
    for code, title in SUBJECTS.items():
        lines += [f"### {title}", ""]
        for rule in RULES:
            if rule.code[0] == code:
                lines += [
                    f"**{rule.code}** `{rule.name}` ({rule.severity.value}): {rule.summary}",
                    f"{rule.why} {rule.advice} Ignore it: {rule.ignore[0].lower()}{rule.ignore[1:]}",
                    "",
                ]
    lines += ["### Thresholds", "", "| setting | default |", "|---|---|"]
    lines += [f"| `check.{name}` | {value} |" for name, value in THRESHOLDS.items()]
    return "\n".join(lines) + "\n"
