"""The fixes of values, in the order that they are applied in."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import msgspec

from ....api.problems import CHOICE, Problem
from ....feeds.rows import AppliedFix, Row
from . import NAMES
from .fix import FIELD_TYPES, Fix, TextFix, Triggers
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


MAX_SEEN_VALUES = 10_000  # of a field that are remembered


class Fixes(msgspec.Struct, frozen=True, dict=True):
    """The fixes that `--fix` names."""

    names: tuple[str, ...]
    currency: str = ""  # of prices that name none, or several

    def may_fix_texts(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Tell whether a text of some rows may have to be fixed; asked of all, and nearly always false."""
        if not self._text_fixes:
            return False
        is_plain, phrases, fields, asks_always = self._triggers
        try:
            text = f" {' '.join(chain.from_iterable(map(dict.values, rows)))} "
            plain = text.encode().translate(is_plain)
        except (TypeError, UnicodeEncodeError):  # numbers and lists; lone surrogates
            return True
        seen = self._seen_values
        is_known = all({values.get(field) for values in rows} <= seen[field] for field in fields)
        if is_known and 0 not in plain and not asks_always:
            for phrase in phrases:
                if text.rfind(phrase) >= 0:  # twice as fast as `in`
                    break
            else:
                return False
        if len(rows) > 1 or any(fix.may_apply(text, rows[0]) for fix in self._text_fixes):
            return True
        for field in fields:
            if len(seen[field]) < MAX_SEEN_VALUES:
                seen[field].add(rows[0].get(field))
        return False

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row, which may break no rule."""
        _apply(self._text_fixes, row)

    def fix_rules(self, row: Row) -> None:
        """Fix the values of a row that breaks a rule."""
        _apply(self._rule_fixes, row)

    @cached_property
    def _text_fixes(self) -> list[TextFix]:
        return text_fixes(self.names)

    @cached_property
    def _triggers(self) -> tuple[bytes, tuple[str, ...], tuple[str, ...], bool]:
        """Return all triggers, their bytes as a translation table, and whether a fix states none."""
        stated: list[Triggers | None] = [getattr(fix, "triggers", None) for fix in self._text_fixes]
        triggers = [each for each in stated if each]
        return (
            bytes(not any(byte in each.utf8 for each in triggers) for byte in range(256)),
            tuple(phrase for each in triggers for phrase in each.phrases),
            tuple(dict.fromkeys(field for each in triggers for field in each.fields)),
            None in stated,
        )

    @cached_property
    def _seen_values(self) -> dict[str, set[Any]]:
        return defaultdict(set)  # by field of the triggers, with nothing to fix; most products share theirs

    @cached_property
    def _rule_fixes(self) -> list[Fix]:
        return rule_fixes(self.names, self.currency)


def _apply(fixes: Iterable[Fix], row: Row) -> None:
    """Apply fixes to a row, and note what they change."""
    for fix in fixes:
        if edits := fix.apply(row.values):
            row.changes += tuple(AppliedFix(fix.name, *edit) for edit in edits)


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
