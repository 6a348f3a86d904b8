"""What is wrong with a file: errors and warnings by rule, and columns that are missing or not sent."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..errors import ContentError
from ..feeds.rows import Rows
from ..output.text import counted, listed, quoted_word, shell_command
from ..spelling import closest, suggestion
from . import Finding, FixedRows, GroupedProblems, MakeAdvisor


@dataclass
class ValidationReport(GroupedProblems):
    """The number of rows in a file, and what is wrong with them."""

    rows: int = 0
    left_out: int = 0  # that steps leave out
    can_leave_out: bool = False  # whether rows may be left out
    can_warn: bool = False  # whether one of the rules is a warning
    partial: int | None = None  # rows that are sent without what is invalid in them; None if none may be
    can_fix: bool = False  # whether fixes are applied
    fixed: FixedRows = dataclasses.field(default_factory=dict)  # what they changed
    notes: list[str] = dataclasses.field(default_factory=list)  # about the file, not its rows
    warnings: list[str] = dataclasses.field(default_factory=list)  # what of it is not sent as asked for

    @property
    def valid(self) -> int:
        """Count the rows that can be sent."""
        return self.rows - self.left_out - self.invalid

    @property
    def counts(self) -> dict[str, Any]:
        """Return the counts of rows that programs read."""
        return {
            "rows": self.rows,
            **({"left_out": self.left_out} if self.can_leave_out else {}),
            "valid": self.valid,
            "invalid": self.invalid,
            **({"warned": self.warned} if self.can_warn else {}),
            **({} if self.partial is None else {"partial": self.partial}),
            **({"fixed": {name: fixed.rows for name, fixed in self.fixed.items()}} if self.can_fix else {}),
        }

    @property
    def summary(self) -> str:
        """Say how many rows are invalid, of those that are not left out."""
        return f"{self.invalid:,} of {counted(self.rows - self.left_out, 'row')} invalid"

    @property
    def findings(self) -> list[Finding]:
        """Return the findings: errors first, and of each severity those with the most rows."""
        rows = self.rows - self.left_out
        missing = [Finding(name, problem, rows=rows) for name, problem in self.missing.items()]
        groups = self.groups.values()
        return missing + sorted(groups, key=lambda finding: (finding.severity, -finding.rows))


FIRST_COLUMNS = 5  # unknown columns that a note names
MAX_COMPARED = 200  # unknown columns that may be misspelled; comparing takes longer than reading them
FILL_HINT = "name it with --map COLUMN={0}, or fill the field with --default {1}"


def missing_columns(
    rows: Rows,
    required: Collection[str],
    field_names: Collection[str],
    advisor: MakeAdvisor | None = None,
    values: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the required fields that no column gives, each with what to do.

    `values` has a value of each column that is not sent, as far as rows were read. Raises ContentError where
    a table has a column for none of the required fields: then it is not such a feed.
    """
    present = {*rows.fields, *rows.composed}
    filled = present | rows.transform.fields
    missing = [name for name in required if name not in filled]
    unknown = [name for name in rows.columns if name not in field_names][:MAX_COMPARED]
    if missing and has_no_required_column(rows, required):
        hints = [hint for name in missing if (hint := _map_hint(name, unknown, advisor, values))]
        hints = hints or [f"the file's columns are: {listed(rows.columns)}"]
        raise ContentError(
            f"{rows.source.label}: no column {', '.join(map(repr, missing))}",
            hint="; ".join([*hints, advisor().asking] if advisor else hints),
        )
    absent = "the file has no such column" if rows.has_header else "no record has it"
    return {
        name: rows.hints.get(name)
        or f"{absent}; {_map_hint(name, unknown, advisor, values) or _fill_hint(name, present)}"
        for name in missing
    }


def _fill_hint(name: str, present: Collection[str]) -> str:
    template = "'description={title}'" if name == "description" and "title" in present else f"{name}=…"
    return FILL_HINT.format(name, template)


def has_no_required_column(rows: Rows, required: Collection[str]) -> bool:
    """Tell whether a table has a column for none of the required fields; its columns were read."""
    return rows.has_header and bool(rows.columns) and {*rows.fields, *rows.composed}.isdisjoint(required)


def unsent_columns(rows: Rows, field_names: Collection[str]) -> frozenset[str]:
    """Return the columns that are no fields, unless they are known for it or read by a step."""
    used = rows.transform.columns
    return frozenset(
        column
        for column, name in zip(rows.columns, rows.fields, strict=True)
        if name not in field_names and column not in used and column not in rows.unsent
    )


def unused_mapping(rows: Rows) -> list[str]:
    """Return a warning about each column of --map that no record has; the reader of a table refuses it."""
    unused = [] if rows.has_header else [name for name in rows.rename if name not in rows.columns]
    return [f"--map: no record has {name!r}{suggestion(name, rows.columns)}" for name in unused]


def unknown_columns(
    rows: Rows,
    field_names: Collection[str],
    with_values: Mapping[str, Any],
    advisor: MakeAdvisor | None,
    missing: Collection[str],
) -> list[str]:
    """Return notes about columns that are not sent, though they have values, of which each has one here.

    A column that may be meant as a `missing` field is reported there.
    """
    unsent = unsent_columns(rows, field_names)
    columns = [column for column in rows.columns if column in unsent and column in with_values]
    return columns_not_sent(columns, {*field_names} - {*rows.fields}, with_values, advisor, missing)


def columns_not_sent(
    columns: Sequence[str],
    free: Collection[str],
    values: Mapping[str, Any] = MappingProxyType({}),
    advisor: MakeAdvisor | None = None,
    missing: Collection[str] = (),
) -> list[str]:
    """Return notes about columns that are not sent: first those that seem to be meant for a field.

    `free` are the fields that no column is read as. Of a column whose value is not valid there, the
    options that make it valid are named too; where there are none, it is not suggested.
    """
    notes: list[str] = []
    others: list[str] = []
    compared = columns[:MAX_COMPARED]
    if advisor and columns:
        fields = advisor().fields_of_columns(compared, free, values)
    else:
        fields = {column: field for column in compared if (field := closest(column, free))}
    for column in columns:
        field = fields.get(column)
        if advisor and field in missing:
            continue
        needed: list[str] | None = []
        if field and advisor and column in values:
            needed = advisor().options_for(field, values[column])
        if field and needed is not None and len(notes) < FIRST_COLUMNS:
            option = shell_command(["--map", f"{column}={field}", *needed])
            notes.append(f"{column!r} is not sent; to send it: {option}")
        else:
            others.append(column)
    if others:
        more = f", and {len(others) - FIRST_COLUMNS} more" if len(others) > FIRST_COLUMNS else ""
        names = ", ".join(map(repr, others[:FIRST_COLUMNS]))
        verb = "is" if len(others) == 1 else "are"
        notes.append(f"{counted(len(others), 'column')} {verb} not known and not sent: {names}{more}")
    return notes


def _map_hint(name: str, unknown: list[str], advisor: MakeAdvisor | None, values: Mapping[str, Any]) -> str:
    """Suggest the column that may be meant, and the option that maps it."""
    candidate = advisor().column_for(name, unknown, values) if advisor else closest(name, unknown)
    return f"is {candidate!r} meant? --map {quoted_word(f'{candidate}={name}')}" if candidate else ""
