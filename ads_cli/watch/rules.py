"""Read a file of rules: every mistake is said at once, with line and column."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from ..api.amounts import currency_problem, thousands_problem
from ..config.strict_yaml import LinedBuilder, LinedMapping, load
from ..errors import ContentError, UsageError
from ..output.text import Lines
from ..spelling import suggestion
from .language import ConditionError, Node, amounts_in, check, names_in, parse
from .names import LISTS, all_names, is_metric, settable

KEYS = ("name", "of", "where", "when", "over", "fresh", "least", "do", "floor", "ceiling", "at_most")
REQUIRED = ("name", "of", "when", "do")
WINDOWS = ("month", "lifetime")
MAX_DAYS = 182  # that numbers are asked for
DAYS = re.compile(r"([1-9][0-9]{0,2})d")
AT_MOST = re.compile(r"([1-9][0-9]{0,2}) in ([1-9][0-9]{0,2})d")
SET = re.compile(r"set ([a-z_]+) *= *([+-]?)([0-9]{1,12}(?:\.[0-9]{1,6})?) *(%|[A-Z]{3})?")
AMOUNT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) *([A-Z]{3})?")
WORDS = {"pause", "activate", "tell"}
MAX_NAME_LENGTH = 80
MAX_SHARE = Decimal(100)  # percent, that an amount may be raised or cut by at once
DEFAULT_WINDOW = "7d"
RELATIVE_AT_MOST = (1, timedelta(days=1))  # of an amount that is raised or cut, where a rule says nothing


class Change(NamedTuple):
    """What `set` does to a field: a share of what it is, or an amount."""

    name: str
    field: str
    share: Decimal | None  # 0.9 is -10%
    amount: Decimal | None = None
    currency: str = ""


class Bound(NamedTuple):
    """What an amount is not set below or above; without a currency it is in that of the record."""

    value: Decimal
    currency: str = ""


@dataclass(frozen=True)
class WatchRule:
    """A rule, as the file says it."""

    name: str
    of: str
    when: Node
    do: str  # pause, activate, tell or set
    line: int
    where: Node | None = None
    over: str = DEFAULT_WINDOW
    fresh: bool = False
    least: Mapping[str, Decimal] = field(default_factory=dict)  # below these sums nothing is known
    change: Change | None = None
    floor: Bound | None = None
    ceiling: Bound | None = None
    at_most: tuple[int, timedelta] | None = None

    @property
    def needs_numbers(self) -> bool:
        """Whether the rule looks at numbers of its window."""
        used = {*names_in(self.when), *(names_in(self.where) if self.where else ())}
        return bool(self.least) or any(map(is_metric, used))


class _Mistake(NamedTuple):
    line: int
    column: int
    text: str


def read_rules(path: str) -> list[WatchRule]:
    """Read the rules of a file; raise ContentError that names every mistake, UsageError without the file."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    return parse_rules(content, path)


def parse_rules(content: bytes, name: str) -> list[WatchRule]:
    """Read rules; raise ContentError that names every mistake."""
    document = load(content, name, LinedBuilder)
    reader = _Reader(content.decode("utf-8", "replace").splitlines())
    rules = reader.rules(document)
    if reader.mistakes:
        lines = [f"{name}:{own.line}:{own.column}: {own.text}" for own in sorted(reader.mistakes)]
        raise ContentError(Lines(lines), hint="docs/watch.md has the language; nothing was read")
    return rules


