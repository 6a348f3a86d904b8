"""Name the fix for a problem of a row."""

from typing import Any

import msgspec

from ...api.problems import CHOICE, Problem
from .fix import FIELD_TYPES, Fix
from .html import Html
from .price import Price
from .registry import all_fixes


class FixAdvisor:
    """Names the fix of a problem; `currency` is that of prices that name none."""

    def __init__(self, currency: str = "") -> None:
        self._price = Price(currency)
        self._by_rule: dict[str, list[Fix]] = {}
        for fix in sorted(all_fixes(currency), key=lambda fix: len(fix.rules)):
            for rule in fix.rules:
                self._by_rule.setdefault(rule, []).append(fix)

    def advise(self, problem: Problem, values: dict[str, Any]) -> Problem:
        """Return a problem of a row with the fix for it, or the reason why none does."""
        field, of_type = problem.path, problem.rule in ("", CHOICE)
        for fix in self._by_rule.get(field if of_type else problem.rule, ()):
            if _is_fixed_by(fix, field, values, of_type=of_type):
                return problem._replace(fix=fix.name)
        if of_type and field in Price.rules and (objection := self._price.objection(field, values)):
            return problem._replace(message=f"{problem.message}; {objection}")
        return problem


def _is_fixed_by(fix: Fix, field: str, values: dict[str, Any], *, of_type: bool) -> bool:
    """Try a fix on a copy of the values."""
    if isinstance(fix, Html):
        return True  # it always does, and takes longer than all others together
    fixed = dict(values)
    if field not in (edited for edited, _, _ in fix.apply(fixed)):
        return False
    return not of_type or _is_valid(field, fixed.get(field))


def _is_valid(field: str, value: Any) -> bool:
    try:
        msgspec.convert(value, FIELD_TYPES[field].annotation, strict=False)
    except msgspec.ValidationError:
        return False
    return True
