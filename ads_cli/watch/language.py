"""The language of conditions: `spend > 50 and cost_per_conversion > 2 * goal`.

It is closed: numbers, amounts, percentages, dates, texts, names of metrics, fields and goals; comparisons,
`and or not`, `+ - * /`, `in`, `~`. It is small enough for a parser of its own: a library for expressions
would bring an evaluator, and know neither units nor what is not known.

    or_test  = and_test ("or" and_test)*
    and_test = not_test ("and" not_test)*
    not_test = "not" not_test | comparison
    comparison = sum (("<" | "<=" | ">" | ">=" | "=" | "==" | "!=" | "~" | "in") sum)?
    sum      = product (("+" | "-") product)*
    product  = unary (("*" | "/") unary)*
    unary    = "-" unary | NUMBER | AMOUNT | PERCENT | DATE | TEXT | NAME | "(" or_test ")" | "[" … "]"
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from ..patterns import is_found, pattern_problem

Unit = Literal["number", "money", "plain", "text", "date", "list", "truth"]
Value = Decimal | str | date | bool | tuple["Value", ...] | None  # None is not known
Names = Mapping[str, Unit]

TOKEN = re.compile(
    r"""\s*(?:
    (?P<date>\d{4}-\d{2}-\d{2})
    | (?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%|[A-Z]{3}\b)?
    | (?P<text>'[^']*'|"[^"]*")
    | (?P<sign><=|>=|==|!=|[<>=~+*/()\[\],-])
    | (?P<name>[A-Za-z_][A-Za-z0-9_.]*)
    )""",
    re.VERBOSE,
)
COMPARISONS = ("<", "<=", ">", ">=", "=", "==", "!=", "~", "in")
WORDS = ("and", "or", "not", "in")
MAX_DEPTH, MAX_LENGTH, MAX_TOKENS = 50, 5000, 300  # a chain of operators is as deep as it is long


class Mistake(NamedTuple):
    """What is wrong, and where in the text, from 0 on."""

    message: str
    at: int


class Token(NamedTuple):
    """A token of a condition."""

    kind: str  # date, number, text, sign, name, end
    text: str
    at: int
    unit: str = ""


@dataclass(frozen=True)
class Constant:
    """A value that the text states."""

    value: Value
    unit: Unit
    at: int
    currency: str = ""


@dataclass(frozen=True)
class Name:
    """A metric, a field or a goal."""

    name: str
    at: int


@dataclass(frozen=True)
class Items:
    """Several values, for `in`."""

    items: tuple["Node", ...]
    at: int


@dataclass(frozen=True)
class Operation:
    """An operator and what it is applied to."""

    sign: str
    parts: tuple["Node", ...]
    at: int


Node = Constant | Name | Items | Operation


class ConditionError(ValueError):
    """A text is no condition; `at` is where, from 0 on."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def parse(text: str) -> Node:
    """Parse a condition; raise ConditionError."""
    if len(text) > MAX_LENGTH:
        raise ConditionError(f"is longer than {MAX_LENGTH:,} characters", 0)
    tokens = [*_tokens(text)]
    if len(tokens) > MAX_TOKENS:
        raise ConditionError(f"has more than {MAX_TOKENS} words and signs", tokens[MAX_TOKENS].at)
    return _Parser(tokens).condition()


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if not match or match.end() == at:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            raise ConditionError(f"{text[start]!r} has no meaning here", start)
        kind = str(match.lastgroup if match.lastgroup != "unit" else "number")
        yield Token(kind, match[kind], match.start(kind), match["unit"] or "")
        at = match.end()
    yield Token("end", "", len(text))


