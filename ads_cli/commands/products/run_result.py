"""What a run came to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...errors import ReportedError

if TYPE_CHECKING:
    from ...report import Section, Tally
    from ...uploads.push import PushResult, Summary
    from ...validation.validator import Validator


Action = Literal["check", "diff", "push", "sync"]


class DifferencesPart(NamedTuple):
    """What a page says of differences, which themselves last no longer than their comparison."""

    headline: str
    tallies: "list[Tally]"
    sections: "list[Section]"


@dataclass
class RunResult:
    """What a run came to, as far as it came."""

    files: str  # as they were typed
    validator: "Validator | None" = None  # of the rows of the feed
    action: Action = "check"
    differences: DifferencesPart | None = None
    summary: "Summary | None" = None  # of a push
    result: "PushResult | None" = None  # of a push that has sent something
    error: ReportedError | None = None  # that ended it
