"""Apply rules to an account."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .facts import Facts
from .outcome import CannotLook, Finding, Unknown
from .rule import Rule


class Found(NamedTuple):
    """A rule, and what it found or could not look at."""

    rule: Rule
    outcome: Finding | Unknown


def apply_rules(rules: Sequence[Rule], facts: Facts) -> Iterator[Found]:
    """Yield what rules find, each record once for a rule, and what they could not look at."""
    for rule in rules:
        said = set()
        try:
            for outcome in rule.check(facts):
                if (key := (outcome.kind, outcome.id, outcome.message)) not in said:
                    said.add(key)
                    yield Found(rule, outcome)
        except CannotLook as reason:
            yield Found(rule, Unknown("account", facts.account, str(reason)))
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            # One odd record of the service must not hide what the other rules find.
            why = f"a record has a value that the rule cannot read: {type(error).__name__}: {error}"
            yield Found(rule, Unknown("account", facts.account, why))
