"""What is wrong with a file: each kind of mistake once, however many rows make it."""

import dataclasses
import re
from dataclasses import dataclass

from ..api.validation import Problem
from ..feeds.rows import FIRST_LINES, Row
from ..output.text import counted

MOST_KINDS = 1000  # of mistakes, that are kept
# What differs from row to row in messages that tell of the same mistake: quoted values and numbers.
PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.]*")


@dataclass
class Finding:
    """One mistake, however many rows make it."""

    field: str
    problem: str
    rows: int = 0
    lines: list[int] = dataclasses.field(default_factory=list)
    records: list[int] = dataclasses.field(default_factory=list)


@dataclass
class ValidationReport:
    """What a whole file is worth."""

    rows: int = 0
    invalid: int = 0
    warnings: list[str] = dataclasses.field(default_factory=list)
    groups: dict[tuple[str, str], Finding] = dataclasses.field(default_factory=dict)
    most: int = MOST_KINDS
    others: int = 0  # mistakes of further kinds

    @property
    def valid(self) -> int:
        """Count the rows that can be sent."""
        return self.rows - self.invalid

    @property
    def verdict(self) -> str:
        """Say how many rows are invalid."""
        return f"{self.invalid:,} of {counted(self.rows, 'row')} invalid"

    def add(self, row: Row, problems: list[Problem]) -> None:
        """Note the problems of one row."""
        self.invalid += 1
        for path, message in problems:
            key = path, PARTICULAR.sub("…", message)
            found = self.groups.get(key)
            if found is None and len(self.groups) == self.most:
                self.others += 1
                continue
            if found is None:
                found = self.groups[key] = Finding(path, message)
            found.rows += 1
            if len(found.lines) < FIRST_LINES:
                found.lines.append(row.line)
                found.records.append(row.record)
