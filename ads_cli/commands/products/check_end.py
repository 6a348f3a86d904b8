"""What follows the findings of a check: images, the command to type next, questions, and the recipe."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from ...api.products import MAX_IMAGE_BYTES, PutProducts
from ...console.invocation import Invocation
from ...console.progress import progress
from ...errors import ContentError, NotConfirmedError, StateError
from ...feeds.decoding import NotUtf8Error
from ...feeds.rows import Rows
from ...masking import mask_address
from ...output.text import counted
from ...products.normal_form import PRODUCT_SCHEMA
from ...products.selection import ChangedRows
from ...validation import CheckedRow
from ...validation.report import ValidationReport, has_no_required_column, unsent_columns
from ...validation.validator import Validator
from ..runs.options import recipe_file
from ..runs.reports import with_further_options
from . import count_changed, sync_state_of
from .options import ImageOptions, ProductFeedOptions

if TYPE_CHECKING:
    from ...products.images import ImageCheck
    from ..runs.recipe import RecipeFile
    from .advice import Advice, Outcome

SHARE_OF_CHECK = 0.45  # of its time, in which options are tried, and as long the same rows without them
FAILED = "failed.csv"
# Options of a check that a push does not have, and whether a value follows.
OF_CHECK = {
    "--diff": False,
    "--images": False,
    "--allow-private": False,
    "--interactive": False,
    "--images-sample": True,
    "--write-recipe": True,
    "--failed-out": True,
}


class CheckEnd:
    """The command to type next, questions, and the recipe. Call `begin`, `advise` and `finish`."""

    def __init__(
        self,
        call: Invocation,
        feed: ProductFeedOptions,
        files: Sequence[str],
        recipe: str | None,
        *,
        interactive: bool,
        force: bool,
    ) -> None:
        if interactive and not call.parsed.host.is_terminal:
            raise NotConfirmedError(
                "--interactive: there is no terminal to ask on",
                hint="--write-recipe FILE writes what is certain, and the line 'try:' names the rest",
            )
        if interactive and recipe is None:
            recipe = f"{Path(files[0]).stem or 'feed'}.recipe.yaml"
        self._call, self._feed, self._files, self._force = call, feed, files, force
        self._interactive = interactive
        self._recipe = recipe
        self._out: RecipeFile | None = None
        self._advice: Advice | None = None
        self._has_findings = False
        self._row_count: int | None = None  # unknown until all are checked
        self._outcome: Outcome | None = None  # of what was answered

    def begin(self, rows: Rows) -> None:
        """Ask before an existing file is replaced by the recipe."""
        self._out = recipe_file(self._call, self._recipe, rows.source, force=self._force)
        self._began = perf_counter()

    def advise(self, rows: Rows, report: ValidationReport) -> dict[str, Any] | None:
        """Find what to type next, where it is shown; return it for programs."""
        is_shown = (
            self._recipe or not self._call.messages.quiet or self._call.printer.format in ("json", "yaml")
        )
        self._has_findings, self._row_count = bool(report.invalid), report.rows
        if not (report.invalid and is_shown):
            return None
        self._find_advice(rows, report)
        if self._advice is None and report.valid:  # nothing helps the others but a person
            from .advice import Advice, Outcome

            outcome = Outcome(report.valid, report.rows - report.left_out, is_part=False)
            sends = f"sends {outcome.valid:,} of {counted(outcome.rows, 'row')}"
            words = _as_push(self._call.command_line)
            self._advice = Advice(words, f"{sends}, and writes the others to {FAILED}", outcome)
        return self._advice.record if self._advice else None

    def finish_without_report(self, rows: Rows, error: ContentError) -> bool:
        """Say what to type where a table has none of the required columns, or is in another encoding.

        Returns whether every row is valid by what was answered; raises ContentError where some are not.
        """
        is_advised = isinstance(error, NotUtf8Error) or has_no_required_column(rows, PRODUCT_SCHEMA.required)
        if is_advised and (self._interactive or not self._call.messages.quiet):
            self._find_advice(rows, None, error)
            if self._interactive:
                self._has_findings = True
                if isinstance(error, NotUtf8Error) and self._advice is None:
                    if not error.encoding:
                        return False
                    self._feed = msgspec.structs.replace(self._feed, encoding=error.encoding)
                    self._call.messages.show(f"{error.message}: --encoding {error.encoding}")
                if not self.finish(rows) and self._outcome:
                    raise ContentError(f"{rows.source.label}: {self._outcome}")
                return bool(self._outcome)
            self._say()
        return False

    def _find_advice(
        self, rows: Rows, report: ValidationReport | None, error: ContentError | None = None
    ) -> None:
        from .advice import advise  # a feed that is valid needs none

        seconds = SHARE_OF_CHECK * (perf_counter() - self._began)
        self._advice = advise(self._call, self._feed, rows, report, error, seconds=seconds)

    def finish(self, rows: Rows) -> bool:
        """Say what to type next, or ask for it, and write the recipe.

        Returns whether every row is valid by what was answered.
        """
        advice = self._advice
        if not self._interactive:
            self._say()
            self._write(self._with_certain(), rows, advice.open_pairs if advice else {})
            return False
        from .questions import Questions

        questions = Questions(self._call, self._feed, rows, self._row_count)
        if self._has_findings:
            questions.ask(advice)
        self._write(questions.feed, rows, {})
        self._outcome = outcome = questions.outcome
        return bool(outcome and outcome.valid == outcome.rows and not outcome.is_part)

    def _say(self) -> None:
        if advice := self._advice:
            self._call.messages.say(f"try: {advice.command}  # {advice.effect}")

    def _with_certain(self) -> ProductFeedOptions:
        if not self._advice:
            return self._feed
        from .advice import with_options_of

        return with_options_of(self._feed, self._advice.certain)

    def _write(self, feed: ProductFeedOptions, rows: Rows, open_pairs: dict[str, list[str]]) -> None:
        """Write the recipe, if one is asked for."""
        if not self._out:
            return
        opened = feed.open_again(rows)
        kinds = {file.name for file in opened}
        next(iter(opened[0].rows), None)  # the columns are known from the first row on
        if feed.source_kind == "auto" and len(kinds) == 1:
            feed = msgspec.structs.replace(feed, source_kind=kinds.pop() or "generic")
        unsent = [
            column
            for column in opened[0].rows.columns
            if column in unsent_columns(opened[0].rows, PRODUCT_SCHEMA.known)
        ]
        self._out.write(self._call, feed, self._files[0], open_pairs, unsent)


def _as_push(words: Sequence[str]) -> list[str]:
    """Return the command line of a check as that of a push that sends its valid rows."""
    pushed: list[str] = []
    rest = iter(map(mask_address, words))
    for word in rest:
        name, equals, _ = word.partition("=")
        if name not in OF_CHECK:
            pushed.append("push" if word == "check" and pushed[-1:] == ["products"] else word)
        elif OF_CHECK[name] and not equals:
            next(rest, None)
    return with_further_options(pushed, ["--skip-invalid", "--failed-out", FAILED])


def compared_with_acknowledged(call: Invocation) -> tuple[ChangedRows | None, Callable[[], int | None]]:
    """Return what notes the digests of a checked file, and counts those that were never acknowledged.

    Only where the service limits pushes, and something was pushed to the catalog that is set.
    """
    is_limited = PutProducts.endpoint.rates[call.settings.service] is not None
    was_pushed = False
    with suppress(StateError):  # which stops only what changes something
        was_pushed = is_limited and bool(call.settings.get("catalog")) and sync_state_of(call).exists()
    if not was_pushed:
        return None, lambda: None
    selection = ChangedRows()

    def count() -> int | None:
        with suppress(StateError):
            return count_changed(call, selection)
        return None

    return selection, count


ReadRows = Callable[[], Iterator[CheckedRow]]


@contextmanager
def checked_images(
    call: Invocation, validator: Validator, options: ImageOptions, report: ValidationReport
) -> Iterator[ReadRows]:
    """Add the problems of images to a report, where that is asked for.

    Gives what reads the rows with all their problems.
    """
    if not options.images:
        yield validator.checked_rows
        return
    from ...http.file_start import Reading
    from ...products.feed_stats import ProductStats
    from ...products.images import ImageCheck

    settings = call.settings
    reading = Reading(
        settings.seconds("timeout", may_be_zero=False), MAX_IMAGE_BYTES, options.allow_private, call.trace
    )
    with closing(ImageCheck(strict=validator.strict)) as check:
        total = report.rows if options.images_sample is None else None
        with progress(call.messages, "Checking images", total) as on_progress:
            check.fetch(
                validator.checked_rows(),
                reading,
                on_progress,
                max_attempts=settings.max_attempts,
                sample_size=options.images_sample,
            )
        for checked, problems in check.add_problems(validator.checked_rows()):
            if problems:
                report.add(checked.row, problems, earlier=checked.problems)
                if isinstance(validator.stats, ProductStats):
                    validator.stats.note_problems(checked.row, problems, checked.row.record)
        call.messages.say(f"{validator.rows.source.label}: {_counted(check)}")

        def read_rows() -> Iterator[CheckedRow]:
            for checked, problems in check.add_problems(validator.checked_rows()):
                yield CheckedRow(checked.row, checked.item, checked.problems + problems)

        yield read_rows


def _counted(check: "ImageCheck") -> str:
    """Say how many images were looked at."""
    checked = f"{check.checked:,} of " if check.checked < check.linked else ""
    return f"looked at {checked}{counted(check.linked, 'image')}"
