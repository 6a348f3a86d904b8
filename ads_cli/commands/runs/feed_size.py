"""The rows of a file that is pushed, compared with a minimum and with those of its last push."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ...console.invocation import Invocation
from ...console.parameters import option
from ...errors import NotConfirmedError
from ...numbers import parse_share
from ...output.text import counted

if TYPE_CHECKING:
    from ...runs.feed_sizes import FeedSizes, LastPush
    from ...runs.plan import Plan

MAX_LOSS = 0.3  # of the rows of the last push, without a warning
WHOLE = ""  # in place of where a feed is

MinRows = Annotated[
    str | None,
    option("N|P%", "Send nothing where the feed has fewer rows, or less of those of its last push"),
]


class FeedSizeCheck:
    """Compares the rows of a feed with a minimum, and with those of its last push to the same target.

    Each scope of a feed has a last push of its own. What takes all others away is `whole`: it is compared
    with the last such push, whatever its files were called and however many they were.
    """

    def __init__(
        self, call: Invocation, min_rows: str | None, *, scope: str | None = None, whole: bool = False
    ) -> None:
        self._call, self._scope, self._whole = call, scope, whole
        self._min_rows = min_rows
        self._least = None if min_rows is None else parse_share(min_rows, "--min-rows")

    def check(self, plan: "Plan") -> None:
        """Raise NotConfirmedError below the minimum; warn where many rows are lost, with --quiet too."""
        label, size, (last, called) = plan.file.rows.source.label, _size(plan), self.last_push(plan)
        before = last.rows if last else 0
        of_last = f" of the {before:,} of {called}" if before else ""
        least = self._least
        if least and (before or not least.is_percentage) and size < least.of(before):
            share = f", {100 * size // before} %{of_last}" if before and least.is_percentage else ""
            raise NotConfirmedError(
                f"{label} has {counted(size, 'row')}{share}, and --min-rows is {self._min_rows}",
                hint="nothing was sent; to push it all the same, leave out --min-rows, or lower it",
            )
        if least and least.is_percentage and not last:
            self._call.messages.note(
                f"--min-rows {self._min_rows} has nothing to compare with: "
                f"no last push of {label} is known here"
            )
        if before and size < before * (1 - MAX_LOSS):
            fewer = f"{100 * (before - size) // before} % fewer than the {before:,} of {called}"
            self._call.messages.warn(f"{label}: {counted(size, 'row')}, {fewer}")

    def last_push(self, plan: "Plan") -> "tuple[LastPush | None, str]":
        """Return the push that a feed is compared with, and what it is called."""
        sizes = self._sizes(plan)
        if self._whole and (last := sizes.find(self._scoped(WHOLE))):
            return last, "the last sync with --prune"
        return sizes.find(self._scoped(plan.file.rows.source.origin)), "its last push"

    def store(self, plan: "Plan", columns: Sequence[str] = ()) -> None:
        """Remember the rows and columns of a feed that was pushed."""
        from ...runs.feed_sizes import LastPush

        own = plan.file.rows.source.origin
        for origin in (own, WHOLE) if self._whole else (own,):
            self._sizes(plan).store(self._scoped(origin), LastPush(_size(plan), [*columns]))

    def _scoped(self, origin: str) -> str:
        """Identify a feed, or the part of it that a scope takes."""
        return f"{origin}\n--scope {self._scope}" if self._scope else origin

    def _sizes(self, plan: "Plan") -> "FeedSizes":
        from ...runs.feed_sizes import FeedSizes

        return FeedSizes(self._call.settings.state_dir, plan.target(self._call.service))


def _size(plan: "Plan") -> int:
    """Count the rows of a feed; those that are left out are not in it."""
    return plan.file.report.rows - plan.file.report.left_out
