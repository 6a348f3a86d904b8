"""The steps that convert rows between reading and validation, and the transform that applies them and fixes.

Templates and conditions see the text of a value.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from hashlib import blake2b
from itertools import chain, islice
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from ..errors import UsageError
from ..output.text import cell, listed
from ..spelling import suggestion
from .rows import DuplicatePolicy, Row, Rows


def text_of(value: Any) -> str:
    """Return a value as text; a list of texts is joined by commas."""
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ", ".join(map(cell, value))
    return cell(value)


def value_at(values: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column, or of a key of a nested one, as in `brand.name`; None if it is absent."""
    if column in values or "." not in column:
        return values.get(column)
    outer, _, key = column.partition(".")
    nested = values.get(outer)
    return value_at(nested, key) if isinstance(nested, Mapping) else None


KeyOf = Callable[[str], str]  # the key in `Row.values` of a column, as the file names it, or of a field


class Step(Protocol):
    """Converts a row; a Struct whose fields are its settings, since they are part of a job's identity.

    It must be picklable: worker processes convert rows too.
    """

    def apply(self, row: Row) -> None:
        """Change `row.values` in place, or set `row.left_out`."""


class RowFixes(Protocol):
    """Changes what breaks a rule; a Struct, as a step is, and picklable."""

    def may_fix_texts(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Tell whether a text of some rows may have to be fixed; asked of many at once, and again of each."""

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row, which may break no rule."""

    def fix_rules(self, row: Row) -> None:
        """Fix the values of a row that breaks a rule."""


@runtime_checkable
class ColumnStep(Step, Protocol):
    """A step whose settings name columns."""

    @property
    def option(self) -> str:
        """Return the option that the step comes from."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns that it reads, as the file does, or fields."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields that it fills; later steps can read them."""

    def bound(self, key_of: KeyOf) -> Step:
        """Return the step with the key in `Row.values` in place of each column."""


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

    def render(self, values: Mapping[str, Any]) -> str:
        """Fill the columns in; "" where there are columns and all of them are empty."""
        found = [text_of(value_at(values, column)) for column in self.columns]
        if found and not any(found):
            return ""
        pairs = zip(self.literals, [*found, ""], strict=True)
        return "".join(part for pair in pairs for part in pair)


class SetField(msgspec.Struct, frozen=True):
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
        put_text(row.values, self.field, self.template.render(row.values))


class DefaultField(SetField, frozen=True):
    """Fill a field where it is empty."""

    option = "--default"

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
        found = AMOUNT.fullmatch(text)
        return cls(Decimal(found[1]), found[2] or "") if found else None


class Where(msgspec.Struct, frozen=True):
    """Leave out the rows that a condition does not hold for."""

    column: str
    operator: str  # of COMPARISONS, or ~ and !~ for a regular expression
    value: str  # empty for an empty cell

    option = "--where"
    fields = ()

    @classmethod
    def parse(cls, text: str) -> "Where":
        """Parse COLUMN=VALUE and its variants; raise UsageError."""
        found = CONDITION.fullmatch(text)
        if not found or not found["column"].strip():
            hint = "as in --where Status=active; also != > < >= <= and ~ for a regular expression"
            raise UsageError(f"--where: {text!r} is not COLUMN=VALUE", hint=hint)
        if (written := found["operator"] + found["value"][:1]) in ("~=", "=~"):
            hint = f"~ is for a regular expression, as in {text.replace(written, '~', 1)!r}"
            raise UsageError(f"--where: {written} is not an operator, in {text!r}", hint=hint)
        operator = "=" if found["operator"] == "==" else found["operator"]
        where = cls(found["column"].strip(), operator, found["value"].strip())
        if not where.value and operator not in ("=", "!="):
            raise UsageError(f"--where: {text!r} has no value after {operator}")
        if operator.endswith("~"):
            try:
                re.compile(where.value)
            except re.error as error:
                raise UsageError(f"--where: {where.value!r} is not a regular expression: {error}") from None
        return where

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the column."""
        return (self.column,)

    def bound(self, key_of: KeyOf) -> "Where":
        """Return the condition on the key of the column."""
        return Where(key_of(self.column), self.operator, self.value)

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
        if wanted := ParsedAmount.parse(self.value):
            amount = ParsedAmount.parse(text)
            if amount and wanted.currency in ("", amount.currency):
                return bool(compare(amount.number, wanted.number))
            return self.operator == "!="
        return bool(compare(text, self.value))


ROWS_ASKED = 64  # at once, whether a text of theirs may have to be fixed
MAX_DIRTY_RUNS = 4  # runs in succession with something to fix, after which each row is asked


class RowTransform:
    """The steps that convert the rows of one feed, in their order; picklable."""

    def __init__(
        self, steps: Sequence[Step], keep: DuplicatePolicy | None = None, fixes: RowFixes | None = None
    ) -> None:
        self.steps = tuple(steps)
        self.keep = keep
        self.fixes = fixes
        self._bound = self.steps

    @property
    def columns(self) -> set[str]:
        """Name the columns that the steps read."""
        return {column for step in self._column_steps for column in step.columns}

    @property
    def fields(self) -> set[str]:
        """Name the fields that the steps fill."""
        return {field for step in self._column_steps for field in step.fields}

    @property
    def _column_steps(self) -> list[ColumnStep]:
        return [step for step in self.steps if isinstance(step, ColumnStep)]

    @property
    def leaves_out(self) -> bool:
        """Tell whether rows may be left out."""
        return self.keep in ("first", "last") or any(isinstance(step, Where) for step in self.steps)

    @property
    def has_steps(self) -> bool:
        """Tell whether rows are converted before they are validated."""
        return bool(self.steps)

    @property
    def has_fixes(self) -> bool:
        """Tell whether there are fixes."""
        return self.fixes is not None

    @property
    def digest(self) -> str:
        """Return what identifies the steps and their settings."""
        settings = [self.keep, self.fixes, *((type(step).__name__, step) for step in self.steps)]
        return blake2b(msgspec.json.encode(settings, order="deterministic"), digest_size=16).hexdigest()

    def bind(self, rows: Rows) -> None:
        """Find the columns that steps name; raise UsageError for one that a table does not have."""
        key_of = _keys_of(rows)
        self._bound = tuple(
            step.bound(key_of) if isinstance(step, ColumnStep) else step for step in self.steps
        )
        if rows.has_header:
            self.require_columns(rows)

    def require_columns(self, rows: Rows) -> None:
        """Raise UsageError where a step names what is neither a column, a field of one, nor filled before.

        Records need not have every known field.
        """
        key_of, optional = _keys_of(rows), rows.composed if rows.has_header else rows.known
        known = {*rows.columns, *rows.fields, *optional}
        for step in self._column_steps:
            named = {column: {column, key_of(column)} for column in step.columns}
            if not rows.has_header:  # records may be nested
                named = {column: keys | {column.partition(".")[0]} for column, keys in named.items()}
            if missing := [column for column, keys in named.items() if known.isdisjoint(keys)]:
                meant = suggestion(missing[0], rows.columns) or suggestion(missing[0], known)
                raise UsageError(
                    f"{step.option}: no column {missing[0]!r}{meant}", hint=f"columns: {listed(rows.columns)}"
                )
            known.update(step.fields)

    def apply(self, row: Row) -> None:
        """Convert a row in place; one that could not be read stays as it is."""
        if not row.problem:
            for step in self._bound:
                step.apply(row)
                if row.left_out:
                    return

    def with_fixed_texts(self, rows: Iterable[Row]) -> Iterable[Row]:
        """Yield rows, with their texts fixed, which may break no rule."""
        if self.fixes is None:
            return rows
        return chain.from_iterable(self._runs_with_fixed_texts(iter(rows), self.fixes.may_fix_texts))

    def _runs_with_fixed_texts(
        self, rows: Iterator[Row], may_fix: Callable[[Sequence[dict[str, Any]]], bool]
    ) -> Iterator[list[Row]]:
        """Ask about many rows at once, which takes half the time, while there are any with nothing to fix."""
        dirty_runs = 0  # in succession, with something to fix
        while run := [*islice(rows, ROWS_ASKED)]:
            if dirty_runs < MAX_DIRTY_RUNS:
                dirty_runs = dirty_runs + 1 if may_fix([row.values for row in run]) else 0
            if dirty_runs:
                for row in run:
                    if not (row.left_out or row.problem) and may_fix([row.values]):
                        self.fix_texts(row)
            yield run

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row in place, which may break no rule."""
        if self.fixes:
            self.fixes.fix_texts(row)
            if row.changes:
                self._fill_again(row)

    def fix_rules(self, row: Row) -> bool:
        """Fix a row that breaks a rule, in place; tell whether anything was changed."""
        before = len(row.changes)
        if self.fixes:
            self.fixes.fix_rules(row)
        if len(row.changes) == before:
            return False
        self._fill_again(row)
        return True

    def _fill_again(self, row: Row) -> None:
        """Apply defaults again to what a fix has emptied."""
        for step in self._bound:
            if isinstance(step, DefaultField):
                step.apply(row)


def _keys_of(rows: Rows) -> KeyOf:
    return lambda column: str(rows.rename.get(column, column))
