"""Check a product feed, or write it as it is read, mapped and fixed, and send nothing."""

from typing import IO, TYPE_CHECKING, Annotated

import msgspec
import typer

from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.shown import shows
from ...errors import ContentError, UsageError
from ...feeds.registry import STANDARD_OUTPUT, FeedFormat, find_writable, one_of, writable_formats
from ...output.text import counted
from ..runs.options import File, Files, PageOptions, RecipeDraft, RejectedOptions, Strict, with_options
from ..runs.shown import FIXES, REPORT
from . import STRICT_HINT
from .options import ImageOptions, ProductFeedOptions
from .page import FeedReport

if TYPE_CHECKING:
    from ...validation.validator import Validator


@shows(REPORT, FIXES)
@with_options(feed=ProductFeedOptions, rejected=RejectedOptions, images=ImageOptions, page=PageOptions)
def check(
    ctx: typer.Context,
    files: Files,
    feed: ProductFeedOptions,
    rejected: RejectedOptions,
    images: ImageOptions,
    page: PageOptions,
    strict: Strict = False,
    recipe_draft: RecipeDraft = None,
    interactive: Annotated[bool, flag("Ask for what is missing, and write a recipe")] = False,
    diff: Annotated[bool, flag("With --fix: show each changed field before and after")] = False,
) -> None:
    """Check a product feed, offline, and send nothing.

    Every rule is checked that needs neither the catalog nor the images themselves. What the service refuses
    is an error. What its rules ask for, but it accepts, such as the check digit of a GTIN, is a warning.

    With --images, the beginning of each image is fetched from its host, each address once. Its format, pixels
    and bytes are checked. One that cannot be fetched is a warning.

    The line `try:` is the command to type next, with every option that the findings imply. It was tried in
    memory. --interactive asks on a terminal for columns that are missing and for what only you know. It shows
    what each answer comes to, and writes a recipe, as --write-recipe does of what is certain.

    For example: adsctl products check feed.csv
    """
    from ...api.products import BATCH_SIZE, PutProducts
    from ...products.normal_form import PRODUCT_SCHEMA
    from ...runs.rejected_rows import check_failed_out
    from ...validation.validator import Validator
    from ..runs.reports import hint_of_kind, show_report
    from ..runs.validation import say_estimate, validate_with_progress, write_invalid_rows
    from .check_end import CheckEnd, checked_images, compared_with_acknowledged

    if diff and not feed.fix:
        raise UsageError("--diff needs --fix", hint="it shows what fixes change, as in --fix all --diff")
    images.require_images()
    call = Invocation.of(ctx)
    end = CheckEnd(call, feed, files, recipe_draft, interactive=interactive, force=rejected.force)
    selection, count = compared_with_acknowledged(call)
    with FeedReport(call, page.report, files, force=rejected.force).written() as run:
        rows = feed.open_all(call, files)
        validator = Validator(rows, PRODUCT_SCHEMA, selection, strict=strict)
        run.watch(validator, "check")
        check_failed_out(rejected.failed_out_file, rows)
        end.begin(rows)
        try:
            report = validate_with_progress(call, validator)
        except ContentError as error:
            if end.finish_without_report(rows, error):
                return
            raise
        tried = end.advise(rows, report)
        with checked_images(call, validator, images, report) as checked_rows:
            say_estimate(call, PutProducts.endpoint, report.valid, -(-report.valid // BATCH_SIZE), count)
            show_report(call.printer, rows, report, validator.fixed_rows() if diff else None, tried)
            write_invalid_rows(rejected.failed_out_file, validator, report, checked_rows)
        if not end.finish(rows) and report.invalid:
            hints = (hint_of_kind(rows, report), STRICT_HINT if strict else "")
            raise ContentError(report.summary, hint="; ".join(filter(None, hints)))


@with_options(feed=ProductFeedOptions, rejected=RejectedOptions)
def convert(
    ctx: typer.Context,
    file: File,
    output_file: Annotated[str, argument("OUT", "Where to write; - is standard output")],
    feed: ProductFeedOptions,
    format_out: Annotated[
        str | None,
        option(
            "FORMAT",
            f"{one_of(writable_formats())} (default: by the extension of OUT)",
            offers=writable_formats(),
        ),
    ] = None,
    skip_invalid: Annotated[bool, flag("Write the valid rows, and end with 9")] = False,
    strict: Strict = False,
    *,
    rejected: RejectedOptions,
) -> None:
    """Write a product feed in another format, offline: what push would send of it.

    Rows are read, converted and fixed by the same options as in check and push. Nothing is written of a
    feed with invalid rows, unless --skip-invalid is given.

    For example: adsctl products convert feed.csv feed.jsonl
    """
    from ...products.normal_form import PRODUCT_SCHEMA
    from ...validation.validator import Validator
    from ..runs.validation import write_valid_rows
    from .pull import refuse_presentation

    call = Invocation.of(ctx)
    refuse_presentation(call, "--format-out")
    format = find_writable(STANDARD_OUTPUT if output_file == "-" else output_file, format_out)
    validator = Validator(feed.open(call, file), PRODUCT_SCHEMA, strict=strict)
    write_valid_rows(
        call,
        validator,
        output_file,
        rejected,
        skip_invalid=skip_invalid,
        write=lambda stream: _write(validator, stream, format),
        done=lambda: f"{counted(validator.report.valid, 'product')} written",
    )


def _write(validator: "Validator", stream: IO[str], format: FeedFormat) -> None:
    """Write the valid products as they would be sent."""
    from ...feeds.formats.writers import open_writer

    writer = open_writer(stream, format, _columns(validator))
    for checked in validator.checked_rows():
        try:
            if checked.item:
                writer.write(msgspec.to_builtins(checked.item))
        except ContentError as error:
            error.message = f"{validator.rows.place(checked.row.line, checked.row.record)}: {error.message}"
            raise
    writer.close()


def _columns(validator: "Validator") -> list[str]:
    """Return the fields that the feed or a product has, as declared. A sync empties the empty ones."""
    from ...products.normal_form import FIELDS

    rows = validator.rows
    used = {*rows.fields, *rows.composed, *rows.transform.fields}
    if rows.table and not rows.transform.has_steps:
        used |= {"inventory"} if "availability" in validator.report.fixed else set()
    else:
        items = (checked.item for checked in validator.checked_rows() if checked.item)
        used |= {field for item in items for field in msgspec.to_builtins(item)}
    return [field for field in FIELDS if field in used]
