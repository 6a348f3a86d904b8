"""What a rule is."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, ClassVar

from .facts import Facts
from .outcome import Outcome

Changes = Mapping[str, Mapping[str, Any]]  # of a clean account: by kind and id, fields; None removes one


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule:
    """A rule about an account. The first line of its docstring says what it finds.

    The account of `breaks` breaks it, and that of `nearly` nearly does: both are changes of a clean account.
    """

    code: ClassVar[str]  # a letter and three digits, which never change
    severity: ClassVar[Severity]
    why: ClassVar[str]
    advice: ClassVar[str]
    ignore: ClassVar[str]  # when to ignore it
    breaks: ClassVar[Changes]
    nearly: ClassVar[Changes]

    @property
    def name(self) -> str:
        """Return the name of the rule: `cannot-pay`."""
        return re.sub(r"(?<=.)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def summary(self) -> str:
        """Say in a sentence what the rule finds."""
        return (type(self).__doc__ or "").split("\n", 1)[0]

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Yield what is wrong, and what could not be looked at; raise CannotLook where nothing can."""
        raise NotImplementedError
