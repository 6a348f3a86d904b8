"""Facts about rows that are gathered while they are validated."""

from typing import Any, Protocol

from ..api.problems import Problem
from ..feeds.rows import Row


class Facts(Protocol):
    """Facts about a run of rows; picklable, since worker processes gather them too."""

    def note(self, row: Row, problems: list[Problem], record: int) -> None:
        """Note a validated row; `record` is its number in the run."""

    def note_problems(self, row: Row, problems: list[Problem], record: int) -> None:
        """Note further problems of a row."""

    def add(self, later: Any) -> None:
        """Add the facts about the run of rows that follows."""

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede this run in the file."""
