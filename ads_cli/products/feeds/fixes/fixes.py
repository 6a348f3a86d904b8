"""The fixes of values, in the order that they are applied in."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from ....api.problems import CHOICE, Problem
from . import NAMES
from .fix import FIELD_TYPES, Fix, TextFix
from .money import Price
from .texts import Html, Whitespace
from .values import CONDITIONS, Availability, CategoryFix, ChoiceFix, Gtin, Https, ImageFix, Length

# White space may hide HTML, and HTML the levels of a category.
TEXT_FIXES: tuple[TextFix, ...] = (Whitespace(), Html(), CategoryFix())
RULE_FIXES: tuple[Fix, ...] = (
    *(Price(), Length(), Https(), Availability(), ChoiceFix("condition", CONDITIONS), Gtin(), ImageFix()),
)


def text_fixes(names: Collection[str]) -> list[TextFix]:
    """Return the fixes of these names that every row is shown to."""
    return [fix for fix in TEXT_FIXES if fix.name in names]


def rule_fixes(names: Collection[str], currency: str = "") -> list[Fix]:
    """Return the fixes of these names for rows that break a rule; `currency` is that of bare prices."""
    return [Price(currency) if fix.name == Price.name else fix for fix in RULE_FIXES if fix.name in names]


def all_fixes(currency: str = "") -> list[Fix]:
    """Return every fix."""
    return [*text_fixes(NAMES), *rule_fixes(NAMES, currency)]


class FixAdvisor:
    """Names the fix of a problem; `currency` is that of prices that name none."""

    def __init__(self, currency: str = "") -> None:
        self._price = Price(currency)
        self._by_rule: dict[str, list[Fix]] = {}
        for fix in sorted(all_fixes(currency), key=lambda fix: len(fix.rules)):
            for rule in fix.rules:
                self._by_rule.setdefault(rule, []).append(fix)

    def column_for(self, field: str, columns: Sequence[str]) -> str | None:
        """Return the column that seems to be meant as a field."""
        from ..hints import column_for  # which no worker process needs

        return column_for(field, columns)

    def fields_of_columns(self, columns: Sequence[str], free: Collection[str]) -> dict[str, str]:
        """Return the fields that columns seem to be meant as."""
        from ..hints import fields_of_columns

        return fields_of_columns(columns, free)

    def options_for(self, field: str, value: Any) -> list[str] | None:
        """Return the options that make a value of a column valid as a field; None where there are none."""
        from ..hints import options_before_fixes

        options, values = options_before_fixes(field, value)
        applied = [fix.name for fix in all_fixes("EUR") if fix.apply(values)]
        if not _is_valid(field, values.get(field)):
            return None
        return [*options, "--fix", ",".join(applied)] if applied else options

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
    """Try a fix on a copy of the values, of which a fix of texts looks at one at a time."""
    if isinstance(fix, Html):
        return True  # it always does, and takes longer than all others together
    fixed = {field: values.get(field)} if fix in TEXT_FIXES else dict(values)
    if field not in (edited for edited, _, _ in fix.apply(fixed)):
        return False
    return not of_type or _is_valid(field, fixed.get(field))


def _is_valid(field: str, value: Any) -> bool:
    try:
        msgspec.convert(value, FIELD_TYPES[field].annotation, strict=False)
    except msgspec.ValidationError:
        return False
    return True
