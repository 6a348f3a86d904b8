"""All rules, and those that are selected."""

from collections.abc import Iterable, Sequence

from ..errors import UsageError
from ..spelling import suggestion
from . import audience, budget, creative, delivery, measurement, naming
from .rule import Rule

SUBJECTS = (delivery, budget, audience, creative, measurement, naming)
RULES: tuple[Rule, ...] = tuple(
    kind()
    for subject in SUBJECTS
    for kind in vars(subject).values()  # in the order of the module
    if isinstance(kind, type) and issubclass(kind, Rule) and kind.__module__ == subject.__name__
)
# What the service does not tell: which languages are spoken where (A110, language and location contradict).


def rule_named(text: str) -> Rule:
    """Return the rule with a code or a name; raise UsageError."""
    for rule in RULES:
        if text.lower() in (rule.code.lower(), rule.name):
            return rule
    names = [*(rule.code for rule in RULES), *(rule.name for rule in RULES)]
    raise UsageError(f"there is no rule {text!r}{suggestion(text, names)}", hint="adsctl help rules")


def selected(select: Sequence[str], ignore: Sequence[str]) -> list[Rule]:
    """Return the rules with the selected beginnings of codes, or all, but those ignored; raise UsageError."""
    chosen = [rule for rule in RULES if not select or _matches(rule, select)]
    for option, words in (("--select", select), ("--ignore", ignore)):
        for word in words:
            if not any(_matches(rule, [word]) for rule in RULES):
                codes = [rule.code for rule in RULES]
                raise UsageError(
                    f"{option}: {word!r} is the code of no rule{suggestion(word, codes)}",
                    hint="adsctl help rules",
                )
    return [rule for rule in chosen if not _matches(rule, ignore)]


def _matches(rule: Rule, words: Iterable[str]) -> bool:
    return any(rule.code.startswith(word.upper()) or rule.name == word.lower() for word in words)
