"""Look at the images of a feed that was validated."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from ...api.products import MAX_IMAGE_BYTES
from ...console.invocation import Invocation
from ...console.progress import progress
from ...output.text import counted
from ...uploads.plan import RowPlan
from ...validation.report import ValidationReport
from ...validation.rows import CheckedRow
from .options import ImageOptions

if TYPE_CHECKING:
    from ...products.images.check import ImageCheck

ReadRows = Callable[[], Iterator[CheckedRow]]


@contextmanager
def checked_images(
    call: Invocation, plan: RowPlan, options: ImageOptions, report: ValidationReport
) -> Iterator[ReadRows]:
    """Add the problems of images to a report, where that is asked for.

    Gives what reads the rows with all their problems.
    """
    if not options.images:
        yield plan.checked_rows
        return
    from ...http.file_start import Reading
    from ...products.images.check import ImageCheck

    settings = call.settings
    reading = Reading(
        settings.seconds("timeout", may_be_zero=False), MAX_IMAGE_BYTES, options.allow_private, call.trace
    )
    with closing(ImageCheck(strict=plan.validator.strict)) as check:
        total = report.rows if options.images_sample is None else None
        with progress(call.messages, "Checking images", total) as on_progress:
            check.fetch(
                plan.checked_rows(),
                reading,
                settings.state_dir,
                on_progress,
                max_attempts=settings.max_attempts,
                sample_size=options.images_sample,
            )
        for checked, problems in check.add_problems(plan.checked_rows()):
            if problems:
                report.add(checked.row, problems, known=checked.problems)
                if plan.validator.facts:
                    plan.validator.facts.note_problems(checked.row, problems, checked.row.record)
        call.messages.say(f"{plan.rows.source.label}: {_counted(check)}")

        def read_rows() -> Iterator[CheckedRow]:
            for checked, problems in check.add_problems(plan.checked_rows()):
                yield CheckedRow(checked.row, checked.item, checked.problems + problems)

        yield read_rows


def _counted(check: "ImageCheck") -> str:
    """Say how many images were looked at."""
    checked = f"{check.checked:,} of " if check.checked < check.linked else ""
    unchanged = f", {check.unchanged:,} of them unchanged since an earlier check" if check.unchanged else ""
    return f"looked at {checked}{counted(check.linked, 'image')}{unchanged}"
