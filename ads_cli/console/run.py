"""What a run came to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ReportedError

if TYPE_CHECKING:
    from ..uploads.push import PushResult
    from ..uploads.summary import Summary
    from ..validation.validator import Validator


@dataclass
class Run:
    """What a run came to, as far as it came."""

    files: str  # as they were typed
    validator: "Validator | None" = None  # of the rows of the feed
    sends: bool = False  # whether it is a push
    summary: "Summary | None" = None  # of a push
    result: "PushResult | None" = None  # of a push that has sent something
    error: ReportedError | None = None  # that ended it
