"""What is wrong with values, and which mistakes are the same."""

import re
from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]
CHOICE = "choice"  # the rule of a field whose values are listed
# Quoted values and numbers: they differ between messages about the same mistake.
VARIABLE_PART = r"'[^']*'|\"[^\"]*\"|\d[\d,.]*"


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
    def kind(self) -> tuple[str, str, Severity, str]:
        """What problems with the same mistake have in common."""
        return self.path, self.rule or re.sub(VARIABLE_PART, "…", self.message), self.severity, self.fix

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
