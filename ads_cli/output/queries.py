"""Queries of --query, in JMESPath, and their mistakes in plain words."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..errors import UsageError
from ..spelling import suggestion
from .text import is_deeper, listed, shortened

MAX_RESULT_DEPTH = 100
# JMESPathError is a ValueError; numbers and nesting without a limit raise the others.
ERRORS = (ValueError, ArithmeticError, TypeError, RecursionError)
EXAMPLES = "as in '[].id', 'data[0].name' or \"[?status=='RUNNING'].{id: id, name: name}\""
TYPES = {
    "string": "a text",
    "str": "a text",
    "array": "a list",
    "list": "a list",
    "object": "a record",
    "dict": "a record",
    "number": "a number",
    "boolean": "true or false",
    "bool": "true or false",
    "null": "null",
    "NoneType": "null",
    "expref": "an expression such as &name",
    "array-string": "a list of texts",
    "array-number": "a list of numbers",
}
SIGNS = {
    "=": "to compare, write ==",
    "-": 'a name with a dash is in double quotes: "due-date"',
    '"': "a double quote is not closed",
    "'": "a single quote is not closed",
    "`": "a backtick is not closed",
}


class Query:
    """An expression that is applied to what json would show."""

    def __init__(self, expression: str) -> None:
        """Compile it; raise UsageError that says what is wrong, and where."""
        import jmespath

        self._expression = expression
        try:
            self._compiled = jmespath.compile(expression)
        except ERRORS as error:
            quoted = repr(shortened(expression))
            why = _problem(expression, error)
            raise UsageError(
                f"--query: {quoted} is not a valid JMESPath expression{why}", hint=EXAMPLES
            ) from None

    def search(self, document: Any, hint: str = "") -> Any:
        """Return the result; raise UsageError where the query does not fit the document."""
        try:
            result = self._compiled.search(document)
        except ERRORS as error:
            raise UsageError(f"--query: {shortened(_misfit(error))}", hint=hint) from None
        if is_deeper(result, MAX_RESULT_DEPTH):
            raise UsageError("--query: its result is nested too deep", hint=hint)
        return result

    @property
    def compared_names(self) -> list[str]:
        """The fields that values are compared with, which were perhaps meant as texts."""
        return [*dict.fromkeys(_compared(self._compiled.parsed))]


def _problem(expression: str, error: Exception) -> str:
    position, token = getattr(error, "lex_position", None), getattr(error, "token_value", None)
    if position is None:
        return ""
    if token is None or position >= len(expression):
        return ": it ends too early"
    where = f": {shortened(str(token))!r} at character {position + 1}"
    if advice := SIGNS.get(str(token)[:1]):
        return f"{where}; {advice}"
    if token == "}" and "colon" in str(error):
        return f"{where}; a column is NAME: FIELD, as in {{id: id}}"
    return f"{where} is not expected there"


def _misfit(error: Exception) -> str:
    """Say why a query cannot be applied to a document."""
    from jmespath import exceptions, functions

    match error:
        case exceptions.JMESPathTypeError():
            value, takes = error.current_value, [TYPES.get(name, name) for name in error.expected_types]
            is_a = TYPES.get(error.actual_type, error.actual_type)
            shown = shortened(repr(value))
            return f"In function {error.function_name}(), {shown} is {is_a}; it takes {' or '.join(takes)}"
        case exceptions.ArityError():
            counts = f"{error.expected_arity}, not {error.actual_arity}"
            return f"{error.function_name}() takes another number of arguments: {counts}"
        case exceptions.UnknownFunctionError():
            name = str(error).rpartition(" ")[2].removesuffix("()")
            known = functions.Functions.FUNCTION_TABLE
            near = suggestion(name, known) or f"; there are {listed(sorted(known), len(known))}"
            return f"there is no function {name}(){near}"
        case TypeError():
            return "it compares or sorts values of different types, such as a text and a number"
        case RecursionError():
            return "it is nested too deep"
    return f"it does not fit the result: {error}"


def _compared(node: Any) -> Iterator[str]:
    if not isinstance(node, dict):
        return
    children = node.get("children", [])
    if node.get("type") == "comparator":
        with suppress(LookupError):
            if children[1]["type"] == "field":
                yield children[1]["value"]
    for child in children:
        yield from _compared(child)
