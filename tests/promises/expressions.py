"""Every regular expression of adsctl, and texts on which one that backtracks takes long."""

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple

import ads_cli
from tests.effort import tries

METHODS = {"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
AT_START = {"match", "fullmatch"}
REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
MANY = 64  # repeats of fewer are not tried: what they cost is bounded
USUAL = "a0_ \n-.<\"'é"
VARIANTS = tries(2, 4)  # readings of an expression with branches
SUFFIXES = ("", "\0", "\n\0")


class Expression(NamedTuple):
    """A regular expression, where it is, and the methods that it is used by."""

    place: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


def modules() -> Iterator[ModuleType]:
    """Import every module of the package."""
    for found in pkgutil.walk_packages(ads_cli.__path__, "ads_cli."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def expressions() -> Iterator[Expression | str]:
    """Yield each expression; of one that is made while a function runs, its place alone."""
    trees = [(module, ast.parse(inspect.getsource(module))) for module in modules()]
    uses = {module.__name__: _methods_by_name(tree) for module, tree in trees}
    for module, tree in trees:
        nodes = [*ast.walk(tree)]
        names = {id(node.value): _name(node.targets[0]) for node in nodes if isinstance(node, ast.Assign)}
        followed = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if not isinstance(node, ast.Call) or not (function := _function(node)):
                continue
            given = [keyword.value for keyword in node.keywords if keyword.arg == "pattern"]
            flags = [keyword.value for keyword in node.keywords if keyword.arg == "flags"]
            methods = {function}
            if function == "Meta":
                methods = {"search"}  # which msgspec calls
            else:
                given += node.args[:1]
            if function == "compile":
                flags += node.args[1:2]
                name, method = names.get(id(node), ""), followed.get(id(node), "")
                methods = {method} & METHODS or {
                    use
                    for other, tree_uses in uses.items()
                    if other == module.__name__
                    or vars(sys.modules[other]).get(name) is vars(module).get(name)
                    for use in tree_uses[name]
                }
            for source in given:
                place = f"{module.__name__.removeprefix('ads_cli.')}: {ast.unparse(source)}"
                try:
                    value, *rest = (_value(each, module) for each in [source, *flags])
                except NameError:
                    yield place
                else:
                    pattern = value if isinstance(value, re.Pattern) else re.compile(value, *rest)
                    yield Expression(place, pattern, frozenset(methods or METHODS))


def _methods_by_name(tree: ast.AST) -> defaultdict[str, set[str]]:
    """Return the methods that a module calls of each name."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            used[_name(node.value)].add(node.attr)
        if isinstance(node, ast.Call) and node.args and (function := _function(node)) in METHODS:
            used[_name(node.args[0])].add(function)
    return used


def _function(node: ast.Call) -> str:
    """Return which function of `re` is called, or Meta of msgspec; "" for others."""
    match node.func:
        case ast.Attribute(value=ast.Name(id="re"), attr=name) if name in {*METHODS, "compile"}:
            return name
        case ast.Name(id="Meta"):
            return "Meta"
    return ""


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name(value)
    return ""


def _value(node: ast.expr, module: ModuleType) -> Any:
    return eval(compile(ast.Expression(node), "<expression>", "eval"), vars(module))


class Attack(NamedTuple):
    """A text that is made longer by repeating a part of it."""

    prefix: str
    pump: str
    suffix: str

    def of(self, length: int) -> str:
        """Return the text with about `length` characters of the repeated part."""
        return self.prefix + self.pump * (length // len(self.pump)) + self.suffix


def attacks(pattern: re.Pattern[Any]) -> Iterator[Attack]:
    """Derive texts from an expression: what leads to each of its repeats, and what it repeats, many times."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags & ~(0 if isinstance(pattern.pattern, str) else re.UNICODE)
    tree = _parser.parse(source, flags)
    repeats: dict[tuple[str, str], None] = {}
    for choice in range(VARIANTS):
        walk = _Walk(tree, choice)
        walk.sequence(tree, "")
        repeats |= dict.fromkeys(walk.repeats)
    prefixes = dict.fromkeys(["", *(prefix for prefix, _ in repeats)])
    bodies = [text for prefix, body in repeats for text in (body, prefix + body)]
    pumps = dict.fromkeys(filter(None, [*walk.alphabet, *bodies, *prefixes]))
    for prefix in prefixes if repeats else ():
        for pump in pumps:
            for suffix in SUFFIXES:
                yield Attack(prefix, pump, suffix)


class _Walk:
    """The repeats of an expression, each with a text that leads to it and one that it repeats."""

    def __init__(self, tree: Any, choice: int) -> None:
        self.state = tree.state
        self.choice = choice  # of what may follow each other: which branch, and whether what is looked for
        self.repeats: list[tuple[str, str]] = []
        literals = {chr(code) for code in _codes(tree)}
        self.alphabet = sorted({*USUAL, *literals, *(c.upper() for c in literals if c.isascii())})
        self._groups: dict[int, str] = {}

    def sequence(self, nodes: Any, prefix: str) -> str:
        """Return a text that the nodes match, after `prefix`; note the repeats among them."""
        text = ""
        for node in nodes:
            text += self._node(node, prefix + text)
        return text

    def _node(self, node: Any, prefix: str) -> str:
        kind, value = node
        if kind in REPEATS:
            low, high, body = value
            text = self.sequence(body, prefix)
            if high >= MANY:
                self.repeats.append((prefix, text))
            return text * low
        if kind is _constants.BRANCH:
            texts = [self.sequence(branch, prefix) for branch in value[1]]
            return texts[self.choice % len(texts)]
        if kind is _constants.SUBPATTERN:
            group, _, _, body = value
            text = self.sequence(body, prefix)
            self._groups[group] = text
            return text
        if kind is _constants.ATOMIC_GROUP:
            return self.sequence(value, prefix)
        if kind in (_constants.ASSERT, _constants.ASSERT_NOT):
            text = self.sequence(value[1], prefix if value[0] > 0 else "")
            return text * (kind is _constants.ASSERT and value[0] > 0 and self.choice % 2)
        if kind is _constants.GROUPREF:
            return self._groups.get(value, "")
        if kind is _constants.AT:
            return ""
        return self._character(node)

    def _character(self, node: Any) -> str:
        one = _compiler.compile(_parser.SubPattern(self.state, [node]))
        return next(filter(one.fullmatch, [*self.alphabet, *map(chr, range(256))]), "")


def _codes(node: Any) -> Iterator[int]:
    """Yield the characters that an expression names, and the ends of its ranges."""
    if isinstance(node, tuple) and len(node) == 2 and node[0] in (_constants.LITERAL, _constants.NOT_LITERAL):
        yield node[1]
    elif isinstance(node, tuple) and len(node) == 2 and node[0] is _constants.RANGE:
        yield from node[1]
    elif isinstance(node, list | tuple | _parser.SubPattern):
        for each in node:
            yield from _codes(each)
