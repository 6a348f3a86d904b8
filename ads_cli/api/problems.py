"""What is wrong with values, and which mistakes are the same."""

import re
from collections.abc import Collection
from typing import Any, Literal, NamedTuple

import msgspec

from ..spelling import suggestion
from .fields import FieldType

Severity = Literal["error", "warning"]
ProblemKind = tuple[str, str, Severity, str]  # what problems with the same mistake have in common
CHOICE = "choice"  # the rule of a field whose values are listed
# Quoted values and numbers: they differ between messages about the same mistake. A row with too few cells
# is another mistake than one with too many.
VARIABLE_PART = r"'[^']*'|\"[^\"]*\"|(?>\d[\d,.]*)(?! cells)"


class Problem(NamedTuple):
    """One broken rule: the path of the field (`components[1].destination.url`) and the reason.

    The service refuses an error. It was seen to accept a warning, though the specification does not.
    """

    path: str
    message: str
    severity: Severity = "error"
    rule: str = ""  # its name; empty where the declared type of the field is all there is
    fix: str = ""  # the name of the fix for it, as in `--fix`

    @property
    def kind(self) -> ProblemKind:
        """What problems with the same mistake have in common."""
        return self.path, self.rule or re.sub(VARIABLE_PART, "…", self.message), self.severity, self.fix

    @property
    def field(self) -> str:
        """The first name of the path."""
        return self.path.split("[")[0].split(".")[0]

    def as_error(self) -> "Problem":
        """Return the same problem as an error."""
        return self._replace(severity="error")

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class Reason(NamedTuple):
    """Why a rule is broken, for a rule that can be broken by mistakes of several kinds."""

    kind: str
    message: str


class InvalidError(Exception):
    """Values break the declaration; `problems` lists every error."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


MAX_QUOTED = 60  # characters


def explain(field_type: FieldType, value: Any, strict: bool, error: msgspec.ValidationError) -> str:
    """Explain why a single value is invalid."""
    if field_type.base is list and not isinstance(value, list):
        return f"must be a list, not {type_name(value)}"
    if field_type.base is str and isinstance(value, dict | list):
        return f"must be text, not {type_name(value)}"
    if field_type.choices:
        return choice_problem(value, field_type.choices)
    if isinstance(value, str) and field_type.base is str:
        if length := length_problem(field_type, value):
            return length
        if (mistake := field_type.extra("mistake")) and (reason := mistake(value)):
            return f"{quoted(value)} {reason}"
    limits = field_type.description
    if field_type.base is int:
        number, most = _whole_number(value, strict), field_type.limit("le")
        if number is None:
            return f"{quoted(value)} is not a whole number" + (f" ({limits})" if limits else "")
        if field_type.extra("money") and number > most:
            return f"{quoted(value)} is more than {most:,}"
    if field_type.base is float:
        return f"{quoted(value)} is not a number with a point, as in 12.50"
    if limits:
        return f"{quoted(value)} is not allowed: {limits}"
    if field_type.base is bool:
        return f"{quoted(value)} is neither true nor false"
    if field_type.base is str:
        return f"must be text, not {type_name(value)}"
    return str(error).split(" - at `")[0]


def length_problem(field_type: FieldType, value: str | list[Any]) -> str | None:
    """Say that a text or a list is too long or too short."""
    length = len(value)
    max_length, min_length = field_type.limit("max_length"), field_type.limit("min_length")
    if max_length is not None and length > max_length:
        allowed = f"at most {max_length:,} {'is' if max_length == 1 else 'are'} allowed"
    elif min_length is not None and length < min_length:
        allowed = f"at least {min_length:,} are needed"
    else:
        return None
    return f"has {length:,} {field_type.unit(length)}, {allowed}" if value else "is empty"


def choice_problem(value: Any, choices: Collection[str]) -> str:
    """Say that a value is not one of the choices, and which one may be meant."""
    if len(choices) == 1:
        return f"must be {', '.join(choices)}, not {quoted(value)}"
    return f"{quoted(value)} is not one of {', '.join(choices)}{suggestion(str(value), choices)}"


def _whole_number(value: Any, strict: bool) -> int | None:
    try:
        return msgspec.convert(value, int, strict=strict)
    except msgspec.ValidationError:
        return None


def quoted(value: Any) -> str:
    """Quote a value for a message, shortened."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return repr(text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 3] + "...")


def type_name(value: Any) -> str:
    """Name the JSON type of a value."""
    names: dict[type, str] = {dict: "an object", list: "a list", bool: "a boolean", str: "text"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "nothing")
