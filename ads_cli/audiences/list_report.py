"""What validating a list found: problems of rows, and what its columns hold."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..api.problems import Problem
from ..output.text import counted
from ..validation.report import ValidationReport
from .identifiers import IDENTIFIERS
from .list_packer import Part


@dataclass
class ListReport(ValidationReport):
    """A validation report that also counts identifiers, and answers in columns of consent."""

    raw: Counter[str] = field(default_factory=Counter)
    hashed: Counter[str] = field(default_factory=Counter)
    placeholders: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Counter[str]] = field(default_factory=dict)  # by column

    def add_part(self, part: Part) -> None:
        """Add some packed rows."""
        packed = part.packed
        for row, problems in sorted(packed.problems.items()):
            self.add(part.place(row), [Problem(*problem) for problem in problems])
        for row, problems in sorted([*packed.partial.items(), *packed.doubts.items()]):
            self.add(part.place(row), [Problem(*problem, severity="warning") for problem in problems])
        self.left_out += len(packed.left_out)
        if self.partial is not None:
            self.partial += len(packed.partial)
        self.raw += packed.raw
        self.hashed += packed.hashed
        self.placeholders += packed.placeholders
        for column, answers in packed.answers.items():
            self.answers[column] = self.answers.get(column, Counter()) + answers
        self.rows = part.records[-1] if part.records else self.rows

    def merge_list(self, other: "ListReport", records: int) -> None:
        """Add the report of a further list, whose rows follow `records` others."""
        self.merge(other, records)
        self.raw += other.raw
        self.hashed += other.hashed
        self.placeholders += other.placeholders
        for column, answers in other.answers.items():
            self.answers[column] = self.answers.get(column, Counter()) + answers

    @property
    def identifiers(self) -> dict[str, dict[str, int]]:
        """Count the values of each kind of identifier: raw ones, and hashed ones."""
        return {
            name: {"raw": self.raw[name], "hashed": self.hashed[name]}
            for name in IDENTIFIERS
            if self.raw[name] or self.hashed[name]
        }

    def describe_values(self) -> Iterator[str]:
        """Say where values are absent though they are not empty, and which kinds came both raw and hashed."""
        for name, number in self.placeholders.items():
            if number:
                yield f"{name}: {counted(number, 'placeholder')} such as n/a or noreply@ not sent"
        for name, count in self.identifiers.items():
            if count["raw"] and count["hashed"]:
                yield (
                    f"{name}: {counted(count['hashed'], 'value')} came hashed and {count['raw']:,} did not;"
                    " each is treated as what it looks like"
                )