class _Reader:
    """Reads rules, and notes what is wrong."""

    def __init__(self, lines: list[str]) -> None:
        self._lines, self.mistakes = lines, list[_Mistake]()

    def rules(self, document: Any) -> list[WatchRule]:
        """Return the rules of a document that are right."""
        listed = document.get("rules") if isinstance(document, dict) else None
        if not isinstance(listed, list) or [*document] != ["rules"]:
            self.mistakes.append(
                _Mistake(1, 1, "is no file of rules: it has one key, rules, which is a list")
            )
            return []
        if not listed:  # a file that lost its rules would do nothing each night
            self.mistakes.append(_Mistake(1, 1, "has no rules"))
        rules = [rule for entry in listed if (rule := self._rule(entry))]
        names = set[str]()
        for rule in rules:
            if rule.name in names:
                self.mistakes.append(
                    _Mistake(rule.line, 1, f"the name {rule.name!r} is that of another rule")
                )
            names.add(rule.name)
        return rules

    def _rule(self, entry: Any) -> WatchRule | None:
        if not isinstance(entry, LinedMapping):
            self.mistakes.append(_Mistake(1, 1, f"{entry!r} is no rule: a rule has {', '.join(REQUIRED)}"))
            return None
        before = len(self.mistakes)
        for key in entry:
            if key not in KEYS:
                self._note(entry, key, f"{key} is not known{suggestion(key, KEYS)}")
            elif entry[key] in (None, "", [], {}) and key not in REQUIRED:
                self._note(entry, key, f"{key} has no value; without it, leave the line out")
        for key in REQUIRED:
            if not entry.get(key):
                self.mistakes.append(_Mistake(entry.line, entry.column + 1, f"{key} is missing"))
        of = str(entry.get("of"))
        if of not in LISTS:
            self._note(entry, "of", f"is one of {', '.join(LISTS)}{suggestion(of, LISTS)}")
            return None
        name = str(entry.get("name") or "")
        if len(name) > MAX_NAME_LENGTH or not name.isprintable():
            self._note(entry, "name", f"is a text of at most {MAX_NAME_LENGTH} characters")
        do, change = self._action(entry, of)
        when, where = self._condition(entry, "when", of), self._condition(entry, "where", of)
        rule = WatchRule(
            name,
            of,
            when or parse("1 = 1"),
            do,
            entry.line,
            where=where,
            over=self._over(entry),
            fresh=self._flag(entry, "fresh"),
            least=self._least(entry),
            change=change,
            floor=self._amount(entry, "floor", change),
            ceiling=self._amount(entry, "ceiling", change),
            at_most=self._at_most(entry, change),
        )
        self._check_bounds(entry, rule)
        return rule if len(self.mistakes) == before else None

    def _condition(self, entry: LinedMapping, key: str, of: str) -> Node | None:
        text = entry.get(key)
        if not text:
            return None
        names = all_names(of)
        try:
            node = parse(str(text))
        except ConditionError as error:
            self._note(entry, key, str(error), error.at)
            return None
        for mistake in check(node, names, lambda name: suggestion(name, names)):
            self._note(entry, key, mistake.message, mistake.at)
        for amount in amounts_in(node):
            if isinstance(amount.value, Decimal):
                self._check_amount(entry, key, amount.value, amount.currency)
        return node

    def _action(self, entry: LinedMapping, of: str) -> tuple[str, Change | None]:
        text = " ".join(str(entry.get("do") or "").split())
        if text in WORDS:
            return text, None
        match = SET.fullmatch(text)
        if not match:
            if text:
                self._note(entry, "do", "is pause, activate, tell, or a change as in set daily_budget=-20%")
            return "tell", None
        name, sign, number, unit = match.groups()
        fields = settable(of)
        if name not in fields:
            hint = f"{suggestion(name, fields)}; it may set {', '.join(fields)}"
            self._note(entry, "do", f"{name} cannot be set{hint}")
        value = Decimal(number)
        if bool(sign) != (unit == "%"):
            self._note(entry, "do", "an amount is set as 50 EUR, a share as +10% or -20%")
        elif not value and unit != "%":
            self._note(entry, "do", f"{name} is not set to 0; to stop spending: pause")
        if unit != "%":
            self._check_amount(entry, "do", value, unit or "")
        if unit == "%":
            if value > MAX_SHARE or (sign == "-" and value >= MAX_SHARE) or not value:
                self._note(entry, "do", "a share is more than 0% and at most 100%")
            share = 1 + (-value if sign == "-" else value) / 100
            return "set", Change(name, str(fields.get(name)), share)
        return "set", Change(name, str(fields.get(name)), None, value, unit or "")

    def _over(self, entry: LinedMapping) -> str:
        text = str(entry.get("over") or DEFAULT_WINDOW)
        match = DAYS.fullmatch(text)
        if match and int(match[1]) > MAX_DAYS:
            self._note(entry, "over", f"is at most {MAX_DAYS}d")
        elif text not in WINDOWS and not match:
            self._note(entry, "over", f"is a number of days as in 3d, or one of {', '.join(WINDOWS)}")
        return text

    def _flag(self, entry: LinedMapping, key: str) -> bool:
        text = entry.get(key, "no")
        if text not in ("yes", "no", "true", "false"):
            self._note(entry, key, "is yes or no")
        return text in ("yes", "true")

    def _least(self, entry: LinedMapping) -> dict[str, Decimal]:
        """Read the sums below which nothing is known: `least: {impressions: 1000}`."""
        value = entry.get("least") or {}
        if not isinstance(value, dict):
            self._note(entry, "least", "is a mapping, as in {impressions: 1000}")
            return {}
        least = {}
        for name, number in value.items():
            if not is_metric(str(name)):
                self._note(entry, "least", f"{name!r} is no metric")
            elif not re.fullmatch(r"[0-9]+(\.[0-9]+)?", str(number)):
                self._note(entry, "least", f"{number!r} is no number")
            else:
                least[str(name)] = Decimal(str(number))
        return least

    def _amount(self, entry: LinedMapping, key: str, change: Change | None) -> Bound | None:
        if (text := entry.get(key)) is None:
            return None
        match = AMOUNT.fullmatch(str(text))
        if not change:
            self._note(entry, key, "bounds what set changes; do is another action")
        if not match:
            self._note(entry, key, f"{text!r} is no amount, as in 10 EUR")
            return None
        self._check_amount(entry, key, Decimal(match[1]), match[2] or "")
        return Bound(Decimal(match[1]), match[2] or "")

    def _check_amount(self, entry: LinedMapping, key: str, value: Decimal, currency: str) -> None:
        problem = currency_problem(currency or None) or thousands_problem(value, currency)
        if problem:
            self._note(entry, key, problem)

    def _check_bounds(self, entry: LinedMapping, rule: WatchRule) -> None:
        """Note bounds that leave no amount, and amounts of one rule in several currencies."""
        stated = [bound for bound in (rule.floor, rule.ceiling, rule.change) if bound and bound.currency]
        if len({bound.currency for bound in stated}) > 1:
            self._note(entry, "do", "do, floor and ceiling are in different currencies")
        elif rule.floor and rule.ceiling and rule.floor.value > rule.ceiling.value:
            self._note(entry, "floor", "floor is above ceiling")
        elif rule.ceiling and not rule.ceiling.value:
            self._note(entry, "ceiling", "ceiling is 0; to stop spending: pause")
        elif rule.change and (amount := rule.change.amount) is not None:
            if rule.floor and amount < rule.floor.value:
                self._note(entry, "floor", "floor is above the amount that is set")
            if rule.ceiling and amount > rule.ceiling.value:
                self._note(entry, "ceiling", "ceiling is below the amount that is set")

    def _at_most(self, entry: LinedMapping, change: Change | None) -> tuple[int, timedelta] | None:
        if (text := entry.get("at_most")) is None:
            return RELATIVE_AT_MOST if change and change.share is not None else None
        match = AT_MOST.fullmatch(str(text))
        if not match:
            self._note(entry, "at_most", f"{text!r} is no limit, as in 1 in 7d")
            return None
        return int(match[1]), timedelta(days=int(match[2]))

    def _note(self, entry: LinedMapping, key: str, text: str, at: int = 0) -> None:
        """Note a mistake in the value of a key, `at` so many characters."""
        line = entry.lines.get(key, entry.line)
        content = self._lines[line - 1] if line <= len(self._lines) else ""
        value = str(entry.get(key) or "")
        start = content.find(value) if value else -1
        prefix = "" if text.startswith(key) else f"{key}: "
        self.mistakes.append(_Mistake(line, max(start, 0) + at + 1, prefix + text))
