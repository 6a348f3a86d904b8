"""Validation errors and warnings of a file, grouped by rule."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..api.problems import Problem, Severity
from ..feeds.rows import FIRST_LINES, Row
from ..output.text import counted
from . import FixedRows

MAX_FINDINGS = 1000


@dataclass
class Finding:
    """One kind of mistake, with the first rows that have it."""

    field: str
    problem: str
    severity: Severity = "error"
    fix: str = ""  # the name of the fix for it, as in `--fix`
    rows: int = 0
    lines: list[int] = dataclasses.field(default_factory=list)
    records: list[int] = dataclasses.field(default_factory=list)

    @property
    def more_rows(self) -> int:
        """Count the rows that are not listed."""
        return self.rows - len(self.lines)


@dataclass
class ValidationReport:
    """The number of rows in a file, and what is wrong with them."""

    rows: int = 0
    left_out: int = 0  # rows that conversion leaves out
    invalid: int = 0  # rows with an error
    warned: int = 0  # rows with a warning, invalid ones among them
    can_leave_out: bool = False  # whether conversion may leave rows out
    can_warn: bool = False  # whether one of the rules is a warning
    # Required fields that the file has no column for, with what to do: reported once, and not for each row.
    missing: Mapping[str, str] = dataclasses.field(default_factory=dict)
    partial: int | None = None  # rows that are sent without what is invalid in them; None if none may be
    can_fix: bool = False  # whether fixes are applied
    fixed: FixedRows = dataclasses.field(default_factory=dict)  # what they changed
    notes: list[str] = dataclasses.field(default_factory=list)  # about the file, not its rows
    warnings: list[str] = dataclasses.field(default_factory=list)  # what of it is not sent as asked for
    groups: dict[tuple[str, str, Severity, str], Finding] = dataclasses.field(default_factory=dict)
    max_findings: int = MAX_FINDINGS
    omitted: int = 0  # mistakes of further kinds

    @property
    def valid(self) -> int:
        """Count the rows that can be sent."""
        return self.rows - self.left_out - self.invalid

    @property
    def counts(self) -> dict[str, Any]:
        """Return the counts of rows that programs read."""
        return {
            "rows": self.rows,
            **({"left_out": self.left_out} if self.can_leave_out or self.left_out else {}),
            "valid": self.valid,
            "invalid": self.invalid,
            **({"warned": self.warned} if self.can_warn else {}),
            **({} if self.partial is None else {"partial": self.partial}),
            **({"fixed": {name: fixed.rows for name, fixed in self.fixed.items()}} if self.can_fix else {}),
        }

    @property
    def summary(self) -> str:
        """Say how many rows are invalid."""
        return f"{self.invalid:,} of {counted(self.rows, 'row')} invalid"

    @property
    def findings(self) -> list[Finding]:
        """Return the findings: errors first, and of each severity those with the most rows."""
        rows = self.rows - self.left_out
        missing = [Finding(name, problem, rows=rows) for name, problem in self.missing.items()]
        groups = self.groups.values()
        return missing + sorted(groups, key=lambda finding: (finding.severity, -finding.rows))

    def merge(self, other: "ValidationReport", records: int) -> None:
        """Add the report of a further file, whose rows follow `records` others."""
        self.rows += other.rows
        self.left_out += other.left_out
        self.invalid += other.invalid
        self.warned += other.warned
        self.omitted += other.omitted
        if other.partial is not None:
            self.partial = (self.partial or 0) + other.partial
        for kind, found in other.groups.items():
            if kind not in self.groups and len(self.groups) == self.max_findings:
                self.omitted += 1
                continue
            finding = self.groups.setdefault(kind, dataclasses.replace(found, rows=0, lines=[], records=[]))
            free = FIRST_LINES - len(finding.lines)
            finding.rows += found.rows
            finding.lines += found.lines[:free]
            finding.records += [record + records for record in found.records[:free]]

    def add(self, row: Row, problems: list[Problem], known: Iterable[Problem] = ()) -> None:
        """Add the problems of one row; `known` are those of it that were added before."""
        severities = {problem.severity for problem in problems}
        severities -= {problem.severity for problem in known}
        self.invalid += "error" in severities
        self.warned += "warning" in severities
        for problem in problems:
            if problem.path in self.missing:
                continue
            finding = self.groups.get(problem.kind)
            if finding is None and len(self.groups) == self.max_findings:
                self.omitted += 1
                continue
            if finding is None:
                path, message, severity, _, fix = problem
                finding = self.groups[problem.kind] = Finding(path, message, severity, fix)
            finding.rows += 1
            if len(finding.lines) < FIRST_LINES:
                finding.lines.append(row.line)
                finding.records.append(row.record)
