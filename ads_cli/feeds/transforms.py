"""Steps that any rows may need: templates that fill fields, and conditions on the text of a value."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple

import msgspec

from ..errors import UsageError
from ..output.text import cell
from .row import ColumnStep, KeyOf, Row, Step
from .spreadsheet_cells import CODES, is_spoiled, read_cell


def text_of(value: Any) -> str:
    """Return a value as text; a list of texts is joined by commas."""
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ", ".join(map(cell, value))
    return cell(value)


def value_at(values: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column, or of a key of a nested one, as in `brand.name`. None if absent."""
    if column in values or "." not in column:
        return values.get(column)
    outer, _, key = column.partition(".")
    nested = values.get(outer)
    if isinstance(nested, str) and nested.startswith("{"):  # as a table has it, of a feed in JSON or XML
        with suppress(ValueError, RecursionError):
            nested = json.loads(nested)
    return value_at(nested, key) if isinstance(nested, Mapping) else None


TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|[{}]")
ESCAPED = {"{{": "{", "}}": "}"}


class Template(msgspec.Struct, frozen=True):
    """A parsed template: literal texts, with a column between each two of them."""

    literals: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Template":
        """Parse a template, in which `{{` and `}}` are braces; raise ValueError."""
        literals, columns, end = [""], list[str](), 0
        for token in TOKEN.finditer(text):
            literals[-1] += text[end : token.start()]
            end = token.end()
            if token[1]:
                columns.append(token[1].strip())
                literals.append("")
            elif (brace := ESCAPED.get(token[0])) is not None:
                literals[-1] += brace
            else:
                raise ValueError(
                    f"{token[0]!r} is not part of a {{column}}; write {token[0] * 2} for a brace"
                )
        literals[-1] += text[end:]
        return cls(tuple(literals), tuple(columns))

    def bound(self, key_of: KeyOf) -> "Template":
        """Return the template with keys in place of columns."""
        return Template(self.literals, tuple(map(key_of, self.columns)))

    def render(self, values: Mapping[str, Any], field: str = "") -> str:
        """Fill the columns in. Return "" if there are columns and all of them are empty.

        A value that a spreadsheet has spoiled, as by a formula, becomes the whole text, so that it is found.
        """
        texts = [text_of(value_at(values, column)) for column in self.columns]
        if texts and not any(texts):
            return ""
        for text in texts:
            if is_spoiled(text, field):
                return text
        if field in CODES:
            texts = [*map(read_cell, texts)]
        pairs = zip(self.literals, [*texts, ""], strict=True)
        return "".join(part for pair in pairs for part in pair)


class SetField(Step, frozen=True):
    """Fill a field, whatever it holds; a template that gives nothing empties it."""

    field: str
    template: Template

    option = "--set"

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of the template."""
        return self.template.columns

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the field."""
        return (self.field,)

    def bound(self, key_of: KeyOf) -> "SetField":
        """Return the step with keys in place of columns."""
        return type(self)(self.field, self.template.bound(key_of))

    def apply(self, row: Row) -> None:
        """Fill the field."""
        put_text(row.values, self.field, self.template.render(row.values, self.field))


class DefaultField(SetField, frozen=True):
    """Fill a field where it is empty."""

    option = "--default"
    follows_fixes = True

    def apply(self, row: Row) -> None:
        """Fill the field."""
        if not row.values.get(self.field):
            super().apply(row)


def put_text(values: dict[str, Any], field: str, text: str) -> None:
    """Store a value; an empty field is left out."""
    if text and not text.isspace():
        values[field] = text
    else:
        values.pop(field, None)


CONDITION = re.compile(r"(?P<column>.+?)(?P<operator>!=|!~|==|>=|<=|=|>|<|~)(?P<value>.*)", re.DOTALL)
COMPARISONS = {"=": eq, "!=": ne, ">": gt, "<": lt, ">=": ge, "<=": le}
# A leading zero makes digits a code, such as an id, and not a number.
AMOUNT = re.compile(r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?: ?([A-Z]{3}))?")


class ParsedAmount(NamedTuple):
    """A number, and its currency if it has one."""

    number: Decimal
    currency: str

    @classmethod
    def parse(cls, text: str) -> "ParsedAmount | None":
        """Return the amount that a text is, or None."""
        match = AMOUNT.fullmatch(text)
        return cls(Decimal(match[1]), match[2] or "") if match else None


class Where(ColumnStep, frozen=True):
    """Leave out the rows that a condition does not hold for."""

    operator: str  # of COMPARISONS, or ~ and !~ for a regular expression
    value: str  # empty for an empty cell

    option = "--where"

    @classmethod
    def parse(cls, text: str) -> "Where":
        """Parse COLUMN=VALUE and its variants; raise UsageError."""
        match = CONDITION.fullmatch(text)
        if not match or not match["column"].strip():
            hint = "as in --where Status=active; also != > < >= <= and ~ for a regular expression"
            raise UsageError(f"--where: {text!r} is not COLUMN=VALUE", hint=hint)
        if (sign := match["operator"] + match["value"][:1]) in ("~=", "=~"):
            hint = f"~ is for a regular expression, as in {text.replace(sign, '~', 1)!r}"
            raise UsageError(f"--where: {sign} is not an operator, in {text!r}", hint=hint)
        if not match["operator"].endswith("~") and match["value"].startswith(("=", "<", ">")):
            hint = (
                f"one of {' '.join([*COMPARISONS, '~', '!~'])}; a text that begins so has a space before it"
            )
            raise UsageError(f"--where: {sign} is not an operator, in {text!r}", hint=hint)
        operator = "=" if match["operator"] == "==" else match["operator"]
        where = cls(match["column"].strip(), operator, match["value"].strip())
        if not where.value and operator not in ("=", "!="):
            raise UsageError(f"--where: {text!r} has no value after {operator}")
        if operator.endswith("~"):
            try:
                re.compile(where.value)
            except (re.error, OverflowError) as error:
                raise UsageError(f"--where: {where.value!r} is not a regular expression: {error}") from None
            except RecursionError:
                raise UsageError("--where: the regular expression is nested too deeply") from None
        return where

    @property
    def leaves_out(self) -> bool:
        """Tell that it may leave rows out."""
        return True

    def apply(self, row: Row) -> None:
        """Leave the row out unless the condition holds."""
        if not self.holds(text_of(value_at(row.values, self.column)).strip()):
            row.left_out = True

    def holds(self, text: str) -> bool:
        """Tell whether the condition holds for the text of a cell."""
        if self.operator.endswith("~"):
            return bool(re.search(self.value, text)) == (self.operator == "~")
        compare = COMPARISONS[self.operator]
        if self.operator not in ("=", "!=") and not text:
            return False
        if limit := ParsedAmount.parse(self.value):
            amount = ParsedAmount.parse(text)
            if amount and limit.currency in ("", amount.currency):
                return bool(compare(amount.number, limit.number))
            return self.operator == "!="
        return bool(compare(text, self.value))