class _Parser:
    """Reads tokens from the left to the right."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._next, self._depth = tokens, 0, 0

    def condition(self) -> Node:
        node = self._or_test()
        if self._token.kind != "end":
            raise ConditionError(f"{self._token.text!r} is one too many", self._token.at)
        return node

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self, *texts: str) -> Token | None:
        """Read the next token if it is one of some words or signs."""
        token = self._token
        if token.kind not in ("sign", "name") or token.text not in texts:
            return None
        self._next += 1
        return token

    def _chain(self, signs: tuple[str, ...], part: Callable[[], Node]) -> Node:
        node = part()
        while token := self._take(*signs):
            node = Operation(token.text, (node, part()), token.at)
        return node

    def _or_test(self) -> Node:
        return self._chain(("or",), self._and_test)

    def _and_test(self) -> Node:
        return self._chain(("and",), self._not_test)

    def _not_test(self) -> Node:
        if token := self._take("not"):
            at = token.at
            return self._deeper(token, lambda: Operation("not", (self._not_test(),), at))
        node = self._sum()
        if token := self._take(*COMPARISONS):
            node = Operation("=" if token.text == "==" else token.text, (node, self._sum()), token.at)
        return node

    def _sum(self) -> Node:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._chain(("*", "/"), self._unary)

    def _unary(self) -> Node:
        token = self._token
        self._next += token.kind != "end"
        match token.kind, token.text:
            case "sign", "-":
                return self._deeper(token, lambda: Operation("negative", (self._unary(),), token.at))
            case "sign", "(":
                node = self._deeper(token, self._or_test)
                self._require(")")
                return node
            case "sign", "[":
                items = [self._deeper(token, self._sum)]
                while self._take(","):
                    items.append(self._sum())
                self._require("]")
                return Items(tuple(items), token.at)
            case (("number" | "date" | "text"), _):
                return _constant(token)
            case "name", word if word not in WORDS:
                return Name(word, token.at)
        what = repr(token.text) if token.text else "the end"
        raise ConditionError(f"a value is missing before {what}", token.at)

    def _deeper(self, token: Token, part: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ConditionError(f"is nested deeper than {MAX_DEPTH}", token.at)
        node = part()
        self._depth -= 1
        return node

    def _require(self, sign: str) -> None:
        if not self._take(sign):
            raise ConditionError(f"{sign!r} is missing", self._token.at)


def _constant(token: Token) -> Constant:
    if token.kind == "text":
        return Constant(token.text[1:-1], "text", token.at)
    if token.kind == "date":
        try:
            return Constant(date.fromisoformat(token.text), "date", token.at)
        except ValueError:
            raise ConditionError(f"{token.text} is no day", token.at) from None
    number = Decimal(token.text)
    if token.unit == "%":
        return Constant(number / 100, "number", token.at)
    if token.unit:
        return Constant(number, "money", token.at, token.unit)
    return Constant(number, "plain", token.at)


def _all_parts(node: Node) -> Iterator[Node]:
    """Yield a node and all that it is made of."""
    yield node
    if isinstance(node, Operation | Items):
        for part in node.parts if isinstance(node, Operation) else node.items:
            yield from _all_parts(part)


def names_in(node: Node) -> Iterator[str]:
    """Yield the names that a condition uses."""
    return (part.name for part in _all_parts(node) if isinstance(part, Name))


def amounts_in(node: Node) -> Iterator[Constant]:
    """Yield the amounts that a condition states with their currencies."""
    return (part for part in _all_parts(node) if isinstance(part, Constant) and part.currency)


def check(node: Node, names: Names, suggest: Callable[[str], str]) -> list[Mistake]:
    """Return what is wrong with a condition: names that are not known, and units that do not fit."""
    mistakes: list[Mistake] = []
    unit = _unit_of(node, names, suggest, mistakes)
    if unit not in (None, "truth"):
        mistakes.append(Mistake("is no condition: compare it with something, as in spend > 50", 0))
    return mistakes


def _unit_of(node: Node, names: Names, suggest: Callable[[str], str], mistakes: list[Mistake]) -> Unit | None:
    """Return the unit of a value; None where it is wrong, which is noted."""
    match node:
        case Constant(unit=unit):
            return unit
        case Name(name=name, at=at):
            if name not in names:
                mistakes.append(Mistake(f"{name!r} is no metric, field or goal{suggest(name)}", at))
            return names.get(name)
        case Items(items=items):
            units = [_unit_of(item, names, suggest, mistakes) for item in items]
            return "list" if None not in units else None
        case Operation(sign=sign, parts=parts, at=at):
            units = [_unit_of(part, names, suggest, mistakes) for part in parts]
            if None in units:
                return None
            if (
                sign == "~"
                and isinstance(parts[1], Constant)
                and (problem := pattern_problem(str(parts[1].value)))
            ):
                mistakes.append(Mistake(problem, parts[1].at))
                return None
            known = [unit for unit in units if unit is not None]
            if (result := _result(sign, known, parts)) is None:
                words = " and ".join(UNIT_WORDS[unit] for unit in known)
                mistakes.append(Mistake(f"{SIGN_WORDS.get(sign, repr(sign))} does not take {words}", at))
            return result


UNIT_WORDS: Mapping[Unit, str] = {
    "number": "a number",
    "money": "an amount",
    "plain": "a number",
    "text": "a text",
    "date": "a day",
    "list": "a list",
    "truth": "a condition",
}
SIGN_WORDS = {"negative": "'-'"}


def _result(sign: str, units: list[Unit], parts: tuple[Node, ...]) -> Unit | None:
    """Return the unit of what an operator gives; None where it does not take such values.

    An amount may be compared with and added to a plain number, which is of the account's currency then, but
    to no count, share or ratio.
    """
    first, last = units[0], units[-1]
    numbers = {*units} <= {"number", "money", "plain"}
    amounts = numbers and not {"number", "money"} <= {*units}  # may be compared and added
    money: Unit = next((unit for unit in ("money", "number") if unit in units), "plain")
    match sign:
        case "and" | "or" | "not":
            return "truth" if {*units} == {"truth"} else None
        case "<" | "<=" | ">" | ">=":
            return "truth" if amounts or (first == last == "date") else None
        case "=" | "!=":
            return "truth" if amounts or (first == last and first != "list") else None
        case "~":
            return "truth" if first == last == "text" and isinstance(parts[1], Constant) else None
        case "in":
            items = parts[1].items if isinstance(parts[1], Items) else ()
            fits = all(_result("=", [first, _plain_unit(item, first)], parts) for item in items)
            return "truth" if last == "list" and fits else None
        case "+" | "-" | "negative":
            return money if amounts else None
        case "*":
            return money if numbers and units.count("money") < 2 else None
        case "/":
            if not numbers or (first != "money" and last == "money"):
                return None
            return "number" if first == last == "money" else money
    return None


def _plain_unit(node: Node, otherwise: Unit) -> Unit:
    """Return the unit of an item of a list; `otherwise` where it is no plain value."""
    return node.unit if isinstance(node, Constant) else otherwise


def evaluate(node: Node, values: Mapping[str, Value]) -> Value:
    """Return the value of a condition that was checked; None where it is not known.

    `and` is false where one part is, and `or` true where one is, whatever is not known beside it.
    """
    match node:
        case Constant(value=value):
            return value
        case Name(name=name):
            return values.get(name)
        case Items(items=items):
            found = tuple(evaluate(item, values) for item in items)
            return None if None in found else found
        case Operation(sign=sign, parts=parts):
            return _apply(sign, [evaluate(part, values) for part in parts])


def _apply(sign: str, values: list[Value]) -> Value:
    if sign in ("and", "or"):
        decisive = sign == "or"
        if decisive in values:
            return decisive
        return None if None in values else not decisive
    if None in values:
        return None
    first, last = values[0], values[-1]
    match sign:
        case "not":
            return not first
        case "=":
            return first == last
        case "!=":
            return first != last
        case "~":
            return is_found(str(last), str(first))
        case "in":
            return isinstance(last, tuple) and first in last
    return ORDERS[sign](first, last) if sign in ORDERS else _computed(sign, values)


ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _computed(sign: str, values: list[Value]) -> Value:
    numbers = [value for value in values if isinstance(value, Decimal)]
    assert len(numbers) == len(values)
    match sign, numbers:
        case "negative", [a]:
            return -a
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "/", [a, b]:
            return a / b if b else None  # nothing is known of a division by nothing
    raise TypeError(f"{sign} was not checked")
